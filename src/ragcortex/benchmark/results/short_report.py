"""What a terminal shows of a finished run: the main table and what failed."""

import io
import shutil
from dataclasses import replace
from typing import Final

from ragcortex.benchmark.results.cells import BOLD_NOTE
from ragcortex.benchmark.results.document import RunDocument
from ragcortex.benchmark.results.table import Cell, Table
from ragcortex.benchmark.results.table_text import to_rich
from ragcortex.benchmark.results.tables import main_table
from ragcortex.rendering.inert import inert_line

LEAST_WIDTH: Final = 80
WIDTH_WITH_INTERVALS: Final = 160


def short_report(document: RunDocument, width: int | None = None) -> str:
    """Return the main table and what failed as plain text without colour, ending in a line feed.

    Args:
        document: the run.
        width: columns to fill, 80 at least; None takes the terminal's, and 120 where there is none. Below 160,
            intervals are left out, and a line says where they stand.
    """
    from rich.console import Console

    columns = max(LEAST_WIDTH, shutil.get_terminal_size((120, 24)).columns if width is None else width)
    intervals = columns >= WIDTH_WITH_INTERVALS
    stream = io.StringIO()
    console = Console(file=stream, width=columns, color_system=None)
    console.print(to_rich(_starred(main_table(document, intervals=intervals))))
    lines = [line.rstrip() for line in stream.getvalue().splitlines()]
    if not intervals:
        lines.append("Intervals stand in the results folder, in report.md.")
    failed = failures(document)
    if failed:
        lines += ["", "Failed:", *(f"  {inert_line(name)}: {inert_line(reason)}" for name, reason in failed)]
    return "\n".join(lines) + "\n"


def _starred(table: Table) -> Table:
    """Return the table with an asterisk where it has bold, which plain text lacks."""
    rows = [replace(row, cells=tuple(map(_starred_cell, row.cells))) for row in table.rows]
    notes = tuple(BOLD_NOTE.replace("Bold", "*") if note == BOLD_NOTE else note for note in table.notes)
    return replace(table, rows=tuple(rows), notes=notes)


def _starred_cell(cell: Cell) -> Cell:
    return replace(cell, text=f"{cell.text}*", best=False) if cell.best else cell


def opening(document: RunDocument) -> str:
    """Return in one sentence when what was run on what, and what of it failed, by name."""
    n, kinds = len(document.methods) + len(document.ablations), "methods and variants" if document.ablations else ""
    kinds = kinds or ("method" if n == 1 else "methods")
    failed = [name for name, _ in failures(document)]
    outcome = f"{len(failed)} failed ({'; '.join(failed)})" if failed else "all of them finished"
    return (
        f"{document.date}: {n} {kinds} on {document.data.full_name}, read by {document.environment.reader_id}; "
        f"{outcome}."
    )


def failures(document: RunDocument) -> list[tuple[str, str]]:
    """Return the title of each method and the name of each variant that failed, with the reason."""
    found = [(one.title, one.failure) for one in document.methods if one.failure is not None]
    found += [(f"{one.study}, {one.variant}", one.failure) for one in document.ablations if one.failure is not None]
    return found
