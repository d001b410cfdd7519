"""Rows of the database as what the API answers with."""

from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ragcortex.report import Report
from ragcortex.service.reviews import all_reviews
from ragcortex.service.schemas import CalibrationOut, CheckDetail, CheckOut, CheckSummary, ReviewOut
from ragcortex.service.storage.tables import Calibration, Check, Feedback, Review


def check_out(check: Check, report: Report) -> CheckOut:
    """Return a check that was just judged."""
    return check_again(check, report.to_dict() if check.report is None else check.report)


def check_again(check: Check, report: dict[str, Any]) -> CheckOut:
    """Return a check with the JSON form of its report."""
    return CheckOut.model_validate(
        {
            "id": check.id,
            "created_at": check.created_at,
            "action": check.action,
            "policy": check.policy,
            "queue": check.queue,
            "report": report,
        }
    )


def summary(check: Check) -> CheckSummary:
    """Return a check as it stands in a list."""
    names = set(CheckSummary.model_fields) - {"text_deleted"}
    values = {name: getattr(check, name) for name in names}
    return CheckSummary.model_validate(values | {"text_deleted": check.text_deleted_at is not None})


def detail(session: Session, check: Check) -> CheckDetail:
    """Return everything that is kept of a check."""
    query = select(Feedback.rating, func.count()).where(Feedback.check_id == check.id).group_by(Feedback.rating)
    ratings: dict[str, int] = dict(session.execute(query).all())
    return CheckDetail(
        summary=summary(check),
        references=check.references,
        report=check.report,
        reviews=[review_out(review) for review in all_reviews(session, check.id)],
        n_feedback_right=ratings.get("right", 0),
        n_feedback_wrong=ratings.get("wrong", 0),
    )


def review_out(review: Review) -> ReviewOut:
    """Return a review."""
    return ReviewOut.model_validate({name: getattr(review, name) for name in ReviewOut.model_fields})


def calibration_out(calibration: Calibration, fingerprints: list[str]) -> CalibrationOut:
    """Return a calibration; it is stale where its detector is none of this service's."""
    values = {name: getattr(calibration, name) for name in set(CalibrationOut.model_fields) - {"stale"}}
    return CalibrationOut.model_validate(values | {"stale": calibration.detector_fingerprint not in fingerprints})
