"""Logistic regression per token: the method's second description, and the cheap way to compare layers."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from ragcortex.readers.reading import Floats
from ragcortex.scorers.base import (
    Labels,
    checked_columns,
    checked_shapes,
    checked_training_set,
    sigmoid,
    standardisation,
    two_columns,
)
from ragcortex.scorers.estimator import Classifier


class LogisticScorer(Classifier):
    """Logistic regression on standardised features, classes weighted to balance (scikit-learn, L2).

    Args:
        C: inverse strength of the regularisation.
        n_iterations: of the solver, at most.

    Attributes:
        mean_, scale_: standardisation of the columns, float32 (columns,).
        weight_: float32 (columns,), for standardised columns.
        bias_: float32 (1,).
    """

    def __init__(self, C: float = 0.01, *, n_iterations: int = 300) -> None:
        self.C = C
        self.n_iterations = n_iterations

    def fit(
        self,
        X: Floats,
        y: Labels,
        X_val: Floats | None = None,  # noqa: ARG002 - the protocol's; a convex fit needs no stopping set
        y_val: Labels | None = None,  # noqa: ARG002
    ) -> Self:
        """Fit on (n, columns) features and (n,) labels; raises TrainingError as `checked_training_set`."""
        from sklearn.linear_model import LogisticRegression

        X, y = checked_training_set(X, y)
        self.classes_ = np.array([0, 1])
        self.n_features_in_ = X.shape[1]
        self.mean_, self.scale_ = standardisation(X)
        model = LogisticRegression(C=self.C, class_weight="balanced", max_iter=self.n_iterations)
        model.fit((X - self.mean_) / self.scale_, y)
        self.weight_ = model.coef_[0].astype(np.float32)
        self.bias_ = model.intercept_.astype(np.float32)
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """Return float32 (n, 2)."""
        self._check_fitted("weight_")
        X = checked_columns(X, self.n_features_in_)
        return two_columns(sigmoid((X - self.mean_) / self.scale_ @ self.weight_ + self.bias_))

    def arrays(self) -> dict[str, Floats]:
        """Return mean, scale, weight and bias."""
        self._check_fitted("weight_")
        return {"mean": self.mean_, "scale": self.scale_, "weight": self.weight_, "bias": self.bias_}

    @classmethod
    def from_arrays(cls, params: Mapping[str, Any], arrays: Mapping[str, Floats]) -> Self:
        """Return the fitted scorer whose parameters and `arrays()` these are."""
        columns = arrays["mean"].shape
        checked_shapes(arrays, {"mean": (arrays["mean"].size,), "scale": columns, "weight": columns, "bias": (1,)})
        scorer = cls(**params)
        scorer.classes_ = np.array([0, 1])
        scorer.mean_, scorer.scale_ = arrays["mean"], arrays["scale"]
        scorer.weight_, scorer.bias_ = arrays["weight"], arrays["bias"]
        scorer.n_features_in_ = len(scorer.mean_)
        return scorer
