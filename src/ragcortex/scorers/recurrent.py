"""A bidirectional recurrent network over an answer's tokens: a token's score depends on those before and after it.

Training needs torch; a fitted network is plain float32 arrays, and scoring needs numpy alone.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Self

import numpy as np

from ragcortex.errors import TrainingError
from ragcortex.readers.reading import Floats
from ragcortex.scorers.base import (
    Labels,
    checked_columns,
    checked_shapes,
    checked_size,
    checked_training_set,
    sigmoid,
    standardisation,
    two_columns,
)
from ragcortex.scorers.estimator import Classifier
from ragcortex.scorers.gated_recurrence import gated_recurrence
from ragcortex.scorers.token_table import TokenTable, checked_lengths

# Standard scores beyond this are outliers of a few tokens; a recurrent state would carry them along the answer.
_FARTHEST: Final = 8.0
_MAX_GRADIENT_NORM: Final = 1.0
_GRU_ARRAYS: Final = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")


class RecurrentScorer(Classifier):
    """Gated recurrent units in both directions over the features of an answer's tokens.

    Columns are standardised and projected to `width` with a ReLU; one layer of gated recurrent units (Cho et al. 2014,
    as torch.nn.GRU has them) runs over them forwards and backwards; a linear layer makes a probability of both states.
    Classes are weighted to balance.

    Args:
        width: columns after the projection.
        hidden_size: of the recurrent state of one direction.
        dropout: before and after the projection and before the last layer, while training.
        learning_rate: the highest of AdamW; it rises to it and falls again (one cycle).
        weight_decay: of AdamW.
        batch_sequences: answers a step.
        n_epochs: passes over the training answers; the epoch with the best validation average precision is kept.
        n_seeds: networks fitted from different seeds; their probabilities are averaged.
        seed: of the first network.

    Attributes:
        mean_, scale_: standardisation of the columns, float32 (columns,).
        networks_: for each seed its arrays, float32, by name.
        validation_ap_: best validation average precision of each network; empty without validation.
    """

    mean_: Floats
    scale_: Floats
    n_features_in_: int
    networks_: list[dict[str, Floats]]
    validation_ap_: list[float]

    def __init__(
        self,
        width: int = 96,
        hidden_size: int = 64,
        *,
        dropout: float = 0.3,
        learning_rate: float = 2e-3,
        weight_decay: float = 1e-2,
        batch_sequences: int = 16,
        n_epochs: int = 5,
        n_seeds: int = 1,
        seed: int = 0,
    ) -> None:
        self.width = width
        self.hidden_size = hidden_size
        self.dropout = dropout
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.batch_sequences = batch_sequences
        self.n_epochs = n_epochs
        self.n_seeds = n_seeds
        self.seed = seed

    def fit(
        self,
        X: Floats,
        y: Labels,
        X_val: Floats | None = None,
        y_val: Labels | None = None,
        *,
        lengths: Sequence[int] | None = None,
        val_lengths: Sequence[int] | None = None,
    ) -> Self:
        """Fit on (n, columns) features and (n,) labels of the tokens of several answers, one after the other.

        Args:
            X, y: training tokens.
            X_val, y_val: validation tokens, which decide which epoch is kept; without them it is the last.
            lengths, val_lengths: how many tokens each answer has, in order; None for one answer.

        Raises:
            TrainingError: as `checked_training_set`, no network is asked for, or the loss stopped being finite.
            InputError: lengths do not add up to the rows.
        """
        X, y = checked_training_set(X, y)
        if self.n_seeds < 1:
            raise TrainingError(f"the recurrent network needs at least one seed, got n_seeds={self.n_seeds}")
        own = TokenTable(X, y, checked_lengths(lengths, len(X)))
        validation = None
        if X_val is not None and y_val is not None and np.any(y_val):  # without a positive there is no precision
            validation = TokenTable(
                checked_columns(X_val, X.shape[1]), np.asarray(y_val), checked_lengths(val_lengths, len(X_val))
            )
        self.classes_ = np.array([0, 1])
        self.n_features_in_ = X.shape[1]
        self.mean_, self.scale_ = standardisation(X)
        self.networks_ = []
        self.validation_ap_ = []
        for seed in range(self.seed, self.seed + self.n_seeds):
            network, best = self._fit_network(own, validation, seed)
            self.networks_.append(network)
            if best is not None:
                self.validation_ap_.append(best)
        return self

    def predict_proba(self, X: Floats, lengths: Sequence[int] | None = None) -> Floats:
        """Return float32 (n, 2) for the tokens of answers, one after the other; the mean of the networks'.

        Args:
            X: (n, columns), all tokens of each answer in order.
            lengths: how many tokens each answer has; None for one answer.
        """
        self._check_fitted("networks_")
        X = checked_columns(X, self.n_features_in_)
        cuts = np.cumsum(checked_lengths(lengths, len(X)))[:-1]
        parts = [self._probabilities(part) for part in np.split(X, cuts)]
        return two_columns(np.concatenate([*parts, np.zeros(0, np.float32)]))

    def arrays(self) -> dict[str, Floats]:
        """Return mean, scale and every weight and bias, by name."""
        self._check_fitted("networks_")
        named = {"mean": self.mean_, "scale": self.scale_}
        for index, network in enumerate(self.networks_):
            named |= {f"{index}.{name}": array for name, array in network.items()}
        return named

    @classmethod
    def from_arrays(cls, params: Mapping[str, Any], arrays: Mapping[str, Floats]) -> Self:
        """Return the fitted scorer whose parameters and `arrays()` these are; its validation is not among them."""
        scorer = cls(**params)
        for name in ("n_seeds", "width", "hidden_size"):
            checked_size("recurrent network", name, getattr(scorer, name))
        n_columns = arrays["mean"].size
        checked_shapes(arrays, {"mean": (n_columns,), "scale": (n_columns,)})
        shapes = scorer._shapes(n_columns)
        for index in range(scorer.n_seeds):
            checked_shapes(arrays, {f"{index}.{name}": shape for name, shape in shapes.items()})
        scorer.classes_ = np.array([0, 1])
        scorer.mean_, scorer.scale_ = arrays["mean"], arrays["scale"]
        scorer.n_features_in_ = n_columns
        scorer.networks_ = [{name: arrays[f"{index}.{name}"] for name in shapes} for index in range(scorer.n_seeds)]
        scorer.validation_ap_ = []
        return scorer

    def _shapes(self, n_columns: int) -> dict[str, tuple[int, ...]]:
        gates = 3 * self.hidden_size
        gru = dict(zip(_GRU_ARRAYS, ((gates, self.width), (gates, self.hidden_size), (gates,), (gates,)), strict=True))
        return {
            "project.weight": (self.width, n_columns),
            "project.bias": (self.width,),
            **{f"recurrent.{name}{way}": shape for way in ("", "_reverse") for name, shape in gru.items()},
            "output.weight": (1, 2 * self.hidden_size),
            "output.bias": (1,),
        }

    def _standardised(self, X: Floats) -> Floats:
        standard: Floats = np.clip((X - self.mean_) / self.scale_, -_FARTHEST, _FARTHEST)
        return standard

    def _probabilities(self, X: Floats) -> Floats:
        """Return the mean probability of the networks for each token of one answer, float32 (n,)."""
        if not len(X):
            return np.zeros(0, np.float32)
        return _probabilities(self.networks_, self._standardised(X))

    def _fit_network(
        self, own: TokenTable, validation: TokenTable | None, seed: int
    ) -> tuple[dict[str, Floats], float | None]:
        import torch

        with torch.random.fork_rng():
            torch.manual_seed(seed)
            network = _network(own.X.shape[1], self.width, self.hidden_size, self.dropout)
            order = np.random.default_rng(seed)
            n_batches = -(-len(own.lengths) // self.batch_sequences)
            weight = torch.tensor(float((own.y == 0).sum()) / float((own.y == 1).sum()))
            loss_of = torch.nn.BCEWithLogitsLoss(pos_weight=weight)
            optimiser = torch.optim.AdamW(network.parameters(), lr=self.learning_rate, weight_decay=self.weight_decay)
            schedule = torch.optim.lr_scheduler.OneCycleLR(
                optimiser, self.learning_rate, total_steps=self.n_epochs * n_batches + 1
            )
            best: float | None = None
            kept = _arrays(network)
            for _ in range(self.n_epochs):
                network.train()
                for features, labels, known in own.batches(self.batch_sequences, order):
                    standard = torch.from_numpy(self._standardised(features))
                    logits = network(standard, torch.from_numpy(known.sum(axis=1)))
                    loss = loss_of(logits[torch.from_numpy(known)], torch.from_numpy(labels[known]))
                    if not torch.isfinite(loss):
                        raise TrainingError("the loss of the recurrent network is not finite; lower its learning rate")
                    optimiser.zero_grad()
                    loss.backward()
                    torch.nn.utils.clip_grad_norm_(network.parameters(), _MAX_GRADIENT_NORM)
                    optimiser.step()
                    schedule.step()
                if validation is None:
                    kept = _arrays(network)
                    continue
                precision = self._validation_precision(_arrays(network), validation)
                if best is None or precision > best:
                    best, kept = precision, _arrays(network)
        return kept, best

    def _validation_precision(self, network: dict[str, Floats], validation: TokenTable) -> float:
        from sklearn.metrics import average_precision_score

        prob = [_probabilities((network,), self._standardised(part)) for part in validation.parts() if len(part)]
        return float(average_precision_score(validation.y, np.concatenate(prob)))


def _network(n_columns: int, width: int, hidden_size: int, dropout: float) -> Any:
    import torch
    from torch.nn.utils import rnn

    class Network(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.dropout = torch.nn.Dropout(dropout)
            self.project = torch.nn.Linear(n_columns, width)
            self.recurrent = torch.nn.GRU(width, hidden_size, batch_first=True, bidirectional=True)
            self.output = torch.nn.Linear(2 * hidden_size, 1)

        def forward(self, standard: Any, lengths: Any) -> Any:
            projected = self.dropout(torch.relu(self.project(self.dropout(standard))))
            # Packed, so that the backward half begins at an answer's last token and not in the padding after it.
            packed = rnn.pack_padded_sequence(projected, lengths, batch_first=True, enforce_sorted=False)
            states, _ = rnn.pad_packed_sequence(self.recurrent(packed)[0], batch_first=True)
            return self.output(self.dropout(states))[..., 0]

    return Network()


def _arrays(network: Any) -> dict[str, Floats]:
    """Return copies of the parameters of a torch network, by name."""
    return {name: tensor.detach().numpy().copy() for name, tensor in network.state_dict().items()}


def _probabilities(networks: Sequence[Mapping[str, Floats]], standard: Floats) -> Floats:
    """Return the mean probability (n,) of networks on the standardised tokens of one answer, float32."""
    projected = [np.maximum(standard @ one["project.weight"].T + one["project.bias"], 0) for one in networks]
    inputs = np.stack([own[::step] for own in projected for step in (1, -1)])
    weights = (
        np.stack([one[f"recurrent.{name}{way}"] for one in networks for way in ("", "_reverse")])
        for name in _GRU_ARRAYS
    )
    states = gated_recurrence(inputs, *weights)
    probs = []
    for index, network in enumerate(networks):
        both = np.concatenate([states[2 * index], states[2 * index + 1, ::-1]], axis=1)
        probs.append(sigmoid(both @ network["output.weight"][0] + network["output.bias"]))
    mean: Floats = np.mean(probs, axis=0)
    return mean
