import threading

import numpy as np
from threadpoolctl import ThreadpoolController

from ragcortex.blas_threads import one_blas_thread


def n_threads() -> int:
    np.ones((2, 2)) @ np.ones((2, 2))
    return max(one["num_threads"] for one in ThreadpoolController().select(user_api="blas").info())


def test_blocks_within_blocks_end_with_the_outermost() -> None:
    before = n_threads()
    with one_blas_thread():
        with one_blas_thread():
            assert n_threads() == 1
        assert n_threads() == 1
    assert n_threads() == before


def test_whichever_thread_leaves_last_the_number_is_what_it_was() -> None:
    before = n_threads()
    entered, leave = threading.Event(), threading.Event()

    def other() -> None:
        with one_blas_thread():
            entered.set()
            leave.wait(10)

    for other_is_first in (False, True):
        entered.clear()
        leave.clear()
        thread = threading.Thread(target=other)
        if other_is_first:
            thread.start()
            assert entered.wait(10)
        with one_blas_thread():
            assert n_threads() == 1
            if not other_is_first:
                thread.start()
                assert entered.wait(10)
            else:
                leave.set()
                thread.join()
        leave.set()
        thread.join()
        assert n_threads() == before


def test_many_threads_leave_the_number_as_it_was() -> None:
    before = n_threads()

    def work() -> None:
        for _ in range(50):
            with one_blas_thread():
                np.ones((4, 4)) @ np.ones((4, 4))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert n_threads() == before


def test_an_error_within_a_block_ends_it() -> None:
    before = n_threads()
    try:
        with one_blas_thread():
            raise ValueError
    except ValueError:
        pass
    assert n_threads() == before
