"""A stored check as the pages show it: the marked answer, passages with their evidence, and the references beside."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ragcortex.rendering.explanations import EVIDENCE_ROOM, SOURCE_ROOM, Signs, evidence_fragments
from ragcortex.rendering.inert import inert, inert_line
from ragcortex.rendering.words import number
from ragcortex.report import Evidence, FlaggedSpan, Report, SentenceScore
from ragcortex.service.pages.stretches import Piece, cut
from ragcortex.service.pages.verdict_words import explain_reasons, name_span_text, name_text
from ragcortex.service.pages.wording import Texts
from ragcortex.service.storage.tables import Check

_SIGNS = Signs()


@dataclass(frozen=True, slots=True)
class MarkedPiece:
    """A stretch of the answer; `number` is that of the span it belongs to, 0 for none; `last` ends the span."""

    text: str
    number: int
    last: bool
    score: str


@dataclass(frozen=True, slots=True)
class ShownEvidence:
    """A text of a reference: where it is from, and its fragments with the pieces that differ apart."""

    name: str
    fragments: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A marked stretch of the answer with its score, its reasons in words and its evidence."""

    number: int
    start: int
    end: int
    text: str
    score: str
    reasons: tuple[str, ...]
    evidence: tuple[ShownEvidence, ...]


@dataclass(frozen=True, slots=True)
class ReferencePiece:
    """A stretch of a reference: which spans it is evidence for, and for which it differs from the answer."""

    text: str
    spans: tuple[int, ...]
    differs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ShownReference:
    """A whole reference; `spans` are all spans with evidence in it."""

    number: int
    source: str
    pieces: tuple[ReferencePiece, ...]
    spans: tuple[int, ...]


def report_of(check: Check) -> Report | None:
    """Return a check's report, None where its texts were deleted or never kept."""
    return None if check.report is None else Report.from_dict(check.report)


def marked_pieces(report: Report, start: int = 0, end: int | None = None) -> list[MarkedPiece]:
    """Return the answer, or the part `start..end` of it, in pieces."""
    end = len(report.answer) if end is None else end
    ranges = [
        (span.start - start, span.end - start, index)
        for index, span in enumerate(report.spans, start=1)
        if span.end > start and span.start < end
    ]
    pieces = cut(report.answer[start:end], ranges)
    shown = []
    for index, piece in enumerate(pieces):
        own = piece.tags[0] if piece.tags else 0
        ends = bool(own) and (index + 1 == len(pieces) or own not in pieces[index + 1].tags)
        shown.append(MarkedPiece(piece.text, own, ends, number(report.spans[own - 1].score) if own else ""))
    return shown


def passages(t: Texts, report: Report) -> list[Passage]:
    """Return the marked stretches in order."""
    return [
        Passage(
            number=index,
            start=span.start,
            end=span.end,
            text=inert(span.text),
            score=number(span.score),
            reasons=tuple(explain_reasons(t, report, span)),
            evidence=tuple(_span_evidence(t, report, span, one) for one in span.evidence),
        )
        for index, span in enumerate(report.spans, start=1)
    ]


def sentences(t: Texts, report: Report) -> list[dict[str, Any]]:
    """Return the sentences, each with its score, state, marked pieces and, where it is supported, its sources."""
    return [_sentence(t, report, one) for one in report.sentences]


def references(check: Check, report: Report) -> list[ShownReference]:
    """Return the references whole, with the stretches that are evidence for a span.

    Where a corpus was asked there are none, but the texts of its documents that the evidence gives.
    """
    texts = check.references or []
    if not texts:
        return _from_evidence(report)
    return [
        _reference(index, one["text"], str(one.get("source") or one.get("id") or ""), report)
        for index, one in enumerate(texts)
    ]


def plain_references(check: Check) -> list[ShownReference]:
    """Return the references without any stretch told apart."""
    return [
        ShownReference(index + 1, inert_line(str(one.get("source") or "")), (_whole(one["text"]),), ())
        for index, one in enumerate(check.references or [])
    ]


def _whole(text: str) -> ReferencePiece:
    return ReferencePiece(inert(text), (), ())


def _reference(index: int, text: str, source: str, report: Report) -> ShownReference:
    ranges: list[tuple[int, int, tuple[str, int]]] = []
    for own, span in enumerate(report.spans, start=1):
        ranges += [(one.start, one.end, ("span", own)) for one in span.evidence if one.reference == index]
        ranges += [
            (one.evidence.start, one.evidence.end, ("differs", own))
            for one in span.differences
            if one.evidence.reference == index
        ]
    spans = sorted({tag[1] for _, _, tag in ranges})
    return ShownReference(index + 1, inert_line(source), _reference_pieces(cut(text, ranges)), tuple(spans))


def _reference_pieces(pieces: Sequence[Piece[tuple[str, int]]]) -> tuple[ReferencePiece, ...]:
    return tuple(
        ReferencePiece(
            piece.text,
            tuple(dict.fromkeys(own for kind, own in piece.tags if kind == "span")),
            tuple(dict.fromkeys(own for kind, own in piece.tags if kind == "differs")),
        )
        for piece in pieces
    )


def _from_evidence(report: Report) -> list[ShownReference]:
    """Return the texts of documents that the evidence gives, each once, in the order of the documents."""
    found: dict[tuple[int, int, int], tuple[Evidence, list[int]]] = {}
    for own, span in enumerate(report.spans, start=1):
        for one in span.evidence:
            found.setdefault((one.reference, one.start, one.end), (one, []))[1].append(own)
    return [
        ShownReference(
            one.reference + 1, inert_line(one.source or ""), _evidence_pieces(one, owners, report), tuple(owners)
        )
        for _, (one, owners) in sorted(found.items())
    ]


def _evidence_pieces(evidence: Evidence, owners: Sequence[int], report: Report) -> tuple[ReferencePiece, ...]:
    ranges = [(0, len(evidence.text), ("span", own)) for own in owners]
    for own in owners:
        for one in report.spans[own - 1].differences:
            if evidence.holds(one.evidence):
                start = one.evidence.start - evidence.start
                ranges.append((start, start + len(one.evidence.text), ("differs", own)))
    return _reference_pieces(cut(evidence.text, ranges))


def _span_evidence(t: Texts, report: Report, span: FlaggedSpan, evidence: Evidence) -> ShownEvidence:
    fragments = evidence_fragments(evidence, span.differences, EVIDENCE_ROOM, _SIGNS)
    name = name_span_text(t, report, span, evidence)
    return ShownEvidence(_capital(name), tuple((inert(one.text), one.is_piece) for one in fragments))


def _sentence(t: Texts, report: Report, sentence: SentenceScore) -> dict[str, Any]:
    sources = sentence.evidence if sentence.state == "supported" else ()
    return {
        "score": sentence.score,
        "label": "–" if sentence.score is None else number(sentence.score),
        "state": sentence.state,
        "pieces": marked_pieces(report, sentence.start, sentence.end),
        "sources": [
            ShownEvidence(
                _capital(name_text(t, one)),
                tuple((inert(part.text), False) for part in evidence_fragments(one, (), SOURCE_ROOM, _SIGNS)),
            )
            for one in sources
        ],
    }


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:]
