"""Platt scaling: scores become probabilities that can be taken at their word."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.checks import is_finite
from ragcortex.errors import BundleError, InputError, TrainingError
from ragcortex.score_arrays import Floats, binary_labels, exact_fields, probability_scores

_MARGIN: Final = 1e-6


@dataclass(frozen=True, slots=True)
class PlattScaling:
    """p' = σ(slope · logit(p) + intercept); it keeps the order of scores.

    Source: Platt 1999, with the targets (n₊ + 1) / (n₊ + 2) and 1 / (n₋ + 2) that keep it from certainty.

    Attributes:
        slope: above 0.
        intercept: of any sign.
    """

    slope: float
    intercept: float

    def __post_init__(self) -> None:
        for name in ("slope", "intercept"):
            value = getattr(self, name)
            if not is_finite(value):
                raise InputError(name, f"must be a finite number, got {value!r}")
        if self.slope <= 0:
            raise InputError("slope", f"must be above 0, so that the order of scores is kept, got {self.slope}")

    @classmethod
    def identity(cls) -> "PlattScaling":
        """Return the scaling that leaves scores as they are."""
        return cls(1.0, 0.0)

    @classmethod
    def fit(cls, scores: npt.ArrayLike, labels: npt.ArrayLike) -> "PlattScaling":
        """Return the scaling of the highest likelihood on held-out scores.

        Args:
            scores: in [0, 1], shape (n,).
            labels: 1 = hallucinated, shape (n,).

        Raises:
            ReadingError: a score is not a number in [0, 1].
            InputError: the labels do not match the scores.
            TrainingError: a class is missing, or higher scores do not mean more hallucinations.
        """
        from scipy.optimize import minimize

        values = _logits(probability_scores(scores))
        known = binary_labels(labels, len(values))
        n_positive = int(known.sum())
        if not 0 < n_positive < len(known):
            raise TrainingError(
                f"probabilities need grounded and hallucinated examples, got {n_positive} of {len(known)}"
            )
        target = np.where(known == 1, (n_positive + 1) / (n_positive + 2), 1 / (len(known) - n_positive + 2))

        def loss(parameters: Floats) -> tuple[float, Floats]:
            logits = parameters[0] * values + parameters[1]
            residual = _sigmoid(logits) - target
            value = np.mean(np.logaddexp(0, logits) - target * logits)
            return float(value), np.array([np.mean(residual * values), np.mean(residual)])

        found = minimize(loss, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B").x
        if found[0] <= 0:
            raise TrainingError(
                "higher scores do not go with more hallucinations in these labelled answers; check that label 1 means "
                "hallucinated"
            )
        return cls(float(found[0]), float(found[1]))

    def apply(self, scores: npt.ArrayLike) -> Floats:
        """Return the probabilities of scores in [0, 1]; float64, shape (n,)."""
        return _sigmoid(self.slope * _logits(probability_scores(scores)) + self.intercept)

    def to_dict(self) -> dict[str, float]:
        """Return the JSON form."""
        return {"slope": self.slope, "intercept": self.intercept}

    @classmethod
    def from_dict(cls, data: object, place: str = "platt") -> "PlattScaling":
        """Return the scaling that `to_dict` wrote.

        Raises:
            BundleError: a field is missing, unknown or out of range; the message names it.
        """
        fields = exact_fields(data, ("slope", "intercept"), place)
        try:
            return cls(**fields)  # type: ignore[arg-type]  # the values are checked by the class itself
        except InputError as error:
            raise BundleError(f"{place}.{error}") from error


def _sigmoid(logits: Floats) -> Floats:
    # Where the exponential would leave the range of a float, the result is 0 or 1 all the same.
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -700, 700))))


def _logits(scores: Floats) -> Floats:
    clipped = np.clip(scores, _MARGIN, 1 - _MARGIN)
    return np.asarray(np.log(clipped / (1 - clipped)))
