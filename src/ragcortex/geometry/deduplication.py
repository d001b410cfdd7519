"""Near-duplicate chunks: merged where they say the same, kept apart and reported where they contradict each other.

Density counts neighbours, so repeated chunks would make any place of the corpus look crowded.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.checks import check_position, check_score
from ragcortex.errors import InputError

Floats = npt.NDArray[np.float32]
Indices = npt.NDArray[np.intp]

# Block products differ in their last bits with the size of the block. They only choose candidates, down to this much
# below the threshold; the product of a single pair then decides, so that the result does not depend on the block.
_SLACK: Final = 1e-5
_UNIT_TOLERANCE: Final = 1e-3
_MOST_PAIRS: Final = 2_000_000  # candidates held before the least similar ones are dropped


@dataclass(frozen=True, slots=True)
class Merge:
    """A vector that another one stands for: `kept < merged`, and their cosine."""

    merged: int
    kept: int
    similarity: float

    def __post_init__(self) -> None:
        _check_pair(self.kept, self.merged, self.similarity, ("kept", "merged"))


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two vectors alike enough to be merged whose texts differ in a fact: `first < second`, and their cosine.

    `first` is kept; `second` is not merged into it, but may be into another one whose facts are its own.
    """

    first: int
    second: int
    similarity: float

    def __post_init__(self) -> None:
        _check_pair(self.first, self.second, self.similarity, ("first", "second"))


def _check_pair(low: int, high: int, similarity: float, names: tuple[str, str]) -> None:
    check_position(names[0], low)
    check_position(names[1], high)
    if low >= high:
        raise InputError(names[0], f"must be below {names[1]}={high}, got {low}")
    if not -1 <= similarity <= 1:
        raise InputError("similarity", f"must be in [-1, 1], got {similarity!r}")


@dataclass(frozen=True, slots=True)
class Deduplication:
    """What became of n vectors.

    Attributes:
        kept: indices of the vectors that are kept, ascending.
        merges: one for each of the others, by `merged` ascending.
        conflicts: by `second` ascending, then most similar first.
        n_unasked: pairs above the threshold that `differs` was not asked about because of `most_asked`; 0 where it is
            None.
    """

    kept: tuple[int, ...]
    merges: tuple[Merge, ...]
    conflicts: tuple[Conflict, ...]
    n_unasked: int

    def __post_init__(self) -> None:
        check_position("n_unasked", self.n_unasked)
        merged = [merge.merged for merge in self.merges]
        if sorted((*self.kept, *merged)) != list(range(len(self.kept) + len(merged))):
            raise InputError("kept", "must hold, together with the merged ones, each index once")
        if list(self.kept) != sorted(self.kept) or merged != sorted(merged):
            raise InputError("kept", "and merges must be in ascending order")
        if not {merge.kept for merge in self.merges} <= set(self.kept):
            raise InputError("merges", "must name kept vectors")


def near_duplicates(
    unit: Floats,
    threshold: float = 0.9,
    *,
    differs: Callable[[int, int], bool] | None = None,
    block: int = 2048,
    most_asked: int | None = 64,
) -> Deduplication:
    """Return which vectors to keep so that no two kept ones say the same, greedily in their order.

    The candidates of a vector are the earlier kept ones whose cosine with it is above `threshold`, most similar first,
    on a tie the earlier. One after the other, `differs(candidate, vector)` is asked: True records a Conflict and goes
    on to the next; the first False merges the vector into that candidate, and no more are asked. A vector without a
    candidate that does not differ is kept. So two texts that are alike but differ in a number or a negation both stay.

    A list of a thousand lines that differ in one number has half a million candidate pairs; hence `most_asked`. A
    vector whose most similar candidates all differ is kept without asking about the others, which are counted: that can
    leave a duplicate in, but never merges what differs.

    Exact, by products of blocks: memory is a few block × block matrices beside the vectors.

    Args:
        unit: normalised vectors, float32, shape (n, d); may be memory-mapped.
        threshold: in [0, 1].
        differs: whether two vectors' texts, by index, the lower first, must not be merged; None where none do.
        block: how many vectors are multiplied at a time; the result does not depend on it.
        most_asked: candidates asked about for one vector; None for all, which needs memory for all pairs.

    Raises:
        InputError: the vectors are not of length 1, or an argument is out of range.
    """
    check_unit(unit)
    check_score("threshold", threshold)
    for name, value in (("block", block), ("most_asked", most_asked)):
        optional = name == "most_asked" and value is None
        if not optional and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            raise InputError(name, f"must be a whole number from 1 on, got {value!r}")
    search = _Search(unit, threshold, differs, most_asked)
    for start in range(0, len(unit), block):
        search.take(start, min(start + block, len(unit)), block)
    return Deduplication(
        tuple(np.flatnonzero(search.is_kept).tolist()), tuple(search.merges), tuple(search.conflicts), search.n_unasked
    )


def check_unit(unit: object) -> None:
    """Refuse what is not a float32 array of shape (n, d) whose rows have length 1 within 0.001."""
    if not isinstance(unit, np.ndarray) or unit.ndim != 2 or unit.dtype != np.float32:
        got = f"{unit.dtype} {unit.shape}" if isinstance(unit, np.ndarray) else type(unit).__name__
        raise InputError("unit", f"must be a float32 array of shape (n, d), got {got}")
    for start in range(0, len(unit), 8192):
        part = unit[start : start + 8192]
        wrong = np.flatnonzero(~(np.abs(np.sqrt(np.einsum("ij,ij->i", part, part)) - 1) <= _UNIT_TOLERANCE))
        if len(wrong):
            length = float(np.linalg.norm(part[wrong[0]]))
            raise InputError(f"unit[{start + wrong[0]}]", f"must have length 1, got {length:g}; normalise the vectors")


class _Search:
    """The state of one pass over the vectors, block by block."""

    def __init__(
        self, unit: Floats, threshold: float, differs: Callable[[int, int], bool] | None, most_asked: int | None
    ) -> None:
        self.is_kept = np.zeros(len(unit), dtype=np.bool_)
        self.merges: list[Merge] = []
        self.conflicts: list[Conflict] = []
        self.n_unasked = 0
        self._unit = unit
        self._threshold = threshold
        self._differs = differs
        self._most_asked = most_asked

    def take(self, start: int, end: int, block: int) -> None:
        """Decide about the vectors from `start` to `end`; all before them are decided."""
        rows = np.asarray(self._unit[start:end])
        found = _Candidates(end - start, self._threshold, self._most_asked)
        for kept in self._kept_before(start, block):
            found.add(rows @ np.asarray(self._unit[kept]).T, kept)
        earlier = found.by_row()
        inside = np.tril(rows @ rows.T, k=-1)
        near_inside = inside > self._threshold - _SLACK
        has_neighbour: npt.NDArray[np.bool_] = np.any(near_inside, axis=1)
        for row in range(end - start):
            candidates, similarities = earlier.get(row, _NOTHING)
            n_above = int(found.n_above[row])
            if has_neighbour[row]:
                near = np.flatnonzero(near_inside[row] & self.is_kept[start:end])
                candidates = np.concatenate([candidates, near + start])
                similarities = np.concatenate([similarities, inside[row, near]])
                n_above += int(np.count_nonzero(inside[row, near] > self._threshold))
            self._decide(start + row, candidates, similarities, n_above)

    def _kept_before(self, start: int, block: int) -> Iterator[Indices]:
        for first in range(0, start, block):
            kept = np.flatnonzero(self.is_kept[first : first + block]) + first
            if len(kept):
                yield kept

    def _decide(self, index: int, candidates: Indices, similarities: Floats, n_above: int) -> None:
        order = np.lexsort((candidates, -similarities))[: self._most_asked]
        asked = self._exact(index, candidates[order])
        for kept, similarity in asked:
            if self._differs is None or not self._differs(kept, index):
                self.merges.append(Merge(index, kept, similarity))
                return
            self.conflicts.append(Conflict(kept, index, similarity))
        self.is_kept[index] = True
        if self._most_asked is not None and len(order) == self._most_asked:
            self.n_unasked += max(0, n_above - len(asked))

    def _exact(self, index: int, candidates: Indices) -> list[tuple[int, float]]:
        """Return the candidates above the threshold with their cosines, most similar first, on a tie the earlier."""
        if not len(candidates):
            return []
        vectors = np.asarray(self._unit[candidates], dtype=np.float64)
        # Rounded to float32, so that equal vectors tie whatever order their products were summed in.
        cosines = np.clip((vectors @ self._unit[index].astype(np.float64)).astype(np.float32), -1, 1)
        above = np.flatnonzero(cosines > self._threshold)
        order = above[np.lexsort((candidates[above], -cosines[above]))]
        return [(int(candidates[place]), float(cosines[place])) for place in order]


_NOTHING: Final = (np.empty(0, dtype=np.intp), np.empty(0, dtype=np.float32))


class _Candidates:
    """Pairs above the threshold between the rows of a block and earlier kept vectors; at most `most` a row."""

    def __init__(self, n_rows: int, threshold: float, most: int | None) -> None:
        self.n_above = np.zeros(n_rows, dtype=np.intp)
        self._threshold = threshold
        self._most = most
        self._rows = np.empty(0, dtype=np.intp)
        self._indices, self._similarities = _NOTHING

    def add(self, similarities: Floats, kept: Indices) -> None:
        """Take the pairs above the threshold from a product, whose columns are the `kept` vectors."""
        near = similarities > self._threshold - _SLACK
        if not near.any():
            return
        self.n_above += np.count_nonzero(similarities > self._threshold, axis=1)
        rows, columns = np.nonzero(near)
        self._rows = np.concatenate([self._rows, rows])
        self._indices = np.concatenate([self._indices, kept[columns]])
        self._similarities = np.concatenate([self._similarities, similarities[rows, columns]])
        if self._most is not None and len(self._rows) > _MOST_PAIRS:
            self._sort()

    def _sort(self) -> None:
        """Order the pairs by row, most similar first, and drop what is beyond the number allowed."""
        order = np.lexsort((self._indices, -self._similarities, self._rows))
        rows = self._rows[order]
        if self._most is not None:
            rank = np.arange(len(rows)) - np.searchsorted(rows, rows, side="left")
            order = order[rank < self._most]
        self._rows, self._indices = self._rows[order], self._indices[order]
        self._similarities = self._similarities[order]

    def by_row(self) -> dict[int, tuple[Indices, Floats]]:
        """Return, for each row that has any, the indices of its candidates and their approximate cosines."""
        self._sort()
        rows, starts = np.unique(self._rows, return_index=True)
        ends = np.append(starts, len(self._rows))[1:]
        return {
            int(row): (self._indices[start:end], self._similarities[start:end])
            for row, start, end in zip(rows, starts, ends, strict=True)
        }
