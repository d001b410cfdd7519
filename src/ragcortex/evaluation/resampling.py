"""Resamples of whole sources, drawn once and shared by every metric and every method on the same rows.

The draws are those of `bootstrap.bootstrap` with the same seed: what differs is that each metric keeps its value in
every resample (`Draws`), so that two methods can be compared resample by resample. Everything is exact; nothing is
binned.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragcortex.errors import InputError
from ragcortex.evaluation.bootstrap import LEAST_USABLE, ONE_GROUP, Interval, percentile_interval, resample_counts
from ragcortex.evaluation.levels import Indices
from ragcortex.evaluation.metrics import Metric
from ragcortex.score_arrays import Floats


@dataclass(frozen=True, slots=True)
class Estimate:
    """A measured value and its interval.

    Attributes:
        metric: the value on all rows, or the reason why there is none.
        interval: at 95 %, drawing whole sources, or the reason why there is none.
    """

    metric: Metric
    interval: Interval

    @property
    def value(self) -> float | None:
        """The value on all rows; None where it is not defined."""
        return self.metric.value

    @property
    def reason(self) -> str | None:
        """Why there is no value or no interval; None where there are both."""
        return self.metric.reason or self.interval.reason


@dataclass(frozen=True, slots=True, eq=False)
class Draws:
    """The value of one metric in each resample.

    Attributes:
        values: shape (n_resamples,), float64; of no meaning where the metric is not defined.
        defined: shape (n_resamples,), False for the resamples in which the metric is not defined.
        n_groups: how many groups were drawn from.
    """

    values: Floats
    defined: npt.NDArray[np.bool_]
    n_groups: int

    def minus(self, other: "Draws") -> "Draws":
        """Return the difference resample by resample, defined where both are; both must be of the same resamples."""
        return Draws(self.values - other.values, self.defined & other.defined, self.n_groups)

    def missing(self) -> str | None:
        """Return why these draws give no interval, or None if they do."""
        if self.n_groups == 0:
            return "there are no rows"
        if self.n_groups == 1:
            return ONE_GROUP
        n_missing = int((~self.defined).sum())
        if len(self.values) - n_missing < LEAST_USABLE * len(self.values):
            return f"{n_missing} of {len(self.values)} resamples do not define it"
        return None

    def interval(self) -> Interval:
        """Return the 95 % percentile interval, over the resamples in which the metric is defined."""
        reason = self.missing()
        if reason is not None:
            return Interval(None, None, self.n_groups, int(self.defined.sum()) if self.n_groups > 1 else 0, reason)
        return percentile_interval(self.values[self.defined], self.n_groups)

    def estimate(self, metric: Metric) -> Estimate:
        """Return a metric with the interval of these draws; without a value there is no interval either."""
        if metric.value is None:
            return Estimate(metric, Interval(None, None, self.n_groups, 0, metric.reason))
        return Estimate(metric, self.interval())


class Resamples:
    """Draws of whole groups with replacement, for rows whose groups are given.

    It holds n_resamples × n_groups counts of 4 bytes.

    Args:
        groups: the group of each row as an index from 0, shape (n,).
        seed: the same seed draws the same groups for every method.
        n_resamples: how many resamples to draw.

    Raises:
        InputError: groups are not indices, or n_resamples is below 1.
    """

    def __init__(self, groups: npt.ArrayLike, *, seed: int, n_resamples: int) -> None:
        array = np.asarray(groups)
        if array.ndim != 1 or (len(array) and (array.dtype.kind not in "iu" or array.min() < 0)):
            raise InputError("groups", f"must be one index a row, 0 or more, got shape {array.shape} of {array.dtype}")
        if n_resamples < 1:
            raise InputError("n_resamples", f"must be at least 1, got {n_resamples!r}")
        present, rows = np.unique(array, return_inverse=True)
        self.seed, self.n_resamples, self.n_groups = seed, n_resamples, len(present)
        self.rows: Indices = rows.astype(np.intp)
        """The group of each row, shape (n,), counted among the groups that there are."""
        drawn = resample_counts(len(present), n_resamples, seed) if len(present) else np.zeros((n_resamples, 0))
        self.counts: npt.NDArray[np.int32] = drawn.astype(np.int32)
        """How often each group is drawn, shape (n_resamples, n_groups)."""

    @classmethod
    def once(cls, n_rows: int) -> "Resamples":
        """Return a single «resample» in which each of n_rows rows counts once: that of the metric itself."""
        return cls(np.zeros(n_rows, dtype=np.intp), seed=0, n_resamples=1)

    def sums(self, values: npt.ArrayLike) -> Floats:
        """Return the sum over the rows of each resample of one value a row, shape (n_resamples,)."""
        by_group = np.bincount(self.rows, weights=np.asarray(values, dtype=np.float64), minlength=self.n_groups)
        return self.counts.astype(np.float64) @ by_group

    def ratio(self, numerators: npt.ArrayLike, denominators: npt.ArrayLike) -> Draws:
        """Return Σ numerators / Σ denominators in each resample, not defined where the denominators add up to 0.

        Args:
            numerators: one number a row, shape (n,).
            denominators: one number a row, 0 or more, shape (n,).
        """
        above, below = self.sums(numerators), self.sums(denominators)
        defined = below > 0
        return Draws(np.divide(above, below, out=np.zeros_like(above), where=defined), defined, self.n_groups)

    def mean_of(self, parts: Sequence[Draws]) -> Draws:
        """Return the mean of several metrics of these resamples, defined where all of them are."""
        values = np.mean([part.values for part in parts], axis=0)
        return Draws(values, np.logical_and.reduce([part.defined for part in parts]), self.n_groups)


def share(numerator: float, denominator: float, n: int, base_rate: float | None, otherwise: str) -> Metric:
    """Return numerator / denominator as a metric, or the reason `otherwise` where the denominator is 0."""
    if denominator == 0:
        return Metric(None, n, base_rate, otherwise)
    return Metric(float(numerator / denominator), n, base_rate)
