"""Overlap of the marked characters with the hallucinated ones: precision, recall and F1 over characters, and IoU.

Marked characters are those of the runs of flagged tokens: a token is flagged by its score alone, several tokens of one
character by the highest of them; tokens of white space carry a run on but make none; a run has no white space at its
edges. That is the joining rule of `ragcortex.spans` without the widening to whole words and the stop at sentences:
they belong to how a report is shown, and would blur what a method says.

Sources. RAGTruth's span-level figures compare characters of the marked spans with those of the annotated ones, added
up over all answers; LettuceDetect's published figures are worked out like that (`evaluate_detector_char_level`):
overlap over all marked, and over all annotated, characters. Ours are equal to them where the annotated spans of an
answer do not overlap one another. Where they do, it counts their common characters once a span (so that a precision
can exceed 1), and we count them once. Where nothing is marked or annotated it reports 0, and we the reason; an F1 of
0 stays 0 where there is something to find. IoU is Mu-SHROOM's (SemEval 2025, task 3): for each answer the common
characters over those of either set, 1 where both are empty; then the mean over the answers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ragcortex.align import AnswerTokens, strip_range
from ragcortex.evaluation.levels import (
    Indices,
    check_answers,
    highest_within,
    marked_before,
    offsets,
    pooled_tokens,
    with_known_spans,
)
from ragcortex.evaluation.metrics import Metric
from ragcortex.evaluation.operating_points import NOTHING_FLAGGED, per_unit, undefined
from ragcortex.evaluation.resampling import Estimate, Resamples, share
from ragcortex.example import Example
from ragcortex.score_arrays import Floats
from ragcortex.splits import group_indices

NOTHING_MARKED: Final = "no character is labelled hallucinated"


@dataclass(frozen=True, slots=True, eq=False)
class OverlapCounts:
    """How many characters of each answer with known spans are marked, hallucinated, and both.

    Attributes:
        marked: shape (n,), whole numbers.
        hallucinated: shape (n,).
        common: shape (n,).
        n_characters: how many characters the answers have in all.
    """

    marked: Indices
    hallucinated: Indices
    common: Indices
    n_characters: int

    @property
    def iou(self) -> Floats:
        """The intersection over the union of the two sets of characters, shape (n,); 1 where both are empty."""
        union = self.marked + self.hallucinated - self.common
        return np.asarray(np.divide(self.common, union, out=np.ones(len(union)), where=union > 0))


@dataclass(frozen=True, slots=True)
class SpanOverlap:
    """How well the marked characters match the hallucinated ones.

    `n` and `base_rate` of the first three count characters; those of `iou` count answers, and answers with spans.

    Attributes:
        precision: common characters / marked characters, over all answers together.
        recall: common characters / hallucinated characters.
        f1: their harmonic mean.
        iou: the mean over the answers of each answer's intersection over union.
        n_left_out: how many answers do not count, since their spans are not known.
    """

    precision: Estimate
    recall: Estimate
    f1: Estimate
    iou: Estimate
    n_left_out: int


class CharacterIndex:
    """The characters of a data set by token, with their labels; made once and shared by all methods.

    Args:
        examples: the labelled answers.
        tokens: the tokens of each.

    Raises:
        InputError: there is not one entry of tokens an example.
        ReadingError: tokens are those of another answer.
    """

    def __init__(self, examples: Sequence[Example], tokens: Sequence[AnswerTokens]) -> None:
        check_answers(examples, tokens)
        self._tokens = tuple(tokens)
        self.known: Indices = with_known_spans(examples)
        """The positions of the answers whose spans are known."""
        self.groups: Indices = group_indices([example.group for example in examples])[self.known]
        """The source of each of them as an index from 0."""
        known = self.known.tolist()
        self._n_characters = sum(len(examples[index].answer) for index in known)
        starts = offsets([len(answer) for answer in tokens]).tolist()
        before = [marked_before(len(examples[index].answer), examples[index].known_spans or ()) for index in known]
        self._hallucinated = np.array([own[-1] for own in before], dtype=np.intp)
        rows = [
            (position, starts[index] + first, starts[index] + last, start, end)
            for position, index in enumerate(known)
            for first, last, start, end in _visible_units(tokens[index])
        ]
        self._answer, self._first, self._last, start, end = np.array(rows, dtype=np.intp).reshape(-1, 5).T
        marks = np.concatenate([*before, np.zeros(0, np.intp)])
        home = offsets([len(own) for own in before])[self._answer]
        self._length, self._hits = end - start, marks[home + end] - marks[home + start]
        # The white space up to the next unit of the same answer, which is marked if both are.
        self._goes_on = self._answer[1:] == self._answer[:-1]
        self._gap = np.where(self._goes_on, start[1:] - end[:-1], 0)
        self._gap_hits = np.where(self._goes_on, marks[home[1:] + start[1:]] - marks[home[:-1] + end[:-1]], 0)

    def __len__(self) -> int:
        return len(self._tokens)

    def counts(self, token_scores: Sequence[npt.ArrayLike], thresholds: npt.ArrayLike) -> OverlapCounts:
        """Return the characters that tokens with a score at or above the threshold mark.

        Args:
            token_scores: the scores of each answer's tokens, of any scale.
            thresholds: one for all answers, or one an answer, shape (n_answers,).

        Raises:
            ReadingError: there is not one score a token, or a score or a threshold is not finite.
            InputError: there are neither one nor n_answers thresholds.
        """
        scores = highest_within(pooled_tokens(self._tokens, token_scores), self._first, self._last)
        flagged = scores >= per_unit(thresholds, len(self))[self.known][self._answer]
        joined = flagged[1:] & flagged[:-1]
        n = len(self.known)
        return OverlapCounts(
            marked=_by_answer(self._answer, flagged * self._length, joined * self._gap, n),
            hallucinated=self._hallucinated,
            common=_by_answer(self._answer, flagged * self._hits, joined * self._gap_hits, n),
            n_characters=self._n_characters,
        )

    def overlap(self, counts: OverlapCounts, resamples: Resamples) -> SpanOverlap:
        """Return the figures of these counts, with intervals; `resamples` are of `groups`."""
        n, hallucinated = counts.n_characters, int(counts.hallucinated.sum())
        base_rate = hallucinated / n if n else None
        parts = {
            "precision": (counts.common, counts.marked, NOTHING_FLAGGED if hallucinated else NOTHING_MARKED),
            "recall": (counts.common, counts.hallucinated, NOTHING_MARKED),
            "f1": (2 * counts.common, counts.marked + counts.hallucinated, NOTHING_MARKED),
        }
        found = {}
        for name, (above, below, otherwise) in parts.items():
            metric = share(float(above.sum()), float(below.sum()), n, base_rate, otherwise)
            if not hallucinated:
                metric = Metric(None, n, base_rate, NOTHING_MARKED)
            found[name] = resamples.ratio(above, below).estimate(metric)
        return SpanOverlap(**found, iou=_mean_iou(counts, resamples), n_left_out=len(self) - len(self.known))

    def without_threshold(self, reason: str, n_groups: int) -> SpanOverlap:
        """Return the figures of a method that has no threshold, for this reason."""
        n = self._n_characters
        nothing = undefined(Metric(None, n, float(self._hallucinated.sum()) / n if n else None, reason), n_groups)
        iou = undefined(Metric(None, len(self.known), _rate(self._hallucinated), reason), n_groups)
        return SpanOverlap(nothing, nothing, nothing, iou, len(self) - len(self.known))


def marked_ranges(tokens: AnswerTokens, scores: npt.ArrayLike, threshold: float) -> tuple[tuple[int, int], ...]:
    """Return the ranges that an answer's tokens with a score of at least `threshold` mark, in order and disjoint.

    Args:
        tokens: the tokens of one answer.
        scores: one a token, shape (T,), of any scale.
        threshold: a score at or above it is flagged.

    Raises:
        ReadingError: there is not one score a token, or one is not finite.
    """
    values = pooled_tokens([tokens], [np.asarray(scores)])
    ranges: list[tuple[int, int]] = []
    goes_on = False
    for first, last, start, end in _visible_units(tokens):
        flagged = bool(values[first:last].max() >= threshold)
        if flagged and goes_on:
            ranges[-1] = (ranges[-1][0], end)
        elif flagged:
            ranges.append((start, end))
        goes_on = flagged
    return tuple(ranges)


def _visible_units(tokens: AnswerTokens) -> list[tuple[int, int, int, int]]:
    """Return the first token, one past the last, and the characters without white space at the edges, of each range
    that is not white space alone."""
    found = []
    first = 0
    for index, own in enumerate(tokens.ranges):
        if index + 1 < len(tokens) and tokens.ranges[index + 1] == own:
            continue
        stripped = strip_range(tokens.text, *own)
        if stripped is not None:
            found.append((first, index + 1, *stripped))
        first = index + 1
    return found


def _by_answer(answers: Indices, of_units: npt.NDArray[Any], of_gaps: npt.NDArray[Any], n: int) -> Indices:
    total = np.bincount(answers, weights=of_units, minlength=n) + np.bincount(
        answers[:-1], weights=of_gaps, minlength=n
    )
    return total.astype(np.intp)


def _mean_iou(counts: OverlapCounts, resamples: Resamples) -> Estimate:
    iou = counts.iou
    metric = share(float(iou.sum()), len(iou), len(iou), _rate(counts.hallucinated), "no answer has known spans")
    return resamples.ratio(iou, np.ones(len(iou))).estimate(metric)


def _rate(hallucinated: Indices) -> float | None:
    """Return the share of the answers that have hallucinated characters."""
    return float(np.mean(hallucinated > 0)) if len(hallucinated) else None
