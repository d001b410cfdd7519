"""The service's database: work in transactions that survives a lost connection, and its migration."""

import contextlib
import threading
from collections.abc import Callable
from typing import TypeVar

from alembic.util import CommandError
from sqlalchemy.orm import Session, sessionmaker

from ragcortex.errors import StoreError
from ragcortex.service.storage import migrating
from ragcortex.service.storage.engines import (
    BEGIN_NOTHING,
    BEGIN_OPTION,
    BEGIN_READING,
    Durability,
    engine_of,
    place_of,
)
from ragcortex.service.storage.retrying import AT_ONCE, NAMES, Kind, persistently

T = TypeVar("T")

# Fails where the file is no database or the connection is dead; a bare SELECT 1 would not look into the file.
_LOOK: dict[Kind, str] = {"sqlite": "SELECT count(*) FROM sqlite_master", "postgresql": "SELECT 1"}


class Database:
    """One SQLite file or PostgreSQL database, for all threads of this process.

    Objects that work returns can be read after its transaction; they are no longer attached to a session.

    Attributes:
        kind: `sqlite` or `postgresql`.
    """

    def __init__(self, url: str, *, durability: Durability = "full") -> None:
        """Remember where the database is; nothing is connected to yet.

        Args:
            url: `sqlite:///FILE` or `postgresql://USER:PASSWORD@HOST/NAME`.
            durability: of a commit on SQLite; see `engine_of`.

        Raises:
            InputError: the URL is of another kind; the message does not repeat it.
        """
        place = place_of(url)
        self.kind: Kind = place.kind
        self._file = place.file
        self._engine = engine_of(place, durability)
        self._sessions = sessionmaker(self._engine, expire_on_commit=False)
        # SQLite lets one write at a time, and who waits for its lock sleeps and looks: in a row it goes faster.
        self._turn: contextlib.AbstractContextManager[object] = (
            threading.Lock() if self.kind == "sqlite" else contextlib.nullcontext()
        )
        self._here = threading.local()

    def run(self, work: Callable[[Session], T]) -> T:
        """Return what the work returns, done in one transaction that is committed at its end.

        The whole work is done again, a bounded number of times with growing waits, after a lost connection, a
        serialization failure, a deadlock, a locked SQLite file, and on PostgreSQL after a unique key that another
        transaction took meanwhile. A commit that was lost on its way may have happened, so work must be repeatable:
        identifiers are made before it, and an insert looks whether it was done already.

        Raises:
            StoreError: the database failed for good, or too often; names its kind, never its URL.
        """
        return persistently(lambda: self._once(work), self.kind)

    def migrate(self) -> None:
        """Bring the tables to this version's revision; several processes may do so at once.

        An SQLite file is made where there is none, readable for its user only.

        Raises:
            StoreError: that is impossible, or a newer version of this package has migrated the database.
        """
        making = contextlib.nullcontext() if self._file is None else migrating.making_file(self._file)
        with making:
            try:
                persistently(self._upgrade, self.kind)
            except CommandError as error:
                raise StoreError(
                    f"the {NAMES[self.kind]} database cannot be migrated ({error}); "
                    "was it migrated by a newer version of ragcortex? Then install that one"
                ) from error

    def ping(self) -> None:
        """Return if the database answers; nothing is tried twice.

        Raises:
            StoreError: it does not.
        """
        persistently(self._look, self.kind, AT_ONCE)

    def overwrite_deleted(self) -> None:
        """Empty the write-ahead log of an SQLite database, so that texts deleted before are in no file any more.

        The database itself overwrites what is deleted; its log keeps older pages until it is emptied. PostgreSQL is
        left alone: its vacuum removes deleted rows by itself.

        Raises:
            StoreError: the log is in use all the time, or the database does not answer.
        """
        if self.kind == "sqlite" and persistently(self._empty_log, self.kind):
            raise StoreError("the SQLite database's log is in use all the time and keeps deleted texts; try again")

    def close(self) -> None:
        """Give back all connections; the database can be used again all the same."""
        self._engine.dispose()

    def _once(self, work: Callable[[Session], T]) -> T:
        if getattr(self._here, "working", False):
            raise AssertionError("work on the database began within other work, whose end it would wait for")
        with self._turn:
            self._here.working = True
            try:
                with self._sessions.begin() as session:
                    return work(session)
            finally:
                self._here.working = False

    def _upgrade(self) -> None:
        if self._file is not None:
            migrating.write_ahead(self._engine)
        migrating.upgrade(self._engine)

    def _look(self) -> None:
        with self._engine.connect().execution_options(**{BEGIN_OPTION: BEGIN_READING}) as connection:
            connection.exec_driver_sql(_LOOK[self.kind]).all()

    def _empty_log(self) -> bool:
        """Empty the log of an SQLite database, and return whether somebody used it and it was not emptied."""
        with self._turn, self._engine.connect().execution_options(**{BEGIN_OPTION: BEGIN_NOTHING}) as connection:
            return bool(connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()[0])
