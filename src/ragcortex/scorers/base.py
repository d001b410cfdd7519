"""What every scorer shares: scikit-learn's estimator conventions, and arrays in and out for a bundle."""

from collections.abc import Mapping
from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt

from ragcortex.errors import BundleError, InputError, TrainingError
from ragcortex.readers.reading import Floats

Labels = npt.NDArray[np.int8]


class Scorer(Protocol):
    """A binary classifier of tokens; class 1 = hallucinated.

    `fit` learns from (n, columns) features and (n,) labels, `predict_proba` returns (n, 2) probabilities, `get_params`
    and `clone` work as in scikit-learn. `arrays` and `from_arrays` round-trip the fitted state bit for bit. A scorer
    that looks at neighbours takes the rows of a call as the tokens of one answer, in order.
    """

    def fit(self, X: Floats, y: Labels, X_val: Floats | None = None, y_val: Labels | None = None) -> Self:
        """Fit and return self; the validation set, where given, decides when to stop."""

    def predict_proba(self, X: Floats) -> Floats:
        """Return float32 (n, 2): the probabilities of grounded and hallucinated."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the constructor's arguments."""

    def arrays(self) -> dict[str, Floats]:
        """Return the fitted state as named float32 arrays."""

    @classmethod
    def from_arrays(cls, params: Mapping[str, Any], arrays: Mapping[str, Floats]) -> Self:
        """Return the fitted scorer with these parameters and this state."""


def checked_training_set(X: Floats, y: Labels) -> tuple[Floats, Labels]:
    """Return features and labels as arrays.

    Raises:
        TrainingError: shapes differ, a value is not finite, or a class is missing.
    """
    X, y = np.asarray(X, dtype=np.float32), np.asarray(y)
    if X.ndim != 2 or y.shape != X.shape[:1]:
        raise TrainingError(f"features must be (n, columns) and labels (n,), got {X.shape} and {y.shape}")
    if not np.isfinite(X).all():
        raise TrainingError("the training features hold a value that is not finite")
    found = set(np.unique(y).tolist())
    if found != {0, 1}:
        raise TrainingError(f"the training tokens need both labels 0 and 1, got {sorted(found)}")
    return X, y.astype(np.int8)


def checked_columns(X: Floats, n_columns: int) -> Floats:
    """Return features to be scored, float32 (n, n_columns); raises InputError if they have other columns."""
    X = np.asarray(X, dtype=np.float32)
    if X.ndim != 2 or X.shape[1] != n_columns:
        raise InputError("features", f"must be (n, {n_columns}) as the scorer was fitted, got {X.shape}")
    return X


def checked_shapes(arrays: Mapping[str, Floats], expected: Mapping[str, tuple[int, ...]]) -> None:
    """Check a scorer's saved state before it is used.

    Raises:
        KeyError: an expected array is missing.
        BundleError: one has another shape, or the scale of a column is not positive.
    """
    for name, shape in expected.items():
        if arrays[name].shape != shape:
            raise BundleError(f"the scorer's array {name} must have shape {shape}, got {arrays[name].shape}")
    if not (arrays["scale"] > 0).all():
        raise BundleError("the scorer's array scale must be positive in every column")


def checked_size(kind: str, name: str, value: object) -> None:
    """Check a parameter of a saved scorer that counts something; raises BundleError unless it is 1 or more."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise BundleError(f"the {kind}'s {name} must be a whole number from 1 on, got {value!r}")


def standardisation(X: Floats) -> tuple[Floats, Floats]:
    """Return each column's mean and standard deviation (1 where a column is constant), float32 (columns,)."""
    mean = X.mean(axis=0, dtype=np.float64)
    scale = X.std(axis=0, dtype=np.float64)
    scale[scale < 1e-12] = 1.0
    return mean.astype(np.float32), scale.astype(np.float32)


def two_columns(prob: Floats) -> Floats:
    """Return (n,) probabilities of class 1 as scikit-learn's (n, 2)."""
    return np.stack([1 - prob, prob], axis=1)


def sigmoid(logits: Floats) -> Floats:
    """Return the logistic function without overflow, in the input's dtype."""
    exponential = np.exp(-np.abs(logits))
    return np.where(logits >= 0, 1 / (1 + exponential), exponential / (1 + exponential)).astype(logits.dtype)
