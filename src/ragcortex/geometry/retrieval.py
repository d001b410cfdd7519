"""The passages of a corpus that a reader should have beside an answer, where none were given with it."""

from typing import Final

from ragcortex.errors import InputError
from ragcortex.example import Reference
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.statements import statements

K: Final = 3


def references_for(corpus: Corpus, question: str | None, answer: str, *, k: int = K) -> tuple[Reference, ...]:
    """Return the chunks nearest to the question and to each statement of the answer, each once, in document order.

    Statements are asked for as well as the question, since a false claim is best contradicted by the passage that it
    resembles.

    Args:
        corpus: what to search.
        question: the user's question, None if there is none.
        answer: the answer to be judged.
        k: how many chunks a query gives, from 1 on.

    Raises:
        InputError: question and answer are blank.
        ModelError, ReadingError: from the embedder.
    """
    queries = [question] if question and question.strip() else []
    queries += [answer[start:end] for start, end in statements(answer)]
    if not queries:
        raise InputError("answer", "is blank, and so is the question: there is nothing to search the corpus for")
    rows = sorted({int(row) for found in corpus.search(queries, k).indices for row in found})
    chunks = sorted((corpus.chunk(row) for row in rows), key=lambda chunk: (chunk.reference, chunk.start))
    documents = [corpus.document_of(chunk) for chunk in chunks]
    return tuple(
        Reference(chunk.text, document.id, document.source) for chunk, document in zip(chunks, documents, strict=True)
    )
