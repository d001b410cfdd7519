"""Spans with their reasons and evidence: what scores marked, joined with what comparing facts found."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ragcortex.align import Range
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
    """Return the flagged spans in order: the marked ranges, and the binding marks that lie in none of them.

    A span's reasons and evidence are those of the marks that overlap it, in order; `reason` where none does. Binding
    marks that overlap one another make one span.

    Args:
        text: the answer.
        by_character: the score of each of its characters, -1 where it belongs to no word.
        ranges: what the scores marked, in order and disjoint.
        marks: reasons with their places.
        reason: for a span that no mark explains.
        least: the least score of a span that only marks make: that from which words are marked.
    """
    places = _with_binding(ranges, [mark for mark in marks if mark.binding])
    spans = []
    for start, end in places:
        here = [mark for mark in marks if mark.start < end and start < mark.end]
        reasons = tuple(dict.fromkeys(mark.reason for mark in here)) or (reason,)
        evidence = tuple(dict.fromkeys(one for mark in here for one in mark.evidence))
        score = highest_score(by_character, start, end) or 0.0
        bound = least if any(mark.binding for mark in here) else 0.0
        spans.append(FlaggedSpan(start, end, text[start:end], max(score, bound), reasons, evidence))
    return tuple(spans)


def _with_binding(ranges: Sequence[Range], binding: Sequence[Mark]) -> list[Range]:
    places = list(ranges)
    for mark in sorted(binding, key=lambda mark: (mark.start, mark.end)):
        if any(start < mark.end and mark.start < end for start, end in ranges):
            continue
        if len(places) > len(ranges) and mark.start < places[-1][1]:
            places[-1] = (places[-1][0], max(places[-1][1], mark.end))
        else:
            places.append((mark.start, mark.end))
    return sorted(places)
