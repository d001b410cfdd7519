"""The pair of inputs: question and references and answer, question and answer; and how long ones are divided.

The answer is tokenised once, on its own, and its ids are appended to both prefixes, so it is the same token sequence
in both passes whatever the prefix ends with.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ragcortex.align import AnswerTokens, sentences, token_ranges
from ragcortex.errors import InputError, ModelError, ReadingError

SEPARATOR: Final = "\n\n"
# Shared by neighbouring windows of one long passage, and by neighbouring pieces of one long answer, at most.
_OVERLAP_TOKENS: Final = 128
# Templates that write the date would give another score each day; this is the day they fall back on themselves.
_TEMPLATE_DAY: Final = "26 Jul 2024"
_TEMPLATE_CLOCK: Final = "{%- macro strftime_now(format) -%}" + _TEMPLATE_DAY + "{%- endmacro -%}"


@dataclass(frozen=True, slots=True)
class PromptTemplate:
    """How question and references become a prefix.

    Attributes:
        name: `chat` uses the reader's chat template (one user turn, then the assistant's answer); `raw` plain text.
        with_references: the user's text in the reference-conditioned pass, with {question} and {references}.
        without_references: the user's text in the other pass, with {question}.
    """

    name: str
    with_references: str = "{question}" + SEPARATOR + "{references}"
    without_references: str = "{question}"

    def __post_init__(self) -> None:
        if self.name not in ("chat", "raw"):
            raise ModelError(f"prompt template must be chat or raw, got {self.name!r}")
        if self.with_references.count("{references}") != 1:
            raise ModelError("prompt template with_references must contain {references} exactly once")


@dataclass(frozen=True, slots=True)
class Prefix:
    """A tokenised prefix; `references` is the half-open range of the references' tokens in it, (0, 0) if none."""

    ids: tuple[int, ...]
    references: tuple[int, int]


@dataclass(frozen=True, slots=True)
class PiecePlan:
    """One piece of the answer: tokens `start..stop` are read, those from `keep` on are decided here."""

    start: int
    stop: int
    keep: int


class Prompter:
    """Builds prefixes and tokenises answers for one tokenizer."""

    def __init__(self, tokenizer: Any, template: PromptTemplate) -> None:
        if not getattr(tokenizer, "is_fast", False):
            raise ModelError("the reader's tokenizer gives no character offsets; a fast tokenizer is needed")
        if template.name == "chat" and not getattr(tokenizer, "chat_template", None):
            raise ModelError("the reader has no chat template; use the raw prompt template")
        self._tokenizer = tokenizer
        self.template = template

    def answer(self, text: str) -> AnswerTokens:
        """Return the answer's tokens, each with its character range."""
        ids, offsets = self._encode(text)
        return AnswerTokens(text, ids, token_ranges(text, offsets))

    def count(self, text: str) -> int:
        """Return the number of tokens of a text on its own."""
        return len(self._encode(text)[0])

    def prefix(self, question: str | None, references: Sequence[str]) -> Prefix:
        """Return the prefix for one window of references, () for the pass without them.

        Raises:
            ReadingError: the chat template rewrites the user's text, the references have no token of their own, or
                the prefix has no token or more than one BOS.
        """
        question = question or ""
        joined = SEPARATOR.join(references)
        if references:
            before, after = self.template.with_references.split("{references}")
            before, after = before.replace("{question}", question), after.replace("{question}", question)
            content, offset = before + joined + after, len(before)
        else:
            content, offset = self.template.without_references.replace("{question}", question), 0
        before_user, after_user = self._frame()
        opening, _ = self._encode(before_user, special=True)
        body, offsets = self._encode(content)
        closing, _ = self._encode(after_user, special=True)
        ids, shift = self._with_one_bos(opening + body + closing)
        if not ids:
            raise ReadingError("the prompt has no token, so the answer's first token has no likelihood")
        if not references:
            return Prefix(ids, (0, 0))
        stop = offset + len(joined)
        columns = [index for index, (first, last) in enumerate(offsets) if first < stop and last > offset]
        if not columns:
            raise ReadingError("the references have no token of their own in the prompt")
        shift += len(opening)
        return Prefix(ids, (columns[0] + shift, columns[-1] + 1 + shift))

    def windows(self, question: str | None, references: Sequence[str], limit: int) -> list[Prefix]:
        """Return the prefixes, each at most `limit` tokens, that together hold every character of the references.

        Passages stay whole where they fit and in order; one that does not fit is divided at sentence ends with some
        overlap.

        Raises:
            InputError: the question alone leaves no room for references.
        """
        whole = self.prefix(question, references)
        if len(whole.ids) <= limit:
            return [whole]
        frame = len(self.prefix(question, ["."]).ids)
        room = limit - frame - 8
        if room < 32:
            raise InputError(
                "question", f"takes {frame} tokens, which leaves no room for references in the reader's {limit}"
            )
        packed = _packed([piece for text in references for piece in self._divided(text, room)], room)
        prefixes = [self.prefix(question, pieces) for pieces in packed]
        longest = max(len(prefix.ids) for prefix in prefixes)
        if longest > limit:
            raise ReadingError(f"a window of references came out at {longest} tokens, more than the {limit} planned")
        return prefixes

    def _divided(self, text: str, room: int) -> list[tuple[str, int]]:
        """Return (piece, tokens) for one passage: itself if it fits, else overlapping pieces cut at sentence ends."""
        ids, offsets = self._encode(text)
        cost = len(ids) + 3
        if cost <= room:
            return [(text, cost)]
        ends = sorted({end for _, end in sentences(text)})
        pieces, first = [], 0
        size = room - 3
        overlap = min(_OVERLAP_TOKENS, size // 8)
        while first < len(ids):
            last = min(first + size, len(ids))
            if last < len(ids):
                inside = [end for end in ends if offsets[first + size // 2][0] < end <= offsets[last - 1][1]]
                if inside:
                    last = next(i for i in range(last, first, -1) if offsets[i - 1][1] <= inside[-1])
            start_char = 0 if first == 0 else offsets[first][0]
            stop_char = len(text) if last == len(ids) else offsets[last - 1][1]
            piece = text[start_char:stop_char]
            pieces.append((piece, self.count(piece) + 3))
            if last == len(ids):
                break
            first = max(last - overlap, first + 1)
        return pieces

    def _frame(self) -> tuple[str, str]:
        """Return what the template puts before and after the user's text."""
        if self.template.name == "raw":
            return "", SEPARATOR
        from jinja2 import TemplateError

        # A placeholder, so that a template that trims or inspects the user's text does so to no text of the user's.
        placeholder = "ragcortex-user-text"
        template = self._tokenizer.get_chat_template()
        try:
            text: str = self._tokenizer.apply_chat_template(
                [{"role": "user", "content": placeholder}],
                add_generation_prompt=True,
                tokenize=False,
                enable_thinking=False,
                chat_template=_TEMPLATE_CLOCK + template if "strftime_now" in template else template,
                date_string=_TEMPLATE_DAY,
            )
        except (TemplateError, ValueError, TypeError) as error:
            raise ReadingError(f"the reader's chat template fails: {error}; use the raw prompt template") from error
        before, found, after = text.partition(placeholder)
        if not found or placeholder in after:
            raise ReadingError("the reader's chat template rewrites the user's text; use the raw prompt template")
        return before, after

    def _with_one_bos(self, ids: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
        """Return the ids with exactly one BOS where the tokenizer uses one, and how far they moved."""
        bos = self._bos_id()
        if bos is None:
            return ids, 0
        leading = next((index for index, token in enumerate(ids) if token != bos), len(ids))
        if leading > 1:
            raise ReadingError(f"the prompt starts with {leading} BOS tokens, expected one")
        return (ids, 0) if leading == 1 else ((bos, *ids), 1)

    def _bos_id(self) -> int | None:
        """Return the BOS id if this tokenizer puts one before a text, else None."""
        bos: int | None = self._tokenizer.bos_token_id
        if bos is None:
            return None
        with_specials = self._tokenizer("a", add_special_tokens=True)["input_ids"]
        return bos if with_specials and with_specials[0] == bos else None

    def _encode(self, text: str, *, special: bool = False) -> tuple[tuple[int, ...], list[tuple[int, int]]]:
        """Return ids and offsets; only the template's own text (`special`) may contain control tokens.

        So a reference or an answer that spells «<|im_end|>» is read as those characters and cannot end the turn.
        """
        encoded = self._tokenizer(
            text,
            add_special_tokens=False,
            split_special_tokens=not special,
            return_offsets_mapping=True,
            truncation=False,
            verbose=False,
        )
        return tuple(encoded["input_ids"]), [(int(start), int(end)) for start, end in encoded["offset_mapping"]]


def answer_pieces(n_tokens: int, limit: int) -> list[PiecePlan]:
    """Return the pieces, each at most `limit` tokens, that decide on every one of `n_tokens` exactly once.

    A token is decided by the first piece that holds it, where it has the most context before it.

    >>> answer_pieces(10, 6)
    [PiecePlan(start=0, stop=6, keep=0), PiecePlan(start=5, stop=10, keep=6)]
    """
    overlap = min(_OVERLAP_TOKENS, limit // 4)
    pieces = [PiecePlan(0, min(limit, n_tokens), 0)]
    while pieces[-1].stop < n_tokens:
        keep = pieces[-1].stop
        start = keep - overlap
        pieces.append(PiecePlan(start, min(start + limit, n_tokens), keep))
    return pieces


def _packed(pieces: Sequence[tuple[str, int]], room: int) -> list[list[str]]:
    """Return the pieces, in order, in as few windows as first-come packing gives."""
    windows: list[list[str]] = [[]]
    used = 0
    for piece, cost in pieces:
        if windows[-1] and used + cost > room:
            windows.append([])
            used = 0
        windows[-1].append(piece)
        used += cost
    return windows
