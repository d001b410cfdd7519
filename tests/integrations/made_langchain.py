"""A LangChain retrieval chain: a vector store in memory, and a chat model that reads its prompt."""
# ruff: noqa: ARG002  # LangChain decides what a model's methods are given

from collections.abc import Iterator
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from made_chain import PASSAGES, embedded, generated, prompt_of


class WordCounts(Embeddings):
    def embed_query(self, text: str) -> list[float]:
        return embedded(text)

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [embedded(text) for text in texts]


class CarelessModel(BaseChatModel):
    """Answers from the sources in its prompt, and adds an invention unless told off."""

    @property
    def _llm_type(self) -> str:
        return "careless"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(generated(messages[-1].text)))])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for word in generated(messages[-1].text).split(" "):
            yield ChatGenerationChunk(message=AIMessageChunk(f"{word} "))


def retriever() -> Any:
    store = InMemoryVectorStore(WordCounts())
    found = enumerate(PASSAGES, start=1)
    store.add_documents([Document(text, id=f"p{n}", metadata=dict(metadata)) for n, (text, metadata) in found])
    return store.as_retriever(search_kwargs={"k": 2})


def answerer() -> Any:
    """Return what generates an answer from a question, documents, and a hint where there is one."""
    prompt = RunnableLambda(
        lambda values: prompt_of(
            [document.page_content for document in values["context"]], values["input"], values.get("hint", "")
        )
    )
    return prompt | CarelessModel() | StrOutputParser()


def chain() -> Any:
    found = RunnableLambda(lambda values: values["input"]) | retriever()
    return RunnablePassthrough.assign(context=found) | RunnablePassthrough.assign(answer=answerer())
