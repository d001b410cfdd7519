"""Thresholds chosen on reviewed answers: proposed, kept, put in force, and applied to reports."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session

from ragcortex.errors import InputError
from ragcortex.report import DetectorInfo, Report, Thresholds, verdict_for
from ragcortex.service import audit
from ragcortex.service.checks import NotFoundError
from ragcortex.service.storage.tables import Calibration, Check

if TYPE_CHECKING:
    from ragcortex.geometry.calibration_report import CalibrationReport

FEW: Final = 20
"""With fewer reviewed answers of a class no threshold is proposed: it would say little about the next ones."""
# Made once, since every check asks: another process may have put others in force meanwhile.
_ACTIVE: Final = select(*Calibration.__table__.columns).where(
    Calibration.detector_fingerprint == bindparam("fingerprint"), Calibration.active.is_(True)
)


@dataclass(frozen=True, slots=True)
class ReviewedScore:
    """The score of an answer that reviewers decided: its label, source, and what the policy had done with it."""

    check_id: str
    score: float
    label: int
    group: str | None
    action: str
    sampled: bool


@dataclass(frozen=True, slots=True)
class Confusion:
    """What two thresholds do on reviewed answers; positive means hallucinated.

    `n_review` of each class lie between the thresholds and would be seen by a person.
    """

    true_positives: int
    false_positives: int
    false_negatives: int
    true_negatives: int
    n_review_hallucinated: int
    n_review_grounded: int

    @property
    def precision(self) -> float | None:
        """TP / (TP + FP), None where nothing is flagged."""
        flagged = self.true_positives + self.false_positives
        return self.true_positives / flagged if flagged else None

    @property
    def recall(self) -> float | None:
        """TP / (TP + FN), None where nothing is hallucinated."""
        positives = self.true_positives + self.false_negatives
        return self.true_positives / positives if positives else None

    @property
    def f1(self) -> float | None:
        """2 TP / (2 TP + FP + FN), None where there is nothing to find and nothing is flagged."""
        all_of_them = 2 * self.true_positives + self.false_positives + self.false_negatives
        return 2 * self.true_positives / all_of_them if all_of_them else None

    def to_dict(self) -> dict[str, Any]:
        """Return the counts and the figures made of them."""
        return {
            "true_positives": self.true_positives,
            "false_positives": self.false_positives,
            "false_negatives": self.false_negatives,
            "true_negatives": self.true_negatives,
            "n_review_hallucinated": self.n_review_hallucinated,
            "n_review_grounded": self.n_review_grounded,
            "precision": self.precision,
            "recall": self.recall,
            "f1": self.f1,
        }


def reviewed_scores(session: Session, fingerprint: str) -> list[ReviewedScore]:
    """Return the scores that a detector gave to the answers that reviewers decided, the oldest first."""
    query = select(Check.id, Check.score, Check.label, Check.group, Check.action, Check.sampled).where(
        Check.detector_fingerprint == fingerprint,
        Check.queue == "decided",
        Check.label.is_not(None),
        Check.score.is_not(None),
    )
    found = session.execute(query.order_by(Check.created_at, Check.id))
    return [
        ReviewedScore(check_id, score, label, group, action, sampled)
        for check_id, score, label, group, action, sampled in found
        if score is not None and label is not None
    ]


def confusion(scores: Sequence[ReviewedScore], thresholds: Thresholds) -> Confusion:
    """Return what thresholds do on these answers; a score at a threshold is flagged."""
    counts = {(label, flagged): 0 for label in (0, 1) for flagged in (False, True)}
    between = {0: 0, 1: 0}
    for one in scores:
        counts[one.label, one.score >= thresholds.hallucinated] += 1
        between[one.label] += thresholds.review <= one.score < thresholds.hallucinated
    return Confusion(counts[1, True], counts[0, True], counts[1, False], counts[0, False], between[1], between[0])


def propose(scores: Sequence[ReviewedScore]) -> "CalibrationReport":
    """Return the threshold with the best F1 on these answers, with bootstrap intervals over their sources.

    Raises:
        InputError: there are too few answers of a class.
    """
    from ragcortex.geometry.calibration_report import calibration_report
    from ragcortex.splits import group_indices

    n_hallucinated = sum(one.label for one in scores)
    for name, n in (("hallucinated", n_hallucinated), ("grounded", len(scores) - n_hallucinated)):
        if n < FEW:
            raise InputError("reviews", f"{n} of {len(scores)} reviewed answers are {name}; {FEW} of each are needed")
    return calibration_report(
        [one.score for one in scores],
        [one.label for one in scores],
        groups=group_indices([one.group for one in scores]),
    )


def create(
    session: Session,
    *,
    id: str,
    name: str,
    actor: str,
    info: DetectorInfo,
    fingerprint: str,
    now: datetime.datetime,
    hallucinated: float | None = None,
    review: float | None = None,
) -> Calibration:
    """Keep thresholds for a detector: by hand, or, without `hallucinated`, those of the best F1 on reviewed answers.

    The review threshold, if it is not given, is the lower end of the threshold's interval: scores above it might lie on
    either side with other answers. By hand it is then the hallucinated threshold itself.

    Raises:
        InputError: there are too few reviewed answers, or the thresholds are out of order.
    """
    found = session.get(Calibration, id)
    if found is not None:
        return found
    scores = reviewed_scores(session, fingerprint)
    figures: dict[str, Any] = {}
    if hallucinated is None:
        report = propose(scores)
        hallucinated, low = report.threshold, report.threshold_interval.low
        figures = {"report": report.to_dict()}
        review = min(hallucinated, low) if review is None and low is not None else review
    chosen = _ordered(hallucinated if review is None else review, hallucinated)
    figures["confusion"] = confusion(scores, chosen).to_dict()
    figures["n_sampled"] = sum(one.sampled for one in scores)
    made = Calibration(
        id=id,
        name=name,
        created_at=now,
        created_by=actor,
        detector_fingerprint=fingerprint,
        detector=f"{info.name} {info.version}, {info.witness}",
        method="f1" if "report" in figures else "manual",
        review_threshold=chosen.review,
        hallucinated_threshold=chosen.hallucinated,
        n_answers=len(scores),
        n_hallucinated=sum(one.label for one in scores),
        figures=figures,
        active=False,
    )
    session.add(made)
    data = {
        "name": name,
        "method": made.method,
        "thresholds": [made.review_threshold, made.hallucinated_threshold],
        "detector_fingerprint": fingerprint,
        "n_answers": made.n_answers,
    }
    audit.append(session, "calibration.created", actor=actor, subject=id, data=data, at=now)
    return made


def activate(
    session: Session, calibration_id: str, *, fingerprints: Sequence[str], actor: str, now: datetime.datetime
) -> Calibration:
    """Put thresholds in force for their detector, instead of those that were.

    Raises:
        NotFoundError: there is no such calibration.
        InputError: it is stale: made for a detector that this service does not run.
    """
    made = find_calibration(session, calibration_id)
    if made.detector_fingerprint not in fingerprints:
        raise InputError("id", f"calibration {made.name!r} is stale: it was made for another detector; make a new one")
    # First of all: other writers of the trail wait from here on, so that two who do this at once do it one by one.
    audit.append(session, "calibration.activated", actor=actor, subject=made.id, data={"name": made.name}, at=now)
    deactivate(session, made.detector_fingerprint)
    made.active = True
    session.flush()
    return made


def deactivate(session: Session, fingerprint: str) -> None:
    """Go back to a detector's own thresholds."""
    query = update(Calibration).where(Calibration.detector_fingerprint == fingerprint)
    session.execute(query.values(active=False))


def find_calibration(session: Session, calibration_id: str) -> Calibration:
    """Return a calibration.

    Raises:
        NotFoundError: there is none with that id.
    """
    found = session.get(Calibration, calibration_id)
    if found is None:
        raise NotFoundError("id", f"no calibration has the id {calibration_id!r}")
    return found


def list_calibrations(session: Session) -> list[Calibration]:
    """Return all calibrations, the newest first."""
    return list(session.scalars(select(Calibration).order_by(Calibration.created_at.desc(), Calibration.id)))


def active_for(session: Session, fingerprint: str) -> Calibration | None:
    """Return the calibration in force for a detector, apart from the session; None for its own thresholds."""
    session.flush()
    found = session.connection().execute(_ACTIVE, {"fingerprint": fingerprint}).mappings().first()
    return None if found is None else Calibration(**found)


def apply(report: Report, calibration: Calibration | None) -> Report:
    """Return the report with the verdict of these thresholds; what is marked in it stays as it is."""
    if calibration is None or report.score is None or report.thresholds is None:
        return report
    thresholds = _ordered(calibration.review_threshold, calibration.hallucinated_threshold, report.thresholds.token)
    described = f"calibration {calibration.name!r}, {calibration.n_answers} reviewed answers"
    return replace(
        report,
        thresholds=thresholds,
        verdict=verdict_for(report.score, thresholds, marked=bool(report.spans)),
        detector=replace(report.detector, calibration=described),
    )


def _ordered(review: float, hallucinated: float, token: float = 0.5) -> Thresholds:
    if review > hallucinated:
        raise InputError("review_threshold", f"must be at most hallucinated_threshold {hallucinated:g}, got {review:g}")
    return Thresholds(token, review, hallucinated)
