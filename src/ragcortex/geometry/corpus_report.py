"""What a build found: how much, what could not be read, what was merged, and where sources contradict or repeat."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragcortex.geometry.chunk_diagnostics import Coarseness, coarseness
from ragcortex.geometry.corpus_build import Embedding
from ragcortex.geometry.corpus_state import CorpusState, RowPair
from ragcortex.geometry.documents import Document, Unreadable


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk and where it comes from: characters start to end of a document, or of a reference, maybe without id."""

    document: str | None
    source: str | None
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class PassagePair:
    """Two passages that are alike, with their cosine; of a merge, `first` is the one that is kept and searched."""

    first: Passage
    second: Passage
    similarity: float


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What building a corpus, or adding to it, found.

    Attributes:
        n_documents: how many documents the corpus has now.
        unreadable: the files that gave no document, with the reasons.
        notes: what reading the documents of this run left open, by document id.
        repeated: ids of documents that say nothing that an earlier one does not: all their chunks were merged into its.
        n_chunks: chunks that are searched.
        n_merged: chunks merged into another one.
        conflicts: passages that are alike and can hardly both be right; a check can only be as true as its references.
        n_unasked: pairs of chunks that are alike but were not compared, because too many are; all were kept.
        coarseness: whether the chunks are too coarse to tell apart.
        n_embedded: texts that were embedded in this run.
        n_resumed: texts whose vectors came from an interrupted run.
        n_bytes: size on disk; 0 for a corpus in memory.
        seconds: how long this run took.
    """

    n_documents: int
    unreadable: tuple[Unreadable, ...]
    notes: Mapping[str, tuple[str, ...]]
    repeated: tuple[str, ...]
    n_chunks: int
    n_merged: int
    conflicts: tuple[PassagePair, ...]
    n_unasked: int
    coarseness: Coarseness
    n_embedded: int
    n_resumed: int
    n_bytes: int
    seconds: float


def report_of(
    state: CorpusState,
    documents: Sequence[Document],
    unreadable: Sequence[Unreadable],
    embedding: Embedding,
    *,
    n_bytes: int,
    seconds: float,
) -> BuildReport:
    """Return the report of a corpus after documents were read; see `BuildReport`."""
    counts = zip(state.documents, *(chunk_counts(state, n) for n in (len(state.places), state.n_kept)), strict=True)
    repeated = (document.id for document, n_all, n_kept in counts if n_all and not n_kept)
    return BuildReport(
        n_documents=len(state.documents),
        unreadable=tuple(unreadable),
        notes={document.id: document.notes for document in documents if document.notes},
        repeated=tuple(name for name in repeated if name is not None),
        n_chunks=state.n_kept,
        n_merged=len(state.merges),
        conflicts=passage_pairs(state, state.conflicts),
        n_unasked=state.n_unasked,
        coarseness=coarseness(state.unit[: state.n_kept]),
        n_embedded=embedding.n_embedded,
        n_resumed=embedding.n_resumed,
        n_bytes=n_bytes,
        seconds=seconds,
    )


def chunk_counts(state: CorpusState, n_rows: int) -> list[int]:
    """Return how many of the first n_rows chunks each document has."""
    counts: list[int] = np.bincount(state.places[:n_rows, 0], minlength=len(state.documents)).tolist()
    return counts


def passage_pairs(state: CorpusState, pairs: Sequence[RowPair]) -> tuple[PassagePair, ...]:
    """Return pairs of rows as passages with their sources."""
    return tuple(
        PassagePair(_passage(state, pair.first), _passage(state, pair.second), pair.similarity) for pair in pairs
    )


def _passage(state: CorpusState, row: int) -> Passage:
    chunk = state.chunk(row)
    document = state.documents[chunk.reference]
    return Passage(document.id, document.source, chunk.start, chunk.end, chunk.text)
