"""Giving freed memory back, so that a long run stays flat."""

import ctypes
import functools
import sys
from collections.abc import Callable


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
