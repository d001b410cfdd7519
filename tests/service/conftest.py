"""Databases of the service's tests: each test gets a fresh one, on SQLite and on PostgreSQL."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from postgresql import Server

    from ragcortex.service.storage.database import Database

KINDS = ("sqlite", "postgresql")


@pytest.fixture(scope="session")
def postgresql_server() -> "Iterator[Server]":
    """Return a PostgreSQL server where databases can be made."""
    from postgresql import server

    with server() as running:
        yield running


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Return the kind of database that the test runs on; it runs on each."""
    return str(request.param)


@pytest.fixture
def empty_url(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Return the URL of a database without tables, on SQLite of a file that is not there yet."""
    if kind == "sqlite":
        yield f"sqlite:///{tmp_path / 'empty' / 'service.sqlite3'}"
        return
    running: Server = request.getfixturevalue("postgresql_server")
    name = running.create()
    yield running.url_of(name)
    running.drop(name)


@pytest.fixture
def database_url(kind: str, request: pytest.FixtureRequest) -> str:
    """Return the URL of a migrated database without rows."""
    return str(request.getfixturevalue(f"{kind}_url"))


@pytest.fixture
def database(database_url: str) -> "Iterator[Database]":
    """Return a migrated database without rows."""
    from ragcortex.service.storage.database import Database

    opened = Database(database_url)
    yield opened
    opened.close()


@pytest.fixture
def sqlite_url(migrated_file: Path, tmp_path: Path) -> str:
    """Return the URL of a migrated SQLite database without rows."""
    shutil.copy(migrated_file, tmp_path / "service.sqlite3")
    return f"sqlite:///{tmp_path / 'service.sqlite3'}"


@pytest.fixture
def postgresql_url(postgresql_server: "Server", migrated_template: str) -> Iterator[str]:
    """Return the URL of a migrated PostgreSQL database without rows."""
    name = postgresql_server.create(migrated_template)
    yield postgresql_server.url_of(name)
    postgresql_server.drop(name)


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a migrated SQLite file to be copied: that takes less time than a migration."""
    file = tmp_path_factory.mktemp("migrated") / "service.sqlite3"
    _migrate(f"sqlite:///{file}")
    return file


@pytest.fixture(scope="session")
def migrated_template(postgresql_server: "Server") -> Iterator[str]:
    """Return the name of a migrated PostgreSQL database to be copied."""
    name = postgresql_server.create()
    _migrate(postgresql_server.url_of(name))
    yield name
    postgresql_server.drop(name)


def _migrate(url: str) -> None:
    from ragcortex.service.storage.database import Database

    database = Database(url)
    database.migrate()
    database.close()
