"""Whether probabilities can be taken at their word: of what is given 70 %, how much is hallucinated."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragcortex.checks import check_score
from ragcortex.errors import InputError
from ragcortex.score_arrays import binary_labels, probability_scores


@dataclass(frozen=True, slots=True)
class Bin:
    """The probabilities in one stretch of the scale, and what became of them.

    Attributes:
        n: how many.
        mean_probability: their mean; None where there is none.
        share_positive: the share of them that is hallucinated; None where there is none.
    """

    n: int
    mean_probability: float | None
    share_positive: float | None

    def __post_init__(self) -> None:
        if type(self.n) is not int or self.n < 0:
            raise InputError("n", f"must be a whole number, 0 or more, got {self.n!r}")
        for name in ("mean_probability", "share_positive"):
            value = getattr(self, name)
            check_score(name, value, optional=True)
            if (value is None) != (self.n == 0):
                raise InputError(name, f"must be null exactly where the bin is empty, got {value!r} with n={self.n}")


@dataclass(frozen=True, slots=True)
class Reliability:
    """How probabilities agree with what is the case, a bin at a time.

    Attributes:
        bins: of equal width, from 0 to 1; at least one of them holds something.
    """

    bins: tuple[Bin, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.bins, tuple) or not all(isinstance(one, Bin) for one in self.bins):
            raise InputError("bins", f"must be a tuple of Bin, got {self.bins!r}")
        if not self.n:
            raise InputError("bins", "must hold at least one probability")

    @property
    def n(self) -> int:
        """How many probabilities there are."""
        return sum(one.n for one in self.bins)

    @property
    def ece(self) -> float:
        """The expected calibration error in [0, 1]: |mean probability − share|, averaged over all probabilities."""
        return sum(one.n * _gap(one) for one in self.bins) / self.n


def reliability(probabilities: npt.ArrayLike, labels: npt.ArrayLike, n_bins: int = 10) -> Reliability:
    """Return how probabilities agree with labels, in bins of equal width.

    A probability on the edge of two bins belongs to the upper one, 1 to the last.

    >>> round(reliability([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 0]).ece, 3)
    0.25

    Args:
        probabilities: that something is hallucinated, in [0, 1], shape (n,), n at least 1.
        labels: 1 = hallucinated, shape (n,).
        n_bins: how many bins, at least 1.

    Raises:
        ReadingError: a probability is not a number in [0, 1].
        InputError: there are none, the labels do not match them, or n_bins is no whole number from 1 on.

    Source: Naeini, Cooper and Hauskrecht 2015 (expected calibration error).
    """
    if type(n_bins) is not int or n_bins < 1:
        raise InputError("n_bins", f"must be a whole number from 1 on, got {n_bins!r}")
    values = probability_scores(probabilities, "probabilities")
    if not len(values):
        raise InputError("probabilities", "must not be empty; there is nothing to compare with labels")
    positive = binary_labels(labels, len(values))
    edges = np.arange(1, n_bins) / n_bins
    owners = np.searchsorted(edges, values, side="right")
    counts = np.bincount(owners, minlength=n_bins)
    sums = np.bincount(owners, weights=values, minlength=n_bins)
    positives = np.bincount(owners, weights=positive, minlength=n_bins)
    return Reliability(
        tuple(
            Bin(n, min(total / n, 1.0), found / n) if n else Bin(0, None, None)
            for n, total, found in zip(counts.tolist(), sums.tolist(), positives.tolist(), strict=True)
        )
    )


def _gap(one: Bin) -> float:
    if one.mean_probability is None or one.share_positive is None:
        return 0.0
    return abs(one.mean_probability - one.share_positive)
