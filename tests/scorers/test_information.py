"""Mutual information against a slow loop and scikit-learn's, and its invariances."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import mutual_info_score

from ragcortex.errors import InputError, TrainingError
from ragcortex.scorers.information import bin_numbers, most_informative, mutual_information


def slow_bins(column: Any, n_bins: int) -> list[int]:
    lowest, highest = float(min(column)), float(max(column))
    if lowest == highest:
        return [0] * len(column)
    return [min(n_bins - 1, int((float(x) - lowest) / (highest - lowest) * n_bins)) for x in column]


def slow_information(column: Any, y: Any, n_bins: int) -> float:
    bins, total = slow_bins(column, n_bins), 0.0
    for number in range(n_bins):
        for label in (0, 1):
            joint = sum(b == number and t == label for b, t in zip(bins, y, strict=True)) / len(y)
            if joint:
                p_bin = sum(b == number for b in bins) / len(y)
                p_label = sum(t == label for t in y) / len(y)
                total += joint * np.log(joint / (p_bin * p_label))
    return total


def table(seed: int = 0, n: int = 120, columns: int = 7) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, n)
    X = random.normal(size=(n, columns)) * random.uniform(0.01, 100, columns)
    X[:, 2] += 3 * y * X[:, 2].std()
    X[:, 4] = 7.0
    X[:, 5] = y
    return X.astype(np.float32), y.astype(np.int8)


@pytest.mark.parametrize("n_bins", [1, 2, 10, 50])
def test_against_a_loop_and_scikit_learn(n_bins: int) -> None:
    X, y = table()
    got = mutual_information(X, y, n_bins)
    bins = bin_numbers(X, n_bins)
    for column in range(X.shape[1]):
        assert bins[:, column].tolist() == slow_bins(X[:, column], n_bins)
        assert got[column] == pytest.approx(slow_information(X[:, column], y, n_bins), abs=1e-12)
        assert got[column] == pytest.approx(mutual_info_score(bins[:, column], y), abs=1e-12)


def test_more_columns_than_are_binned_at_once() -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(40, 1100)).astype(np.float32), random.integers(0, 2, 40).astype(np.int8)
    whole = mutual_information(X, y)
    np.testing.assert_array_equal(whole[[0, 511, 512, 1099]], mutual_information(X[:, [0, 511, 512, 1099]], y))


def test_what_tells_everything_and_nothing() -> None:
    X, y = table()
    got = mutual_information(X, y)
    entropy = -sum(p * np.log(p) for p in (y.mean(), 1 - y.mean()))
    assert got[5] == pytest.approx(entropy)
    assert got[4] == 0
    assert most_informative(X, y, 2).tolist() == [5, 2]


@settings(max_examples=40, deadline=None)
@given(
    hnp.arrays(np.int16, (20, 3), elements=st.integers(-50, 50)),
    hnp.arrays(np.int8, 20, elements=st.integers(0, 1)).filter(lambda y: 0 < y.sum() < 20),
)
def test_invariances(X: Any, y: Any) -> None:
    """It lies in [0, log 2], whatever the order of rows, the labels' names, and the scale by a power of two."""
    got = mutual_information(X, y)
    assert ((got >= 0) & (got <= np.log(2) + 1e-12)).all()
    np.testing.assert_allclose(mutual_information(X[::-1], y[::-1]), got, atol=1e-12)
    np.testing.assert_allclose(mutual_information(X, 1 - y), got, atol=1e-12)
    np.testing.assert_allclose(mutual_information(X * 4.0, y), got, atol=1e-12)


def test_equals_are_taken_in_order_and_few_columns_are_all_taken() -> None:
    y = np.array([0, 1, 0, 1], np.int8)
    X = np.stack([y, y, np.zeros(4), y], axis=1).astype(np.float32)
    assert most_informative(X, y, 10).tolist() == [0, 1, 3, 2]
    assert most_informative(X, y, 2).tolist() == [0, 1]


def test_what_cannot_be_told() -> None:
    X, y = table()
    with pytest.raises(InputError) as bins:
        mutual_information(X, y, 0)
    assert str(bins.value) == "n_bins: must be at least 1, got 0"
    with pytest.raises(InputError) as few:
        most_informative(X, y, 0)
    assert str(few.value) == "n: must be at least 1, got 0"
    with pytest.raises(TrainingError) as one:
        mutual_information(X, np.zeros_like(y))
    assert str(one.value) == "the training tokens need both labels 0 and 1, got [0]"
