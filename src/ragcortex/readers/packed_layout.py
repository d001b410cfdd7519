"""What the attention of a packed row may see, layer by layer: a forward pass inside `laid_out` goes by it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

import torch

from ragcortex.readers.packed_row import Segment

Masked = tuple[Segment, torch.Tensor | None]

_FULL: Final = "full_attention"
_SLIDING: Final = "sliding_attention"
# Rotary embeddings whose frequencies depend on the longest position in the batch, which packing changes.
_LENGTH_DEPENDENT_ROPES: Final = frozenset({"dynamic", "longrope"})


class PackedLayout:
    """The segments of a packed row with the mask of each, for every layer.

    Args:
        segments: they cover the row, in its order.
        windows: of each layer how many positions a token sees, itself included; None for all before it.
        device: where the masks are needed.

    Attributes:
        segments, device: as given.
    """

    def __init__(self, segments: Sequence[Segment], windows: Sequence[int | None], device: str) -> None:
        self.segments = segments
        self.device = device
        self._windows = windows
        self._masked: dict[int | None, list[Masked]] = {
            window: [(segment, _mask(segment, window, device)) for segment in segments] for window in set(windows)
        }

    @property
    def is_plain(self) -> bool:
        """Whether every layer sees all before a token."""
        return set(self._windows) == {None}

    def positions(self) -> torch.Tensor:
        """Return the position of every token of the row, int64 (1, L)."""
        ranges = [range(one.position, one.position + one.stop - one.start) for one in self.segments]
        return torch.tensor([[position for one in ranges for position in one]], device=self.device)

    def of_layer(self, layer: int) -> Sequence[Masked]:
        """Return the segments in the row's order, each with its mask, bool (1, 1, n, L).

        None stands for plain causality over all that it sees and itself: its output is the last n rows of that.
        """
        return self._masked[self._windows[layer]]


def layout_of(segments: Sequence[Segment], config: Any, device: str) -> PackedLayout:
    """Return the layout of a row for the layers of a text model.

    Args:
        segments: see `PackedLayout`.
        config: transformers' configuration of the text model, which `unpackable` has nothing against.
        device: where the model is.
    """
    return PackedLayout(segments, layer_windows(config), device)


def layer_windows(config: Any) -> list[int | None]:
    """Return of each layer how many positions a token sees, itself included; None for all before it."""
    return [config.sliding_window if kind == _SLIDING else None for kind in layer_kinds(config)]


def unpackable(config: Any) -> str | None:
    """Return what in a text model's configuration forbids a row of several sequences; None where nothing does."""
    kinds = set(layer_kinds(config)) - {_FULL, _SLIDING}
    if kinds:
        return f"layers of the kind {', '.join(sorted(kinds))}"
    ropes = _rope_types(config) & _LENGTH_DEPENDENT_ROPES
    if ropes:
        return f"rotary embeddings of the kind {', '.join(sorted(ropes))}, which depend on the longest sequence"
    return None


def placeholder_masks(config: Any, device: str) -> Any:
    """Return what keeps transformers from making masks of its own; nothing reads it inside `laid_out`."""
    empty = torch.ones(1, 1, 1, 1, dtype=torch.bool, device=device)
    kinds = set(layer_kinds(config))
    return dict.fromkeys(kinds, empty) if len(kinds) > 1 else empty


_ACTIVE: ContextVar[PackedLayout | None] = ContextVar("ragcortex_packed_layout", default=None)


@contextmanager
def laid_out(layout: PackedLayout | None) -> Iterator[None]:
    """Let the attention of every forward pass inside the block go by the layout; None is an ordinary pass."""
    token = _ACTIVE.set(layout)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


def active_layout() -> PackedLayout | None:
    """Return the layout that attention goes by, if any."""
    return _ACTIVE.get()


def seen(values: torch.Tensor, segment: Segment) -> torch.Tensor:
    """Return those of a row's keys or values (1, K, L, e) that a segment sees: what is before it, then its own."""
    stretches = [*segment.before, (segment.start, segment.stop)]
    if len(stretches) == 1:
        return values[:, :, segment.start : segment.stop]
    return torch.cat([values[:, :, start:stop] for start, stop in stretches], dim=2)


def _mask(segment: Segment, window: int | None, device: str) -> torch.Tensor | None:
    first, n_rows = segment.position, segment.stop - segment.start
    n_columns = first + n_rows
    is_cut = window is not None and n_columns > window
    # A kernel for plain causality does half the work of one with a mask, and needs none of its memory; that pays for
    # the rows before the segment, which are computed again, where they are fewer. Answers keep to their own rows.
    if not is_cut and (not first or (segment.sequence is None and first < n_rows)):
        return None
    rows = torch.arange(first, n_columns, device=device)[:, None]
    columns = torch.arange(n_columns, device=device)[None, :]
    mask = columns <= rows
    if window is not None:
        mask &= rows - columns < window
    return mask[None, None]


def layer_kinds(config: Any) -> list[str]:
    """Return the kind of attention of each layer, as transformers names them."""
    kinds = getattr(config, "layer_types", None)
    if kinds:
        return list(kinds)[: config.num_hidden_layers]
    sliding = getattr(config, "sliding_window", None) is not None
    return [_SLIDING if sliding else _FULL] * config.num_hidden_layers


def _rope_types(config: Any) -> set[str]:
    """Return the kinds of rotary embedding, of which a model may have one a kind of layer."""
    parameters: Mapping[str, Any] = getattr(config, "rope_parameters", None) or {}
    nested = [value for value in parameters.values() if isinstance(value, Mapping)]
    return {str(one.get("rope_type", "default")) for one in (nested or [parameters])}
