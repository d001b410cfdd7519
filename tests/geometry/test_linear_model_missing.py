"""Missing values in the small logistic model, and refitting it on a few labelled rows."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.errors import InputError, TrainingError
from ragcortex.geometry.linear_model import LinearModel

NAMES = ("length", "distance", "gain")
MODEL = LinearModel(NAMES, (10.0, 0.5, -1.0), (2.0, 0.25, 4.0), (1.5, -0.5, 0.8), 0.25)
SOMETIMES = st.one_of(st.just(float("nan")), st.floats(-100, 100))


def drawn(seed: int, n: int = 200, missing: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Rows of other weights than the model's: length says nothing, distance much."""
    rng = np.random.default_rng(seed)
    standard = rng.normal(size=(n, 3))
    labels = (rng.random(n) < 1 / (1 + np.exp(-(standard @ [0.0, 1.2, 0.4] - 0.7)))).astype(np.int8)
    values = standard * MODEL.scales + MODEL.means
    values[rng.random((n, 3)) < missing] = np.nan
    return values, labels


def standardised(values: np.ndarray) -> np.ndarray:
    rows = [
        [0.0 if np.isnan(v) else (v - m) / s for v, m, s in zip(row, MODEL.means, MODEL.scales, strict=True)]
        for row in values.tolist()
    ]
    return np.array(rows)


@given(st.lists(st.tuples(SOMETIMES, SOMETIMES, SOMETIMES), min_size=1, max_size=6))
def test_a_missing_value_adds_what_an_average_one_adds(rows: list[tuple[float, float, float]]) -> None:
    values = np.array(rows)
    filled = np.where(np.isnan(values), MODEL.means, values)
    assert (MODEL.contributions(values)[np.isnan(values)] == 0).all()
    assert MODEL.contributions(values).tolist() == MODEL.contributions(filled).tolist()
    assert MODEL.probabilities(values).tobytes() == MODEL.probabilities(filled).tobytes()


def test_a_row_of_nothing_has_the_probability_of_an_average_one() -> None:
    assert MODEL.probabilities(np.full((1, 3), np.nan))[0] == pytest.approx(1 / (1 + np.exp(-0.25)))


def test_the_fit_takes_means_and_scales_of_what_is_there_and_fills_with_the_mean() -> None:
    values, labels = drawn(0, missing=0.3)
    found = LinearModel.fit(NAMES, values, labels)
    for column in range(3):
        there = [value for value in values[:, column].tolist() if not np.isnan(value)]
        mean = sum(there) / len(there)
        assert found.means[column] == pytest.approx(mean)
        assert found.scales[column] == pytest.approx((sum((v - mean) ** 2 for v in there) / len(there)) ** 0.5)
    # The same gradient as without missing values, with missing ones at the mean: Σ (p − y) z + w = 0.
    rows = np.nan_to_num((values - found.means) / found.scales)
    errors = found.probabilities(values) - labels
    np.testing.assert_allclose(errors @ rows + found.weights, 0, atol=2e-2)
    assert errors.sum() == pytest.approx(0, abs=2e-2)


def test_a_feature_that_no_row_has_is_named() -> None:
    values, labels = drawn(1)
    values[:, [0, 2]] = np.nan
    message = "no row has the feature length, gain; give rows in which it is known"
    with pytest.raises(TrainingError, match=f"^{re.escape(message)}$"):
        LinearModel.fit(NAMES, values, labels)


def test_a_firm_model_keeps_its_weights_and_moves_its_intercept() -> None:
    values, labels = drawn(2)
    found = MODEL.refit(values, labels, strength=1e7)
    np.testing.assert_allclose(found.weights, MODEL.weights, atol=1e-4)
    # The intercept is free: as many are expected to be hallucinated as are.
    assert found.probabilities(values).sum() == pytest.approx(labels.sum(), abs=0.05)
    assert found.intercept != MODEL.intercept


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_a_loose_model_becomes_the_likeliest_one(missing: float) -> None:
    from sklearn.linear_model import LogisticRegression

    values, labels = drawn(3, missing=missing)
    found = MODEL.refit(values, labels, strength=1e-6)
    theirs = LogisticRegression(C=np.inf, tol=1e-8).fit(standardised(values), labels)
    np.testing.assert_allclose(found.weights, theirs.coef_[0], atol=5e-3)
    assert found.intercept == pytest.approx(theirs.intercept_[0], abs=5e-3)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 1000), strength=st.floats(0.1, 100))
def test_the_refit_balances_the_rows_and_the_way_from_here(seed: int, strength: float) -> None:
    """The gradient is zero at the best weights: Σ (p − y) z + strength (w − w₀) = 0, and Σ (p − y) = 0."""
    values, labels = drawn(seed, n=80, missing=0.1)
    found = MODEL.refit(values, labels, strength=strength)
    errors = found.probabilities(values) - labels
    away = strength * (np.array(found.weights) - MODEL.weights)
    np.testing.assert_allclose(errors @ standardised(values) + away, 0, atol=0.05)
    assert errors.sum() == pytest.approx(0, abs=0.05)
    assert (found.names, found.means, found.scales) == (MODEL.names, MODEL.means, MODEL.scales)


def test_the_firmer_the_nearer() -> None:
    values, labels = drawn(4)
    ways = [
        np.linalg.norm(np.subtract(MODEL.refit(values, labels, strength=strength).weights, MODEL.weights))
        for strength in (0.01, 1, 10, 100, 1000)
    ]
    assert ways == sorted(ways, reverse=True)
    assert ways[0] > 1
    assert ways[-1] < 0.2


def test_refitting_is_the_same_again_and_leaves_rows_and_model_alone() -> None:
    values, labels = drawn(5, missing=0.1)
    kept, before = values.copy(), MODEL.to_dict()
    assert MODEL.refit(values, labels, strength=3) == MODEL.refit(values, labels, strength=3)
    np.testing.assert_array_equal(values, kept)
    assert MODEL.to_dict() == before


@pytest.mark.parametrize(
    ("shape", "labels", "strength", "error", "message"),
    [
        ((3, 3), [1, 1, 1], 1.0, TrainingError, "all 3 rows have the same label; give more labelled answers"),
        ((0, 3), [], 1.0, TrainingError, "all 0 rows have the same label; give more labelled answers"),
        ((3, 2), [0, 1, 1], 1.0, InputError, "values: must have shape (n, 3), got (3, 2)"),
        ((3, 3), [0, 1, 1], 0.0, InputError, "strength: must be above 0, got 0.0"),
        ((3, 3), [0, 1, 1], float("nan"), InputError, "strength: must be above 0, got nan"),
    ],
)
def test_what_cannot_be_refitted_is_refused(
    shape: tuple[int, int], labels: list[int], strength: float, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        MODEL.refit(np.zeros(shape), labels, strength=strength)
