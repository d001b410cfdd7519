"""A time limit for what runs in this process, so that a test of something that hangs fails instead of hanging."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class HangError(BaseException):
    """Something took too long; no ordinary error, so that nothing which is tried catches it."""


@contextmanager
def limited(seconds: float, what: str = "") -> Iterator[None]:
    """Raise HangError where the block takes longer; waiting for a pipe or a lock is interrupted as well."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise HangError(f"more than {seconds} s {what}")

    handler = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
