"""Work on a database that is done again where what stopped it passes: a lost connection, a lock, a race."""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, TypeVar

from sqlalchemy.exc import DBAPIError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as NoConnectionFree

from ragcortex.errors import StoreError

Kind = Literal["sqlite", "postgresql"]
T = TypeVar("T")

NAMES: Final[dict[Kind, str]] = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}

# Result codes of SQLite without their extension.
_SQLITE_LOCKED: Final = (5, 6)
_SQLITE_REASONS: Final = {
    5: "stayed locked; end the other program that holds it, or try again",
    6: "stayed locked; end the other program that holds it, or try again",
    8: "may not be written; check the permissions of its file and folder",
    11: "is damaged; put a backup in its place",
    13: "cannot grow; free some disk space",
    14: "cannot be opened; check its place and permissions, and make it with `ragcortex service migrate`",
    26: "is no database; give another file, or put a backup in its place",
}

# A serialization failure, a deadlock, and a unique key that somebody took after the work had looked: done again, the
# work sees what the other one wrote.
_RACES: Final = ("40001", "40P01", "23505")
# The server stops, crashed, is starting, or has no connection left; class 08 is the connection itself.
_AWAY: Final = ("57P01", "57P02", "57P03", "53300")
_CONNECTION_CLASS: Final = "08"
_NO_SUCH_TABLE: Final = ("42P01", "42703")
_NOT_ALLOWED: Final = "42501"


@dataclass(frozen=True, slots=True)
class Patience:
    """How often work is tried, and how long is waited in between: twice as long each time, up to a limit.

    Attributes:
        tries: how often in all.
        first_wait: seconds before the second try.
        longest_wait: seconds, the most before any try.
    """

    tries: int = 8
    first_wait: float = 0.05
    longest_wait: float = 2.0

    def wait(self, n_failed: int) -> float:
        """Return how many seconds to wait after so many failures.

        A part of it is chance, so that those who got in each other's way do not meet again.
        """
        bound: float = min(self.longest_wait, self.first_wait * 2 ** (n_failed - 1))
        return bound * random.uniform(0.5, 1.0)


PATIENT: Final = Patience()
AT_ONCE: Final = Patience(tries=1)


def persistently(work: Callable[[], T], kind: Kind, patience: Patience = PATIENT) -> T:
    """Return what the work returns, done again as long as what stops it may pass.

    Raises:
        StoreError: the database failed for good, or too often; names its kind, never its URL or what was written.
    """
    n_failed = 0
    while True:
        try:
            return work()
        except SQLAlchemyError as error:
            n_failed += 1
            if n_failed == patience.tries or not passes(error, kind):
                raise StoreError(_sentence(error, kind)) from error
        time.sleep(patience.wait(n_failed))


def passes(error: SQLAlchemyError, kind: Kind) -> bool:
    """Return whether the same work may succeed when it is done again."""
    if not isinstance(error, DBAPIError):
        return False
    if kind == "sqlite":
        return error.connection_invalidated or _sqlite_code(error) in _SQLITE_LOCKED
    return _is_away(error) or _state(error) in _RACES


def _is_away(error: DBAPIError) -> bool:
    """Return whether the server could not be reached, or went away meanwhile."""
    state = _state(error)
    if error.connection_invalidated or state in _AWAY:
        return True
    if state is None:  # not an answer of the server: no connection came about
        return isinstance(error, OperationalError)
    return state.startswith(_CONNECTION_CLASS)


def _state(error: DBAPIError) -> str | None:
    """Return the SQLSTATE that PostgreSQL answered, None where it did not answer."""
    state = getattr(error.orig, "sqlstate", None)
    return state if isinstance(state, str) else None


def _sqlite_code(error: DBAPIError) -> int | None:
    code = getattr(error.orig, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else None


def _sentence(error: SQLAlchemyError, kind: Kind) -> str:
    """Return what failed and what to do.

    The driver's own message is left out: it may hold addresses, and values that were to be written.
    """
    name = NAMES[kind]
    if isinstance(error, NoConnectionFree):
        return f"all connections to the {name} database are in use; ask for less at the same time, or try again"
    if not isinstance(error, DBAPIError):
        return f"the {name} database could not do the work ({type(error).__name__})"
    reason = _sqlite_reason(error) if kind == "sqlite" else _postgresql_reason(error)
    return f"the {name} database {reason or f'refused the work ({_detail(error)})'}"


def _sqlite_reason(error: DBAPIError) -> str | None:
    if str(error.orig).startswith(("no such table", "no such column")):
        return _not_migrated()
    return _SQLITE_REASONS.get(_sqlite_code(error) or 0)


def _postgresql_reason(error: DBAPIError) -> str | None:
    state = _state(error)
    if _is_away(error):
        return "does not answer; check that it runs, and that host, name, user and password in its URL are right"
    if state in _RACES:
        return f"kept refusing the work because of other work at the same time ({_detail(error)}); try again"
    if state in _NO_SUCH_TABLE:
        return _not_migrated()
    if state == _NOT_ALLOWED:
        return "does not allow its user to do that; grant the user the rights, or give another one"
    return None


def _not_migrated() -> str:
    return "lacks tables of this version; make them with `ragcortex service migrate`"


def _detail(error: DBAPIError) -> str:
    """Return the driver's name of what happened, which holds nothing of the data."""
    original = error.orig
    code = getattr(original, "sqlstate", None) or getattr(original, "sqlite_errorname", None)
    return ", ".join(part for part in (type(original).__name__, code) if part)
