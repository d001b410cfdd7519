"""What the commands of `ragcortex service` share: the database they work on."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from ragcortex.cli.console import write_data
from ragcortex.errors import InputError

if TYPE_CHECKING:
    from ragcortex.service.storage.database import Database

_SCHEMA: Final = "ragcortex.service/1"
_LIBRARIES: Final = ("alembic", "psycopg", "pydantic_settings", "sqlalchemy")
DatabaseOption = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="sqlite:///FILE or postgresql://USER@HOST/NAME. Other users of this machine may see it: one with a "
        "password belongs into RAGCORTEX_SERVICE_DATABASE. [default: the service's own]",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print everything as JSON.")]


@contextmanager
def opened(url: str | None) -> "Iterator[Database]":
    """Open the database of a URL, or that of the service's settings, for a while.

    Raises:
        InputError: the URL or a setting cannot be used.
    """
    from ragcortex.cli.serve import service_settings
    from ragcortex.service.storage.database import Database

    database = Database(url if url is not None else service_settings({}).database_url)
    try:
        yield database
    finally:
        database.close()


def write_json(content: dict[str, Any]) -> None:
    """Write an object with the schema of these commands on standard output."""
    write_data(json.dumps({"schema": _SCHEMA, **content}, ensure_ascii=False, indent=2) + "\n")


def require_libraries() -> None:
    """Refuse to go on without the libraries that the database needs.

    Raises:
        InputError: they are not installed.
    """
    if any(find_spec(name) is None for name in _LIBRARIES):
        raise InputError("service", "needs the service's libraries; run `pip install 'ragcortex[service]'`")
