"""Traces of real LangChain runs, as LangSmith's schema has them, as examples."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tracers.run_collector import RunCollectorCallbackHandler
from made_chain import GROUNDED, INVENTED, PASSAGES, QUESTION
from made_langchain import answerer, chain, retriever

from ragcortex.chain_values import ChainKeys
from ragcortex.datasets.langsmith import from_langsmith_runs
from ragcortex.errors import InputError
from ragcortex.example import Example, Reference

WRONG = f"{GROUNDED} {INVENTED}"
REFERENCES = (
    Reference(GROUNDED, "p1", "capes.pdf, page iv"),
    Reference(PASSAGES[1][0], "p2", "capes.pdf, page 4"),
)


def traced(runnable: Any, asked: Any) -> Any:
    collector = RunCollectorCallbackHandler()
    runnable.invoke(asked, {"callbacks": [collector]})
    (run,) = collector.traced_runs
    return run


def as_json(run: Any) -> dict[str, Any]:
    """Return a run as an export has it."""
    names = ("id", "parent_run_id", "run_type", "inputs", "outputs", "error", "start_time")
    values = {name: getattr(run, name) for name in names}
    values["child_runs"] = [as_json(child) for child in run.child_runs]
    dumped = json.dumps(
        values, default=lambda value: value.model_dump() if hasattr(value, "model_dump") else str(value)
    )
    return json.loads(dumped)


def flat(run: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a trace as `list_runs` gives it: the latest runs first, children beside their parents."""
    return [*(one for child in reversed(run["child_runs"]) for one in flat(child)), {**run, "child_runs": None}]


def test_a_trace_is_an_example_in_every_form() -> None:
    run = traced(chain(), {"input": QUESTION})
    expected = Example(QUESTION, REFERENCES, WRONG, id=str(run.id))
    written = as_json(run)
    assert from_langsmith_runs([run]) == [expected]
    assert from_langsmith_runs([written]) == [expected]
    assert from_langsmith_runs(flat(written)) == [expected]


def test_a_chain_from_text_to_text_has_its_documents_from_its_retriever() -> None:
    found = RunnableLambda(lambda question: {"input": question, "context": retriever().invoke(question)})
    runs = [traced(found | answerer(), QUESTION), traced(chain(), {"input": "May books be kept for three weeks?"})]
    first, second = from_langsmith_runs(runs)
    assert (first.question, first.references, first.answer) == (QUESTION, REFERENCES, WRONG)
    assert second.references[0].source == "library.md"


def test_without_a_retriever_documents_are_in_inputs_or_outputs() -> None:
    run = {
        "id": 1, "run_type": "chain", "inputs": {"messages": [{"role": "user", "content": QUESTION}], "found": ["a"]},
        "outputs": {"messages": [{"role": "assistant", "content": GROUNDED}], "contexts": ["b"]},
    }  # fmt: skip
    assert from_langsmith_runs([run]) == [Example(QUESTION, (Reference("b"),), GROUNDED, id="1")]
    keys = ChainKeys(documents="found")
    assert from_langsmith_runs([run], keys=keys)[0].references == (Reference("a"),)


def test_messages_of_an_agent_are_read() -> None:
    agent = RunnableLambda(lambda values: {"messages": [*values["messages"], AIMessage(GROUNDED)], "context": ["a"]})
    run = traced(agent, {"messages": [HumanMessage(QUESTION)]})
    for one in (run, as_json(run)):
        assert from_langsmith_runs([one]) == [Example(QUESTION, (Reference("a"),), GROUNDED, id=str(run.id))]


ROOT: dict[str, Any] = {"id": 1, "run_type": "chain", "inputs": {"input": "q"}, "outputs": {"output": "a"}}
FOUND: dict[str, Any] = {"id": 2, "parent_run_id": 1, "run_type": "retriever", "outputs": {"output": ["p"]}}


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ([{"name": "x"}], "runs[0].id: is missing; a run of LangSmith has one, got dict"),
        ([ROOT], "runs[0].documents: is missing; say with documents_key which of input, output it is"),
        ([{**ROOT, "error": "boom"}], "runs[0].error: is given: the run failed and has no answer; list runs with "),
        ([FOUND, {**ROOT, "outputs": None}], "runs[1].outputs: must be an object, got null"),
        ([FOUND, {**ROOT, "outputs": {"n": 1}}], "runs[1].answer: is missing; say with answer_key which of n it is"),
        (
            [{**ROOT, "child_runs": [{**FOUND, "outputs": {"n": 1}}]}],
            "runs[0].child_runs[0].outputs: must have the documents of the retriever in documents or output, got n",
        ),
        (
            [ROOT, {**FOUND, "outputs": {"documents": [3]}}],
            "runs[1].outputs.documents[0]: must be text, or have one of",
        ),
    ],
)
def test_what_is_wrong_is_named_with_its_run(runs: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(InputError) as error:
        from_langsmith_runs(runs)
    assert str(error.value).startswith(message)


def test_runs_that_name_each_other_as_parents_are_no_trace() -> None:
    assert from_langsmith_runs([{**FOUND, "id": 1, "parent_run_id": 2}, {**FOUND, "id": 2, "parent_run_id": 1}]) == []
