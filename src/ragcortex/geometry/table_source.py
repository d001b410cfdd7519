"""A table of the user's own: a CSV file or the rows of a query, cells kept as text exactly as given."""

import csv
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any, Protocol

from ragcortex.checks import check_known, check_parts, check_text
from ragcortex.errors import InputError, ModelMissingError
from ragcortex.geometry.table_values import DecimalMark, check_date_format

Parameters = Sequence[Any] | Mapping[str, Any]


class Connection(Protocol):
    """A connection of any DB-API 2.0 driver."""

    def cursor(self) -> Any:
        """Return a cursor with `execute`, `description` and `fetchall`."""


@dataclass(frozen=True, slots=True)
class Table:
    """Columns and rows.

    Attributes:
        source: what to call the table in messages: the file's name, or «query».
        columns: the headers, distinct and not blank.
        rows: one cell of text a column; blank where the table says nothing.
        lines: the line of the file each row ends on, from 1; None for a query.
        decimal: the decimal mark of the cells; the other one, a space or an apostrophe separates thousands.
        date_format: how dates are written, as for `strptime`; None for ISO 8601 and forms that are read in an answer
            too. Needed where day and month could be taken for each other.
        units: for headers that do not say it themselves, the unit of their column («EUR», «kg»), by header.
    """

    source: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...] | None = None
    decimal: DecimalMark = "."
    date_format: str | None = None
    units: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        check_text("source", self.source, filled=True)
        check_known("decimal", self.decimal, (".", ","))
        check_text("date_format", self.date_format, optional=True)
        check_date_format(self.date_format)
        check_parts("columns", self.columns, str)
        check_parts("rows", self.rows, tuple)
        if not self.columns:
            raise InputError("columns", f"{self.source} has no columns; the first row must hold their names")
        for number, header in enumerate(self.columns, start=1):
            if not header.strip():
                raise InputError("columns", f"column {number} of {self.source} has no name; give each column a name")
            if header in self.columns[: number - 1]:
                raise InputError("columns", f"{self.source} has two columns called {header!r}; rename one")
        for index, row in enumerate(self.rows):
            if len(row) != len(self.columns):
                raise InputError("rows", f"{self.place(index)} has {len(row)} cells, expected {len(self.columns)}")
        if self.lines is not None and len(self.lines) != len(self.rows):
            raise InputError("lines", f"must be one a row ({len(self.rows)}), got {len(self.lines)}")
        for header, _ in self.units:
            if header not in self.columns:
                raise InputError("units", f"there is no column {header!r}; the columns are {', '.join(self.columns)}")

    def place(self, row: int) -> str:
        """Return where a row stands, for a person."""
        line = "" if self.lines is None else f" (line {self.lines[row]})"
        return f"row {row + 1}{line} of {self.source}"

    @classmethod
    def from_csv(
        cls,
        path: str | Path,
        *,
        delimiter: str = ",",
        encoding: str = "utf-8-sig",
        decimal: DecimalMark = ".",
        date_format: str | None = None,
        units: Mapping[str, str] | None = None,
    ) -> "Table":
        """Read a CSV file (RFC 4180; the first row holds the column names). Nothing about its form is guessed.

        Blank lines are no rows; every other row must have as many cells as there are columns.

        Args:
            path: the file.
            delimiter: the one character between cells.
            encoding: of the file; UTF-8 with or without a byte-order mark by default.
            decimal, date_format, units: as the attributes.

        Raises:
            InputError: the file cannot be read or decoded, has no header, or a row has too many or too few cells; the
                message names the file and the row or line.
        """
        path = Path(path)
        if not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n':
            raise InputError("delimiter", f"must be one character other than a quote or line break, got {delimiter!r}")
        header, rows, lines = _csv_rows(path, delimiter, encoding)
        return cls(path.name, header, rows, lines, decimal, date_format, tuple((units or {}).items()))

    @classmethod
    def from_query(
        cls,
        database: Connection | str | Path,
        sql: str,
        parameters: Parameters = (),
        *,
        date_format: str | None = None,
        units: Mapping[str, str] | None = None,
    ) -> "Table":
        """Read the rows of one query. The query comes from whoever runs the check, never from an answer.

        Args:
            database: an SQLite file, opened read-only; an address such as `postgresql://…`, for which SQLAlchemy must
                be installed and whose transaction is rolled back; or an open DB-API connection, which is left open (an
                SQLite one refuses to write while the query runs).
            sql: one query that returns rows, with the driver's own place holders (`:name` with an address).
            parameters: their values.
            date_format, units: as the attributes.

        Raises:
            InputError: the database cannot be opened, the query fails or returns no columns, or a cell holds binary
                data; the message names the row and column.
            ModelMissingError: an address is given and SQLAlchemy is not installed.
        """
        check_text("sql", sql, filled=True)
        if isinstance(database, str) and "://" in database:
            header, rows = _address_rows(database, sql, parameters)
        elif isinstance(database, (str, Path)):
            with closing(_read_only(Path(database))) as connection:
                header, rows = _query_rows(connection, sql, parameters)
        else:
            header, rows = _query_rows(database, sql, parameters)
        cells = tuple(
            tuple(_cell(value, number, name) for name, value in zip(header, row, strict=True))
            for number, row in enumerate(rows, start=1)
        )
        return cls("query", header, cells, None, ".", date_format, tuple((units or {}).items()))


def _csv_rows(
    path: Path, delimiter: str, encoding: str
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...], tuple[int, ...]]:
    header: tuple[str, ...] | None = None
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    reader = None
    try:
        with path.open(encoding=encoding, newline="") as stream:
            reader = csv.reader(stream, delimiter=delimiter, strict=True)
            for cells in reader:
                if not cells:
                    continue
                if header is None:
                    header = tuple(cells)
                    continue
                if len(cells) != len(header):
                    raise InputError(
                        "table",
                        f"{path}: row {len(rows) + 1} (line {reader.line_num}) has {len(cells)} cells, expected "
                        f"{len(header)} as in the header; check the delimiter {delimiter!r} and quoting",
                    )
                rows.append(tuple(cells))
                lines.append(reader.line_num)
    except FileNotFoundError:
        raise InputError("table", f"{path} does not exist; give the path of a CSV file") from None
    except LookupError:
        raise InputError("encoding", f"{encoding!r} is unknown; give one such as utf-8 or cp1252") from None
    except UnicodeDecodeError as error:
        raise InputError(
            "table",
            f"{path} is not {encoding}: byte 0x{error.object[error.start]:02x} after line "
            f"{reader.line_num if reader else 0}; give its encoding",
        ) from None
    except OSError as error:
        raise InputError("table", f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:  # NUL in the name
        raise InputError("table", f"{str(path)!r} is no name of a file: {error}") from None
    except csv.Error as error:
        line = reader.line_num if reader else 0
        raise InputError("table", f"{path}: line {line} is not CSV: {error}; check delimiter and quotes") from None
    if header is None:
        raise InputError("table", f"{path} is empty; its first row must hold the names of the columns")
    return header, tuple(rows), tuple(lines)


def _read_only(path: Path) -> sqlite3.Connection:
    if not path.is_file():
        raise InputError("database", f"{path} does not exist; give an SQLite file")
    try:
        return sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    except sqlite3.Error as error:
        raise InputError("database", f"{path} cannot be opened: {error}") from None


def _query_rows(connection: Connection, sql: str, parameters: Parameters) -> tuple[tuple[str, ...], list[Any]]:
    """Run the query; a SQLite connection refuses to write meanwhile and is left as it was."""
    if not hasattr(connection, "cursor"):
        raise InputError(
            "database",
            f"must be an SQLite file, an address or a DB-API connection, got {type(connection).__name__}",
        )
    with closing(connection.cursor()) as cursor:
        if not isinstance(connection, sqlite3.Connection):
            return _fetched(cursor, sql, parameters)
        before = int(connection.execute("PRAGMA query_only").fetchone()[0])
        connection.execute("PRAGMA query_only = 1")
        try:
            return _fetched(cursor, sql, parameters)
        finally:
            connection.execute(f"PRAGMA query_only = {before}")


def _fetched(cursor: Any, sql: str, parameters: Parameters) -> tuple[tuple[str, ...], list[Any]]:
    try:
        cursor.execute(sql, parameters)
        description = cursor.description
        if description is None:
            raise InputError("sql", "returns no rows; give one SELECT")
        return tuple(str(column[0]) for column in description), list(cursor.fetchall())
    except InputError:
        raise
    except Exception as error:  # every driver has an exception tree of its own
        raise InputError("sql", f"the query failed: {type(error).__name__}: {error}") from error


def _address_rows(address: str, sql: str, parameters: Parameters) -> tuple[tuple[str, ...], Iterable[Any]]:
    try:
        import sqlalchemy
    except ImportError:
        raise ModelMissingError(
            "a database address needs SQLAlchemy; install it with `pip install sqlalchemy`, or give a connection"
        ) from None
    try:
        url = sqlalchemy.engine.make_url(address)
        engine = sqlalchemy.create_engine(url)
    except (sqlalchemy.exc.SQLAlchemyError, ImportError) as error:
        raise InputError("database", f"the address cannot be used: {type(error).__name__}: {error}") from None
    if url.get_backend_name() == "sqlite" and url.database and not url.query:
        with closing(_read_only(Path(url.database))) as connection:
            return _query_rows(connection, sql, parameters)
    try:
        with engine.connect() as connection:
            result = connection.execute(sqlalchemy.text(sql), dict(parameters) if parameters else {})
            if not result.returns_rows:
                connection.rollback()
                raise InputError("sql", "returns no rows; give one SELECT")
            rows = [tuple(row) for row in result]
            header = tuple(str(name) for name in result.keys())  # noqa: SIM118 - a result is no mapping
            connection.rollback()
            return header, rows
    except sqlalchemy.exc.SQLAlchemyError as error:
        raise InputError("sql", f"the query failed: {type(error).__name__}: {error}") from None
    finally:
        engine.dispose()


def _cell(value: Any, row: int, column: str) -> str:
    """Return a value of the database as text: floats in their shortest exact form, dates in ISO 8601."""
    match value:
        case None:
            text = ""
        case bool():
            text = "true" if value else "false"
        case bytes() | bytearray() | memoryview():
            raise InputError("sql", f"row {row}, column {column!r} holds binary data; leave it out or convert it")
        case float() | Decimal():
            text = format(Decimal(str(value)), "f")
        case datetime():
            text = value.isoformat(sep=" ")
        case date() | time():
            text = value.isoformat()
        case _:
            text = str(value)
    return text
