"""A LangChain callback handler that judges the answers of chains without changing them."""
# ruff: noqa: ARG002  # LangChain decides what a handler's methods are given

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final
from uuid import UUID

from ragcortex.chain_values import ChainKeys
from ragcortex.check import detector_or_default
from ragcortex.checks import check_position
from ragcortex.detectors.detector import Detector
from ragcortex.errors import InputError, RagcortexError
from ragcortex.example import Example
from ragcortex.foreign import references_of, text_of
from ragcortex.integrations.extras import missing
from ragcortex.integrations.policy import GuardedAnswer
from ragcortex.report import Report

try:
    from langchain_core.callbacks import BaseCallbackHandler
    from langchain_core.documents import Document
except ImportError as error:
    raise missing("langchain-core", "langchain") from error


_NO_RUN: Final = UUID(int=0)


@dataclass(frozen=True, slots=True)
class RecordedRun:
    """One run of a chain, from its first input to its last output.

    Attributes:
        run_id: LangChain's id of the run.
        documents: what its retrievers found, in order; `Evidence.reference` counts them.
        example: question, documents and answer; None where they could not be read.
        report: the judgement; None where the run waits for `judge`, or failed.
        error: why there is no judgement: a value that is missing, or what the detector could not do.
    """

    run_id: UUID
    documents: tuple[Document, ...]
    example: Example | None
    report: Report | None = None
    error: RagcortexError | None = None


@dataclass(slots=True)
class _Open:
    """A run that goes on: its input, and what was found in it so far."""

    inputs: object
    documents: list[Document] = field(default_factory=list)


class GroundednessRecorder(BaseCallbackHandler):
    """Follows the runs of chains and agents, and judges each final answer against what their retrievers found.

        recorder = GroundednessRecorder()
        chain.invoke(question, config={"callbacks": [recorder]})
        print(recorder.runs[-1].report.verdict)

    Documents come from the run's retrievers; a run without one takes those of its output or input, where they stand
    under the usual names. Runs without documents or answer have an error and no report. Nothing is ever raised into the
    chain.
    """

    def __init__(
        self,
        detector: Detector | None = None,
        *,
        at_once: bool = True,
        most: int = 1000,
        question_key: str | None = None,
        documents_key: str | None = None,
        answer_key: str | None = None,
    ) -> None:
        """Describe the recorder; nothing is loaded yet.

        Args:
            detector: who judges; by default the default detector, loaded with the first answer.
            at_once: judge when a run ends, in which its caller waits; without, runs wait for `judge`, which judges them
                together.
            most: how many runs are kept, the latest ones.
            question_key, documents_key, answer_key: see `ChainKeys`.

        Raises:
            InputError: an argument is not of its kind.
        """
        check_position("most", most)
        self._detector = detector
        self._at_once = at_once
        self._keys = ChainKeys(question_key, documents_key, answer_key)
        self._most = most
        self._runs: dict[UUID, RecordedRun] = {}
        self._open: dict[UUID, _Open] = {}
        self._roots: dict[UUID, UUID] = {}
        self._lock = threading.Lock()  # runs of a batch come from several threads

    @property
    def runs(self) -> tuple[RecordedRun, ...]:
        """The runs that ended, in order."""
        with self._lock:
            return tuple(self._runs.values())

    def judge(self) -> tuple[RecordedRun, ...]:
        """Judge the runs that wait for it, together, and return all runs."""
        waiting = [run for run in self.runs if run.report is None and run.error is None]
        if not waiting:  # nor is there anything to load a detector for
            return self.runs
        examples = [run.example for run in waiting if run.example is not None]
        for run, outcome in zip(waiting, detector_or_default(self._detector).check_many(examples), strict=True):
            with self._lock:
                if run.run_id in self._runs:
                    self._runs[run.run_id] = replace(run, report=outcome.report, error=outcome.error)
        return self.runs

    def on_chain_start(
        self, serialized: Any, inputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        """Note a run's input, if it is no part of another one."""
        with self._lock:
            if self._begin(run_id, parent_run_id) == run_id:
                self._open[run_id] = _Open(inputs)

    def on_tool_start(
        self, serialized: Any, input_str: str, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        """Note which run a tool belongs to: it may retrieve."""
        with self._lock:
            self._begin(run_id, parent_run_id)

    def on_retriever_end(
        self, documents: Sequence[Document], *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        """Note the documents that a run found."""
        with self._lock:
            root = self._open.get(self._root_of(parent_run_id))
            if root is not None:
                root.documents.extend(documents)

    def on_chain_end(self, outputs: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any) -> None:
        """Judge the answer of a run that is no part of another one."""
        with self._lock:
            self._roots.pop(run_id, None)
            run = self._open.pop(run_id, None)
        if run is not None:
            # Of a run that streams, the input is whole only at the end.
            whole = kwargs.get("inputs")
            self._keep(self._recorded(run_id, run.documents, run.inputs if whole is None else whole, outputs))
            if self._at_once:
                self.judge()

    def on_chain_error(
        self, error: BaseException, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        """Forget a run that failed: it has no answer."""
        with self._lock:
            self._roots.pop(run_id, None)
            self._open.pop(run_id, None)

    def on_tool_end(self, output: Any, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any) -> None:
        """Forget a tool's run."""
        with self._lock:
            self._roots.pop(run_id, None)

    def on_tool_error(
        self, error: BaseException, *, run_id: UUID, parent_run_id: UUID | None = None, **kwargs: Any
    ) -> None:
        """Forget a tool's run."""
        with self._lock:
            self._roots.pop(run_id, None)

    def _begin(self, run_id: UUID, parent_run_id: UUID | None) -> UUID:
        """Return the outermost run that a run belongs to, as far as this handler sees: maybe itself."""
        known = parent_run_id is not None and parent_run_id in self._roots
        root = self._root_of(parent_run_id) if known else run_id
        self._roots[run_id] = root
        return root

    def _root_of(self, run_id: UUID | None) -> UUID:
        return self._roots.get(run_id, _NO_RUN) if run_id is not None else _NO_RUN

    def _keep(self, run: RecordedRun) -> None:
        with self._lock:
            self._runs[run.run_id] = run
            while len(self._runs) > self._most:
                self._runs.pop(next(iter(self._runs)))

    def _recorded(self, run_id: UUID, found: list[Document], inputs: object, outputs: object) -> RecordedRun:
        documents = tuple(found)
        guarded = _guarded_in(outputs)
        try:
            example = self._example(documents, inputs, outputs)
        except InputError as error:
            return RecordedRun(run_id, documents, None, error=error)
        if guarded is not None:  # it was judged already, as it was before the guard marked or withheld it
            return RecordedRun(run_id, documents, replace(example, answer=guarded.report.answer), guarded.report)
        return RecordedRun(run_id, documents, example)

    def _example(self, documents: Sequence[Document], inputs: object, outputs: object) -> Example:
        given = inputs if isinstance(inputs, Mapping) else {}
        results = outputs if isinstance(outputs, Mapping) else {}
        question = inputs if isinstance(inputs, str) else self._keys.question_in(given)
        answer = self._keys.answer_in(results) if results else text_of("answer", outputs)
        if documents:
            return Example(question, references_of("documents", documents), answer)
        return Example(question, self._keys.references_in({**given, **results}), answer)


def _guarded_in(outputs: object) -> GuardedAnswer | None:
    values = outputs.values() if isinstance(outputs, Mapping) else ()
    return next((value for value in values if isinstance(value, GuardedAnswer)), None)
