"""Probe networks of the baselines, trained as they were published: any widths, leaky ReLU, batch normalisation.

Sources: SAPLMA (Azaria and Mitchell 2023: d → 256 → 128 → 64 → 1, ReLU, Adam 1e-3, 5 epochs) and ICR Probe (released
code: L → 128 → 64 → 32 → 1, each hidden layer linear → batch normalisation → leaky ReLU 0.01 → dropout 0.3; Kaiming
uniform weights and zero biases; Adam 1e-3 with weight decay 1e-5, batches of 16, 100 epochs, the rate halved once more
than 5 epochs pass without a lower validation loss, the epoch of the lowest kept). Neither weights the classes.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Self

import numpy as np

from ragcortex.errors import TrainingError
from ragcortex.readers.reading import Floats
from ragcortex.scorers.base import Labels, checked_columns, checked_training_set, standardisation
from ragcortex.scorers.network import Layers, NetworkScorer

SAPLMA_PROBE: Final[Mapping[str, Any]] = {
    "hidden_sizes": (256, 128, 64), "batch_rows": 32, "n_epochs": 5, "keep_lowest_loss": False,
}  # fmt: skip
"""The published SAPLMA network; it sees one state an answer. Ours: states are standardised."""

ICR_PROBE: Final[Mapping[str, Any]] = {
    "hidden_sizes": (128, 64, 32), "negative_slope": 0.01, "batch_norm": True, "dropout": 0.3, "weight_decay": 1e-5,
    "batch_rows": 16, "n_epochs": 100, "halve_after": 5, "standardise": False,
}  # fmt: skip
"""The published ICR probe; it sees one row of L scores an answer."""

ICR_TOKEN_PROBE: Final[Mapping[str, Any]] = {**ICR_PROBE, "batch_rows": 1024}
"""The same for one row a token: there are a hundred times as many, so a step takes more of them."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """Features and labels as tensors, for training or for the validation loss."""

    features: Any
    labels: Any


class ProbeScorer(NetworkScorer):
    """Feed-forward network over the columns of a row (a token or an answer), binary cross-entropy, Adam.

    Args:
        hidden_sizes: widths of the hidden layers.
        negative_slope: of the leaky ReLU after each hidden layer; 0 is the ReLU.
        batch_norm: whether each hidden layer is batch-normalised before its activation.
        dropout: after each activation, while training.
        learning_rate, weight_decay: of Adam (the decay is added to the gradient, as published).
        batch_rows: rows a step.
        n_epochs: passes over the training rows.
        halve_after: once more epochs than this pass without a lower validation loss, the learning rate is halved; 0
            never does.
        keep_lowest_loss: whether the epoch of the lowest validation loss is kept, where validation rows are given;
            otherwise the last.
        standardise: whether columns are standardised by the training rows.
        n_seeds: networks fitted from different seeds; their probabilities are averaged.
        seed: of the first network.

    Attributes:
        mean_, scale_: standardisation of the columns, float32 (columns,); 0 and 1 without it.
        networks_: for each seed its layers, as (weight (out, in), bias (out,)) float32 pairs; batch normalisation,
            a fixed affine map once training ends, is folded into them.
    """

    kind = "probe"

    def __init__(
        self,
        hidden_sizes: tuple[int, ...] = (256, 128, 64),
        *,
        negative_slope: float = 0.0,
        batch_norm: bool = False,
        dropout: float = 0.0,
        learning_rate: float = 1e-3,
        weight_decay: float = 0.0,
        batch_rows: int = 32,
        n_epochs: int = 5,
        halve_after: int = 0,
        keep_lowest_loss: bool = True,
        standardise: bool = True,
        n_seeds: int = 1,
        seed: int = 0,
    ) -> None:
        self.hidden_sizes = hidden_sizes
        self.negative_slope = negative_slope
        self.batch_norm = batch_norm
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_rows = batch_rows
        self.n_epochs = n_epochs
        self.halve_after = halve_after
        self.keep_lowest_loss = keep_lowest_loss
        self.standardise = standardise
        self.n_seeds = n_seeds
        self.seed = seed

    def fit(self, X: Floats, y: Labels, X_val: Floats | None = None, y_val: Labels | None = None) -> Self:
        """Fit on (n, columns) features and (n,) labels; validation rows lower the rate and choose the epoch.

        Raises:
            TrainingError: as `checked_training_set`, no network or no epoch is asked for, or the loss stopped being
                finite.
        """
        X, y = checked_training_set(X, y)
        for name in ("n_seeds", "n_epochs", "batch_rows"):
            if getattr(self, name) < 1:
                raise TrainingError(f"the probe's {name} must be at least 1, got {getattr(self, name)}")
        self.classes_ = np.array([0, 1])
        self.n_features_in_ = X.shape[1]
        columns = X.shape[1:]
        self.mean_, self.scale_ = (
            standardisation(X) if self.standardise else (np.zeros(columns, np.float32), np.ones(columns, np.float32))
        )
        training = self._rows(X, y)
        validation = None
        if X_val is not None and y_val is not None and len(y_val):
            validation = self._rows(checked_columns(X_val, X.shape[1]), np.asarray(y_val))
        seeds = range(self.seed, self.seed + self.n_seeds)
        self.networks_ = [self._fit_network(training, validation, seed) for seed in seeds]
        return self

    def _rows(self, X: Floats, y: Labels) -> _Rows:
        import torch

        return _Rows(torch.from_numpy((X - self.mean_) / self.scale_), torch.from_numpy(y.astype(np.float32)))

    def _fit_network(self, training: _Rows, validation: _Rows | None, seed: int) -> Layers:
        import torch

        generator = torch.Generator().manual_seed(seed)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            network = self._network(training.features.shape[1])
            optimiser = torch.optim.Adam(network.parameters(), lr=self.learning_rate, weight_decay=self.weight_decay)
            schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimiser, factor=0.5, patience=self.halve_after)
            lowest, kept = np.inf, folded_layers(network)
            for _ in range(self.n_epochs):
                self._epoch(network, optimiser, training, generator)
                loss = np.inf if validation is None else _loss(network, validation)
                if validation is not None and self.halve_after:
                    schedule.step(loss)
                if validation is None or not self.keep_lowest_loss or loss < lowest:
                    lowest, kept = loss, folded_layers(network)
        return kept

    def _epoch(self, network: Any, optimiser: Any, training: _Rows, generator: Any) -> None:
        import torch

        network.train()
        loss_of = torch.nn.BCEWithLogitsLoss()
        for rows in _batches(len(training.labels), self.batch_rows, generator):
            loss = loss_of(network(training.features[rows])[:, 0], training.labels[rows])
            if not torch.isfinite(loss):
                raise TrainingError("the loss of the probe is not finite; lower its learning rate")
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()

    def _network(self, n_columns: int) -> Any:
        """Return the network with Kaiming uniform weights and zero biases."""
        import torch

        modules: list[Any] = []
        for width, size in pairwise((n_columns, *self.hidden_sizes)):
            modules.append(torch.nn.Linear(width, size))
            if self.batch_norm:
                modules.append(torch.nn.BatchNorm1d(size))
            modules += [torch.nn.LeakyReLU(self.negative_slope), torch.nn.Dropout(self.dropout)]
        modules.append(torch.nn.Linear((n_columns, *self.hidden_sizes)[-1], 1))
        for module in modules:
            if isinstance(module, torch.nn.Linear):
                torch.nn.init.kaiming_uniform_(module.weight, a=self.negative_slope, nonlinearity="leaky_relu")
                torch.nn.init.zeros_(module.bias)
        return torch.nn.Sequential(*modules)


def folded_layers(network: Any) -> Layers:
    """Return the linear layers of a network as copies (weight (out, in), bias (out,)), float32, in order.

    A batch normalisation that follows one is folded into it, with its running statistics: what it does in evaluation.
    """
    import torch

    layers: Layers = []
    for module in network:
        if isinstance(module, torch.nn.Linear):
            layers.append((module.weight.detach().numpy().copy(), module.bias.detach().numpy().copy()))
        elif isinstance(module, torch.nn.BatchNorm1d):
            weight, bias = layers[-1]
            state = {name: tensor.double().numpy() for name, tensor in module.state_dict().items()}
            mean, variance, gain, shift = (state[n] for n in ("running_mean", "running_var", "weight", "bias"))
            factor = gain / np.sqrt(variance + module.eps)
            folded_bias = (bias - mean) * factor + shift
            layers[-1] = (weight * factor[:, None]).astype(np.float32), folded_bias.astype(np.float32)
    return layers


def _batches(n_rows: int, size: int, generator: Any) -> Iterator[Any]:
    """Yield every row once, in a random order, `size` at a time; a last row alone joins the batch before it.

    Batch normalisation has no statistics of one row.
    """
    import torch

    order = torch.randperm(n_rows, generator=generator)
    start = 0
    while start < n_rows:
        stop = start + size if n_rows - start - size > 1 else n_rows
        yield order[start:stop]
        start = stop


def _loss(network: Any, rows: _Rows) -> float:
    import torch

    network.eval()
    with torch.no_grad():
        return float(torch.nn.functional.binary_cross_entropy_with_logits(network(rows.features)[:, 0], rows.labels))
