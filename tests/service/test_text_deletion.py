"""Deleted texts are gone: from every table, from the files of SQLite, and from whatever was said about them."""

import datetime
import threading
from pathlib import Path
from typing import Any

import pytest
from made_checks import NOW, keep, keep_all, later, made_check, made_report
from sqlalchemy import text
from sqlalchemy.orm import Session

from ragcortex.example import Reference
from ragcortex.service.checks import NotFoundError, delete_old_texts, delete_text, find_check, new_id, save_feedback
from ragcortex.service.idempotency import KEPT_DAYS, Named, forget_noted
from ragcortex.service.reviews import NewReview, save_review
from ragcortex.service.state import request_digest
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.tables import Base, Check

# None of these occurs anywhere but in the texts that are deleted.
WORDS = ("zebra", "quokka", "walrus", "okapi", "numbat", "dugong", "axolotl", "tapir", "kakapo")
BODY = {"answer": "A walrus of zebras.", "question": "quokka?"}


def filled(database: Database, **given: Any) -> str:
    """Return a check whose words are in every place that texts come to."""
    report = made_report("A walrus of zebras.", spans=((2, 8),), id="okapi 7", question="quokka?")
    judged = made_check(
        report,
        question="quokka?",
        references=(Reference("A herd of dugong.", "axolotl", "numbat"),),
        external_id="okapi 7",
        group="tapir",
        **given,
    )
    keep_all(database, [judged])
    check_id = judged.id
    named = Named(judged.actor, "key 1", request_digest("check", BODY))

    def work(session: Session) -> None:
        named.note(session, status=200, response={"items": [{"check": check_id}]}, now=judged.at)
        spans = ({"start": 2, "end": 8, "type": "kakapo"},)
        for number, reviewer in enumerate(("ben", "ben", "cleo")):
            said = NewReview(f"{judged.id[:30]}{number:02}", check_id, reviewer, 1, spans, "no zebra at all")
            save_review(session, said, now=judged.at, needed=2)
        save_feedback(session, check_id, id=new_id(), actor="ada", rating="wrong", comment="a walrus?", now=judged.at)

    database.run(work)
    return check_id


def dump(database: Database) -> str:
    """Return everything in every table."""

    def work(session: Session) -> str:
        names = sorted(Base.metadata.tables)
        assert {"checks", "reviews", "feedback", "idempotent_requests", "audit_entries"} <= set(names)
        return "\n".join(str(row) for name in names for row in session.execute(text(f'SELECT * FROM "{name}"')))

    return database.run(work)


def delete(database: Database, check_id: str) -> Check:
    return database.run(lambda session: delete_text(session, check_id, actor="ada", now=later(hours=1)))


def test_no_word_is_left_anywhere(database: Database) -> None:
    check_id = filled(database)
    before = dump(database)
    assert all(word in before for word in WORDS)
    check = delete(database, check_id)
    after = dump(database)
    assert [word for word in WORDS if word in after] == []
    assert (check.verdict, check.score, check.n_spans) == ("hallucinated", 0.8, 1)
    assert check.text_deleted_at == later(hours=1)


def test_what_could_prove_a_guess_is_gone_too(database: Database) -> None:
    """Neither the salt of the trail's digests nor the digest of the request, which has no salt, is kept."""
    check_id = filled(database)
    salt = database.run(lambda session: find_check(session, check_id)).salt
    assert salt is not None
    digest = request_digest("check", BODY)
    assert salt in dump(database)
    assert digest in dump(database)
    delete(database, check_id)
    assert salt not in dump(database)
    assert digest not in dump(database)


def test_other_checks_keep_theirs(database: Database) -> None:
    check_id, other = filled(database), keep(database, external_id="mine")
    named = Named("ada", "key 2", "d" * 64)
    response = {"items": [{"check": other}]}
    database.run(lambda session: named.note(session, status=200, response=response, now=NOW))
    delete(database, check_id)
    kept = database.run(lambda session: find_check(session, other))
    assert (kept.external_id, kept.text_deleted_at, kept.queue) == ("mine", None, "open")
    assert "d" * 64 in dump(database)


def test_deleting_twice_is_one_deletion(database: Database) -> None:
    check_id = filled(database)
    first, second = delete(database, check_id), delete(database, check_id)
    assert first.text_deleted_at == second.text_deleted_at
    assert dump(database).count("check.text_deleted") == 1
    with pytest.raises(NotFoundError):
        delete(database, "0" * 32)


@pytest.mark.parametrize(("queue", "after"), [("open", "none"), ("disputed", "none"), ("decided", "decided")])
def test_what_nobody_can_read_waits_for_nobody(database: Database, queue: str, after: str) -> None:
    check_id = keep(database)

    def put(session: Session) -> None:
        find_check(session, check_id).queue = queue

    database.run(put)
    assert delete(database, check_id).queue == after


def test_nothing_can_be_said_of_it_any_more(database: Database) -> None:
    check_id = filled(database)
    delete(database, check_id)
    said = NewReview(new_id(), check_id, "ben", 0, (), "zebra")
    with pytest.raises(NotFoundError, match="are deleted, so it cannot be reviewed"):
        database.run(lambda session: save_review(session, said, now=NOW, needed=1))
    values: dict[str, Any] = {"actor": "ada", "rating": "wrong", "comment": "zebra", "now": NOW}
    database.run(lambda session: save_feedback(session, check_id, id=new_id(), **values))
    assert "zebra" not in dump(database)
    # Two reviewers had decided it; nobody's word brings it back before a person.
    assert database.run(lambda session: find_check(session, check_id)).queue == "decided"


def test_old_texts_are_deleted_portion_by_portion(database: Database) -> None:
    moments = [later(days=-number) for number in range(6)]
    ids = keep_all(database, [made_check(at=moment, external_id="old") for moment in moments])
    before = later(days=-2)

    def portion() -> int:
        return database.run(lambda session: delete_old_texts(session, before, now=NOW, limit=2))

    assert [portion(), portion(), portion()] == [2, 1, 0]
    deleted = [database.run(lambda s, one=one: find_check(s, one)).text_deleted_at is not None for one in ids]
    assert deleted == [False, False, False, True, True, True]
    assert dump(database).count('"actor":"retention"') == 3


def test_old_names_of_requests_are_forgotten(database: Database) -> None:
    def note(session: Session) -> None:
        for days in (0, KEPT_DAYS, KEPT_DAYS + 1):
            named = Named("ada", f"key {days}", "0" * 64)
            named.note(session, status=200, response={"items": []}, now=later(days=-days))

    database.run(note)
    database.run(lambda session: forget_noted(session, NOW - datetime.timedelta(days=KEPT_DAYS)))
    shown = dump(database)
    assert [f"key {days}'" in shown for days in (0, KEPT_DAYS, KEPT_DAYS + 1)] == [True, True, False]


def test_the_files_of_sqlite_hold_no_deleted_word(sqlite_url: str, tmp_path: Path) -> None:
    database = Database(sqlite_url)

    def in_files() -> list[str]:
        content = b"".join(file.read_bytes() for file in tmp_path.glob("service.sqlite3*"))
        return [word for word in WORDS if word.encode() in content]

    check_id = filled(database)
    assert in_files() == list(WORDS)
    delete(database, check_id)
    database.overwrite_deleted()
    assert in_files() == []
    database.close()


def test_a_deletion_waits_for_who_reviews_just_now(postgresql_url: str) -> None:
    """Otherwise the review that ends last would bring its comment back."""
    database = Database(postgresql_url)
    check_id = filled(database)
    said = NewReview(new_id(), check_id, "dan", 0, (), "zebra")
    reviewed, deleted = threading.Event(), threading.Event()

    def review(session: Session) -> None:
        save_review(session, said, now=NOW, needed=2)
        reviewed.set()
        assert not deleted.wait(0.5), "it was deleted under the reviewer's hands"

    def remove() -> None:
        reviewed.wait(10)
        delete(database, check_id)
        deleted.set()

    thread = threading.Thread(target=remove)
    thread.start()
    database.run(review)
    thread.join(10)
    assert deleted.is_set()
    assert [word for word in WORDS if word in dump(database)] == []
    database.close()


def test_retention_passes_over_what_somebody_changes_just_now(postgresql_url: str) -> None:
    database = Database(postgresql_url)
    busy, free = keep_all(database, [made_check(at=later(days=-9)), made_check(at=later(days=-9))])
    numbers: list[int] = []

    def other() -> None:
        numbers.append(database.run(lambda session: delete_old_texts(session, NOW, now=NOW)))

    def hold(session: Session) -> None:
        find_check(session, busy, lock=True)
        thread = threading.Thread(target=other)
        thread.start()
        thread.join(10)
        assert not thread.is_alive()

    database.run(hold)
    assert numbers == [1]
    assert database.run(lambda session: find_check(session, free)).text_deleted_at is not None
    database.close()
