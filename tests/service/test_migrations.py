"""Migrations: what they make is what the tables say, forth and back, by one process at a time."""

import multiprocessing
import sqlite3
import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from filelock import FileLock
from sqlalchemy import Engine, inspect, text

from ragcortex.errors import StoreError
from ragcortex.service.storage import migrating
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.engines import engine_of, place_of
from ragcortex.service.storage.tables import Base

TABLES = {
    "alembic_version", "api_keys", "audit_entries", "calibrations", "checks", "corpora", "feedback",
    "idempotent_requests", "reviews",
}  # fmt: skip


def _migrate(url: str) -> None:
    database = Database(url)
    try:
        database.migrate()
    finally:
        database.close()


def _tables(engine: Engine) -> set[str]:
    return set(inspect(engine).get_table_names())


def test_what_is_migrated_is_what_the_tables_say(database_url: str) -> None:
    engine = engine_of(place_of(database_url))
    with engine.connect() as connection:
        context = MigrationContext.configure(connection)
        assert compare_metadata(context, Base.metadata) == []
        assert context.get_current_revision() == migrating.newest_revision()
    engine.dispose()


def test_constraints_have_the_names_of_the_metadata(database_url: str) -> None:
    engine = engine_of(place_of(database_url))
    made = inspect(engine)
    for table in Base.metadata.sorted_tables:
        names = {made.get_pk_constraint(table.name)["name"]}
        names |= {constraint["name"] for constraint in made.get_unique_constraints(table.name)}
        names |= {constraint["name"] for constraint in made.get_foreign_keys(table.name)}
        assert names == {str(constraint.name) for constraint in table.constraints}
    engine.dispose()


def test_down_to_nothing_and_up_again(empty_url: str) -> None:
    _migrate(empty_url)
    engine = engine_of(place_of(empty_url))
    assert _tables(engine) == TABLES
    migrating.downgrade(engine, "base")
    assert _tables(engine) == {"alembic_version"}
    with engine.connect() as connection:
        leftover = (
            "SELECT name FROM sqlite_master WHERE type = 'trigger'"
            if engine.dialect.name == "sqlite"
            else "SELECT proname FROM pg_proc WHERE proname LIKE 'audit_entries%'"
        )
        assert connection.execute(text(leftover)).all() == []
    migrating.upgrade(engine)
    migrating.upgrade(engine)
    assert _tables(engine) == TABLES
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
    engine.dispose()


def test_a_migration_that_fails_leaves_nothing(empty_url: str, kind: str) -> None:
    if kind == "sqlite":
        file = Path(empty_url.removeprefix("sqlite:///"))
        file.parent.mkdir()
        with sqlite3.connect(file) as connection:
            connection.execute("CREATE TABLE reviews (x INTEGER)")
        connection.close()
        engine = engine_of(place_of(empty_url))
    else:
        engine = engine_of(place_of(empty_url))
        with engine.begin() as started:
            started.execute(text("CREATE TABLE reviews (x INTEGER)"))
    with pytest.raises(StoreError, match=r"^the (SQLite|PostgreSQL) database refused the work \(.+\)$"):
        _migrate(empty_url)
    assert _tables(engine) == {"reviews"}
    engine.dispose()


def test_processes_and_threads_that_start_at_once(empty_url: str) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_migrate, args=(empty_url,)) for _ in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0, 0, 0]

    database = Database(empty_url)
    threads = [threading.Thread(target=database.migrate) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    database.close()
    engine = engine_of(place_of(empty_url))
    assert _tables(engine) == TABLES
    with engine.connect() as connection:
        assert len(connection.execute(text("SELECT version_num FROM alembic_version")).all()) == 1
    engine.dispose()


def test_a_database_of_a_newer_version_is_left_alone(database_url: str) -> None:
    engine = engine_of(place_of(database_url))
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(StoreError) as caught:
        _migrate(database_url)
    assert "was it migrated by a newer version of ragcortex? Then install that one" in str(caught.value)
    engine.dispose()


def test_a_file_that_another_process_migrates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrating, "_WAIT_SECONDS", 0.1)
    expected = r"^the SQLite database is being migrated by another process; wait until that is done, or end it$"
    with FileLock(tmp_path / ".service.sqlite3.lock"), pytest.raises(StoreError, match=expected):
        _migrate(f"sqlite:///{tmp_path / 'service.sqlite3'}")
    _migrate(f"sqlite:///{tmp_path / 'service.sqlite3'}")


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"^the SQLite database's file or folder cannot be made: File exists$"):
        _migrate(f"sqlite:///{tmp_path / 'file' / 'service.sqlite3'}")


def test_an_sqlite_file_has_a_write_ahead_log(sqlite_url: str, tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "service.sqlite3")
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    connection.close()
