"""References from real vector stores: LangChain's own in memory, and a Qdrant database embedded in the process."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding, Embeddings
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from ragcortex.errors import InputError, StoreError
from ragcortex.geometry.vector_store import VectorStoreSource

DIMENSION = 64
LIGHTHOUSE = "The lighthouse at Cape Arden was built in 1874."
HARBOUR = "The harbour of Port Lyle freezes in January."
MUSEUM = "The museum opens at nine and closes at five."
TICKETS = "Tickets cost twelve euros for adults."


class WordEmbeddings(Embeddings):
    """Counts of words in hashed places: texts that share words are near each other."""

    def embed_query(self, text: str) -> list[float]:
        counts = [0.0] * DIMENSION
        for word in text.lower().replace(".", "").replace("?", "").split():
            counts[sum(word.encode()) * 7 % DIMENSION] += 1.0
        return counts

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]


def documents() -> list[Document]:
    texts = {"lighthouse": LIGHTHOUSE, "harbour": HARBOUR, "museum": MUSEUM, "tickets": TICKETS}
    return [
        Document(text, metadata={"source": f"{name}.md", "id": name, "open": name != "museum"})
        for name, text in texts.items()
    ]


def in_memory() -> VectorStore:
    store = InMemoryVectorStore(WordEmbeddings())
    store.add_documents(documents(), ids=["lighthouse", "harbour", "museum", "tickets"])
    return store


def qdrant() -> Any:
    from langchain_qdrant import QdrantVectorStore
    from qdrant_client import QdrantClient
    from qdrant_client.models import Distance, VectorParams

    client = QdrantClient(":memory:")
    client.create_collection("passages", VectorParams(size=DIMENSION, distance=Distance.COSINE))
    store = QdrantVectorStore(client, "passages", WordEmbeddings())
    store.add_documents(documents())
    return store


@pytest.fixture(params=["in_memory", "qdrant"])
def store(request: pytest.FixtureRequest) -> Iterator[VectorStore]:
    if request.param == "in_memory":
        yield in_memory()
        return
    database = qdrant()
    yield database
    database.client.close()


def test_question_and_each_sentence_find_their_passages(store: VectorStore) -> None:
    source = VectorStoreSource(store, k=1)
    found = source.references(
        "When was the lighthouse at Cape Arden built?", "It was built in 1874. Tickets cost two euros for adults."
    )

    assert [reference.text for reference in found] == [LIGHTHOUSE, TICKETS]
    assert [reference.source for reference in found] == ["lighthouse.md", "tickets.md"]
    assert [reference.id for reference in found] == ["lighthouse", "tickets"]


def test_a_passage_found_twice_comes_once(store: VectorStore) -> None:
    found = VectorStoreSource(store, k=4).references("The harbour?", "The harbour freezes. The museum opens. The end.")

    assert sorted(reference.text for reference in found) == sorted([LIGHTHOUSE, HARBOUR, MUSEUM, TICKETS])
    assert found[0].text == HARBOUR
    assert found == VectorStoreSource(store, k=4).references(
        "The harbour?", "The harbour freezes. The museum opens. The end."
    )


def test_passages_of_one_text_and_two_ids_are_both_kept() -> None:
    store = InMemoryVectorStore(WordEmbeddings())
    store.add_documents([Document(MUSEUM, metadata={"source": name}) for name in ("a.md", "b.md")], ids=["a", "b"])
    found = VectorStoreSource(store).references(None, MUSEUM)

    assert {(reference.id, reference.source) for reference in found} == {("a", "a.md"), ("b", "b.md")}


def test_search_options_reach_the_store() -> None:
    options = {"filter": lambda document: document.metadata["open"]}
    found = VectorStoreSource(in_memory(), k=4, search_options=options).references(None, MUSEUM)

    assert {reference.text for reference in found} == {LIGHTHOUSE, HARBOUR, TICKETS}


def test_qdrant_filters_too() -> None:
    from qdrant_client.models import FieldCondition, Filter, MatchValue

    store = qdrant()
    condition = FieldCondition(key="metadata.id", match=MatchValue(value="tickets"))
    found = VectorStoreSource(store, search_options={"filter": Filter(must=[condition])}).references(None, MUSEUM)
    store.client.close()

    assert [reference.text for reference in found] == [TICKETS]


@pytest.mark.parametrize(("question", "answer"), [(None, ""), ("  ", " \n ")])
def test_without_any_text_nothing_is_asked(question: str | None, answer: str) -> None:
    assert VectorStoreSource(in_memory()).references(question, answer) == ()


def test_numbers_as_metadata_become_text() -> None:
    store = InMemoryVectorStore(DeterministicFakeEmbedding(size=8))
    store.add_documents([Document(MUSEUM, metadata={"source": 7})], ids=["1"])

    assert VectorStoreSource(store).references("museum", "")[0].source == "7"


def test_a_store_that_fails_is_an_error_with_its_reason() -> None:
    store = qdrant()
    store.client.delete_collection("passages")
    with pytest.raises(StoreError) as error:
        VectorStoreSource(store).references(None, MUSEUM)
    store.client.close()
    assert str(error.value) == (
        "the vector store QdrantVectorStore could not be searched: ValueError: Collection passages not found"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a list", 4), "store: must be a LangChain VectorStore, got str"),
        ((InMemoryVectorStore(WordEmbeddings()), 0), "k: must be a whole number from 1 on, got 0"),
    ],
)
def test_wrong_arguments_are_named(arguments: tuple[Any, int], message: str) -> None:
    with pytest.raises(InputError) as error:
        VectorStoreSource(*arguments)
    assert str(error.value) == message


def test_without_langchain_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    store = in_memory()
    monkeypatch.setitem(sys.modules, "langchain_core.vectorstores", None)
    with pytest.raises(InputError) as error:
        VectorStoreSource(store)
    assert str(error.value) == (
        "store: needs langchain-core, which is not installed; run `pip install 'ragcortex[langchain]'`"
    )
