"""Splits never separate a group, and are balanced as far as groups allow."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.errors import InputError, TrainingError
from ragcortex.splits import folds, group_indices, holdout

groups_of = st.lists(st.one_of(st.none(), st.sampled_from("abcdefgh")), min_size=1, max_size=60)


def parts_of(groups, parts):
    """For each named group the set of parts its rows went to."""
    seen = {}
    for group, part in zip(groups, parts, strict=True):
        if group is not None:
            seen.setdefault(group, set()).add(int(part))
    return seen


def n_groups_in(groups):
    return len(set(groups) - {None}) + groups.count(None)


@settings(deadline=None)
@given(groups=groups_of)
def test_group_indices_number_every_group_once(groups):
    indices = group_indices(groups).tolist()
    assert sorted(set(indices)) == list(range(n_groups_in(groups)))
    assert all(len(part) == 1 for part in parts_of(groups, indices).values())


@settings(deadline=None)
@given(groups=groups_of, n=st.integers(2, 6), seed=st.integers(0, 5), data=st.data())
def test_folds_keep_groups_whole_and_leave_no_fold_empty(groups, n, seed, data):
    strata = data.draw(st.one_of(st.none(), st.lists(st.integers(0, 1), min_size=len(groups), max_size=len(groups))))
    if n_groups_in(groups) < n:
        with pytest.raises(TrainingError):
            folds(groups, n, seed, strata=strata)
        return
    fold = folds(groups, n, seed, strata=strata)
    assert sorted(set(fold.tolist())) == list(range(n))
    assert all(len(part) == 1 for part in parts_of(groups, fold).values())
    np.testing.assert_array_equal(fold, folds(groups, n, seed, strata=strata))


@settings(deadline=None)
@given(groups=groups_of, fraction=st.floats(0.01, 0.99), seed=st.integers(0, 5))
def test_holdout_keeps_groups_whole_and_leaves_no_side_empty(groups, fraction, seed):
    if n_groups_in(groups) < 2:
        with pytest.raises(TrainingError):
            holdout(groups, fraction, seed)
        return
    held_out = holdout(groups, fraction, seed)
    assert held_out.dtype == bool
    assert 0 < held_out.sum() < len(groups)
    assert all(len(part) == 1 for part in parts_of(groups, held_out).values())


def many_groups(n_groups=200, seed=0):
    rng = np.random.default_rng(seed)
    groups, labels = [], []
    for index in range(n_groups):
        size = int(rng.integers(1, 12))
        groups += [f"source {index}"] * size
        labels += (rng.random(size) < rng.beta(0.5, 2)).astype(int).tolist()
    return groups, labels


@pytest.mark.parametrize("seed", range(4))
def test_folds_are_balanced_by_rows_and_labels(seed):
    groups, labels = many_groups()
    fold = folds(groups, 5, seed, strata=labels)
    sizes = np.bincount(fold)
    hallucinated = np.bincount(fold, weights=labels)
    assert sizes.max() - sizes.min() <= 4
    assert hallucinated.max() - hallucinated.min() <= 4
    assert np.ptp(np.bincount(folds(groups, 5, seed))) <= 2


@pytest.mark.parametrize("fraction", [0.1, 0.25, 0.5, 0.8])
def test_holdout_takes_the_fraction_asked_for(fraction):
    groups, labels = many_groups()
    held_out = holdout(groups, fraction, 0, labels)
    assert held_out.mean() == pytest.approx(fraction, abs=0.01)
    assert np.array(labels)[held_out].sum() / sum(labels) == pytest.approx(fraction, abs=0.02)
    assert holdout(groups, fraction, 0).mean() == pytest.approx(fraction, abs=0.01)


def test_the_seed_matters_even_when_all_sizes_differ():
    groups = [f"source {size}" for size in range(1, 25) for _ in range(size)]
    assert len({holdout(groups, 0.25, seed).tobytes() for seed in range(10)}) > 5
    assert len({folds(groups, 4, seed).tobytes() for seed in range(10)}) > 5


def test_the_order_of_rows_does_not_matter():
    groups, labels = many_groups()
    order = np.random.default_rng(1).permutation(len(groups))
    moved = [groups[row] for row in order]
    expected = folds(groups, 5, 3, strata=labels)[order]
    np.testing.assert_array_equal(folds(moved, 5, 3, strata=[labels[row] for row in order]), expected)


def test_labels_may_be_unknown_for_some_rows():
    groups = [f"source {index}" for index in range(20)]
    fold = folds(groups, 2, 0, strata=[None, 0, 1, 1] * 5)
    assert np.bincount(fold).tolist() == [10, 10]


def test_impossible_wishes_are_refused():
    with pytest.raises(InputError) as error:
        holdout(["a", "b"], 1.0, 0)
    assert str(error.value) == "fraction: must lie between 0 and 1, both excluded, got 1.0"
    with pytest.raises(TrainingError) as error:
        holdout(["a", "a"], 0.5, 0)
    assert str(error.value) == "holding out needs at least 2 groups, the data has 1; label more sources"
    with pytest.raises(TrainingError) as error:
        holdout([], 0.5, 0)
    assert str(error.value) == "holding out needs at least 2 groups, the data has 0; label more sources"
    with pytest.raises(InputError) as error:
        folds(["a", "b"], 1, 0)
    assert str(error.value) == "n: must be at least 2 folds, got 1"
    with pytest.raises(TrainingError) as error:
        folds(["a", "a", None], 3, 0)
    assert str(error.value) == "3 folds need at least 3 groups, the data has 2; use fewer folds"
    with pytest.raises(InputError) as error:
        folds(["a", "b"], 2, 0, strata=[1])
    assert str(error.value) == "strata: must be one a row, expected 2, got 1"
