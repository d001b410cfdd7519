"""Paired comparisons against a bootstrap that copies rows, and Holm's correction against its definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from ragcortex.errors import InputError
from ragcortex.evaluation.bootstrap import Interval, bootstrap_difference, resample_counts
from ragcortex.evaluation.levels import LevelUnits
from ragcortex.evaluation.resampling import Draws, Resamples
from ragcortex.evaluation.significance import (
    Comparison,
    compare_methods,
    comparison,
    corrected,
    holm,
    least_resamples,
    p_value,
    resolution_note,
)


def made_units(noise: float, seed: int, *, n_groups: int = 20, level="token"):
    rng = np.random.default_rng(9)
    groups = np.repeat(np.arange(n_groups), 15)
    labels = (rng.random(len(groups)) < np.repeat(rng.beta(1, 3, n_groups), 15)).astype(np.int8)
    scores = labels + noise * np.random.default_rng(seed).standard_normal(len(groups))
    return LevelUnits(level, scores, labels, groups, groups, 0, 0)


def test_a_comparison_equals_one_that_copies_rows():
    ours, theirs = made_units(0.7, 1), made_units(1.0, 2)
    resamples = Resamples(ours.groups, seed=5, n_resamples=60)
    precision, area = compare_methods({"ours": ours, "theirs": theirs}, "theirs", resamples)
    differences = []
    for counts in resample_counts(20, 60, seed=5):
        rows = np.concatenate([np.flatnonzero(ours.groups == one) for one in np.repeat(np.arange(20), counts)])
        differences.append(
            [
                score(ours.labels[rows], ours.scores[rows]) - score(ours.labels[rows], theirs.scores[rows])
                for score in (average_precision_score, roc_auc_score)
            ]
        )
    differences = np.array(differences)
    known = bootstrap_difference(ours.scores, theirs.scores, ours.labels, ours.groups, seed=5, n_resamples=60)
    for column, (found, interval, score) in enumerate(
        [(precision, known.average_precision, average_precision_score), (area, known.auroc, roc_auc_score)]
    ):
        expected = score(ours.labels, ours.scores) - score(ours.labels, theirs.scores)
        assert found.difference == pytest.approx(expected)
        low, high = np.percentile(differences[:, column], [2.5, 97.5])
        assert found.interval == Interval(pytest.approx(low), pytest.approx(high), 20, 60)
        assert (found.interval.low, found.interval.high) == (
            pytest.approx(interval.low),
            pytest.approx(interval.high),
        )
        below, above = (differences[:, column] <= 0).sum(), (differences[:, column] >= 0).sum()
        assert found.p == pytest.approx(min(1, 2 * (1 + min(below, above)) / 61))
    assert (precision.method, precision.reference, precision.level) == ("ours", "theirs", "token")
    assert (precision.metric, area.metric) == ("average_precision", "auroc")


def test_better_methods_come_out_with_a_positive_difference():
    methods = {"weak": made_units(2.0, 1), "good": made_units(0.4, 2), "same": made_units(2.0, 1)}
    resamples = Resamples(methods["weak"].groups, seed=0, n_resamples=200)
    found = {(one.method, one.metric): one for one in compare_methods(methods, "weak", resamples)}
    assert found["good", "auroc"].difference > 0
    assert found["good", "auroc"].p == pytest.approx(2 / 201)
    assert found["good", "auroc"].p_holm == pytest.approx(4 / 201)
    assert (found["same", "auroc"].difference, found["same", "auroc"].p) == (0, 1)
    turned = compare_methods({name: methods[name] for name in ("good", "weak")}, "good", resamples)
    assert turned[1].difference == -found["good", "auroc"].difference
    assert turned[1].p == found["good", "auroc"].p


def test_a_wholly_grounded_set_gives_the_reason():
    units = made_units(1.0, 1)
    grounded = LevelUnits("word", units.scores, units.labels * 0, units.groups, units.answers, 0, 0)
    resamples = Resamples(units.groups, seed=0, n_resamples=10)
    found = compare_methods({"one": grounded, "two": grounded}, "two", resamples, metrics=["auroc"])
    assert [(one.difference, one.p, one.p_holm, one.reason) for one in found] == [
        (None, None, None, "nothing is labelled hallucinated")
    ]
    assert found[0].interval.reason == "nothing is labelled hallucinated"
    assert resolution_note(found) is None


def test_a_single_source_has_a_difference_but_no_p():
    units = made_units(1.0, 1, n_groups=1)
    resamples = Resamples(units.groups, seed=0, n_resamples=10)
    (found,) = compare_methods({"one": units, "two": units}, "two", resamples, metrics=["auroc"])
    assert (found.difference, found.p, found.reason) == (0, None, "all rows are of one group")


def test_any_metric_with_draws_can_be_compared():
    draws = Draws(np.array([0.1, 0.2, 0.3, 9.0]), np.array([True, True, True, False]), 7)
    found = comparison("a", "b", level="answer", metric="f1", difference=0.2, draws=draws)
    assert (found.p, found.interval.n_resamples, found.metric) == (0.5, 3, "f1")


def plain_holm(values):
    """Reject one after the other: the adjusted value is the smallest level at which the step-down test rejects it."""
    adjusted = {}
    highest = 0.0
    for step, index in enumerate(sorted(range(len(values)), key=lambda one: values[one])):
        highest = max(highest, (len(values) - step) * values[index])
        adjusted[index] = min(1.0, highest)
    return [adjusted[index] for index in range(len(values))]


@given(st.lists(st.integers(1, 1000).map(lambda one: one / 1000), max_size=12))
def test_holm_equals_its_definition(values):
    found = holm(values)
    assert list(found) == pytest.approx(plain_holm(values))
    assert all(adjusted >= value for adjusted, value in zip(found, values, strict=True))
    assert list(holm(values[::-1])) == pytest.approx(list(found)[::-1])


def test_comparisons_without_a_p_value_are_no_part_of_the_family():
    none = Interval(None, None, 1, 0, "all rows are of one group")
    some = Interval(0.1, 0.2, 9, 100)
    family = [
        Comparison("a", "z", "token", "auroc", 0.1, some, 0.02),
        Comparison("b", "z", "token", "auroc", 0.1, none, None, reason=none.reason),
        Comparison("c", "z", "token", "auroc", 0.1, some, 0.04),
    ]
    assert [one.p_holm for one in corrected(family)] == [0.04, None, 0.04]


@given(st.integers(1, 200))
def test_enough_resamples_are_just_enough(n):
    enough = least_resamples(n)
    assert n * 2 / (enough + 1) <= 0.05 + 1e-12
    assert n * 2 / enough > 0.05


def test_too_few_resamples_are_told():
    few = [Comparison(name, "z", "token", "auroc", 0.1, Interval(0.1, 0.2, 9, 100), 0.5) for name in "abcd"]
    assert resolution_note(few) == (
        "With 100 resamples no p-value of 4 comparisons can fall to 0.05 after Holm's correction; draw at least 159."
    )
    assert resolution_note(few[:2]) is None


def test_what_cannot_be_compared_is_refused():
    ours, other = made_units(1.0, 1), made_units(1.0, 1, n_groups=3)
    resamples = Resamples(ours.groups, seed=0, n_resamples=10)
    some = Interval(0.1, 0.2, 9, 100)
    cases = [
        (lambda: compare_methods({"a": ours, "b": ours}, "c", resamples), "reference: must be one of a, b, got 'c'"),
        (lambda: compare_methods({"a": ours}, "a", resamples, metrics=["f1"]),
         "metrics: must be of average_precision, auroc, got 'f1'"),
        (lambda: compare_methods({"a": ours, "b": other}, "a", resamples),
         "methods: must be of the same units, those of 'b' and 'a' differ"),
        (lambda: p_value([]), "differences: must not be empty; there is nothing to test"),
        (lambda: least_resamples(0), "n_comparisons: must be at least 1, got 0"),
        (lambda: least_resamples(1, 1), "level: must lie between 0 and 1, both excluded, got 1"),
        (lambda: Comparison("a", "b", "token", "auroc", 0.1, some, None),
         "reason: must be given exactly where there is no p-value, got None"),
        (lambda: Comparison("a", "b", "token", "auroc", 0.1, some, 0.0), "p: must be above 0 and at most 1, got 0.0"),
        (lambda: Comparison("a", "b", "token", "auroc", 0.1, some, 0.5, 0.4),
         "p_holm: must be at least p, got 0.4 and p=0.5"),
    ]  # fmt: skip
    for call, message in cases:
        with pytest.raises(InputError) as error:
            call()
        assert str(error.value) == message
