"""What people say of answers: who sees what, when reviews decide, how far reviewers agree, and their export."""

import datetime
import itertools
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_checks import ANSWER, NOW, keep, keep_all, later, made_check, made_report, say
from sqlalchemy import select
from sqlalchemy.orm import Session

from ragcortex.errors import InputError
from ragcortex.service.checks import NotFoundError, find_check, new_id
from ragcortex.service.reviews import (
    ClaimedError,
    NewReview,
    agreed_spans,
    all_reviews,
    claim,
    current_reviews,
    queue,
    save_review,
)
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.tables import AuditEntry, Review

SPAN = {"start": 22, "end": 24}


def state(database: Database, check_id: str) -> tuple[str, int | None]:
    check = database.run(lambda session: find_check(session, check_id))
    assert (check.decided_at is not None) == (check.label is not None) == (check.queue == "decided")
    return check.queue, check.label


def waiting(database: Database, reviewer: str | None = None, at: datetime.datetime = NOW, limit: int = 50) -> list[str]:
    return database.run(lambda s: [check.id for check in queue(s, reviewer=reviewer, now=at, limit=limit)])


def entries(database: Database, kind: str) -> list[dict[str, Any]]:
    bodies = database.run(lambda session: list(session.scalars(select(AuditEntry.body).order_by(AuditEntry.number))))
    return [entry for entry in map(json.loads, bodies) if entry["kind"] == kind]


# The queue, and who is at an answer.


def test_the_queue_shows_what_needs_a_person_most_first_and_of_equals_the_oldest(database: Database) -> None:
    scores = (0.61, 0.9, 0.35, 0.9)
    ids = keep_all(
        database, [made_check(made_report(score=score), at=later(hours=-n)) for n, score in enumerate(scores)]
    )
    keep(database, made_report(score=0.1))
    assert waiting(database) == [ids[0], ids[3], ids[1], ids[2]]
    assert waiting(database, limit=2) == [ids[0], ids[3]]


def test_a_reviewer_sees_neither_what_others_are_at_nor_what_is_done(database: Database) -> None:
    first, second = keep(database), keep(database, made_report(score=0.4))
    database.run(lambda session: claim(session, first, reviewer="ada", now=NOW, minutes=30))
    assert waiting(database, "ben") == [second]
    assert waiting(database, "ada") == [first, second]
    say(database, first, "ada", 1, needed=2)
    assert waiting(database, "ada") == [second]
    assert waiting(database, "ben") == [first, second]
    assert waiting(database) == [first, second]


def test_a_claim_ends_by_itself(database: Database) -> None:
    check_id = keep(database)
    claimed = database.run(lambda session: claim(session, check_id, reviewer="ada", now=NOW, minutes=30))
    assert (claimed.claimed_by, claimed.claimed_until) == ("ada", later(minutes=30))
    with pytest.raises(ClaimedError, match=f"^id: ada is at check '{check_id}' until 10:00 UTC$"):
        database.run(lambda session: claim(session, check_id, reviewer="ben", now=later(minutes=29), minutes=30))
    with pytest.raises(ClaimedError):
        say(database, check_id, "ben", 1, at=later(minutes=29))
    assert waiting(database, "ben", later(minutes=29)) == []
    assert waiting(database, "ben", later(minutes=31)) == [check_id]
    database.run(lambda session: claim(session, check_id, reviewer="ben", now=later(minutes=31), minutes=5))
    with pytest.raises(ClaimedError, match="ben is at check"):
        say(database, check_id, "ada", 1, at=later(minutes=32))


def test_claiming_again_prolongs_and_a_review_gives_back(database: Database) -> None:
    check_id = keep(database)
    for minutes in (0, 20):
        at = later(minutes=minutes)
        found = database.run(lambda s, at=at: claim(s, check_id, reviewer="ada", now=at, minutes=30))
        assert found.claimed_until == at + datetime.timedelta(minutes=30)
    say(database, check_id, "ada", 1, needed=2)
    check = database.run(lambda session: find_check(session, check_id))
    assert (check.claimed_by, check.claimed_until) == (None, None)


def test_what_waits_for_nobody_cannot_be_claimed(database: Database) -> None:
    passed = keep(database, made_report(score=0.1))
    with pytest.raises(NotFoundError, match="does not wait for a review"):
        database.run(lambda session: claim(session, passed, reviewer="ada", now=NOW, minutes=30))
    with pytest.raises(NotFoundError, match="no check has the id"):
        database.run(lambda session: claim(session, "0" * 32, reviewer="ada", now=NOW, minutes=30))


def test_of_two_who_claim_at_once_one_is_told_so(postgresql_url: str) -> None:
    database = Database(postgresql_url)
    check_id = keep(database)
    together = threading.Barrier(2, timeout=20)

    def attempt(reviewer: str) -> str:
        def work(session: Session) -> None:
            find_check(session, check_id)
            together.wait()
            claim(session, check_id, reviewer=reviewer, now=NOW, minutes=30)

        try:
            database.run(work)
        except ClaimedError:
            return "refused"
        return reviewer

    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(attempt, ("ada", "ben")))
    assert found.count("refused") == 1
    holder = next(one for one in found if one != "refused")
    assert database.run(lambda session: find_check(session, check_id)).claimed_by == holder
    database.close()


# When reviews decide.


@pytest.mark.parametrize("label", [0, 1])
def test_one_reviewer_decides_where_one_is_needed(database: Database, label: int) -> None:
    check_id = keep(database)
    say(database, check_id, "ada", label)
    assert state(database, check_id) == ("decided", label)
    assert waiting(database) == []
    (entry,) = entries(database, "check.decided")
    assert (entry["actor"], entry["subject"]) == ("reviewers", check_id)
    assert entry["data"] == {"label": label, "n_reviewers": 1, "verdict": "hallucinated"}


def test_two_reviewers_decide_where_two_are_needed(database: Database) -> None:
    check_id = keep(database)
    say(database, check_id, "ada", 1, needed=2)
    assert state(database, check_id) == ("open", None)
    say(database, check_id, "ben", 1, needed=2)
    assert state(database, check_id) == ("decided", 1)


@pytest.mark.parametrize("third", [0, 1])
def test_a_third_reviewer_settles_a_dispute(database: Database, third: int) -> None:
    check_id = keep(database)
    say(database, check_id, "ada", 1, needed=2)
    say(database, check_id, "ben", 0, needed=2)
    assert state(database, check_id) == ("disputed", None)
    assert waiting(database, "cleo") == [check_id]
    assert waiting(database, "ada") == []
    say(database, check_id, "cleo", third, needed=2)
    assert state(database, check_id) == ("decided", third)


def test_a_second_opinion_disputes_what_one_reviewer_decided(database: Database) -> None:
    check_id = keep(database)
    say(database, check_id, "ada", 1)
    say(database, check_id, "ben", 0)
    assert state(database, check_id) == ("disputed", None)
    say(database, check_id, "cleo", 0)
    assert state(database, check_id) == ("decided", 0)
    say(database, check_id, "dan", 1)
    assert state(database, check_id) == ("disputed", None)


def test_a_reviewer_replaces_what_was_said_before(database: Database) -> None:
    check_id = keep(database)
    say(database, check_id, "ada", 1, SPAN, needed=2)
    say(database, check_id, "ben", 0, needed=2, at=later(minutes=1))
    say(database, check_id, "ada", 0, needed=2, at=later(minutes=2))
    assert state(database, check_id) == ("decided", 0)
    kept = database.run(lambda session: all_reviews(session, check_id))
    assert [(one.reviewer, one.label, one.replaced) for one in kept] == [
        ("ada", 1, True), ("ben", 0, False), ("ada", 0, False),
    ]  # fmt: skip
    current = database.run(lambda session: current_reviews(session, check_id))
    assert [one.reviewer for one in current] == ["ben", "ada"]
    assert len(entries(database, "review.saved")) == 3


def decided(labels: dict[str, int], needed: int) -> tuple[str, int | None]:
    """Return what the labels of reviewers make of an answer, in the words of the rule."""
    yes, no = sum(labels.values()), len(labels) - sum(labels.values())
    if yes and no:
        return ("disputed", None) if yes == no or len(labels) < needed else ("decided", int(yes > no))
    return ("decided", int(yes > 0)) if len(labels) >= needed else ("open", None)


@pytest.mark.parametrize("needed", [1, 2])
def test_every_course_of_four_reviews_by_three_reviewers(sqlite_url: str, needed: int) -> None:
    database = Database(sqlite_url)
    courses = list(itertools.product(itertools.product("abc", (0, 1)), repeat=3))
    ids = keep_all(database, [made_check() for _ in courses])

    def work(session: Session) -> None:
        for check_id, course in zip(ids, courses, strict=True):
            labels: dict[str, int] = {}
            for reviewer, label in course:
                labels[reviewer] = label
                save_review(session, NewReview(new_id(), check_id, reviewer, label, (), None), now=NOW, needed=needed)
                check = find_check(session, check_id)
                assert (check.queue, check.label) == decided(labels, needed), (course, labels)

    database.run(work)
    database.close()


@pytest.mark.parametrize(("reviewers", "expected"), [("ab", ("decided", 1)), ("aa", ("open", None))])
def test_of_two_reviews_at_once_the_second_sees_the_first(
    postgresql_url: str, reviewers: str, expected: tuple[str, int | None]
) -> None:
    """Or nobody would ever decide; and one person who clicks twice would count as two."""
    database = Database(postgresql_url)
    check_id = keep(database)
    together = threading.Barrier(2, timeout=20)

    def attempt(reviewer: str) -> None:
        review = NewReview(new_id(), check_id, reviewer, 1, (), None)

        def work(session: Session) -> None:
            find_check(session, check_id)
            together.wait()
            save_review(session, review, now=NOW, needed=2)

        database.run(work)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(attempt, reviewers))
    assert state(database, check_id) == expected
    database.close()


def test_saving_twice_saves_once(database: Database) -> None:
    check_id, made = keep(database), new_id()
    for _ in range(2):
        say(database, check_id, "ada", 1, SPAN, id=made)
    assert len(database.run(lambda session: all_reviews(session, check_id))) == 1
    assert len(entries(database, "review.saved")) == 1


def test_texts_go_with_the_decision_where_they_are_kept_until_then(database: Database) -> None:
    check_id = keep(database)
    say(database, check_id, "ada", 1, SPAN, needed=2, keeps_decided=False)
    assert database.run(lambda session: find_check(session, check_id)).answer == ANSWER
    say(database, check_id, "ben", 1, needed=2, keeps_decided=False)
    check = database.run(lambda session: find_check(session, check_id))
    assert (check.answer, check.queue, check.label, check.text_deleted_at) == (None, "decided", 1, NOW)
    (entry,) = entries(database, "check.text_deleted")
    assert (entry["actor"], entry["data"]) == ("retention", {"why": "decided"})


# Spans.


@pytest.mark.parametrize(
    ("label", "spans", "message"),
    [
        (2, (), "label: must be 0 or 1, got 2"),
        (0, (SPAN,), "spans: must be empty where the label is 0, got 1"),
        (1, (SPAN, {"start": 3, "end": 3}), "spans[1]: must lie within the answer's 46 characters, got 3..3"),
        (1, ({"start": 40, "end": 47},), "spans[0]: must lie within the answer's 46 characters, got 40..47"),
        (1, (SPAN, {"start": -1, "end": 2}), "spans[1]: must lie within the answer's 46 characters, got -1..2"),
    ],
)
def test_spans_that_cannot_be_are_named_by_their_place_in_the_review(
    database: Database, label: int, spans: tuple[dict[str, int], ...], message: str
) -> None:
    assert len(ANSWER) == 46
    check_id = keep(database)
    with pytest.raises(InputError) as caught:
        say(database, check_id, "ada", label, *spans)
    assert str(caught.value) == message
    assert state(database, check_id) == ("open", None)


def test_spans_that_touch_are_one_unless_their_types_differ(database: Database) -> None:
    spans = [
        {"start": 10, "end": 12, "type": "number"},
        {"start": 0, "end": 5},
        {"start": 5, "end": 7, "type": None},
        {"start": 8, "end": 11, "type": "number"},
        {"start": 9, "end": 20, "type": "date"},
        {"start": 12, "end": 14, "type": "number"},
    ]
    kept = say(database, keep(database), "ada", 1, *spans)
    assert kept.spans == [
        {"start": 0, "end": 7},
        {"start": 8, "end": 14, "type": "number"},
        {"start": 9, "end": 20, "type": "date"},
    ]
    (entry,) = entries(database, "review.saved")
    assert entry["data"] == {"review": kept.id, "label": 1, "spans": [[0, 7], [8, 14], [9, 20]]}


SPANS = st.lists(
    st.tuples(st.integers(0, 18), st.integers(1, 6), st.sampled_from([None, "a"])), max_size=6
).map(lambda found: tuple({"start": s, "end": min(20, s + n), "type": kind} for s, n, kind in found))  # fmt: skip


@settings(max_examples=100, deadline=None, derandomize=True)
@given(spans=SPANS)
def test_joined_spans_cover_the_same_characters(spans: tuple[dict[str, Any], ...]) -> None:
    from ragcortex.service.reviews import _checked_spans

    joined = _checked_spans(NewReview("", "", "", 1, spans, None), 20)
    for kind in (None, "a"):
        own = [span for span in joined if span.get("type") == kind]
        given_ = {n for span in spans if span["type"] == kind for n in range(span["start"], span["end"])}
        assert {n for span in own for n in range(span["start"], span["end"])} == given_
        assert all(first["end"] < second["start"] for first, second in itertools.pairwise(own))


def review_of(label: int, spans: list[tuple[int, int]]) -> Review:
    return Review(label=label, spans=[{"start": start, "end": end} for start, end in spans])


PLACES = st.lists(st.tuples(st.integers(0, 15), st.integers(1, 5)).map(lambda p: (p[0], p[0] + p[1])), max_size=4)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(said=st.lists(st.tuples(st.integers(0, 1), PLACES), max_size=5))
def test_agreed_spans_against_every_character(said: list[tuple[int, list[tuple[int, int]]]]) -> None:
    reviews = [review_of(label, spans if label else []) for label, spans in said]
    marking = [spans for label, spans in said if label and spans]
    expected = [
        2 * sum(any(start <= n < end for start, end in spans) for spans in marking) > len(marking) for n in range(25)
    ]
    found = agreed_spans(reviews, 1)
    assert [any(span["start"] <= n < span["end"] for span in found) for n in range(25)] == expected
    assert all(first["end"] < second["start"] for first, second in itertools.pairwise(found))
    assert agreed_spans(reviews, 0) == []
