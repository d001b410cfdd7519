"""A database's tables brought to a revision, by one process at a time."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, func, select

from ragcortex.errors import StoreError
from ragcortex.service.storage.engines import BEGIN_NOTHING, BEGIN_OPTION

_FOLDER: Final = Path(__file__).with_name("migrations")
# The number of PostgreSQL's advisory lock, of no other meaning.
_LOCK_NUMBER: Final = int.from_bytes(b"ragmigra")
_WAIT_SECONDS: Final = 120.0
# alembic keeps the migration under way in module globals: within one process, one at a time.
_TURN: Final = threading.Lock()


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Bring the tables to a revision, in one transaction; nothing is done where they are there already.

    Raises:
        alembic.util.CommandError: the database is at a revision that this version does not know.
    """
    _move(engine, command.upgrade, revision)


def downgrade(engine: Engine, revision: str) -> None:
    """Take the tables back to a revision, in one transaction; `base` removes them, with all that is in them.

    Raises:
        alembic.util.CommandError: there is no such revision.
    """
    _move(engine, command.downgrade, revision)


def newest_revision() -> str:
    """Return the revision of this version's tables."""
    newest = ScriptDirectory(_FOLDER).get_current_head()
    if newest is None:
        raise AssertionError("the package lacks its migrations")
    return newest


@contextmanager
def making_file(file: Path) -> Iterator[None]:
    """Make an SQLite database's folder and empty file where they are not there, and keep others from migrating it.

    Only the user who made the file may read it.

    Raises:
        StoreError: they cannot be made, or another process migrates the file for too long.
    """
    lock = FileLock(file.with_name(f".{file.name}.lock"), timeout=_WAIT_SECONDS)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if not file.exists():
            file.touch(mode=0o600)
        lock.acquire()
    except Timeout:
        raise StoreError(
            "the SQLite database is being migrated by another process; wait until that is done, or end it"
        ) from None
    except OSError as error:
        raise StoreError(f"the SQLite database's file or folder cannot be made: {error.strerror or error}") from error
    try:
        yield
    finally:
        lock.release()


def write_ahead(engine: Engine) -> None:
    """Let an SQLite database's readers and its writer not wait for each other; the file remembers it.

    Raises:
        StoreError: its file system cannot do that.
    """
    with engine.connect().execution_options(**{BEGIN_OPTION: BEGIN_NOTHING}) as connection:
        mode = connection.exec_driver_sql("PRAGMA journal_mode = WAL").scalar()
    if mode != "wal":
        raise StoreError(
            f"the SQLite database's file system allows no write-ahead log, only {mode!r}; keep it on a local disk"
        )


def _move(engine: Engine, step: Callable[[Config, str], None], revision: str) -> None:
    with _TURN, engine.begin() as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(select(func.pg_advisory_xact_lock(_LOCK_NUMBER)))
        step(_config(connection), revision)


def _config(connection: Connection) -> Config:
    """Return what alembic needs to know, which is otherwise in a file of the user's."""
    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(_FOLDER).replace("%", "%%"))
    return config
