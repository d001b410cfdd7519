"""`ragcortex table`: amounts and dates of an answer against a table of one's own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragcortex.cli.console import complain, plural, write_data, write_text
from ragcortex.cli.inputs import Inputs
from ragcortex.errors import EXIT_FAILED_ON, EXIT_NOTHING_TO_CHECK, EXIT_OK, InputError
from ragcortex.rendering.inert import inert_line

if TYPE_CHECKING:
    from ragcortex.geometry.table_check import Table
    from ragcortex.geometry.table_parts import FactCheck, TableReport

_SIGNS = {"confirmed": "=", "contradicted": "!", "unknown": "?"}
_REASONS = {
    "no_row": "the sentence names no row",
    "no_column": "the rows have no column of that kind",
    "column_unclear": "nothing says which column it is about",
    "more_precise": "the table is less precise",
    "derived": "calculated from several figures of the table",
    "negated": "the sentence denies it, and the table does not say it",
}


AnswerOption = Annotated[
    str, typer.Option("--answer", metavar="FILE|TEXT|-", help="The answer to check; - is standard input.")
]
TableOption = Annotated[Path | None, typer.Option("--table", metavar="FILE.csv", help="A CSV file.")]
DatabaseOption = Annotated[
    str | None,
    typer.Option("--database", metavar="FILE.sqlite|URL", help="A database instead; SQLite is opened read-only."),
]
QueryOption = Annotated[str | None, typer.Option("--query", metavar="SQL", help="The query that gives the rows.")]
ParameterOption = Annotated[
    list[str] | None,
    typer.Option("--parameter", metavar="NAME=VALUE", help="A value for :NAME in the query; once for each."),
]
QuestionOption = Annotated[
    str | None, typer.Option("--question", metavar="TEXT", help="What the answer answers; may name the row.")
]
KeyOption = Annotated[
    list[str] | None,
    typer.Option("--key", metavar="COLUMN", help="A column that names rows. [default: those that hold words]"),
]
UnitOption = Annotated[
    list[str] | None,
    typer.Option("--unit", metavar="COLUMN=UNIT", help="The unit of a column whose header does not say it."),
]
ToleranceOption = Annotated[
    list[str] | None,
    typer.Option("--tolerance", metavar="[COLUMN=]N", help="By how much an amount may differ. [default: 0]"),
]
DecimalOption = Annotated[Literal[".", ","], typer.Option("--decimal", help="The decimal mark of the cells.")]
DateFormatOption = Annotated[
    str | None, typer.Option("--date-format", metavar="FORMAT", help="Of the cells, such as %d/%m/%Y.")
]


def table(
    *,
    answer: AnswerOption,
    table: TableOption = None,
    database: DatabaseOption = None,
    query: QueryOption = None,
    parameter: ParameterOption = None,
    question: QuestionOption = None,
    key: KeyOption = None,
    unit: UnitOption = None,
    tolerance: ToleranceOption = None,
    delimiter: Annotated[str, typer.Option("--delimiter", metavar="CHARACTER", help="Between the cells.")] = ",",
    encoding: Annotated[str, typer.Option("--encoding", metavar="NAME", help="Of the CSV file.")] = "utf-8-sig",
    decimal: DecimalOption = ".",
    date_format: DateFormatOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    fail_on: Annotated[
        Literal["hallucinated"] | None, typer.Option("--fail-on", help="Exit with 1 if a fact is contradicted.")
    ] = None,
) -> int:
    """Check an answer's figures against a table.

    Amounts, dates and times must equal a cell of the rows that a sentence names.
    """
    from ragcortex.geometry.table_check import Table, check_against_table

    units = dict(_pair("unit", value) for value in unit or [])
    if (table is None) == (database is None):
        raise InputError("table", "give either --table FILE.csv, or --database with --query")
    if table is None:
        rows = _queried(database, query, parameter or [], date_format, units)
    elif query is not None or parameter:
        raise InputError("query", "goes with --database; a CSV file is read whole")
    else:
        rows = Table.from_csv(
            table, delimiter=delimiter, encoding=encoding, decimal=decimal, date_format=date_format, units=units
        )
    limits = _tolerances(tolerance or [])
    text = Inputs().text("answer", answer)
    report = check_against_table(text, rows, key_columns=key or None, tolerance=limits, question=question)
    if as_json:
        write_data(report.to_json(indent=2) + "\n")
    else:
        write_text(_shown(report, rows))
    if report.status == "not_verifiable":
        complain(_open(report))
        return EXIT_NOTHING_TO_CHECK
    return EXIT_FAILED_ON if fail_on is not None and report.status == fail_on else EXIT_OK


def _queried(
    database: str | None, query: str | None, parameters: list[str], date_format: str | None, units: dict[str, str]
) -> "Table":
    from ragcortex.geometry.table_check import Table

    if database is None or query is None:
        raise InputError("query", "is missing; give --query with one SELECT")
    values = dict(_pair("parameter", value) for value in parameters)
    return Table.from_query(database, query, values, date_format=date_format, units=units)


def _pair(field: str, value: str) -> tuple[str, str]:
    """Return the two sides of the last equals sign."""
    name, sign, rest = value.rpartition("=") if field != "parameter" else value.partition("=")
    if not sign or not name:
        raise InputError(field, f"must be NAME=VALUE, got {value!r}")
    return name, rest


def _tolerances(values: list[str]) -> str | dict[str, str]:
    if len(values) == 1 and "=" not in values[0]:
        return values[0]
    return dict(_pair("tolerance", value) for value in values)


def _shown(report: "TableReport", table: "Table") -> str:
    """Return the report as text for people: the status, then one line a fact."""
    counts = ", ".join(f"{report.count(state)} {state}" for state in ("confirmed", "contradicted", "unknown"))
    head = f"{report.status.replace('_', ' ')}: {plural(len(report.checks), 'fact')} ({counts})"
    return "\n".join([head, *(f"  {_line(check, table)}" for check in report.checks)]) + "\n"


def _line(check: "FactCheck", table: "Table") -> str:
    said = f"{_SIGNS[check.state]} {check.state} «{inert_line(check.text)}» (characters {check.start} to {check.end})"
    if check.cell is None:
        return f"{said}: {_REASONS[check.reason]}"
    cell = check.cell
    where = f"{table.place(cell.row)}, column {cell.column!r}"
    denied = " although the sentence denies it" if check.reason == "denied" else ""
    return inert_line(f"{said}: {where} says «{cell.text}»{denied}")


def _open(report: "TableReport") -> str:
    if not report.checks:
        return "the answer holds no amount, date or time that could be compared with the table"
    unknown = report.count("unknown")
    return f"{plural(unknown, 'fact')} of {len(report.checks)} could not be compared with the table"
