"""Several sequences in one row: what their prefixes share stands once, whatever it is, and nothing is padding.

Answers of one source share question and references; both passes over one answer share what comes before the
references; and all of one chat template share its opening. Prefixes go into a radix tree, whose stretches of tokens are
read once each; an answer hangs where its prefix ends. Positions count along the branch, so every token is where it
would be in a sequence of its own.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

Stretch = tuple[int, int]

# A stretch shorter than this is read again rather than shared: dividing a segment costs more.
_WORTH_SHARING: Final = 8


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of the row, and what its tokens see besides those before them within it.

    Attributes:
        start, stop: its rows (half-open).
        before: stretches of the row that it sees whole, in the order of their positions.
        sequence: whose answer it is; None for a part of prefixes.
    """

    start: int
    stop: int
    before: tuple[Stretch, ...] = ()
    sequence: int | None = None

    @property
    def position(self) -> int:
        """The position of its first token."""
        return sum(stop - start for start, stop in self.before)


@dataclass(frozen=True, slots=True)
class Place:
    """Where one sequence's answer lies in a batch.

    Attributes:
        row: of the batch.
        start, stop: the answer's tokens in that row (half-open).
        previous: the token before the answer.
    """

    row: int
    start: int
    stop: int
    previous: int


@dataclass(slots=True)
class _Node:
    """Tokens that some prefixes share, and what follows them."""

    start: int
    stop: int
    children: list["_Node"] = field(default_factory=list)
    answers: list[tuple[int, int, int]] = field(default_factory=list)

    def divide(self, n: int) -> None:
        """Keep the first n tokens; the rest, with all that follows, becomes the only child."""
        rest = _Node(self.start + n, self.stop, self.children, self.answers)
        self.stop, self.children, self.answers = self.start + n, [rest], []


class PackedRow:
    """A row that sequences are added to, one by one.

    Attributes:
        ids: the row's tokens.
        places: of each sequence's answer, in the order they were added.
    """

    def __init__(self) -> None:
        self.ids: list[int] = []
        self.places: list[Place] = []
        self._roots: list[_Node] = []

    def __len__(self) -> int:
        return len(self.ids)

    def n_new(self, prefix: Sequence[int]) -> int:
        """Return how many of a prefix's tokens the row does not have yet."""
        return len(prefix) - sum(n for _, n in self._path(prefix))

    def add(self, prefix: Sequence[int], answer: Sequence[int]) -> None:
        """Add a sequence: what the row lacks of its prefix, and its answer."""
        node: _Node | None = None
        done = 0
        for node, n in self._path(prefix):
            if n < node.stop - node.start:
                node.divide(n)
            done += n
        if done < len(prefix):
            new = _Node(len(self.ids), len(self.ids) + len(prefix) - done)
            (self._roots if node is None else node.children).append(new)
            self.ids.extend(prefix[done:])
            node = new
        assert node is not None, "a sequence has a prefix"
        start = len(self.ids)
        node.answers.append((start, start + len(answer), len(self.places)))
        self.ids.extend(answer)
        self.places.append(Place(0, start, len(self.ids), node.stop - 1))

    def segments(self) -> list[Segment]:
        """Return the row's segments in its order; every token is in one of them."""
        return sorted((one for root in self._roots for one in _segments(root, ())), key=lambda one: one.start)

    def _path(self, prefix: Sequence[int]) -> list[tuple[_Node, int]]:
        """Return the nodes that a prefix goes along from a root, and how many of its tokens are in each."""
        path: list[tuple[_Node, int]] = []
        nodes, done = self._roots, 0
        while done < len(prefix):
            shared = [(self._n_shared(node, prefix, done), node) for node in nodes]
            n, node = max(shared, key=lambda pair: pair[0], default=(0, None))
            if node is None or n == 0 or (n < node.stop - node.start and n < _WORTH_SHARING):
                break
            path.append((node, n))
            done += n
            if n < node.stop - node.start:
                break
            nodes = node.children
        return path

    def _n_shared(self, node: _Node, prefix: Sequence[int], done: int) -> int:
        pairs = zip(self.ids[node.start : node.stop], prefix[done:], strict=False)
        longest = min(node.stop - node.start, len(prefix) - done)
        return next((n for n, (own, new) in enumerate(pairs) if own != new), longest)


def packed_rows(sequences: Sequence[tuple[Sequence[int], Sequence[int]]], n_tokens: int) -> Iterator[list[int]]:
    """Yield the indices of (prefix, answer) sequences that go into one row of at most `n_tokens`, or of one sequence.

    Sequences come in the order of their prefixes, so that those that begin alike are together. Answers behind one
    prefix are divided only where they do not fit a row by themselves.
    """
    order = sorted(range(len(sequences)), key=lambda index: tuple(sequences[index][0]))
    row, members = PackedRow(), list[int]()
    for _, group in itertools.groupby(order, key=lambda index: tuple(sequences[index][0])):
        indices = list(group)
        needed = row.n_new(sequences[indices[0]][0]) + sum(len(sequences[index][1]) for index in indices)
        if members and len(row) + needed > n_tokens:
            yield members
            row, members = PackedRow(), []
        for index in indices:
            prefix, answer = sequences[index]
            if members and len(row) + row.n_new(prefix) + len(answer) > n_tokens:
                yield members
                row, members = PackedRow(), []
            row.add(prefix, answer)
            members.append(index)
    if members:
        yield members


def _segments(node: _Node, before: tuple[Stretch, ...]) -> Iterator[Segment]:
    yield Segment(node.start, node.stop, before)
    seen = _joined((*before, (node.start, node.stop)))
    for start, stop, sequence in node.answers:
        yield Segment(start, stop, seen, sequence)
    for child in node.children:
        yield from _segments(child, seen)


def _joined(stretches: tuple[Stretch, ...]) -> tuple[Stretch, ...]:
    """Join the last stretch to the one before it where they lie next to each other."""
    if len(stretches) > 1 and stretches[-2][1] == stretches[-1][0]:
        return (*stretches[:-2], (stretches[-2][0], stretches[-1][1]))
    return stretches
