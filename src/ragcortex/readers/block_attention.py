"""Attention of a packed row in blocks, with gradients: only the scores that its segments may have are computed.

Answers behind one prefix see a third of the square that SDPA computes behind a mask, and SDPA's gradient on a CPU costs
five times its values. Here rows go in blocks that fit the processor's cache, heads that share keys go in one product,
and probabilities are kept from values to gradients: half the time of SDPA in bfloat16 (`benchmarks/tuning.py`), the
same without, so it is used with gradients only.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import torch

from ragcortex.errors import ReadingError
from ragcortex.readers.packed_layout import seen
from ragcortex.readers.packed_row import Segment

# Query rows a block; between 64 and 256 the time is the same.
_BLOCK: Final = 128


def block_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, segments: Sequence[Segment], scaling: float | None
) -> torch.Tensor:
    """Return the attention's output, (1, H, L, e): a row sees what is before its segment, and its segment up to itself.

    Under autocast the products are taken in its type, as SDPA takes them.

    Args:
        query: (1, H, L, d).
        key: (1, K, L, d), H being a multiple of K.
        value: (1, K, L, e).
        segments: of the packed row, in its order.
        scaling: of the scores; None for d^-½.

    Raises:
        ReadingError: the sequence is not the row of these segments.
    """
    n_rows = segments[-1].stop
    if query.shape[0] != 1 or not (query.shape[2] == key.shape[2] == n_rows):
        raise ReadingError(
            f"a packed row of {n_rows} tokens is read alone and whole, got queries of shape {tuple(query.shape)} and "
            f"keys of shape {tuple(key.shape)}"
        )
    kind = query.device.type
    dtype = torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else query.dtype
    n_heads, length, width = query.shape[1:]
    n_keys = key.shape[1]
    scale = width**-0.5 if scaling is None else scaling
    grouped = (query[0] * scale).to(dtype).reshape(n_keys, n_heads // n_keys, length, width)
    output: torch.Tensor = _Blocks.apply(grouped, key.to(dtype), value.to(dtype), segments)  # type: ignore[no-untyped-call]
    return output.reshape(1, n_heads, length, -1)


class _Blocks(torch.autograd.Function):
    """softmax(q kᵀ) v over blocks; q (K, G, L, d) is scaled already, k (1, K, L, d), v (1, K, L, e)."""

    @staticmethod
    def forward(
        ctx: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, segments: Sequence[Segment]
    ) -> torch.Tensor:
        output = query.new_empty(*query.shape[:3], value.shape[-1])
        probabilities = []
        with torch.autocast(query.device.type, enabled=False):
            for block in _blocks(segments):
                n_rows = block.stop - block.start
                scores = torch.bmm(_flat(query, block), seen(key, block)[0].transpose(1, 2))
                _hide_later(scores, n_rows)
                probs = torch.softmax(scores, dim=-1)
                output[:, :, block.start : block.stop] = _parted(torch.bmm(probs, seen(value, block)[0]), n_rows)
                probabilities.append(probs)
        ctx.save_for_backward(query, key, value, *probabilities)
        ctx.segments = segments
        return output

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, None]:
        query, key, value, *probabilities = ctx.saved_tensors
        query_gradient = torch.empty_like(query)
        # Every answer adds to the prefix's gradients: in float32, so that no small one is lost.
        key_gradient = torch.zeros_like(key, dtype=torch.float32)
        value_gradient = torch.zeros_like(value, dtype=torch.float32)
        with torch.autocast(query.device.type, enabled=False):
            for block, probs in zip(_blocks(ctx.segments), probabilities, strict=True):
                outer = _flat(gradient, block)
                wanted = torch.bmm(outer, seen(value, block)[0].transpose(1, 2))
                inner = torch._softmax_backward_data(wanted, probs, -1, probs.dtype)
                by_row = torch.bmm(inner, seen(key, block)[0])
                query_gradient[:, :, block.start : block.stop] = _parted(by_row, block.stop - block.start)
                _add(key_gradient, torch.bmm(inner.transpose(1, 2), _flat(query, block)), block)
                _add(value_gradient, torch.bmm(probs.transpose(1, 2), outer), block)
        return query_gradient, key_gradient.to(key.dtype), value_gradient.to(value.dtype), None


def _blocks(segments: Sequence[Segment]) -> Iterator[Segment]:
    """Yield stretches of segments: each sees, besides what is before its segment, the stretches before it in there."""
    for segment in segments:
        for start in range(segment.start, segment.stop, _BLOCK):
            earlier = ((segment.start, start),) if start > segment.start else ()
            yield Segment(start, min(start + _BLOCK, segment.stop), (*segment.before, *earlier))


def _add(total: torch.Tensor, part: torch.Tensor, block: Segment) -> None:
    """Add what `seen` took apart, (K, L, d), to where it came from, (1, K, L, d)."""
    done = 0
    for start, stop in (*block.before, (block.start, block.stop)):
        total[0, :, start:stop] += part[:, done : done + stop - start]
        done += stop - start


def _flat(values: torch.Tensor, block: Segment) -> torch.Tensor:
    """Return a block's rows of (K, G, L, d) with the heads that share keys below each other: (K, G·rows, d)."""
    return values[:, :, block.start : block.stop].reshape(values.shape[0], -1, values.shape[-1])


def _parted(values: torch.Tensor, n_rows: int) -> torch.Tensor:
    """Undo `_flat`."""
    return values.view(values.shape[0], -1, n_rows, values.shape[-1])


def _hide_later(scores: torch.Tensor, n_rows: int) -> None:
    """Hide from each row of a block what stands behind it; its last columns are its own rows."""
    later = torch.ones(n_rows, n_rows, dtype=torch.bool, device=scores.device).triu(1)
    _parted(scores, n_rows)[..., -n_rows:].masked_fill_(later, float("-inf"))
