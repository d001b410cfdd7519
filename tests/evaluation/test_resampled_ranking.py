"""Metrics in each resample against scikit-learn's on rows that were copied out."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from ragcortex.errors import InputError
from ragcortex.evaluation.bootstrap import Interval, bootstrap, resample_counts
from ragcortex.evaluation.metrics import Metric, ranking_metrics
from ragcortex.evaluation.resampled_ranking import RankedUnits
from ragcortex.evaluation.resampling import Draws, Resamples

RECALLS = (0.5, 0.8, 1.0)
rows_of = st.lists(
    st.tuples(st.integers(-6, 6).map(lambda k: k / 4), st.integers(0, 1), st.integers(0, 4)), min_size=1, max_size=30
)


def plain_precision_at(scores, labels, recall):
    """Return the precision at the highest threshold of at least this recall; None where it flags everything."""
    for threshold in sorted(set(scores), reverse=True):
        flagged = scores >= threshold
        if labels[flagged].sum() / labels.sum() >= recall:
            return None if flagged.all() else labels[flagged].mean()
    raise AssertionError


@settings(deadline=None, max_examples=40)
@given(rows=rows_of, seed=st.integers(0, 5))
def test_draws_equal_those_of_copied_rows(rows, seed):
    scores, labels, groups = (np.array(column) for column in zip(*rows, strict=True))
    resamples = Resamples(groups, seed=seed, n_resamples=20)
    found = RankedUnits(scores, labels).draws(resamples, RECALLS)
    present = np.unique(groups)
    every = (found.average_precision, found.auroc, *found.precision_at_recall)
    for draw, counts in enumerate(resample_counts(len(present), 20, seed)):
        rows_drawn = np.concatenate([np.flatnonzero(groups == one) for one in np.repeat(present, counts)])
        own_scores, own_labels = scores[rows_drawn], labels[rows_drawn]
        if len(set(own_labels)) < 2:
            assert not any(one.defined[draw] for one in every)
            continue
        expected = [
            average_precision_score(own_labels, own_scores),
            roc_auc_score(own_labels, own_scores),
            *(plain_precision_at(own_scores, own_labels, recall) for recall in RECALLS),
        ]
        got = [one.values[draw] if one.defined[draw] else None for one in every]
        assert got == [None if value is None else pytest.approx(value, abs=1e-12) for value in expected]


def made_rows(n_groups: int = 30, n_rows: int = 40):
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(n_groups), n_rows)
    labels = (rng.random(len(groups)) < np.repeat(rng.beta(0.5, 3, n_groups), n_rows)).astype(int)
    return labels + rng.standard_normal(len(groups)), labels, groups


def close(interval: Interval) -> Interval:
    low, high = (pytest.approx(bound, abs=1e-12) for bound in (interval.low, interval.high))
    return Interval(low, high, interval.n_groups, interval.n_resamples)


def test_intervals_are_those_of_bootstrap():
    scores, labels, groups = made_rows()
    expected = bootstrap(scores, labels, groups * 3 + 1, seed=7, n_resamples=70)
    draws = RankedUnits(scores, labels).draws(Resamples(groups * 3 + 1, seed=7, n_resamples=70))
    assert draws.average_precision.interval() == close(expected.average_precision)
    assert draws.auroc.interval() == close(expected.auroc)


@settings(deadline=None)
@given(rows=rows_of, recall=st.sampled_from(RECALLS), seed=st.integers(0, 9))
def test_precision_at_a_recall_equals_a_plain_search_and_does_not_see_order_or_scale(rows, recall, seed):
    scores, labels, _ = (np.array(column) for column in zip(*rows, strict=True))
    value, reason = RankedUnits(scores, labels).precision_at(recall)
    if len(set(labels)) < 2:
        assert (value, reason) == (None, ranking_metrics(scores, labels).auroc.reason)
        return
    expected = plain_precision_at(scores, labels, recall)
    if expected is None:
        assert (value, reason) == (None, f"recall {recall:g} is reached only by flagging everything")
    else:
        assert (value, reason) == (pytest.approx(expected, abs=1e-12), None)
    order = np.random.default_rng(seed).permutation(len(scores))
    assert RankedUnits(np.exp(scores[order]) + 3, labels[order]).precision_at(recall) == (value, reason)


@settings(deadline=None)
@given(rows=rows_of, seed=st.integers(0, 9))
def test_values_do_not_depend_on_order_scale_or_the_names_of_groups(rows, seed):
    scores, labels, groups = (np.array(column) for column in zip(*rows, strict=True))
    rng = np.random.default_rng(seed)
    order, names = rng.permutation(len(scores)), rng.permutation(5)
    expected, found = ranking_metrics(scores, labels), ranking_metrics(scores[order] * 3 + 7, labels[order])
    for metric in ("average_precision", "auroc"):
        assert getattr(found, metric).value == pytest.approx(getattr(expected, metric).value)
    first = RankedUnits(scores, labels).draws(Resamples(groups, seed=1, n_resamples=20))
    same = RankedUnits(np.exp(scores[order]), labels[order]).draws(Resamples(groups[order], seed=1, n_resamples=20))
    assert np.array_equal(first.auroc.values, same.auroc.values)
    assert np.array_equal(first.average_precision.values, same.average_precision.values)
    renamed = RankedUnits(scores, labels).draws(Resamples(names[groups], seed=1, n_resamples=20))
    assert len(renamed.auroc.values) == len(first.auroc.values)  # other draws of the same sources


def test_higher_scores_mean_hallucinated():
    ranked = RankedUnits([0.9, 0.8, 0.2, 0.1], [1, 1, 0, 0])
    resamples = Resamples([0, 1, 0, 1], seed=0, n_resamples=5)
    assert ranked.draws(resamples).auroc.values.tolist() == [1.0] * 5
    assert ranked.precision_at(0.5) == (1.0, None)
    assert RankedUnits([0.1, 0.2, 0.8, 0.9], [1, 1, 0, 0]).draws(resamples).auroc.values.tolist() == [0.0] * 5


def test_ratios_equal_those_of_copied_rows():
    rng = np.random.default_rng(1)
    groups, above, below = rng.integers(0, 7, 60), rng.integers(0, 3, 60), rng.integers(0, 2, 60)
    found = Resamples(groups, seed=2, n_resamples=30).ratio(above, below)
    for draw, counts in enumerate(resample_counts(7, 30, seed=2)):
        rows = np.concatenate([np.flatnonzero(groups == group) for group in np.repeat(np.arange(7), counts)])
        assert found.values[draw] == pytest.approx(above[rows].sum() / below[rows].sum())
    both = Resamples(groups, seed=2, n_resamples=30).mean_of([found, found])
    assert np.allclose(both.values, found.values)
    assert both.defined.all()


def test_where_there_is_no_interval_the_reason_is_given():
    some = np.array([True, False, False, False])
    assert Draws(np.zeros(4), some, 5).interval() == Interval(None, None, 5, 1, "3 of 4 resamples do not define it")
    one_group = Resamples([4, 4], seed=0, n_resamples=3)
    assert one_group.ratio([1, 1], [1, 1]).interval() == Interval(None, None, 1, 0, "all rows are of one group")
    empty = Resamples([], seed=0, n_resamples=3)
    assert empty.ratio([], []).interval() == Interval(None, None, 0, 0, "there are no rows")
    grounded = RankedUnits([0.1, 0.2], [0, 0]).draws(Resamples([0, 1], seed=0, n_resamples=3))
    assert not grounded.auroc.defined.any()
    nothing = grounded.auroc.estimate(Metric(None, 2, 0.0, "nothing is labelled hallucinated"))
    assert nothing.reason == nothing.interval.reason == "nothing is labelled hallucinated"
    assert nothing.value is None


def test_values_out_of_range_are_refused():
    ranked = RankedUnits([0.1, 0.2], [0, 1])
    cases = [
        (lambda: ranked.precision_at(0), "recall: must be above 0 and at most 1, got 0"),
        (lambda: ranked.draws(Resamples([0], seed=0, n_resamples=2)),
         "resamples: must be of the 2 rows ranked, got 1"),
        (lambda: Resamples([0, -1], seed=0, n_resamples=2),
         "groups: must be one index a row, 0 or more, got shape (2,) of int64"),
        (lambda: Resamples([0], seed=0, n_resamples=0), "n_resamples: must be at least 1, got 0"),
    ]  # fmt: skip
    for call, message in cases:
        with pytest.raises(InputError) as error:
            call()
        assert str(error.value) == message


def test_a_benchmark_of_many_methods_takes_minutes_at_most():
    # 130,000 tokens, 1,000 resamples and 30 methods: a tenth of the resamples of one method has to stay below 0.4 s.
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(150), 866)
    labels = (rng.random(len(groups)) < 0.053).astype(int)
    ranked = RankedUnits(rng.random(len(groups)) + 0.3 * labels, labels)
    resamples = Resamples(groups, seed=0, n_resamples=100)
    started = time.process_time()
    ranked.draws(resamples, (0.5, 0.8))
    assert time.process_time() - started < 0.4
