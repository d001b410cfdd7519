"""The paper's classifier: a small multilayer perceptron per token, averaged over seeds if asked.

Source: CORTEX, step 6 and its hyper-parameters (d_in → 256 → 128 → 1, ReLU and dropout 0.1 after each hidden layer,
AdamW 1e-3, weight decay 1e-4, batches of 4,096 tokens, 10 epochs, positive class weighted N_neg / N_pos). Ours:
features are standardised, and with a validation set the epoch of the best average precision is kept.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Self

import numpy as np

from ragcortex.errors import TrainingError
from ragcortex.readers.reading import Floats
from ragcortex.scorers.base import Labels, checked_columns, checked_training_set, standardisation
from ragcortex.scorers.network import Layers, NetworkScorer, linear_layers, network_prob


class MLPScorer(NetworkScorer):
    """Multilayer perceptron over token features.

    Args:
        hidden_sizes: widths of the hidden layers.
        dropout: after each hidden layer, while training.
        learning_rate, weight_decay: of AdamW.
        batch_tokens: tokens a step.
        n_epochs: passes over the training tokens, at most.
        patience: epochs without a better validation average precision before stopping; unused without validation.
        n_seeds: networks fitted from different seeds; their probabilities are averaged.
        seed: of the first network.

    Attributes:
        mean_, scale_: standardisation of the columns, float32 (columns,).
        networks_: for each seed its layers, as (weight (out, in), bias (out,)) float32 pairs.
        validation_ap_: best validation average precision of each network; empty without validation.
    """

    kind = "MLP"
    validation_ap_: list[float]

    def __init__(
        self,
        hidden_sizes: tuple[int, ...] = (256, 128),
        *,
        dropout: float = 0.1,
        learning_rate: float = 1e-3,
        weight_decay: float = 1e-4,
        batch_tokens: int = 4096,
        n_epochs: int = 10,
        patience: int = 3,
        n_seeds: int = 1,
        seed: int = 0,
    ) -> None:
        self.hidden_sizes = hidden_sizes
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_tokens = batch_tokens
        self.n_epochs = n_epochs
        self.patience = patience
        self.n_seeds = n_seeds
        self.seed = seed

    def fit(self, X: Floats, y: Labels, X_val: Floats | None = None, y_val: Labels | None = None) -> Self:
        """Fit on (n, columns) features and (n,) labels.

        Raises:
            TrainingError: as `checked_training_set`, no network is asked for, or the loss stopped being finite.
        """
        X, y = checked_training_set(X, y)
        if self.n_seeds < 1:
            raise TrainingError(f"the MLP needs at least one seed, got n_seeds={self.n_seeds}")
        self.classes_ = np.array([0, 1])
        self.n_features_in_ = X.shape[1]
        self.mean_, self.scale_ = standardisation(X)
        self.networks_ = []
        self.validation_ap_ = []
        validation = None
        if X_val is not None and y_val is not None and np.any(y_val):  # without a positive there is no precision
            validation = checked_columns(X_val, X.shape[1]), np.asarray(y_val)
        for seed in range(self.seed, self.seed + self.n_seeds):
            layers, best = self._fit_network(X, y, validation, seed)
            self.networks_.append(layers)
            if best is not None:
                self.validation_ap_.append(best)
        return self

    @classmethod
    def from_arrays(cls, params: Mapping[str, Any], arrays: Mapping[str, Floats]) -> Self:
        """Return the fitted scorer whose parameters and `arrays()` these are; its validation is not among them."""
        scorer = super().from_arrays(params, arrays)
        scorer.validation_ap_ = []
        return scorer

    def _fit_network(
        self, X: Floats, y: Labels, validation: tuple[Floats, Labels] | None, seed: int
    ) -> tuple[Layers, float | None]:
        import torch

        generator = torch.Generator().manual_seed(seed)
        network = _network(X.shape[1], self.hidden_sizes, self.dropout, seed)
        weight = torch.tensor(float((y == 0).sum()) / float((y == 1).sum()))
        loss_of = torch.nn.BCEWithLogitsLoss(pos_weight=weight)
        optimiser = torch.optim.AdamW(
            network.parameters(), lr=self.learning_rate, weight_decay=self.weight_decay, fused=True
        )
        features, labels = torch.from_numpy(X), torch.from_numpy(y.astype(np.float32))
        mean, scale = torch.from_numpy(self.mean_), torch.from_numpy(self.scale_)
        best: float | None = None
        kept, stale = linear_layers(network), 0
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            for _ in range(self.n_epochs):
                network.train()
                for rows in _batches(len(features), self.batch_tokens, generator):
                    loss = loss_of(network((features[rows] - mean) / scale)[:, 0], labels[rows])
                    if not torch.isfinite(loss):
                        raise TrainingError("the loss of the MLP is not finite; lower its learning rate")
                    optimiser.zero_grad()
                    loss.backward()
                    optimiser.step()
                if validation is None:
                    kept = linear_layers(network)
                    continue
                precision = self._validation_precision(linear_layers(network), *validation)
                if best is None or precision > best:
                    best, kept, stale = precision, linear_layers(network), 0
                else:
                    stale += 1
                    if stale >= self.patience:
                        break
        return kept, best

    def _validation_precision(self, layers: Layers, X: Floats, y: Labels) -> float:
        from sklearn.metrics import average_precision_score

        prob = np.concatenate([network_prob(layers, standardised) for _, standardised in self._chunks(X)])
        return float(average_precision_score(y, prob))


def _network(n_columns: int, hidden_sizes: tuple[int, ...], dropout: float, seed: int) -> Any:
    import torch

    with torch.random.fork_rng():
        torch.manual_seed(seed)
        layers: list[Any] = []
        width = n_columns
        for size in hidden_sizes:
            layers += [torch.nn.Linear(width, size), torch.nn.ReLU(), torch.nn.Dropout(dropout)]
            width = size
        return torch.nn.Sequential(*layers, torch.nn.Linear(width, 1))


def _batches(n_rows: int, size: int, generator: Any) -> Iterator[Any]:
    """Yield every row once, in a random order, `size` at a time."""
    import torch

    order = torch.randperm(n_rows, generator=generator)
    for start in range(0, n_rows, size):
        yield order[start : start + size]
