"""What a method does at a threshold chosen on validation data, and its precision at a fixed recall."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.calibration import f1_threshold
from ragcortex.errors import InputError
from ragcortex.evaluation.metrics import Metric, missing_class
from ragcortex.evaluation.resampled_ranking import RankedUnits
from ragcortex.evaluation.resampling import Draws, Estimate, Resamples, share
from ragcortex.score_arrays import Floats, Labels, binary_labels, finite_scores

RECALLS: Final = (0.5, 0.8)
"""The recalls at which precision is reported."""
NOTHING_FLAGGED: Final = "nothing is flagged"


@dataclass(frozen=True, slots=True)
class ValidationThreshold:
    """A threshold chosen on validation data.

    Attributes:
        threshold: a score at or above it counts as hallucinated; None where none can be chosen.
        f1: its F1 on the validation data; None where there is no threshold.
        n: how many validation units it was chosen on.
        reason: why there is none; None where there is one.
    """

    threshold: float | None
    f1: float | None
    n: int
    reason: str | None = None

    def __post_init__(self) -> None:
        if (self.threshold is None) == (self.reason is None):
            raise InputError("reason", f"must be given exactly where there is no threshold, got {self.reason!r}")


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """What a threshold does; positive means hallucinated.

    Attributes:
        precision: TP / (TP + FP).
        recall: TP / (TP + FN).
        f1: 2 TP / (2 TP + FP + FN); 0 where there is something to find and nothing is flagged.
        balanced_accuracy: the mean of the recall and of TN / (TN + FP).
    """

    precision: Estimate
    recall: Estimate
    f1: Estimate
    balanced_accuracy: Estimate


@dataclass(frozen=True, slots=True)
class PrecisionAtRecall:
    """The precision at the highest threshold that finds at least the share `recall` of the hallucinated units."""

    recall: float
    precision: Estimate


def validation_threshold(scores: npt.ArrayLike, labels: npt.ArrayLike) -> ValidationThreshold:
    """Return the threshold with the best F1 of the hallucinated class on validation data; of equals, the highest.

    Scores in [0, 1] are given to `calibration.f1_threshold`. Those of another scale are first replaced by their ranks,
    which leaves every possible cut as it is; the threshold then lies halfway between the two scores it separates, or
    at the lowest score where everything is flagged.

    >>> validation_threshold([-7.0, -5.0, 1.0, 4.0], [0, 0, 1, 1])
    ValidationThreshold(threshold=-2.0, f1=1.0, n=4, reason=None)

    Args:
        scores: shape (n,), finite, of any scale, higher = more likely hallucinated.
        labels: shape (n,), 1 = hallucinated.

    Raises:
        ReadingError: a score is not finite.
        InputError: the labels do not match the scores.
    """
    values = finite_scores(scores)
    truth = binary_labels(labels, len(values))
    missing = missing_class(truth)
    if missing is not None:
        return ValidationThreshold(None, None, len(values), f"in the validation data {missing}")
    if values.min() >= 0 and values.max() <= 1:
        choice = f1_threshold(values, truth)
        return ValidationThreshold(choice.threshold, choice.f1, len(values))
    distinct, ranks = np.unique(values, return_inverse=True)
    shares = (ranks + 1) / (len(distinct) + 1)
    choice = f1_threshold(shares, truth)
    lowest_flagged = int(ranks[shares >= choice.threshold].min())
    upper = float(distinct[lowest_flagged])
    lower = float(distinct[lowest_flagged - 1]) if lowest_flagged else upper
    halfway = lower + (upper - lower) / 2
    return ValidationThreshold(halfway if halfway > lower else upper, choice.f1, len(values))


def operating_point(
    scores: npt.ArrayLike, labels: npt.ArrayLike, thresholds: npt.ArrayLike, resamples: Resamples
) -> OperatingPoint:
    """Return what thresholds do on test units, with intervals.

    Args:
        scores: shape (n,), finite, higher = more likely hallucinated.
        labels: shape (n,), 1 = hallucinated.
        thresholds: one for all units, or one a unit (as in cross-validation); at or above it counts as hallucinated.
        resamples: of the same rows.

    Raises:
        ReadingError: a score or a threshold is not finite.
        InputError: labels, thresholds or resamples do not match the scores.
    """
    values = finite_scores(scores)
    truth = binary_labels(labels, len(values)).astype(np.bool_)
    flagged = values >= per_unit(thresholds, len(values))
    if len(resamples.rows) != len(values):
        raise InputError("resamples", f"must be of the {len(values)} units, got {len(resamples.rows)}")
    hits = flagged & truth
    none_hallucinated = missing_class(truth.astype(np.int8)) if not truth.any() else None
    return OperatingPoint(
        precision=ratio(resamples, hits, flagged, truth, otherwise=NOTHING_FLAGGED, reason=none_hallucinated),
        recall=ratio(resamples, hits, truth, truth, otherwise=NOTHING_FLAGGED, reason=none_hallucinated),
        f1=ratio(
            resamples,
            2.0 * hits,
            flagged.astype(np.float64) + truth,
            truth,
            otherwise=NOTHING_FLAGGED,
            reason=none_hallucinated,
        ),
        balanced_accuracy=_balanced_accuracy(flagged, truth, resamples),
    )


def precisions_at(
    ranked: RankedUnits, draws: Sequence[Draws], recalls: Sequence[float] = RECALLS
) -> tuple[PrecisionAtRecall, ...]:
    """Return the precision at each fixed recall, with the interval of its draws (those of `RankedUnits.draws`)."""
    n, base_rate = len(ranked), rate_of(ranked.labels)
    found = []
    for recall, own in zip(recalls, draws, strict=True):
        value, reason = ranked.precision_at(recall)
        found.append(PrecisionAtRecall(recall, own.estimate(Metric(value, n, base_rate, reason))))
    return tuple(found)


def without_threshold(labels: Labels, reason: str, n_groups: int) -> OperatingPoint:
    """Return the operating point of a method that has no threshold, for this reason."""
    nothing = undefined(Metric(None, len(labels), rate_of(labels), reason), n_groups)
    return OperatingPoint(nothing, nothing, nothing, nothing)


def undefined(metric: Metric, n_groups: int) -> Estimate:
    """Return the estimate of a metric without a value."""
    return Draws(np.zeros(0), np.zeros(0, dtype=np.bool_), n_groups).estimate(metric)


def ratio(
    resamples: Resamples,
    numerators: npt.ArrayLike,
    denominators: npt.ArrayLike,
    truth: npt.NDArray[np.bool_],
    *,
    otherwise: str,
    reason: str | None = None,
) -> Estimate:
    """Return Σ numerators / Σ denominators over the rows, with its interval.

    Args:
        resamples: of the same rows.
        numerators: one number a row, shape (n,).
        denominators: one number a row, shape (n,).
        truth: which rows are hallucinated, for the base rate.
        otherwise: the reason where the denominators add up to 0.
        reason: why it is not defined at all; None where it is.
    """
    n, base_rate = len(truth), rate_of(truth)
    above, below = (float(np.sum(np.asarray(part, dtype=np.float64))) for part in (numerators, denominators))
    metric = Metric(None, n, base_rate, reason) if reason else share(above, below, n, base_rate, otherwise)
    return resamples.ratio(numerators, denominators).estimate(metric)


def per_unit(thresholds: npt.ArrayLike, n: int) -> Floats:
    """Return one threshold a unit, shape (n,), from one for all or one a unit.

    Raises:
        ReadingError: a threshold is not finite.
        InputError: there are neither one nor n of them.
    """
    array = np.asarray(thresholds, dtype=np.float64)
    if array.shape not in ((), (n,)):
        raise InputError("thresholds", f"must be one number or one a unit, expected shape ({n},), got {array.shape}")
    return finite_scores(np.broadcast_to(array, (n,)), "thresholds")


def rate_of(labels: npt.NDArray[np.int8] | npt.NDArray[np.bool_]) -> float | None:
    """Return the share of labels that are 1; None where there are none."""
    return float(np.mean(labels)) if len(labels) else None


def _balanced_accuracy(flagged: npt.NDArray[np.bool_], truth: npt.NDArray[np.bool_], resamples: Resamples) -> Estimate:
    n, base_rate, missing = len(truth), rate_of(truth), missing_class(truth.astype(np.int8))
    if missing is not None:
        return undefined(Metric(None, n, base_rate, missing), resamples.n_groups)
    value = (np.mean(flagged[truth]) + np.mean(~flagged[~truth])) / 2
    parts = [resamples.ratio(flagged & truth, truth), resamples.ratio(~flagged & ~truth, ~truth)]
    return resamples.mean_of(parts).estimate(Metric(float(value), n, base_rate))
