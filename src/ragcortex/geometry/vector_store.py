"""References from a vector database that is running already, through LangChain's VectorStore interface."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragcortex.align import sentences
from ragcortex.checks import check_text
from ragcortex.errors import InputError, StoreError
from ragcortex.example import Reference

if TYPE_CHECKING:
    from langchain_core.documents import Document
    from langchain_core.vectorstores import VectorStore


@dataclass(frozen=True, slots=True, eq=False)
class VectorStoreSource:
    """What a vector store holds about a question and an answer, as the references of a check.

    Attributes:
        store: any LangChain `VectorStore`; it embeds the queries with its own model and decides what is near.
        k: how many passages are asked for with each query.
        search_options: passed on with each query, for instance `{"filter": …}` in the store's own form.

    Raises:
        InputError: langchain-core is not installed, or an argument is not of its kind.
    """

    store: "VectorStore"
    k: int = 4
    search_options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kind = _vector_store_class()
        if not isinstance(self.store, kind):
            raise InputError("store", f"must be a LangChain VectorStore, got {type(self.store).__name__}")
        if not isinstance(self.k, int) or isinstance(self.k, bool) or self.k < 1:
            raise InputError("k", f"must be a whole number from 1 on, got {self.k!r}")

    def references(self, question: str | None, answer: str) -> tuple[Reference, ...]:
        """Return the passages nearest to the question and to each sentence of the answer, each once.

        The answer's sentences are asked for as well because a false claim is best contradicted by the passage that it
        resembles, which the question alone need not find. A passage keeps the `id` and `source` of its metadata, and
        the store's own id where the metadata has none. Order: by the first query that found it, then by nearness.

        Raises:
            InputError: the question or the answer is no text.
            StoreError: the store fails, or what it returns is no text.
        """
        check_text("question", question, optional=True)
        check_text("answer", answer)
        found: dict[tuple[str | None, str], Reference] = {}
        for query in _queries(question, answer):
            for document in self._search(query):
                reference = _reference(document)
                found.setdefault((reference.id, reference.text), reference)
        return tuple(found.values())

    def _search(self, query: str) -> "list[Document]":
        # A store raises whatever its database's driver raises, so no narrower type would catch a lost connection.
        try:
            return self.store.similarity_search(query, k=self.k, **self.search_options)
        except Exception as error:
            detail = " ".join(str(error).split())[:300]
            raise StoreError(
                f"the vector store {type(self.store).__name__} could not be searched: {type(error).__name__}: {detail}"
            ) from error


def _queries(question: str | None, answer: str) -> Iterator[str]:
    if question is not None and question.strip():
        yield question
    for start, end in sentences(answer):
        yield answer[start:end]


def _reference(document: "Document") -> Reference:
    metadata = document.metadata
    identifier = metadata.get("id", document.id)
    source = metadata.get("source")
    try:
        return Reference(
            document.page_content,
            None if identifier is None else str(identifier),
            None if source is None else str(source),
        )
    except InputError as error:
        raise StoreError(f"the vector store returned a passage whose {error}") from error


def _vector_store_class() -> type:
    try:
        from langchain_core.vectorstores import VectorStore
    except ImportError:
        raise InputError(
            "store", "needs langchain-core, which is not installed; run `pip install 'ragcortex[langchain]'`"
        ) from None
    return VectorStore
