"""The softmax of some rows of attention, and attention with soft-capped scores, which SDPA does not have."""

from typing import Final

import torch

# Scores held at once: heads x rows x columns, 64 MiB in float32.
MAX_SCORES: Final = 1 << 24


def probabilities(
    query: torch.Tensor,
    key: torch.Tensor,
    mask: torch.Tensor | None,
    first_row: int,
    *,
    scaling: float | None,
    softcap: float | None,
) -> torch.Tensor:
    """Return the softmax, float32 (H, r, L), of query rows `first_row..` (H, r, e) over keys (K, L, e).

    A row that may see nothing (padding on the left) is uniform rather than NaN, which would spread to other rows.
    """
    n_heads, n_rows, width = query.shape
    n_key_heads, n_columns, _ = key.shape
    grouped = query.reshape(n_key_heads, n_heads // n_key_heads * n_rows, width)
    scores = torch.matmul(grouped, key.transpose(1, 2)).float().view(n_heads, n_rows, n_columns)
    scores = scores * (width**-0.5 if scaling is None else scaling)
    if softcap is not None:
        scores = torch.tanh(scores / softcap) * softcap
    if mask is None:
        columns = torch.arange(n_columns, device=key.device)
        positions = torch.arange(first_row, first_row + n_rows, device=key.device)
        mask = columns[None, :] <= positions[:, None]
    lowest = torch.finfo(scores.dtype).min
    scores = scores.masked_fill(~mask, lowest) if mask.dtype == torch.bool else (scores + mask).clamp(min=lowest)
    return torch.softmax(scores, dim=-1)


def softcapped(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None,
    *,
    scaling: float | None,
    softcap: float,
) -> torch.Tensor:
    """Return attention with soft-capped scores (Gemma 2), (B, L, H, e); SDPA has no soft cap, so rows go in chunks."""
    n_batch, n_heads, n_rows, _ = query.shape
    n_key_heads = key.shape[1]
    chunk = max(1, MAX_SCORES // (n_heads * key.shape[2]))
    n_cached = key.shape[2] - n_rows  # without a mask, the rows are the last of the columns
    output = query.new_empty(n_batch, n_rows, n_heads, value.shape[-1])
    for index in range(n_batch):
        row_mask = None if mask is None else mask[index if mask.shape[0] > 1 else 0, 0]
        for first in range(0, n_rows, chunk):
            last = min(first + chunk, n_rows)
            probs = probabilities(
                query[index, :, first:last],
                key[index],
                None if row_mask is None else row_mask[first:last],
                n_cached + first,
                scaling=scaling,
                softcap=softcap,
            )
            grouped = probs.to(value.dtype).view(n_key_heads, -1, key.shape[2])
            mixed = torch.matmul(grouped, value[index]).view(n_heads, last - first, -1)
            output[index, first:last] = mixed.transpose(0, 1)
    return output
