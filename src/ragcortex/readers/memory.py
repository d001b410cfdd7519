"""What memory limits: freed memory given back, batches divided where they do not fit, weights that are our own."""

import ctypes
import functools
import logging
import sys
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from ragcortex.errors import OutOfMemoryError

Item = TypeVar("Item")
Result = TypeVar("Result")

_log = logging.getLogger("ragcortex")
# In what torch says where memory ran out: CUDA and MPS, the CPU on Linux and on Windows, C++ in general, cuBLAS.
_SIGNS: Final = (
    "out of memory",
    "can't allocate memory",
    "cannot allocate memory",
    "not enough memory",
    "std::bad_alloc",
    "cublas_status_alloc_failed",
)


def memory_ran_out(error: BaseException) -> bool:
    """Return whether an error says that memory ran out: Python's own, or torch's, which is told by its words."""
    if isinstance(error, MemoryError):
        return True
    message = str(error).lower()
    return isinstance(error, RuntimeError) and any(sign in message for sign in _SIGNS)


def within_memory(
    read: Callable[[Sequence[Item]], Sequence[Result]],
    items: Sequence[Item],
    what: str,
    *,
    forget: Callable[[], bool] = lambda: False,
) -> tuple[list[Result], bool]:
    """Return what is read of all items at once, or of ever smaller parts of them where the memory does not suffice.

    A part that had to be made is said in the log, as a warning.

    Args:
        read: from items to as many results, in order; results depend on no other item.
        items: at least one.
        what: the items, as a plural noun.
        forget: frees memory that is held without need, and returns whether there was any.

    Returns:
        The results in order, and whether the items were divided.

    Raises:
        OutOfMemoryError: the memory does not suffice for a single item.
        Exception: whatever else `read` raises.
    """
    try:
        return list(read(items)), False
    except (RuntimeError, MemoryError) as error:
        if not memory_ran_out(error):
            raise
        failure = " ".join(str(error).split())[:200] or type(error).__name__
    # No longer in the handler: the error's traceback holds what the failed pass had made, and is gone only now.
    forgot = forget()
    release_memory()
    if len(items) == 1:
        if forgot:
            return within_memory(read, items, what)
        raise OutOfMemoryError(failure)
    half = len(items) // 2
    _log.warning("memory ran out for %d %s read at once: reading %d at a time", len(items), what, len(items) - half)
    first, _ = within_memory(read, items[:half], what, forget=forget)
    rest, _ = within_memory(read, items[half:], what, forget=forget)
    return [*first, *rest], True


def own_weights(model: Any) -> None:
    """Copy a model's weights that are mapped from its files, so that whoever writes to these changes no score.

    safetensors maps a file and torch takes its pages as they are: what is written there later, or cut off, would be
    read as weights, or end the process. Weights on an accelerator are copies anyway.
    """
    for tensor in (*model.parameters(), *model.buffers()):
        if tensor.device.type == "cpu":
            tensor.data = tensor.data.clone()


def return_freed_memory() -> None:
    """Hand memory that Python and torch have freed back to the operating system, where the C library can (glibc).

    Batches of ever new shapes fragment glibc's heap: without this, a thousand rows that need 1 GB grow to several.
    """
    trim = _trim()
    if trim is not None:
        trim(0)


def release_memory() -> None:
    """Give back what a failed computation may still hold: the accelerator's cache and the heap's."""
    import torch

    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    return_freed_memory()


@functools.cache
def _trim() -> Callable[[int], int] | None:
    if not sys.platform.startswith("linux"):
        return None
    try:
        return ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError):  # another C library, such as musl
        return None
