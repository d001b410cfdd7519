"""Keys and values of sequences that grow, and what a row of their newest tokens sees of them.

One row holds new tokens of several sequences, one after the other. A forward pass inside `growing` adds their keys and
values to those kept and lets each token see its own sequence.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

import torch

# Tokens that there is room for beyond those of the first pass; a sequence that needs more gets twice the room.
_ROOM: Final = 256


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a row: the new tokens `start..stop` of one sequence, which had `n_before` before them."""

    start: int
    stop: int
    n_before: int


class Growth:
    """Keys and values of sequences, and the parts of the row that is read now.

    Args:
        n_sequences: how many sequences grow.
        windows: of each layer how many positions a token sees, itself included; None for all before it.
        device: where they are.
    """

    def __init__(self, n_sequences: int, windows: Sequence[int | None], device: str) -> None:
        self._windows = windows
        self._device = device
        self._held: list[dict[int, tuple[torch.Tensor, torch.Tensor]]] = [{} for _ in range(n_sequences)]
        self._parts: Sequence[Part] = ()
        self._masks: dict[int | None, list[torch.Tensor | None]] = {}

    def begin(self, parts: Sequence[Part]) -> None:
        """Say which part of the row belongs to each sequence; a pass that fails may be begun again."""
        self._parts = parts
        self._masks = {window: [_mask(one, window, self._device) for one in parts] for window in set(self._windows)}

    def put(self, sequence: int, layer: int, keys: torch.Tensor, values: torch.Tensor) -> None:
        """Take what a sequence begins with, (1, K, n, e) each."""
        self._write(sequence, layer, 0, keys, values)

    def take(
        self, layer: int, keys: torch.Tensor, values: torch.Tensor
    ) -> Iterator[tuple[Part, torch.Tensor, torch.Tensor, torch.Tensor | None]]:
        """Keep the row's keys and values, (1, K, L, e); yield of each part all those of its sequence, and its mask."""
        masks = self._masks[self._windows[layer]]
        for sequence, (part, mask) in enumerate(zip(self._parts, masks, strict=True)):
            new = slice(part.start, part.stop)
            self._write(sequence, layer, part.n_before, keys[:, :, new], values[:, :, new])
            held_keys, held_values = self._held[sequence][layer]
            n_all = part.n_before + part.stop - part.start
            yield part, held_keys[:, :, :n_all], held_values[:, :, :n_all], mask

    def _write(self, sequence: int, layer: int, start: int, keys: torch.Tensor, values: torch.Tensor) -> None:
        needed = start + keys.shape[2]
        held = self._held[sequence].get(layer)
        if held is None or held[0].shape[2] < needed:
            room = needed + _ROOM if held is None else 2 * needed
            grown = [new.new_empty(1, new.shape[1], room, new.shape[3]) for new in (keys, values)]
            for own, old in zip(grown, held or (), strict=False):
                own[:, :, :start] = old[:, :, :start]
            held = self._held[sequence][layer] = (grown[0], grown[1])
        held[0][:, :, start:needed] = keys
        held[1][:, :, start:needed] = values


_ACTIVE: ContextVar[Growth | None] = ContextVar("ragcortex_growth", default=None)


@contextmanager
def growing(growth: Growth) -> Iterator[None]:
    """Let the attention of every forward pass inside the block go by the growth."""
    token = _ACTIVE.set(growth)
    try:
        yield
    finally:
        _ACTIVE.reset(token)


def active_growth() -> Growth | None:
    """Return the growth that attention goes by, if any."""
    return _ACTIVE.get()


def _mask(part: Part, window: int | None, device: str) -> torch.Tensor | None:
    """Return what the tokens of a part see, bool (1, 1, n, columns); None for plain causality from the first on."""
    n_columns = part.n_before + part.stop - part.start
    is_cut = window is not None and n_columns > window
    if not part.n_before and not is_cut:
        return None
    rows = torch.arange(part.n_before, n_columns, device=device)[:, None]
    columns = torch.arange(n_columns, device=device)[None]
    mask = columns <= rows
    if window is not None:
        mask &= rows - columns < window
    return mask[None, None]
