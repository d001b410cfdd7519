"""Rows added by one statement each, without the bookkeeping of a session's objects; for what every check writes."""

from functools import cache
from typing import Any

from sqlalchemy import inspect
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from ragcortex.service.storage.tables import Base


def add(session: Session, row: Base) -> None:
    """Add a row in the session's transaction; the object stays apart from the session and can be read after it.

    Raises:
        sqlalchemy.exc.IntegrityError: a unique key of it is taken.
    """
    session.connection().execute(_statement(type(row), session.get_bind().dialect.name), _values(row))


def add_if_new(session: Session, row: Base) -> bool:
    """Add a row as `add` does and return True, or return False where its primary key is taken; nothing is done then.

    Raises:
        sqlalchemy.exc.IntegrityError: another unique key of it is taken.
    """
    statement = _statement(type(row), session.get_bind().dialect.name, if_new=True)
    return session.connection().execute(statement, _values(row)).rowcount == 1


@cache
def _statement(kind: type[Base], dialect: str, *, if_new: bool = False) -> Any:
    """Return the statement, made once: the library then finds what it has compiled for it without looking through."""
    table = inspect(kind).local_table
    statement = (postgresql if dialect == "postgresql" else sqlite).insert(table)
    if not if_new:
        return statement
    # Drivers forget how many rows there were once a statement has none to give.
    statement = statement.on_conflict_do_nothing(index_elements=list(table.primary_key))
    return statement.execution_options(preserve_rowcount=True)


@cache
def _names(kind: type[Base]) -> tuple[tuple[str, str], ...]:
    """Return the names of a table's columns, each with that of its attribute."""
    return tuple((one.columns[0].key, one.key) for one in inspect(kind).column_attrs)


def _values(row: Base) -> dict[str, Any]:
    return {column: getattr(row, attribute) for column, attribute in _names(type(row))}
