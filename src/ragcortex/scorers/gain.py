"""The scorer of reference gain: the logistic function of a log likelihood ratio; nothing is learned."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np

from ragcortex.checks import is_finite
from ragcortex.errors import BundleError
from ragcortex.readers.reading import Floats
from ragcortex.scorers.base import Labels, checked_columns, sigmoid, two_columns
from ragcortex.scorers.estimator import Classifier


class GainScorer(Classifier):
    """Probability that a token was written without the references, from the single column `reference_gain`.

    Args:
        offset: nats added to the gain; the log of the prior odds of a hallucinated token.
    """

    def __init__(self, offset: float = 0.0) -> None:
        self.offset = offset

    def fit(
        self,
        X: Floats,  # noqa: ARG002 - nothing is learned
        y: Labels,  # noqa: ARG002
        X_val: Floats | None = None,  # noqa: ARG002
        y_val: Labels | None = None,  # noqa: ARG002
    ) -> Self:
        """Return self; there is nothing to learn."""
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, X: Floats) -> Floats:
        """Return float32 (n, 2) from the gains (n, 1)."""
        return two_columns(sigmoid(checked_columns(X, 1)[:, 0] + np.float32(self.offset)))

    def arrays(self) -> dict[str, Floats]:
        """Return no array: the scorer has no state."""
        return {}

    @classmethod
    def from_arrays(cls, params: Mapping[str, Any], arrays: Mapping[str, Floats]) -> Self:  # noqa: ARG003
        """Return the scorer with these parameters."""
        if not is_finite(params["offset"]):
            raise BundleError(f"the gain scorer's offset must be a number, got {params['offset']!r}")
        return cls(**params).fit(np.zeros((0, 1), np.float32), np.zeros(0, np.int8))
