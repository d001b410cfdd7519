"""Thresholds against a search over every cut, and the record of where they come from."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.calibration import (
    Calibration,
    ThresholdChoice,
    f1_threshold,
    false_alarm_threshold,
    recall_threshold,
)
from ragcortex.errors import BundleError, InputError, TrainingError

# A coarse grid makes ties likely; the odd float makes neighbours that are almost equal.
score_values = st.one_of(st.integers(0, 8).map(lambda k: k / 8), st.floats(0, 1))
labelled = st.lists(st.tuples(score_values, st.integers(0, 1)), min_size=2, max_size=25).filter(
    lambda rows: len({label for _, label in rows}) == 2
)


def outcome(rows, threshold):
    flagged = [label for score, label in rows if score >= threshold]
    n_positive = sum(label for _, label in rows)
    return sum(flagged), len(flagged) - sum(flagged), n_positive, len(rows) - n_positive


def all_outcomes(rows):
    """Every cut by brute force: one at each score, and one above all."""
    return [outcome(rows, threshold) for threshold in [*sorted({score for score, _ in rows}), math.inf]]


def check_figures(rows, choice: ThresholdChoice):
    found, alarms, n_positive, n_negative = outcome(rows, choice.threshold)
    assert 0 <= choice.threshold <= 1
    assert (choice.n, choice.n_positive) == (len(rows), n_positive)
    assert choice.recall == pytest.approx(found / n_positive)
    assert choice.false_positive_rate == pytest.approx(alarms / n_negative)
    assert choice.f1 == pytest.approx(2 * found / (found + alarms + n_positive))
    if found + alarms:
        assert choice.precision == pytest.approx(found / (found + alarms))
    else:
        assert choice.precision is None


@settings(deadline=None)
@given(rows=labelled)
def test_f1_threshold_is_the_best_of_every_cut(rows):
    choice = f1_threshold(*zip(*rows, strict=True))
    check_figures(rows, choice)
    assert choice.f1 == max(2 * found / (found + alarms + n) for found, alarms, n, _ in all_outcomes(rows))
    higher = [math.nextafter(score, 2) for score, _ in rows if score > choice.threshold]
    for found, alarms, n, _ in (outcome(rows, threshold) for threshold in higher):
        assert 2 * found / (found + alarms + n) < choice.f1, "a higher threshold is as good"


@settings(deadline=None)
@given(rows=labelled, recall=st.floats(0.01, 1))
def test_recall_threshold_is_the_highest_that_keeps_the_recall(rows, recall):
    choice = recall_threshold(*zip(*rows, strict=True), recall)
    check_figures(rows, choice)
    assert choice.recall >= recall
    higher = [math.nextafter(score, 2) for score, _ in rows if score > choice.threshold]
    assert all(outcome(rows, threshold)[0] / choice.n_positive < recall for threshold in higher)


@settings(deadline=None)
@given(rows=labelled, rate=st.floats(0, 1))
def test_false_alarm_threshold_is_the_lowest_that_keeps_the_rate(rows, rate):
    saturated = sum(score == 1 and not label for score, label in rows)
    scores, labels = zip(*rows, strict=True)
    n_negative = len(rows) - sum(labels)
    if saturated / n_negative > rate:
        with pytest.raises(TrainingError):
            false_alarm_threshold(scores, labels, rate)
        return
    choice = false_alarm_threshold(scores, labels, rate)
    check_figures(rows, choice)
    assert choice.false_positive_rate <= rate
    lower = [score for score in scores if score < choice.threshold]
    assert all(outcome(rows, score)[1] / n_negative > rate for score in lower)


def test_thresholds_by_hand():
    scores, labels = [0.1, 0.2, 0.4, 0.6, 0.8], [0, 1, 0, 1, 1]
    # Cuts from above find 1, 2, 2, 3, 3 of 3 with 0, 0, 1, 1, 2 alarms: F1 = 1/2, 4/5, 2/3, 6/7, 3/4.
    assert f1_threshold(scores, labels) == ThresholdChoice(
        threshold=pytest.approx(0.15), f1=6 / 7, precision=3 / 4, recall=1.0, false_positive_rate=0.5, n=5, n_positive=3
    )
    assert recall_threshold(scores, labels, 2 / 3).threshold == 0.5
    assert recall_threshold(scores, labels, 0.67).threshold == pytest.approx(0.15)
    assert false_alarm_threshold(scores, labels, 0.0).threshold == 0.5
    assert false_alarm_threshold(scores, labels, 0.5).threshold == pytest.approx(0.15)
    assert false_alarm_threshold(scores, labels, 1.0).threshold == 0.05


def test_a_threshold_that_flags_nothing_has_no_precision():
    choice = false_alarm_threshold([0.2, 0.8], [1, 0], 0.0)
    assert choice == ThresholdChoice(0.9, 0.0, None, 0.0, 0.0, 2, 1)


def test_scores_one_step_apart_are_told_apart():
    low = 0.3
    high = math.nextafter(low, 1)
    assert f1_threshold([low, high], [0, 1]).threshold == high


@pytest.mark.parametrize(("labels", "missing"), [([0, 0], "hallucinated (label 1)"), ([1, 1], "grounded (label 0)")])
def test_a_missing_class_is_named(labels, missing):
    message = (
        f"a threshold needs grounded and hallucinated examples, but none of 2 is {missing}; "
        "give labelled validation data with both"
    )
    for choose in (
        lambda: f1_threshold([0.1, 0.2], labels),
        lambda: recall_threshold([0.1, 0.2], labels, 0.5),
        lambda: false_alarm_threshold([0.1, 0.2], labels, 0.5),
    ):
        with pytest.raises(TrainingError) as error:
            choose()
        assert str(error.value) == message


def test_impossible_wishes_are_refused():
    with pytest.raises(InputError) as error:
        recall_threshold([0.1, 0.2], [0, 1], 0.0)
    assert str(error.value) == "recall: must be above 0 and at most 1, got 0.0"
    with pytest.raises(InputError) as error:
        false_alarm_threshold([0.1, 0.2], [0, 1], float("nan"))
    assert str(error.value) == "rate: must lie between 0 and 1, got nan"
    with pytest.raises(TrainingError) as error:
        false_alarm_threshold([1.0, 1.0, 0.3], [0, 1, 0], 0.1)
    assert str(error.value) == (
        "no threshold flags at most 0.1 of the grounded examples, because 1 of 2 score exactly 1; "
        "the scorer is saturated, fit it again"
    )


GOOD = {
    "token_threshold": 0.4,
    "review_threshold": 0.3,
    "hallucinated_threshold": 0.7,
    "data": "120 held-out answers",
    "n_answers": 120,
    "n_hallucinated": 31,
    "date": "2026-01-31",
    "figures": {"token_f1": 0.5, "answer_precision": 1},
    "reader_fingerprint": "0" * 64,
}


def test_a_calibration_survives_json():
    calibration = Calibration.from_dict(GOOD)
    assert Calibration.from_dict(json.loads(json.dumps(calibration.to_dict()))) == calibration
    assert calibration.to_dict() == GOOD
    hash(calibration)


def test_a_calibration_keeps_its_own_figures():
    figures = {"token_f1": 0.5}
    calibration = Calibration.from_dict({**GOOD, "figures": figures})
    figures["token_f1"] = 0.9
    assert calibration.figures == {"token_f1": 0.5}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"token_threshold": "0.4"}, "token_threshold: must be a number in [0, 1], got '0.4'"),
        ({"token_threshold": float("nan")}, "token_threshold: must be a number in [0, 1], got nan"),
        ({"hallucinated_threshold": True}, "hallucinated_threshold: must be a number in [0, 1], got True"),
        ({"review_threshold": 0.8}, "review_threshold: must be at most hallucinated_threshold, got 0.8 > 0.7"),
        ({"data": " "}, "data: must say which answers the thresholds come from, got ' '"),
        ({"n_answers": 1.5}, "n_answers: must be a whole number, 0 or more, got 1.5"),
        ({"n_hallucinated": 121}, "n_hallucinated: must be at most n_answers, got 121 > 120"),
        ({"date": "31.1.2026"}, "date: must be a day as YYYY-MM-DD, got '31.1.2026'"),
        ({"date": "2026-02-30"}, "date: must be a day as YYYY-MM-DD, got '2026-02-30'"),
        ({"figures": [1]}, "figures: must be an object of names and numbers, got [1]"),
        ({"figures": {"token_f1": 1.5}}, "figures.token_f1: must be a number in [0, 1], got 1.5"),
    ],
)
def test_a_calibration_checks_itself(change, message):
    with pytest.raises(InputError) as error:
        Calibration(**{**GOOD, **change})
    assert str(error.value) == message
    with pytest.raises(BundleError) as error:
        Calibration.from_dict({**GOOD, **change})
    assert str(error.value) == f"calibration.{message}"


def test_loading_is_strict():
    with pytest.raises(BundleError) as error:
        Calibration.from_dict({key: value for key, value in GOOD.items() if key != "date"})
    assert str(error.value) == (
        "calibration.date: is missing; the bundle is damaged or of another version, fit it again"
    )
    with pytest.raises(BundleError) as error:
        Calibration.from_dict({**GOOD, "token_treshold": 0.1})
    assert str(error.value) == (
        "calibration.token_treshold: is not a known field; the nearest known field is 'token_threshold'"
    )


def test_scores_are_left_alone():
    scores = np.array([0.9, 0.1, 0.5])
    f1_threshold(scores, [1, 0, 1])
    assert scores.tolist() == [0.9, 0.1, 0.5]


@settings(deadline=None)
@given(rows=labelled, threshold=st.one_of(score_values, st.floats(0, 1)))
def test_what_a_given_threshold_does_is_what_counting_says(rows, threshold):
    choice = ThresholdChoice.at(*zip(*rows, strict=True), threshold)
    assert choice.threshold == threshold
    check_figures(rows, choice)


@settings(deadline=None)
@given(rows=labelled)
def test_at_a_chosen_threshold_the_figures_are_the_choices(rows):
    scores, labels = zip(*rows, strict=True)
    choice = f1_threshold(scores, labels)
    assert ThresholdChoice.at(scores, labels, choice.threshold) == choice


def test_a_score_at_the_given_threshold_is_flagged():
    # At or above .4 lie .4 (grounded) and .6 (hallucinated): one found of two, with one alarm of two.
    assert ThresholdChoice.at([0.1, 0.2, 0.4, 0.6], [0, 1, 0, 1], 0.4) == ThresholdChoice(0.4, 0.5, 0.5, 0.5, 0.5, 4, 2)
    assert ThresholdChoice.at([0.2, 0.8], [1, 0], 0.9) == ThresholdChoice(0.9, 0.0, None, 0.0, 0.0, 2, 1)
    assert ThresholdChoice.at([0.2, 0.8], [1, 0], 0.0) == ThresholdChoice(0.0, 2 / 3, 0.5, 1.0, 1.0, 2, 1)


def test_a_given_threshold_needs_both_classes():
    with pytest.raises(TrainingError) as error:
        ThresholdChoice.at([0.1, 0.2], [1, 1], 0.5)
    assert str(error.value) == (
        "a threshold needs grounded and hallucinated examples, but none of 2 is grounded (label 0); "
        "give labelled validation data with both"
    )
