"""Long work one after the other, in a thread of its own, with a bounded number that waits."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

from ragcortex.service.batching import Busy

T = TypeVar("T")
_BUSY_SECONDS: Final = 30.0


class Turns:
    """A thread that does what it is given, in order; it starts with the first."""

    def __init__(self, n_waiting: int, name: str) -> None:
        """Let at most so many wait beside the one that is worked on."""
        self._most = n_waiting + 1
        self._executor = ThreadPoolExecutor(1, f"ragcortex-{name}")
        self._name = name
        self._n_accepted = 0
        self._lock = threading.Lock()

    async def run(self, work: Callable[[], T]) -> T:
        """Return what the work gives.

        Work that is cancelled while it waits is never begun; once begun it is finished.

        Raises:
            Busy: too many wait already, or nothing more is accepted.
            Exception: whatever the work raises.
        """
        with self._lock:
            if self._n_accepted >= self._most:
                raise Busy(_BUSY_SECONDS, f"{self._n_accepted} wait for {self._name} already")
            try:
                future = self._executor.submit(work)
            except RuntimeError:
                raise Busy(_BUSY_SECONDS, "it is being stopped") from None
            self._n_accepted += 1
        future.add_done_callback(self._done)
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Give up what waits, and return once what is worked on is finished."""
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _done(self, _future: Future[Any]) -> None:
        with self._lock:
            self._n_accepted -= 1
