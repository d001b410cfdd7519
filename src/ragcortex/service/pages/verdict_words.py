"""Verdicts, reasons and evidence in the person's language.

The English texts are those of `ragcortex.rendering`: tests compare both, so that a report reads the same everywhere.
"""

from ragcortex.align import snap_to_graphemes
from ragcortex.rendering.explanations import name_evidence
from ragcortex.rendering.inert import inert_line
from ragcortex.rendering.words import name_reference, number
from ragcortex.report import Evidence, FlaggedSpan, Report, Thresholds
from ragcortex.service.pages.wording import Texts

_PIECE_ROOM = 80


def explain_verdict(
    t: Texts, verdict: str, score: float | None, thresholds: Thresholds | None, *, marked: bool, has_notes: bool
) -> str:
    """Return one sentence that says what the verdict means, and which thresholds led to it."""
    if verdict == "no_claim":
        return t("why.no_claim")
    if verdict == "not_verifiable" or score is None or thresholds is None:
        return t("why.not_verifiable_notes") if has_notes else t("why.not_verifiable")
    limits = {"review": number(thresholds.review), "limit": number(thresholds.hallucinated)}
    if verdict == "hallucinated":
        return t("why.hallucinated", **limits)
    if verdict == "review":
        return t("why.review_unmarked") if score >= thresholds.hallucinated else t("why.review", **limits)
    sentence = t("why.grounded", **limits)
    return t("why.grounded_marked", sentence=sentence) if marked else sentence


def explain_spans(t: Texts, report: Report) -> str:
    """Return one sentence on how much of the answer is marked; empty where the answer was not judged."""
    if report.thresholds is None:
        return ""
    limit = number(report.thresholds.token)
    return t.some("marked", len(report.spans), limit=limit) if report.spans else t("marked.none", limit=limit)


def explain_reasons(t: Texts, report: Report, span: FlaggedSpan) -> list[str]:
    """Return why a span is marked, one reason an entry, with the pieces of answer and references that differ."""
    found = []
    for reason in span.reasons:
        key = f"absent.{reason}"
        words = t(f"reason.{reason}" if _differs(report, span, reason) or not t.has(key) else key)
        pieces = _pieces(t, span, reason)
        found.append(t("reason.with_pieces", reason=words, pieces=t("separator").join(pieces)) if pieces else words)
    return [*found, *_pieces(t, span, None)]


def name_text(t: Texts, evidence: Evidence) -> str:
    """Return which reference evidence is from: its number from 1, and its source where it has one."""
    n = evidence.reference + 1
    if evidence.source is None:
        return t("reference.number", n=n)
    return t("reference.number_source", n=n, source=inert_line(evidence.source))


def name_span_text(t: Texts, report: Report, span: FlaggedSpan, evidence: Evidence) -> str:
    """Return which reference a span's evidence is from; where nothing in it differs, that it is the nearest."""
    name = name_text(t, evidence)
    bears = name_evidence(report, span, evidence) == name_reference(evidence)
    return name if bears else t("reference.nearest", name=name)


def _differs(report: Report, span: FlaggedSpan, reason: str) -> bool:
    """Return whether a reference says otherwise, rather than none saying it."""
    if any(one.reason in (reason, None) for one in span.differences):
        return True
    if any(one.differences for one in report.spans):
        return False
    return any(
        one.state == "contradicted" and one.start < span.end and span.start < one.end for one in report.sentences
    )


def _pieces(t: Texts, span: FlaggedSpan, reason: str | None) -> list[str]:
    several = len({one.reference for one in span.evidence}) > 1
    found = []
    for one in span.differences:
        if one.reason == reason:
            where = t("reference.in_number", n=one.evidence.reference + 1) if several else t("reference.in_one")
            here, there = _quoted(t, one.text), _quoted(t, one.evidence.text)
            found.append(t("reason.pieces", here=here, there=there, where=where))
    return list(dict.fromkeys(found))


def _quoted(t: Texts, text: str) -> str:
    _, end = snap_to_graphemes(text, 0, min(_PIECE_ROOM, len(text)))
    return t("reason.quoted", text=inert_line(text[:end]) + ("…" if end < len(text) else ""))
