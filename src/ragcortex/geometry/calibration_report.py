"""What labelled answers say about a threshold: its figures with their intervals, and how both classes score.

The positive class is «hallucinated» (label 1) in every figure: precision is the share of flagged answers that are
hallucinated, recall the share of hallucinated answers that are flagged.
"""

import json
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, cast

import numpy as np
import numpy.typing as npt

from ragcortex.calibration import f1_threshold
from ragcortex.checks import check_score
from ragcortex.errors import BundleError, InputError
from ragcortex.geometry.calibration_bootstrap import LEVEL, FigureInterval, resampled_intervals
from ragcortex.score_arrays import Floats, binary_labels, exact_fields

ENOUGH: Final = 100
N_BINS: Final = 20
QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True, slots=True)
class ClassScores:
    """How the answers of one class score.

    Attributes:
        n: how many answers, at least 1.
        quantiles: the scores at QUANTILES, rising, each in [0, 1].
        histogram: how many scores lie in each of N_BINS equal bins from 0 to 1; a score on an edge belongs to the bin
            above it, 1 to the last.
    """

    n: int
    quantiles: tuple[float, ...]
    histogram: tuple[int, ...]

    def __post_init__(self) -> None:
        if type(self.n) is not int or self.n < 1:
            raise InputError("n", f"must be a whole number from 1 on, got {self.n!r}")
        if not isinstance(self.quantiles, tuple) or len(self.quantiles) != len(QUANTILES):
            raise InputError("quantiles", f"must be {len(QUANTILES)} numbers, got {self.quantiles!r}")
        for value in self.quantiles:
            check_score("quantiles", value)
        if list(self.quantiles) != sorted(self.quantiles):
            raise InputError("quantiles", f"must rise, got {self.quantiles!r}")
        counts = self.histogram
        if not isinstance(counts, tuple) or len(counts) != N_BINS or any(type(n) is not int or n < 0 for n in counts):
            raise InputError("histogram", f"must be {N_BINS} whole numbers, 0 or more, got {counts!r}")
        if sum(counts) != self.n:
            raise InputError("histogram", f"must add up to n={self.n}, got {sum(counts)}")


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """A threshold chosen on labelled answers, and what it does on them; positive means hallucinated.

    The figures are of the very answers the threshold was chosen on, so they lean to the good side; the fewer answers,
    the more.

    Attributes:
        threshold: the score with the best F1; an answer at or above it counts as hallucinated.
        precision_hallucinated: share of the flagged answers that are hallucinated.
        recall_hallucinated: share of the hallucinated answers that are flagged.
        f1_hallucinated: 2 TP / (2 TP + FP + FN).
        false_positive_rate: share of the grounded answers that are flagged.
        auroc: probability that a hallucinated answer scores higher than a grounded one, a tie counting half.
        threshold_interval, precision_interval, recall_interval, f1_interval, auroc_interval: 95 % bootstrap intervals.
        grounded: the scores of the answers labelled 0.
        hallucinated: the scores of the answers labelled 1.
        n_groups: how many groups (sources) the intervals draw from.
        warnings: sentences on what makes the figures doubtful; empty if nothing does.
    """

    threshold: float
    precision_hallucinated: float
    recall_hallucinated: float
    f1_hallucinated: float
    false_positive_rate: float
    auroc: float
    threshold_interval: FigureInterval
    precision_interval: FigureInterval
    recall_interval: FigureInterval
    f1_interval: FigureInterval
    auroc_interval: FigureInterval
    grounded: ClassScores
    hallucinated: ClassScores
    n_groups: int
    warnings: tuple[str, ...]

    def __post_init__(self) -> None:
        for name in _SHARES:
            check_score(name, getattr(self, name))
        if type(self.n_groups) is not int or not 1 <= self.n_groups <= self.n_answers:
            raise InputError("n_groups", f"must be from 1 to the {self.n_answers} answers, got {self.n_groups!r}")
        if not isinstance(self.warnings, tuple) or not all(isinstance(sentence, str) for sentence in self.warnings):
            raise InputError("warnings", f"must be sentences, got {self.warnings!r}")

    @property
    def n_answers(self) -> int:
        """How many labelled answers there are."""
        return self.grounded.n + self.hallucinated.n

    def lines(self) -> tuple[str, ...]:
        """Return the report for a person, a line at a time, without the distributions."""
        return (
            f"{self.n_answers:,} labelled answers from {self.n_groups:,} sources: {self.hallucinated.n:,} hallucinated "
            f"(label 1, the positive class), {self.grounded.n:,} grounded (label 0)",
            f"threshold            {self.threshold:.3f}   ({_shown(self.threshold_interval)}), best F1",
            f"precision            {self.precision_hallucinated:.3f}   ({_shown(self.precision_interval)}): "
            "share of the flagged answers that are hallucinated",
            f"recall               {self.recall_hallucinated:.3f}   ({_shown(self.recall_interval)}): "
            "share of the hallucinated answers that are flagged",
            f"F1                   {self.f1_hallucinated:.3f}   ({_shown(self.f1_interval)})",
            f"AUROC                {self.auroc:.3f}   ({_shown(self.auroc_interval)})",
            f"false alarms         {self.false_positive_rate:.3f}: share of the grounded answers that are flagged",
            *(f"warning: {sentence}" for sentence in self.warnings),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        # Lists for tuples, as they are read back.
        return cast(dict[str, Any], json.loads(json.dumps(asdict(self))))

    @classmethod
    def from_dict(cls, data: object, place: str = "report") -> "CalibrationReport":
        """Return the report that `to_dict` wrote; `place` is its name in messages.

        Raises:
            BundleError: a field is missing, unknown or out of range; the message names it.
        """
        values: dict[str, Any] = exact_fields(data, [field.name for field in fields(cls)], place)
        for name in ("grounded", "hallucinated"):
            values[name] = _part(ClassScores, values[name], f"{place}.{name}")
        for name in [name for name in values if name.endswith("_interval")]:
            values[name] = _part(FigureInterval, values[name], f"{place}.{name}")
        values["warnings"] = _tuple(values["warnings"])
        try:
            return cls(**values)
        except InputError as error:
            raise BundleError(f"{place}.{error}") from error


_SHARES: Final = (
    "threshold", "precision_hallucinated", "recall_hallucinated", "f1_hallucinated", "false_positive_rate", "auroc",
)  # fmt: skip


def calibration_report(
    scores: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    groups: npt.ArrayLike | None = None,
    seed: int = 0,
    n_resamples: int = 1000,
) -> CalibrationReport:
    """Return the threshold with the best F1 of the hallucinated class, its figures and their 95 % intervals.

    Args:
        scores: of labelled answers, shape (n,), in [0, 1], higher = more likely hallucinated.
        labels: shape (n,), 1 = hallucinated (the positive class), 0 = grounded.
        groups: each answer's source as an index from 0, shape (n,), as `splits.group_indices` gives; intervals draw
            whole sources. None where each answer has a source of its own.
        seed: the same seed draws the same resamples.
        n_resamples: how many.

    Raises:
        InputError: a score is not a finite number in [0, 1], labels or groups do not match the scores, or n_resamples
            is below 1.
        TrainingError: all answers are of one class.
    """
    values = _checked_scores(scores)
    positive = binary_labels(labels, len(values))
    own = np.arange(len(values)) if groups is None else _checked_groups(groups, len(values))
    choice = f1_threshold(values, positive)
    intervals = resampled_intervals(values, positive, own, choice.threshold, seed=seed, n_resamples=n_resamples)
    grounded, hallucinated = _class_scores(values[positive == 0]), _class_scores(values[positive == 1])
    return CalibrationReport(
        threshold=choice.threshold,
        # The best threshold flags at least one hallucinated answer, so the precision is defined.
        precision_hallucinated=choice.precision or 0.0,
        recall_hallucinated=choice.recall,
        f1_hallucinated=choice.f1,
        false_positive_rate=choice.false_positive_rate,
        auroc=_auroc(values, positive == 1),
        threshold_interval=intervals["threshold"],
        precision_interval=intervals["precision"],
        recall_interval=intervals["recall"],
        f1_interval=intervals["f1"],
        auroc_interval=intervals["auroc"],
        grounded=grounded,
        hallucinated=hallucinated,
        n_groups=len(np.unique(own)),
        warnings=tuple(_few("hallucinated (label 1)", hallucinated.n) + _few("grounded (label 0)", grounded.n)),
    )


def _few(name: str, n: int) -> list[str]:
    if n >= ENOUGH:
        return []
    answers = "1 answer is" if n == 1 else f"{n} answers are"
    return [f"only {answers} {name}; with fewer than {ENOUGH} of a class the threshold is unreliable, label more"]


def _auroc(values: Floats, positive: npt.NDArray[np.bool_]) -> float:
    from sklearn.metrics import roc_auc_score

    return float(roc_auc_score(positive, values))


def _class_scores(values: Floats) -> ClassScores:
    # Not np.histogram: its edges are rounded, and 0.15 / 0.05 must not fall below 3.
    bins = np.minimum(np.floor(np.round(values * N_BINS, 9)).astype(int), N_BINS - 1)
    return ClassScores(
        n=len(values),
        quantiles=tuple(float(value) for value in np.quantile(values, QUANTILES)),
        histogram=tuple(int(n) for n in np.bincount(bins, minlength=N_BINS)),
    )


def _checked_scores(scores: npt.ArrayLike) -> Floats:
    array = np.asarray(scores)
    if array.ndim != 1 or array.dtype.kind not in "fiu":
        raise InputError("scores", f"must be one row of numbers, got shape {array.shape} of {array.dtype}")
    values = array.astype(np.float64)
    wrong = ~((values >= 0) & (values <= 1))
    if wrong.any():
        first = int(np.argmax(wrong))
        raise InputError("scores", f"must be finite numbers in [0, 1], got {values[first]} at position {first}")
    return values


def _checked_groups(groups: npt.ArrayLike, n: int) -> npt.NDArray[np.intp]:
    array = np.asarray(groups)
    if array.shape != (n,):
        raise InputError("groups", f"must be one index a score, expected shape ({n},), got {array.shape}")
    if n and (array.dtype.kind not in "iu" or array.min() < 0):
        raise InputError("groups", f"must be whole numbers, 0 or more, got {array.dtype}")
    return array.astype(np.intp)


def _shown(interval: FigureInterval) -> str:
    if interval.low is None or interval.high is None:
        return f"no interval: {interval.reason}"
    return f"{LEVEL * 100:.0f} % {interval.low:.3f} to {interval.high:.3f}"


def _part(kind: type[Any], data: object, place: str) -> Any:
    values = exact_fields(data, [field.name for field in fields(kind)], place)
    try:
        return kind(**{name: _tuple(value) for name, value in values.items()})
    except InputError as error:
        raise BundleError(f"{place}.{error}") from error


def _tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value
