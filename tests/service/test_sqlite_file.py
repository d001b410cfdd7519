"""One SQLite file and all who use it at once, and what stays in its files."""

import sqlite3
import threading
from pathlib import Path

import pytest
from kept_rows import a_key, ids, keep
from sqlalchemy import text
from sqlalchemy.orm import Session

from ragcortex.errors import StoreError
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.engines import Durability
from ragcortex.service.storage.retrying import Patience


@pytest.fixture(autouse=True)
def _little_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait as often as the service does, but a tenth of its time."""
    wait = Patience.wait
    monkeypatch.setattr(Patience, "wait", lambda self, n_failed: wait(self, n_failed) / 10)


def test_a_locked_file_is_waited_for(sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragcortex.service.storage.engines._LOCK_SECONDS", 0.05)
    database = Database(sqlite_url)
    holder = sqlite3.connect(tmp_path / "service.sqlite3", isolation_level=None, check_same_thread=False)
    holder.execute("BEGIN IMMEDIATE")
    release = threading.Timer(0.2, holder.execute, args=("COMMIT",))
    release.start()
    database.run(keep())
    release.join()
    assert ids(database) == ["key-0"]

    holder.execute("BEGIN IMMEDIATE")
    database.ping()  # a reader does not wait for the writer
    with pytest.raises(StoreError, match=r"^the SQLite database stayed locked; end the other program .+$"):
        database.run(keep(1))
    holder.close()
    database.close()


def test_threads_write_to_one_file(sqlite_url: str) -> None:
    database = Database(sqlite_url)

    def write(first: int) -> None:
        for number in range(first, first + 20):
            database.run(keep(number))

    threads = [threading.Thread(target=write, args=(100 * number,)) for number in range(1, 6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids(database)) == 100
    database.close()


def test_deleted_texts_are_in_no_file(sqlite_url: str, tmp_path: Path) -> None:
    database = Database(sqlite_url)
    said = "what-nobody-may-read-" * 500

    def write(session: Session) -> None:
        session.add(key := a_key())
        key.replaced_by = None
        session.flush()
        session.execute(text("UPDATE api_keys SET name = :said"), {"said": said})

    def holds() -> bool:
        return any(b"what-nobody-may-read" in file.read_bytes() for file in tmp_path.glob("service.sqlite3*"))

    database.run(write)
    assert holds()
    database.run(lambda session: session.execute(text("UPDATE api_keys SET name = ''")) and None)
    database.overwrite_deleted()
    assert not holds()
    database.close()


def test_a_log_in_use_cannot_be_emptied(sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragcortex.service.storage.engines._LOCK_SECONDS", 0.05)
    database = Database(sqlite_url)
    reader = sqlite3.connect(tmp_path / "service.sqlite3", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM api_keys").fetchall()
    database.run(keep())
    with pytest.raises(StoreError, match=r"^the SQLite database's log is in use all the time"):
        database.overwrite_deleted()
    reader.close()
    database.overwrite_deleted()
    database.close()


@pytest.mark.parametrize(("durability", "expected"), [("full", 2), ("normal", 1)])
def test_a_commit_is_as_durable_as_was_asked_for(sqlite_url: str, durability: Durability, expected: int) -> None:
    database = Database(sqlite_url, durability=durability)
    assert database.run(lambda session: session.execute(text("PRAGMA synchronous")).scalar_one()) == expected
    assert database.run(lambda session: session.execute(text("PRAGMA journal_mode")).scalar_one()) == "wal"
    database.close()
