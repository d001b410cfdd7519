"""A decorator that guards what a function answers: plain functions, methods, coroutine functions, DSPy modules.

@grounded(question="question", references="passages")
def answer(question: str, passages: list[str], hint: str = "") -> str: ...

class Rag(dspy.Module):
    @grounded(question="question", references="context", answer="answer")
    def forward(self, question: str, hint: str = "") -> dspy.Prediction: ...
"""

import asyncio
import copy
import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, is_dataclass, replace
from typing import Any, ParamSpec, TypeVar, cast

from ragcortex.check import detector_or_default
from ragcortex.detectors.detector import Detector
from ragcortex.errors import InputError
from ragcortex.example import Example
from ragcortex.foreign import references_of, text_of
from ragcortex.integrations.guarding import guard_report, guard_report_async
from ragcortex.integrations.policy import GuardedAnswer, GuardPolicy, Retry

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a guarded function: its arguments by name, defaults included, and what it returned."""

    arguments: Mapping[str, Any]
    result: Any


Place = str | int | Callable[[Call], Any]
"""Where a value of a call is: the name of an argument, else of a key or an attribute of the result; a position in a
result that is a tuple; or a function that finds it."""


def grounded(
    *,
    references: Place,
    question: Place | None = None,
    answer: str | int | None = None,
    detector: Detector | None = None,
    policy: GuardPolicy | None = None,
    hint: str = "hint",
    on_checked: Callable[[GuardedAnswer], None] | None = None,
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Return a decorator: the function's answers are judged, and come back as the policy lets them be shown.

    The function returns what it did before, of the same type, with the answer in it replaced where the policy changes
    it. Where the policy says `retry`, the function is called again with the hint, if it has a parameter for it; without
    one nothing is retried.

    Args:
        references: where the passages are; see `Place`. They may be texts, or documents of any framework.
        question: where the question is; None if there is none.
        answer: where in the result the answer is: a key, an attribute, a position; None where the result is the answer.
        detector: who judges; by default the default detector, loaded with the first call.
        policy: what follows each verdict; by default `GuardPolicy()`.
        hint: the parameter that a hint is given to.
        on_checked: called with what became of each answer, and its reports, before the function returns.

    Raises:
        InputError: what is decorated is no function, or yields its answer piece by piece.
    """
    options = _Options(references, question, answer, policy or GuardPolicy(), hint, on_checked)

    def decorate(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        if not callable(function):
            raise InputError("function", f"must be a function, got {type(function).__name__}")
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise InputError("function", "must return its answer; for one that yields it use ragcortex.stream_guard")
        guarded = _Guarded(function, detector, options)
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def call_async(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Any:
                return await guarded.call_async(*args, **kwargs)

            return cast(Callable[Parameters, Result], call_async)

        @functools.wraps(function)
        def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            return cast(Result, guarded.call(*args, **kwargs))

        return call

    return decorate


@dataclass(frozen=True, slots=True)
class _Options:
    references: Place
    question: Place | None
    answer: str | int | None
    policy: GuardPolicy
    hint: str
    on_checked: Callable[[GuardedAnswer], None] | None


class _Guarded:
    """A function and how its answers are guarded."""

    def __init__(self, function: Callable[..., Any], detector: Detector | None, options: _Options) -> None:
        self._function = function
        self._detector = detector
        self._options = options
        self._signature = inspect.signature(function)
        self._can_retry = options.hint in self._signature.parameters

    def call(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the function returns, with the answer as it may be shown."""
        bound = self._bound(*args, **kwargs)
        calls = [Call(_arguments(bound), self._function(*args, **kwargs))]

        def again(retry: Retry) -> Example:
            bound.arguments[self._options.hint] = retry.hint
            calls.append(Call(calls[0].arguments, self._function(*bound.args, **bound.kwargs)))
            return self._example(calls[-1])

        example, judge = self._example(calls[0]), self._judge()
        regenerate = again if self._can_retry else None
        report = judge.check_example(example)
        return self._shown(
            calls, guard_report(judge, example, report, policy=self._options.policy, regenerate=regenerate)
        )

    async def call_async(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the coroutine function returns, with the answer as it may be shown."""
        bound = self._bound(*args, **kwargs)
        calls = [Call(_arguments(bound), await self._function(*args, **kwargs))]

        async def again(retry: Retry) -> Example:
            bound.arguments[self._options.hint] = retry.hint
            calls.append(Call(calls[0].arguments, await self._function(*bound.args, **bound.kwargs)))
            return self._example(calls[-1])

        example, judge = self._example(calls[0]), await asyncio.to_thread(self._judge)
        regenerate = again if self._can_retry else None
        report = await asyncio.to_thread(judge.check_example, example)
        guarded = await guard_report_async(judge, example, report, policy=self._options.policy, regenerate=regenerate)
        return self._shown(calls, guarded)

    def _judge(self) -> Detector:
        return detector_or_default(self._detector)

    def _bound(self, *args: Any, **kwargs: Any) -> inspect.BoundArguments:
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound

    def _example(self, call: Call) -> Example:
        options = self._options
        question = None if options.question is None else _found("question", options.question, call)
        references = references_of("references", _found("references", options.references, call))
        return Example(None if question is None else text_of("question", question), references, self._answer(call))

    def _answer(self, call: Call) -> str:
        place = self._options.answer
        if place is None and not isinstance(call.result, str):
            kind = type(call.result).__name__
            raise InputError("answer", f"must be text, got {kind}; say with answer= where in the result it is")
        value = call.result if place is None else _part(call.result, place)
        if not isinstance(value, str):
            raise InputError("answer", f"must be text, but {place!r} of the result is {type(value).__name__}")
        return value

    def _shown(self, calls: list[Call], guarded: GuardedAnswer) -> Any:
        if self._options.on_checked is not None:
            self._options.on_checked(guarded)
        call = calls[guarded.chosen]
        if guarded.answer == self._answer(call):
            return call.result
        return _replaced(call.result, self._options.answer, guarded.answer)


def _arguments(bound: inspect.BoundArguments) -> dict[str, Any]:
    """Return the arguments by name, those of `**kwargs` among them."""
    arguments = dict(bound.arguments)
    for name, parameter in bound.signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            arguments |= arguments.pop(name)
    return arguments


def _found(name: str, place: Place, call: Call) -> Any:
    """Return a value of a call.

    Raises:
        InputError: it is not there.
    """
    if callable(place):
        return place(call)
    if place in call.arguments:
        return call.arguments[cast(str, place)]
    value = _part(call.result, place)
    if value is None:
        names = ", ".join(call.arguments) or "(none)"
        raise InputError(name, f"{place!r} is neither an argument ({names}) nor in the result")
    return value


def _part(result: Any, place: str | int) -> Any:
    """Return a part of a result, None where there is none."""
    if isinstance(place, int):
        return result[place] if isinstance(result, tuple | list) and place < len(result) else None
    return result.get(place) if isinstance(result, Mapping) else getattr(result, place, None)


def _replaced(result: Any, place: str | int | None, text: str) -> Any:
    """Return a result with another answer in it; the one that was given stays as it is."""
    if place is None:
        return text
    if isinstance(place, int):
        parts = [*result[:place], text, *result[place + 1 :]]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    if isinstance(result, Mapping):
        return {**result, place: text}
    return _changed(result, place, text)


def _changed(result: Any, place: str, text: str) -> Any:
    """Return a copy of an object with another text in one of its attributes."""
    if is_dataclass(result) and not isinstance(result, type):
        return replace(result, **{place: text})
    if hasattr(result, "model_copy"):
        return result.model_copy(update={place: text})
    if hasattr(result, "copy"):  # with changes, as DSPy's predictions have it
        return result.copy(**{place: text})
    changed = copy.copy(result)
    setattr(changed, place, text)
    return changed
