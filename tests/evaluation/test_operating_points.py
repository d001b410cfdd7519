"""Figures at a validation threshold against scikit-learn's, and thresholds against a search through all of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import balanced_accuracy_score, precision_recall_fscore_support

from ragcortex.calibration import f1_threshold
from ragcortex.errors import InputError, ReadingError
from ragcortex.evaluation.bootstrap import resample_counts
from ragcortex.evaluation.operating_points import (
    ValidationThreshold,
    operating_point,
    precisions_at,
    validation_threshold,
)
from ragcortex.evaluation.resampled_ranking import RankedUnits
from ragcortex.evaluation.resampling import Resamples

rows_of = st.lists(st.tuples(st.integers(-6, 6), st.integers(0, 1)), min_size=2, max_size=30)


def f1_at(scores, labels, threshold):
    flagged = scores >= threshold
    return 2 * (flagged & (labels == 1)).sum() / (flagged.sum() + labels.sum())


@settings(deadline=None)
@given(rows=rows_of)
def test_a_threshold_of_any_scale_is_the_best_there_is(rows):
    scores, labels = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    found = validation_threshold(scores, labels)
    if len(set(labels)) < 2:
        assert found.threshold is None
        return
    best = max(f1_at(scores, labels, threshold) for threshold in scores)
    assert found.f1 == pytest.approx(f1_at(scores, labels, found.threshold)) == pytest.approx(best)
    # Any rising map leaves what is flagged as it is.
    mapped = 1 / (1 + np.exp(-scores))
    other = validation_threshold(mapped, labels)
    assert other.threshold == f1_threshold(mapped, labels).threshold
    assert np.array_equal(mapped >= other.threshold, scores >= found.threshold)


def test_neighbouring_scores_of_a_wide_scale_are_told_apart():
    low, high = 1e9, np.nextafter(1e9, 2e9)
    found = validation_threshold([-5.0, low, high, high], [0, 0, 1, 1])
    assert (found.threshold, found.f1) == (high, 1.0)


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        ([0, 0], "in the validation data nothing is labelled hallucinated"),
        ([1, 1], "in the validation data nothing is labelled grounded"),
    ],
)
def test_validation_data_of_one_class_give_the_reason(labels, reason):
    assert validation_threshold([0.1, 0.2], labels) == ValidationThreshold(None, None, 2, reason)


@settings(deadline=None)
@given(rows=st.lists(st.tuples(st.integers(0, 8), st.integers(0, 1), st.integers(0, 8)), min_size=1, max_size=20))
def test_figures_equal_those_of_scikit_learn(rows):
    scores, labels, thresholds = (np.array(column) for column in zip(*rows, strict=True))
    found = operating_point(scores, labels, thresholds, Resamples(np.arange(len(rows)), seed=0, n_resamples=5))
    flagged = (scores >= thresholds).astype(int)
    estimates = (found.precision, found.recall, found.f1, found.balanced_accuracy)
    if not labels.any():
        assert {one.metric.reason for one in estimates} == {"nothing is labelled hallucinated"}
        return
    precision, recall, f1, _ = precision_recall_fscore_support(labels, flagged, average="binary", zero_division=0)
    assert (found.recall.value, found.f1.value) == (pytest.approx(recall), pytest.approx(f1))
    if flagged.any():
        assert found.precision.value == pytest.approx(precision)
    else:
        assert found.precision.metric.reason == "nothing is flagged"
        assert found.f1.value == 0
    if labels.all():
        assert found.balanced_accuracy.metric.reason == "nothing is labelled grounded"
    else:
        assert found.balanced_accuracy.value == pytest.approx(balanced_accuracy_score(labels, flagged))
    assert {(one.metric.n, one.metric.base_rate) for one in estimates} == {(len(rows), labels.mean())}


def test_intervals_equal_those_of_copied_rows():
    rng = np.random.default_rng(0)
    groups, labels = np.repeat(np.arange(12), 10), rng.integers(0, 2, 120)
    scores = rng.random(120) + 0.3 * labels
    found = operating_point(scores, labels, 0.7, Resamples(groups, seed=3, n_resamples=40))
    values = []
    for counts in resample_counts(12, 40, seed=3):
        rows = np.concatenate([np.flatnonzero(groups == group) for group in np.repeat(np.arange(12), counts)])
        flagged = (scores[rows] >= 0.7).astype(int)
        figures = precision_recall_fscore_support(labels[rows], flagged, average="binary")[:3]
        values.append((*figures, balanced_accuracy_score(labels[rows], flagged)))
    expected = np.percentile(values, [2.5, 97.5], axis=0).T
    for name, (low, high) in zip(("precision", "recall", "f1", "balanced_accuracy"), expected, strict=True):
        interval = getattr(found, name).interval
        assert (interval.low, interval.high) == (pytest.approx(low), pytest.approx(high))


def test_precision_at_fixed_recalls():
    # Four hallucinated; the second of them is the third row, the fourth the sixth.
    scores, labels = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.1], [1, 0, 1, 0, 1, 1, 0]
    ranked = RankedUnits(scores, labels)
    draws = ranked.draws(Resamples(np.arange(7), seed=0, n_resamples=50), (0.5, 0.8))
    half, most = precisions_at(ranked, draws.precision_at_recall)
    assert (half.recall, half.precision.value) == (0.5, pytest.approx(2 / 3))
    assert (most.recall, most.precision.value) == (0.8, pytest.approx(4 / 6))
    assert half.precision.interval.low <= 2 / 3 <= half.precision.interval.high
    assert half.precision.metric.base_rate == pytest.approx(4 / 7)
    constant = RankedUnits([0.5] * 7, labels)
    draws = constant.draws(Resamples(np.arange(7), seed=0, n_resamples=50), (0.5, 0.8))
    reasons = [one.precision.metric.reason for one in precisions_at(constant, draws.precision_at_recall)]
    assert reasons == [f"recall {recall} is reached only by flagging everything" for recall in (0.5, 0.8)]


def test_what_does_not_fit_is_refused():
    resamples = Resamples([0, 1], seed=0, n_resamples=2)
    with pytest.raises(InputError) as error:
        operating_point([0.1, 0.2], [0, 1], [0.1, 0.2, 0.3], resamples)
    assert str(error.value) == "thresholds: must be one number or one a unit, expected shape (2,), got (3,)"
    with pytest.raises(InputError) as error:
        operating_point([0.1, 0.2, 0.3], [0, 1, 0], 0.5, resamples)
    assert str(error.value) == "resamples: must be of the 3 units, got 2"
    with pytest.raises(ReadingError) as wrong:
        operating_point([0.1, 0.2], [0, 1], np.nan, resamples)
    assert str(wrong.value).startswith("thresholds: expected finite numbers, got nan at position 0; ")
    with pytest.raises(InputError) as error:
        ValidationThreshold(None, None, 3)
    assert str(error.value) == "reason: must be given exactly where there is no threshold, got None"
