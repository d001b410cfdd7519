"""Scorers: scikit-learn's conventions, learning, determinism, and state that survives a round trip bit for bit."""

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from ragcortex.errors import BundleError, InputError, TrainingError
from ragcortex.readers.reading import Floats
from ragcortex.scorers import GainScorer, LogisticScorer, MLPScorer, scorer_class
from ragcortex.scorers.base import Labels, sigmoid, standardisation

torch.set_num_threads(1)

SMALL: dict[str, Any] = {"hidden_sizes": (16, 8), "n_epochs": 4, "batch_tokens": 64}
MAKERS: dict[str, Callable[[], Any]] = {
    "mlp": lambda: MLPScorer(**SMALL, n_seeds=2, seed=3),
    "logistic": lambda: LogisticScorer(C=0.1),
    "gain": lambda: GainScorer(offset=-1.5),
}


def _table(seed: int = 0, n: int = 600, *, columns: int = 5, rare: float = 0.0) -> tuple[Floats, Labels]:
    """Return features of different scales and offsets, whose first two columns decide the label linearly."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, columns))
    y = (X[:, 0] + X[:, 1] + 0.5 * random.normal(size=n) > rare).astype(np.int8)
    return (X * [1, 50, 3, 0.01, 7][:columns] + [5, -200, 0, 1, 0][:columns]).astype(np.float32), y


def _xor(seed: int, n: int = 1500) -> tuple[Floats, Labels]:
    X = np.random.default_rng(seed).normal(size=(n, 2)).astype(np.float32)
    return X, ((X[:, 0] > 0) != (X[:, 1] > 0)).astype(np.int8)


def _fitted(name: str) -> tuple[Any, Floats]:
    X, y = (
        _table(columns=1 if name == "gain" else 5)
        if name != "gain"
        else (_table(columns=2)[0][:, :1], _table(columns=2)[1])
    )
    return MAKERS[name]().fit(X, y), X


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_scikit_learn_takes_a_scorer_for_a_classifier_of_its_own(name: str) -> None:
    scorer, X = _fitted(name)
    assert is_classifier(scorer)
    y = (X[:, 0] > np.median(X[:, 0])).astype(np.int8)
    first, values = next(iter(scorer.get_params().items()))
    search = GridSearchCV(clone(scorer), {first: [values]}, cv=2, scoring="average_precision").fit(X, y)
    assert np.isfinite(search.best_score_)
    assert repr(scorer).startswith(f"{type(scorer).__name__}({first}=")


def test_scoring_imports_no_scikit_learn() -> None:
    code = "import sys, ragcortex.bundle, ragcortex.scorers; print('sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_parameters_as_scikit_learn_has_them(name: str) -> None:
    scorer, _ = _fitted(name)
    params = scorer.get_params()
    copy = clone(scorer)
    assert copy.get_params() == params
    assert not hasattr(copy, "classes_")
    assert type(scorer)(**params).get_params() == params
    first = next(iter(params))
    assert copy.set_params(**{first: params[first]}) is copy
    with pytest.raises(ValueError, match="Invalid parameter 'nothing'"):
        copy.set_params(nothing=1)
    assert scorer_class(name) is type(scorer)


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_probabilities(name: str) -> None:
    scorer, X = _fitted(name)
    prob = scorer.predict_proba(X)
    assert prob.shape == (len(X), 2)
    assert prob.dtype == np.float32
    np.testing.assert_allclose(prob.sum(axis=1), 1, atol=1e-6)
    assert ((prob >= 0) & (prob <= 1)).all()
    np.testing.assert_array_equal(scorer.classes_, [0, 1])
    assert scorer.predict_proba(X[:0]).shape == (0, 2)
    # A token's score does not depend on the others'.
    np.testing.assert_allclose(scorer.predict_proba(X[7:8]), prob[7:8], atol=1e-6)


@pytest.mark.parametrize("name", sorted(MAKERS))
def test_round_trip_is_bit_equal(name: str) -> None:
    scorer, X = _fitted(name)
    arrays = {key: array.copy() for key, array in scorer.arrays().items()}
    assert all(array.dtype == np.float32 for array in arrays.values())
    again = type(scorer).from_arrays(scorer.get_params(), arrays)
    np.testing.assert_array_equal(again.predict_proba(X), scorer.predict_proba(X))
    assert again.get_params() == scorer.get_params()
    assert again.arrays().keys() == arrays.keys()
    assert all(np.array_equal(again.arrays()[key], array) for key, array in arrays.items())


@pytest.mark.parametrize("name", ["mlp", "logistic"])
def test_the_same_seed_gives_the_same_scorer(name: str) -> None:
    """Whatever random numbers the caller drew before, and without drawing any of the caller's."""
    X, y = _table()
    torch.manual_seed(0)
    state = torch.random.get_rng_state()
    first = MAKERS[name]().fit(X, y)
    assert torch.equal(state, torch.random.get_rng_state())
    torch.manual_seed(99)
    np.random.seed(99)
    second = MAKERS[name]().fit(X, y)
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))


def test_another_seed_gives_another_network_and_seeds_are_averaged() -> None:
    X, y = _table()
    one, other, both = (MLPScorer(**SMALL, seed=s, n_seeds=n).fit(X, y) for s, n in ((0, 1), (1, 1), (0, 2)))
    assert not np.array_equal(one.predict_proba(X), other.predict_proba(X))
    mean = (one.predict_proba(X)[:, 1] + other.predict_proba(X)[:, 1]) / 2
    np.testing.assert_allclose(both.predict_proba(X)[:, 1], mean, atol=1e-6)


@pytest.mark.parametrize("name", ["mlp", "logistic"])
def test_fitting_changes_no_argument(name: str) -> None:
    X, y = _table()
    X_before, y_before = X.copy(), y.copy()
    MAKERS[name]().fit(X, y, X, y)
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(y, y_before)


def test_mlp_learns_what_no_line_separates() -> None:
    X, y = _xor(0)
    X_new, y_new = _xor(1)
    mlp = MLPScorer((32, 16), n_epochs=40, batch_tokens=128, learning_rate=5e-3).fit(X, y)
    assert roc_auc_score(y_new, mlp.predict_proba(X_new)[:, 1]) > 0.97
    assert roc_auc_score(y_new, LogisticScorer().fit(X, y).predict_proba(X_new)[:, 1]) < 0.6


def test_mlp_predicts_what_torch_does() -> None:
    X, y = _table()
    scorer = MLPScorer(**SMALL).fit(X, y)
    (layers,) = scorer.networks_
    network = torch.nn.Sequential(
        torch.nn.Linear(5, 16), torch.nn.ReLU(), torch.nn.Linear(16, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)
    )
    with torch.no_grad():
        for module, (weight, bias) in zip((network[0], network[2], network[4]), layers, strict=True):
            module.weight.copy_(torch.from_numpy(weight))
            module.bias.copy_(torch.from_numpy(bias))
        scaled = (torch.from_numpy(X) - torch.from_numpy(scorer.mean_)) / torch.from_numpy(scorer.scale_)
        expected = torch.sigmoid(network(scaled))[:, 0].numpy()
    np.testing.assert_allclose(scorer.predict_proba(X)[:, 1], expected, atol=1e-6)


def test_mlp_predicts_many_rows_in_chunks_as_few() -> None:
    X, y = _table(n=20_000)
    scorer = MLPScorer(**{**SMALL, "n_epochs": 1, "batch_tokens": 4096}).fit(X, y)
    whole = scorer.predict_proba(X)
    np.testing.assert_allclose(
        np.concatenate([scorer.predict_proba(X[:9000]), scorer.predict_proba(X[9000:])]), whole, atol=1e-6
    )


def test_positive_class_is_weighted_to_balance() -> None:
    """With 1 positive in 20 that cannot be told apart, the mean score is near ½, not near 1/20."""
    random = np.random.default_rng(0)
    X = random.normal(size=(4000, 3)).astype(np.float32)
    y = (random.random(4000) < 0.05).astype(np.int8)
    for scorer in (MLPScorer((4,), n_epochs=8, batch_tokens=256), LogisticScorer()):
        assert abs(scorer.fit(X, y).predict_proba(X)[:, 1].mean() - 0.5) < 0.08


def test_early_stopping_keeps_the_best_epoch() -> None:
    X, y = _table(0, 120)
    X_val, y_val = np.random.default_rng(1).normal(size=(200, 5)).astype(np.float32), _table(2, 200)[1]
    options: dict[str, Any] = {**SMALL, "learning_rate": 0.05, "batch_tokens": 32}

    def after(n_epochs: int) -> float:
        scorer = MLPScorer(**{**options, "n_epochs": n_epochs}).fit(X, y)
        return float(average_precision_score(y_val, scorer.predict_proba(X_val)[:, 1]))

    # Without validation every epoch is run, and the same seed makes the same epochs.
    by_epoch = [after(n_epochs) for n_epochs in range(1, 11)]
    best, stale = by_epoch[0], 0
    for precision in by_epoch[1:]:
        best, stale = (precision, 0) if precision > best else (best, stale + 1)
        if stale == 3:
            break
    scorer = MLPScorer(**{**options, "n_epochs": 10, "patience": 3}).fit(X, y, X_val, y_val)
    assert scorer.validation_ap_ == pytest.approx([best])
    got = average_precision_score(y_val, scorer.predict_proba(X_val)[:, 1])
    assert got == pytest.approx(best)
    assert best > min(by_epoch)


def test_validation_without_a_positive_is_not_used() -> None:
    X, y = _table()
    scorer = MLPScorer(**SMALL).fit(X, y, X, np.zeros_like(y))
    assert scorer.validation_ap_ == []
    np.testing.assert_array_equal(scorer.predict_proba(X), MLPScorer(**SMALL).fit(X, y).predict_proba(X))


def test_logistic_predicts_what_scikit_learn_does() -> None:
    X, y = _table(rare=1.5)
    scorer = LogisticScorer(C=0.1).fit(X, y)
    scaled = StandardScaler().fit_transform(X.astype(np.float64))
    model = LogisticRegression(C=0.1, class_weight="balanced", max_iter=300).fit(scaled, y)
    np.testing.assert_allclose(scorer.predict_proba(X), model.predict_proba(scaled), atol=1e-3)
    np.testing.assert_array_equal(scorer.predict_proba(X)[:, 1] > 0.5, model.predict(scaled) == 1)


def test_gain_is_the_probability_of_being_written_without_references() -> None:
    gains = np.array([[0.0], [2.0], [-200.0], [200.0]], np.float32)
    got = GainScorer().fit(gains, np.zeros(4, np.int8)).predict_proba(gains)[:, 1]
    np.testing.assert_allclose(got, [0.5, 1 / (1 + np.exp(-2)), 0, 1], atol=1e-6)
    shifted = GainScorer(offset=-2.0).predict_proba(gains)[:, 1]
    np.testing.assert_allclose(shifted[1], 0.5, atol=1e-6)


def test_sigmoid_does_not_overflow() -> None:
    got = sigmoid(np.array([-1e4, -1, 0, 1, 1e4], np.float32))
    np.testing.assert_allclose(got, [0, 1 / (1 + np.e), 0.5, np.e / (1 + np.e), 1], atol=1e-6)
    assert got.dtype == np.float32


def test_standardisation_leaves_constant_columns() -> None:
    X = np.array([[1, 5], [3, 5]], np.float32)
    mean, scale = standardisation(X)
    np.testing.assert_array_equal(mean, [2, 5])
    np.testing.assert_array_equal(scale, [1, 1])
    assert (mean.dtype, scale.dtype) == (np.float32, np.float32)


@pytest.mark.parametrize("name", ["mlp", "logistic"])
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (np.ones((3, 2)), np.zeros(3), "the training tokens need both labels 0 and 1, got [0.0]"),
        (np.ones((3, 2)), np.ones(3, np.int8), "the training tokens need both labels 0 and 1, got [1]"),
        (np.ones((3, 2)), np.array([0, 1, 2]), "the training tokens need both labels 0 and 1, got [0, 1, 2]"),
        (np.ones((0, 2)), np.ones(0, np.int8), "the training tokens need both labels 0 and 1, got []"),
        (np.ones(3), np.ones(3), "features must be (n, columns) and labels (n,), got (3,) and (3,)"),
        (np.ones((3, 2)), np.ones(2), "features must be (n, columns) and labels (n,), got (3, 2) and (2,)"),
        (np.full((2, 2), np.nan), np.array([0, 1]), "the training features hold a value that is not finite"),
    ],
    ids=["grounded only", "hallucinated only", "three classes", "nothing", "one axis", "lengths", "nan"],
)
def test_training_sets_that_cannot_be_learnt(name: str, X: Any, y: Any, message: str) -> None:
    with pytest.raises(TrainingError) as caught:
        MAKERS[name]().fit(X, y)
    assert str(caught.value) == message


def test_mlp_options_that_cannot_work() -> None:
    X, y = _table()
    with pytest.raises(TrainingError) as caught:
        MLPScorer(n_seeds=0).fit(X, y)
    assert str(caught.value) == "the MLP needs at least one seed, got n_seeds=0"
    with pytest.raises(TrainingError) as caught:
        MLPScorer(**SMALL, learning_rate=1e30).fit(X, y)
    assert str(caught.value) == "the loss of the MLP is not finite; lower its learning rate"


@pytest.mark.parametrize("name", ["mlp", "logistic"])
def test_unfitted_scorers_do_not_score(name: str) -> None:
    for use in ("predict_proba", "arrays"):
        with pytest.raises(NotFittedError):
            getattr(MAKERS[name](), use)(*([np.ones((1, 5))] if use == "predict_proba" else []))


@pytest.mark.parametrize(("name", "n"), [("mlp", 5), ("logistic", 5), ("gain", 1)])
def test_other_columns_than_fitted_are_refused(name: str, n: int) -> None:
    scorer, _ = _fitted(name)
    with pytest.raises(InputError) as caught:
        scorer.predict_proba(np.ones((2, n + 1), np.float32))
    assert str(caught.value) == f"features: must be (n, {n}) as the scorer was fitted, got (2, {n + 1})"


@pytest.mark.parametrize(
    ("name", "array", "value", "message"),
    [
        ("mlp", "0.1.weight", np.ones((8, 9)), "the scorer's array 0.1.weight must have shape (8, 16), got (8, 9)"),
        ("mlp", "1.2.bias", np.ones(2), "the scorer's array 1.2.bias must have shape (1,), got (2,)"),
        ("mlp", "scale", np.ones(4), "the scorer's array scale must have shape (5,), got (4,)"),
        ("mlp", "scale", np.zeros(5), "the scorer's array scale must be positive in every column"),
        ("logistic", "weight", np.ones(6), "the scorer's array weight must have shape (5,), got (6,)"),
        ("logistic", "bias", np.ones(()), "the scorer's array bias must have shape (1,), got ()"),
    ],
)
def test_state_of_the_wrong_shape_is_refused(name: str, array: str, value: Any, message: str) -> None:
    scorer, _ = _fitted(name)
    with pytest.raises(BundleError) as caught:
        type(scorer).from_arrays(scorer.get_params(), {**scorer.arrays(), array: value.astype(np.float32)})
    assert str(caught.value) == message


def test_a_scorer_that_is_not_there() -> None:
    with pytest.raises(InputError) as caught:
        scorer_class("forest")
    assert str(caught.value) == "scorer: 'forest' is not a scorer; there are gain, logistic, mlp, recurrent"
