"""The nearest chunks of each query, by one exact matrix product; deterministic, in bounded memory."""

from contextlib import nullcontext
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.blas_threads import one_blas_thread
from ragcortex.errors import InputError

Floats = npt.NDArray[np.float32]

# Similarities held at once: 16 MB, so that thousands of queries against a large matrix do not fill the memory.
_BLOCK_CELLS: Final = 4_000_000
# Up to so many multiplications (20 queries among 5,000 chunks of 768 dimensions) one thread takes some 10 ms at most.
_ONE_THREAD_PRODUCTS: Final = 80_000_000
# One float of each memory page of 4,096 bytes.
_FLOATS_PER_PAGE: Final = 1024


@dataclass(frozen=True, slots=True, eq=False)
class Neighbours:
    """The nearest chunks of m queries among n chunks; k is what was asked for, or n where there are fewer chunks.

    Attributes:
        indices: row numbers of the chunks, the most similar first, equals by number; intp, shape (m, k).
        similarities: their cosines, falling along each row; float32, shape (m, k).
        n_close: how many of all chunks have a cosine of at least 1 − radius; intp, shape (m,).
    """

    indices: npt.NDArray[np.intp]
    similarities: Floats
    n_close: npt.NDArray[np.intp]

    def __post_init__(self) -> None:
        if self.indices.ndim != 2 or self.indices.dtype != np.intp:
            raise InputError("indices", f"must be intp of shape (m, k), got {self.indices.dtype} {self.indices.shape}")
        expected = (("similarities", self.indices.shape, np.float32), ("n_close", self.indices.shape[:1], np.intp))
        for name, shape, dtype in expected:
            array = getattr(self, name)
            if array.shape != shape or array.dtype != dtype:
                raise InputError(
                    name, f"must be {np.dtype(dtype)} of shape {shape}, got {array.dtype} of shape {array.shape}"
                )

    def __len__(self) -> int:
        return len(self.indices)


def search(queries: Floats, matrix: Floats, k: int, *, radius: float = 0.25) -> Neighbours:
    """Return the k most similar chunks of each query, and how many chunks lie within the radius.

    Args:
        queries: vectors of length 1, float32, shape (m, d).
        matrix: vectors of the chunks, of length 1, float32, shape (n, d); may be memory-mapped.
        k: how many chunks to return for each query, from 1 on; fewer are returned only where there are fewer.
        radius: the cosine distance, in [0, 2], within which a chunk counts as close.

    Raises:
        InputError: an array has another type or shape, or k or the radius is out of range.
    """
    _check(queries, matrix, k, radius)
    # A view of a memory-mapped matrix as a plain array spares each operation the subclass's bookkeeping.
    rows = np.asarray(matrix)
    n_queries, n_chunks = len(queries), len(rows)
    kept = min(k, n_chunks)
    indices = np.zeros((n_queries, kept), dtype=np.intp)
    similarities = np.zeros((n_queries, kept), dtype=np.float32)
    n_close = np.zeros(n_queries, dtype=np.intp)
    if kept:
        step = max(1, _BLOCK_CELLS // n_chunks)
        for start in range(0, n_queries, step):
            block = _cosines(queries[start : start + step], rows)
            n_close[start : start + step] = np.count_nonzero(block >= np.float32(1 - radius), axis=1)
            for query, row in enumerate(block, start):
                indices[query], similarities[query] = _largest(row, kept)
    return Neighbours(indices, similarities, n_close)


def _cosines(queries: Floats, rows: Floats) -> Floats:
    """Return the cosines of queries (rows) with chunks (columns)."""
    small = len(queries) * rows.size <= _ONE_THREAD_PRODUCTS
    with one_blas_thread() if small else nullcontext():
        # The large matrix as the left factor: the other way round BLAS copies it to repack it.
        return np.ascontiguousarray((rows @ queries.T).T)


def warm(matrix: Floats) -> None:
    """Read a memory-mapped matrix into memory once, one number of each page, so that no search waits for the disk."""
    np.asarray(matrix).reshape(-1)[::_FLOATS_PER_PAGE].sum()


def _largest(row: Floats, k: int) -> tuple[npt.NDArray[np.intp], Floats]:
    """Return the numbers and values of the k largest values, largest first, equals by number.

    Which of several equal values a partition puts first is left open by numpy, so the partition only tells the k-th
    value; everything equal to it takes part in the stable sort.
    """
    lowest = np.partition(row, len(row) - k)[len(row) - k]
    candidates = np.flatnonzero(row >= lowest)
    chosen = candidates[np.argsort(-row[candidates], kind="stable")[:k]]
    return chosen, row[chosen]


def _check(queries: Floats, matrix: Floats, k: int, radius: float) -> None:
    for name, array in (("queries", queries), ("matrix", matrix)):
        if array.ndim != 2 or array.dtype != np.float32:
            raise InputError(name, f"must be float32 of shape (n, d), got {array.dtype} of shape {array.shape}")
    if queries.shape[1] != matrix.shape[1]:
        raise InputError("queries", f"must have the chunks' dimension {matrix.shape[1]}, got {queries.shape[1]}")
    if not isinstance(k, int) or isinstance(k, bool) or k < 1:
        raise InputError("k", f"must be a whole number from 1 on, got {k!r}")
    if not 0 <= radius <= 2:
        raise InputError("radius", f"must be a cosine distance in [0, 2], got {radius!r}")
