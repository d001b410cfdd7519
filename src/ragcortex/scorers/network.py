"""What the scorers that are small networks share once they are fitted: scoring, and their state as arrays.

Training needs torch; a fitted network is plain float32 arrays, and scoring needs numpy alone.
"""

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, ClassVar, Final, Self

import numpy as np

from ragcortex.readers.reading import Floats
from ragcortex.scorers.base import checked_columns, checked_shapes, checked_size, sigmoid, two_columns
from ragcortex.scorers.estimator import Classifier

Layers = list[tuple[Floats, Floats]]
"""The linear layers of a network as (weight (out, in), bias (out,)) float32 pairs, in order."""
_PREDICT_ROWS: Final = 8192


class NetworkScorer(Classifier):
    """Feed-forward networks over standardised columns, averaged over seeds; a subclass fits them.

    A subclass has the parameters `hidden_sizes` and `n_seeds`, and may have `negative_slope`, that of the leaky ReLU
    after each hidden layer; without it the activation is the ReLU.

    Attributes:
        mean_, scale_: standardisation of the columns, float32 (columns,).
        networks_: for each seed its layers.
    """

    kind: ClassVar[str]
    """What messages call it."""
    hidden_sizes: tuple[int, ...]
    n_seeds: int
    negative_slope: float = 0.0
    mean_: Floats
    scale_: Floats
    n_features_in_: int
    networks_: list[Layers]

    def predict_proba(self, X: Floats) -> Floats:
        """Return float32 (n, 2); the mean of the networks' probabilities."""
        self._check_fitted("networks_")
        X = checked_columns(X, self.n_features_in_)
        prob = np.empty(len(X), dtype=np.float32)
        for rows, standardised in self._chunks(X):
            outputs = [network_prob(layers, standardised, self.negative_slope) for layers in self.networks_]
            prob[rows] = np.mean(outputs, axis=0)
        return two_columns(prob)

    def arrays(self) -> dict[str, Floats]:
        """Return mean, scale and every weight and bias, by name."""
        self._check_fitted("networks_")
        named = {"mean": self.mean_, "scale": self.scale_}
        for index, layers in enumerate(self.networks_):
            for depth, (weight, bias) in enumerate(layers):
                named |= {f"{index}.{depth}.weight": weight, f"{index}.{depth}.bias": bias}
        return named

    @classmethod
    def from_arrays(cls, params: Mapping[str, Any], arrays: Mapping[str, Floats]) -> Self:
        """Return the fitted scorer whose parameters and `arrays()` these are."""
        scorer = cls(**{**params, "hidden_sizes": tuple(params["hidden_sizes"])})
        checked_size(cls.kind, "n_seeds", scorer.n_seeds)
        n_columns = arrays["mean"].size
        checked_shapes(arrays, {"mean": (n_columns,), "scale": (n_columns,)})
        widths = list(pairwise((n_columns, *scorer.hidden_sizes, 1)))
        for index in range(scorer.n_seeds):
            for layer, (width, size) in enumerate(widths):
                expected = {f"{index}.{layer}.weight": (size, width), f"{index}.{layer}.bias": (size,)}
                checked_shapes(arrays, expected)
        scorer.classes_ = np.array([0, 1])
        scorer.mean_, scorer.scale_ = arrays["mean"], arrays["scale"]
        scorer.n_features_in_ = n_columns
        scorer.networks_ = [
            [(arrays[f"{index}.{layer}.weight"], arrays[f"{index}.{layer}.bias"]) for layer in range(len(widths))]
            for index in range(scorer.n_seeds)
        ]
        return scorer

    def _chunks(self, X: Floats) -> Iterator[tuple[slice, Floats]]:
        """Yield the columns standardised, some rows at a time, with which rows they are."""
        for start in range(0, len(X), _PREDICT_ROWS):
            rows = slice(start, min(start + _PREDICT_ROWS, len(X)))
            yield rows, (X[rows] - self.mean_) / self.scale_


def network_prob(layers: Layers, standardised: Floats, negative_slope: float = 0.0) -> Floats:
    """Return the probabilities (n,) of one network on standardised rows, float32."""
    state = standardised
    for weight, bias in layers[:-1]:
        state = state @ weight.T + bias
        if negative_slope:
            state = np.where(state > 0, state, np.float32(negative_slope) * state)
        else:
            state = np.maximum(state, 0)
    weight, bias = layers[-1]
    return sigmoid((state @ weight.T + bias)[:, 0])


def linear_layers(network: Any) -> Layers:
    """Return copies of the linear layers of a torch network."""
    import torch

    return [
        (module.weight.detach().numpy().copy(), module.bias.detach().numpy().copy())
        for module in network
        if isinstance(module, torch.nn.Linear)
    ]
