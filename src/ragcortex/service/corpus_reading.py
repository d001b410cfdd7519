"""What can be read of an open corpus: its documents, the chunks near a text, and its map."""

from dataclasses import dataclass

from ragcortex.errors import InputError
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.corpus_report import chunk_counts
from ragcortex.geometry.documents import Document


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document of a corpus: how long it is, how many chunks of it are searched, and how it was read."""

    id: str
    source: str | None
    n_characters: int
    n_chunks: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A chunk near a text: its cosine, its place in its document, and at how many other places the same is said."""

    similarity: float
    document: str
    source: str | None
    start: int
    end: int
    text: str
    n_twins: int


def stored_documents(corpus: Corpus) -> tuple[StoredDocument, ...]:
    """Return the documents of a corpus on disk, in the order they were added."""
    counts = chunk_counts(corpus.state, corpus.n_chunks)
    return tuple(
        StoredDocument(one.id, one.source, len(one.text), n_chunks, one.notes)
        for one, n_chunks in zip(corpus.documents, counts, strict=True)
        if isinstance(one, Document)
    )


def nearest(corpus: Corpus, text: str, k: int) -> tuple[Found, ...]:
    """Return the k chunks nearest to a text, the nearest first.

    Raises:
        InputError: the text is blank, or k is below 1.
        ModelError, ReadingError: from the embedding model.
    """
    if not text.strip():
        raise InputError("text", "must not be blank")
    found = corpus.search([text], k)
    return tuple(
        _found(corpus, number, similarity)
        for number, similarity in zip(found.indices[0].tolist(), found.similarities[0].tolist(), strict=True)
    )


def map_page(corpus: Corpus) -> str:
    """Return the map of a corpus as an HTML page; its policy is `map_html.content_policy`."""
    from ragcortex.geometry.map_build import map_of
    from ragcortex.rendering.corpus_page import corpus_page

    return corpus_page(map_of(corpus))


def _found(corpus: Corpus, number: int, similarity: float) -> Found:
    chunk = corpus.chunk(number)
    document = corpus.document_of(chunk)
    n_twins = len(corpus.twins(number))
    return Found(similarity, document.id or "", document.source, chunk.start, chunk.end, chunk.text, n_twins)
