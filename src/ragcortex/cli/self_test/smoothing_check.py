"""Label persistence against the sum over all label sequences, which needs no recursion."""

import itertools
from collections.abc import Sequence
from typing import Final

import numpy as np

from ragcortex.cli.finding import Finding
from ragcortex.cli.self_test.measured import measured
from ragcortex.label_chain import SCORE_MARGIN
from ragcortex.smoothing import Smoothing

_LONGEST: Final = 10
_P_STAYS: Final = (0.5, 0.93, 0.993, 0.999)
# Both are exact but for rounding.
_TOLERANCE: Final = 1e-12


def all_labellings(scores: Sequence[float], p_stay: float) -> list[float]:
    """Return P(label = 1 | all scores) for each token: the weight of the label sequences in which it is 1.

    A sequence weighs ½, times each token's score (or what it lacks to 1, where the label is 0), times `p_stay` for each
    two neighbours with the same label and 1 − `p_stay` for any others. Time and space double with each token.
    """
    total, marked = 0.0, [0.0] * len(scores)
    for labels in itertools.product((0, 1), repeat=len(scores)):
        weight = 0.5
        for score, label in zip(scores, labels, strict=True):
            clipped = min(max(score, SCORE_MARGIN), 1 - SCORE_MARGIN)
            weight *= clipped if label else 1 - clipped
        for one, other in itertools.pairwise(labels):
            weight *= p_stay if one == other else 1 - p_stay
        total += weight
        for token, label in enumerate(labels):
            marked[token] += weight * label
    return [weight / total for weight in marked]


def smoothing_check() -> Finding:
    """Return the finding on answers of 1 to 10 tokens, smoothed together, with scores that are quite certain too."""
    random = np.random.default_rng(0)
    answers = [random.random(length).round(3).tolist() for length in range(1, _LONGEST + 1)]
    answers[-1][2:5] = [0.0, 1.0, 1.0]
    difference = 0.0
    for p_stay in _P_STAYS:
        smoothed = Smoothing.persistence(p_stay).apply_many(answers)
        for scores, got in zip(answers, smoothed, strict=True):
            difference = max(difference, float(np.abs(got - all_labellings(scores, p_stay)).max()))
    what = f"smoothing against the sum over all label sequences of {len(answers)} answers"
    return measured("label persistence", difference, _TOLERANCE, what)
