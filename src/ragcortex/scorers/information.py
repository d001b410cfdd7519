"""Mutual information of each column with a binary label, by equal-width bins; picks the columns that tell most."""

from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.errors import InputError
from ragcortex.readers.reading import Floats
from ragcortex.scorers.base import Labels, checked_training_set

N_BINS: Final = 50
"""As RAGLens has it."""
# Columns binned at once: enough to be fast, little enough to stay small beside the features.
_COLUMNS_AT_ONCE: Final = 512


def bin_numbers(X: Floats, n_bins: int = N_BINS) -> npt.NDArray[np.intp]:
    """Return the bin, 0 to n_bins − 1, of every value: n_bins of equal width from a column's minimum to its maximum.

    A bin holds its lower edge; the last one holds its upper edge too. A constant column is all bin 0.

    >>> bin_numbers(np.array([[0.0], [0.5], [1.0]]), 2).ravel().tolist()
    [0, 1, 1]
    """
    if n_bins < 1:
        raise InputError("n_bins", f"must be at least 1, got {n_bins}")
    values = np.asarray(X, dtype=np.float64)
    lowest = values.min(axis=0)
    width = values.max(axis=0) - lowest
    scaled = (values - lowest) / np.where(width > 0, width, 1.0) * n_bins
    bins: npt.NDArray[np.intp] = np.minimum(scaled.astype(np.intp), n_bins - 1)
    return bins


def mutual_information(X: Floats, y: Labels, n_bins: int = N_BINS) -> npt.NDArray[np.float64]:
    """Return Σ p(b, y) log(p(b, y) / p(b) p(y)) of each column's bins with the label, float64 (columns,), in nats.

    At least 0, at most log 2; 0 for a constant column.

    Args:
        X: (n, columns), finite.
        y: (n,) labels; both 0 and 1 occur.
        n_bins: see `bin_numbers`.

    Raises:
        TrainingError: as `checked_training_set`.

    Source: RAGLens, feature selection.
    """
    X, y = checked_training_set(X, y)
    n_columns = X.shape[1]
    information = np.zeros(n_columns)
    for first in range(0, n_columns, _COLUMNS_AT_ONCE):
        bins = bin_numbers(X[:, first : first + _COLUMNS_AT_ONCE], n_bins)
        width = bins.shape[1]
        cells = (np.arange(width) * n_bins + bins) * 2 + y[:, None]
        counts = np.bincount(cells.ravel(), minlength=width * n_bins * 2).reshape(width, n_bins, 2)
        joint = counts / len(y)
        independent = joint.sum(axis=2, keepdims=True) * joint.sum(axis=1, keepdims=True)
        ratio = np.divide(joint, independent, out=np.ones_like(joint), where=joint > 0)
        information[first : first + width] = (joint * np.log(ratio)).sum(axis=(1, 2))
    return np.maximum(information, 0.0)  # a sum that is 0 may round to just below


def most_informative(X: Floats, y: Labels, n: int, n_bins: int = N_BINS) -> npt.NDArray[np.intp]:
    """Return the n columns (all, if there are fewer) of most mutual information, best first; of equals the earlier.

    Raises:
        InputError: n is below 1.
        TrainingError: as `mutual_information`.
    """
    if n < 1:
        raise InputError("n", f"must be at least 1, got {n}")
    return np.argsort(-mutual_information(X, y, n_bins), kind="stable")[:n]
