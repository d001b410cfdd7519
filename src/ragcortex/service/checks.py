"""Judged answers in the database: kept, found, listed, and their texts deleted."""

import datetime
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session

from ragcortex.errors import InputError
from ragcortex.example import Example
from ragcortex.report import Report
from ragcortex.service import audit
from ragcortex.service.storage.adding import add_if_new
from ragcortex.service.storage.tables import Check, Feedback
from ragcortex.service.texts import digests_of, forget_texts
from ragcortex.service.triage import FEEDBACK_PRIORITY, Triage

_LONGEST_PAGE: Final = 200


class NotFoundError(InputError):
    """What a request names is not there."""


@dataclass(frozen=True, slots=True)
class JudgedCheck:
    """One judged answer before it is kept.

    Attributes:
        id: of the check, made before.
        at: when it was accepted.
        actor: who asked.
        example: question, references and answer.
        report: the verdict on it, under the thresholds in force.
        triage, policy: what is done about it.
        fingerprint: of the detector.
        calibration_id: of the thresholds in force, None for the detector's own.
        corpus_id: of the corpus checked against, if any.
        seconds: how long judging took.
        keeps_text: whether texts are kept.
    """

    id: str
    at: datetime.datetime
    actor: str
    example: Example
    report: Report
    triage: Triage
    policy: str
    fingerprint: str
    calibration_id: str | None
    corpus_id: str | None
    seconds: float
    keeps_text: bool


@dataclass(frozen=True, slots=True)
class CheckFilter:
    """Which checks are listed; None lets all through.

    `text` is looked for in questions and answers, whatever the case of its letters, as far as the database knows case
    (SQLite: of A to Z). `since` is inclusive, `until` is not.
    """

    verdict: str | None = None
    action: str | None = None
    queue: str | None = None
    generator: str | None = None
    group: str | None = None
    external_id: str | None = None
    label: int | None = None
    since: datetime.datetime | None = None
    until: datetime.datetime | None = None
    text: str | None = None


def new_id() -> str:
    """Return a new identifier, 32 hexadecimal digits that cannot be guessed."""
    return secrets.token_hex(16)


def store_check(session: Session, judged: JudgedCheck) -> Check:
    """Keep a judged answer and its audit entry; one that is there already (a repeated transaction) is returned."""
    example, report, keeps = judged.example, judged.report, judged.keeps_text
    thresholds = report.thresholds
    check = Check(
        id=judged.id,
        created_at=judged.at,
        actor=judged.actor,
        external_id=example.id,
        question=example.question if keeps else None,
        references=_references(example) if keeps else None,
        answer=example.answer if keeps else None,
        group=example.group,
        generator=example.generator,
        task=example.task,
        corpus_id=judged.corpus_id,
        report=report.to_dict() if keeps else None,
        verdict=report.verdict,
        score=report.score,
        review_threshold=thresholds.review if thresholds else None,
        hallucinated_threshold=thresholds.hallucinated if thresholds else None,
        witness=report.detector.witness,
        detector=f"{report.detector.name} {report.detector.version}",
        detector_fingerprint=judged.fingerprint,
        calibration_id=judged.calibration_id,
        n_characters=len(example.answer),
        n_spans=len(report.spans),
        seconds=judged.seconds,
        policy=judged.policy,
        action=judged.triage.action,
        sampled=judged.triage.sampled,
        queue="open" if judged.triage.queued else "none",
        priority=judged.triage.priority,
        salt=secrets.token_hex(32) if keeps else None,
        text_deleted_at=None if keeps else judged.at,
    )
    if not add_if_new(session, check):
        return find_check(session, judged.id)
    audit.append(
        session, "check.judged", actor=judged.actor, subject=judged.id, data=_audited(check, report), at=judged.at
    )
    return check


def find_check(session: Session, check_id: str, *, lock: bool = False) -> Check:
    """Return a check; with `lock` as it is now, and nobody else changes it until the transaction ends.

    Raises:
        NotFoundError: there is none with that id.
    """
    found = session.get(Check, check_id, with_for_update=lock or None)
    if found is None:
        raise NotFoundError("id", f"no check has the id {check_id!r}")
    return found


def list_checks(
    session: Session, wanted: CheckFilter, *, cursor: str | None = None, limit: int = 50
) -> tuple[list[Check], str | None]:
    """Return the checks wanted, the newest first, and the cursor of those that follow, None at the end.

    Raises:
        InputError: the cursor is none that was given out, or the limit is out of range.
    """
    if not 1 <= limit <= _LONGEST_PAGE:
        raise InputError("limit", f"must be from 1 to {_LONGEST_PAGE}, got {limit}")
    query = _filtered(select(Check), wanted).order_by(Check.created_at.desc(), Check.id.desc())
    if cursor is not None:
        at, check_id = _cursor(cursor)
        query = query.where(or_(Check.created_at < at, (Check.created_at == at) & (Check.id < check_id)))
    found = list(session.scalars(query.limit(limit + 1)))
    if len(found) <= limit:
        return found, None
    last = found[limit - 1]
    moment = last.created_at.replace(tzinfo=None).isoformat()  # no plus sign, which in an address means a space
    return found[:limit], f"{moment}Z~{last.id}"


def example_of(check: Check) -> Example:
    """Return what was judged.

    Raises:
        NotFoundError: its texts were deleted or never kept.
    """
    if check.answer is None or check.references is None:
        raise NotFoundError("id", f"the texts of check {check.id!r} were deleted or never kept")
    row: dict[str, Any] = {"question": check.question, "references": check.references, "answer": check.answer}
    return Example.from_row(row | {"id": check.external_id or check.id, "group": check.group})


def save_feedback(
    session: Session, check_id: str, *, id: str, actor: str, rating: str, comment: str | None, now: datetime.datetime
) -> Feedback:
    """Keep what a user says of a verdict; one that calls it wrong brings the answer before a person first.

    Raises:
        NotFoundError: there is no such check.
    """
    check = find_check(session, check_id, lock=True)
    found = session.get(Feedback, id)
    if found is not None:
        return found
    keeps = check.text_deleted_at is None
    made = Feedback(
        id=id, check_id=check_id, actor=actor, created_at=now, rating=rating, comment=comment if keeps else None
    )
    session.add(made)
    if rating == "wrong" and check.queue != "decided" and keeps:
        check.queue = "open" if check.queue == "none" else check.queue
        check.priority = max(check.priority, FEEDBACK_PRIORITY + check.priority % 1)
    audit.append(session, "feedback.given", actor=actor, subject=check_id, data={"rating": rating}, at=now)
    return made


def delete_text(session: Session, check_id: str, *, actor: str, now: datetime.datetime, why: str = "asked") -> Check:
    """Delete a check's texts, its report, the caller's names for it and every comment on it; its figures stay.

    An answer that waits for a person leaves the queue.

    Raises:
        NotFoundError: there is no such check.
    """
    check = find_check(session, check_id, lock=True)
    if check.text_deleted_at is None:
        forget_texts(session, check, actor=actor, now=now, why=why)
    return check


def delete_old_texts(session: Session, before: datetime.datetime, *, now: datetime.datetime, limit: int = 500) -> int:
    """Delete the texts of checks made before a moment, at most `limit` at once; return of how many.

    Those that somebody is changing just now are left for the next time.
    """
    query = select(Check).where(Check.created_at < before, Check.text_deleted_at.is_(None))
    query = query.order_by(Check.created_at, Check.id).limit(limit).with_for_update(skip_locked=True)
    checks = list(session.scalars(query))
    for check in checks:
        forget_texts(session, check, actor="retention", now=now, why="retention")
    return len(checks)


def _audited(check: Check, report: Report) -> dict[str, Any]:
    """Return what the trail says of a check: all of its figures, and of its texts salted digests only."""
    return {
        "verdict": check.verdict,
        "score": check.score,
        "thresholds": [check.review_threshold, check.hallucinated_threshold],
        "n_spans": check.n_spans,
        "witness": check.witness,
        "detector": check.detector,
        "detector_fingerprint": check.detector_fingerprint,
        "reader_fingerprint": report.detector.reader_fingerprint,
        "calibration": check.calibration_id,
        "policy": check.policy,
        "action": check.action,
        "sampled": check.sampled,
        "texts": digests_of(check),
    }


def _references(example: Example) -> list[dict[str, Any]]:
    return [{"text": one.text, "id": one.id, "source": one.source} for one in example.references]


def _filtered(query: Select[Check], wanted: CheckFilter) -> Select[Check]:
    equal: Mapping[str, Any] = {
        name: getattr(wanted, name)
        for name in ("verdict", "action", "queue", "generator", "group", "external_id", "label")
    }
    for name, value in equal.items():
        if value is not None:
            query = query.where(getattr(Check, name) == value)
    if wanted.since is not None:
        query = query.where(Check.created_at >= wanted.since)
    if wanted.until is not None:
        query = query.where(Check.created_at < wanted.until)
    if wanted.text:
        query = query.where(
            or_(
                Check.answer.icontains(wanted.text, autoescape=True),
                Check.question.icontains(wanted.text, autoescape=True),
            )
        )
    return query


def _cursor(cursor: str) -> tuple[datetime.datetime, str]:
    at, _, check_id = cursor.partition("~")
    try:
        moment = datetime.datetime.fromisoformat(at)
    except ValueError:
        moment = datetime.datetime.min
    if moment.utcoffset() != datetime.timedelta() or not check_id:
        raise InputError("cursor", f"must be one that a list gave out, got {cursor!r}")
    return moment, check_id
