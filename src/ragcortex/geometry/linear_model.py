"""A logistic model over named features, small enough to be read: what each feature adds can be shown."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ragcortex.errors import BundleError, InputError, TrainingError
from ragcortex.score_arrays import exact_fields

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LinearModel:
    """p = σ(intercept + Σ weight · (value − mean) / scale).

    Attributes:
        names: the features, in the order of the columns.
        means, scales: of each feature over the training rows; scales are above 0.
        weights: of each standardised feature.
        intercept: the logit of an average row.
    """

    names: tuple[str, ...]
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float

    def __post_init__(self) -> None:
        for name in ("means", "scales", "weights"):
            values = getattr(self, name)
            if len(values) != len(self.names) or not np.isfinite(values).all():
                raise InputError(name, f"must be {len(self.names)} finite numbers, one a feature, got {values!r}")
        if not all(scale > 0 for scale in self.scales):
            raise InputError("scales", f"must be above 0, got {min(self.scales)}")
        if not np.isfinite(self.intercept):
            raise InputError("intercept", f"must be finite, got {self.intercept!r}")

    def contributions(self, values: Floats) -> Floats:
        """Return what each feature adds to the logit; values and result have shape (n, features).

        A feature that is missing (NaN) adds nothing, as an average one does.
        """
        self._check_shape(values)
        means, scales, weights = (np.array(part) for part in (self.means, self.scales, self.weights))
        added: Floats = np.nan_to_num((values - means) / scales * weights)
        return added

    def probabilities(self, values: Floats) -> Floats:
        """Return the probability of label 1 for each row; shape (n,), in [0, 1]."""
        logits = self.contributions(values).sum(axis=1) + self.intercept
        return np.asarray(1 / (1 + np.exp(-np.clip(logits, -40, 40))))

    @classmethod
    def fit(
        cls,
        names: Sequence[str],
        values: Floats,
        labels: npt.ArrayLike,
        *,
        regularisation: float = 1.0,
        balanced: bool = False,
    ) -> "LinearModel":
        """Return the L2-regularised logistic fit of rows with labels 0 and 1, by scikit-learn; NaN is a missing value.

        Means and scales are those of the values that are there; a missing one counts as the mean.
        `balanced` gives both classes the same weight, so that probability .5 separates them whatever the base rate;
        the chain that smooths words takes it so.

        Raises:
            TrainingError: the rows are of one class only, or a feature is missing in all of them.
        """
        from sklearn.linear_model import LogisticRegression

        known = np.asarray(labels, dtype=np.int64)
        if len(np.unique(known)) < 2:
            raise TrainingError(
                f"a linear model needs rows of both classes, but all {len(known)} have the same label; give more "
                "labelled answers"
            )
        absent = [names[column] for column in np.flatnonzero(np.isnan(values).all(axis=0)).tolist()]
        if absent:
            raise TrainingError(f"no row has the feature {', '.join(absent)}; give rows in which it is known")
        means, deviations = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
        scales = np.where(deviations > 0, deviations, 1.0)
        model = LogisticRegression(C=1 / regularisation, max_iter=1000, class_weight="balanced" if balanced else None)
        model.fit(np.nan_to_num((values - means) / scales), known)
        return cls(tuple(names), _floats(means), _floats(scales), _floats(model.coef_[0]), float(model.intercept_[0]))

    def refit(self, values: Floats, labels: npt.ArrayLike, *, strength: float) -> "LinearModel":
        """Return the model moved towards a few labelled rows: the most likely one under a Gaussian around this one.

        With little data it stays where it is, with much it goes where the data are. Means and scales are kept.

        Args:
            values: shape (n, features); NaN is a missing value.
            labels: 1 = hallucinated, shape (n,).
            strength: inverse variance of each weight around its present one, above 0; the intercept is free.

        Raises:
            InputError: the values have another shape, or the strength is not above 0.
            TrainingError: the rows are of one class only.
        """
        from scipy.optimize import minimize

        self._check_shape(values)
        if not strength > 0:
            raise InputError("strength", f"must be above 0, got {strength!r}")
        known = np.asarray(labels, dtype=np.float64)
        if len(np.unique(known)) < 2:
            raise TrainingError(f"all {len(known)} rows have the same label; give more labelled answers")
        rows = np.nan_to_num((values - np.array(self.means)) / np.array(self.scales))
        start = np.array([*self.weights, self.intercept])

        def loss(parameters: Floats) -> tuple[float, Floats]:
            logits = rows @ parameters[:-1] + parameters[-1]
            residual = 1 / (1 + np.exp(-np.clip(logits, -40, 40))) - known
            away = parameters[:-1] - start[:-1]
            value = np.sum(np.logaddexp(0, logits) - known * logits) + strength / 2 * np.sum(away**2)
            return float(value), np.array([*(rows.T @ residual + strength * away), residual.sum()])

        found = minimize(loss, start, jac=True, method="L-BFGS-B").x
        return replace(self, weights=_floats(found[:-1]), intercept=float(found[-1]))

    def _check_shape(self, values: Floats) -> None:
        if values.ndim != 2 or values.shape[1] != len(self.names):
            raise InputError("values", f"must have shape (n, {len(self.names)}), got {values.shape}")

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form: one object a feature, so that it can be read and compared line by line."""
        rows = zip(self.names, self.means, self.scales, self.weights, strict=True)
        return {
            "intercept": self.intercept,
            "features": [{"name": n, "mean": m, "scale": s, "weight": w} for n, m, s, w in rows],
        }

    @classmethod
    def from_dict(cls, data: object, names: Sequence[str], place: str) -> "LinearModel":
        """Return the model that `to_dict` wrote for exactly these features.

        Raises:
            BundleError: a field is missing, unknown or unusable, or the features are others.
        """
        values = exact_fields(data, ("intercept", "features"), place)
        rows = values["features"]
        if not isinstance(rows, list) or not all(isinstance(row, Mapping) for row in rows):
            raise BundleError(f"{place}.features must be a list of objects")
        columns = [exact_fields(row, ("name", "mean", "scale", "weight"), f"{place}.features") for row in rows]
        if [row["name"] for row in columns] != list(names):
            raise BundleError(f"{place}.features must be {', '.join(names)}, got {[row['name'] for row in columns]}")
        means, scales, weights = (
            tuple(_number(row[key], f"{place}.features.{row['name']}.{key}") for row in columns)
            for key in ("mean", "scale", "weight")
        )
        try:
            return cls(tuple(names), means, scales, weights, _number(values["intercept"], f"{place}.intercept"))
        except InputError as error:
            raise BundleError(f"{place}.{error}") from error


def _number(value: object, place: str) -> float:
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise BundleError(f"{place}: must be a number, got {value!r}")
    try:
        return float(value)
    except OverflowError:  # of more digits than a float has; refused like infinity
        return math.inf


def _floats(values: Floats) -> tuple[float, ...]:
    return tuple(float(value) for value in values)
