"""BERT on rows of different lengths laid end to end, as plain tensor operations on a model's own weights.

The library's own layers of Python take a fifth of the time of a short call; this forward pass has none of them, and it
pads nothing. It is used for the embedded encoder, whose files are known byte for byte, and for models on which a trial
gives the library's vectors.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any, Final

import numpy as np

from ragcortex.geometry.embedders.embedder import FLOAT32
from ragcortex.geometry.embedders.forward import Matrix, Row, padded

# Attention over all rows at once grows with the square of their tokens; up to here it costs less than one length of
# rows after the other.
MASKED_TOKENS: Final = 256
# Rows of more tokens in one pass fall out of the processor's cache.
PASS_TOKENS: Final = 2048
# Rows of different lengths with ids that every vocabulary has.
_TRIAL_ROWS: Final = ((3, 4, 5), (6, 7, 8, 9, 10, 11, 12), (5,))
_TRIAL_TOLERANCE: Final = 1e-4


@dataclass(frozen=True, slots=True)
class _Layer:
    """The weights and biases of one layer, in the order they are used; norms are (weight, bias)."""

    query: tuple[Any, Any]
    key: tuple[Any, Any]
    value: tuple[Any, Any]
    output: tuple[Any, Any]
    norm: tuple[Any, Any]
    up: tuple[Any, Any]
    activation: Callable[[Any], Any]
    down: tuple[Any, Any]
    last_norm: tuple[Any, Any]


class PackedBert:
    """Mean token states of rows of token ids, each of which attends to itself alone.

    In float32 it agrees with the library's forward pass within 1e-6 per component, whichever rows share a pass.
    """

    def __init__(
        self,
        weights: Mapping[str, Any],
        *,
        n_heads: int,
        epsilon: float,
        activation: Callable[[Any], Any],
        dtype: str = FLOAT32,
    ) -> None:
        """Take a BERT's weights on the CPU; they are shared, not copied, but for layers in another precision.

        Args:
            weights: float32 tensors by their names in transformers' BertModel.
            n_heads: attention heads of a layer.
            epsilon: of the norms.
            activation: between the two linear layers of the feed-forward part.
            dtype: what the layers compute in; embeddings and means are float32 always.
        """
        import torch

        self._dtype = getattr(torch, dtype)
        self._words = weights["embeddings.word_embeddings.weight"]
        self._places = weights["embeddings.position_embeddings.weight"]
        self._kind = weights["embeddings.token_type_embeddings.weight"][0]
        self._norm = _pair(weights, "embeddings.LayerNorm")
        n_layers = sum(name.endswith(".attention.self.query.weight") for name in weights)
        lowered = {
            name: weight.to(self._dtype) for name, weight in weights.items() if name.startswith("encoder.layer.")
        }
        self._layers = tuple(_layer(lowered, f"encoder.layer.{index}.", activation) for index in range(n_layers))
        self._n_heads = n_heads
        self._epsilon = epsilon

    @classmethod
    def of(cls, modules: Sequence[Any], device: str, dtype: str = FLOAT32) -> "PackedBert | None":
        """Return it for a BERT with mean pooling alone on the CPU, if a trial in float32 gives the vectors of `padded`.

        Args:
            modules: in float32.
            device: where they are.
            dtype: what the layers of what is returned compute in.
        """
        if device != "cpu" or len(modules) != 2 or getattr(modules[1], "pooling_mode", None) != "mean":
            return None
        model = modules[0].model
        config = model.config
        if config.model_type != "bert" or getattr(config, "is_decoder", False):
            return None
        make = partial(
            cls,
            model.state_dict(),
            n_heads=int(config.num_attention_heads),
            epsilon=float(config.layer_norm_eps),
            activation=model.encoder.layer[0].intermediate.intermediate_act_fn,
        )
        packed = make()
        got = np.concatenate([packed(_TRIAL_ROWS), packed(_TRIAL_ROWS[1:2])])
        expected = padded(modules, (*_TRIAL_ROWS, _TRIAL_ROWS[1]), 0, device)
        if not np.allclose(got, expected, rtol=_TRIAL_TOLERANCE, atol=_TRIAL_TOLERANCE):
            return None
        return packed if dtype == FLOAT32 else make(dtype=dtype)

    def __call__(self, rows: Sequence[Row]) -> Matrix:
        """Return the mean states (n, dimension), float32, of at least one row, each with at least one id."""
        import torch

        order = sorted(range(len(rows)), key=lambda index: len(rows[index]))
        ordered = [rows[index] for index in order]
        with torch.inference_mode():
            means = [self._means(ordered[first:last]) for first, last in passes([len(row) for row in ordered])]
            found = torch.cat(means).numpy()
        vectors: Matrix = np.empty_like(found)
        vectors[order] = found
        return vectors

    def _means(self, rows: Sequence[Row]) -> Any:
        """Return the mean states of rows of rising length, read in one pass."""
        import torch
        from torch.nn import functional

        lengths = [len(row) for row in rows]
        width = self._words.shape[1]
        ids = torch.tensor([token for row in rows for token in row])
        places = torch.tensor([place for length in lengths for place in range(length)])
        states = self._words[ids] + self._kind + self._places[places]
        states = functional.layer_norm(states, (width,), *self._norm, self._epsilon).to(self._dtype)
        attend = self._attention(lengths)
        for layer in self._layers:
            parts = (
                functional.linear(states, *pair).view(-1, self._n_heads, width // self._n_heads).transpose(0, 1)
                for pair in (layer.query, layer.key, layer.value)
            )
            seen = attend(*parts).transpose(0, 1).reshape(-1, width)
            seen = functional.linear(seen, *layer.output).add_(states)
            states = functional.layer_norm(seen, (width,), *layer.norm, self._epsilon)
            raised = functional.linear(layer.activation(functional.linear(states, *layer.up)), *layer.down)
            states = functional.layer_norm(raised.add_(states), (width,), *layer.last_norm, self._epsilon)
        return torch.stack([part.mean(dim=0) for part in torch.split(states.float(), lengths)])

    def _attention(self, lengths: Sequence[int]) -> Callable[[Any, Any, Any], Any]:
        """Return attention within each row, over query, key and value of shape (heads, tokens, width of a head)."""
        import torch
        from torch.nn.functional import scaled_dot_product_attention as attention

        if len(lengths) == 1 or sum(lengths) <= MASKED_TOKENS:
            mask = None
            if len(lengths) > 1:
                owner = torch.from_numpy(np.repeat(np.arange(len(lengths)), lengths))
                others = owner[:, None] != owner[None]
                mask = torch.zeros(others.shape, dtype=self._dtype).masked_fill_(others, -torch.inf)[None, None]
            return lambda query, key, value: attention(query[None], key[None], value[None], attn_mask=mask)[0]

        groups = [(length, len(list(same))) for length, same in groupby(lengths)]
        sizes = [length * n_rows for length, n_rows in groups]

        def by_length(*parts: Any) -> Any:
            found = []
            for (length, n_rows), own in zip(
                groups, zip(*(torch.split(part, sizes, 1) for part in parts), strict=True), strict=True
            ):
                rows = (part.unflatten(1, (n_rows, length)).transpose(0, 1) for part in own)
                found.append(attention(*rows).transpose(0, 1).flatten(1, 2))
            return torch.cat(found, dim=1)

        return by_length


def passes(lengths: Sequence[int], most: int = PASS_TOKENS) -> Iterator[tuple[int, int]]:
    """Yield the first and last row (exclusive) of each pass: as many rows, in order, as have at most `most` tokens.

    >>> list(passes([3, 5, 9, 1], most=8))
    [(0, 2), (2, 3), (3, 4)]
    """
    first = total = 0
    for index, length in enumerate(lengths):
        if index > first and total + length > most:
            yield first, index
            first, total = index, 0
        total += length
    if lengths:
        yield first, len(lengths)


def _layer(weights: Mapping[str, Any], prefix: str, activation: Callable[[Any], Any]) -> _Layer:
    def pair(name: str) -> tuple[Any, Any]:
        return _pair(weights, prefix + name)

    return _Layer(
        query=pair("attention.self.query"),
        key=pair("attention.self.key"),
        value=pair("attention.self.value"),
        output=pair("attention.output.dense"),
        norm=pair("attention.output.LayerNorm"),
        up=pair("intermediate.dense"),
        activation=activation,
        down=pair("output.dense"),
        last_norm=pair("output.LayerNorm"),
    )


def _pair(weights: Mapping[str, Any], name: str) -> tuple[Any, Any]:
    return weights[f"{name}.weight"], weights[f"{name}.bias"]
