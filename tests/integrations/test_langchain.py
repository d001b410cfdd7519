"""The guard behind a real LangChain retrieval chain: alone, in batches, and in streams."""

import asyncio
import subprocess
import sys
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableLambda
from made_chain import GROUNDED, INVENTED, QUESTION
from made_langchain import answerer, chain

import made_detectors as made
from made_embedder import WordEmbedder
from made_geometry import made_model
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.errors import InputError
from ragcortex.example import Reference
from ragcortex.geometry.corpus import Corpus
from ragcortex.integrations.langchain import GroundednessGuard
from ragcortex.integrations.policy import BLOCKED_TEXT, GuardedAnswer, GuardPolicy

DETECTOR = made.geometric()
WRONG = f"{GROUNDED} {INVENTED}"


def guarded(**options: Any) -> Any:
    return chain() | GroundednessGuard(DETECTOR, **options)


ASKED = {"input": QUESTION}


def test_the_chain_alone_invents() -> None:
    assert chain().invoke(ASKED)["answer"] == WRONG


def test_the_answer_is_generated_anew_and_the_rest_passes_through() -> None:
    output = guarded(retry=answerer()).invoke(ASKED)
    assert (output["answer"], output["input"]) == (GROUNDED, QUESTION)
    assert [document.metadata["source"] for document in output["context"]] == ["capes.pdf", "capes.pdf"]
    found = output["groundedness"]
    assert isinstance(found, GuardedAnswer)
    assert ([report.answer for report in found.attempts], found.action) == ([WRONG, GROUNDED], "pass")


def test_evidence_counts_the_documents_and_names_their_source_and_page() -> None:
    output = guarded().invoke({"input": "How many metres above the sea does the lighthouse stand?"})
    evidence = output["groundedness"].report.sentences[0].evidence[0]
    document = output["context"][evidence.reference]
    assert document.page_content == evidence.text == "It stands 41 metres above the sea."
    assert document.metadata["page"] == 4
    assert evidence.source == "capes.pdf, page 4"
    evidence = guarded().invoke(ASKED)["groundedness"].report.sentences[0].evidence[0]
    assert evidence.source == "capes.pdf, page iv"


def test_without_a_retry_chain_the_answer_is_withheld_or_marked() -> None:
    assert guarded().invoke(ASKED)["answer"] == BLOCKED_TEXT
    marking = guarded(policy=GuardPolicy(hallucinated="annotate"))
    assert f"⟦{INVENTED[:-1]}⟧" in marking.invoke(ASKED)["answer"]


def test_asynchronously_it_does_the_same() -> None:
    output = asyncio.run(guarded(retry=answerer()).ainvoke(ASKED))
    assert output == guarded(retry=answerer()).invoke(ASKED)


def test_a_batch_keeps_its_order_and_one_bad_input_stands_alone() -> None:
    asked = [ASKED, {"input": "May books be kept for three weeks?"}]
    runnable = guarded(retry=answerer())
    one_by_one = [runnable.invoke(one) for one in asked]
    assert runnable.batch(asked) == one_by_one
    assert asyncio.run(runnable.abatch(asked)) == one_by_one

    guard = GroundednessGuard(DETECTOR)
    values = [{"question": QUESTION, "documents": [GROUNDED], "answer": answer} for answer in (GROUNDED, 3, WRONG)]
    for results in (
        guard.batch(values, return_exceptions=True),
        asyncio.run(guard.abatch(values, return_exceptions=True)),
    ):
        assert [type(one) for one in results] == [dict, InputError, dict]
        assert str(results[1]) == "answer: must be text or a message with text, got int"
        assert results[2]["answer"] == BLOCKED_TEXT
    with pytest.raises(InputError):
        guard.batch(values)
    assert guard.batch([]) == []


def test_a_retry_that_fails_fails_its_own_input() -> None:
    def broken(values: dict[str, Any]) -> str:
        raise RuntimeError(values["hint"][:11])

    guard = GroundednessGuard(DETECTOR, retry=RunnableLambda(broken))
    values = [{"question": QUESTION, "documents": [GROUNDED], "answer": answer} for answer in (GROUNDED, WRONG)]
    results = guard.batch(values, return_exceptions=True)
    assert results[0]["answer"] == GROUNDED
    assert repr(results[1]) == "RuntimeError('The sources')"
    with pytest.raises(RuntimeError):
        guard.invoke(values[1])


def test_a_stream_holds_the_answer_back_until_it_is_judged() -> None:
    chunks = list(guarded(retry=answerer()).stream(ASKED))
    assert [sorted(chunk) for chunk in chunks] == [["input"], ["context"], ["answer", "groundedness"]]
    assert chunks[-1]["answer"] == GROUNDED

    async def gathered() -> list[dict[str, Any]]:
        return [chunk async for chunk in guarded(retry=answerer()).astream(ASKED)]

    assert asyncio.run(gathered()) == chunks


def test_a_stream_that_is_only_observed_passes_as_it_comes() -> None:
    chunks = list(guarded(policy=GuardPolicy.observe()).stream(ASKED))
    assert "".join(chunk.get("answer", "") for chunk in chunks) == f"{WRONG} "
    assert sum("answer" in chunk for chunk in chunks) > 10
    assert sorted(chunks[-1]) == ["groundedness"]
    assert chunks[-1]["groundedness"].report.verdict == "hallucinated"


def test_a_message_stays_a_message() -> None:
    message = AIMessage(WRONG, id="m1", response_metadata={"model": "careless"})
    output = GroundednessGuard(DETECTOR).invoke({"query": QUESTION, "source_documents": [GROUNDED], "result": message})
    assert output["result"] == message.model_copy(update={"content": BLOCKED_TEXT})
    assert message.content == WRONG
    messages = [HumanMessage(QUESTION), AIMessage("I look it up."), AIMessage(WRONG)]
    retry = RunnableLambda(lambda _: AIMessage(GROUNDED))
    output = GroundednessGuard(DETECTOR, retry=retry).invoke({"messages": messages, "documents": [GROUNDED]})
    assert [one.content for one in output["messages"]] == [QUESTION, "I look it up.", GROUNDED]
    assert output["groundedness"].report.question == QUESTION
    kept = GroundednessGuard(DETECTOR, policy=GuardPolicy.observe())
    assert kept.invoke({"messages": messages, "documents": [GROUNDED]})["messages"] == messages


def test_a_retry_that_retrieves_is_judged_against_what_it_found() -> None:
    again = RunnableLambda(lambda _: {"context": [Document(INVENTED)], "answer": INVENTED})
    output = guarded(retry=again).invoke(ASKED)
    assert (output["answer"], [document.page_content for document in output["context"]]) == (INVENTED, [INVENTED])
    assert output["groundedness"].chosen == 1
    worse = RunnableLambda(lambda _: {"context": [Document("It rains.")], "answer": f"{INVENTED} {WRONG}"})
    output = guarded(retry=worse, policy=GuardPolicy(after_retries="pass")).invoke(ASKED)
    assert (output["answer"], len(output["context"])) == (WRONG, 2)


def test_keys_can_be_chosen() -> None:
    guard = GroundednessGuard(
        DETECTOR, question_key="ask", documents_key="found", answer_key="say", report_key="judged", hint_key="told",
        retry=RunnableLambda(lambda values: {"say": GROUNDED, "told": values["told"]}),
    )  # fmt: skip
    output = guard.invoke({"ask": QUESTION, "found": [{"text": GROUNDED, "id": 7}], "say": WRONG, "answer": "other"})
    assert (output["say"], output["answer"], output["judged"].action) == (GROUNDED, "other", "pass")


@pytest.mark.parametrize(
    ("options", "values", "message"),
    [
        ({}, {"answer": GROUNDED}, "documents: is missing; say with documents_key which of answer it is"),
        ({}, {"context": [], "note": 1}, "answer: is missing; say with answer_key which of context, note it is"),
        ({"answer_key": "say"}, {"context": [], "answer": ""}, "say: is missing; there are context, answer"),
        ({}, "text", "input: must be a mapping with question, documents and answer, got str"),
        (
            {},
            {"context": [Document("x"), 5], "answer": "y"},
            "context[1]: must be text, or have one of page_content, text, content as text, got int",
        ),
    ],
)
def test_what_is_missing_is_named(options: dict[str, Any], values: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        GroundednessGuard(DETECTOR, **options).invoke(values)
    assert str(error.value) == message
    with pytest.raises(InputError) as error:
        list(GroundednessGuard(DETECTOR, **options).transform(iter([values])))
    assert str(error.value) == message


def test_what_the_detector_cannot_judge_is_heard() -> None:
    corpus = Corpus.in_memory([Reference(GROUNDED)], WordEmbedder())
    guard = GroundednessGuard(GeometricDetector(made_model(), WordEmbedder(), corpus=corpus))
    values = {"question": QUESTION, "documents": [GROUNDED], "answer": GROUNDED}
    message = "references: must be empty where a corpus is checked against; give one or the other"
    with pytest.raises(InputError) as error:
        guard.invoke(values)
    assert str(error.value) == message
    assert [str(one) for one in guard.batch([values, values], return_exceptions=True)] == [message] * 2
    assert guard.invoke({**values, "documents": []})["answer"] == GROUNDED


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(InputError) as error:
        GroundednessGuard(DETECTOR, retry=lambda _: GROUNDED)  # type: ignore[arg-type]
    assert str(error.value) == "retry: must be a Runnable, got function; wrap it in a RunnableLambda"
    with pytest.raises(InputError) as error:
        GroundednessGuard(DETECTOR, answer_key=" ")
    assert str(error.value) == "answer_key: must not be blank"


def test_the_guard_is_a_run_of_its_own_and_its_retry_a_part_of_it() -> None:
    class Names(BaseCallbackHandler):
        def __init__(self) -> None:
            self.runs: dict[Any, str] = {}
            self.parents: list[tuple[str, str]] = []

        def on_chain_start(self, *_: Any, **kwargs: Any) -> None:
            self.runs[kwargs["run_id"]] = kwargs["name"]
            self.parents.append((kwargs["name"], self.runs.get(kwargs["parent_run_id"], "")))

    names = Names()
    retry = RunnableLambda(lambda _: GROUNDED, name="again")
    guarded(retry=retry).invoke(ASKED, config={"callbacks": [names]})
    assert ("GroundednessGuard", "RunnableSequence") in names.parents
    assert ("again", "GroundednessGuard") in names.parents


def test_without_langchain_the_module_says_what_to_install() -> None:
    code = "import sys; sys.modules['langchain_core'] = None; import ragcortex.integrations.langchain"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.stderr.splitlines()[-1] == (
        "ImportError: langchain-core is not installed, and this module needs it; run `pip install "
        "'ragcortex[langchain]'`"
    )
