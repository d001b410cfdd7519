"""What a benchmark run draws: curves, sweeps over a setting, and how probabilities agree with labels."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from ragcortex.benchmark.results.figure import Level, MetricName, Smoothing, check_place
from ragcortex.checks import check_known, check_parts, check_score, check_text
from ragcortex.errors import InputError
from ragcortex.evaluation.metrics import missing_class
from ragcortex.evaluation.reliability import Bin
from ragcortex.score_arrays import Floats, binary_labels, finite_scores

CurveKind = Literal["precision_recall", "roc"]
Parameter = Literal["layer", "p_stay"]
MeasuredOn = Literal["validation", "test"]

MOST_POINTS: Final = 200


@dataclass(frozen=True, slots=True)
class Curve:
    """A precision–recall or ROC curve.

    Attributes:
        method: whose scores.
        level: what they rank.
        smoothing: whether token scores were smoothed first.
        kind: `precision_recall`: points are (recall, precision); `roc`: (false positive rate, true positive rate).
        points: at most 200, in [0, 1], their first coordinate never falling.
        n_points: how many the whole curve has; where there are more, those kept follow it at even steps.
    """

    method: str
    level: Level
    smoothing: Smoothing
    kind: CurveKind
    points: tuple[tuple[float, float], ...]
    n_points: int

    def __post_init__(self) -> None:
        check_text("method", self.method, filled=True)
        check_place(self.level, self.smoothing, "auroc")
        check_known("kind", self.kind, get_args(CurveKind))
        if not 2 <= len(self.points) <= MOST_POINTS:
            raise InputError("points", f"must be 2 to {MOST_POINTS}, got {len(self.points)}")
        for index, (x, y) in enumerate(self.points):
            check_score(f"points[{index}][0]", x)
            check_score(f"points[{index}][1]", y)
            if index and x < self.points[index - 1][0]:
                raise InputError(f"points[{index}][0]", f"must not be below the one before, got {x!r}")
        if type(self.n_points) is not int or self.n_points < len(self.points):
            raise InputError("n_points", f"must be at least the {len(self.points)} points kept, got {self.n_points!r}")


@dataclass(frozen=True, slots=True)
class Sweep:
    """One metric of one method along a setting.

    Attributes:
        parameter: which setting.
        method: of which method.
        level: at which level.
        smoothing: whether token scores were smoothed first.
        metric: what was measured.
        settings: rising, one at least.
        values: one a setting, in [0, 1]; None where it is not defined.
        chosen: the settings that the folds chose, each among `settings`.
        measured_on: on which answers.
    """

    parameter: Parameter
    method: str
    level: Level
    smoothing: Smoothing
    metric: MetricName
    settings: tuple[float, ...]
    values: tuple[float | None, ...]
    chosen: tuple[float, ...] = ()
    measured_on: MeasuredOn = "validation"

    def __post_init__(self) -> None:
        check_known("parameter", self.parameter, get_args(Parameter))
        check_text("method", self.method, filled=True)
        check_place(self.level, self.smoothing, self.metric)
        check_known("measured_on", self.measured_on, get_args(MeasuredOn))
        if not self.settings or not all(math.isfinite(one) for one in self.settings):
            raise InputError("settings", f"must be one finite number at least, got {self.settings!r}")
        if any(low >= high for low, high in zip(self.settings, self.settings[1:], strict=False)):
            raise InputError("settings", f"must rise, got {self.settings!r}")
        if len(self.values) != len(self.settings):
            raise InputError("values", f"must be one a setting, {len(self.settings)}, got {len(self.values)}")
        for index, value in enumerate(self.values):
            check_score(f"values[{index}]", value, optional=True)
        for index, one in enumerate(self.chosen):
            if one not in self.settings:
                raise InputError(f"chosen[{index}]", f"must be one of the settings, got {one!r}")


@dataclass(frozen=True, slots=True)
class ReliabilityBins:
    """How a method's probabilities agree with the labels.

    Attributes:
        method: whose probabilities.
        level: of what.
        smoothing: whether token scores were smoothed first.
        bins: of equal width from 0 to 1, as `evaluation.reliability` makes them.
    """

    method: str
    level: Level
    smoothing: Smoothing
    bins: tuple[Bin, ...]

    def __post_init__(self) -> None:
        check_text("method", self.method, filled=True)
        check_place(self.level, self.smoothing, "auroc")
        check_parts("bins", self.bins, Bin)
        if not any(one.n for one in self.bins):
            raise InputError("bins", "must hold at least one probability")


def curve(
    scores: npt.ArrayLike, labels: npt.ArrayLike, *, method: str, level: Level, smoothing: Smoothing, kind: CurveKind
) -> Curve | None:
    """Return the curve of scores, thinned to 200 points at even steps along it; None where a class is missing.

    The ends, and for a precision–recall curve the corner at the highest threshold, are always kept.

    Args:
        scores: shape (n,), finite, higher = more likely hallucinated.
        labels: shape (n,), 1 = hallucinated.
        method: whose scores.
        level: what they rank.
        smoothing: whether token scores were smoothed first.
        kind: which curve.

    Raises:
        ReadingError: a score is not finite.
        InputError: the labels do not match the scores.
    """
    values = finite_scores(scores)
    truth = binary_labels(labels, len(values))
    if missing_class(truth) is not None:
        return None
    from sklearn.metrics import precision_recall_curve, roc_curve

    if kind == "roc":
        x, y, _ = roc_curve(truth, values)
    else:
        precision, recall, _ = precision_recall_curve(truth, values)
        x, y = recall[::-1], precision[::-1]
    kept = thinned(x, y)
    points = tuple((float(x[index]), float(y[index])) for index in kept)
    return Curve(method, level, smoothing, kind, points, len(x))


def thinned(x: Floats, y: Floats, most: int = MOST_POINTS) -> Sequence[int]:
    """Return at most `most` rising positions, at even steps of the length of the line through the points.

    The first and the last position are always among them.
    """
    if len(x) <= most:
        return list(range(len(x)))
    length = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(x), np.diff(y)))])
    nearest = np.searchsorted(length, np.linspace(0, length[-1], most))
    return sorted({0, len(x) - 1, *nearest[1:-1].tolist()})
