"""An answer read while it is written: what is there is read once, and what comes later costs its own tokens.

The tokens at the end of a text may turn into others when more follows, so each time the whole text is tokenised and
compared with what was read; where they differ, what follows the difference is forgotten and read again. In the end the
tokens are those of the whole answer, and its reading is that of `Reader.read`, but for rounding.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ragcortex.align import AnswerTokens
from ragcortex.errors import InputError, ReadingError
from ragcortex.example import Example, Reference
from ragcortex.readers._hf import one_line
from ragcortex.readers.finite import check_finite
from ragcortex.readers.growing_passes import GrowingPasses
from ragcortex.readers.kept_prefixes import can_continue
from ragcortex.readers.memory import return_freed_memory
from ragcortex.readers.packed_layout import unpackable
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Block, Floats, PassArrays, Reading, ReadingSpec

# A stretch without white space that is longer than this may be a whole paragraph (Chinese, say) and not one word.
_LONGEST_WORD: Final = 48
# Of such a stretch, so many characters at its end may still become other tokens.
_UNSURE_CHARS: Final = 16
# No text has more characters a token in the long run; so much has to come before it is worth counting tokens.
_CHARS_PER_TOKEN: Final = 3


@dataclass(frozen=True, slots=True)
class Stretch:
    """The reading of some of an answer's tokens; their text begins at character `start` of the answer."""

    reading: Reading
    start: int


class GrowingAnswer:
    """Both passes over one answer that grows, or changes at its end; for the use of one thread at a time.

    Attributes:
        obstacle: why the answer cannot be read as it grows, as a sentence; None where it can. It may turn out later,
            when the answer exceeds the reader's window.
    """

    def __init__(
        self,
        reader: Reader,
        question: str | None,
        references: Sequence[Reference],
        spec: ReadingSpec,
        *,
        tokens_at_once: int = 64,
    ) -> None:
        """Prepare; nothing is read before it is asked for.

        Args:
            reader: the model that reads.
            question, references: as of `Example`.
            spec: what is needed; only hidden states before the final norm can be read so (`can_continue`).
            tokens_at_once: how many unread tokens `read_ahead` waits for; a pass over few tokens is dear.

        Raises:
            InputError: all references are blank, or `tokens_at_once` is less than 1.
            ReadingError: the prompt cannot be written.
        """
        texts = [reference.text for reference in references if reference.text.strip()]
        if not texts:
            raise InputError("references", "are all blank, so there is nothing to compare the answer with")
        if tokens_at_once < 1:
            raise InputError("tokens_at_once", f"must be a whole number from 1 on, got {tokens_at_once!r}")
        self._reader = reader
        self._spec = spec
        self._at_once = tokens_at_once
        self._with = reader.prompter.prefix(question, texts)
        self._without = reader.prompter.prefix(question, [])
        self._passes: GrowingPasses | None = None
        self._tokens = AnswerTokens("", (), ())
        self._states = (_States(), _States())
        self._n_chars_tried = 0
        self.obstacle = self._first_obstacle()

    @property
    def n_tokens(self) -> int:
        """How many of the answer's tokens are read."""
        return 0 if self._passes is None else len(self._passes)

    def prepare(self) -> None:
        """Read question and references now; by default they are read with the first words, which costs a little less.

        Raises:
            ReadingError: the model failed.
        """
        if self.obstacle is None:
            self._next([])

    def read_ahead(self, text: str) -> None:
        """Read what there is of the answer, as far as later text can hardly change it, if it is worth a pass."""
        if self.obstacle is not None or len(text) - self._n_chars_tried < _CHARS_PER_TOKEN * self._at_once:
            return
        self._n_chars_tried = len(text)
        sure_end = _sure_end(text)
        if not sure_end:
            return
        tokens = self._tokens_of(text)
        n_sure = bisect_left(tokens.ranges, sure_end + 1, key=lambda span: span[1])
        if n_sure - self._keep(tokens) >= self._at_once:
            self._read_to(tokens, n_sure)

    def stretch(self, text: str, start: int, end: int) -> Stretch | None:
        """Return the reading of the tokens that hold the characters `start..end` of what there is of the answer.

        Its tokens' text may begin before `start`, or end after `end`, where a token does. All before it is context.

        Args:
            text: the answer so far.
            start, end: 0 ≤ start < end ≤ len(text).

        Returns:
            None if there is an obstacle.

        Raises:
            ReadingError: the model's numbers are not finite, or it failed.
        """
        if self.obstacle is not None:
            return None
        tokens = self._tokens_of(text)
        first = bisect_left(tokens.ranges, start + 1, key=lambda span: span[1])
        last = bisect_left(tokens.ranges, end, key=lambda span: span[0])
        self._keep(tokens)
        self._n_chars_tried = max(self._n_chars_tried, end)
        if not self._read_to(tokens, last):
            return None
        return Stretch(self._reading(tokens, first, last), tokens.ranges[first][0])

    def whole(self, example: Example) -> Reading | None:
        """Return the reading of the whole answer, what is not read yet being read now.

        Args:
            example: with the question and references given at the start.

        Returns:
            None if there is an obstacle, or the answer is read in another way once it is there.

        Raises:
            InputError, ReadingError: as `Reader.read`.
        """
        if self.obstacle is not None:
            return None
        plan = self._reader.plan(example)
        if len(plan.pieces) > 1 or plan.windows != (self._with,) or plan.without != self._without:
            return None
        self._keep(plan.tokens)
        is_read = self._read_to(plan.tokens, len(plan.tokens))
        return_freed_memory()
        if not is_read:
            return None
        return self._reading(plan.tokens, 0, len(plan.tokens), plan.n_reference_tokens)

    def _first_obstacle(self) -> str | None:
        if not can_continue(self._spec):
            return "the detector reads more than hidden states, which takes the whole answer at once"
        hindrance = unpackable(self._reader.loaded.model.config.get_text_config())
        if hindrance is not None:
            return f"the reader has {hindrance}"
        if not self._reader.can_pack:
            return "the reader cannot read both passes in one row"
        return None if self._fits(1) else f"{self._too_long()} before the answer begins"

    def _too_long(self) -> str:
        n_tokens = max(len(self._with.ids), len(self._without.ids))
        return f"question and references ({n_tokens:,} tokens) fill the reader's window of {self._reader.window:,}"

    def _fits(self, n_tokens: int) -> bool:
        return max(len(self._with.ids), len(self._without.ids)) + n_tokens <= self._reader.window

    def _tokens_of(self, text: str) -> AnswerTokens:
        return self._tokens if text == self._tokens.text else self._reader.tokenize(text)

    def _keep(self, tokens: AnswerTokens) -> int:
        """Forget what was read of other tokens than these; return how many of them are read."""
        n_read, before = self.n_tokens, self._tokens.ids
        self._tokens = tokens
        if tokens.ids[:n_read] == before[:n_read]:
            return n_read
        pairs = zip(tokens.ids, before[:n_read], strict=False)
        same = next((place for place, (new, old) in enumerate(pairs) if new != old), min(n_read, len(tokens)))
        if self._passes is not None:
            self._passes.cut(same)
        for states in self._states:
            states.cut(same)
        return same

    def _read_to(self, tokens: AnswerTokens, n_tokens: int) -> bool:
        """Read so many of the tokens kept and return True; False if they do not fit, and everything is forgotten."""
        if not self._fits(n_tokens):
            self.obstacle = f"{self._too_long()} together with {n_tokens:,} tokens of the answer"
            self._passes, self._states = None, (_States(), _States())
            return False
        step = max(1, self._reader.options.batch_tokens // len(self._states))
        while self.n_tokens < n_tokens:
            n_before = self.n_tokens
            read = self._next(tokens.ids[n_before : min(n_before + step, n_tokens)])
            self._check_finite(read, n_before)
            for states, arrays in zip(self._states, read, strict=True):
                states.add(arrays.hidden)
        return True

    def _check_finite(self, read: Sequence[PassArrays], n_before: int) -> None:
        """Refuse states that are not finite, and forget the tokens they are of, so that they are not taken as read."""
        try:
            for arrays, with_references in zip(read, (True, False), strict=True):
                check_finite(self._reader.loaded, arrays, with_references=with_references)
        except ReadingError:
            if self._passes is not None:
                self._passes.cut(n_before)
            raise

    def _next(self, ids: Sequence[int]) -> list[PassArrays]:
        """Return the states of the next tokens in both passes; of none, only what is before the answer is read."""
        try:
            if self._passes is None:
                prefixes = (self._with.ids, self._without.ids)
                self._passes = GrowingPasses(self._reader.loaded, prefixes, self._spec.layers, self._reader.prefixes)
            return self._passes.read(ids)
        except (RuntimeError, MemoryError) as error:  # torch raises RuntimeError for whatever fails, memory included
            raise ReadingError(
                f"the reader failed behind {self.n_tokens:,} tokens of an answer: {one_line(error)}; if memory ran "
                "out, use a smaller window"
            ) from error

    def _reading(self, tokens: AnswerTokens, first: int, last: int, n_reference_tokens: int | None = None) -> Reading:
        start, end = tokens.ranges[first][0], tokens.ranges[last - 1][1]
        whole = (first, last) == (0, len(tokens))
        own = (
            tokens
            if whole
            else AnswerTokens(
                tokens.text[start:end],
                tokens.ids[first:last],
                tuple((low - start, high - start) for low, high in tokens.ranges[first:last]),
            )
        )
        ref, noref = (states.rows(first, last) for states in self._states)
        if n_reference_tokens is None:
            n_reference_tokens = self._with.references[1] - self._with.references[0]
        return Reading(own, (Block(0, len(own), 0, 0, ref, noref),), 1, n_reference_tokens)


class _States:
    """Hidden states of one pass by layer, to which rows are added."""

    def __init__(self) -> None:
        self._all: dict[int, Floats] = {}
        self._n = 0

    def add(self, hidden: Mapping[int, Floats]) -> None:
        for layer, rows in hidden.items():
            held = self._all.get(layer)
            needed = self._n + len(rows)
            if held is None or len(held) < needed:
                grown = np.empty((max(256, 2 * needed), rows.shape[1]), dtype=np.float32)
                if held is not None:
                    grown[: self._n] = held[: self._n]
                self._all[layer] = held = grown
            held[self._n : needed] = rows
        self._n += len(next(iter(hidden.values())))

    def cut(self, n: int) -> None:
        self._n = n

    def rows(self, first: int, last: int) -> PassArrays:
        """Return rows `first..last` as arrays of their own, so that a reading does not change as the answer does."""
        return PassArrays(hidden={layer: held[first:last].copy() for layer, held in self._all.items()})


def _sure_end(text: str) -> int:
    """Return up to which character the tokens of a text that goes on are hardly going to change."""
    stripped = text.rstrip()
    parts = stripped.rsplit(maxsplit=1)
    last = parts[-1] if parts else ""
    if len(last) > _LONGEST_WORD:
        return len(stripped) - _UNSURE_CHARS
    return len(parts[0]) if len(parts) == 2 else 0
