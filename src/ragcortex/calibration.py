"""Thresholds from labelled validation scores, and the record of where they came from."""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace

import numpy as np
import numpy.typing as npt

from ragcortex.checks import check_day
from ragcortex.errors import BundleError, InputError, TrainingError
from ragcortex.score_arrays import Floats, binary_labels, exact_fields, probability_scores


@dataclass(frozen=True, slots=True)
class ThresholdChoice:
    """A threshold and what it does on the scores it was chosen on; positive means hallucinated.

    Attributes:
        threshold: a score at or above it counts as hallucinated; in [0, 1], halfway between two observed scores.
        f1: 2 TP / (2 TP + FP + FN).
        precision: TP / (TP + FP); None where the threshold flags nothing.
        recall: TP / (TP + FN).
        false_positive_rate: FP / (FP + TN).
        n: how many scores.
        n_positive: how many of them are hallucinated.
    """

    threshold: float
    f1: float
    precision: float | None
    recall: float
    false_positive_rate: float
    n: int
    n_positive: int

    @classmethod
    def at(cls, scores: npt.ArrayLike, labels: npt.ArrayLike, threshold: float) -> "ThresholdChoice":
        """Return what a given threshold does on scores in [0, 1] with labels, both of shape (n,).

        Raises:
            ReadingError, InputError: as `f1_threshold`.
            TrainingError: a class is missing.
        """
        cuts = _Cuts.of(scores, labels)
        n_above = int(np.sum(probability_scores(scores) >= threshold))
        choice = cuts.choice(int(np.searchsorted(cuts.n_flagged, n_above)))
        return replace(choice, threshold=threshold)


def f1_threshold(scores: npt.ArrayLike, labels: npt.ArrayLike) -> ThresholdChoice:
    """Return the threshold with the best F1 of the hallucinated class; of equals, the highest.

    >>> f1_threshold([0.1, 0.2, 0.6, 0.9], [0, 0, 1, 1]).threshold
    0.4

    Args:
        scores: validation scores in [0, 1], shape (n,).
        labels: 1 = hallucinated, shape (n,).

    Raises:
        ReadingError: a score is not finite or lies outside [0, 1].
        InputError: the labels do not match the scores.
        TrainingError: no score is of a hallucinated, or none of a grounded, example.
    """
    cuts = _Cuts.of(scores, labels)
    f1 = 2 * cuts.true_positives / (cuts.n_flagged + cuts.n_positive)
    return cuts.choice(int(np.argmax(f1)))


def recall_threshold(scores: npt.ArrayLike, labels: npt.ArrayLike, recall: float) -> ThresholdChoice:
    """Return the highest threshold that finds at least the share `recall`, in (0, 1], of the hallucinated.

    Raises:
        ReadingError: a score is not finite or lies outside [0, 1].
        InputError: recall is out of range, or the labels do not match the scores.
        TrainingError: no score is of a hallucinated, or none of a grounded, example.
    """
    if not 0 < recall <= 1:
        raise InputError("recall", f"must be above 0 and at most 1, got {recall!r}")
    cuts = _Cuts.of(scores, labels)
    return cuts.choice(int(np.argmax(cuts.true_positives / cuts.n_positive >= recall)))


def false_alarm_threshold(scores: npt.ArrayLike, labels: npt.ArrayLike, rate: float) -> ThresholdChoice:
    """Return the lowest threshold that flags at most the share `rate`, in [0, 1], of the grounded.

    Raises:
        ReadingError: a score is not finite or lies outside [0, 1].
        InputError: rate is out of range, or the labels do not match the scores.
        TrainingError: a class is missing, or so many grounded examples score 1 that no threshold keeps the rate.
    """
    if not 0 <= rate <= 1:
        raise InputError("rate", f"must lie between 0 and 1, got {rate!r}")
    cuts = _Cuts.of(scores, labels)
    allowed = np.flatnonzero(cuts.false_positives / (cuts.n - cuts.n_positive) <= rate)
    lowest = int(allowed[-1])
    if cuts.thresholds[lowest] > 1:
        raise TrainingError(
            f"no threshold flags at most {rate:g} of the grounded examples, because {int(cuts.false_positives[1])} of "
            f"{cuts.n - cuts.n_positive} score exactly 1; the scorer is saturated, fit it again"
        )
    return cuts.choice(lowest)


@dataclass(frozen=True, slots=True)
class _Cuts:
    """Every different way to cut the scores in two, from flagging nothing (cut 0) to flagging all (the last)."""

    thresholds: Floats
    true_positives: Floats
    false_positives: Floats
    n: int
    n_positive: int

    @classmethod
    def of(cls, scores: npt.ArrayLike, labels: npt.ArrayLike) -> "_Cuts":
        values = probability_scores(scores)
        positive = binary_labels(labels, len(values))
        if not positive.any() or positive.all():
            missing = "grounded (label 0)" if positive.any() else "hallucinated (label 1)"
            raise TrainingError(
                f"a threshold needs grounded and hallucinated examples, but none of {len(values)} is {missing}; "
                "give labelled validation data with both"
            )
        distinct, index = np.unique(-values, return_inverse=True)
        n_at = np.bincount(index).astype(np.float64)
        positives_at = np.bincount(index, weights=positive)
        true_positives = np.concatenate([[0.0], np.cumsum(positives_at)])
        return cls(
            thresholds=_halfway(-distinct),
            true_positives=true_positives,
            false_positives=np.concatenate([[0.0], np.cumsum(n_at)]) - true_positives,
            n=len(values),
            n_positive=int(positive.sum()),
        )

    @property
    def n_flagged(self) -> Floats:
        return self.true_positives + self.false_positives

    def choice(self, cut: int) -> ThresholdChoice:
        found, flagged = float(self.true_positives[cut]), float(self.n_flagged[cut])
        return ThresholdChoice(
            threshold=float(self.thresholds[cut]),
            f1=2 * found / (flagged + self.n_positive),
            precision=found / flagged if flagged else None,
            recall=found / self.n_positive,
            false_positive_rate=(flagged - found) / (self.n - self.n_positive),
            n=self.n,
            n_positive=self.n_positive,
        )


def _halfway(descending: Floats) -> Floats:
    """Return one threshold above each distinct score, and one below the last; the scale ends at 1 and 0.

    Where the two scores are so close that halfway rounds to the lower one, the threshold is the upper one. Above a
    score of exactly 1 there is no room: that threshold is infinite.
    """
    upper = np.concatenate([[1.0], descending])
    lower = np.concatenate([descending, [0.0]])
    halfway = (upper + lower) / 2
    thresholds = np.where(halfway > lower, halfway, upper)
    thresholds[-1] = halfway[-1]
    if descending[0] == 1:
        thresholds[0] = math.inf
    return thresholds


@dataclass(frozen=True, slots=True)
class Calibration:
    """The thresholds of a detector, and the data they were chosen on.

    Attributes:
        token_threshold: a token at or above it is marked.
        review_threshold: an answer at or above it should be looked at by a person.
        hallucinated_threshold: an answer at or above it counts as hallucinated; not below review_threshold.
        data: which labelled answers the thresholds come from, in words.
        n_answers: how many answers.
        n_hallucinated: how many of them contain a hallucination.
        date: the day they were chosen, as YYYY-MM-DD.
        figures: precision, recall and F1 on that data by name (such as `token_f1`), each in [0, 1].
        reader_fingerprint: the reader whose scores they are; None where scores come from no reader.

    Raises:
        InputError: a field has the wrong type or is out of range.
    """

    token_threshold: float
    review_threshold: float
    hallucinated_threshold: float
    data: str
    n_answers: int
    n_hallucinated: int
    date: str
    figures: Mapping[str, float] = field(default_factory=dict, hash=False)
    reader_fingerprint: str | None = None

    def __post_init__(self) -> None:
        for name in ("token_threshold", "review_threshold", "hallucinated_threshold"):
            object.__setattr__(self, name, _share(getattr(self, name), name))
        if self.review_threshold > self.hallucinated_threshold:
            raise InputError(
                "review_threshold",
                f"must be at most hallucinated_threshold, got {self.review_threshold} > {self.hallucinated_threshold}",
            )
        if not isinstance(self.data, str) or not self.data.strip():
            raise InputError("data", f"must say which answers the thresholds come from, got {self.data!r}")
        for name in ("n_answers", "n_hallucinated"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise InputError(name, f"must be a whole number, 0 or more, got {value!r}")
        if self.n_hallucinated > self.n_answers:
            raise InputError(
                "n_hallucinated", f"must be at most n_answers, got {self.n_hallucinated} > {self.n_answers}"
            )
        check_day("date", self.date)
        if not isinstance(self.figures, Mapping) or not all(isinstance(name, str) for name in self.figures):
            raise InputError("figures", f"must be an object of names and numbers, got {self.figures!r}")
        if self.reader_fingerprint is not None and not isinstance(self.reader_fingerprint, str):
            raise InputError("reader_fingerprint", f"must be a string or null, got {self.reader_fingerprint!r}")
        copied = {name: _share(value, f"figures.{name}") for name, value in self.figures.items()}
        object.__setattr__(self, "figures", copied)

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: object) -> "Calibration":
        """Return the calibration that `to_dict` wrote.

        Raises:
            BundleError: a field is missing, unknown or out of range; the message names it.
        """
        values = exact_fields(data, [column.name for column in fields(cls)], "calibration")
        try:
            return cls(**values)  # type: ignore[arg-type]  # the values are checked by the class itself
        except InputError as error:
            raise BundleError(f"calibration.{error}") from error


def _share(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InputError(name, f"must be a number in [0, 1], got {value!r}")
    return float(value)
