"""The audit trail: an unbroken chain whoever writes at once, and a database that refuses changes."""

import datetime
import json
import multiprocessing
import threading

import pytest
from sqlalchemy import text

from ragcortex.errors import InputError, StoreError
from ragcortex.service import audit
from ragcortex.service.audit import append, export_lines, verify
from ragcortex.service.audit_chain import digest_of
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.tables import AuditEntry

NOW = datetime.datetime(2025, 3, 1, 12, 30, 15, tzinfo=datetime.UTC)


def _append(database: Database, n: int, actor: str = "somebody") -> None:
    for number in range(n):
        database.run(
            lambda session, number=number: append(
                session, "check.judged", actor=actor, subject=f"check-{number}", data={"score": number / 3}, at=NOW
            )
        )


def _append_in_process(url: str, actor: str) -> None:
    database = Database(url)
    _append(database, 20, actor)
    database.close()


def test_an_entry_by_hand(database: Database) -> None:
    entry = database.run(
        lambda session: append(
            session, "key.created", actor="Zoë", subject="k1", data={"b": [1, 2.5, None], "a": "\n"}, at=NOW
        )
    )
    assert entry.body == (
        '{"actor":"Zoë","at":"2025-03-01T12:30:15.000000+00:00","data":{"a":"\\n","b":[1,2.5,null]},'
        '"kind":"key.created","number":1,"subject":"k1"}'
    )
    assert (entry.number, entry.previous) == (1, "0" * 64)
    assert entry.digest == digest_of("0" * 64, entry.body)


def test_moments_of_other_time_zones_are_kept_in_utc(database: Database) -> None:
    tokyo = datetime.timezone(datetime.timedelta(hours=9))
    at = datetime.datetime(2025, 3, 1, 21, 30, 15, tzinfo=tokyo)
    entry = database.run(lambda session: append(session, "k", actor="a", subject="s", data={}, at=at))
    assert '"at":"2025-03-01T12:30:15.000000+00:00"' in entry.body
    with pytest.raises(ValueError, match="needs its time zone"):
        database.run(
            lambda session: append(session, "k", actor="a", subject="s", data={}, at=datetime.datetime(2025, 3, 1))
        )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "\ud800"])
def test_what_json_cannot_hold_is_refused(database: Database, value: object) -> None:
    with pytest.raises(InputError, match=r"^audit: an entry of kind 'k' holds what JSON cannot: "):
        database.run(lambda session: append(session, "k", actor="a", subject="s", data={"v": value}, at=NOW))
    assert list(export_lines(database)) == []


def test_several_entries_in_one_transaction_and_one_that_failed(database: Database) -> None:
    def work(session: object, fails: bool) -> None:
        for number in range(3):
            append(session, "k", actor="a", subject=str(number), data={}, at=NOW)  # type: ignore[arg-type]
        if fails:
            raise InputError("it", "fails")

    database.run(lambda session: work(session, False))
    with pytest.raises(InputError):
        database.run(lambda session: work(session, True))
    database.run(lambda session: work(session, False))
    verdict = verify(export_lines(database))
    assert (verdict.n_entries, verdict.problems, verdict.unbroken) == (6, (), True)


def test_threads_and_processes_that_write_at_once_make_one_chain(database: Database, database_url: str) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_append_in_process, args=(database_url, f"process {n}")) for n in range(2)]
    threads = [threading.Thread(target=_append, args=(database, 20, f"thread {n}")) for n in range(3)]
    for one in (*processes, *threads):
        one.start()
    for one in (*processes, *threads):
        one.join()
    assert [process.exitcode for process in processes] == [0, 0]
    lines = list(export_lines(database))
    verdict = verify(lines)
    assert (verdict.n_entries, verdict.problems) == (100, ())
    assert verdict.last_digest == json.loads(lines[-1])["digest"]


def test_an_export_comes_in_portions(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    _append(database, 7)
    whole = list(export_lines(database))
    monkeypatch.setattr(audit, "_PORTION", 3)
    assert list(export_lines(database)) == whole
    numbers = [json.loads(json.loads(line)["body"])["number"] for line in whole]
    assert numbers == [1, 2, 3, 4, 5, 6, 7]


CHANGES = [
    "UPDATE audit_entries SET body = 'x' WHERE number = 2",
    "UPDATE audit_entries SET body = body",
    "DELETE FROM audit_entries WHERE number = 3",
    "DELETE FROM audit_entries",
    "INSERT INTO audit_entries VALUES (5, 'x', 'y', 'z')",
    "INSERT INTO audit_entries VALUES (2, 'x', 'y', 'z')",
    "INSERT INTO audit_entries SELECT 4, 'x', previous, 'z' FROM audit_entries WHERE number = 3",
]


@pytest.mark.parametrize("change", CHANGES)
def test_the_database_refuses_changes(database: Database, change: str) -> None:
    _append(database, 3)
    _assert_refused(database, change)


@pytest.mark.parametrize(
    "change",
    [
        "INSERT OR REPLACE INTO audit_entries VALUES (2, 'x', 'y', 'z')",
        "REPLACE INTO audit_entries SELECT 1, 'x', previous, 'z' FROM audit_entries WHERE number = 1",
        "UPDATE OR REPLACE audit_entries SET number = 3 WHERE number = 2",
    ],
)
def test_sqlite_refuses_replacements(sqlite_url: str, change: str) -> None:
    database = Database(sqlite_url)
    _append(database, 3)
    _assert_refused(database, change)
    database.close()


@pytest.mark.parametrize(
    "change",
    [
        "TRUNCATE audit_entries",
        "INSERT INTO audit_entries VALUES (3, 'x', 'y', 'z') ON CONFLICT (number) DO UPDATE SET body = 'x'",
        "MERGE INTO audit_entries USING (SELECT 2 AS n) AS other ON number = n WHEN MATCHED THEN DELETE",
    ],
)
def test_postgresql_refuses_other_changes(postgresql_url: str, change: str) -> None:
    database = Database(postgresql_url)
    _append(database, 3)
    _assert_refused(database, change)
    database.close()


def _assert_refused(database: Database, change: str) -> None:
    before = list(export_lines(database))
    with pytest.raises(StoreError, match=r"^the (SQLite|PostgreSQL) database refused the work \(.+\)$"):
        database.run(lambda session: session.execute(text(change)) and None)
    assert list(export_lines(database)) == before
    _append(database, 1)
    assert verify(export_lines(database)).n_entries == 4


def test_the_database_has_the_beginning_of_the_chain_too(database: Database) -> None:
    def work(session: object) -> None:
        session.add(AuditEntry(number=1, body="x", previous="1" * 64, digest="z"))  # type: ignore[attr-defined]

    with pytest.raises(StoreError):
        database.run(work)
    assert list(export_lines(database)) == []
