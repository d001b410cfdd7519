"""Why a passage is marked, what the references say there, and what each signal added; for the terminal and the page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from ragcortex.align import Range, snap_to_graphemes
from ragcortex.rendering.inert import inert_line
from ragcortex.rendering.words import explain_reason, name_reference, name_signal
from ragcortex.report import Difference, Evidence, FlaggedSpan, Report

EVIDENCE_ROOM: Final = 400
"""Characters of one text of a reference that are shown beside a marked passage."""
SOURCE_ROOM: Final = 200
"""Characters of it that are shown beside a supported sentence."""
_PIECE_ROOM: Final = 80
# How far before a piece the shown text begins, as a share of the room.
_LEAD: Final = 0.3
# So many characters at most are given up for a cut between words.
_PART_WORD: Final = 20
_SMALL: Final = 0.05


@dataclass(frozen=True, slots=True)
class Signs:
    """Our own signs: what quotes a piece, what stands for text left out, and for minus."""

    opening: str = "«"
    closing: str = "»"
    ellipsis: str = "…"
    minus: str = "−"


ASCII_SIGNS: Final = Signs('"', '"', "...", "-")


@dataclass(frozen=True, slots=True)
class Fragment:
    """A stretch of a reference as it is shown; `is_piece` where the answer differs from it."""

    text: str
    is_piece: bool = False


def explain_reasons(report: Report, span: FlaggedSpan, signs: Signs) -> str:
    """Return why a span is marked, each reason with the pieces of the answer and of the references that differ."""
    parts = []
    for reason in span.reasons:
        words = explain_reason(reason, contradicted=_differs(report, span, reason))
        pieces = _pieces(span, reason, signs)
        parts.append(f"{words}: {'; '.join(pieces)}" if pieces else words)
    return "; ".join((*parts, *_pieces(span, None, signs)))


def name_evidence(report: Report, span: FlaggedSpan, evidence: Evidence) -> str:
    """Return which reference evidence is from; where nothing in it differs or is taken from it, that it is nearest."""
    name = name_reference(evidence)
    bears = "stitched" in span.reasons or any(evidence.holds(one.evidence) for one in span.differences)
    return name if bears or _contradicted_as_a_whole(report, span) else f"nearest is {name}"


def evidence_fragments(
    evidence: Evidence, differences: Sequence[Difference], room: int, signs: Signs
) -> tuple[Fragment, ...]:
    """Return the text of a reference in order, the pieces that differ apart; what exceeds `room` is cut visibly.

    A cut text shows the first piece. Lengths count characters, and no cut splits a grapheme.
    """
    pieces = _joined([(one.evidence.start, one.evidence.end) for one in differences if evidence.holds(one.evidence)])
    local = [(start - evidence.start, end - evidence.start) for start, end in pieces]
    first, last = _window(evidence.text, local[0] if local else (0, 0), room)
    fragments = [Fragment(f"{signs.ellipsis} ")] if first else []
    position = first
    for start, end in local:
        start, end = max(start, first), min(end, last)  # noqa: PLW2901
        if start < end:
            fragments += [Fragment(evidence.text[position:start]), Fragment(evidence.text[start:end], is_piece=True)]
            position = end
    fragments.append(Fragment(evidence.text[position:last]))
    if last < len(evidence.text):
        fragments.append(Fragment(signs.ellipsis))
    return tuple(one for one in fragments if one.text)


def explain_contributions(contributions: Mapping[str, float], signs: Signs) -> str:
    """Return what each signal adds to the log-odds, the largest first; those below 0.05 are summed as others.

    >>> explain_contributions({"a_b": -0.5, "c": 1.25, "d": 0.04, "e": 0.03}, Signs())
    'c +1.25, a b −0.50, others +0.07'
    """
    large = {name: value for name, value in contributions.items() if abs(value) >= _SMALL}
    ordered = sorted(large.items(), key=lambda one: (-abs(one[1]), one[0]))
    shown = [f"{inert_line(name_signal(name))} {_signed(value, signs)}" for name, value in ordered]
    rest = sum(value for name, value in contributions.items() if name not in large)
    if len(large) < len(contributions) and (round(rest, 2) or not shown):
        shown.append(f"others {_signed(rest, signs)}")
    return ", ".join(shown)


def has_contributions(report: Report) -> bool:
    """Return whether any span or sentence says what signals added to its score."""
    return any(one.contributions for one in report.spans) or any(one.contributions for one in report.sentences)


def _differs(report: Report, span: FlaggedSpan, reason: str) -> bool:
    """Return whether a reference says otherwise, rather than none saying it."""
    return any(one.reason in (reason, None) for one in span.differences) or _contradicted_as_a_whole(report, span)


def _contradicted_as_a_whole(report: Report, span: FlaggedSpan) -> bool:
    """Return whether, in a report without any pieces that differ, as earlier versions wrote, its sentence says so."""
    if any(one.differences for one in report.spans):
        return False
    return any(
        one.state == "contradicted" and one.start < span.end and span.start < one.end for one in report.sentences
    )


def _pieces(span: FlaggedSpan, reason: str | None, signs: Signs) -> list[str]:
    several = len({one.reference for one in span.evidence}) > 1
    found = []
    for one in span.differences:
        if one.reason == reason:
            where = f"reference {one.evidence.reference + 1}" if several else "the reference"
            here, there = (_quoted(text, signs) for text in (one.text, one.evidence.text))
            found.append(f"{here} in the answer, {there} in {where}")
    return list(dict.fromkeys(found))


def _quoted(text: str, signs: Signs) -> str:
    start, end = _window(text, (0, 0), _PIECE_ROOM)
    rest = signs.ellipsis if end < len(text) else ""
    return f"{signs.opening}{inert_line(text[start:end])}{rest}{signs.closing}"


def _window(text: str, piece: Range, room: int) -> Range:
    """Return the stretch of at most about `room` characters that shows the start of a piece and what is around it."""
    if len(text) <= room:
        return 0, len(text)
    start = min(max(0, piece[0] - int(room * _LEAD)), len(text) - room)
    end = start + room
    if start:
        space = text.find(" ", start, min(start + _PART_WORD, piece[0]))
        start = start if space < 0 else space + 1
    if end < len(text):
        space = text.rfind(" ", max(end - _PART_WORD, piece[1]), end + 1)
        end = end if space < 0 else space
    return snap_to_graphemes(text, start, end)


def _joined(ranges: Sequence[Range]) -> list[Range]:
    """Return the ranges in order; those that overlap become one."""
    joined: list[Range] = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def _signed(value: float, signs: Signs) -> str:
    rounded = round(value, 2) or 0.0
    return f"{'+' if rounded >= 0 else signs.minus}{abs(rounded):.2f}"
