"""Whether recent answers score like those that the thresholds were chosen on."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.errors import InputError
from ragcortex.score_arrays import Floats, probability_scores

LEAST: Final = 50
"""With fewer scores on either side nothing is said: chance alone would look like drift."""
_BINS: Final = 10
# Counted into every bin, so that one without scores has a share above 0 (Jeffreys' prior).
_HALF: Final = 0.5


@dataclass(frozen=True, slots=True)
class Drift:
    """How far recent scores lie from reference scores.

    Attributes:
        stability_index: the population stability index over tenths of the reference scores, 0 or more; by convention
            below 0.1 is little, and above 0.25 a reason to look and to calibrate anew.
        distance: the largest difference of both distribution functions (Kolmogorov–Smirnov), in [0, 1].
        p_value: how probable a distance as large is by chance alone, from its limit for many scores.
        n_reference, n_recent: how many scores were compared.
    """

    stability_index: float
    distance: float
    p_value: float
    n_reference: int
    n_recent: int


def drift(reference: npt.ArrayLike, recent: npt.ArrayLike, *, least: int = LEAST) -> Drift | None:
    """Return how far recent answer scores lie from the reference scores; None with fewer than `least` of either.

    Args:
        reference: scores of the answers that thresholds were chosen on, shape (n,), in [0, 1].
        recent: scores of recent answers, shape (m,), in [0, 1].
        least: of how many scores on.

    Raises:
        ReadingError: a score is not finite or lies outside [0, 1].
        InputError: scores are not one-dimensional.
    """
    first, second = probability_scores(reference), probability_scores(recent)
    if min(len(first), len(second)) < max(1, least):
        return None
    distance = kolmogorov_smirnov(first, second)
    p_value = kolmogorov_smirnov_p(distance, len(first), len(second))
    return Drift(stability_index(first, second), distance, p_value, len(first), len(second))


def stability_index(reference: npt.ArrayLike, recent: npt.ArrayLike, *, n_bins: int = _BINS) -> float:
    """Return the population stability index: the sum over bins of (p − q) ln(p / q), of the shares of scores.

    The bins are quantiles of the reference scores; equal quantiles are one. Bins
    without any score are left out, and the others are counted half a score more than they have. Scores of one
    distribution have about (n_bins − 1)(1/n + 1/m), not 0.

    >>> round(stability_index([0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.3, 0.4], n_bins=2), 3)
    0.0
    """
    first, second = probability_scores(reference), probability_scores(recent)
    if not len(first) or not len(second):
        raise InputError("scores", "must be at least one on each side")
    cuts = np.unique(np.quantile(first, np.arange(1, n_bins) / n_bins))
    n_bins = len(cuts) + 1
    counts = [np.bincount(np.searchsorted(cuts, scores), minlength=n_bins) for scores in (first, second)]
    filled = counts[0] + counts[1] > 0
    before, after = (own[filled] + _HALF for own in counts)
    before, after = before / before.sum(), after / after.sum()
    return float(np.sum((after - before) * np.log(after / before)))


def kolmogorov_smirnov(reference: npt.ArrayLike, recent: npt.ArrayLike) -> float:
    """Return the largest difference of the two empirical distribution functions, in [0, 1].

    >>> kolmogorov_smirnov([0.1, 0.2], [0.15, 0.9])
    0.5
    """
    first, second = np.sort(probability_scores(reference)), np.sort(probability_scores(recent))
    if not len(first) or not len(second):
        raise InputError("scores", "must be at least one on each side")
    places = np.concatenate([first, second])
    shares: list[Floats] = [np.searchsorted(own, places, side="right") / len(own) for own in (first, second)]
    return float(np.abs(shares[0] - shares[1]).max())


def kolmogorov_smirnov_p(distance: float, n: int, m: int) -> float:
    """Return the probability of a distance as large between n and m scores of one distribution, for many scores.

    The limit is Kolmogorov's: 2 Σ (−1)^(k−1) exp(−2 k² x²) at x = distance · √(nm / (n + m)).
    """
    x = distance * math.sqrt(n * m / (n + m))
    if x < 0.2:  # the series is 1 to 12 decimals there, and converges badly
        return 1.0
    total = sum((1 if k % 2 else -1) * math.exp(-2 * k * k * x * x) for k in range(1, 101))
    return min(1.0, max(0.0, 2 * total))
