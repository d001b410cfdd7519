"""Weighted metrics against scikit-learn's, and intervals against a bootstrap that copies rows."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from ragcortex.errors import InputError, ReadingError
from ragcortex.evaluation.bootstrap import (
    Interval,
    RankedScores,
    bootstrap,
    bootstrap_difference,
    resample_counts,
)

rows_of = st.lists(
    st.tuples(st.integers(-6, 6).map(lambda k: k / 4), st.integers(0, 1), st.integers(0, 4)), min_size=1, max_size=30
)


@settings(deadline=None)
@given(rows=rows_of, weights=st.lists(st.integers(0, 3), min_size=5, max_size=5))
def test_weighted_metrics_equal_those_of_scikit_learn(rows, weights):
    scores, labels, groups = (np.array(column) for column in zip(*rows, strict=True))
    result = RankedScores(scores, labels, groups).weighted(np.array(weights, dtype=float))
    own = np.array(weights)[groups]
    if len(set(labels[own > 0])) < 2:
        assert result is None
        return
    assert result == (
        pytest.approx(average_precision_score(labels, scores, sample_weight=own), abs=1e-12),
        pytest.approx(roc_auc_score(labels, scores, sample_weight=own), abs=1e-12),
    )


def test_weights_that_are_not_whole_numbers_work_too():
    rng = np.random.default_rng(0)
    scores, labels, groups = rng.random(500), rng.integers(0, 2, 500), rng.integers(0, 20, 500)
    weights = rng.random(20)
    own = weights[groups]
    assert RankedScores(scores, labels, groups).weighted(weights) == (
        pytest.approx(average_precision_score(labels, scores, sample_weight=own), abs=1e-12),
        pytest.approx(roc_auc_score(labels, scores, sample_weight=own), abs=1e-12),
    )


def made_rows(n_groups: int = 30, n_rows: int = 40):
    rng = np.random.default_rng(3)
    groups = np.repeat(np.arange(n_groups), n_rows)
    labels = (rng.random(len(groups)) < np.repeat(rng.beta(0.5, 3, n_groups), n_rows)).astype(int)
    return labels + rng.standard_normal(len(groups)), labels, groups


def test_intervals_equal_a_bootstrap_that_copies_rows():
    scores, labels, groups = made_rows()
    values = []
    for counts in resample_counts(30, 50, seed=7):
        rows = np.concatenate([np.flatnonzero(groups == group) for group in np.repeat(np.arange(30), counts)])
        values.append((average_precision_score(labels[rows], scores[rows]), roc_auc_score(labels[rows], scores[rows])))
    expected = np.percentile(values, [2.5, 97.5], axis=0)
    found = bootstrap(scores, labels, groups, seed=7, n_resamples=50)
    for interval, (low, high) in zip((found.average_precision, found.auroc), expected.T, strict=True):
        assert interval == Interval(pytest.approx(low, abs=1e-12), pytest.approx(high, abs=1e-12), 30, 50)


def test_the_seed_alone_decides():
    rows = made_rows()
    first = bootstrap(*rows, seed=1, n_resamples=20)
    assert first == bootstrap(*rows, seed=1, n_resamples=20)
    assert first != bootstrap(*rows, seed=2, n_resamples=20)


def test_the_order_and_the_numbering_of_rows_do_not_matter():
    scores, labels, groups = made_rows()
    expected = bootstrap(scores, labels, groups, seed=1, n_resamples=20)
    order = np.random.default_rng(0).permutation(len(scores))
    assert bootstrap(scores[order], labels[order], groups[order], seed=1, n_resamples=20) == expected
    assert bootstrap(scores, labels, groups * 3 + 5, seed=1, n_resamples=20) == expected
    assert bootstrap(scores * 100 - 7, labels, groups, seed=1, n_resamples=20) == expected


def test_groups_make_intervals_wider_than_rows_do():
    rng = np.random.default_rng(4)
    groups = np.repeat(np.arange(20), 50)
    labels = np.repeat(rng.integers(0, 2, 20), 50)
    scores = 0.7 * labels + np.repeat(rng.standard_normal(20), 50)
    by_group = bootstrap(scores, labels, groups, seed=0, n_resamples=100).auroc
    by_row = bootstrap(scores, labels, np.arange(1000), seed=0, n_resamples=100).auroc
    assert by_group.high - by_group.low > 3 * (by_row.high - by_row.low)


def test_a_paired_difference_uses_the_same_resamples():
    scores, labels, groups = made_rows()
    worse = scores + np.random.default_rng(1).standard_normal(len(scores))
    paired = bootstrap_difference(scores, worse, labels, groups, seed=0, n_resamples=50)
    ours, theirs = (RankedScores(values, labels, groups) for values in (scores, worse))
    weights = resample_counts(30, 50, seed=0).astype(float)
    differences = [np.subtract(ours.weighted(row), theirs.weighted(row)) for row in weights]
    (low_ap, low_auroc), (high_ap, high_auroc) = np.percentile(differences, [2.5, 97.5], axis=0)
    assert paired.average_precision == Interval(pytest.approx(low_ap), pytest.approx(high_ap), 30, 50)
    assert paired.auroc == Interval(pytest.approx(low_auroc), pytest.approx(high_auroc), 30, 50)
    assert low_auroc > 0
    same = bootstrap_difference(scores, 2 * scores, labels, groups, seed=0, n_resamples=100)
    assert (same.auroc.low, same.auroc.high, same.average_precision.low, same.average_precision.high) == (0, 0, 0, 0)


def test_where_there_is_no_interval_the_reason_is_given():
    scores = [0.1, 0.2, 0.3, 0.4]
    cases = [
        ([0, 0, 0, 0], [0, 0, 1, 1], Interval(None, None, 2, 0, "nothing is labelled hallucinated")),
        ([0, 1, 0, 1], [2, 2, 2, 2], Interval(None, None, 1, 0, "all rows are of one group")),
    ]
    for labels, groups, expected in cases:
        assert bootstrap(scores, labels, groups, seed=0, n_resamples=10).auroc == expected
    empty = bootstrap([], [], np.zeros(0, int), seed=0, n_resamples=10).auroc
    assert empty == Interval(None, None, 0, 0, "nothing is labelled")


def test_resamples_without_a_class_are_counted_and_do_not_count():
    # Two groups of one class each: about half of the resamples draw the same one twice.
    usable = {seed: int((resample_counts(2, 100, seed) == 1).all(axis=1).sum()) for seed in range(20)}
    enough = next(seed for seed, n in usable.items() if n >= 50)
    too_few = next(seed for seed, n in usable.items() if n < 50)
    found = bootstrap([0.1, 0.9], [0, 1], [0, 1], seed=enough, n_resamples=100).auroc
    assert found == Interval(1.0, 1.0, 2, usable[enough])
    found = bootstrap([0.1, 0.9], [0, 1], [0, 1], seed=too_few, n_resamples=100).auroc
    reason = f"{100 - usable[too_few]} of 100 resamples hold one class only"
    assert found == Interval(None, None, 2, usable[too_few], reason)
    # One hallucinated row among many groups is drawn by 1 − 1/e of the resamples; none is made up for the others.
    labels = np.zeros(50, int)
    labels[3] = 1
    assert 50 <= bootstrap(np.arange(50), labels, np.arange(50), seed=1, n_resamples=100).auroc.n_resamples < 80


def test_a_benchmark_takes_seconds():
    rng = np.random.default_rng(0)
    n = 130_000
    scores, labels, groups = rng.random(n), (rng.random(n) < 0.05).astype(int), np.sort(rng.integers(0, 900, n))
    started = time.process_time()
    bootstrap(scores, labels, groups, seed=0, n_resamples=50)
    assert time.process_time() - started < 2.5


def test_unusable_input_is_refused():
    with pytest.raises(ReadingError):
        bootstrap([np.inf], [1], [0], seed=0, n_resamples=5)
    for groups in ([0, 1, 2], [0, -1], [0.5, 1.0]):
        with pytest.raises(InputError) as error:
            bootstrap([0.1, 0.2], [0, 1], groups, seed=0, n_resamples=5)
        shape = f"({len(groups)},)"
        assert str(error.value) == f"groups: must be one index a score, 0 or more, expected shape (2,), got {shape}"
    with pytest.raises(InputError) as error:
        bootstrap([0.1, 0.2], [0, 1], [0, 1], seed=0, n_resamples=0)
    assert str(error.value) == "n_resamples: must be at least 1, got 0"
    with pytest.raises(InputError) as error:
        resample_counts(0, 5, seed=0)
    assert str(error.value) == "groups: must not be empty; there is nothing to draw from"
