"""Attention of the answer's rows, pooled while the layers run; whole maps are never held.

An attention function registered with transformers calls the ordinary SDPA kernel for the model's own output and, when
a pool is active, adds the softmax of just the answer's rows to it. Its mask function is registered as well: without
one, transformers passes no mask at all and causality and padding are lost.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

import torch

from ragcortex.errors import ReadingError

IMPLEMENTATION: Final = "ragcortex_pooled"
# Scores held at once while pooling: heads x rows x columns, 64 MiB in float32.
_MAX_SCORES: Final = 1 << 24


@dataclass(frozen=True, slots=True)
class Rows:
    """Where one sequence of a batch has its answer and its references: half-open positions in the padded row."""

    answer: tuple[int, int]
    references: tuple[int, int]


@dataclass(slots=True)
class AttentionPool:
    """Sums of attention over layers, for every sequence of a batch.

    Attributes:
        rows: the positions of answer and references, one a sequence.
        layers: layer indices (0 = the first) to pool.
        heads: head indices to pool, None for all.
    """

    rows: Sequence[Rows]
    layers: frozenset[int]
    heads: tuple[int, ...] | None = None
    _answer: list[torch.Tensor] = field(default_factory=list)
    _references: list[torch.Tensor] = field(default_factory=list)
    _n_layers: int = 0

    def add(
        self,
        module: Any,
        query: torch.Tensor,
        key: torch.Tensor,
        mask: torch.Tensor | None,
        *,
        scaling: float | None,
        softcap: float | None,
    ) -> None:
        """Add one layer's answer rows; called by the attention function.

        Raises:
            ReadingError: a head is asked for that the layer does not have.
        """
        if module.layer_idx not in self.layers:
            return
        if self.heads is not None and max(self.heads) >= query.shape[1]:
            raise ReadingError(
                f"the reader has attention heads 0 to {query.shape[1] - 1}, the detector asks for {max(self.heads)}"
            )
        self._n_layers += 1
        for index, rows in enumerate(self.rows):
            row_mask = None if mask is None else mask[index if mask.shape[0] > 1 else 0]
            answer, references = _pooled_rows(
                query[index], key[index], row_mask, rows, heads=self.heads, scaling=scaling, softcap=softcap
            )
            if self._n_layers == 1:
                self._answer.append(answer)
                self._references.append(references)
            else:
                self._answer[index] += answer
                self._references[index] += references

    def means(self) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Return for each sequence the (n, n) answer attention and the (n,) mass on the references.

        Raises:
            ReadingError: a requested layer never called the attention function.
        """
        if self._n_layers != len(self.layers):
            raise ReadingError(
                f"attention was pooled in {self._n_layers} of {len(self.layers)} layers: this architecture does not "
                "use transformers' attention interface in every layer; choose attention_layers that do"
            )
        return [
            (answer / self._n_layers, references / self._n_layers)
            for answer, references in zip(self._answer, self._references, strict=True)
        ]


_ACTIVE: ContextVar[AttentionPool | None] = ContextVar("ragcortex_attention_pool", default=None)


@contextmanager
def pooling(pool: AttentionPool | None) -> Iterator[None]:
    """Pool the attention of every forward pass inside the block; None pools nothing."""
    token = _ACTIVE.set(pool)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


def register() -> str:
    """Register the attention and mask functions with transformers and return their name."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    AttentionInterface.register(IMPLEMENTATION, _attention)
    AttentionMaskInterface.register(IMPLEMENTATION, sdpa_mask)
    return IMPLEMENTATION


def _attention(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    *,
    scaling: float | None = None,
    softcap: float | None = None,
    **kwargs: Any,
) -> tuple[torch.Tensor, None]:
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    if kwargs.get("s_aux") is not None:
        raise ReadingError("this architecture uses attention sinks, which the pooled attention does not support")
    pool = _ACTIVE.get()
    if pool is not None:
        pool.add(module, query, key, attention_mask, scaling=scaling, softcap=softcap)
    if softcap is not None:
        return _softcapped(query, key, value, attention_mask, scaling=scaling, softcap=softcap), None
    output, _ = sdpa_attention_forward(module, query, key, value, attention_mask, scaling=scaling, **kwargs)
    return output, None


def _pooled_rows(
    query: torch.Tensor,
    key: torch.Tensor,
    mask: torch.Tensor | None,
    rows: Rows,
    *,
    heads: tuple[int, ...] | None,
    scaling: float | None,
    softcap: float | None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the (n, n) answer attention and (n,) reference mass of one layer of one sequence, mean over heads.

    query is (H, L, e), key (K, L, e) with H a multiple of K, mask (1, L, L) or None for plain causality.
    """
    start, stop = rows.answer
    n_columns = key.shape[1] if mask is not None else stop
    key = key[:, :n_columns]
    chunk = max(1, _MAX_SCORES // (query.shape[0] * n_columns))
    answer, references = [], []
    for first in range(start, stop, chunk):
        last = min(first + chunk, stop)
        row_mask = None if mask is None else mask[0, first:last, :n_columns]
        probs = _probabilities(query[:, first:last], key, row_mask, first, scaling=scaling, softcap=softcap)
        chosen = probs if heads is None else probs[list(heads)]
        mean = chosen.mean(dim=0)
        answer.append(mean[:, start:stop])
        references.append(mean[:, rows.references[0] : rows.references[1]].sum(dim=-1))
    return torch.cat(answer), torch.cat(references)


def _probabilities(
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


def _softcapped(
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
    chunk = max(1, _MAX_SCORES // (n_heads * key.shape[2]))
    output = query.new_empty(n_batch, n_rows, n_heads, value.shape[-1])
    for index in range(n_batch):
        row_mask = None if mask is None else mask[index if mask.shape[0] > 1 else 0, 0]
        for first in range(0, n_rows, chunk):
            last = min(first + chunk, n_rows)
            probs = _probabilities(
                query[index, :, first:last],
                key[index],
                None if row_mask is None else row_mask[first:last],
                first,
                scaling=scaling,
                softcap=softcap,
            )
            grouped = probs.to(value.dtype).view(n_key_heads, -1, key.shape[2])
            mixed = torch.matmul(grouped, value[index]).view(n_heads, last - first, -1)
            output[index, first:last] = mixed.transpose(0, 1)
    return output
