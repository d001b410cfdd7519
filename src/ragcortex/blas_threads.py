"""How many threads numpy's BLAS library takes for products that are small."""

import threading
from contextlib import AbstractContextManager
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController


class _OneThread:
    """Limits BLAS while the thread that entered first is in its outermost block.

    The number is one for the whole process, and threadpoolctl lets only the thread that changed it change it back. What
    other threads do in blocks of theirs is limited meanwhile, and not any more once that thread has left.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner: threading.Thread | None = None
        self._depth = 0
        self._limit: AbstractContextManager[object] | None = None

    def __enter__(self) -> None:
        with self._lock:
            if self._owner is None:
                self._limit = _blas().limit(limits=1)
                self._owner = threading.current_thread()
            if self._owner is threading.current_thread():
                self._depth += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            if self._owner is not threading.current_thread():
                return
            self._depth -= 1
            if not self._depth and self._limit is not None:
                self._limit.__exit__(None, None, None)
                self._owner = self._limit = None


def one_blas_thread() -> AbstractContextManager[None]:
    """Return what runs a block's products of numpy on one thread; several threads may be in such a block at once.

    A second thread gains little where products are small, and it goes on spinning for some 50 ms, in which it takes its
    core from the models.
    """
    return _ONE_THREAD


_ONE_THREAD = _OneThread()


@cache
def _blas() -> "ThreadpoolController":
    """Return the handle on numpy's BLAS library, found once."""
    from threadpoolctl import ThreadpoolController

    found: ThreadpoolController = ThreadpoolController().select(user_api="blas")
    return found
