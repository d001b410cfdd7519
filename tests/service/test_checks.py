"""Judged answers in the database: kept once, found, listed page by page, and what people say of their verdicts."""

import datetime
import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_checks import ANSWER, FINGERPRINT, NOW, keep, keep_all, later, made_check, made_report
from sqlalchemy import select
from sqlalchemy.orm import Session

from ragcortex.errors import InputError
from ragcortex.example import Reference
from ragcortex.service.checks import (
    CheckFilter,
    NotFoundError,
    example_of,
    find_check,
    list_checks,
    new_id,
    save_feedback,
    store_check,
)
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.tables import AuditEntry, Check, Feedback
from ragcortex.service.texts import text_digest
from ragcortex.service.triage import FEEDBACK_PRIORITY


def found(database: Database, check_id: str) -> Check:
    return database.run(lambda session: find_check(session, check_id))


def trail(database: Database) -> list[dict[str, Any]]:
    def bodies(session: Session) -> list[str]:
        return list(session.scalars(select(AuditEntry.body).order_by(AuditEntry.number)))

    return [json.loads(body) for body in database.run(bodies)]


def listed(database: Database, limit: int = 50, **wanted: Any) -> list[str]:
    """Return the ids of all checks that are wanted, page by page."""
    ids: list[str] = []
    cursor: str | None = None
    while True:
        place = cursor
        checks, cursor = database.run(
            lambda session, place=place: list_checks(session, CheckFilter(**wanted), cursor=place, limit=limit)
        )
        ids += [check.id for check in checks]
        assert len(checks) == limit or cursor is None
        if cursor is None:
            return ids


def test_a_check_comes_back_as_it_was_kept(database: Database) -> None:
    report = made_report(id="order 7", question="How high is the lighthouse?")
    named = {"external_id": "order 7", "group": "guides", "generator": "a model", "task": "qa"}
    judged = made_check(report, **named, calibration_id="c1" * 16, seconds=0.25)
    kept = database.run(lambda session: store_check(session, judged))
    check = found(database, kept.id)

    assert (check.created_at, check.actor, check.question) == (NOW, "ada", "How high is the lighthouse?")
    assert check.references == [{"text": "It stands 41 metres above the sea.", "id": "page 3", "source": "a guide"}]
    assert (check.answer, check.n_characters, check.n_spans) == (ANSWER, len(ANSWER), 1)
    assert {name: getattr(check, name) for name in named} == named
    assert check.report == report.to_dict()
    assert (check.verdict, check.score, check.review_threshold, check.hallucinated_threshold) == (
        "hallucinated", 0.8, 0.3, 0.6,
    )  # fmt: skip
    assert (check.witness, check.detector, check.detector_fingerprint) == ("geometry", "made 1", FINGERPRINT)
    assert (check.policy, check.action, check.queue, check.sampled) == ("triage", "block", "open", False)
    assert (check.seconds, check.calibration_id, check.label, check.text_deleted_at) == (0.25, "c1" * 16, None, None)
    example = example_of(check)
    assert (example.question, example.answer, example.id, example.group) == (
        "How high is the lighthouse?", ANSWER, "order 7", "guides",
    )  # fmt: skip
    assert example.references == (Reference("It stands 41 metres above the sea.", "page 3", "a guide"),)


def test_keeping_twice_keeps_once(database: Database) -> None:
    judged = made_check()
    for _ in range(2):
        database.run(lambda session: store_check(session, judged))
    assert listed(database) == [judged.id]
    assert [entry["kind"] for entry in trail(database)] == ["check.judged"]


def test_a_check_that_nobody_made_is_not_found(database: Database) -> None:
    for check_id in ("", "0" * 32, "x" * 1000, "' OR 1=1 --"):
        with pytest.raises(NotFoundError, match=f"^id: no check has the id {re.escape(repr(check_id))}$"):
            found(database, check_id)


def test_digests_in_the_trail_prove_the_texts_that_are_kept(database: Database) -> None:
    check = found(database, keep(database, external_id="order 7", group="guides"))
    (entry,) = trail(database)
    digests = entry["data"]["texts"]
    assert check.salt is not None
    assert len(check.salt) == 64
    canonical = {"sort_keys": True, "separators": (",", ":"), "ensure_ascii": False}
    assert digests == {
        "question": text_digest(check.salt, "How high is the lighthouse?"),
        "references": text_digest(check.salt, json.dumps(check.references, **canonical)),
        "answer": text_digest(check.salt, ANSWER),
        "report": text_digest(check.salt, json.dumps(check.report, **canonical)),
    }
    other = found(database, keep(database))
    assert other.salt != check.salt
    written = json.dumps(trail(database))
    assert not any(word in written for word in ("lighthouse", "metres", "order 7", "guide"))


def test_without_text_only_figures_are_kept(database: Database) -> None:
    check = found(database, keep(database, keeps_text=False))
    texts = (check.question, check.references, check.answer, check.report, check.salt)
    assert texts == (None,) * 5
    assert (check.queue, check.priority, check.text_deleted_at) == ("none", 0.0, NOW)
    assert (check.verdict, check.score, check.n_spans) == ("hallucinated", 0.8, 1)
    assert trail(database)[0]["data"]["texts"] is None
    with pytest.raises(NotFoundError, match=r"the texts of check '.*' were deleted or never kept"):
        example_of(check)


def test_an_answer_without_a_question_and_references_is_kept_too(database: Database) -> None:
    check = found(database, keep(database, made_report(score=None), question=None, references=()))
    example = example_of(check)
    assert (example.question, example.references, example.id) == (None, (), check.id)
    assert (check.score, check.review_threshold, check.hallucinated_threshold) == (None, None, None)


def test_filters(database: Database) -> None:
    one = keep(database, generator="a", group="x", external_id="1")
    two = keep(database, made_report(score=0.1), generator="b", group="x", external_id="2", at=later(hours=1))
    three = keep(database, made_report(score=0.4), generator="b", group="y", at=later(hours=2), policy="observe")

    assert listed(database) == [three, two, one]
    assert listed(database, verdict="grounded") == [two]
    assert listed(database, action="pass") == [three, two]
    assert listed(database, queue="open") == [one]
    assert listed(database, generator="b") == [three, two]
    assert listed(database, group="x") == [two, one]
    assert listed(database, external_id="1") == [one]
    assert listed(database, label=1) == []
    assert listed(database, since=later(hours=1)) == [three, two]
    assert listed(database, until=later(hours=1)) == [one]
    assert listed(database, since=later(hours=1), until=later(hours=2), verdict="grounded") == [two]
    assert listed(database, generator="A") == []
    zone = datetime.timezone(datetime.timedelta(hours=9))
    assert listed(database, since=later(hours=1).astimezone(zone)) == [three, two]


def test_text_is_found_whatever_its_case_and_its_signs(database: Database) -> None:
    percent = keep(database, made_report("It rose by 100% in a_year\\month."), question=None)
    other = keep(database, made_report("It rose by 100 in a year."), question="By How Much?", at=later(hours=1))
    assert listed(database, text="ROSE") == [other, percent]
    assert listed(database, text="how much") == [other]
    assert listed(database, text="100%") == [percent]
    assert listed(database, text="a_year") == [percent]
    assert listed(database, text="year\\m") == [percent]
    assert listed(database, text="%") == [percent]
    assert listed(database, text="'; DROP TABLE checks; --") == []


@settings(max_examples=12, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seconds=st.lists(st.integers(0, 3), min_size=1, max_size=12),
    microseconds=st.booleans(),
    limit=st.integers(1, 5),
)
def test_pages_hold_each_check_once_also_under_equal_times(
    database: Database, seconds: list[int], microseconds: bool, limit: int
) -> None:
    generator = new_id()  # tells this example's checks from those of others in the same database
    step = {"microseconds": 1} if microseconds else {"seconds": 1}
    moments = [NOW + second * datetime.timedelta(**step) for second in seconds]
    judged = [made_check(generator=generator, at=moment) for moment in moments]
    keep_all(database, judged)
    expected = [one.id for one in sorted(judged, key=lambda one: (one.at, one.id), reverse=True)]
    assert listed(database, limit, generator=generator) == expected


def test_pages_stay_complete_while_checks_are_added(database: Database) -> None:
    before = [keep(database, at=later(seconds=number)) for number in range(4)]
    first, cursor = database.run(lambda session: list_checks(session, CheckFilter(), limit=2))
    keep(database, at=later(days=1))
    rest, end = database.run(lambda session: list_checks(session, CheckFilter(), cursor=cursor, limit=2))
    assert [check.id for check in (*first, *rest)] == before[::-1]
    assert end is None


def test_a_cursor_can_stand_in_an_address_as_it_is(database: Database) -> None:
    keep_all(database, [made_check(), made_check()])
    _, cursor = database.run(lambda session: list_checks(session, CheckFilter(), limit=1))
    assert cursor is not None
    assert re.fullmatch(r"[0-9TZ:.~a-f-]+", cursor)


@pytest.mark.parametrize(
    "cursor",
    ["", "~", "yesterday~1", "2026-01-05~1", "2026-01-05T09:30:00~1", "2026-01-05T09:30:00Z", "2026-01-05T09:30:00Z~",
     "0001-01-01T00:00:00+14:00~1", "9999-12-31T23:59:59-14:00~1"],
)  # fmt: skip
def test_a_cursor_that_nobody_gave_out_is_refused(database: Database, cursor: str) -> None:
    with pytest.raises(InputError, match=r"^cursor: must be one that a list gave out, got "):
        database.run(lambda session: list_checks(session, CheckFilter(), cursor=cursor))


@pytest.mark.parametrize("limit", [0, -1, 201])
def test_a_page_has_a_size_within_limits(database: Database, limit: int) -> None:
    with pytest.raises(InputError, match=f"^limit: must be from 1 to 200, got {limit}$"):
        database.run(lambda session: list_checks(session, CheckFilter(), limit=limit))


def feedback(database: Database, check_id: str, rating: str = "wrong", **given: Any) -> Feedback:
    values = {"id": new_id(), "actor": "ben", "comment": None, "now": later(hours=1)} | given
    return database.run(lambda session: save_feedback(session, check_id, rating=rating, **values))


def test_an_answer_called_wrongly_judged_comes_before_all_others(database: Database) -> None:
    blocked = keep(database, made_report(score=0.6))
    passed = keep(database, made_report(score=0.1))
    assert found(database, passed).queue == "none"
    feedback(database, passed, comment="it is right")
    check = found(database, passed)
    assert check.queue == "open"
    assert check.priority >= FEEDBACK_PRIORITY > found(database, blocked).priority
    feedback(database, blocked)
    raised = found(database, blocked).priority
    assert raised > check.priority, "among those with feedback the old order holds"
    feedback(database, blocked)
    assert found(database, blocked).priority == raised


def test_a_verdict_called_right_changes_nothing(database: Database) -> None:
    passed = keep(database, made_report(score=0.1))
    feedback(database, passed, "right")
    assert (found(database, passed).queue, found(database, passed).priority) == ("none", 0.0)


@pytest.mark.parametrize(("queue", "after"), [("none", "open"), ("open", "open"), ("disputed", "disputed")])
def test_feedback_brings_forward_what_is_not_decided(database: Database, queue: str, after: str) -> None:
    check_id = keep(database)

    def put(session: Session) -> None:
        find_check(session, check_id).queue = queue

    database.run(put)
    feedback(database, check_id)
    assert found(database, check_id).queue == after
    assert found(database, check_id).priority >= FEEDBACK_PRIORITY


def test_what_people_decided_stays_decided(database: Database) -> None:
    check_id = keep(database)

    def decide(session: Session) -> None:
        find_check(session, check_id).queue = "decided"

    database.run(decide)
    before = found(database, check_id).priority
    feedback(database, check_id)
    assert (found(database, check_id).queue, found(database, check_id).priority) == ("decided", before)


def test_feedback_is_kept_once_and_audited_without_its_comment(database: Database) -> None:
    check_id, made = keep(database), new_id()
    for _ in range(2):
        feedback(database, check_id, id=made, comment="secretword")
    kept = database.run(lambda session: list(session.scalars(select(Feedback))))
    assert [(one.id, one.actor, one.rating, one.comment) for one in kept] == [(made, "ben", "wrong", "secretword")]
    entries = [entry for entry in trail(database) if entry["kind"] == "feedback.given"]
    assert [(one["actor"], one["subject"], one["data"]) for one in entries] == [("ben", check_id, {"rating": "wrong"})]
    with pytest.raises(NotFoundError):
        feedback(database, "0" * 32)


def test_feedback_on_a_check_without_text_keeps_none_and_queues_nothing(database: Database) -> None:
    check_id = keep(database, keeps_text=False)
    assert feedback(database, check_id, comment="secretword").comment is None
    assert found(database, check_id).queue == "none"
