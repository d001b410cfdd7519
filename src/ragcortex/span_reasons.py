"""Spans with their reasons and evidence: what scores marked, joined with what comparing facts found."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ragcortex.align import Range, snap_to_graphemes
from ragcortex.contributions import StretchContributions
from ragcortex.report_parts import Difference, Evidence, FlaggedSpan, Mark, SentenceNote
from ragcortex.spans import highest_score


def explained_spans(
    text: str,
    by_character: npt.NDArray[np.float64],
    ranges: Sequence[Range],
    marks: Sequence[Mark],
    *,
    reason: str,
    least: float,
    notes: Sequence[SentenceNote] = (),
    contributions: StretchContributions | None = None,
) -> tuple[FlaggedSpan, ...]:
    """Return the flagged spans in order: the marked ranges and the binding marks, joined where they overlap.

    A span's reasons, evidence and differences are those of the marks that overlap it, in order, and `reason` last if a
    word of it is in no mark. What it shares with a statement for which no mark gives evidence has that of the
    statement's note. No span splits a grapheme.

    Args:
        text: the answer.
        by_character: the score of each of its characters, -1 where it belongs to no word.
        ranges: what the scores marked, in order and disjoint.
        marks: reasons with their places.
        reason: for words that no mark explains.
        least: the least score of a span that only marks make: that from which words are marked.
        notes: on statements, with the text of the references nearest to them.
        contributions: of the highest-scored word in a stretch.
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
        scores = [highest_score(by_character, start, end) or 0.0, *(mark.score for mark in here if mark.binding)]
        if any(mark.binding for mark in here):
            scores.append(least)
        spans.append(
            FlaggedSpan(
                start,
                end,
                text[start:end],
                max(scores),
                tuple(dict.fromkeys(reasons)),
                tuple(dict.fromkeys(_evidence((start, end), here, notes))),
                tuple(dict.fromkeys(_differences((start, end), here))),
                {} if contributions is None else contributions.within(start, end),
            )
        )
    return tuple(spans)


def _evidence(place: Range, marks: Sequence[Mark], notes: Sequence[SentenceNote]) -> Iterator[Evidence]:
    """Yield the evidence of the marks of a span, and of the statements in it for which they give none."""
    start, end = place
    for mark in marks:
        yield from mark.evidence
    for note in notes:
        shown = any(mark.evidence and mark.start < note.end and note.start < mark.end for mark in marks)
        if note.start < end and start < note.end and not shown:
            yield from note.evidence


def _differences(place: Range, marks: Sequence[Mark]) -> list[Difference]:
    """Return the differences of the marks that lie in a span, by position, each with the reason of its mark."""
    start, end = place
    found = (replace(one, reason=mark.reason) for mark in marks for one in mark.differences)
    return sorted((one for one in found if one.start < end and start < one.end), key=lambda one: (one.start, one.end))


def _with_binding(text: str, ranges: Sequence[Range], binding: Sequence[Mark]) -> list[Range]:
    """Return the ranges and those of the binding marks, in order; what overlaps becomes one range."""
    joined: list[Range] = []
    for start, end in sorted([*ranges, *(snap_to_graphemes(text, mark.start, mark.end) for mark in binding)]):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined
