"""LangChain: a Runnable behind a retrieval chain that judges the answer, and passes, marks, retries or withholds it.

    guarded = retrieval_chain | GroundednessGuard(policy=GuardPolicy(), retry=answer_chain)
    result = guarded.invoke({"input": "How long does basil keep?"})
    print(result["answer"], result["groundedness"].report.verdict)

`GroundednessRecorder` is a callback handler that judges a chain's answers without changing them.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, TypeVar, cast

from ragcortex.chain_values import ChainKeys
from ragcortex.check import detector_or_default
from ragcortex.checks import check_text
from ragcortex.detectors.detector import Detector, Outcome
from ragcortex.errors import InputError
from ragcortex.example import Example
from ragcortex.foreign import ANSWER_KEYS, MESSAGES, text_of
from ragcortex.integrations.extras import missing
from ragcortex.integrations.guarding import guard_report, guard_report_async, judged
from ragcortex.integrations.policy import GuardedAnswer, GuardPolicy, Retry

try:
    from langchain_core.runnables import Runnable, RunnableConfig
    from langchain_core.runnables.utils import AddableDict
except ImportError as error:
    raise missing("langchain-core", "langchain") from error

from ragcortex.integrations.langchain_messages import replaced
from ragcortex.integrations.langchain_recorder import GroundednessRecorder, RecordedRun

__all__ = ["GroundednessGuard", "GroundednessRecorder", "RecordedRun"]

Values = dict[str, Any]
Result = TypeVar("Result")


class GroundednessGuard(Runnable[Values, Values]):
    """Takes what a retrieval chain gives, question, documents and answer, and gives it back with the answer guarded.

    Under `report_key` it adds a `GuardedAnswer`: the action, the Report, and the reports on all attempts. In a report
    `Evidence.reference` is the index of the document, whose metadata are as they were, and `Evidence.source` names its
    source and page.

    Streams: what is no answer passes at once. The answer is held back until it is judged, unless the policy lets every
    answer pass; then it passes as it comes, and the report follows.
    Batches: the answers are judged together, which a reading detector does faster than one by one.
    """

    def __init__(
        self,
        detector: Detector | None = None,
        *,
        policy: GuardPolicy | None = None,
        retry: Runnable[Any, Any] | None = None,
        question_key: str | None = None,
        documents_key: str | None = None,
        answer_key: str | None = None,
        report_key: str = "groundedness",
        hint_key: str = "hint",
    ) -> None:
        """Describe the guard; nothing is loaded yet.

        Args:
            detector: who judges; by default the default detector, loaded with the first answer.
            policy: what follows each verdict; by default `GuardPolicy()`.
            retry: generates an answer anew, where the policy says `retry`. It gets what the guard got, and under
                `hint_key` what was unsupported; it gives a text, a message, or a mapping with the answer and, if it
                retrieves anew, the documents. Without it, nothing is retried.
            question_key, documents_key, answer_key: where the chain's values stand; by default under the usual names,
                see `ChainKeys`.
            report_key: where the guard puts what became of the answer.
            hint_key: where `retry` finds the hint.

        Raises:
            InputError: an argument is not of its kind.
        """
        if retry is not None and not isinstance(retry, Runnable):
            raise InputError("retry", f"must be a Runnable, got {type(retry).__name__}; wrap it in a RunnableLambda")
        for name, key in (("report_key", report_key), ("hint_key", hint_key)):
            check_text(name, key, filled=True)
        self._detector = detector
        self.policy = policy or GuardPolicy()
        self.retry = retry
        self.keys = ChainKeys(question_key, documents_key, answer_key)
        self.report_key = report_key
        self.hint_key = hint_key

    @property
    def detector(self) -> Detector:
        """Who judges."""
        return detector_or_default(self._detector)

    def invoke(self, input: Values, config: RunnableConfig | None = None, **kwargs: Any) -> Values:
        """Return the input with the answer as it may be shown, and what became of it.

        Raises:
            InputError: a value is missing or cannot be read; the message names its key.
            RagcortexError: as `Detector.check`.
        """
        return self._call_with_config(_typed(self._guarded), input, config, **kwargs)

    async def ainvoke(self, input: Values, config: RunnableConfig | None = None, **kwargs: Any) -> Values:
        """Return what `invoke` does; judging happens in another thread."""
        return await self._acall_with_config(_typed(self._guarded_async), input, config, **kwargs)

    def batch(
        self,
        inputs: list[Values],
        config: RunnableConfig | list[RunnableConfig] | None = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[Values]:
        """Return what `invoke` does for each input, in order; the answers are judged together."""
        return self._batch_with_config(
            _typed(self._guarded_many), inputs, config, return_exceptions=return_exceptions, **kwargs
        )

    async def abatch(
        self,
        inputs: list[Values],
        config: RunnableConfig | list[RunnableConfig] | None = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[Values]:
        """Return what `batch` does; judging happens in another thread, and answers are retried side by side."""
        return await self._abatch_with_config(
            _typed(self._guarded_many_async), inputs, config, return_exceptions=return_exceptions, **kwargs
        )

    def transform(
        self, input: Iterator[Values], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[Values]:
        """Yield the chunks of a chain that may be shown, the answer when it is judged, and what became of it."""
        yield from self._transform_stream_with_config(input, _typed(self._guarded_stream), config, **kwargs)

    async def atransform(
        self, input: AsyncIterator[Values], config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Values]:
        """Yield what `transform` does."""
        async for chunk in self._atransform_stream_with_config(
            input, _typed(self._guarded_stream_async), config, **kwargs
        ):
            yield chunk

    def _guarded(self, values: Values, config: RunnableConfig) -> Values:
        return self._finished(values, self._judged([values])[0], config)

    async def _guarded_async(self, values: Values, config: RunnableConfig) -> Values:
        outcomes = await asyncio.to_thread(self._judged, [values])
        return await self._finished_async(values, outcomes[0], config)

    def _guarded_many(self, inputs: list[Values], config: list[RunnableConfig]) -> list[Exception | Values]:
        given = zip(inputs, self._judged(inputs), config, strict=True)
        return [_tried(self._finished, *one) for one in given]

    async def _guarded_many_async(self, inputs: list[Values], config: list[RunnableConfig]) -> list[Exception | Values]:
        given = zip(inputs, await asyncio.to_thread(self._judged, inputs), config, strict=True)
        finished = await asyncio.gather(*(self._finished_async(*one) for one in given), return_exceptions=True)
        return cast(list[Exception | Values], finished)

    def _guarded_stream(self, chunks: Iterator[Values], config: RunnableConfig) -> Iterator[Values]:
        whole = AddableDict()
        for chunk in chunks:
            whole = _added(whole, chunk)
            if passing := self._passing(chunk):
                yield passing
        yield self._last(whole, self._guarded(whole, config))

    async def _guarded_stream_async(
        self, chunks: AsyncIterator[Values], config: RunnableConfig
    ) -> AsyncIterator[Values]:
        whole = AddableDict()
        async for chunk in chunks:
            whole = _added(whole, chunk)
            if passing := self._passing(chunk):
                yield passing
        yield self._last(whole, await self._guarded_async(whole, config))

    def _judged(self, inputs: list[Values]) -> list[Outcome | Exception]:
        """Return what judging gives for each input, or what is wrong with the input."""
        examples = [_tried(self.keys.example_in, values) for values in inputs]
        outcomes = self.detector.check_many(one for one in examples if isinstance(one, Example))
        return [next(outcomes) if isinstance(one, Example) else one for one in examples]

    def _finished(self, values: Values, outcome: Outcome | Exception, config: RunnableConfig) -> Values:
        example, report = judged(outcome)
        given = [values]

        def again(retry: Retry) -> Example:
            assert self.retry is not None
            return self._written(self.retry.invoke({**values, self.hint_key: retry.hint}, config), given)

        regenerate = None if self.retry is None else again
        guarded = guard_report(self.detector, example, report, policy=self.policy, regenerate=regenerate)
        return self._with(given[guarded.chosen], guarded)

    async def _finished_async(self, values: Values, outcome: Outcome | Exception, config: RunnableConfig) -> Values:
        example, report = judged(outcome)
        given = [values]

        async def again(retry: Retry) -> Example:
            assert self.retry is not None
            return self._written(await self.retry.ainvoke({**values, self.hint_key: retry.hint}, config), given)

        regenerate = None if self.retry is None else again
        guarded = await guard_report_async(self.detector, example, report, policy=self.policy, regenerate=regenerate)
        return self._with(given[guarded.chosen], guarded)

    def _written(self, output: object, given: list[Values]) -> Example:
        """Return what a retry gives in place of the values before, and add it to them."""
        values = given[0]
        if isinstance(output, Mapping):
            values = {**values, **output}
        else:
            key = self.keys.answer_key(values)
            values = {**values, key: replaced(values[key], text_of("retry", output))}
        given.append(values)
        return self.keys.example_in(values)

    def _with(self, values: Values, guarded: GuardedAnswer) -> Values:
        key = self.keys.answer_key(values)
        return {**values, key: replaced(values[key], guarded.answer), self.report_key: guarded}

    def _passing(self, chunk: Values) -> AddableDict:
        """Return what of a chunk may pass at once."""
        if not self.policy.changes_answers:
            return AddableDict(chunk)
        held = (self.keys.answer,) if self.keys.answer else (*ANSWER_KEYS, MESSAGES)
        return AddableDict({key: value for key, value in chunk.items() if key not in held})

    def _last(self, whole: Values, output: Values) -> AddableDict:
        """Return what was held back, with the answer as it may be shown, and what became of it."""
        passed = self._passing(whole)
        return AddableDict({key: value for key, value in output.items() if key not in passed})


def _typed(call: Callable[..., Any]) -> Any:
    """Return a call as it is: LangChain gives `config` to whatever names it, which its annotations do not say."""
    return call


def _added(whole: AddableDict, chunk: object) -> AddableDict:
    if not isinstance(chunk, Mapping):
        raise InputError("input", f"must be a mapping with question, documents and answer, got {type(chunk).__name__}")
    return whole + AddableDict(chunk)


def _tried(call: Callable[..., Result], *given: Any) -> Result | Exception:
    """Return what a call returns, or what it raises: one of several inputs fails alone, whatever its retry raises."""
    try:
        return call(*given)
    except Exception as error:
        return error
