"""Work on the database: transactions, URLs, and what errors say."""

import datetime
import threading
from pathlib import Path

import pytest
from kept_rows import NOW, a_corpus, a_key, ids, keep
from sqlalchemy import select, text
from sqlalchemy.orm import Session

from ragcortex.errors import InputError, StoreError
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.tables import ApiKey, Check, Feedback

SECRET = "hunter2-in-the-url"


def test_work_is_committed_and_what_it_returns_can_be_read_afterwards(database: Database) -> None:
    def work(session: Session) -> ApiKey:
        session.add(key := a_key())
        return key

    made = database.run(work)
    assert (made.name, made.created_at, made.expires_at) == ("a name", NOW, None)
    found = database.run(lambda session: session.get_one(ApiKey, "key-0"))
    assert (found.scopes, found.created_at) == (["check"], NOW)
    assert found.created_at.tzinfo is datetime.UTC


def test_work_that_fails_leaves_nothing(database: Database) -> None:
    def work(session: Session) -> None:
        session.add(a_key())
        session.flush()
        raise InputError("name", "cannot be used")

    with pytest.raises(InputError, match=r"^name: cannot be used$"):
        database.run(work)
    assert ids(database) == []


def test_foreign_keys_hold_on_both(database: Database) -> None:
    def work(session: Session) -> None:
        session.add(Feedback(id="f", check_id="none", actor="a", created_at=NOW, rating="right", comment=None))

    with pytest.raises(StoreError, match=r"^the (SQLite|PostgreSQL) database refused the work \(.+\)$"):
        database.run(work)


def test_none_in_a_json_column_is_null(database: Database) -> None:
    values = {column.name: None for column in Check.__table__.columns if column.nullable}
    needed = {
        "id": "c", "created_at": NOW, "actor": "a", "verdict": "grounded", "witness": "both", "detector": "d",
        "detector_fingerprint": "f", "n_characters": 1, "n_spans": 0, "seconds": 0.1, "policy": "p", "action": "pass",
        "sampled": False, "queue": "none", "priority": 0.0,
    }  # fmt: skip
    names = {"reference_texts": "references", "source_group": "group"}
    row = {names.get(name, name): value for name, value in (values | needed).items()}
    database.run(lambda session: session.add(Check(**row)))
    count = select(Check.id).where(Check.report.is_(None), Check.references.is_(None))
    assert database.run(lambda session: session.scalars(count).all()) == ["c"]


def test_work_within_work_is_refused(database: Database) -> None:
    with pytest.raises(AssertionError, match="within other work"):
        database.run(lambda _session: database.run(keep()))
    database.run(keep())
    assert ids(database) == ["key-0"]


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ("PRAGMA query_only = ON", "may not be written; check the permissions of its file and folder"),
        ("PRAGMA max_page_count = 1", "cannot grow; free some disk space"),
    ],
)
def test_what_sqlite_says_when_it_cannot_write(sqlite_url: str, before: str, message: str) -> None:
    database = Database(sqlite_url)

    def work(session: Session) -> None:
        session.execute(text(before))
        session.add(key := a_key())
        key.name = "long" * 100_000

    with pytest.raises(StoreError) as caught:
        database.run(work)
    assert str(caught.value) == f"the SQLite database {message}"
    database.close()


def test_a_damaged_file(sqlite_url: str) -> None:
    file = Path(sqlite_url.removeprefix("sqlite:///"))
    content = file.read_bytes()
    file.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    database = Database(sqlite_url)
    with pytest.raises(StoreError, match=r"^the SQLite database is damaged; put a backup in its place$"):
        database.run(keep())
    database.close()


def test_what_postgresql_says_when_a_right_is_missing(postgresql_url: str) -> None:
    database = Database(postgresql_url)

    def work(session: Session) -> None:
        session.execute(text("SET LOCAL ROLE pg_monitor"))
        session.add(a_key())

    expected = (
        "the PostgreSQL database does not allow its user to do that; grant the user the rights, or give another one"
    )
    with pytest.raises(StoreError) as caught:
        database.run(work)
    assert str(caught.value) == expected
    database.close()


def test_what_postgresql_says_when_all_connections_are_in_use(
    postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragcortex.service.storage.engines._POOL_SIZE", 1)
    monkeypatch.setattr("ragcortex.service.storage.engines._FREE_CONNECTION_SECONDS", 0.1)
    database = Database(postgresql_url)
    said: list[str] = []

    def work(session: Session) -> None:
        session.execute(text("SELECT 1"))
        both.wait(10)
        with pytest.raises(StoreError) as caught:
            database.ping()
        said.append(str(caught.value))
        both.wait(10)

    both = threading.Barrier(2)
    threads = [threading.Thread(target=database.run, args=(work,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = "all connections to the PostgreSQL database are in use; ask for less at the same time, or try again"
    assert said == [expected, expected]
    database.close()


def test_a_database_without_tables_says_how_to_make_them(empty_url: str, kind: str) -> None:
    database = Database(empty_url)
    with pytest.raises(StoreError) as caught:
        database.run(keep())
    assert "`ragcortex service migrate`" in str(caught.value)
    if kind == "sqlite":
        assert str(caught.value).startswith("the SQLite database cannot be opened")
        file = Path(empty_url.removeprefix("sqlite:///"))
        assert not file.exists()
        file.parent.mkdir()
        file.touch()
        with pytest.raises(StoreError, match=r"^the SQLite database lacks tables of this version; .+ migrate`$"):
            database.run(keep())
    database.close()


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("these are notes\n" * 100, encoding="ascii")
    database = Database(f"sqlite:///{tmp_path / 'notes.txt'}")
    for use in (database.ping, database.migrate, lambda: database.run(keep())):
        with pytest.raises(StoreError, match=r"^the SQLite database is no database; give another file"):
            use()
    database.close()


def test_values_are_in_no_error(database: Database) -> None:
    database.run(lambda session: session.add(a_corpus("one")))

    def work(session: Session) -> None:
        session.execute(
            text("INSERT INTO reviews (id, comment) VALUES (:id, :comment)"), {"id": "r", "comment": SECRET}
        )

    with pytest.raises(StoreError) as caught:
        database.run(work)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        (
            f"mysql://me:{SECRET}@host/name",
            "database: is a URL of an unknown kind, 'mysql'; "
            "expected sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME",
        ),
        (
            f"postgresql://me:{SECRET}@host:port/name",
            "database: is no URL of a database; expected sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME",
        ),
        (
            "service.sqlite3",
            "database: is no URL of a database; expected sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME",
        ),
        (
            "sqlite://",
            "database: an SQLite database must be a file that several connections share; "
            "expected sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME",
        ),
        (
            "sqlite:///file.db?mode=memory",
            "database: the URL of an SQLite database holds its file and nothing else; "
            "expected sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME",
        ),
    ],
)
def test_urls_that_cannot_be_used(url: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Database(url)
    assert str(caught.value) == message


def test_a_file_with_an_odd_name(tmp_path: Path) -> None:
    folder = tmp_path / "100% of ümlauts & #1"
    database = Database(f"sqlite:///{folder}/a b.sqlite3")
    database.migrate()
    database.run(keep())
    assert ids(database) == ["key-0"]
    assert (folder / "a b.sqlite3").stat().st_mode & 0o777 == 0o600
    database.close()
