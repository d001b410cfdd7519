"""Runs the steps of a guard, here or in another thread, and answers those that ask for a sentence anew."""

import asyncio
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

from ragcortex.detectors.sentence_judgement import SentenceJudgement
from ragcortex.errors import InputError
from ragcortex.report import FlaggedSpan
from ragcortex.stream_events import GuardEvent

Rewrite = Callable[[str, tuple[FlaggedSpan, ...]], str | Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Asked:
    """The guard wants a sentence written anew; it is answered with the new text."""

    sentence: SentenceJudgement


Steps = Generator[GuardEvent | Asked, str | None, None]


def answered(steps: Steps, rewrite: Rewrite | None) -> Iterator[GuardEvent]:
    """Yield the events of the steps.

    Raises:
        InputError: what `rewrite` returns is no text.
    """
    reply: str | None = None
    while (event := _next(steps, reply)) is not None:
        reply = None
        if isinstance(event, Asked):
            written = _written(rewrite, event)
            if inspect.iscoroutine(written):
                written.close()
                raise InputError("rewrite", "must return text here; a coroutine function needs an asynchronous guard")
            reply = _text(written)
        else:
            yield event


async def answered_async(
    steps: Steps, rewrite: Rewrite | None, executor: Executor | None
) -> AsyncGenerator[GuardEvent, None]:
    """Yield the events of the steps, which are taken in the executor; `rewrite` is called in a thread of its own.

    Raises:
        InputError: what `rewrite` returns, or its coroutine, is no text.
    """
    loop, executor = asyncio.get_running_loop(), executor or _shared_thread()
    reply: str | None = None
    while (event := await loop.run_in_executor(executor, _next, steps, reply)) is not None:
        reply = None
        if isinstance(event, Asked):
            written = await asyncio.to_thread(_written, rewrite, event)
            reply = _text(await written if inspect.isawaitable(written) else written)
        else:
            yield event


def _next(steps: Steps, reply: str | None) -> GuardEvent | Asked | None:
    """Return the next step, None where there is none: StopIteration cannot pass from one thread to another."""
    try:
        return steps.send(reply)
    except StopIteration:
        return None


def _written(rewrite: Rewrite | None, asked: Asked) -> object:
    if rewrite is None:
        raise InputError("rewrite", "must be given where sentences are rewritten")
    return rewrite(asked.sentence.text, asked.sentence.spans)


def _text(written: object) -> str:
    if not isinstance(written, str):
        raise InputError("rewrite", f"must return text, got {type(written).__name__}")
    return written


@cache
def _shared_thread() -> Executor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="ragcortex-guard")
