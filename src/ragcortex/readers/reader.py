"""The reader: plans both passes over each answer, batches them, and returns readings in the order given."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from typing import Any

from ragcortex.align import AnswerTokens
from ragcortex.errors import InputError, OutOfMemoryError, ReadingError
from ragcortex.example import Example
from ragcortex.readers._hf import library_versions, one_line
from ragcortex.readers.batches import Way, batches, batches_by_prefix
from ragcortex.readers.finite import check_finite, each_finite
from ragcortex.readers.forward import forward, packed_forward
from ragcortex.readers.kept_prefixes import KeptPrefixes, can_continue, continued_forward
from ragcortex.readers.memory import return_freed_memory, within_memory
from ragcortex.readers.models import LoadedModel, ReaderIdentity, load_model
from ragcortex.readers.packing import can_pack
from ragcortex.readers.prompts import PiecePlan, Prefix, Prompter, PromptTemplate, answer_pieces
from ragcortex.readers.reading import Block, PassArrays, Reading, ReadingSpec
from ragcortex.readers.token_batch import TokenSequence

CHAT = PromptTemplate("chat")
RAW = PromptTemplate("raw")


@dataclass(frozen=True, slots=True)
class ReaderOptions:
    """How a reader runs; nothing here changes a score beyond rounding, except `window`.

    Attributes:
        window: the longest input in tokens; None takes what the model was made for. Longer input is divided.
        batch_tokens: tokens, padding included, in one forward pass of several sequences; half as many more than the
            longest of them where answers share a long prefix.
        padding_side: `right` (needs no mask, fastest) or `left`.
        group_size: examples planned and sorted together.
        share_prefixes: read what several inputs begin with once, and nothing as padding, where the architecture
            allows it and nothing but states, attention and likelihoods is read.
        prefix_bytes: keys and values of prefixes that are kept from one call to the next, so that a source's next
            answer costs its own tokens only; 0 keeps none. Used where only hidden states are read.
    """

    window: int | None = None
    batch_tokens: int = 2048
    padding_side: str = "right"
    group_size: int = 64
    share_prefixes: bool = True
    prefix_bytes: int = 0

    def __post_init__(self) -> None:
        if self.window is not None and self.window < 256:
            raise InputError("window", f"must be at least 256 tokens, got {self.window}")
        if self.padding_side not in ("left", "right"):
            raise InputError("padding_side", f"must be left or right, got {self.padding_side!r}")
        if self.batch_tokens < 1 or self.group_size < 1:
            raise InputError("batch_tokens", "and group_size must be at least 1")


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """The passes one example needs.

    Attributes:
        tokens: the answer's.
        pieces: of the answer; one if it fits.
        windows: prefixes with the references; one if they fit.
        without: the prefix without them.
        n_reference_tokens: in all windows together.
    """

    tokens: AnswerTokens
    pieces: tuple[PiecePlan, ...]
    windows: tuple[Prefix, ...]
    without: Prefix
    n_reference_tokens: int


class Reader:
    """An open-weight causal model that reads answers with and without their references; threads take turns at it."""

    def __init__(
        self, loaded: LoadedModel, *, template: PromptTemplate | None = None, options: ReaderOptions | None = None
    ) -> None:
        self._loaded = loaded
        self.options = options or ReaderOptions()
        has_chat = getattr(loaded.tokenizer, "chat_template", None)
        self.template = template or (CHAT if has_chat else RAW)
        self.prompter = Prompter(loaded.tokenizer, self.template)
        self.prefixes = KeptPrefixes(self.options.prefix_bytes)

    @classmethod
    def load(
        cls,
        source: str = "embedded",
        *,
        device: str | None = None,
        dtype: str | None = None,
        template: PromptTemplate | None = None,
        options: ReaderOptions | None = None,
    ) -> "Reader":
        """Return a reader; see `load_model` for `source`, `device`, `dtype` and the errors."""
        return cls(load_model(source, device=device, dtype=dtype), template=template, options=options)

    @property
    def loaded(self) -> LoadedModel:
        """The model and tokenizer behind it; for the modules of `readers` only, where transformers' names are known."""
        return self._loaded

    @property
    def identity(self) -> ReaderIdentity:
        """Which model this is."""
        return self._loaded.identity

    def key(self) -> dict[str, Any]:
        """Return everything about this reader that changes what it reads and writes, as JSON values."""
        return {
            "reader": self.identity.fingerprint,
            "dtype": self.dtype,
            "window": self.window,
            "template": dataclasses.asdict(self.template),
            "libraries": library_versions(),
        }

    @property
    def device(self) -> str:
        """The device it runs on."""
        return self._loaded.device

    @property
    def dtype(self) -> str:
        """The precision it runs in."""
        return self._loaded.dtype

    @property
    def n_parameters(self) -> int:
        """How many weights it has; those that embeddings and output head share are counted once."""
        return sum(parameter.numel() for parameter in self._loaded.model.parameters())

    @property
    def window(self) -> int:
        """The longest input in tokens."""
        return min(self.options.window or self.identity.max_tokens, self.identity.max_tokens)

    @cached_property
    def can_pack(self) -> bool:
        """Whether several sequences can be read in one row."""
        with self._loaded.turn:
            return can_pack(self._loaded)

    def tokenize(self, answer: str) -> AnswerTokens:
        """Return the answer's tokens with their character ranges."""
        return self.prompter.answer(answer)

    def read_one(self, example: Example, spec: ReadingSpec) -> Reading:
        """Return the reading of one example; see `read`."""
        return next(self.read([example], spec))

    def read(self, examples: Iterable[Example], spec: ReadingSpec) -> Iterator[Reading]:
        """Yield one reading an example, in order.

        References longer than the window are read in several windows, answers longer than half of it in overlapping
        pieces; nothing is cut. An example with a blank answer has no reading and is refused.

        Raises:
            InputError: the answer or all references are blank, or the question leaves no room in the window.
            ReadingError: the model's numbers are not finite, or it cannot be pooled as the spec asks.
            OutOfMemoryError: the memory does not suffice for one of them. Where it does not suffice for several at
                once, smaller batches are read, and their readings say so.
        """
        source = iter(examples)
        while group := list(islice(source, self.options.group_size)):
            plans = [self.plan(example) for example in group]
            yield from self._run(plans, spec)
            return_freed_memory()

    def plan(self, example: Example) -> ReadingPlan:
        """Return how an example is read: the answer's pieces, the windows of its references, and both prefixes.

        Raises:
            InputError: as `read`.
        """
        if not example.answer.strip():
            raise InputError("answer", "is blank, so there is nothing to read")
        texts = [reference.text for reference in example.references if reference.text.strip()]
        if not texts:
            raise InputError("references", "are all blank, so there is nothing to compare the answer with")
        tokens = self.tokenize(example.answer)
        whole = self.prompter.prefix(example.question, texts)
        without = self.prompter.prefix(example.question, [])
        if len(whole.ids) + len(tokens) <= self.window:
            pieces, windows = [PiecePlan(0, len(tokens), 0)], [whole]
        else:
            pieces = answer_pieces(len(tokens), self.window // 2)
            room = self.window - max(piece.stop - piece.start for piece in pieces)
            windows = self.prompter.windows(example.question, texts, room)
        if len(without.ids) + max(piece.stop - piece.start for piece in pieces) > self.window:
            raise InputError(
                "question", f"takes {len(without.ids)} tokens, too many for the reader's window of {self.window}"
            )
        n_reference_tokens = sum(prefix.references[1] - prefix.references[0] for prefix in windows)
        return ReadingPlan(tokens, tuple(pieces), tuple(windows), without, n_reference_tokens)

    def _run(self, plans: Sequence[ReadingPlan], spec: ReadingSpec) -> Iterator[Reading]:
        sequences: list[TokenSequence] = []
        for plan in plans:
            for piece in plan.pieces:
                answer = plan.tokens.ids[piece.start : piece.stop]
                sequences.extend(TokenSequence(prefix.ids, answer, prefix.references) for prefix in plan.windows)
                sequences.append(TokenSequence(plan.without.ids, answer, None))
        arrays: list[PassArrays | None] = [None] * len(sequences)
        divided: set[int] = set()
        for batch, how in self._batches(sequences, spec):
            read, was_divided = self._forward([sequences[index] for index in batch], spec, how)
            divided.update(batch if was_divided else ())
            for index, result in zip(batch, read, strict=True):
                arrays[index] = result
        start = 0
        for plan in plans:
            own = range(start, start + len(plan.pieces) * (len(plan.windows) + 1))
            start = own.stop
            checked = [self._checked(sequences[index], arrays[index]) for index in own]
            yield _assembled(plan, checked, in_smaller_batch=not divided.isdisjoint(own))

    def _checked(self, sequence: TokenSequence, result: PassArrays | None) -> PassArrays:
        """Return the arrays of a sequence, which were read and are finite."""
        if result is None:
            raise ReadingError("a planned pass was never run")
        check_finite(self._loaded, result, with_references=sequence.references is not None)
        return result

    def _batches(self, sequences: Sequence[TokenSequence], spec: ReadingSpec) -> Iterator[tuple[list[int], Way]]:
        size = self.options.batch_tokens
        if self.prefixes.max_bytes and can_continue(spec):
            return batches_by_prefix(sequences, size)
        packs = self.options.share_prefixes and not spec.measures and self.can_pack
        return batches(sequences, spec, size, self.identity.n_layers, packs=packs)

    def _forward(
        self, sequences: Sequence[TokenSequence], spec: ReadingSpec, how: Way
    ) -> tuple[list[PassArrays], bool]:
        """Return the arrays of each sequence, and whether memory ran out for all of them at once."""
        longest = max(map(len, sequences))
        try:
            read = partial(each_finite, partial(self._pass, spec=spec, how=how))
            return within_memory(read, sequences, "passes", forget=self.prefixes.clear)
        except OutOfMemoryError as error:
            raise OutOfMemoryError(
                f"the memory does not suffice for one pass over up to {longest:,} tokens, read alone: {error}; use a "
                "smaller window, a smaller reader or a machine with more memory"
            ) from None
        except RuntimeError as error:  # torch raises it for whatever fails
            raise ReadingError(
                f"the reader failed on {len(sequences)} sequences of up to {longest:,} tokens: {one_line(error)}"
            ) from error

    def _pass(self, sequences: Sequence[TokenSequence], spec: ReadingSpec, how: Way) -> list[PassArrays]:
        with self._loaded.turn:
            if how == "continued":
                return continued_forward(self._loaded, sequences, spec, self.prefixes)
            if how == "packed":
                return packed_forward(self._loaded, sequences, spec)
            return forward(self._loaded, sequences, spec, padding_side=self.options.padding_side)


def _assembled(plan: ReadingPlan, arrays: list[PassArrays], *, in_smaller_batch: bool) -> Reading:
    blocks = []
    results = iter(arrays)
    for piece in plan.pieces:
        with_references = [next(results) for _ in plan.windows]
        without = next(results)
        blocks += [
            Block(piece.start, piece.stop, piece.keep, window, ref, without)
            for window, ref in enumerate(with_references)
        ]
    return Reading(plan.tokens, tuple(blocks), len(plan.windows), plan.n_reference_tokens, in_smaller_batch)
