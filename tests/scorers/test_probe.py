"""Probe networks: a plain forward from their arrays, folded batch normalisation, published settings, conventions."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

from ragcortex.errors import BundleError, InputError, TrainingError
from ragcortex.scorers.probe import ICR_PROBE, ICR_TOKEN_PROBE, SAPLMA_PROBE, ProbeScorer, folded_layers

torch.set_num_threads(1)

SMALL: dict[str, Any] = {"hidden_sizes": (8, 4), "n_epochs": 3, "batch_rows": 16}
NORMED: dict[str, Any] = {**SMALL, "batch_norm": True, "negative_slope": 0.01, "dropout": 0.3, "weight_decay": 1e-5}


def table(seed: int = 0, n: int = 200) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 5))
    y = (X[:, 0] + X[:, 1] > 0).astype(np.int8)
    return (X * [1, 50, 3, 0.01, 7] + [5, -200, 0, 1, 0]).astype(np.float32), y


@pytest.mark.parametrize("options", [SMALL, {**NORMED, "n_seeds": 2}, {**SMALL, "standardise": False}])
def test_forward_by_hand(options: dict[str, Any]) -> None:
    X, y = table()
    X = X if options.get("standardise", True) else X / 100  # else the network's first steps saturate
    scorer = ProbeScorer(**options).fit(X, y)
    arrays = scorer.arrays()
    for row, got in zip(X[:5], scorer.predict_proba(X[:5])[:, 1], strict=True):
        probs = []
        for network in range(scorer.n_seeds):
            state = [(float(x) - m) / s for x, m, s in zip(row, arrays["mean"], arrays["scale"], strict=True)]
            for layer in range(3):
                weight, bias = arrays[f"{network}.{layer}.weight"], arrays[f"{network}.{layer}.bias"]
                state = [sum(w * x for w, x in zip(line, state, strict=True)) + b
                         for line, b in zip(weight.tolist(), bias.tolist(), strict=True)]  # fmt: skip
                if layer < 2:
                    state = [x if x > 0 else scorer.negative_slope * x for x in state]
            probs.append(1 / (1 + np.exp(-state[0])))
        assert got == pytest.approx(np.mean(probs), abs=2e-5)


def test_batch_normalisation_is_folded_as_torch_evaluates_it() -> None:
    torch.manual_seed(0)
    network = torch.nn.Sequential(
        torch.nn.Linear(5, 8), torch.nn.BatchNorm1d(8), torch.nn.LeakyReLU(0.01), torch.nn.Dropout(0.3),
        torch.nn.Linear(8, 1),
    )  # fmt: skip
    norm: Any = network[1]
    with torch.no_grad():
        norm.running_mean.normal_()
        norm.running_var.uniform_(0.1, 3)
        norm.weight.normal_()
        norm.bias.normal_()
    X = torch.randn(20, 5)
    (weight, bias), (last, last_bias) = folded_layers(network)
    state = X.numpy() @ weight.T + bias
    got = np.where(state > 0, state, 0.01 * state) @ last.T + last_bias
    np.testing.assert_allclose(got, network.eval()(X).detach().numpy(), atol=1e-5)


@pytest.mark.parametrize(
    ("settings", "widths"),
    [(SAPLMA_PROBE, (256, 128, 64)), (ICR_PROBE, (128, 64, 32)), (ICR_TOKEN_PROBE, (128, 64, 32))],
)
def test_published_settings(settings: Any, widths: tuple[int, ...]) -> None:
    X, y = table()
    scorer = ProbeScorer(**{**settings, "n_epochs": 2}).fit(X, y, X, y)
    shapes = [weight.shape for weight, _ in scorer.networks_[0]]
    assert shapes == [(size, width) for width, size in pairwise((5, *widths, 1))]
    assert scorer.learning_rate == 1e-3
    assert scorer.batch_norm == (settings is not SAPLMA_PROBE)


@pytest.mark.parametrize("options", [SAPLMA_PROBE, {**ICR_PROBE, "n_epochs": 10}])
def test_it_ranks_what_is_hallucinated_higher(options: Any) -> None:
    X, y = table(n=600)
    X_new, y_new = table(1)
    scorer = ProbeScorer(**options).fit(X, y, *table(2))
    assert roc_auc_score(y_new, scorer.predict_proba(X_new)[:, 1]) > 0.9
    noise = ProbeScorer(**options).fit(X, np.random.default_rng(3).permutation(y))
    assert abs(roc_auc_score(y_new, noise.predict_proba(X_new)[:, 1]) - 0.5) < 0.25


def test_the_epoch_of_the_lowest_validation_loss_is_kept() -> None:
    X, y = table(0, 60)
    X_val, y_val = table(1, 100)[0], table(2, 100)[1]  # labels of other rows: fitting more makes the loss grow
    options = {**SMALL, "learning_rate": 0.02}

    def loss(scorer: ProbeScorer) -> float:
        prob = scorer.predict_proba(X_val)[:, 1].astype(np.float64)
        return float(-np.mean(y_val * np.log(prob) + (1 - y_val) * np.log(1 - prob)))

    by_epoch = [loss(ProbeScorer(**{**options, "n_epochs": n}).fit(X, y)) for n in range(1, 7)]
    kept = ProbeScorer(**{**options, "n_epochs": 6}).fit(X, y, X_val, y_val)
    assert loss(kept) == pytest.approx(min(by_epoch), rel=1e-4)
    assert min(by_epoch) < by_epoch[-1]
    last = ProbeScorer(**{**options, "n_epochs": 6, "keep_lowest_loss": False}).fit(X, y, X_val, y_val)
    assert loss(last) == pytest.approx(by_epoch[-1], rel=1e-6)


def test_the_rate_is_halved_when_validation_loss_stays() -> None:
    """With validation labels turned round the loss only grows, so a run that halves differs from one that does not."""
    X, y = table()
    options = {**SMALL, "n_epochs": 8, "keep_lowest_loss": False}
    steady, halved = (ProbeScorer(**options, halve_after=n).fit(X, y, X, 1 - y) for n in (0, 1))
    moved = [np.abs(s.networks_[0][0][0] - ProbeScorer(**{**options, "n_epochs": 1}).fit(X, y).networks_[0][0][0]).sum()
             for s in (steady, halved)]  # fmt: skip
    assert moved[1] < moved[0]


def test_a_last_row_alone_joins_the_batch_before_it() -> None:
    X, y = table(0, 33)
    scorer = ProbeScorer(**NORMED).fit(X, y)
    assert np.isfinite(scorer.predict_proba(X)).all()


def test_conventions_and_round_trip() -> None:
    X, y = table()
    scorer = ProbeScorer(**NORMED, n_seeds=2, seed=3)
    with pytest.raises(NotFittedError):
        scorer.predict_proba(X)
    torch.manual_seed(0)
    state = torch.random.get_rng_state()
    scorer.fit(X, y)
    assert torch.equal(state, torch.random.get_rng_state())
    torch.manual_seed(99)
    prob = scorer.predict_proba(X)
    np.testing.assert_array_equal(clone(scorer).fit(X, y).predict_proba(X), prob)
    assert prob.dtype == np.float32
    np.testing.assert_allclose(prob.sum(axis=1), 1, atol=1e-6)
    arrays = scorer.arrays()
    assert all(array.dtype == np.float32 for array in arrays.values())
    again = ProbeScorer.from_arrays(scorer.get_params(), {name: array.copy() for name, array in arrays.items()})
    np.testing.assert_array_equal(again.predict_proba(X), prob)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_seeds": 0}, "the probe's n_seeds must be at least 1, got 0"),
        ({"n_epochs": 0}, "the probe's n_epochs must be at least 1, got 0"),
        ({"batch_rows": 0}, "the probe's batch_rows must be at least 1, got 0"),
        ({"learning_rate": 1e30}, "the loss of the probe is not finite; lower its learning rate"),
    ],
)
def test_options_that_cannot_train(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TrainingError) as caught:
        ProbeScorer(**{**SMALL, **options}).fit(*table())
    assert str(caught.value) == message


def test_what_does_not_fit_is_refused() -> None:
    scorer = ProbeScorer(**SMALL).fit(*table())
    with pytest.raises(InputError) as wrong:
        scorer.predict_proba(np.ones((2, 6), np.float32))
    assert str(wrong.value) == "features: must be (n, 5) as the scorer was fitted, got (2, 6)"
    params, arrays = scorer.get_params(), scorer.arrays()
    with pytest.raises(BundleError) as damaged:
        ProbeScorer.from_arrays(params, {**arrays, "0.1.bias": np.ones(5, np.float32)})
    assert str(damaged.value) == "the scorer's array 0.1.bias must have shape (4,), got (5,)"
    with pytest.raises(BundleError) as seeds:
        ProbeScorer.from_arrays({**params, "n_seeds": 0}, arrays)
    assert str(seeds.value) == "the probe's n_seeds must be a whole number from 1 on, got 0"
