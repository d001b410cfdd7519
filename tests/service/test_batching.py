"""Items worked on together: each its own result, once; bounds, cancelling, time limits, the end, and faults."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.errors import InputError
from ragcortex.service.batching import Batcher, BatchSeen, Busy


class Work:
    """Doubles numbers, and remembers what came together; held until it is released."""

    def __init__(self, *, seconds: float = 0.0, held: bool = False) -> None:
        self.batches: list[list[int]] = []
        self.seconds = seconds
        self.released = threading.Event()
        self.running = threading.Event()
        if not held:
            self.released.set()

    def __call__(self, items: Sequence[int]) -> list[int]:
        self.batches.append(list(items))
        self.running.set()
        assert self.released.wait(10)
        time.sleep(self.seconds)
        return [2 * item for item in items]

    @property
    def items(self) -> list[int]:
        return [item for batch in self.batches for item in batch]


def batcher(
    work: Callable[[Sequence[int]], Sequence[int]], *, batch_size: int = 4, queue_size: int = 100
) -> Batcher[int, int]:
    return Batcher(work, batch_size=batch_size, queue_size=queue_size, name="numbers")


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.001)


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    async def bounded() -> None:
        async with asyncio.timeout(20):
            await scenario()

    asyncio.run(bounded())


def test_each_item_has_its_own_result() -> None:
    async def scenario() -> None:
        work = Work()
        own = batcher(work)
        assert await asyncio.gather(*(own.submit(item, timeout=5) for item in range(50))) == list(range(0, 100, 2))
        assert work.items == list(range(50)), "in the order they came"
        assert await own.drain(5) == 0

    run(scenario)


def test_what_comes_together_goes_together_and_nothing_waits_for_more() -> None:
    async def scenario() -> None:
        work = Work(held=True)
        own = batcher(work)
        first = asyncio.create_task(own.submit(0, timeout=5))
        await until(work.running.is_set)
        others = [asyncio.create_task(own.submit(item, timeout=5)) for item in range(1, 7)]
        await until(lambda: own.n_waiting() == 6)
        work.released.set()
        assert await asyncio.gather(first, *others) == [0, 2, 4, 6, 8, 10, 12]
        assert work.batches == [[0], [1, 2, 3, 4], [5, 6]]
        assert await asyncio.gather(*(own.submit(item, timeout=5) for item in range(4))) == [0, 2, 4, 6]
        assert work.batches[3] == [0, 1, 2, 3], "of one turn of the event loop"
        await own.drain(5)

    run(scenario)


def test_a_full_queue_refuses_and_says_when_to_come_back() -> None:
    async def scenario() -> None:
        work = Work(held=True)
        own = batcher(work, queue_size=3)
        first = asyncio.create_task(own.submit(0, timeout=5))
        await until(work.running.is_set)
        waiting = [asyncio.create_task(own.submit(item, timeout=5)) for item in (1, 2, 3)]
        await until(lambda: own.n_waiting() == 3)
        with pytest.raises(Busy, match=r"^the service is busy: 3 answers wait already; try again in 1 s$") as refused:
            await own.submit(4, timeout=5)
        assert refused.value.retry_after == 1.0, "nothing was finished yet that it could be told from"
        work.released.set()
        await asyncio.gather(first, *waiting)
        assert work.items == [0, 1, 2, 3]
        await own.drain(5)

    run(scenario)


def test_a_burst_on_a_free_thread_may_be_as_large_as_queue_and_batch() -> None:
    async def scenario() -> None:
        work = Work(held=True)
        own = batcher(work, batch_size=2, queue_size=2)
        tasks = [asyncio.create_task(own.submit(item, timeout=5)) for item in range(5)]
        await until(work.running.is_set)
        work.released.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert results[:4] == [0, 2, 4, 6]
        assert isinstance(results[4], Busy)
        await own.drain(5)

    run(scenario)


def test_the_time_to_come_back_follows_what_was_done_of_late() -> None:
    async def scenario() -> None:
        work = Work(seconds=0.1)
        own = batcher(work, batch_size=2, queue_size=6)
        await asyncio.gather(*(own.submit(item, timeout=5) for item in range(4)))
        work.released.clear()
        tasks = [asyncio.create_task(own.submit(item, timeout=5)) for item in range(8)]
        await until(lambda: own.n_waiting() == 6)
        # Two at once take 0.1 s: the two worked on and the six that wait, 0.4 s.
        assert 0.35 < own.retry_after() < 1.2
        with pytest.raises(Busy) as refused:
            await own.submit(9, timeout=5)
        assert 0.35 < refused.value.retry_after < 1.2
        work.released.set()
        await asyncio.gather(*tasks)
        assert own.retry_after() == 0
        await own.drain(5)

    run(scenario)


def test_what_is_cancelled_while_it_waits_is_never_worked_on() -> None:
    async def scenario() -> None:
        work = Work(held=True)
        own = batcher(work)
        first = asyncio.create_task(own.submit(0, timeout=5))
        await until(work.running.is_set)
        waiting = [asyncio.create_task(own.submit(item, timeout=5)) for item in (1, 2, 3)]
        await until(lambda: own.n_waiting() == 3)
        waiting[1].cancel()
        await asyncio.sleep(0)
        work.released.set()
        results = await asyncio.gather(first, *waiting, return_exceptions=True)
        assert [results[0], results[1], results[3]] == [0, 2, 6]
        assert isinstance(results[2], asyncio.CancelledError)
        assert work.items == [0, 1, 3]
        await own.drain(5)

    run(scenario)


def test_what_is_cancelled_in_the_moment_it_would_be_taken_is_not() -> None:
    async def scenario() -> None:
        work = Work()
        own = batcher(work)
        task = asyncio.create_task(own.submit(1, timeout=5))
        await asyncio.sleep(0)  # it is submitted, and the thread's turn is the next one
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await own.submit(2, timeout=5) == 4
        assert work.items == [2]
        assert own.n_waiting() == 0
        await own.drain(5)

    run(scenario)


def test_what_is_cancelled_while_it_is_worked_on_disturbs_no_other() -> None:
    async def scenario() -> None:
        work = Work(held=True)
        own = batcher(work)
        tasks = [asyncio.create_task(own.submit(item, timeout=5)) for item in (1, 2, 3)]
        await until(work.running.is_set)
        tasks[0].cancel()
        await asyncio.sleep(0)
        work.released.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(results[0], asyncio.CancelledError)
        assert results[1:] == [4, 6]
        assert await own.submit(4, timeout=5) == 8
        await own.drain(5)

    run(scenario)


@pytest.mark.parametrize("waits", [True, False])
def test_a_time_limit(waits: bool) -> None:
    async def scenario() -> None:
        work = Work(held=True)
        own = batcher(work, batch_size=1)
        first = asyncio.create_task(own.submit(0, timeout=5 if waits else 0.05))
        await until(work.running.is_set)
        second = asyncio.create_task(own.submit(1, timeout=0.05 if waits else 5))
        late, patient = (second, first) if waits else (first, second)
        with pytest.raises(TimeoutError):
            await late
        assert own.n_waiting() == (0 if waits else 1)
        work.released.set()
        assert await patient == (0 if waits else 2)
        assert work.items == ([0] if waits else [0, 1])
        await own.drain(5)

    run(scenario)


def test_draining_finishes_what_was_accepted_and_refuses_the_rest() -> None:
    async def scenario() -> None:
        work = Work(held=True)
        own = batcher(work, batch_size=2)
        tasks = [asyncio.create_task(own.submit(item, timeout=5)) for item in range(5)]
        await until(work.running.is_set)
        draining = asyncio.create_task(own.drain(5))
        await asyncio.sleep(0)
        with pytest.raises(Busy, match="it is being stopped"):
            await own.submit(9, timeout=5)
        work.released.set()
        assert await draining == 0
        assert await asyncio.gather(*tasks) == [0, 2, 4, 6, 8]
        assert work.items == [0, 1, 2, 3, 4]
        with pytest.raises(Busy):
            own.run_now([1])

    run(scenario)


def test_draining_gives_up_what_takes_too_long() -> None:
    async def scenario() -> None:
        work = Work(held=True)
        own = batcher(work, batch_size=2)
        tasks = [asyncio.create_task(own.submit(item, timeout=5)) for item in range(5)]
        await until(work.running.is_set)
        assert await own.drain(0.05) == 5
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(result, Busy) for result in results)
        work.released.set()
        assert own.n_waiting() == 0
        await asyncio.sleep(0.05)
        assert work.items == [0, 1], "the others are never worked on"

    run(scenario)


def test_draining_an_idle_batcher_is_done_at_once() -> None:
    async def scenario() -> None:
        own = batcher(Work())
        assert await own.drain(0) == 0

    run(scenario)


def test_draining_does_not_wait_for_what_nobody_waits_for() -> None:
    async def scenario() -> None:
        work = Work(held=True)
        own = batcher(work)
        task = asyncio.create_task(own.submit(1, timeout=5))
        await until(work.running.is_set)
        task.cancel()
        await asyncio.sleep(0)
        assert await own.drain(5) == 0
        work.released.set()

    run(scenario)


def test_the_work_s_exception_reaches_all_of_its_batch_and_no_other() -> None:
    def halves(items: Sequence[int]) -> list[int]:
        if 3 in items:
            raise ValueError("three is odd")
        return [item // 2 for item in items]

    async def scenario() -> None:
        own: Batcher[int, int] = batcher(halves, batch_size=2)
        results = await asyncio.gather(*(own.submit(item, timeout=5) for item in range(6)), return_exceptions=True)
        assert [results[place] for place in (0, 1, 4, 5)] == [0, 0, 2, 2]
        assert [str(results[place]) for place in (2, 3)] == ["three is odd"] * 2
        assert await own.submit(8, timeout=5) == 4
        await own.drain(5)

    run(scenario)


@pytest.mark.parametrize("error", [ValueError("no"), StopIteration()])
def test_a_result_may_be_an_exception_of_its_item_alone(error: Exception) -> None:
    async def scenario() -> None:
        own: Batcher[int, object] = Batcher(
            lambda items: [error if item == 1 else item for item in items], batch_size=4, queue_size=4, name="odd"
        )
        # Python makes a RuntimeError of a StopIteration that leaves a coroutine.
        expected = RuntimeError if isinstance(error, StopIteration) else type(error)
        first, second = (asyncio.create_task(own.submit(item, timeout=5)) for item in (0, 1))
        assert await first == 0
        with pytest.raises(expected):
            await second
        await own.drain(5)

    run(scenario)


def test_too_few_results_are_an_error_and_no_endless_wait() -> None:
    async def scenario() -> None:
        own: Batcher[int, int] = batcher(lambda items: list(items)[1:])
        with pytest.raises(RuntimeError, match="the work of 'numbers' gave 0 results for 1 items"):
            await own.submit(1, timeout=5)
        await own.drain(5)

    run(scenario)


def test_batches_are_observed_and_starts_are_told() -> None:
    seen: list[BatchSeen] = []
    started: list[int] = []

    async def scenario() -> None:
        own: Batcher[int, int] = Batcher(
            Work(seconds=0.02), batch_size=2, queue_size=9, name="seen", observe=seen.append
        )
        await asyncio.gather(
            *(own.submit(item, timeout=5, started=lambda item=item: started.append(item)) for item in range(3))
        )
        await own.drain(5)

    run(scenario)
    assert started == [0, 1, 2]
    assert [(one.name, one.n_items, len(one.waits)) for one in seen] == [("seen", 2, 2), ("seen", 1, 1)]
    assert all(0.02 <= one.seconds < 5 for one in seen)
    assert seen[1].waits[0] >= 0.02 > max(seen[0].waits)


def test_running_now_is_done_in_the_thread_of_the_batches() -> None:
    names: list[str] = []

    def named(items: Sequence[int]) -> list[int]:
        names.append(threading.current_thread().name)
        return list(items)

    own: Batcher[int, int] = batcher(named)
    assert own.run_now([1, 2, 3, 4, 5]) == [1, 2, 3, 4, 5]

    async def scenario() -> None:
        assert await own.submit(6, timeout=5) == 6
        await own.drain(5)

    run(scenario)
    assert names == ["ragcortex-numbers"] * 2


def test_running_now_raises_what_the_work_raises() -> None:
    own: Batcher[int, int] = batcher(lambda items: [1 // item for item in items])
    with pytest.raises(ZeroDivisionError):
        own.run_now([1, 0])
    own.close()


@pytest.mark.parametrize("name", ["batch_size", "queue_size"])
def test_sizes_below_one_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=rf"^{name}: must be at least 1, got 0$"):
        Batcher(Work(), **({"batch_size": 1, "queue_size": 1} | {name: 0}), name="none")


@given(
    batch_size=st.integers(1, 5),
    queue_size=st.integers(1, 12),
    callers=st.lists(
        st.tuples(st.sampled_from(["wait", "cancel", "limit"]), st.integers(0, 6), st.integers(0, 6)), max_size=40
    ),
    faults=st.sets(st.integers(0, 39), max_size=3),
)
@settings(max_examples=40, deadline=None)
def test_whatever_callers_do_each_accepted_item_has_one_result_its_own(
    batch_size: int, queue_size: int, callers: list[tuple[str, int, int]], faults: set[int]
) -> None:
    """Callers come, give up and are refused at random moments (in milliseconds); single items fail."""
    batches: list[list[int]] = []
    most_waiting = 0

    def work(items: Sequence[int]) -> list[int | Exception]:
        batches.append(list(items))
        time.sleep(0.001)
        return [ValueError(str(item)) if item in faults else 1000 + item for item in items]

    async def scenario() -> dict[int, object]:
        own: Batcher[int, int | Exception] = Batcher(work, batch_size=batch_size, queue_size=queue_size, name="any")
        results: dict[int, object] = {}

        async def call(number: int, what: str, delay: int, patience: int) -> None:
            nonlocal most_waiting
            await asyncio.sleep(delay / 1000)
            asked = asyncio.create_task(own.submit(number, timeout=patience / 1000 if what == "limit" else 30))
            await asyncio.sleep(0)
            most_waiting = max(most_waiting, own.n_waiting())
            if what == "cancel":
                await asyncio.sleep(patience / 1000)
                asked.cancel()
            try:
                results[number] = await asked
            except BaseException as error:
                results[number] = error

        await asyncio.gather(*(call(number, *caller) for number, caller in enumerate(callers)))
        assert await own.drain(10) == 0
        assert own.n_waiting() == 0
        return results

    results = asyncio.run(scenario())
    worked_on = Counter(item for batch in batches for item in batch)
    assert all(len(batch) <= batch_size for batch in batches)
    assert most_waiting <= queue_size
    assert max(worked_on.values(), default=1) == 1
    assert set(results) == set(range(len(callers)))
    for number, result in results.items():
        what = callers[number][0]
        match result:
            case Busy():
                assert worked_on[number] == 0
            case ValueError():
                assert number in faults
                assert str(result) == str(number)
            case asyncio.CancelledError():
                assert what == "cancel"
            case TimeoutError():
                assert what == "limit"
            case _:
                assert result == 1000 + number
                assert number not in faults
                assert worked_on[number] == 1
