"""Applies a policy to an answer: judges it, and has it generated anew as often as the policy allows.

>>> from ragcortex.integrations.guarding import guard
>>> from ragcortex.integrations.policy import GuardPolicy
>>> policy = GuardPolicy(hallucinated="retry", after_retries="annotate")
>>> guarded = guard(detector, question, passages, answer, policy=policy, regenerate=again)  # doctest: +SKIP
>>> print(guarded.action, guarded.answer)  # doctest: +SKIP
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from ragcortex.detectors.detector import Detector, Outcome
from ragcortex.errors import InputError
from ragcortex.example import Example, Reference
from ragcortex.integrations import wording
from ragcortex.integrations.policy import FinalAction, GuardedAnswer, GuardPolicy, Retry
from ragcortex.report import Report, Verdict

# Of several answers that are all unsupported, the one with the mildest verdict is shown.
_SEVERITY: Final[dict[Verdict, int]] = {
    "grounded": 0, "no_claim": 1, "review": 2, "not_verifiable": 3, "hallucinated": 4
}  # fmt: skip

Written = str | Example
"""An answer that was generated anew: its text or, where it was made from other references, the whole example."""
Regenerate = Callable[[Retry], Written]
RegenerateAsync = Callable[[Retry], Written | Awaitable[Written]]


def guard(
    detector: Detector,
    question: str | None,
    references: Sequence[str | Mapping[str, Any] | Reference],
    answer: str,
    *,
    policy: GuardPolicy | None = None,
    regenerate: Regenerate | None = None,
) -> GuardedAnswer:
    """Return what becomes of an answer under a policy.

    Args:
        detector: who judges.
        question, references, answer: as of `Detector.check`.
        policy: what follows each verdict; by default `GuardPolicy()`.
        regenerate: returns another answer to the same question (see `Written`); called where the policy says `retry`.

    Raises:
        InputError: `regenerate` returns neither text nor an Example.
        RagcortexError: as `Detector.check`.
    """
    example = Example.of(question, references, answer)
    return guard_report(detector, example, detector.check_example(example), policy=policy, regenerate=regenerate)


async def guard_async(
    detector: Detector,
    question: str | None,
    references: Sequence[str | Mapping[str, Any] | Reference],
    answer: str,
    *,
    policy: GuardPolicy | None = None,
    regenerate: RegenerateAsync | None = None,
) -> GuardedAnswer:
    """Return what `guard` does; judging happens in another thread, and `regenerate` may be a coroutine function."""
    example = Example.of(question, references, answer)
    report = await asyncio.to_thread(detector.check_example, example)
    return await guard_report_async(detector, example, report, policy=policy, regenerate=regenerate)


def judged(outcome: Outcome | Exception) -> tuple[Example, Report]:
    """Return an example of `check_many` with its report, or raise what kept it from having one."""
    if isinstance(outcome, Exception):
        raise outcome
    if outcome.error is not None:
        raise outcome.error
    assert outcome.report is not None
    return outcome.example, outcome.report


def guard_report(
    detector: Detector,
    example: Example,
    report: Report,
    *,
    policy: GuardPolicy | None = None,
    regenerate: Regenerate | None = None,
) -> GuardedAnswer:
    """Return what becomes of an answer that was judged already; see `guard`."""
    steps = _steps(policy or GuardPolicy(), report, can_retry=regenerate is not None)
    step = _advanced(steps)
    while isinstance(step, Retry):
        assert regenerate is not None
        written: object = regenerate(step)
        if inspect.iscoroutine(written):
            written.close()
            raise InputError("regenerate", "must return text here; a coroutine function needs guard_async")
        step = _advanced(steps, detector.check_example(_with_answer(example, written)))
    return step


async def guard_report_async(
    detector: Detector,
    example: Example,
    report: Report,
    *,
    policy: GuardPolicy | None = None,
    regenerate: RegenerateAsync | None = None,
) -> GuardedAnswer:
    """Return what becomes of an answer that was judged already; see `guard_async`."""
    steps = _steps(policy or GuardPolicy(), report, can_retry=regenerate is not None)
    step = _advanced(steps)
    while isinstance(step, Retry):
        assert regenerate is not None
        again = _with_answer(example, await _written_async(regenerate, step))
        step = _advanced(steps, await asyncio.to_thread(detector.check_example, again))
    return step


async def _written_async(regenerate: RegenerateAsync, retry: Retry) -> object:
    """Return what `regenerate` gives; a plain function is called in another thread, since it may take its time."""
    if inspect.iscoroutinefunction(regenerate):
        return await regenerate(retry)
    written = await asyncio.to_thread(regenerate, retry)
    return await written if inspect.isawaitable(written) else written


def _advanced(
    steps: Generator[Retry, Report | None, GuardedAnswer], report: Report | None = None
) -> Retry | GuardedAnswer:
    """Return the next retry that is wanted, or what is shown in the end; `report` is on the answer to the last one."""
    try:
        return steps.send(report)
    except StopIteration as end:
        guarded: GuardedAnswer = end.value
        return guarded


def _steps(policy: GuardPolicy, first: Report, *, can_retry: bool) -> Generator[Retry, Report | None, GuardedAnswer]:
    """Yield the retries that are wanted, each answered with the report on the new answer; return what is shown."""
    attempts = [first]
    while can_retry and _is_refused(policy, attempts) and len(attempts) <= policy.max_retries:
        last = _with_text(attempts)[-1]
        report = yield Retry(wording.hint(last), last, len(attempts))
        assert report is not None
        attempts.append(report)
    if _is_refused(policy, attempts):
        report, action = min(_with_text(attempts), key=_rank), policy.after_retries
    else:
        report, action = attempts[-1], cast(FinalAction, policy.action_for(attempts[-1]))
    return GuardedAnswer(_shown(policy, action, report), action, report, tuple(attempts))


def _with_text(attempts: Sequence[Report]) -> list[Report]:
    """Return the answers that count: the first one, and those after it that are not blank."""
    return [report for index, report in enumerate(attempts) if not index or report.answer.strip()]


def _is_refused(policy: GuardPolicy, attempts: Sequence[Report]) -> bool:
    """Return whether the last answer will not do; a blank one never does in place of another."""
    last = attempts[-1]
    return policy.action_for(last) == "retry" or (len(attempts) > 1 and not last.answer.strip())


def _rank(report: Report) -> tuple[int, float]:
    return _SEVERITY[report.verdict], report.score or 0.0


def _shown(policy: GuardPolicy, action: FinalAction, report: Report) -> str:
    if action == "block":
        return policy.blocked_text
    return wording.annotated(report, policy.marks) if action == "annotate" else report.answer


def _with_answer(example: Example, written: object) -> Example:
    if isinstance(written, Example):
        return written
    if not isinstance(written, str):
        raise InputError("regenerate", f"must return text or an Example, got {type(written).__name__}")
    return replace(example, answer=written, spans=None, label=None)
