"""How far a threshold and its figures would move with other labelled answers: whole groups drawn with replacement.

A resample only changes how often each group counts. So answers are sorted once, and all resamples are done together as
weighted sums along that order, a block of them at a time.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.checks import check_score, check_text
from ragcortex.errors import InputError
from ragcortex.score_arrays import Floats, Labels

LEVEL: Final = 0.95
_LEAST_USABLE: Final = 0.5
_BLOCK: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class FigureInterval:
    """A percentile interval at LEVEL.

    Attributes:
        low, high: its ends, each in [0, 1]; None where there is no interval.
        n_resamples: how many resamples it comes from; those on which the figure is undefined are not among them.
        reason: why there is no interval; None where there is one.
    """

    low: float | None
    high: float | None
    n_resamples: int
    reason: str | None = None

    def __post_init__(self) -> None:
        check_text("reason", self.reason, optional=True)
        for name in ("low", "high"):
            value = getattr(self, name)
            check_score(name, value, optional=True)
            if (value is None) != (self.reason is not None):
                raise InputError(name, "must be given exactly where there is no reason for its absence")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise InputError("low", f"must be at most high={self.high}, got {self.low}")
        if type(self.n_resamples) is not int or self.n_resamples < 0:
            raise InputError("n_resamples", f"must be a whole number, 0 or more, got {self.n_resamples!r}")


def resampled_intervals(
    scores: Floats, labels: Labels, groups: npt.NDArray[np.intp], threshold: float, *, seed: int, n_resamples: int
) -> dict[str, FigureInterval]:
    """Return the 95 % intervals of precision, recall, f1, auroc and threshold, by these names.

    Precision, recall and F1 are those of the given threshold on each resample; the interval of the threshold is over
    the thresholds with the best F1 of each resample. Where more than half the resamples leave a figure undefined (they
    hold one class, or nothing is flagged) there is no interval, and the reason is stated.

    Args:
        scores: shape (n,), in [0, 1].
        labels: shape (n,), 1 = hallucinated, both classes present.
        groups: shape (n,), each row's group as an index from 0.
        threshold: a score at or above it counts as hallucinated.
        seed: the same seed draws the same groups.
        n_resamples: how many resamples to draw, at least 1.

    Raises:
        InputError: n_resamples is below 1.
    """
    if n_resamples < 1:
        raise InputError("n_resamples", f"must be at least 1, got {n_resamples!r}")
    present, own_group = np.unique(groups, return_inverse=True)
    ranked = _Ranked.of(scores, labels, own_group)
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(len(present), np.full(len(present), 1 / len(present)), size=n_resamples)
    blocks = [ranked.figures(block, threshold) for block in _blocks(counts, len(scores))]
    figures = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]}
    return {name: _interval(values) for name, values in figures.items()}


def _blocks(counts: npt.NDArray[np.int64], n: int) -> Iterator[Floats]:
    height = max(1, _BLOCK // n)
    for start in range(0, len(counts), height):
        yield counts[start : start + height].astype(np.float64)


@dataclass(frozen=True, slots=True)
class _Ranked:
    """Answers in falling order of their scores; equal scores are one cut."""

    scores: Floats
    positive: Floats
    groups: npt.NDArray[np.intp]
    ends: npt.NDArray[np.intp]

    @classmethod
    def of(cls, scores: Floats, labels: Labels, groups: npt.NDArray[np.intp]) -> "_Ranked":
        order = np.argsort(-scores, kind="stable")
        ordered = scores[order]
        ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True))
        return cls(ordered, labels[order].astype(np.float64), groups[order], ends)

    def figures(self, counts: Floats, threshold: float) -> Mapping[str, Floats]:
        """Return each figure on each resample, shape (n_resamples,); NaN where it is undefined."""
        weights = counts[:, self.groups]
        true_positives = np.cumsum(weights * self.positive, axis=1)[:, self.ends]
        false_positives = np.cumsum(weights * (1 - self.positive), axis=1)[:, self.ends]
        n_positive, n_negative = true_positives[:, -1], false_positives[:, -1]
        both = (n_positive > 0) & (n_negative > 0)
        n_cuts = int(np.searchsorted(-self.scores[self.ends], -threshold, side="right"))
        found = true_positives[:, n_cuts - 1] if n_cuts else np.zeros(len(counts))
        flagged = found + (false_positives[:, n_cuts - 1] if n_cuts else 0)
        passed = np.diff(false_positives, axis=1, prepend=0.0)
        gained = np.diff(true_positives, axis=1, prepend=0.0)
        area = (passed * (true_positives - gained / 2)).sum(axis=1)
        return {
            "precision": _ratio(found, flagged, both),
            "recall": _ratio(found, n_positive, both),
            "f1": _ratio(2 * found, flagged + n_positive, both),
            "auroc": _ratio(area, n_positive * n_negative, both),
            "threshold": np.where(both, self._best(true_positives, false_positives, passed + gained), np.nan),
        }

    def _best(self, true_positives: Floats, false_positives: Floats, drawn: Floats) -> Floats:
        """Return the threshold with the best F1 of each resample: halfway to the next lower score that was drawn."""
        denominators = true_positives + false_positives + true_positives[:, -1:]
        f1 = np.divide(2 * true_positives, denominators, out=np.zeros_like(denominators), where=denominators > 0)
        cut = f1.argmax(axis=1)
        distinct = self.scores[self.ends]
        lower = (drawn > 0) & (np.arange(len(distinct)) > cut[:, None])
        below = np.where(lower.any(axis=1), distinct[lower.argmax(axis=1)], 0.0)
        halfway = (distinct[cut] + below) / 2
        # Where the two are so close that halfway rounds to the lower one, the threshold is the upper one.
        keeps_apart = (halfway > below) | ~lower.any(axis=1)
        best: Floats = np.where(keeps_apart, halfway, distinct[cut])
        return best


def _ratio(part: Floats, whole: Floats, defined: npt.NDArray[np.bool_]) -> Floats:
    return np.divide(part, whole, out=np.full_like(whole, np.nan), where=defined & (whole > 0))


def _interval(values: Floats) -> FigureInterval:
    usable = values[~np.isnan(values)]
    if len(usable) < _LEAST_USABLE * len(values):
        reason = f"undefined on {len(values) - len(usable)} of {len(values)} resamples; label more answers"
        return FigureInterval(None, None, len(usable), reason)
    tail = 50 * (1 - LEVEL)
    low, high = np.percentile(usable, [tail, 100 - tail])
    return FigureInterval(min(max(float(low), 0.0), 1.0), min(max(float(high), 0.0), 1.0), len(usable))
