"""The recorder beside real LangChain chains: each outer run has one judgement, and no chain notices it."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from made_chain import GROUNDED, INVENTED, QUESTION
from made_langchain import answerer, chain, retriever

import made_detectors as made
from ragcortex.check import default_detector
from ragcortex.errors import InputError
from ragcortex.integrations.langchain import GroundednessGuard, GroundednessRecorder, RecordedRun

DETECTOR = made.geometric()
WRONG = f"{GROUNDED} {INVENTED}"
ASKED = {"input": QUESTION}


def text_chain() -> Any:
    """Return a chain from a question to a text: its documents are seen by its retriever's run alone."""
    found = RunnableLambda(lambda question: {"input": question, "context": retriever().invoke(question)})
    return found | answerer()


def recorded(run: Callable[[dict[str, Any]], Any], **options: Any) -> tuple[RecordedRun, ...]:
    recorder = GroundednessRecorder(DETECTOR, **options)
    run({"callbacks": [recorder]})
    return recorder.runs


async def streamed(runnable: Any, asked: Any, config: Any) -> None:
    async for _ in runnable.astream(asked, config):
        pass


@pytest.mark.parametrize(
    "run",
    [
        lambda config: chain().invoke(ASKED, config),
        lambda config: text_chain().invoke(QUESTION, config),
        lambda config: list(chain().stream(ASKED, config)),
        lambda config: list(text_chain().stream(QUESTION, config)),
        lambda config: asyncio.run(chain().ainvoke(ASKED, config)),
        lambda config: asyncio.run(streamed(text_chain(), QUESTION, config)),
    ],
    ids=["mapping", "text", "stream", "stream of text", "async", "async stream"],
)
def test_a_run_is_judged_when_it_ends(run: Callable[[dict[str, Any]], Any]) -> None:
    (one,) = recorded(run)
    assert one.error is None
    assert one.report is not None
    assert (one.report.verdict, one.report.question, one.report.answer.strip()) == ("hallucinated", QUESTION, WRONG)
    assert [document.metadata["page"] for document in one.documents] == [3, 4]
    assert one.report.sentences[0].evidence[0].source == "capes.pdf, page iv"


def test_runs_of_a_batch_are_kept_apart_and_may_wait() -> None:
    asked = [ASKED, {"input": "May books be kept for three weeks?"}]
    runs = recorded(lambda config: chain().batch(asked, config), at_once=False)
    assert [run.report for run in runs] == [None, None]
    recorder = GroundednessRecorder(DETECTOR, at_once=False)
    outputs = asyncio.run(chain().abatch(asked, {"callbacks": [recorder]}))
    judged = {run.report.question: run.report.answer for run in recorder.judge() if run.report is not None}
    assert judged == {output["input"]: output["answer"] for output in outputs}
    assert recorder.judge() == recorder.runs


def test_only_the_latest_runs_are_kept() -> None:
    recorder = GroundednessRecorder(DETECTOR, most=2, at_once=False)
    for answer in ("one", "two", "three"):
        RunnableLambda(lambda values: values).invoke({"context": [], "answer": answer}, {"callbacks": [recorder]})
    assert [run.example.answer for run in recorder.runs if run.example is not None] == ["two", "three"]


def test_a_retriever_inside_of_a_tool_belongs_to_the_run() -> None:
    @tool
    def look_up(question: str) -> str:
        """Look it up."""
        return retriever().invoke(question)[0].page_content

    def agent(values: dict[str, Any]) -> dict[str, Any]:
        found = look_up.invoke(values["messages"][0].content)
        return {"messages": [*values["messages"], AIMessage(""), AIMessage(f"{found} {INVENTED}")]}

    (run,) = recorded(lambda config: RunnableLambda(agent).invoke({"messages": [HumanMessage(QUESTION)]}, config))
    assert run.report is not None
    assert (run.report.question, run.report.answer, len(run.documents)) == (QUESTION, WRONG, 2)


def test_a_tool_that_fails_leaves_nothing() -> None:
    @tool
    def look_up(question: str) -> str:
        """Look it up."""
        raise LookupError(question)

    def agent(values: dict[str, Any]) -> dict[str, Any]:
        with pytest.raises(LookupError):
            look_up.invoke(values["input"])
        return {"answer": GROUNDED, "context": [GROUNDED]}

    recorder = GroundednessRecorder(DETECTOR)
    RunnableLambda(agent).invoke(ASKED, {"callbacks": [recorder]})
    assert recorder.runs[0].report is not None
    assert not recorder._roots


def test_a_guarded_answer_is_not_judged_again() -> None:
    guard = GroundednessGuard(DETECTOR, retry=answerer())
    (run,) = recorded(lambda config: (chain() | guard).invoke(ASKED, config))
    assert run.report is not None
    assert run.report.answer == GROUNDED


def test_what_cannot_be_read_is_recorded_and_the_chain_goes_on() -> None:
    recorder = GroundednessRecorder(DETECTOR)
    config = {"callbacks": [recorder]}
    assert RunnableLambda(lambda _: {"n": 1}).invoke(QUESTION, config) == {"n": 1}
    assert RunnableLambda(lambda _: "Hm.").invoke(QUESTION, config) == "Hm."
    assert RunnableLambda(lambda _: {"answer": "Hm.", "context": [1]}).invoke(5, config)
    assert [str(run.error) for run in recorder.runs] == [
        "answer: is missing; say with answer_key which of n it is",
        "documents: is missing; say with documents_key which of (nothing) it is",
        "context[0]: must be text, or have one of page_content, text, content as text, got int",
    ]
    assert all(isinstance(run.error, InputError) for run in recorder.runs)


def test_a_run_that_fails_has_no_answer() -> None:
    def broken(_: Any) -> str:
        retriever().invoke(QUESTION)
        raise RuntimeError("no model")

    recorder = GroundednessRecorder(DETECTOR)
    with pytest.raises(RuntimeError, match="no model"):
        RunnableLambda(broken).invoke(QUESTION, {"callbacks": [recorder]})
    retriever().invoke(QUESTION, {"callbacks": [recorder]})
    assert recorder.runs == ()
    assert not recorder._open
    assert not recorder._roots


def test_nothing_is_left_of_runs_that_ended() -> None:
    recorder = GroundednessRecorder(DETECTOR)
    chain().invoke(ASKED, {"callbacks": [recorder]})
    assert not recorder._open
    assert not recorder._roots


def test_runs_that_leave_nothing_to_judge_load_no_detector() -> None:
    kept = default_detector.cache_info().misses
    recorder = GroundednessRecorder()
    RunnableLambda(lambda _: {"n": 1}).invoke(QUESTION, {"callbacks": [recorder]})
    guarded = chain() | GroundednessGuard(DETECTOR, retry=answerer())
    guarded.invoke(ASKED, {"callbacks": [recorder]})
    assert [run.report is None for run in recorder.runs] == [True, False]
    assert default_detector.cache_info().misses == kept
