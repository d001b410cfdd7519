"""Attention of packed answers in blocks, with gradients: only the scores that a pack may have are computed.

Answers behind one prefix see a third of the square that SDPA computes behind a mask, and SDPA's gradient on a CPU costs
five times its values. Here rows go in blocks that fit the processor's cache, heads that share keys go in one product,
and probabilities are kept from values to gradients: half the time of SDPA with gradients (`benchmarks/tuning.py`), the
same without, so it is used with gradients only.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

import torch

from ragcortex.errors import ReadingError

# Query rows a block; between 64 and 256 the time is the same.
_BLOCK: Final = 128

Rows = tuple[tuple[int, int], ...]

_ACTIVE: ContextVar[Rows | None] = ContextVar("ragcortex_packed_rows", default=None)


@contextmanager
def in_blocks(rows: Rows | None) -> Iterator[None]:
    """Compute the attention of every forward pass inside the block in blocks; None leaves it to SDPA.

    Args:
        rows: the half-open rows of each answer in the packed sequence, in order and next to each other; what stands
            before the first is the prefix. All layers see all of what came before, none a sliding window.
    """
    token = _ACTIVE.set(rows)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


def block_rows() -> Rows | None:
    """Return the rows to be computed in blocks, None outside of `in_blocks` and where no gradient is wanted."""
    return _ACTIVE.get() if torch.is_grad_enabled() else None


def block_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, rows: Rows, scaling: float | None
) -> torch.Tensor:
    """Return the attention's output, (1, H, L, e): an answer's row sees the prefix and its own answer up to itself.

    Under autocast the products are taken in its type, as SDPA takes them.

    Args:
        query: (1, H, L, d).
        key: (1, K, L, d), H being a multiple of K.
        value: (1, K, L, e).
        rows: as in `in_blocks`.
        scaling: of the scores; None for d^-½.

    Raises:
        ReadingError: the sequence is not one pack of these rows.
    """
    if query.shape[0] != 1 or not (query.shape[2] == key.shape[2] == rows[-1][1]):
        raise ReadingError(
            f"a pack of {rows[-1][1]} rows is read alone and whole, got queries of shape {tuple(query.shape)} and keys "
            f"of shape {tuple(key.shape)}"
        )
    kind = query.device.type
    dtype = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else query.dtype
    n_heads, length, width = query.shape[1:]
    n_keys = key.shape[1]
    scale = width**-0.5 if scaling is None else scaling
    grouped = (query[0] * scale).to(dtype).reshape(n_keys, n_heads // n_keys, length, width)
    output: torch.Tensor = _Blocks.apply(grouped, key[0].to(dtype), value[0].to(dtype), rows)  # type: ignore[no-untyped-call]
    return output.reshape(1, n_heads, length, -1)


class _Blocks(torch.autograd.Function):
    """softmax(q kᵀ) v over the blocks of a pack; q (K, G, L, d) is scaled already, k (K, L, d), v (K, L, e)."""

    @staticmethod
    def forward(ctx: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, rows: Rows) -> torch.Tensor:
        output = query.new_empty(*query.shape[:3], value.shape[-1])
        probabilities = []
        with torch.autocast(query.device.type, enabled=False):
            for first, last, own in _blocks(rows):
                scores = torch.bmm(_flat(query, first, last), _seen(key, rows, own, last).transpose(1, 2))
                _hide_later(scores, last - first)
                probs = torch.softmax(scores, dim=-1)
                output[:, :, first:last] = _parted(torch.bmm(probs, _seen(value, rows, own, last)), last - first)
                probabilities.append(probs)
        ctx.save_for_backward(query, key, value, *probabilities)
        ctx.rows = rows
        return output

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, None]:
        query, key, value, *probabilities = ctx.saved_tensors
        rows: Rows = ctx.rows
        query_gradient = torch.empty_like(query)
        # Every answer adds to the prefix's gradients: in float32, so that no small one is lost.
        key_gradient = torch.zeros_like(key, dtype=torch.float32)
        value_gradient = torch.zeros_like(value, dtype=torch.float32)
        with torch.autocast(query.device.type, enabled=False):
            for (first, last, own), probs in zip(_blocks(rows), probabilities, strict=True):
                outer = _flat(gradient, first, last)
                wanted = torch.bmm(outer, _seen(value, rows, own, last).transpose(1, 2))
                inner = torch._softmax_backward_data(wanted, probs, -1, probs.dtype)
                by_row = torch.bmm(inner, _seen(key, rows, own, last))
                query_gradient[:, :, first:last] = _parted(by_row, last - first)
                _add(key_gradient, torch.bmm(inner.transpose(1, 2), _flat(query, first, last)), rows, own, last)
                _add(value_gradient, torch.bmm(probs.transpose(1, 2), outer), rows, own, last)
        return query_gradient, key_gradient.to(key.dtype), value_gradient.to(value.dtype), None


def _blocks(rows: Rows) -> Iterator[tuple[int, int, int]]:
    """Yield (first row, last row, first row of its own answer, or 0 in the prefix) of each block."""
    for start, stop, own in [(0, rows[0][0], 0), *((first, last, first) for first, last in rows)]:
        for first in range(start, stop, _BLOCK):
            yield first, min(first + _BLOCK, stop), own


def _seen(values: torch.Tensor, rows: Rows, own: int, last: int) -> torch.Tensor:
    """Return those of (K, L, d) that a block sees, later ones of its own rows among them: prefix, then its answer."""
    if own == 0:
        return values[:, :last]
    return torch.cat([values[:, : rows[0][0]], values[:, own:last]], dim=1)


def _add(total: torch.Tensor, part: torch.Tensor, rows: Rows, own: int, last: int) -> None:
    """Add what `_seen` took apart to where it came from."""
    if own == 0:
        total[:, :last] += part
        return
    n_prefix = rows[0][0]
    total[:, :n_prefix] += part[:, :n_prefix]
    total[:, own:last] += part[:, n_prefix:]


def _flat(values: torch.Tensor, first: int, last: int) -> torch.Tensor:
    """Return some rows of (K, G, L, d) with the heads that share keys below each other: (K, G·rows, d)."""
    return values[:, :, first:last].reshape(values.shape[0], -1, values.shape[-1])


def _parted(values: torch.Tensor, n_rows: int) -> torch.Tensor:
    """Undo `_flat`."""
    return values.view(values.shape[0], -1, n_rows, values.shape[-1])


def _hide_later(scores: torch.Tensor, n_rows: int) -> None:
    """Hide from each row of a block what stands behind it; its last columns are its own rows."""
    later = torch.ones(n_rows, n_rows, dtype=torch.bool, device=scores.device).triu(1)
    _parted(scores, n_rows)[..., -n_rows:].masked_fill_(later, float("-inf"))
