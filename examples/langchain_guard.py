"""LangChain: a guard behind a retrieval chain. Unsupported answers are written anew, then marked."""

from typing import Any

from langchain_core.documents import Document
from langchain_core.language_models.chat_models import SimpleChatModel
from langchain_core.messages import BaseMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

from ragcortex import Detector
from ragcortex.integrations.langchain import GroundednessGuard
from ragcortex.integrations.policy import GuardPolicy

DOCUMENTS = [
    Document("Fresh basil keeps for 7 to 10 days in a glass of water.", metadata={"source": "herbs.pdf", "page": 4}),
    Document("Below 10 degrees basil leaves turn black within two days.", metadata={"source": "herbs.pdf", "page": 5}),
]


class Keywords(BaseRetriever):
    """Finds the documents that share most words with the question."""

    def _get_relevant_documents(self, query: str, **_: Any) -> list[Document]:
        words = set(query.lower().split())
        return sorted(DOCUMENTS, key=lambda one: -len(words & set(one.page_content.lower().split())))


class Boaster(SimpleChatModel):
    """Stands in for a language model: answers from the first source, and invents something unless told off."""

    @property
    def _llm_type(self) -> str:
        return "boaster"

    def _call(self, messages: list[BaseMessage], *_: Any, **__: Any) -> str:
        prompt = messages[-1].text
        answer = prompt.splitlines()[1]
        return answer if "do not support" in prompt else f"{answer} Many chefs store it for 30 days in vinegar."


prompt = ChatPromptTemplate.from_template("Sources:\n{sources}\nQuestion: {input}\n{hint}").partial(hint="")
sources = RunnableLambda(lambda values: "\n".join(one.page_content for one in values["context"]))
answer = RunnablePassthrough.assign(sources=sources) | prompt | Boaster() | StrOutputParser()
found = RunnableLambda(lambda values: values["input"]) | Keywords()
chain = RunnablePassthrough.assign(context=found) | RunnablePassthrough.assign(answer=answer)

detector = Detector.load(witness="geometry")  # milliseconds; Detector.load() reads with a language model as well
guard = GroundednessGuard(detector, policy=GuardPolicy(hallucinated="retry", after_retries="annotate"), retry=answer)
result = (chain | guard).invoke({"input": "How long does basil keep?"})
for report in result["groundedness"].attempts:
    print(report.verdict, "|", report.answer)
print("Shown:", result["answer"])
print("Source:", result["groundedness"].report.sentences[0].evidence[0].source)
