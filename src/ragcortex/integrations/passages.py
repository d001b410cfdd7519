"""Which retrieved passages repeat others, and which contradict each other: both spoil an answer and its check."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ragcortex.checks import check_score
from ragcortex.example import Reference
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.corpus_duplicates import ChunkTexts
from ragcortex.geometry.corpus_report import chunk_counts
from ragcortex.geometry.corpus_state import CorpusState
from ragcortex.geometry.embedders.embedder import Embedder


@dataclass(frozen=True, slots=True)
class PassageConflict:
    """Two passages, by number, `first < second`, and the stretches of them that can hardly both be right."""

    first: int
    second: int
    first_text: str
    second_text: str


@dataclass(frozen=True, slots=True)
class PassageOverlap:
    """What passages have in common.

    Attributes:
        repeated: numbers of the passages that say nothing which an earlier one does not, facts included.
        conflicts: pairs that are alike and differ in a number, a date or a negation.
    """

    repeated: tuple[int, ...]
    conflicts: tuple[PassageConflict, ...]


def overlap_of(
    passages: Sequence[Reference], embedder: Embedder, *, merge_above: float = 0.9, conflict_above: float = 0.8
) -> PassageOverlap:
    """Return what passages, best first, have in common, as the geometric witness sees it: stretch by stretch.

    Args:
        passages: in the order in which they are preferred.
        embedder: says how near two stretches are.
        merge_above: the cosine above which one stretch repeats another, if their facts are the same.
        conflict_above: the cosine above which two stretches contradict each other, if they speak of the same names and
            each has an amount, a date or a time that the other lacks, or only one is negated.

    Raises:
        InputError: a threshold is not in [0, 1].
        ModelError, ReadingError: from the embedder.
    """
    check_score("conflict_above", conflict_above)
    state = Corpus.in_memory(passages, embedder, merge_above=merge_above).state
    counts = zip(*(chunk_counts(state, n_rows) for n_rows in (len(state.places), state.n_kept)), strict=True)
    repeated = tuple(number for number, (n_all, n_kept) in enumerate(counts) if n_all and not n_kept)
    return PassageOverlap(repeated, tuple(_conflicts(state, conflict_above)))


def _conflicts(state: CorpusState, above: float) -> Iterator[PassageConflict]:
    texts = ChunkTexts(state.documents, state.places)
    order = state.rows_in_document_order()
    unit = state.unit[order]
    for first, second in np.argwhere(np.triu(unit @ unit.T, k=1) > above).tolist():
        one, other = int(order[first]), int(order[second])
        if state.places[one, 0] != state.places[other, 0] and texts.disagree(one, other):
            here, there = state.chunk(one), state.chunk(other)
            yield PassageConflict(here.reference, there.reference, here.text, there.text)
