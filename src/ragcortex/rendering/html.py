"""A report as a self-contained page, or as the fragment that a notebook shows. No scripts; nothing is loaded.

All text goes through a template that escapes it. The page's policy allows the one stylesheet it carries, by its hash.
"""

import base64
import hashlib
import html
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from ragcortex.rendering.explanations import (
    EVIDENCE_ROOM,
    SOURCE_ROOM,
    Fragment,
    Signs,
    evidence_fragments,
    explain_contributions,
    explain_reasons,
    has_contributions,
    name_evidence,
)
from ragcortex.rendering.inert import inert, inert_line
from ragcortex.rendering.page import PAGE_STYLE, STYLE, TEMPLATE
from ragcortex.rendering.words import (
    CONTRIBUTIONS,
    NO_CONTRIBUTIONS,
    STATES,
    VERDICTS,
    explain_spans,
    explain_verdict,
    name_detector,
    name_models,
    name_reference,
    number,
    shown_score,
)
from ragcortex.report import FlaggedSpan, Report, SentenceScore, Thresholds

if TYPE_CHECKING:
    from jinja2 import Template

_LABEL_ROOM: Final = 0.09
_SIGNS: Final = Signs()


def render_page(report: Report, *, explain: bool = False) -> str:
    """Return the report as one HTML page that needs nothing else, readable in light and dark, on paper and aloud.

    With `explain`, spans and sentences show what each signal contributes.
    """
    title = f"{VERDICTS[report.verdict]}: {inert_line(report.answer)[:60] or 'empty answer'}"
    return _page(title, _article(report, explain=explain))


def render_pages(title: str, reports: Sequence[tuple[str, Report]]) -> str:
    """Return several reports as one HTML page like that of `render_page`, each under its name."""
    parts = [_heading(title), *(f"{_heading(name)}{_article(one, explain=False)}" for name, one in reports)]
    return _page(inert_line(title), "".join(parts))


def _heading(text: str) -> str:
    return f'<div class="ragcortex"><h1>{html.escape(inert_line(text))}</h1></div>\n'


def _page(title: str, body: str) -> str:
    style = PAGE_STYLE + STYLE
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{html.escape(title)}</title>\n<style>{style}</style>\n</head>\n"
        f"<body>\n<main>{body}</main>\n</body>\n</html>\n"
    )


def render_fragment(report: Report) -> str:
    """Return the report as an HTML fragment with its own style, for a notebook or another page."""
    return f"<style>{STYLE}</style>{_article(report, explain=False)}"


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of the answer; `number` is that of the span it belongs to, 0 for none."""

    text: str
    number: int = 0
    score: str = ""
    last: bool = False


def _article(report: Report, *, explain: bool) -> str:
    return _template().render(
        report=report,
        verdict=VERDICTS[report.verdict],
        score=shown_score(report),
        explanation=explain_verdict(report),
        scale=_scale(report.score, report.thresholds),
        question=inert(report.question or ""),
        id=inert_line(report.id or ""),
        answer=_pieces(report, 0, len(report.answer)),
        legend=explain_spans(report),
        explained=(CONTRIBUTIONS if has_contributions(report) else NO_CONTRIBUTIONS) if explain else "",
        spans=[_span(report, span, explain=explain) for span in report.spans],
        sentences=[_sentence(report, sentence, explain=explain) for sentence in report.sentences],
        notes=[inert_line(note.text) for note in report.notes],
        detector=inert_line(name_detector(report)),
        models=[{"role": role, "name": inert_line(name)} for role, name in name_models(report)],
    )


def _span(report: Report, span: FlaggedSpan, *, explain: bool) -> dict[str, Any]:
    return {
        "text": inert(span.text),
        "score": number(span.score),
        "reasons": explain_reasons(report, span, _SIGNS),
        "evidence": [
            _evidence(
                name_evidence(report, span, each), evidence_fragments(each, span.differences, EVIDENCE_ROOM, _SIGNS)
            )
            for each in span.evidence
        ],
        "contributions": _contributions(span, explain=explain),
    }


def _sentence(report: Report, sentence: SentenceScore, *, explain: bool) -> dict[str, Any]:
    sources = sentence.evidence if sentence.state == "supported" else ()
    return {
        "score": sentence.score,
        "label": "" if sentence.score is None else number(sentence.score),
        "state": sentence.state,
        "state_label": STATES[sentence.state],
        "parts": _pieces(report, sentence.start, sentence.end),
        "sources": [
            _evidence(name_reference(each), evidence_fragments(each, (), SOURCE_ROOM, _SIGNS)) for each in sources
        ],
        "contributions": _contributions(sentence, explain=explain),
    }


def _evidence(name: str, fragments: Sequence[Fragment]) -> dict[str, Any]:
    """Return a text of a reference with its source, and which pieces of it differ from the answer."""
    return {
        "name": inert_line(name[:1].upper() + name[1:]),
        "fragments": [{"text": inert(one.text), "is_piece": one.is_piece} for one in fragments],
    }


def _contributions(part: FlaggedSpan | SentenceScore, *, explain: bool) -> str:
    return explain_contributions(part.contributions, _SIGNS) if explain else ""


@cache
def _template() -> "Template":
    from jinja2 import Environment, StrictUndefined

    return Environment(autoescape=True, undefined=StrictUndefined).from_string(TEMPLATE)


def _pieces(report: Report, start: int, end: int) -> list[_Piece]:
    pieces = []
    position = start
    for index, span in enumerate(report.spans, start=1):
        first, last = max(span.start, start), min(span.end, end)
        if first >= last:
            continue
        if position < first:
            pieces.append(_Piece(inert(report.answer[position:first])))
        pieces.append(_Piece(inert(report.answer[first:last]), index, number(span.score), last == span.end))
        position = last
    if position < end:
        pieces.append(_Piece(inert(report.answer[position:end])))
    return pieces


def _scale(score: float | None, thresholds: Thresholds | None) -> dict[str, Any] | None:
    """Return where the zones, the needle and the labels lie on a scale of per cents; None without a score."""
    if score is None or thresholds is None:
        return None
    review, limit = thresholds.review, thresholds.hallucinated
    zones = [("good", 0.0, review), ("warn", review, limit), ("bad", limit, 1.0)]
    labels = [(0.0, "start", "0"), (1.0, "end", "1")]
    if _LABEL_ROOM < limit < 1 - _LABEL_ROOM:
        labels.append((limit, "middle", number(limit)))
    if _LABEL_ROOM < review < min(limit, 1) - _LABEL_ROOM:
        labels.append((review, "middle", number(review)))
    return {
        "zones": [{"tone": t, "left": _percent(a), "width": _percent(b - a)} for t, a, b in zones if b > a],
        "ticks": [{"left": _percent(at), "anchor": anchor, "label": label} for at, anchor, label in sorted(labels)],
        "needle": _percent(score),
        "spoken": f"Score {number(score, review, limit)} on a scale from 0, grounded, to 1, hallucinated; "
        f"review from {number(review)}, hallucinated from {number(limit)}",
    }


def _percent(value: float) -> str:
    return f"{value * 100:.2f}"
