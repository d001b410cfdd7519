"""Hooks on a model's layers while it runs: keep answer rows of hidden states, end the pass where nothing is left."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

import torch

from ragcortex.readers._hf import decoder_layers
from ragcortex.readers.packed_row import Place
from ragcortex.readers.reading import Floats


class DeepEnoughError(Exception):
    """Ends a forward pass after the deepest layer needed."""


def ended_early() -> AbstractContextManager[None]:
    """Go on behind a pass that `stopping` ended."""
    return suppress(DeepEnoughError)


@contextmanager
def keeping(model: Any, layers: Sequence[int], places: Sequence[Place]) -> Iterator[Mapping[int, list[torch.Tensor]]]:
    """Keep the answer rows of the hidden states after the given layers, while the block runs."""
    kept: dict[int, list[torch.Tensor]] = {}

    def keep(layer: int, output: Any) -> None:
        states = output[0] if isinstance(output, tuple) else output
        kept[layer] = [states[place.row, place.start : place.stop].clone() for place in places]

    modules = decoder_layers(model)
    handles = [
        modules[layer - 1].register_forward_hook(lambda _module, _args, output, layer=layer: keep(layer, output))
        if layer
        else modules[0].register_forward_pre_hook(
            lambda _module, args, kwargs: keep(0, args[0] if args else kwargs["hidden_states"]), with_kwargs=True
        )
        for layer in layers
    ]
    try:
        yield kept
    finally:
        for handle in handles:
            handle.remove()


@contextmanager
def stopping(model: Any, depth: int | None) -> Iterator[None]:
    """End the forward pass after `depth` layers with an error that `ended_early` takes; None runs all of them."""
    modules = decoder_layers(model)
    if depth is None or depth >= len(modules):
        yield
        return

    def stop(*_: Any) -> None:
        raise DeepEnoughError

    handle = modules[depth].register_forward_pre_hook(stop)
    try:
        yield
    finally:
        handle.remove()


def as_floats(tensor: torch.Tensor) -> Floats:
    """Return a tensor as float32 in numpy, on the CPU."""
    array: Floats = tensor.float().cpu().numpy()
    return array
