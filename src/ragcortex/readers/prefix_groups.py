"""Which answers are read behind one prefix: those of one question and references, divided where they are too many."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ragcortex.errors import ReadingError
from ragcortex.example import Example
from ragcortex.readers.packing import Pack
from ragcortex.readers.reader import Reader


@dataclass(frozen=True, slots=True)
class AnswerPart:
    """An answer, or a piece of one that is too long for the reader's window.

    Attributes:
        owner: the answer's position among those given.
        ids: its tokens.
        start: where its first token stands in the answer.
        keep: the first of the answer's tokens that is decided here; those before it are context.
    """

    owner: int
    ids: tuple[int, ...]
    start: int
    keep: int

    def __post_init__(self) -> None:
        if not self.start <= self.keep < self.stop:
            raise ReadingError(f"a piece of tokens {self.start}..{self.stop} cannot decide from {self.keep} on")

    @property
    def stop(self) -> int:
        """One past the last token, in the answer."""
        return self.start + len(self.ids)


@dataclass(frozen=True, slots=True)
class PrefixGroup:
    """Answers that share their prefixes: one where the references fit the reader's window, else one a window.

    Attributes:
        prefixes: token ids of question and references, one tuple a window.
        parts: each is read behind every prefix.
    """

    prefixes: tuple[tuple[int, ...], ...]
    parts: tuple[AnswerPart, ...]

    @property
    def n_decided(self) -> int:
        """How many tokens are decided here."""
        return sum(part.stop - part.keep for part in self.parts)

    def packs(self) -> list[Pack]:
        """Return the packs that read this group, one a window."""
        answers = tuple(part.ids for part in self.parts)
        return [Pack(prefix, answers) for prefix in self.prefixes]

    def singles(self) -> Iterator["PrefixGroup"]:
        """Yield one group a part, to be read without packing."""
        for part in self.parts:
            yield PrefixGroup(self.prefixes, (part,))


def prefix_groups(reader: Reader, examples: Sequence[Example], max_tokens: int) -> list[PrefixGroup]:
    """Return the groups that read all these answers, each of their tokens decided exactly once.

    Groups come in the order of their first answer. A group takes at most `max_tokens` with its longest prefix, unless
    one answer alone takes more.

    Raises:
        InputError: an answer or its references are blank, or a question leaves no room in the reader's window.
    """
    parts_of: dict[tuple[tuple[int, ...], ...], list[AnswerPart]] = {}
    for owner, example in enumerate(examples):
        plan = reader.plan(example)
        prefixes = tuple(prefix.ids for prefix in plan.windows)
        parts_of.setdefault(prefixes, []).extend(
            AnswerPart(owner, plan.tokens.ids[piece.start : piece.stop], piece.start, piece.keep)
            for piece in plan.pieces
        )
    return [
        PrefixGroup(prefixes, chunk)
        for prefixes, parts in parts_of.items()
        for chunk in _chunks(parts, max_tokens - max(map(len, prefixes)))
    ]


def _chunks(parts: Sequence[AnswerPart], room: int) -> Iterator[tuple[AnswerPart, ...]]:
    """Yield the parts, in order, in runs of at most `room` tokens, or of one part."""
    chunk: list[AnswerPart] = []
    used = 0
    for part in parts:
        if chunk and used + len(part.ids) > room:
            yield tuple(chunk)
            chunk, used = [], 0
        chunk.append(part)
        used += len(part.ids)
    if chunk:
        yield tuple(chunk)
