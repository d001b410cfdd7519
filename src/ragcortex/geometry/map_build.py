"""From a corpus and judged answers to a map of both."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from ragcortex.errors import InputError
from ragcortex.geometry.map_data import CorpusMap, MapPoint
from ragcortex.geometry.projection import Method, Projection, project

if TYPE_CHECKING:
    from ragcortex.geometry.corpus import Corpus
    from ragcortex.geometry.corpus_build import Progress

MAX_CHUNKS: Final = 5000


def map_of(
    corpus: "Corpus",
    answers: Sequence[MapPoint] = (),
    *,
    method: Method = "pca",
    max_chunks: int = MAX_CHUNKS,
    progress: "Progress | None" = None,
) -> CorpusMap:
    """Return the map of a corpus's chunks and of answers, each answer placed by the vector of its whole text.

    The plane is laid through all chunks and answers together. Of more than `max_chunks` chunks as many are shown,
    evenly taken in the order of the documents; the map says so.

    Args:
        corpus: the references.
        answers: the answers with their verdicts, none of them blank. Without answers no embedding model is loaded.
        method: see `project`.
        max_chunks: how many chunks to show at most, at least 1.
        progress: shows how far the embedding of the answers is.

    Raises:
        InputError: an answer is blank or a point is no answer, max_chunks is below 1, or the method cannot be used.
        ModelError, ReadingError: from the embedder.
    """
    if max_chunks < 1:
        raise InputError("max_chunks", f"must be at least 1, got {max_chunks}")
    for index, answer in enumerate(answers):
        if answer.kind == "reference":
            raise InputError(f"answers[{index}]", "must be an answer with its verdict, got a reference")
        if not answer.text.strip():
            raise InputError(f"answers[{index}].text", "must not be blank")
    n_chunks = corpus.n_chunks
    vectors = np.asarray(corpus.matrix)
    if answers:
        from ragcortex.geometry.corpus_build import embed_texts

        embedded, _ = embed_texts([answer.text for answer in answers], corpus.embedder, progress=progress)
        vectors = np.concatenate([vectors, embedded.unit])
    shown = np.unique(np.linspace(0, n_chunks - 1, min(n_chunks, max_chunks)).round().astype(int))
    chunks = [corpus.chunk(int(number)) for number in shown]
    references = [MapPoint("reference", chunk.text, corpus.document_of(chunk).id) for chunk in chunks]
    plane = project(vectors, method=method)
    rows = np.concatenate([shown, np.arange(n_chunks, n_chunks + len(answers))])
    projection = Projection(plane.points[rows], plane.method, plane.explained)
    return CorpusMap((*references, *answers), projection, n_chunks)
