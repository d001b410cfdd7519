"""Bootstrap intervals by group: whole sources are drawn with replacement, since rows of one source are alike.

A resample only changes how often each group counts: see `RankedScores`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.errors import InputError
from ragcortex.evaluation.metrics import missing_class
from ragcortex.ranked_scores import RankedScores
from ragcortex.score_arrays import Floats

LEVEL: Final = 0.95
LEAST_USABLE: Final = 0.5
"""With a smaller share of resamples in which the metric is defined there is no interval."""
ONE_GROUP: Final = "all rows are of one group"


@dataclass(frozen=True, slots=True)
class Interval:
    """A percentile interval at LEVEL.

    Attributes:
        low: its lower end; None where there is no interval.
        high: its upper end; None where there is no interval.
        n_groups: how many groups were drawn from.
        n_resamples: how many resamples it comes from; those that missed a class are not among them.
        reason: why there is no interval; None where there is one.
    """

    low: float | None
    high: float | None
    n_groups: int
    n_resamples: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class RankingIntervals:
    """The intervals of both ranking metrics, or of their differences between two methods."""

    average_precision: Interval
    auroc: Interval


def resample_counts(n_groups: int, n_resamples: int, seed: int) -> npt.NDArray[np.int64]:
    """Return how often each group is drawn in each resample, shape (n_resamples, n_groups); each row sums to n_groups.

    Raises:
        InputError: there are no groups or no resamples.
    """
    if n_groups < 1:
        raise InputError("groups", "must not be empty; there is nothing to draw from")
    if n_resamples < 1:
        raise InputError("n_resamples", f"must be at least 1, got {n_resamples!r}")
    rng = np.random.default_rng(seed)
    return rng.multinomial(n_groups, np.full(n_groups, 1 / n_groups), size=n_resamples)


def bootstrap(
    scores: npt.ArrayLike, labels: npt.ArrayLike, groups: npt.ArrayLike, *, seed: int, n_resamples: int
) -> RankingIntervals:
    """Return 95 % percentile intervals of average precision and AUROC, drawing whole groups.

    Args:
        scores: shape (n,), finite, higher = more likely hallucinated.
        labels: shape (n,), 1 = hallucinated.
        groups: shape (n,), each row's group as an index from 0, as `splits.group_indices` gives.
        seed: the same seed draws the same groups for every method.
        n_resamples: how many resamples to draw.

    Raises:
        ReadingError: a score is not finite.
        InputError: labels or groups do not match the scores, or n_resamples is below 1.
    """
    ranked = RankedScores(scores, labels, groups)
    return _intervals(ranked, ranked.weighted, seed=seed, n_resamples=n_resamples)


def bootstrap_difference(
    scores: npt.ArrayLike,
    baseline: npt.ArrayLike,
    labels: npt.ArrayLike,
    groups: npt.ArrayLike,
    *,
    seed: int,
    n_resamples: int,
) -> RankingIntervals:
    """Return 95 % intervals of how much `scores` beat `baseline` on the same rows, both on the same resamples.

    Arguments and errors as for `bootstrap`.
    """
    ours, theirs = RankedScores(scores, labels, groups), RankedScores(baseline, labels, groups)

    def difference(weights: Floats) -> tuple[float, float] | None:
        first, second = ours.weighted(weights), theirs.weighted(weights)
        return None if first is None or second is None else (first[0] - second[0], first[1] - second[1])

    return _intervals(ours, difference, seed=seed, n_resamples=n_resamples)


def _intervals(
    rows: RankedScores, statistics: Callable[[Floats], tuple[float, float] | None], *, seed: int, n_resamples: int
) -> RankingIntervals:
    present = np.unique(rows.groups)
    reason = missing_class(rows.labels)
    if reason is None and len(present) < 2:
        reason = ONE_GROUP
    if reason is not None:
        nothing = Interval(None, None, len(present), 0, reason)
        return RankingIntervals(nothing, nothing)
    weights = np.zeros(int(present[-1]) + 1)
    usable = []
    for drawn in resample_counts(len(present), n_resamples, seed):
        weights[present] = drawn
        pair = statistics(weights)
        if pair is not None:
            usable.append(pair)
    if len(usable) < LEAST_USABLE * n_resamples:
        reason = f"{n_resamples - len(usable)} of {n_resamples} resamples hold one class only"
        nothing = Interval(None, None, len(present), len(usable), reason)
        return RankingIntervals(nothing, nothing)
    return RankingIntervals(
        *(percentile_interval(np.array(column), len(present)) for column in zip(*usable, strict=True))
    )


def percentile_interval(values: Floats, n_groups: int) -> Interval:
    """Return the interval at LEVEL of a metric's values in at least one resample, shape (n_resamples,)."""
    tail = 50 * (1 - LEVEL)
    low, high = np.percentile(values, [tail, 100 - tail])
    return Interval(float(low), float(high), n_groups, len(values))
