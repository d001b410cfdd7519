"""Concurrent requests worked on together: items wait in a bounded queue, and a thread takes what waits, batch by batch.

There is no artificial delay: under light load an item is worked on at once and alone, under heavy load the batches fill
by themselves. All methods but `run_now` belong to the event loop; the work runs in one daemon thread of its own.
"""

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import Final, Generic, TypeVar, cast

from ragcortex.errors import InputError, RagcortexError

Item = TypeVar("Item")
Result = TypeVar("Result")

_RECENT_BATCHES: Final = 32
# What is said where no batch was finished yet, and the most that is ever said.
_FIRST_GUESS: Final = 1.0
_LONGEST_GUESS: Final = 300.0


class Busy(RagcortexError):  # noqa: N818  # it says what the service is, nobody made an error
    """Nothing more is accepted now; after `retry_after` seconds it probably is again."""

    def __init__(self, retry_after: float, reason: str = "as many answers wait as may") -> None:
        super().__init__(f"the service is busy: {reason}; try again in {max(1, round(retry_after))} s")
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class BatchSeen:
    """One batch that was worked on.

    Attributes:
        name: whose it was.
        n_items: how many items were worked on together.
        waits: the seconds that each had waited.
        seconds: how long the work took.
    """

    name: str
    n_items: int
    waits: tuple[float, ...]
    seconds: float


@dataclass(slots=True, eq=False)
class _Job(Generic[Item, Result]):
    """An accepted item; its outcome is a result or an exception, so that none is ever left unretrieved."""

    item: Item
    outcome: "asyncio.Future[Result | BaseException]"
    since: float
    started: Callable[[], None] | None
    waits: bool = True


class Batcher(Generic[Item, Result]):
    """Gives every accepted item exactly one result, its own, from work that takes several at once."""

    def __init__(
        self,
        work: Callable[[Sequence[Item]], Sequence[Result]],
        *,
        batch_size: int,
        queue_size: int,
        name: str,
        observe: Callable[[BatchSeen], None] | None = None,
    ) -> None:
        """Take the work; its thread starts with the first item.

        Args:
            work: from items to as many results, in order. An exception among the results is raised for its item alone,
                one that is raised for all items of the batch.
            batch_size: the most items worked on together.
            queue_size: the most items that wait beside those worked on.
            name: of the thread and of what is observed.
            observe: is told of each batch, in the event loop.

        Raises:
            InputError: a size is below 1.
        """
        for field, size in (("batch_size", batch_size), ("queue_size", queue_size)):
            if size < 1:
                raise InputError(field, f"must be at least 1, got {size}")
        self.name = name
        self.batch_size = batch_size
        self.queue_size = queue_size
        self._work = work
        self._observe = observe
        self._waiting: deque[_Job[Item, Result]] = deque()
        self._working: tuple[_Job[Item, Result], ...] = ()
        self._recent: deque[tuple[int, float]] = deque(maxlen=_RECENT_BATCHES)
        self._calls: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None
        self._draining = False

    async def submit(self, item: Item, *, timeout: float, started: Callable[[], None] | None = None) -> Result:
        """Return the result of one item.

        An item that is cancelled or times out while it waits is never worked on; one that is worked on already is
        finished with its batch, and its result dropped.

        Args:
            item: what is worked on.
            timeout: how many seconds it may take, waiting included.
            started: is called in the event loop when the work on it begins.

        Raises:
            Busy: the queue is full, or the batcher drains.
            TimeoutError: it took longer.
            Exception: whatever the work raises, or gives as this item's result.
        """
        if len(self._waiting) >= self.queue_size:
            self._take()  # the thread may be free, and only its turn in the event loop not have come yet
        if self._draining or len(self._waiting) >= self.queue_size:
            raise self._busy()
        loop = asyncio.get_running_loop()
        job: _Job[Item, Result] = _Job(item, loop.create_future(), time.perf_counter(), started)
        self._waiting.append(job)
        # Not at once: items that are submitted in the same turn of the event loop go together.
        loop.call_soon(self._take)
        try:
            async with asyncio.timeout(timeout):
                outcome = await job.outcome
        finally:
            if job.waits:
                self._waiting.remove(job)
                job.waits = False
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    def n_waiting(self) -> int:
        """Return how many accepted items are not yet worked on."""
        return len(self._waiting)

    def retry_after(self) -> float:
        """Return after how many seconds all that is accepted now will probably be done, by what was done of late."""
        n_items, seconds = (sum(column) for column in zip(*self._recent, strict=True)) if self._recent else (0, 0.0)
        if not n_items:
            return _FIRST_GUESS
        return min((len(self._waiting) + len(self._working)) * seconds / n_items, _LONGEST_GUESS)

    def run_now(self, items: Sequence[Item]) -> list[Result]:
        """Return the results of a batch that has no place in the queue, once the thread is free; blocks until then.

        For warming up in the thread that will do the work; not for the event loop.

        Raises:
            Busy: the batcher was drained or closed.
            Exception: the first that the work raises or gives as a result.
        """
        if self._draining:
            raise self._busy()
        done: Future[Sequence[Result | BaseException]] = Future()
        self._call(lambda: done.set_result(self._outcomes(items)))
        outcomes = done.result()
        for outcome in outcomes:
            if isinstance(outcome, BaseException):
                raise outcome
        return cast("list[Result]", list(outcomes))

    async def drain(self, seconds: float) -> int:
        """Refuse new items, wait for the accepted ones, and end the thread; return how many were given up.

        What is not done after `seconds` is given up: it is refused as busy. A batch that is worked on then goes on in
        its daemon thread, which does not keep the process alive.
        """
        self._draining = True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while jobs := self._unfinished():
                    await asyncio.wait([job.outcome for job in jobs])
        given_up = self._unfinished()
        for job in given_up:
            job.outcome.set_result(self._busy())
        self.close()
        return len(given_up)

    def close(self) -> None:
        """End the thread once it is free, and accept nothing any more; for a batcher that nobody waits for."""
        self._draining = True
        if self._thread is not None:
            self._calls.put(None)

    def _unfinished(self) -> list[_Job[Item, Result]]:
        return [job for job in (*self._working, *self._waiting) if not job.outcome.done()]

    def _busy(self) -> Busy:
        waits = f"{len(self._waiting):,} answers wait already"
        return Busy(self.retry_after(), "it is being stopped" if self._draining else waits)

    def _take(self) -> None:
        """Hand what waits to the thread if it is free."""
        if self._working:
            return
        batch: list[_Job[Item, Result]] = []
        while self._waiting and len(batch) < self.batch_size:
            job = self._waiting.popleft()
            job.waits = False
            if not job.outcome.done():  # cancelled, and its caller's turn has not come yet
                batch.append(job)
        if not batch:
            return
        self._working = tuple(batch)
        self._call(partial(self._work_on, self._working, time.perf_counter()))
        for job in batch:
            if job.started is not None:
                job.started()

    def _finish(self, outcomes: Sequence[Result | BaseException], began: float, seconds: float) -> None:
        """Hand out the results of the batch, in the event loop, and go on with the next one."""
        batch, self._working = self._working, ()
        for job, outcome in zip(batch, outcomes, strict=True):
            if not job.outcome.done():  # cancelled, timed out or given up
                job.outcome.set_result(outcome)
        self._recent.append((len(batch), seconds))
        self._take()
        if self._observe is not None:
            self._observe(BatchSeen(self.name, len(batch), tuple(began - job.since for job in batch), seconds))

    # Below: in the thread.

    def _call(self, call: Callable[[], None]) -> None:
        """Let the thread do something once it is free; it starts if it has not yet."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name=f"ragcortex-{self.name}", daemon=True)
            self._thread.start()
        self._calls.put(call)

    def _serve(self) -> None:
        while (call := self._calls.get()) is not None:
            call()

    def _work_on(self, batch: Sequence[_Job[Item, Result]], began: float) -> None:
        start = time.perf_counter()
        outcomes = self._outcomes([job.item for job in batch])
        seconds = time.perf_counter() - start
        with contextlib.suppress(RuntimeError):  # the event loop was closed meanwhile: nobody waits any more
            batch[0].outcome.get_loop().call_soon_threadsafe(self._finish, outcomes, began, seconds)

    def _outcomes(self, items: Sequence[Item]) -> Sequence[Result | BaseException]:
        """Return one outcome an item, whatever the work does."""
        try:
            results = self._work(items)
        except BaseException as error:  # whoever waits for an item raises it again
            return [error] * len(items)
        if len(results) != len(items):
            wrong = RuntimeError(f"the work of {self.name!r} gave {len(results)} results for {len(items)} items")
            return [wrong] * len(items)
        return results
