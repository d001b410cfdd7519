"""LlamaIndex: nodes that repeat or contradict each other are seen to, and each response is judged."""

from typing import Any

from llama_index.core import Document, VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.llms import CompletionResponse, CompletionResponseGen, CustomLLM, LLMMetadata

from ragcortex import Detector
from ragcortex.geometry.embedders.load import load_embedder
from ragcortex.integrations.llama_index import CONFLICTS, ConsistencyPostprocessor, GroundednessEvaluator

TEXTS = {
    "shop.md": "Unopened items can be returned within 30 days of delivery.",
    "copy.md": "Unopened items can be returned within 30 days of delivery.",
    "old.md": "Unopened items can be returned within 14 days of delivery.",
}
QUESTION = "How long can unopened items be returned?"
EMBEDDER = load_embedder("embedded")


class Embedding(BaseEmbedding):
    """The embedded encoder, as LlamaIndex wants it."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return EMBEDDER.embed([text]).unit[0].tolist()

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_text_embedding(query)


class Boaster(CustomLLM):
    """Stands in for a language model: answers whatever it is asked from memory."""

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata()

    def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:  # noqa: ARG002
        return CompletionResponse(text="They can be returned within 30 days. The postage is refunded twice.")

    def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponseGen:
        yield self.complete(prompt, formatted)


documents = [Document(text=text, metadata={"source": name}, id_=name) for name, text in TEXTS.items()]
index = VectorStoreIndex.from_documents(documents, embed_model=Embedding())
engine = index.as_query_engine(
    llm=Boaster(), similarity_top_k=3, node_postprocessors=[ConsistencyPostprocessor(embedder=EMBEDDER)]
)
response = engine.query(QUESTION)
for node in response.source_nodes:
    print(node.metadata["source"], [one["other_text"] for one in node.metadata.get(CONFLICTS, [])])
result = GroundednessEvaluator(Detector.load(witness="geometry")).evaluate_response(QUESTION, response)
print(result.passing, round(result.score or 0, 2), result.feedback)
