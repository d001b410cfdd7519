"""Platt scaling against scikit-learn's and a brute-force grid; its order, its strict JSON form."""

import json
import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.errors import BundleError, InputError, ReadingError, TrainingError
from ragcortex.platt import PlattScaling

scalings = st.builds(PlattScaling, st.floats(1e-3, 50), st.floats(-20, 20))
scores = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def labelled(seed: int, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """Scores that are too sure of themselves: the true logit is a third of theirs, less one."""
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 4, n)
    return 1 / (1 + np.exp(-logits)), (rng.random(n) < 1 / (1 + np.exp(1 - logits / 3))).astype(int)


def plain_logit(score: float) -> float:
    kept = min(max(score, 1e-6), 1 - 1e-6)
    return math.log(kept / (1 - kept))


def plain_loss(scaling: PlattScaling, values: np.ndarray, labels: np.ndarray) -> float:
    n_positive = int(labels.sum())
    high, low = (n_positive + 1) / (n_positive + 2), 1 / (len(labels) - n_positive + 2)
    total = 0.0
    for score, label in zip(values.tolist(), labels.tolist(), strict=True):
        p = 1 / (1 + math.exp(-scaling.slope * plain_logit(score) - scaling.intercept))
        target = high if label else low
        total -= target * math.log(p) + (1 - target) * math.log(1 - p)
    return total / len(labels)


@pytest.mark.parametrize("seed", range(4))
def test_the_fit_is_scikit_learns(seed: int) -> None:
    from sklearn.calibration import _SigmoidCalibration

    values, labels = labelled(seed)
    found = PlattScaling.fit(values, labels)
    # Its σ has the opposite sign: 1 / (1 + exp(a f + b)).
    theirs = _SigmoidCalibration().fit(np.array([plain_logit(score) for score in values.tolist()]), labels)
    assert (found.slope, found.intercept) == (pytest.approx(-theirs.a_, abs=1e-3), pytest.approx(-theirs.b_, abs=1e-3))


def test_no_scaling_nearby_is_likelier() -> None:
    values, labels = labelled(7, n=60)
    found = PlattScaling.fit(values, labels)
    least = plain_loss(found, values, labels)
    for slope in np.linspace(0.5, 1.5, 9) * found.slope:
        for intercept in np.linspace(-0.5, 0.5, 9) + found.intercept:
            assert plain_loss(PlattScaling(float(slope), float(intercept)), values, labels) >= least - 1e-8


def test_probabilities_have_the_share_that_they_say() -> None:
    values, labels = labelled(8, n=4000)
    probabilities = PlattScaling.fit(values, labels).apply(values)
    for low in np.arange(0.1, 0.6, 0.1):
        inside = (probabilities >= low) & (probabilities < low + 0.1)
        assert labels[inside].mean() == pytest.approx(probabilities[inside].mean(), abs=0.06)


def test_separable_answers_leave_room_for_doubt() -> None:
    """Platt's targets: two of two hallucinated answers make 3/4 and not 1."""
    probabilities = PlattScaling.fit([0.3, 0.3, 0.7, 0.7], [0, 0, 1, 1]).apply([0.3, 0.7])
    np.testing.assert_allclose(probabilities, [1 / 4, 3 / 4], atol=1e-4)


def test_apply_by_hand() -> None:
    # logit(3/4) = log 3; 2 log 3 − log 3 = log 3.
    assert PlattScaling(2.0, -math.log(3)).apply([0.75]).tolist() == [pytest.approx(0.75)]


@given(scaling=scalings, values=scores)
def test_apply_is_the_plain_formula_and_keeps_the_order(scaling: PlattScaling, values: list[float]) -> None:
    found = scaling.apply(values)
    assert (found.dtype, found.shape) == (np.float64, (len(values),))
    for score, probability in zip(values, found.tolist(), strict=True):
        logit = scaling.slope * plain_logit(score) + scaling.intercept
        expected = 1 / (1 + math.exp(-logit)) if logit > -700 else 0.0
        assert probability == pytest.approx(expected, abs=1e-12)
    order = np.argsort(values, kind="stable")
    assert (np.diff(found[order]) >= 0).all()
    assert ((found >= 0) & (found <= 1)).all()


def test_steep_scalings_end_in_certainty_without_a_warning() -> None:
    assert PlattScaling(1e4, 0.0).apply([0.0, 0.5, 1.0]).tolist() == [pytest.approx(0, abs=1e-300), 0.5, 1.0]


@settings(deadline=None)
@given(values=scores)
def test_the_identity_changes_nothing(values: list[float]) -> None:
    np.testing.assert_allclose(PlattScaling.identity().apply(values), np.clip(values, 1e-6, 1 - 1e-6), rtol=1e-9)


def test_scores_and_labels_are_left_alone() -> None:
    values, labels = labelled(9, n=50)
    kept = values.copy(), labels.copy()
    PlattScaling.fit(values, labels).apply(values)
    assert (values.tolist(), labels.tolist()) == (kept[0].tolist(), kept[1].tolist())


@given(scaling=scalings, values=scores)
def test_json_round_trip_is_bit_equal(scaling: PlattScaling, values: list[float]) -> None:
    back = PlattScaling.from_dict(json.loads(json.dumps(scaling.to_dict())))
    assert back == scaling
    assert back.apply(values).tobytes() == scaling.apply(values).tobytes()


@pytest.mark.parametrize(
    ("values", "labels", "error", "message"),
    [
        ([0.2, 0.4], [0, 0], TrainingError, "probabilities need grounded and hallucinated examples, got 0 of 2"),
        ([0.2, 0.4], [1, 1], TrainingError, "probabilities need grounded and hallucinated examples, got 2 of 2"),
        ([], [], TrainingError, "probabilities need grounded and hallucinated examples, got 0 of 0"),
        (
            [0.1, 0.2, 0.8, 0.9], [1, 1, 0, 0], TrainingError,
            "higher scores do not go with more hallucinations in these labelled answers; check that label 1 means "
            "hallucinated",
        ),
        ([0.2, 0.4], [1], InputError, "labels: must be one label a score, expected shape (2,), got (1,)"),
        (
            [0.2, 1.4], [0, 1], ReadingError,
            "scores: expected numbers in [0, 1], got 1.4 at position 1; whatever made these scores is at fault, and "
            "nothing was computed from them",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_fitted_is_refused(
    values: list[float], labels: list[int], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}$"):
        PlattScaling.fit(values, labels)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"slope": 0.0}, "slope: must be above 0, so that the order of scores is kept, got 0.0"),
        ({"slope": -1}, "slope: must be above 0, so that the order of scores is kept, got -1"),
        ({"slope": "1"}, "slope: must be a finite number, got '1'"),
        ({"slope": True}, "slope: must be a finite number, got True"),
        ({"intercept": math.nan}, "intercept: must be a finite number, got nan"),
        ({"intercept": None}, "intercept: must be a finite number, got None"),
    ],
)
def test_a_scaling_checks_itself(changes: dict[str, Any], message: str) -> None:
    values: dict[str, Any] = {"slope": 1.0, "intercept": 0.0} | changes
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        PlattScaling(**values)
    with pytest.raises(BundleError, match=f"^{re.escape(f'here.{message}')}$"):
        PlattScaling.from_dict(values, "here")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (3, "platt: expected an object, got int; the bundle is damaged, fit it again"),
        ({"slope": 1.0}, "platt.intercept: is missing; the bundle is damaged or of another version, fit it again"),
        (
            {"slope": 1.0, "intercept": 0.0, "slop": 1.0},
            "platt.slop: is not a known field; the nearest known field is 'slope'",
        ),
    ],
)
def test_loading_is_strict(data: Any, message: str) -> None:
    with pytest.raises(BundleError, match=f"^{re.escape(message)}$"):
        PlattScaling.from_dict(data)
