"""The small logistic model: its arithmetic by hand, its fit, and its strict JSON form."""

import json
import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.errors import BundleError, InputError, TrainingError
from ragcortex.geometry.linear_model import LinearModel

MODEL = LinearModel(("length", "distance"), (10.0, 0.5), (2.0, 0.25), (1.5, -0.5), 0.25)


def test_hand_worked_probability() -> None:
    # (14 − 10) / 2 · 1.5 = 3; (0.75 − 0.5) / 0.25 · −0.5 = −0.5; logit 0.25 + 3 − 0.5 = 2.75
    values = np.array([[14.0, 0.75], [10.0, 0.5]])
    assert MODEL.contributions(values).tolist() == [[3.0, -0.5], [0.0, 0.0]]
    expected = [1 / (1 + math.exp(-2.75)), 1 / (1 + math.exp(-0.25))]
    np.testing.assert_allclose(MODEL.probabilities(values), expected, rtol=1e-15)


@given(st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3)), min_size=1, max_size=8))
def test_contributions_add_up_to_the_logit_of_the_probability(rows: list[tuple[float, float]]) -> None:
    values = np.array(rows)
    logits = MODEL.contributions(values).sum(axis=1) + MODEL.intercept
    probabilities = MODEL.probabilities(values)
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    moderate = np.abs(logits) < 15
    own = np.log(probabilities[moderate] / (1 - probabilities[moderate]))
    np.testing.assert_allclose(own, logits[moderate], atol=1e-6)


def test_a_row_has_the_same_probability_whatever_rows_come_with_it() -> None:
    values = np.random.default_rng(0).normal(size=(50, 2))
    together = MODEL.probabilities(values)
    assert [MODEL.probabilities(values[index : index + 1])[0] for index in range(50)] == together.tolist()


def test_extreme_values_are_certain_and_finite() -> None:
    with np.errstate(all="raise"):
        assert MODEL.probabilities(np.array([[1e300, 0.5], [-1e300, 0.5]])).round(6).tolist() == [1, 0]


def test_the_fit_is_that_of_standardised_ridge_logistic_regression() -> None:
    """The gradient of the penalised likelihood is zero at the fit: Σ (p − y) z + λ w = 0, and Σ (p − y) = 0."""
    rng = np.random.default_rng(1)
    values = rng.normal(size=(80, 3)) * (1, 10, 0.1) + (0, 5, 1)
    labels = (values[:, 0] + rng.normal(size=80) > 0).astype(np.int8)
    model = LinearModel.fit(("a", "b", "c"), values, labels, regularisation=2.0)
    standard = (values - values.mean(axis=0)) / values.std(axis=0)
    errors = model.probabilities(values) - labels
    np.testing.assert_allclose(errors @ standard + 2.0 * np.array(model.weights), 0, atol=2e-2)
    assert errors.sum() == pytest.approx(0, abs=2e-2)


def test_a_balanced_fit_separates_classes_of_any_size_at_one_half() -> None:
    values = np.concatenate([np.full((90, 1), 0.0), np.full((10, 1), 1.0)])
    labels = np.repeat([0, 1], [90, 10])
    plain, balanced = (
        LinearModel.fit(("a",), values, labels, regularisation=10.0, balanced=balanced) for balanced in (False, True)
    )
    halfway = np.array([[0.5]])
    assert balanced.probabilities(halfway)[0] == pytest.approx(0.5, abs=1e-3)
    assert plain.probabilities(halfway)[0] < 0.4


def test_a_constant_feature_changes_nothing() -> None:
    rng = np.random.default_rng(2)
    values = np.column_stack([rng.normal(size=30), np.full(30, 7.0)])
    labels = (values[:, 0] > 0).astype(np.int8)
    model = LinearModel.fit(("a", "constant"), values, labels)
    assert model.scales[1] == 1
    assert model.weights[1] == pytest.approx(0, abs=1e-9)


def test_one_class_alone_cannot_be_fitted() -> None:
    message = "a linear model needs rows of both classes, but all 4 have the same label; give more labelled answers"
    with pytest.raises(TrainingError, match=f"^{re.escape(message)}$"):
        LinearModel.fit(("a",), np.ones((4, 1)), [1, 1, 1, 1])


@given(st.lists(st.floats(-1e6, 1e6), min_size=7, max_size=7))
def test_json_round_trip_is_bit_equal(numbers: list[float]) -> None:
    model = LinearModel(("a", "b"), tuple(numbers[:2]), (abs(numbers[2]) + 1e-3, 1.0), tuple(numbers[3:5]), numbers[5])
    back = LinearModel.from_dict(json.loads(json.dumps(model.to_dict())), ("a", "b"), "here")
    assert back == model
    values = np.array([numbers[5:7]])
    assert back.probabilities(values).tobytes() == model.probabilities(values).tobytes()


def changed(**changes: Any) -> dict[str, Any]:
    return MODEL.to_dict() | changes


def feature(**changes: Any) -> dict[str, Any]:
    first, second = MODEL.to_dict()["features"]
    return changed(features=[first | changes, second])


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "words: expected an object, got list; the bundle is damaged, fit it again"),
        ({"intercept": 1}, "words.features: is missing; the bundle is damaged or of another version, fit it again"),
        (changed(bias=1), "words.bias: is not a known field; known are intercept, features"),
        (changed(features={}), "words.features must be a list of objects"),
        (changed(features=[3]), "words.features must be a list of objects"),
        (changed(features=[]), "words.features must be length, distance, got []"),
        (feature(name="depth"), "words.features must be length, distance, got ['depth', 'distance']"),
        (feature(mean="1.5"), "words.features.length.mean: must be a number, got '1.5'"),
        (feature(weight=None), "words.features.length.weight: must be a number, got None"),
        (feature(weight=True), "words.features.length.weight: must be a number, got True"),
        (feature(scale=0), "words.scales: must be above 0, got 0.0"),
        (feature(mean=float("nan")), "words.means: must be 2 finite numbers, one a feature, got (nan, 0.5)"),
        (changed(intercept="0.5"), "words.intercept: must be a number, got '0.5'"),
        (changed(intercept=float("inf")), "words.intercept: must be finite, got inf"),
    ],
)
def test_damaged_models_are_refused(data: Any, message: str) -> None:
    with pytest.raises(BundleError, match=f"^{re.escape(message)}$"):
        LinearModel.from_dict(data, ("length", "distance"), "words")


@pytest.mark.parametrize("shape", [(2,), (1, 3), (0,)])
def test_values_of_another_shape_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(f'values: must have shape (n, 2), got {shape}')}$"):
        MODEL.probabilities(np.zeros(shape))


def test_no_rows_have_no_probabilities() -> None:
    assert MODEL.probabilities(np.zeros((0, 2))).shape == (0,)
