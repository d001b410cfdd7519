"""Which differences between methods are more than the luck of the sources: paired bootstrap and Holm's correction.

Both methods are measured on the same resamples of whole sources, so what they share cancels. The p-value is two-sided
and inverts the percentile interval: twice the smaller of the shares of resamples whose difference is at most 0, and at
least 0, one resample being added to each count and to the total, so that it is never 0 (Davison and Hinkley, 1997).
No p-value is below 2 / (resamples + 1); `least_resamples` says how many a family of comparisons needs for a difference
to be significant at all.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from ragcortex.errors import InputError
from ragcortex.evaluation.bootstrap import Interval
from ragcortex.evaluation.levels import Level, LevelUnits
from ragcortex.evaluation.metrics import RankingMetrics, ranking_metrics
from ragcortex.evaluation.resampled_ranking import RankedUnits, RankingDraws
from ragcortex.evaluation.resampling import Draws, Resamples
from ragcortex.score_arrays import Floats

MetricName = Literal["average_precision", "auroc"]
METRICS: Final[tuple[MetricName, ...]] = get_args(MetricName)
SIGNIFICANT: Final = 0.05


@dataclass(frozen=True, slots=True)
class Comparison:
    """How much a method beats a reference on the same units.

    Attributes:
        method: the method's name.
        reference: the name of what it is compared with.
        level: what a unit is.
        metric: what is compared.
        difference: the method's value minus the reference's; None where one is not defined.
        interval: of the difference, at 95 %, on the same resamples.
        p: two-sided; None where there is no interval.
        p_holm: corrected for the family it was corrected in, at least `p`; None where there is no `p`, or where no
            family was given.
        reason: why there is no difference or no p; None where there are both.
    """

    method: str
    reference: str
    level: Level
    metric: str
    difference: float | None
    interval: Interval
    p: float | None
    p_holm: float | None = None
    reason: str | None = None

    def __post_init__(self) -> None:
        if (self.p is None) == (self.reason is None):
            raise InputError("reason", f"must be given exactly where there is no p-value, got {self.reason!r}")
        for name in ("p", "p_holm"):
            value = getattr(self, name)
            if value is not None and not 0 < value <= 1:
                raise InputError(name, f"must be above 0 and at most 1, got {value!r}")
        if self.p_holm is not None and (self.p is None or self.p_holm < self.p):
            raise InputError("p_holm", f"must be at least p, got {self.p_holm!r} and p={self.p!r}")


def compare_methods(
    methods: Mapping[str, LevelUnits],
    reference: str,
    resamples: Resamples,
    *,
    metrics: Sequence[MetricName] = METRICS,
) -> tuple[Comparison, ...]:
    """Return the comparison of every other method with the reference, for each metric, corrected within each metric.

    Args:
        methods: the units of each method, by its name; all of the same level, answers and labels.
        reference: the name of one of them.
        resamples: of the same units, shared by all methods.
        metrics: what to compare; each is a family of its own for Holm's correction. `corrected` takes other families.

    Raises:
        InputError: the reference is not among the methods, a metric is unknown, or methods are of different units.
    """
    if reference not in methods:
        raise InputError("reference", f"must be one of {', '.join(methods)}, got {reference!r}")
    for metric in metrics:
        if metric not in METRICS:
            raise InputError("metrics", f"must be of {', '.join(METRICS)}, got {metric!r}")
    base = methods[reference]
    theirs = _Measured.of(base, resamples)
    found: dict[MetricName, list[Comparison]] = {metric: [] for metric in metrics}
    for name, units in methods.items():
        if name == reference:
            continue
        if not _same_units(units, base):
            raise InputError("methods", f"must be of the same units, those of {name!r} and {reference!r} differ")
        ours = _Measured.of(units, resamples)
        for metric in metrics:
            pair = (getattr(ours.values, metric), getattr(theirs.values, metric))
            difference = None if pair[0].value is None or pair[1].value is None else pair[0].value - pair[1].value
            draws = getattr(ours.draws, metric).minus(getattr(theirs.draws, metric))
            found[metric].append(
                comparison(
                    name,
                    reference,
                    level=base.level,
                    metric=metric,
                    difference=difference,
                    draws=draws,
                    reason=pair[0].reason or pair[1].reason,
                )
            )
    return tuple(one for metric in metrics for one in corrected(found[metric]))


def comparison(
    method: str,
    reference: str,
    *,
    level: Level,
    metric: str,
    difference: float | None,
    draws: Draws,
    reason: str | None = None,
) -> Comparison:
    """Return one comparison from the difference on all units and in each resample, not yet corrected.

    Args:
        method: the method's name.
        reference: the name of what it is compared with.
        level: what a unit is.
        metric: any name, so that every metric that has draws can be compared.
        difference: on all units; None where it is not defined.
        draws: of the difference, as `Draws.minus` gives them.
        reason: why there is no difference.
    """
    if difference is None:
        why = reason or "the difference is not defined"
        return Comparison(
            method, reference, level, metric, None, Interval(None, None, draws.n_groups, 0, why), None, reason=why
        )
    interval = draws.interval()
    p = None if interval.reason is not None else p_value(draws.values[draws.defined])
    return Comparison(method, reference, level, metric, difference, interval, p, reason=interval.reason)


def p_value(differences: npt.ArrayLike) -> float:
    """Return the two-sided p-value of bootstrap differences, in (0, 1]; see the top of this file.

    >>> p_value([0.1, 0.2, 0.3])
    0.5

    Raises:
        InputError: there are none.
    """
    values: Floats = np.asarray(differences, dtype=np.float64)
    if not len(values):
        raise InputError("differences", "must not be empty; there is nothing to test")
    smaller = min(int((values <= 0).sum()), int((values >= 0).sum()))
    return min(1.0, 2 * (1 + smaller) / (1 + len(values)))


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Return Holm's adjusted p-values, in the order given: each is significant where it is at most the level.

    The k-th smallest of m is multiplied by m − k + 1, and is at least those before it and at most 1 (Holm, 1979).

    >>> holm([0.01, 0.04, 0.03])
    (0.03, 0.06, 0.06)
    """
    order = np.argsort(np.asarray(p_values, dtype=np.float64), kind="stable")
    factors = len(order) - np.arange(len(order))
    raised = np.minimum(np.maximum.accumulate(np.asarray(p_values, dtype=np.float64)[order] * factors), 1)
    adjusted = np.empty(len(order))
    adjusted[order] = raised
    return tuple(adjusted.tolist())


def corrected(family: Iterable[Comparison]) -> tuple[Comparison, ...]:
    """Return the comparisons with Holm's correction over this family; those without a p-value are not part of it."""
    given = tuple(family)
    adjusted = iter(holm([one.p for one in given if one.p is not None]))
    return tuple(one if one.p is None else replace(one, p_holm=next(adjusted)) for one in given)


def least_resamples(n_comparisons: int, level: float = SIGNIFICANT) -> int:
    """Return how many resamples it takes for the clearest of n comparisons to be significant after the correction.

    >>> least_resamples(30)
    1199

    Raises:
        InputError: n_comparisons is below 1, or the level is not in (0, 1).
    """
    if n_comparisons < 1:
        raise InputError("n_comparisons", f"must be at least 1, got {n_comparisons!r}")
    if not 0 < level < 1:
        raise InputError("level", f"must lie between 0 and 1, both excluded, got {level!r}")
    return math.ceil(round(2 * n_comparisons / level, 9)) - 1


def resolution_note(family: Sequence[Comparison], level: float = SIGNIFICANT) -> str | None:
    """Return in words that too few resamples were drawn for anything to be significant, or None if there are enough."""
    tested = [one for one in family if one.p is not None]
    if not tested:
        return None
    least, drawn = least_resamples(len(tested), level), min(one.interval.n_resamples for one in tested)
    if drawn >= least:
        return None
    return (
        f"With {drawn:,} resamples no p-value of {len(tested)} comparisons can fall to {level:g} after Holm's "
        f"correction; draw at least {least:,}."
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Measured:
    """The ranking metrics of one method on all units and in each resample."""

    values: RankingMetrics
    draws: RankingDraws

    @classmethod
    def of(cls, units: LevelUnits, resamples: Resamples) -> "_Measured":
        draws = RankedUnits(units.scores, units.labels).draws(resamples)
        return cls(ranking_metrics(units.scores, units.labels), draws)


def _same_units(first: LevelUnits, second: LevelUnits) -> bool:
    return first.level == second.level and all(
        np.array_equal(getattr(first, name), getattr(second, name)) for name in ("labels", "groups", "answers")
    )
