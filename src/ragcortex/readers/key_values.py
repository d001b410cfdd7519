"""Keys and values that a model keeps of tokens it has read: shared by many continuations, or with room reserved.

transformers' own cache layers either copy everything they hold at each new token, or repeat a shared prefix for each
sequence of a batch. These two do neither. All layers are kept whole, those of sliding windows too: the mask says what
such a layer sees.
"""

import inspect
from typing import Any

import torch
from transformers.cache_utils import Cache, DynamicCache, DynamicLayer

from ragcortex.readers._hf import decoder


class _SharedLayer(DynamicLayer):  # type: ignore[misc]
    """One prefix (1, K, P, e) before every sequence of any batch; what comes after it is not kept."""

    def __init__(self, keys: torch.Tensor, values: torch.Tensor) -> None:
        super().__init__()
        self.keys, self.values, self.is_initialized = keys, values, True

    def update(
        self,
        key_states: torch.Tensor,
        value_states: torch.Tensor,
        *_args: Any,
        **_kwargs: Any,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the prefix's and the new keys and values, (B, K, P + L, e)."""
        n = len(key_states)
        return (
            torch.cat([self.keys.expand(n, -1, -1, -1), key_states], dim=-2),
            torch.cat([self.values.expand(n, -1, -1, -1), value_states], dim=-2),
        )


class _ReservedLayer(DynamicLayer):  # type: ignore[misc]
    """Keys and values in memory reserved for all tokens to come, so that a new one is written and nothing moves."""

    def __init__(self, keys: torch.Tensor, values: torch.Tensor, length: int) -> None:
        super().__init__()
        self._all_keys, self._all_values = keys, values
        self.is_initialized = True
        self._grow_to(length)

    def update(
        self,
        key_states: torch.Tensor,
        value_states: torch.Tensor,
        *_args: Any,
        **_kwargs: Any,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Return all keys and values so far, (B, K, P + L, e), the new ones included."""
        start = self._length
        self._grow_to(start + key_states.shape[-2])
        self._all_keys[:, :, start : self._length] = key_states
        self._all_values[:, :, start : self._length] = value_states
        return self.keys, self.values

    def select(self, rows: torch.Tensor) -> None:
        """Keep only these sequences of the batch."""
        self._all_keys, self._all_values = self._all_keys[rows], self._all_values[rows]
        self._grow_to(self._length)

    def _grow_to(self, length: int) -> None:
        self._length = length
        self.keys, self.values = self._all_keys[:, :, :length], self._all_values[:, :, :length]


@torch.inference_mode()
def read_prefix(model: Any, ids: tuple[int, ...], device: str) -> tuple[Cache, torch.Tensor]:
    """Return the keys and values of one sequence of tokens, and the final state (d,) of the last of them."""
    cache = DynamicCache()
    states = with_cache(model, cache, input_ids=torch.tensor([ids], device=device))
    return cache, states[0, -1]


def with_cache(model: Any, cache: Cache, **inputs: Any) -> torch.Tensor:
    """Return the final states (B, L, d) of tokens that follow those in the cache, which the model updates."""
    stack = decoder(model)
    name = "cache" if "cache" in inspect.signature(stack.forward).parameters else "past_key_values"
    states: torch.Tensor = stack(**inputs, **{name: cache}, use_cache=True).last_hidden_state
    return states


def shared(prefix: Cache) -> Cache:
    """Return a cache that puts the prefix before every sequence of every batch, as often as it is used."""
    return Cache(layers=[_SharedLayer(layer.keys, layer.values) for layer in prefix.layers])


def reserved(prefixes: list[tuple[Cache, int]], length: int, n_new: int) -> Cache:
    """Return a cache of one batch with room for `n_new` more tokens a sequence.

    Args:
        prefixes: keys and values of one sequence each, and how many sequences of the batch start with it.
        length: what every prefix is padded to, on the left, with zeros that a mask must hide.
        n_new: tokens to come.
    """
    layers = []
    n_rows = sum(repeats for _, repeats in prefixes)
    for index in range(len(prefixes[0][0].layers)):
        like = prefixes[0][0].layers[index].keys
        keys, values = (like.new_zeros(n_rows, like.shape[1], length + n_new, like.shape[3]) for _ in range(2))
        first = 0
        for cache, repeats in prefixes:
            layer, rows = cache.layers[index], slice(first, first + repeats)
            keys[rows, :, length - layer.keys.shape[2] : length] = layer.keys
            values[rows, :, length - layer.values.shape[2] : length] = layer.values
            first += repeats
        layers.append(_ReservedLayer(keys, values, length))
    return Cache(layers=layers)


def keep_rows(cache: Cache, rows: torch.Tensor) -> None:
    """Keep only these sequences of a reserved batch."""
    for layer in cache.layers:
        layer.select(rows)
