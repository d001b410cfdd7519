"""Where a database is, and the engine that speaks with it."""

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from ragcortex.errors import InputError
from ragcortex.service.storage.retrying import Kind

Durability = Literal["full", "normal"]

# How a transaction begins on SQLite; the option is of one connection and overrides the default.
BEGIN_OPTION: Final = "ragcortex_begin"
BEGIN_READING: Final = "BEGIN"
BEGIN_NOTHING: Final = ""
_BEGIN_WRITING: Final = "BEGIN IMMEDIATE"

_EXPECTED: Final = "expected sqlite:///FILE or postgresql://USER:PASSWORD@HOST/NAME"
_SQLITE: Final = ("sqlite", "sqlite+pysqlite")
_POSTGRESQL: Final = ("postgresql", "postgresql+psycopg", "postgres")
_LOCK_SECONDS: Final = 2.0
_POOL_SIZE: Final = 10
_FREE_CONNECTION_SECONDS: Final = 30.0
# Connections are given up after half an hour, before most firewalls forget them.
_RECYCLE_SECONDS: Final = 1800
# What libpq is told where the URL does not say it; dead peers are noticed within a minute.
_POSTGRESQL_OPTIONS: Final[dict[str, Any]] = {
    "application_name": "ragcortex",
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}


@dataclass(frozen=True, slots=True)
class Place:
    """Where a database is: its kind, its URL for the driver, and the file of an SQLite database."""

    kind: Kind
    url: URL
    file: Path | None


def place_of(url: str) -> Place:
    """Return where a URL leads.

    Raises:
        InputError: it leads to no SQLite file and no PostgreSQL database; the message does not repeat it.
    """
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError):  # a port that is no number is a ValueError
        raise InputError("database", f"is no URL of a database; {_EXPECTED}") from None
    if parsed.drivername in _SQLITE:
        return _sqlite_place(parsed)
    if parsed.drivername in _POSTGRESQL:
        return Place("postgresql", parsed.set(drivername="postgresql+psycopg"), None)
    raise InputError("database", f"is a URL of an unknown kind, {parsed.drivername!r}; {_EXPECTED}")


def _sqlite_place(url: URL) -> Place:
    if url.database in (None, "", ":memory:") or str(url.database).startswith("file:"):
        raise InputError("database", "an SQLite database must be a file that several connections share; " + _EXPECTED)
    if url.query or url.host or url.username:
        raise InputError("database", "the URL of an SQLite database holds its file and nothing else; " + _EXPECTED)
    file = Path(str(url.database)).absolute()
    # The driver must not make a file that is not there: an empty database in a wrong place would be found late.
    address = URL.create("sqlite", database=file.as_uri(), query={"mode": "rw", "uri": "true"})
    return Place("sqlite", address, file)


def engine_of(place: Place, durability: Durability = "full") -> Engine:
    """Return an engine that has not connected yet; values of statements are in no log and no error.

    Args:
        place: of the database.
        durability: of a commit on SQLite: `full`, it survives a power failure; `normal`, the end of the process.
            PostgreSQL is told by its own settings.
    """
    if place.kind == "postgresql":
        return _postgresql_engine(place.url)
    engine = create_engine(place.url, connect_args={"timeout": _LOCK_SECONDS}, hide_parameters=True)
    event.listen(engine, "connect", partial(_prepare_sqlite, durability))
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _postgresql_engine(url: URL) -> Engine:
    return create_engine(
        url,
        connect_args={name: value for name, value in _POSTGRESQL_OPTIONS.items() if name not in url.query},
        hide_parameters=True,
        isolation_level="READ COMMITTED",
        max_overflow=_POOL_SIZE,
        pool_pre_ping=True,
        pool_recycle=_RECYCLE_SECONDS,
        pool_size=_POOL_SIZE,
        pool_timeout=_FREE_CONNECTION_SECONDS,
    )


def _prepare_sqlite(durability: Durability, connection: Any, _record: object) -> None:
    """Make a new connection of the driver ours: we begin transactions, and what is deleted is overwritten."""
    connection.isolation_level = None
    for pragma in ("foreign_keys = ON", "secure_delete = ON", f"synchronous = {durability}"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    # Who will write takes the lock at once: a lock that a reader asks for later is refused without waiting.
    how = connection.get_execution_options().get(BEGIN_OPTION, _BEGIN_WRITING)
    if how:
        connection.exec_driver_sql(how)
