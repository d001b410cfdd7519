"""A table as data: cells with their numbers, from which Markdown, CSV, LaTeX and terminal forms are made."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from ragcortex.checks import check_parts, check_text
from ragcortex.errors import InputError

RowKind = Literal["section", "method", "control", "base rate", "variant", "published", "ours"]
Mark = Literal["", "↑", "↓"]

DASH: Final = "–"


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes:
        key: its name in CSV.
        heading: as printed.
        group: printed above the headings of neighbours of the same group; none where empty.
        numeric: whether it is set flush right.
        interval: whether CSV has its interval too, as `key_low` and `key_high`.
    """

    key: str
    heading: str
    group: str = ""
    numeric: bool = True
    interval: bool = False

    @property
    def full_heading(self) -> str:
        """The heading with its group before it."""
        return f"{self.group} {self.heading}".strip()


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell.

    Attributes:
        text: as printed, without the interval.
        value: as CSV has it; None is an empty field.
        low: lower end of the interval.
        high: upper end of the interval.
        interval: the interval as printed; empty for none.
        best: whether it is the best of its column.
        mark: whether it is significantly above or below the reference.
        reason: why there is no value, or what must be known of it: a footnote.
    """

    text: str
    value: str | int | float | None = None
    low: float | None = None
    high: float | None = None
    interval: str = ""
    best: bool = False
    mark: Mark = ""
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One row; a section has one cell, the heading of the rows below it."""

    kind: RowKind
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its title and its notes.

    Attributes:
        name: of its files, without ending.
        title: one line.
        columns: one at least.
        rows: each with one cell a column, sections with one.
        notes: below it, one sentence each.
    """

    name: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_text("name", self.name, filled=True)
        check_text("title", self.title, filled=True)
        check_parts("columns", self.columns, Column)
        check_parts("rows", self.rows, Row)
        for index, row in enumerate(self.rows):
            expected = 1 if row.kind == "section" else len(self.columns)
            if len(row.cells) != expected:
                raise InputError(f"rows[{index}]", f"must have {expected} cells, got {len(row.cells)}")

    @property
    def footnotes(self) -> tuple[str, ...]:
        """The reasons of its cells, each once, in the order they are met; their numbers count from 1."""
        reasons = (cell.reason for row in self.rows for cell in row.cells)
        return tuple(dict.fromkeys(reason for reason in reasons if reason is not None))

    @property
    def body(self) -> tuple[Row, ...]:
        """The rows that are no sections."""
        return tuple(row for row in self.rows if row.kind != "section")


def text_cell(text: str, value: str | None = None, reason: str | None = None) -> Cell:
    """Return a cell of words; CSV has `value` where it is given."""
    return Cell(text, text if value is None else value, reason=reason)


def missing_cell(reason: str | None = None) -> Cell:
    """Return a dash with its reason."""
    return Cell(DASH, reason=reason)


def section(heading: str) -> Row:
    """Return the heading of the rows below it."""
    return Row("section", (Cell(heading, heading),))


def group_ranges(columns: Sequence[Column]) -> list[tuple[str, int, int]]:
    """Return the groups of neighbouring columns: name, first, one past the last."""
    ranges: list[tuple[str, int, int]] = []
    for index, column in enumerate(columns):
        if ranges and column.group and ranges[-1][0] == column.group:
            ranges[-1] = (column.group, ranges[-1][1], index + 1)
        else:
            ranges.append((column.group, index, index + 1))
    return ranges
