"""Judged answers as rows of the database, made without any model."""

import datetime
import uuid
from typing import Any

from ragcortex.example import Example, Reference
from ragcortex.report import DetectorInfo, FlaggedSpan, Report, Thresholds, verdict_for
from ragcortex.service.checks import JudgedCheck, new_id, store_check
from ragcortex.service.reviews import NewReview, save_review
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.tables import Review
from ragcortex.service.triage import BUILT_IN, triage

NOW = datetime.datetime(2026, 1, 5, 9, 30, tzinfo=datetime.UTC)
THRESHOLDS = Thresholds(token=0.5, review=0.3, hallucinated=0.6)
ANSWER = "The lighthouse stands 52 metres above the sea."
FINGERPRINT = "ab" * 32
INFO = DetectorInfo("made", "1", "words", "f0" * 32, None, "geometry")


def later(**spans: float) -> datetime.datetime:
    """Return a moment after `NOW`."""
    return NOW + datetime.timedelta(**spans)


def unsampled_id() -> str:
    """Return a new id whose check no built-in policy takes for a sample, so that no test depends on chance."""
    observe, passing = BUILT_IN["observe"], made_report(score=0.0)
    return next(one for one in iter(lambda: uuid.uuid4().hex, None) if not triage(observe, passing, one).sampled)


def made_report(
    answer: str = ANSWER,
    score: float | None = 0.8,
    *,
    spans: tuple[tuple[int, int], ...] = ((22, 24),),
    thresholds: Thresholds = THRESHOLDS,
    verdict: Any = None,
    **given: Any,
) -> Report:
    """Return a report with a score, and the verdict that follows from it; without a score the answer claims nothing."""
    if score is None:
        return Report(answer, verdict or "no_claim", None, (), (), (), (), INFO, **given)
    flagged = tuple(FlaggedSpan(start, end, answer[start:end], score, ("number",)) for start, end in spans)
    found = verdict or verdict_for(score, thresholds, marked=bool(spans))
    return Report(answer, found, score, (), flagged, (), (), INFO, thresholds=thresholds, **given)


def made_check(report: Report | None = None, **given: Any) -> JudgedCheck:
    """Return a judged answer that is not kept yet; what is given stands for what would be made up."""
    report = report or made_report()
    check_id = given.pop("id", None) or unsampled_id()
    named = {name: given.pop(name, None) for name in ("external_id", "group", "generator", "task")}
    references = given.pop("references", (Reference("It stands 41 metres above the sea.", "page 3", "a guide"),))
    example = Example(
        given.pop("question", "How high is the lighthouse?"),
        references,
        report.answer,
        id=named["external_id"],
        group=named["group"],
        generator=named["generator"],
        task=named["task"],
    )
    keeps = given.pop("keeps_text", True)
    policy = BUILT_IN[given.pop("policy", "triage")]
    values: dict[str, Any] = {
        "at": NOW,
        "actor": "ada",
        "fingerprint": FINGERPRINT,
        "calibration_id": None,
        "corpus_id": None,
        "seconds": 0.01,
        "triage": triage(policy, report, check_id, storing_text=keeps),
    }
    return JudgedCheck(
        id=check_id, example=example, report=report, policy=policy.name, keeps_text=keeps, **values | given
    )


def keep(database: Database, report: Report | None = None, **given: Any) -> str:
    """Keep a judged answer, and return the check's id."""
    judged = made_check(report, **given)
    return database.run(lambda session: store_check(session, judged).id)


def keep_all(database: Database, judged: list[JudgedCheck]) -> list[str]:
    """Keep several at once, and return their ids."""
    return database.run(lambda session: [store_check(session, one).id for one in judged])


def say(
    database: Database,
    check_id: str,
    reviewer: str,
    label: int,
    *spans: dict[str, Any],
    needed: int = 1,
    at: datetime.datetime = NOW,
    keeps_decided: bool = True,
    id: str | None = None,
) -> Review:
    """Keep a review, and return it."""
    review = NewReview(id or new_id(), check_id, reviewer, label, spans, None)
    return database.run(
        lambda session: save_review(session, review, now=at, needed=needed, keeps_decided=keeps_decided)
    )
