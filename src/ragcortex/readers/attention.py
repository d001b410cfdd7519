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
from ragcortex.readers.block_attention import block_attention
from ragcortex.readers.growth import active_growth
from ragcortex.readers.packed_layout import active_layout, seen
from ragcortex.readers.softmax_rows import MAX_SCORES, probabilities, softcapped

IMPLEMENTATION: Final = "ragcortex_pooled"


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
        rows: where each sequence of the batch has its answer and its references; in a packed row, where they would be
            in a row of its own, and None for a sequence that is not to be shown.
        observers: who is shown them.
    """

    rows: Sequence[Rows | None]
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
        for index, rows in enumerate(self.rows):
            if rows is None:
                continue
            start, stop = rows.answer
            n_columns = key.shape[2] if mask is not None else stop
            row_mask = None if mask is None else mask[index if mask.shape[0] > 1 else 0, 0, start:stop]
            self.add_answer(
                module.layer_idx,
                index,
                query[index, :, start:stop],
                key[index, :, :n_columns],
                row_mask,
                first=start,
                scaling=scaling,
                softcap=softcap,
            )

    def add_answer(
        self,
        layer: int,
        index: int,
        query: torch.Tensor,
        key: torch.Tensor,
        mask: torch.Tensor | None,
        *,
        first: int,
        scaling: float | None,
        softcap: float | None,
    ) -> None:
        """Show one layer's rows of one answer, a few at a time.

        query is (H, n, e), key (K, L, e) with H a multiple of K, mask (n, L) or None for plain causality; the first of
        the rows stands at position `first` of the columns.
        """
        observers = [observer for observer in self.observers if layer in observer.layers]
        if not observers:
            return
        n_heads, n_rows, _ = query.shape
        chunk = max(1, MAX_SCORES // (n_heads * key.shape[1]))
        for start in range(0, n_rows, chunk):
            rows = slice(start, min(start + chunk, n_rows))
            row_mask = None if mask is None else mask[rows]
            probs = probabilities(query[:, rows], key, row_mask, first + start, scaling=scaling, softcap=softcap)
            for observer in observers:
                observer.take(layer, index, first + start, probs)


class AttentionPool:
    """Sums of attention over layers, for every sequence of a batch.

    Args:
        rows: the positions of answer and references, one a sequence; None for one that is not pooled.
        layers: layer indices (0 = the first) to pool.
        heads: head indices to pool, None for all.
    """

    def __init__(
        self, rows: Sequence[Rows | None], layers: frozenset[int], heads: tuple[int, ...] | None = None
    ) -> None:
        self.layers = layers
        self._rows, self._heads = rows, heads
        self._seen: set[int] = set()
        self._sums: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

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
        rows = self._rows[index]
        assert rows is not None, "only what is pooled is shown"
        (start, stop), (first_reference, last_reference) = rows.answer, rows.references
        if index not in self._sums:
            self._sums[index] = probs.new_zeros(stop - start, stop - start), probs.new_zeros(stop - start)
        answer, references = self._sums[index]
        mean = (probs if self._heads is None else probs[list(self._heads)]).mean(dim=0)
        taken = slice(first - start, first - start + probs.shape[1])
        answer[taken] += mean[:, start:stop]
        references[taken] += mean[:, first_reference:last_reference].sum(dim=-1)

    def means(self) -> dict[int, tuple[torch.Tensor, torch.Tensor]]:
        """Return for each pooled sequence the (n, n) answer attention and the (n,) mass on the references.

        Raises:
            ReadingError: a requested layer never called the attention function.
        """
        check_seen(self.layers, self._seen)
        n_layers = len(self.layers)
        return {index: (answer / n_layers, references / n_layers) for index, (answer, references) in self._sums.items()}


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
    if kwargs.get("s_aux") is not None:
        raise ReadingError("this architecture uses attention sinks, which the pooled attention does not support")
    growth = active_growth()
    if growth is not None:
        own_keys = growth.take(module.layer_idx, key, value)
        return torch.cat([
            _folded(module, query[:, :, one.start : one.stop], keys, values, mask, scaling=scaling, softcap=softcap)
            for one, keys, values, mask in own_keys
        ], dim=1), None  # fmt: skip
    watch, layout = _ACTIVE.get(), active_layout()
    if layout is None:
        if watch is not None:
            watch.add(module, query, key, attention_mask, scaling=scaling, softcap=softcap)
        return _output(module, query, key, value, attention_mask, scaling=scaling, softcap=softcap, **kwargs), None
    if torch.is_grad_enabled() and layout.is_plain and softcap is None and not kwargs.get("dropout"):
        return block_attention(query, key, value, layout.segments, scaling).transpose(1, 2), None
    parts = []
    for segment, mask in layout.of_layer(module.layer_idx):
        own, keys, values = query[:, :, segment.start : segment.stop], seen(key, segment), seen(value, segment)
        if watch is not None and segment.sequence is not None and watch.rows[segment.sequence] is not None:
            watch.add_answer(
                module.layer_idx,
                segment.sequence,
                own[0],
                keys[0],
                None if mask is None else mask[0, 0],
                first=segment.position,
                scaling=scaling,
                softcap=softcap,
            )
        queries = seen(query, segment) if mask is None else own
        output = _output(module, queries, keys, values, mask, scaling=scaling, softcap=softcap, **kwargs)
        parts.append(output[:, -own.shape[2] :])
    return torch.cat(parts, dim=1), None


def _folded(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None,
    *,
    scaling: float | None,
    softcap: float | None,
) -> torch.Tensor:
    """Return `_output` of few queries over many keys: heads that share keys are rows, so that no keys are copied."""
    n_groups = query.shape[1] // key.shape[1]
    if mask is None or softcap is not None or n_groups == 1:
        return _output(module, query, key, value, mask, scaling=scaling, softcap=softcap)
    n_batch, n_heads, n_rows, width = query.shape
    rows = query.reshape(n_batch, key.shape[1], n_groups * n_rows, width)
    output = torch.nn.functional.scaled_dot_product_attention(
        rows, key, value, attn_mask=mask.repeat(1, 1, n_groups, 1), scale=scaling
    )
    return output.reshape(n_batch, n_heads, n_rows, -1).transpose(1, 2)


def _output(
    module: Any,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    mask: torch.Tensor | None,
    *,
    scaling: float | None,
    softcap: float | None,
    **kwargs: Any,
) -> torch.Tensor:
    """Return the attention's output, (B, L, H, e), of the model itself."""
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    if softcap is not None:
        return softcapped(query, key, value, mask, scaling=scaling, softcap=softcap)
    output: torch.Tensor = sdpa_attention_forward(module, query, key, value, mask, scaling=scaling, **kwargs)[0]
    return output
