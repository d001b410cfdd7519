"""Faults that a self-check has to find, planted in what it checks."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from ragcortex.readers import forward, growing_passes, kept_prefixes, packed_layout
from ragcortex.readers.attention import AttentionPool


def patched(patch: pytest.MonkeyPatch, module: Any, name: str, change: Callable[..., Any]) -> None:
    """Let a function of a module go through `change`, which is given the function and its arguments."""
    right = getattr(module, name)
    patch.setattr(module, name, lambda *args, **kwargs: change(right, *args, **kwargs))


def more_attention(patch: pytest.MonkeyPatch) -> None:
    """Pool a hundredth too much attention."""
    patched(
        patch, AttentionPool, "means",
        lambda right, pool: {index: (own * 1.01, refs) for index, (own, refs) in right(pool).items()},
    )  # fmt: skip


def _other_states(patch: pytest.MonkeyPatch) -> None:
    patched(
        patch, forward, "keeping",
        lambda right, model, layers, places: right(
            model, layers, [replace(place, start=place.start - 1, stop=place.stop - 1) for place in places]
        ),
    )  # fmt: skip


def _other_likelihoods(patch: pytest.MonkeyPatch) -> None:
    patched(patch, forward, "output_logits", lambda right, *args: 1.01 * right(*args))


def _padding_is_seen(patch: pytest.MonkeyPatch) -> None:
    def unmasked(right: Any, *args: Any) -> Any:
        batch = right(*args)
        masks = {name: torch.ones_like(batch.inputs[name]) for name in batch.inputs if name == "attention_mask"}
        return replace(batch, inputs={**batch.inputs, **masks})

    patched(patch, forward, "padded", unmasked)


def _other_positions_in_a_row(patch: pytest.MonkeyPatch) -> None:
    def shifted(right: Any, self: Any) -> Any:
        positions = right(self)
        return torch.arange(positions.shape[1])[None]

    patched(patch, packed_layout.PackedLayout, "positions", shifted)


def _prefix_of_another_length(patch: pytest.MonkeyPatch) -> None:
    patched(
        patch, kept_prefixes, "_behind",
        lambda right, loaded, prefix, start, *args: right(loaded, prefix, start + 1, *args),
    )  # fmt: skip


def _growth_without_its_masks(patch: pytest.MonkeyPatch) -> None:
    def blind(right: Any, self: Any, parts: Any) -> None:
        right(self, parts)
        self._masks = {window: [None] * len(parts) for window in self._masks}

    patched(patch, growing_passes.Growth, "begin", blind)


def _one_thread_rounds_otherwise(patch: pytest.MonkeyPatch) -> None:
    def rough(right: Any, tensor: Any) -> Any:
        return np.round(right(tensor), 1) if torch.get_num_threads() == 1 else right(tensor)

    patched(patch, forward, "as_floats", rough)


FAULTS: dict[str, tuple[Callable[[pytest.MonkeyPatch], None], set[str]]] = {
    "attention": (more_attention, {"pooled attention"}),
    "states": (_other_states, {"pooled states", "kept prefix", "growing answer"}),
    "likelihoods": (_other_likelihoods, {"likelihoods"}),
    "padding": (_padding_is_seen, {"padded batch"}),
    "rows": (_other_positions_in_a_row, {"packed batch"}),
    "kept prefixes": (_prefix_of_another_length, {"kept prefix"}),
    "growth": (_growth_without_its_masks, {"growing answer"}),
    "threads": (_one_thread_rounds_otherwise, {"one thread"}),
}
