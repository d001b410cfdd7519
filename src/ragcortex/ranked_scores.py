"""Scores sorted once, for average precision and AUROC under any weights of their groups.

A bootstrap resample only changes how often each group counts, so it is a weighted metric along one and the same order.
"""

import numpy as np
import numpy.typing as npt

from ragcortex.errors import InputError
from ragcortex.score_arrays import Floats, Labels, binary_labels, finite_scores

Indices = npt.NDArray[np.intp]


class RankedScores:
    """Scores sorted once, for metrics under any weights of their groups.

    Args:
        scores: shape (n,), finite, higher = more likely hallucinated.
        labels: shape (n,), 1 = hallucinated.
        groups: shape (n,), each row's group as an index from 0.

    Raises:
        ReadingError: a score is not finite.
        InputError: labels or groups do not match the scores.
    """

    def __init__(self, scores: npt.ArrayLike, labels: npt.ArrayLike, groups: npt.ArrayLike) -> None:
        values = finite_scores(scores)
        self.labels: Labels = binary_labels(labels, len(values))
        self.groups: Indices = _checked_groups(groups, len(values))
        order = np.argsort(-values, kind="stable")
        ordered = values[order]
        # The last row of each run of equal scores: equal scores are one threshold, whatever order they came in.
        self._ends = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)) if len(values) else order
        self._groups = self.groups[order]
        self._positive = self.labels[order].astype(np.float64)

    def weighted(self, weights: Floats) -> tuple[float, float] | None:
        """Return average precision and AUROC with each row weighted by its group.

        Equal to scikit-learn's with `sample_weight`. None where the rows with weight are all of one class.

        Args:
            weights: shape (n_groups,), 0 or more, longer than the largest index in `groups`.
        """
        if not len(self._ends):
            return None
        own = weights[self._groups]
        true_positives = np.cumsum(own * self._positive)[self._ends]
        false_positives = np.cumsum(own * (1 - self._positive))[self._ends]
        n_positive, n_negative = float(true_positives[-1]), float(false_positives[-1])
        if n_positive == 0 or n_negative == 0:
            return None
        found = np.diff(true_positives, prepend=0.0)
        flagged = true_positives + false_positives
        precision = np.divide(true_positives, flagged, out=np.zeros_like(flagged), where=flagged > 0)
        # Under the curve: each negative passed counts the positives above it, and half of those it ties with.
        passed = np.diff(false_positives, prepend=0.0)
        area = passed @ (true_positives - found / 2)
        return float(found @ precision) / n_positive, float(area) / (n_positive * n_negative)


def _checked_groups(groups: npt.ArrayLike, n: int) -> Indices:
    array = np.asarray(groups)
    if array.shape != (n,) or (n and (array.dtype.kind not in "iu" or array.min() < 0)):
        raise InputError("groups", f"must be one index a score, 0 or more, expected shape ({n},), got {array.shape}")
    return array.astype(np.intp)
