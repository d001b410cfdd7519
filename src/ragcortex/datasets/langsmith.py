"""Runs of LangSmith as Examples: traces of chains, as its client or an export gives them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from ragcortex.chain_values import ChainKeys
from ragcortex.errors import InputError
from ragcortex.example import Example, Reference
from ragcortex.foreign import references_of

# Under which names a retriever's run has its documents: LangChain's, and that of a function marked as a retriever.
_FOUND: Final = ("documents", "output")


def from_langsmith_runs(runs: Iterable[Mapping[str, Any] | Any], *, keys: ChainKeys | None = None) -> list[Example]:
    """Return one Example a trace: its question, what its retrievers found, and its answer, with the run's id.

    Question and answer are the outermost run's, under the usual names (see `ChainKeys`). Documents are what the trace's
    retrievers gave, in order; without one, those in the outermost run's outputs or inputs.

    Args:
        runs: runs of `Client.list_runs` or their JSON, in any order; the runs within a trace stand beside the outermost
            one, as `list_runs` gives them, or in its `child_runs`.
        keys: where question, documents and answer stand, if not under the usual names.

    Raises:
        InputError: a run failed and so has no answer, or a value is missing; the message names run and field.
    """
    keys = keys or ChainKeys()
    everything = [run for index, one in enumerate(runs) for run in _flat(f"runs[{index}]", one)]
    ids = {run["id"] for _, run in everything}
    retrievers: dict[Any, list[tuple[str, Mapping[str, Any]]]] = {}
    parents = {run["id"]: run["parent_run_id"] for _, run in everything}
    roots = [(place, run) for place, run in everything if run["parent_run_id"] not in ids]
    for place, run in sorted(everything, key=_began):
        if run["run_type"] == "retriever" and run["parent_run_id"] in ids:
            retrievers.setdefault(_root(run["id"], parents), []).append((place, run))
    return [_example(place, run, retrievers.get(run["id"], []), keys) for place, run in roots]


def _flat(place: str, run: object, parent: object = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a run and those within it, each with what is needed of it."""
    given = run if isinstance(run, Mapping) else {name: getattr(run, name, None) for name in (*_NAMES, "child_runs")}
    if given.get("id") is None:
        raise InputError(f"{place}.id", f"is missing; a run of LangSmith has one, got {type(run).__name__}")
    found = {name: given.get(name) for name in _NAMES}
    found["id"] = str(found["id"])
    found["parent_run_id"] = parent if found["parent_run_id"] is None else str(found["parent_run_id"])
    yield place, found
    for index, child in enumerate(given.get("child_runs") or ()):
        yield from _flat(f"{place}.child_runs[{index}]", child, found["id"])


_NAMES: Final = ("id", "parent_run_id", "run_type", "inputs", "outputs", "error", "start_time", "dotted_order")


def _began(found: tuple[str, Mapping[str, Any]]) -> str:
    """Return what sorts runs by their beginning: LangSmith's own order, else the time."""
    return str(found[1]["dotted_order"] or found[1]["start_time"] or "")


def _root(run_id: str, parents: Mapping[str, Any]) -> str:
    for _ in parents:  # at most as many steps as there are runs, should they name each other as parents
        if parents[run_id] not in parents:
            break
        run_id = parents[run_id]
    return run_id


def _example(
    place: str, run: Mapping[str, Any], retrievers: list[tuple[str, Mapping[str, Any]]], keys: ChainKeys
) -> Example:
    if run["error"] is not None:
        raise InputError(f"{place}.error", "is given: the run failed and has no answer; list runs with error=False")
    inputs, outputs = (_mapping(f"{place}.{name}", run[name]) for name in ("inputs", "outputs"))
    references = [each for where, one in retrievers for each in _documents(where, one)]
    try:
        question, answer = keys.question_in(inputs), keys.answer_in(outputs)
        documents = tuple(references) if retrievers else keys.references_in({**inputs, **outputs})
    except InputError as error:
        raise InputError(f"{place}.{error.field}", error.message) from None
    return Example(question, documents, answer, id=run["id"])


def _documents(place: str, run: Mapping[str, Any]) -> tuple[Reference, ...]:
    outputs = _mapping(f"{place}.outputs", run["outputs"])
    name = next((one for one in _FOUND if outputs.get(one) is not None), None)
    if name is None:
        there = ", ".join(outputs) or "(nothing)"
        raise InputError(
            f"{place}.outputs", f"must have the documents of the retriever in {' or '.join(_FOUND)}, got {there}"
        )
    return references_of(f"{place}.outputs.{name}", outputs[name])


def _mapping(field: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(field, f"must be an object, got {'null' if value is None else type(value).__name__}")
    return value
