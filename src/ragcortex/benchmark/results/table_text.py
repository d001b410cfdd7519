"""A table as Markdown, as CSV and on a terminal."""

import re
from typing import TYPE_CHECKING, Final

from ragcortex.benchmark.results.csv_lines import csv_text
from ragcortex.benchmark.results.table import Cell, Row, Table
from ragcortex.rendering.inert import inert_line

if TYPE_CHECKING:
    from rich.table import Table as RichTable

_SPECIAL: Final = re.compile(r"[\\`*_<>\[\]|~$&]")
_RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def markdown_text(text: str) -> str:
    """Return the text for one line of Markdown: shown as it is, whatever characters it has.

    >>> markdown_text("a|b *c*")
    'a\\\\|b \\\\*c\\\\*'
    """
    return _SPECIAL.sub(lambda match: "\\" + match[0], inert_line(text))


def to_markdown(table: Table) -> str:
    """Return the table as GitHub's Markdown, its footnotes and notes below as a list; no heading."""
    headings = [markdown_text(column.full_heading) for column in table.columns]
    rules = ["---:" if column.numeric else "---" for column in table.columns]
    lines = [headings, rules, *(_markdown_row(table, row) for row in table.rows)]
    parts = ["\n".join("| " + " | ".join(cells) + " |" for cells in lines)]
    below = [f"* {raised(number)} {markdown_text(_sentence(reason))}" for number, reason in _numbered(table)]
    below += [f"* {markdown_text(note)}" for note in table.notes]
    if below:
        parts.append("\n".join(below))
    return "\n\n".join(parts) + "\n"


def to_csv(table: Table) -> str:
    """Return the table as CSV with full precision: the kind of row, then a column each, intervals beside their values.

    A missing value is an empty field; sections are no rows, and reasons stand in figures.csv.
    """
    header = ["kind"]
    for column in table.columns:
        header += [column.key, f"{column.key}_low", f"{column.key}_high"] if column.interval else [column.key]
    lines: list[list[object]] = [[*header]]
    for row in table.body:
        fields: list[object] = [row.kind]
        for column, cell in zip(table.columns, row.cells, strict=True):
            fields += [cell.value, cell.low, cell.high] if column.interval else [cell.value]
        lines.append(fields)
    return csv_text(lines)


def to_rich(table: Table) -> "RichTable":
    """Return the table for a rich console, its notes as the caption; controls are dimmed."""
    from rich.table import Table as RichTable
    from rich.text import Text

    below = [f"{raised(number)} {_sentence(reason)}" for number, reason in _numbered(table)] + list(table.notes)
    shown = RichTable(
        title=Text(inert_line(table.title), style="bold"), title_justify="left", caption_justify="left",
        caption=Text("\n".join(inert_line(line) for line in below)),
    )  # fmt: skip
    for column in table.columns:
        heading = Text(inert_line(column.full_heading))
        shown.add_column(heading, justify="right" if column.numeric else "left", overflow="fold")
    for row in table.rows:
        cells = [Text(plain_cell(table, cell), style="bold" if cell.best else "") for cell in row.cells]
        if row.kind == "section":
            shown.add_section()
            cells = [Text(inert_line(row.cells[0].text), style="italic")]
        shown.add_row(*cells, style="dim" if row.kind == "control" else None)
    return shown


def plain_cell(table: Table, cell: Cell) -> str:
    """Return a cell as plain text: value, mark, interval, number of its footnote."""
    value = f"{inert_line(cell.text)}{cell.mark}"
    return " ".join(part for part in (value, cell.interval) if part) + _footnote(table, cell)


def raised(number: int) -> str:
    """Return a number in raised digits."""
    return str(number).translate(_RAISED)


def _markdown_row(table: Table, row: Row) -> list[str]:
    if row.kind == "section":
        return [f"*{markdown_text(row.cells[0].text)}*", *[""] * (len(table.columns) - 1)]
    return [_markdown_cell(table, cell) for cell in row.cells]


def _markdown_cell(table: Table, cell: Cell) -> str:
    value = markdown_text(cell.text)
    # The arrow stays outside: two asterisks between an arrow and a raised digit would not end the bold.
    value = (f"**{value}**" if cell.best else value) + cell.mark
    interval = markdown_text(cell.interval)
    return " ".join(part for part in (value, interval) if part) + _footnote(table, cell)


def _footnote(table: Table, cell: Cell) -> str:
    return "" if cell.reason is None else raised(table.footnotes.index(cell.reason) + 1)


def _numbered(table: Table) -> list[tuple[int, str]]:
    return list(enumerate(table.footnotes, start=1))


def _sentence(text: str) -> str:
    """Return the text as a sentence."""
    text = inert_line(text)
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
