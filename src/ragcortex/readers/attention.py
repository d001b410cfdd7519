"""Attention of the answer's rows, taken while the layers run; whole maps are never held.

An attention function registered with transformers calls the ordinary SDPA kernel for the model's own output and, when
a watch is active, shows the softmax of just the answer's rows to its observers. Its mask function is registered as
well: without one, transformers passes no mask at all and causality and padding are lost.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, Protocol

import torch

from ragcortex.errors import ReadingError
from ragcortex.readers.pack_attention import block_attention, block_rows

IMPLEMENTATION: Final = "ragcortex_pooled"
# Scores held at once: heads x rows x columns, 64 MiB in float32.
_MAX_SCORES: Final = 1 << 24


@dataclass(frozen=True, slots=True)
class Rows:
    """Where one sequence of a batch has its answer and its references: half-open positions in the padded row."""

    answer: tuple[int, int]
    references: tuple[int, int]


class AttentionObserver(Protocol):
    """Something that takes the answer rows of the attention of some layers.

    Attributes:
        layers: layer indices (0 = the first) it is shown.
    """

    layers: frozenset[int]

    def take(self, layer: int, index: int, first: int, probs: torch.Tensor) -> None:
        """Take some rows of one layer of one sequence of the batch.

        Args:
            layer: the layer's index.
            index: the sequence's place in the batch.
            first: the position, in the padded row, of the first of these rows; rows come in order.
            probs: attention (H, r, columns), float32; columns are positions in the padded row from 0, at least up to
                the answer's end.
        """


@dataclass(slots=True)
class AttentionWatch:
    """Shows the answer rows of one forward pass to everything that observes them; each is computed once.

    Attributes:
        rows: where each sequence of the batch has its answer and its references.
        observers: who is shown them.
    """

    rows: Sequence[Rows]
    observers: Sequence[AttentionObserver]

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
        """Show one layer's answer rows; called by the attention function."""
        layer = module.layer_idx
        observers = [observer for observer in self.observers if layer in observer.layers]
        if not observers:
            return
        for index, rows in enumerate(self.rows):
            row_mask = None if mask is None else mask[index if mask.shape[0] > 1 else 0]
            for first, probs in _answer_rows(
                query[index], key[index], row_mask, rows, scaling=scaling, softcap=softcap
            ):
                for observer in observers:
                    observer.take(layer, index, first, probs)


class AttentionPool:
    """Sums of attention over layers, for every sequence of a batch.

    Args:
        rows: the positions of answer and references, one a sequence.
        layers: layer indices (0 = the first) to pool.
        heads: head indices to pool, None for all.
    """

    def __init__(self, rows: Sequence[Rows], layers: frozenset[int], heads: tuple[int, ...] | None = None) -> None:
        self.layers = layers
        self._rows, self._heads = rows, heads
        self._seen: set[int] = set()
        self._answer: list[torch.Tensor | None] = [None] * len(rows)
        self._references: list[torch.Tensor | None] = [None] * len(rows)

    def take(self, layer: int, index: int, first: int, probs: torch.Tensor) -> None:
        """Add rows of one layer; see `AttentionObserver`.

        Raises:
            ReadingError: a head is asked for that the layer does not have.
        """
        if self._heads is not None and max(self._heads) >= probs.shape[0]:
            raise ReadingError(
                f"the reader has attention heads 0 to {probs.shape[0] - 1}, the detector asks for {max(self._heads)}"
            )
        self._seen.add(layer)
        (start, stop), (first_reference, last_reference) = self._rows[index].answer, self._rows[index].references
        mean = (probs if self._heads is None else probs[list(self._heads)]).mean(dim=0)
        answer, references = self._sums(index, stop - start, probs)
        rows = slice(first - start, first - start + probs.shape[1])
        answer[rows] += mean[:, start:stop]
        references[rows] += mean[:, first_reference:last_reference].sum(dim=-1)

    def _sums(self, index: int, n: int, like: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        answer, references = self._answer[index], self._references[index]
        if answer is None or references is None:
            answer, references = like.new_zeros(n, n), like.new_zeros(n)
            self._answer[index], self._references[index] = answer, references
        return answer, references

    def means(self) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Return for each sequence the (n, n) answer attention and the (n,) mass on the references.

        Raises:
            ReadingError: a requested layer never called the attention function.
        """
        check_seen(self.layers, self._seen)
        return [
            (answer / len(self.layers), references / len(self.layers))
            for answer, references in zip(self._answer, self._references, strict=True)
            if answer is not None and references is not None
        ]


def check_seen(wanted: frozenset[int], seen: Collection[int]) -> None:
    """Prove that every layer whose attention was wanted has shown it.

    Raises:
        ReadingError: one never called the attention function.
    """
    if set(seen) != wanted:
        raise ReadingError(
            f"attention was pooled in {len(seen)} of {len(wanted)} layers: this architecture does not "
            "use transformers' attention interface in every layer; choose attention_layers that do"
        )


_ACTIVE: ContextVar[AttentionWatch | None] = ContextVar("ragcortex_attention_watch", default=None)


@contextmanager
def watching(watch: AttentionWatch | None) -> Iterator[None]:
    """Show the attention of every forward pass inside the block to the watch; None watches nothing."""
    token = _ACTIVE.set(watch)
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
    watch = _ACTIVE.get()
    if watch is not None:
        watch.add(module, query, key, attention_mask, scaling=scaling, softcap=softcap)
    rows = block_rows()
    if rows is not None and softcap is None and not kwargs.get("dropout"):
        return block_attention(query, key, value, rows, scaling).transpose(1, 2), None
    if softcap is not None:
        return _softcapped(query, key, value, attention_mask, scaling=scaling, softcap=softcap), None
    output, _ = sdpa_attention_forward(module, query, key, value, attention_mask, scaling=scaling, **kwargs)
    return output, None


def _answer_rows(
    query: torch.Tensor,
    key: torch.Tensor,
    mask: torch.Tensor | None,
    rows: Rows,
    *,
    scaling: float | None,
    softcap: float | None,
) -> Iterator[tuple[int, torch.Tensor]]:
    """Yield answer rows of one layer of one sequence, a few at a time: the first row's position, and (H, r, columns).

    query is (H, L, e), key (K, L, e) with H a multiple of K, mask (1, L, L) or None for plain causality.
    """
    start, stop = rows.answer
    n_columns = key.shape[1] if mask is not None else stop
    key = key[:, :n_columns]
    chunk = max(1, _MAX_SCORES // (query.shape[0] * n_columns))
    for first in range(start, stop, chunk):
        last = min(first + chunk, stop)
        row_mask = None if mask is None else mask[0, first:last, :n_columns]
        yield first, _probabilities(query[:, first:last], key, row_mask, first, scaling=scaling, softcap=softcap)


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
    n_cached = key.shape[2] - n_rows  # without a mask, the rows are the last of the columns
    output = query.new_empty(n_batch, n_rows, n_heads, value.shape[-1])
    for index in range(n_batch):
        row_mask = None if mask is None else mask[index if mask.shape[0] > 1 else 0, 0]
        for first in range(0, n_rows, chunk):
            last = min(first + chunk, n_rows)
            probs = _probabilities(
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
