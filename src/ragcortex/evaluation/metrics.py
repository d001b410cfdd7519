"""Ranking metrics of tokens and of answers; a missing class is a status with its reason, never a number."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragcortex.errors import InputError
from ragcortex.score_arrays import Floats, Labels, binary_labels, finite_scores


@dataclass(frozen=True, slots=True)
class Metric:
    """A measured value with what it was measured on.

    Attributes:
        value: in [0, 1]; None where it is not defined.
        n: how many tokens or answers.
        base_rate: the share of them that is hallucinated; None where n is 0.
        reason: why there is no value; None where there is one.
    """

    value: float | None
    n: int
    base_rate: float | None
    reason: str | None = None

    def __post_init__(self) -> None:
        if (self.value is None) == (self.reason is None):
            raise InputError("reason", f"must be given exactly where there is no value, got {self.reason!r}")


@dataclass(frozen=True, slots=True)
class RankingMetrics:
    """How well scores rank the hallucinated above the grounded."""

    average_precision: Metric
    auroc: Metric


def ranking_metrics(scores: npt.ArrayLike, labels: npt.ArrayLike) -> RankingMetrics:
    """Return average precision and the area under the ROC curve of scores of any scale.

    >>> ranking_metrics([0.1, 0.2, 0.9], [0, 0, 1]).auroc
    Metric(value=1.0, n=3, base_rate=0.3333333333333333, reason=None)

    Args:
        scores: shape (n,), higher = more likely hallucinated. Use scores, not decisions: 0 and 1 rank hardly anything.
        labels: shape (n,), 1 = hallucinated.

    Raises:
        ReadingError: a score is not finite.
        InputError: the labels do not match the scores.
    """
    values = finite_scores(scores)
    truth = binary_labels(labels, len(values))
    n, base_rate = len(values), float(truth.mean()) if len(truth) else None
    reason = missing_class(truth)
    if reason is not None:
        undefined = Metric(None, n, base_rate, reason)
        return RankingMetrics(undefined, undefined)
    from sklearn.metrics import average_precision_score, roc_auc_score

    return RankingMetrics(
        # A perfect ranking may come out a rounding above 1: the sum of many small steps.
        average_precision=Metric(min(1.0, float(average_precision_score(truth, values))), n, base_rate),
        auroc=Metric(float(roc_auc_score(truth, values)), n, base_rate),
    )


def average_precision(scores: npt.ArrayLike, labels: npt.ArrayLike) -> Metric:
    """Return scikit-learn's average precision; arguments and errors as for `ranking_metrics`."""
    return ranking_metrics(scores, labels).average_precision


def auroc(scores: npt.ArrayLike, labels: npt.ArrayLike) -> Metric:
    """Return the area under the ROC curve; arguments and errors as for `ranking_metrics`."""
    return ranking_metrics(scores, labels).auroc


def pooled(
    scores_by_answer: Sequence[npt.ArrayLike], labels_by_answer: Sequence[npt.ArrayLike]
) -> tuple[Floats, Labels]:
    """Return the scores and labels of all tokens of all answers, one after the other: shapes (n_tokens,).

    Raises:
        ReadingError: a score is not finite.
        InputError: the labels do not match the scores.
    """
    if len(scores_by_answer) != len(labels_by_answer):
        raise InputError("labels", f"must be given for {len(scores_by_answer)} answers, got {len(labels_by_answer)}")
    scores = [finite_scores(row, f"scores[{index}]") for index, row in enumerate(scores_by_answer)]
    labels = [binary_labels(row, len(scores[index]), f"labels[{index}]") for index, row in enumerate(labels_by_answer)]
    return np.concatenate([*scores, np.zeros(0)]), np.concatenate([*labels, np.zeros(0, np.int8)])


def token_metrics(
    scores_by_answer: Sequence[npt.ArrayLike], labels_by_answer: Sequence[npt.ArrayLike]
) -> RankingMetrics:
    """Return the ranking metrics over the tokens of all answers pooled; errors as for `pooled`."""
    return ranking_metrics(*pooled(scores_by_answer, labels_by_answer))


def missing_class(labels: Labels) -> str | None:
    """Return in words which class the labels lack, or None if they have both."""
    if not len(labels):
        return "nothing is labelled"
    if not labels.any():
        return "nothing is labelled hallucinated"
    if labels.all():
        return "nothing is labelled grounded"
    return None
