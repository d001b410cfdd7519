"""The additive model: interpret's own predictions from plain arrays, direction, round trip, and its absence."""

import sys
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import roc_auc_score

from ragcortex.errors import BundleError, ModelMissingError
from ragcortex.scorers.additive import AdditiveScorer, boosting_classifier

FAST: dict[str, Any] = {"n_bags": 2, "max_rounds": 60, "n_jobs": 1}


def table(seed: int = 0, n: int = 200) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 6)).astype(np.float32)
    X[:, 3] = 2.0  # a column that never changes
    X[:, 4] = random.integers(0, 2, n)  # and one of two values
    y = (X[:, 0] + np.abs(X[:, 1]) + 0.3 * random.normal(size=n) > 0.7).astype(np.int8)
    return X, y


def test_probabilities_are_interprets() -> None:
    pytest.importorskip("interpret")
    X, y = table()
    scorer = AdditiveScorer(**FAST).fit(X, y)
    model = boosting_classifier()(
        feature_types=["continuous"] * 6, interactions=0, max_bins=32, outer_bags=2, validation_size=0.1,
        max_rounds=60, early_stopping_tolerance=1e-5, n_jobs=1, random_state=0,
    ).fit(X, y)  # fmt: skip
    new = table(1, 500)[0] * 3
    np.testing.assert_allclose(scorer.predict_proba(new), model.predict_proba(new), atol=1e-5)


def test_steps_one_by_one() -> None:
    pytest.importorskip("interpret")
    X, y = table()
    scorer = AdditiveScorer(**FAST).fit(X, y)
    for row, got in zip(X[:20], scorer.predict_proba(X[:20])[:, 1], strict=True):
        log_odds = float(scorer.intercept_[0])
        for value, cuts, steps in zip(row, scorer.cuts_, scorer.steps_, strict=True):
            log_odds += float(steps[sum(value >= cut for cut in cuts)])
        assert got == pytest.approx(1 / (1 + np.exp(-log_odds)), abs=1e-5)


def test_direction_determinism_and_round_trip() -> None:
    pytest.importorskip("interpret")
    X, y = table()
    scorer = AdditiveScorer(**FAST)
    with pytest.raises(NotFittedError):
        scorer.predict_proba(X)
    scorer.fit(X, y)
    X_new, y_new = table(2)
    prob = scorer.predict_proba(X_new)
    assert roc_auc_score(y_new, prob[:, 1]) > 0.9
    threads = AdditiveScorer(**{**FAST, "n_jobs": 2}).fit(X, y)
    np.testing.assert_array_equal(threads.predict_proba(X_new), prob)
    again = AdditiveScorer.from_arrays(scorer.get_params(), {n: a.copy() for n, a in scorer.arrays().items()})
    np.testing.assert_array_equal(again.predict_proba(X_new), prob)
    assert all(array.dtype == np.float32 for array in scorer.arrays().values())


def test_damaged_arrays_are_refused() -> None:
    good = {
        "cuts": np.array([[0, 1]], np.float32),
        "steps": np.zeros((1, 3), np.float32),
        "intercept": np.zeros(1, np.float32),
    }
    AdditiveScorer.from_arrays({}, good)
    with pytest.raises(BundleError) as shape:
        AdditiveScorer.from_arrays({}, {**good, "steps": np.zeros((1, 2), np.float32)})
    assert str(shape.value) == (
        "the scorer's arrays cuts, steps and intercept must have shapes (columns, n), (columns, n + 1) and (1,), "
        "got (1, 2), (1, 2) and (1,)"
    )
    with pytest.raises(BundleError) as order:
        AdditiveScorer.from_arrays({}, {**good, "cuts": np.array([[1, 0]], np.float32)})
    assert str(order.value) == "the scorer's array cuts must ascend in every column"


def test_without_interpret_the_message_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "interpret", None)
    monkeypatch.setitem(sys.modules, "interpret.glassbox", None)
    with pytest.raises(ModelMissingError) as caught:
        AdditiveScorer().fit(*table())
    assert str(caught.value) == (
        "the additive model of RAGLens needs interpret-core, which is not installed; "
        "run `pip install 'ragcortex[benchmark]'`"
    )
