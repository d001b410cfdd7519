"""Near-duplicates among the chunks of a corpus, found all at once or for the chunks that are added to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.geometry.corpus_facts import facts_differ, facts_disagree
from ragcortex.geometry.corpus_state import CorpusState, Places, RowPair, SourceText
from ragcortex.geometry.deduplication import Conflict, near_duplicates
from ragcortex.geometry.search import Floats

Indices = npt.NDArray[np.intp]

# Cosines held at once when added chunks are compared with those that are there.
_BLOCK_CELLS: Final = 4_000_000
# Block products differ in their last bits; `near_duplicates` decides, so a few candidates too many do no harm.
_SLACK: Final = 1e-4


@dataclass(frozen=True, slots=True)
class Duplicates:
    """What became of chunks in document order.

    Attributes:
        kept: the chunks that are searched, ascending.
        merges: of each other chunk (`second`, ascending) the kept one that stands for it (`first`).
        conflicts: chunks alike enough to be merged that can hardly both be right.
        n_unasked: pairs alike enough whose facts were not compared, because too many chunks are alike.
    """

    kept: tuple[int, ...]
    merges: tuple[RowPair, ...]
    conflicts: tuple[RowPair, ...]
    n_unasked: int

    @classmethod
    def of(cls, state: CorpusState) -> "Duplicates":
        """Return those of a corpus, by the positions of its chunks in document order."""
        position = np.empty(len(state.places), np.intp)
        position[state.rows_in_document_order()] = np.arange(len(position))

        def moved(pairs: Sequence[RowPair]) -> tuple[RowPair, ...]:
            return tuple(
                RowPair(int(position[pair.first]), int(position[pair.second]), pair.similarity) for pair in pairs
            )

        kept = tuple(sorted(position[: state.n_kept].tolist()))
        return cls(kept, moved(state.merges), moved(state.conflicts), state.n_unasked)


@dataclass(frozen=True, slots=True, eq=False)
class ChunkTexts:
    """The texts of chunks in document order, by their places."""

    documents: Sequence[SourceText]
    places: Places

    def differ(self, first: int, second: int) -> bool:
        """Return whether merging two chunks would lose a fact."""
        return facts_differ(self._text(first), self._text(second))

    def disagree(self, first: int, second: int) -> bool:
        """Return whether two chunks can hardly both be right; parts of one passage never disagree."""
        one, other = self.places[first], self.places[second]
        if one[0] == other[0] and one[1] < other[2] and other[1] < one[2]:
            return False
        return facts_disagree(self._text(first), self._text(second))

    def _text(self, chunk: int) -> str:
        document, start, end = map(int, self.places[chunk])
        return self.documents[document].text[start:end]


def find_duplicates(unit: Floats, merge_above: float, texts: ChunkTexts) -> Duplicates:
    """Return the duplicates among chunks in document order; `unit` has one vector a chunk."""
    found = near_duplicates(unit, merge_above, differs=texts.differ)
    return Duplicates(
        kept=found.kept,
        merges=tuple(RowPair(pair.kept, pair.merged, pair.similarity) for pair in found.merges),
        conflicts=_in_conflict(found.conflicts, texts, np.arange(len(unit))),
        n_unasked=found.n_unasked,
    )


def find_more_duplicates(before: Duplicates, unit: Floats, merge_above: float, texts: ChunkTexts) -> Duplicates:
    """Return what `find_duplicates` would for chunks of which the first ones have been decided `before`.

    Decisions depend on earlier chunks only, so the new chunks are compared with those kept before and with each other.
    """
    n_before = len(before.kept) + len(before.merges)
    near = _near(unit, np.array(before.kept, np.intp), n_before, merge_above - _SLACK)
    rows = np.concatenate([near, np.arange(n_before, len(unit))])
    # Chunks kept before were found to differ, or not asked about; either way they stay apart.
    found = near_duplicates(
        unit[rows],
        merge_above,
        differs=lambda first, second: second < len(near) or texts.differ(int(rows[first]), int(rows[second])),
    )
    counted_before = near_duplicates(unit[near], merge_above, differs=lambda _first, _second: True).n_unasked
    new_conflicts = [pair for pair in found.conflicts if pair.second >= len(near)]
    return Duplicates(
        kept=(*before.kept, *(int(rows[row]) for row in found.kept if row >= len(near))),
        merges=(
            *before.merges,
            *(RowPair(int(rows[pair.kept]), int(rows[pair.merged]), pair.similarity) for pair in found.merges),
        ),
        conflicts=(*before.conflicts, *_in_conflict(new_conflicts, texts, rows)),
        n_unasked=before.n_unasked + found.n_unasked - counted_before,
    )


def _in_conflict(pairs: Sequence[Conflict], texts: ChunkTexts, rows: Indices) -> tuple[RowPair, ...]:
    """Return the pairs that can hardly both be right; others whose facts differ merely stay apart."""
    moved = (RowPair(int(rows[pair.first]), int(rows[pair.second]), pair.similarity) for pair in pairs)
    return tuple(pair for pair in moved if texts.disagree(pair.first, pair.second))


def _near(unit: Floats, kept: Indices, n_before: int, above: float) -> Indices:
    """Return which of the kept chunks are alike to one of those from n_before on."""
    new = np.asarray(unit[n_before:])
    step = max(1, _BLOCK_CELLS // max(1, len(new)))
    blocks = [kept[start : start + step] for start in range(0, len(kept), step)]
    return np.concatenate(
        [block[np.any(np.asarray(unit[block]) @ new.T > above, axis=1)] for block in blocks] or [kept[:0]]
    )
