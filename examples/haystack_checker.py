"""Haystack: a checker behind the generator of a pipeline. Unsupported replies are written anew or withheld."""

from typing import Any

from haystack import Document, Pipeline, component
from haystack.components.builders import AnswerBuilder, ChatPromptBuilder
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.dataclasses import ChatMessage
from haystack.document_stores.in_memory import InMemoryDocumentStore

from ragcortex.integrations.haystack import GroundednessChecker

QUESTION = "How tall is the lighthouse?"
TEMPLATE = "Sources:\n{% for one in documents %}{{ one.content }}\n{% endfor %}Question: {{ query }}"


@component
class Boaster:
    """Stands in for a chat generator: answers from the first source, and invents something unless told off."""

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]) -> dict[str, Any]:
        answer = (messages[0].text or "").splitlines()[1]
        if not any("do not support" in (message.text or "") for message in messages):
            answer = f"{answer} It was painted blue by a famous artist."
        return {"replies": [ChatMessage.from_assistant(answer)]}


store = InMemoryDocumentStore()
store.write_documents(
    [
        Document(
            content="The lighthouse stands 41 metres tall above the sea.", meta={"source": "capes.pdf", "page": 7}
        ),
        Document(content="The museum opens at nine.", meta={"source": "museum.md"}),
    ]
)
pipeline = Pipeline()
pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=1))
pipeline.add_component("prompt", ChatPromptBuilder([ChatMessage.from_user(TEMPLATE)], required_variables="*"))
pipeline.add_component("generator", Boaster())
pipeline.add_component("checker", GroundednessChecker(witness="geometry", chat_generator=Boaster()))
pipeline.add_component("answers", AnswerBuilder())
pipeline.connect("retriever.documents", "prompt.documents")
pipeline.connect("prompt.prompt", "generator.messages")
pipeline.connect("generator.replies", "checker.replies")
pipeline.connect("retriever.documents", "checker.documents")
pipeline.connect("prompt.prompt", "checker.messages")
pipeline.connect("checker.replies", "answers.replies")

names = ("retriever", "prompt", "checker", "answers")
output = pipeline.run({name: {"query": QUESTION} for name in names}, include_outputs_from={"generator", "checker"})
print("Generated:", output["generator"]["replies"][0].text)
print("Shown:    ", output["answers"]["answers"][0].data)
print(output["checker"]["verdicts"], output["checker"]["actions"])
