"""What the page of one check shows, gathered from the database and put into words."""

import datetime
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ragcortex.rendering.inert import inert, inert_line
from ragcortex.rendering.words import name_models, number
from ragcortex.report import Report, Thresholds
from ragcortex.service.keys import Caller
from ragcortex.service.pages.report_view import (
    MarkedPiece,
    Passage,
    ShownReference,
    marked_pieces,
    passages,
    references,
    report_of,
    sentences,
)
from ragcortex.service.pages.scale import Scale, scale_of
from ragcortex.service.pages.stretches import cut
from ragcortex.service.pages.verdict_words import explain_spans, explain_verdict
from ragcortex.service.pages.wording import Texts
from ragcortex.service.reviews import WAITING, all_reviews
from ragcortex.service.storage.tables import Calibration, Check, Corpus, Feedback, Review


@dataclass(frozen=True, slots=True)
class Result:
    """One check and what is known about it.

    `reviews` are hidden (`blind`) from a reviewer who has not said anything yet about an answer that still waits.
    """

    check: Check
    reviews: tuple[Review, ...]
    feedback: tuple[Feedback, ...]
    calibration: Calibration | None
    corpus: Corpus | None
    blind: bool


@dataclass(frozen=True, slots=True)
class ShownReview:
    """A review as it is shown: who, when, what, and the marked stretches of the answer."""

    reviewer: str
    at: datetime.datetime
    label: int
    marks: tuple[str, ...]
    comment: str
    replaced: bool


@dataclass(frozen=True, slots=True)
class Shown:
    """The words and pieces of the page."""

    verdict: str
    score: str
    explanation: str
    scale: Scale | None
    answer: tuple[MarkedPiece, ...]
    marked: str
    passages: tuple[Passage, ...]
    sentences: tuple[dict[str, Any], ...]
    references: tuple[ShownReference, ...]
    notes: tuple[str, ...]
    reviews: tuple[ShownReview, ...]
    detector: str
    models: tuple[tuple[str, str], ...]


def gather(session: Session, check: Check, caller: Caller) -> Result:
    """Return everything about a check that the caller may see."""
    reviews = all_reviews(session, check.id)
    feedback = session.scalars(select(Feedback).where(Feedback.check_id == check.id).order_by(Feedback.created_at))
    own = any(review.reviewer == caller.name for review in reviews)
    blind = check.queue in WAITING and bool(reviews) and caller.may("review") and not own
    return Result(
        check=check,
        reviews=() if blind else tuple(reviews),
        feedback=tuple(feedback),
        calibration=session.get(Calibration, check.calibration_id) if check.calibration_id else None,
        corpus=session.get(Corpus, check.corpus_id) if check.corpus_id else None,
        blind=blind,
    )


def shown_result(t: Texts, found: Result) -> Shown:
    """Return the words and pieces of a check's page; without its texts only the figures are left."""
    check, report = found.check, report_of(found.check)
    limits = _limits(check)
    return Shown(
        verdict=t(f"verdict.{check.verdict}"),
        score=_score(check),
        explanation=explain_verdict(
            t,
            check.verdict,
            check.score,
            limits,
            marked=check.n_spans > 0,
            has_notes=report is not None and bool(report.notes),
        ),
        scale=scale_of(t, check.score, check.review_threshold, check.hallucinated_threshold),
        answer=tuple(marked_pieces(report)) if report is not None else (),
        marked=explain_spans(t, report) if report is not None else "",
        passages=tuple(passages(t, report)) if report is not None else (),
        sentences=tuple(sentences(t, report)) if report is not None else (),
        references=tuple(references(check, report)) if report is not None else (),
        notes=tuple(inert_line(note.text) for note in report.notes) if report is not None else (),
        reviews=tuple(shown_review(check, review) for review in found.reviews),
        detector=check.detector,
        models=tuple((role.lower(), inert_line(name)) for role, name in _models(report)),
    )


def shown_review(check: Check, review: Review) -> ShownReview:
    """Return a review with the stretches that it marks, as far as the answer is kept."""
    answer = check.answer or ""
    ranges = [(int(span["start"]), int(span["end"]), 1) for span in review.spans]
    marks = tuple(inert_line(piece.text) for piece in cut(answer, ranges) if piece.tags)
    return ShownReview(
        reviewer=inert_line(review.reviewer),
        at=review.created_at,
        label=review.label,
        marks=marks,
        comment=inert(review.comment or ""),
        replaced=review.replaced,
    )


def _models(report: Report | None) -> tuple[tuple[str, str], ...]:
    return name_models(report) if report is not None else ()


def _limits(check: Check) -> Thresholds | None:
    if check.review_threshold is None or check.hallucinated_threshold is None:
        return None
    return Thresholds(0.5, check.review_threshold, check.hallucinated_threshold)


def _score(check: Check) -> str:
    if check.score is None or check.review_threshold is None or check.hallucinated_threshold is None:
        return "–"
    return number(check.score, check.review_threshold, check.hallucinated_threshold)
