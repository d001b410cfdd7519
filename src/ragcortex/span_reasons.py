"""Spans with their reasons and evidence: what scores marked, joined with what comparing facts found."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ragcortex.align import Range, snap_to_graphemes
from ragcortex.report_parts import FlaggedSpan, Mark
from ragcortex.spans import highest_score


def explained_spans(
    text: str,
    by_character: npt.NDArray[np.float64],
    ranges: Sequence[Range],
    marks: Sequence[Mark],
    *,
    reason: str,
    least: float,
) -> tuple[FlaggedSpan, ...]:
    """Return the flagged spans in order: the marked ranges and the binding marks, joined where they overlap.

    A span's reasons and evidence are those of the marks that overlap it, in order, and `reason` last if a word of it is
    in no mark. No span splits a grapheme.

    Args:
        text: the answer.
        by_character: the score of each of its characters, -1 where it belongs to no word.
        ranges: what the scores marked, in order and disjoint.
        marks: reasons with their places.
        reason: for words that no mark explains.
        least: the least score of a span that only marks make: that from which words are marked.
    """
    explained = np.zeros(len(text), dtype=np.bool_)
    for mark in marks:
        explained[mark.start : mark.end] = True
    unexplained = (by_character >= 0) & ~explained
    spans = []
    for start, end in _with_binding(text, ranges, [mark for mark in marks if mark.binding]):
        here = sorted((one for one in marks if one.start < end and start < one.end), key=lambda one: one.start)
        reasons = [mark.reason for mark in here]
        if not here or unexplained[start:end].any():
            reasons.append(reason)
        evidence = tuple(dict.fromkeys(one for mark in here for one in mark.evidence))
        scores = [highest_score(by_character, start, end) or 0.0, *(mark.score for mark in here if mark.binding)]
        if any(mark.binding for mark in here):
            scores.append(least)
        spans.append(FlaggedSpan(start, end, text[start:end], max(scores), tuple(dict.fromkeys(reasons)), evidence))
    return tuple(spans)


def _with_binding(text: str, ranges: Sequence[Range], binding: Sequence[Mark]) -> list[Range]:
    """Return the ranges and those of the binding marks, in order; what overlaps becomes one range."""
    joined: list[Range] = []
    for start, end in sorted([*ranges, *(snap_to_graphemes(text, mark.start, mark.end) for mark in binding)]):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
