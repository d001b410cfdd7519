"""From documents to a corpus: chunk, embed what is new, merge near-duplicates. The same texts give the same corpus."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np

from ragcortex.errors import InputError, ReadingError
from ragcortex.geometry.chunk import Chunk
from ragcortex.geometry.chunking import Chunking, chunk_text
from ragcortex.geometry.corpus_duplicates import ChunkTexts, Duplicates, find_duplicates, find_more_duplicates
from ragcortex.geometry.corpus_partial import PartialVectors, text_key
from ragcortex.geometry.corpus_state import CorpusState, Places, RowPair, SourceText
from ragcortex.geometry.embedders.embedder import Embedder, EmbedderIdentity, Embeddings

# Texts embedded between two writes to the partial folder: a few seconds of work, which is what a kill can lose.
_GROUP: Final = 256


class Progress(Protocol):
    """Shows how many texts have been embedded; `ragcortex.rendering.progress.progress` is one."""

    def __call__(
        self, total: int | None, description: str, *, completed: int = 0
    ) -> AbstractContextManager[Callable[[int], None]]:
        """Return a block that is given a function which adds to the count."""


@dataclass(frozen=True, slots=True)
class _Made:
    """How a corpus is made, as in `CorpusState`."""

    chunking: Chunking
    identity: EmbedderIdentity
    merge_above: float

    @classmethod
    def of(cls, state: CorpusState) -> "_Made":
        return cls(state.chunking, state.identity, state.merge_above)


@dataclass(frozen=True, slots=True)
class Embedding:
    """How the vectors of a build were come by.

    Attributes:
        n_embedded: texts that were embedded now.
        n_resumed: texts whose vectors an interrupted build had left.
    """

    n_embedded: int
    n_resumed: int


def build(
    documents: Sequence[SourceText],
    embedder: Embedder,
    chunking: Chunking,
    *,
    merge_above: float = 0.9,
    partial: PartialVectors | None = None,
    progress: Progress | None = None,
) -> tuple[CorpusState, Embedding]:
    """Return the corpus of these documents; a document without text has no chunk.

    Args:
        documents: the texts.
        embedder: makes the vectors.
        chunking: how to divide the texts.
        merge_above: chunks whose cosine is above this are merged, unless a fact of one is missing in the other.
        partial: where finished vectors are kept until the corpus is written.
        progress: shows how far the embedding is.

    Raises:
        InputError: an argument is out of range.
        ReadingError, ModelError: from the embedder.
        StoreError: finished vectors cannot be kept.
    """
    chunks = _chunks(documents, chunking, 0)
    vectors, embedding = embed_texts([chunk.text for chunk in chunks], embedder, partial, progress)
    places = _places(chunks)
    duplicates = find_duplicates(vectors.unit, merge_above, ChunkTexts(documents, places))
    made = _Made(chunking, embedder.identity, merge_above)
    return _assembled(tuple(documents), places, vectors, duplicates, made), embedding


def extended(
    state: CorpusState,
    documents: Sequence[SourceText],
    embedder: Embedder,
    *,
    partial: PartialVectors | None = None,
    progress: Progress | None = None,
) -> tuple[CorpusState, Embedding]:
    """Return the corpus with documents added at its end; only their chunks are embedded. See `build`."""
    chunks = _chunks(documents, state.chunking, len(state.documents))
    new, embedding = embed_texts([chunk.text for chunk in chunks], embedder, partial, progress)
    order = state.rows_in_document_order()
    vectors = Embeddings(np.concatenate([state.unit[order], new.unit]), np.concatenate([state.norms[order], new.norms]))
    places = np.concatenate([state.places[order], _places(chunks)])
    everything = (*state.documents, *documents)
    texts = ChunkTexts(everything, places)
    duplicates = find_more_duplicates(Duplicates.of(state), vectors.unit, state.merge_above, texts)
    return _assembled(everything, places, vectors, duplicates, _Made.of(state)), embedding


def reduced(state: CorpusState, ids: Sequence[str]) -> CorpusState:
    """Return the corpus without some documents; a chunk merged into one of theirs is searched again.

    Raises:
        InputError: a document is not in the corpus, or none would be left.
    """
    numbers = {document.id: number for number, document in enumerate(state.documents)}
    unknown = [name for name in ids if name not in numbers]
    if unknown:
        raise InputError("ids", f"no document of the corpus is called {', '.join(map(repr, unknown))}")
    gone = {numbers[name] for name in ids}
    left = [number for number in range(len(state.documents)) if number not in gone]
    order = state.rows_in_document_order()
    order = order[np.isin(state.places[order, 0], left)]
    if not len(order):
        raise InputError("ids", "name all documents that have text; delete the corpus folder instead")
    places = state.places[order]
    places[:, 0] = np.searchsorted(left, places[:, 0])
    documents = tuple(state.documents[number] for number in left)
    vectors = Embeddings(state.unit[order], state.norms[order])
    duplicates = find_duplicates(vectors.unit, state.merge_above, ChunkTexts(documents, places))
    return _assembled(documents, places, vectors, duplicates, _Made.of(state))


def embed_texts(
    texts: Sequence[str], embedder: Embedder, partial: PartialVectors | None = None, progress: Progress | None = None
) -> tuple[Embeddings, Embedding]:
    """Return a vector for each text, each different text embedded once; see `build` for the other arguments."""
    keys = [text_key(text) for text in texts]
    text_of = dict(zip(keys, texts, strict=True))
    distinct = list(text_of.values())
    rows = {key: row for row, key in enumerate(text_of)}
    unit = np.zeros((len(distinct), embedder.identity.dimension), np.float32)
    norms = np.ones(len(distinct), np.float32)
    known = partial.load() if partial is not None else {}
    missing = []
    for key, row in rows.items():
        if key in known:
            unit[row], norms[row] = known[key]
        else:
            missing.append((key, row))
    n_resumed = len(distinct) - len(missing)
    shown = (
        nullcontext(lambda _: None) if progress is None else progress(len(distinct), "embedding", completed=n_resumed)
    )
    with shown as advance:
        for group in _groups(missing):
            vectors = _embedded([distinct[row] for _, row in group], embedder)
            if partial is not None:
                partial.add([key for key, _ in group], vectors)
            chosen = [row for _, row in group]
            unit[chosen], norms[chosen] = vectors.unit, vectors.norms
            advance(len(group))
    each = [rows[key] for key in keys]
    return Embeddings(unit[each], norms[each]), Embedding(len(missing), n_resumed)


def _groups(missing: Sequence[tuple[bytes, int]]) -> Iterator[Sequence[tuple[bytes, int]]]:
    for start in range(0, len(missing), _GROUP):
        yield missing[start : start + _GROUP]


def _embedded(texts: Sequence[str], embedder: Embedder) -> Embeddings:
    vectors = embedder.embed(texts)
    expected = (len(texts), embedder.identity.dimension)
    if vectors.unit.shape != expected:
        raise ReadingError(
            f"the embedding model {embedder.identity.id!r} gave vectors of shape {vectors.unit.shape} instead of "
            f"{expected}"
        )
    return vectors


def _chunks(documents: Sequence[SourceText], chunking: Chunking, first: int) -> list[Chunk]:
    return [
        chunk
        for number, document in enumerate(documents, first)
        for chunk in chunk_text(document.text, number, chunking)
    ]


def _places(chunks: Sequence[Chunk]) -> Places:
    return np.array([(chunk.reference, chunk.start, chunk.end) for chunk in chunks], np.int64).reshape(-1, 3)


def _assembled(
    documents: tuple[SourceText, ...],
    places: Places,
    vectors: Embeddings,
    duplicates: Duplicates,
    made: _Made,
) -> CorpusState:
    """Return the corpus of chunks in document order; those that were merged are moved behind those that are kept."""
    order = np.array([*duplicates.kept, *(pair.second for pair in duplicates.merges)], np.intp)
    row_of = np.empty(len(order), np.intp)
    row_of[order] = np.arange(len(order))

    def moved(pairs: Sequence[RowPair]) -> tuple[RowPair, ...]:
        return tuple(RowPair(int(row_of[pair.first]), int(row_of[pair.second]), pair.similarity) for pair in pairs)

    return CorpusState(
        documents=documents,
        chunking=made.chunking,
        identity=made.identity,
        merge_above=made.merge_above,
        places=places[order],
        unit=vectors.unit[order],
        norms=vectors.norms[order],
        merges=moved(duplicates.merges),
        conflicts=moved(duplicates.conflicts),
        n_unasked=duplicates.n_unasked,
    )
