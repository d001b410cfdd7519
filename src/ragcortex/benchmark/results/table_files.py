"""The tables of a run as files: figures.csv with every figure, and each table as Markdown, CSV and LaTeX."""

import csv
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, cast

from ragcortex.benchmark.results.comparison_table import comparison_table
from ragcortex.benchmark.results.csv_lines import csv_text
from ragcortex.benchmark.results.detail_tables import ablation_table, breakdown_tables, cost_table, seed_table
from ragcortex.benchmark.results.document import RunDocument
from ragcortex.benchmark.results.figure import Figure, Level, MetricName, Smoothing
from ragcortex.benchmark.results.files import write_file
from ragcortex.benchmark.results.table import Table
from ragcortex.benchmark.results.table_latex import to_latex
from ragcortex.benchmark.results.table_text import to_csv, to_markdown
from ragcortex.benchmark.results.tables import levels_table, main_table, operating_tables
from ragcortex.errors import InputError

FIGURES_FILE: Final = "figures.csv"
FORMS: Final[dict[str, Callable[[Table], str]]] = {"md": to_markdown, "csv": to_csv, "tex": to_latex}
_COLUMNS: Final = (
    "kind", "name", "title", "dimension", "group", "level", "smoothing", "metric", "value", "low", "high", "n",
    "base_rate", "reason", "failure",
)  # fmt: skip
# Who a figure is of: kind, name, dimension (of a breakdown) and group (a part of it, or a variant).
Owner = tuple[str, str, str, str]


def run_tables(document: RunDocument) -> tuple[Table, ...]:
    """Return every table of a run, the main one first."""
    tables = (
        main_table(document),
        comparison_table(document),
        levels_table(document),
        *operating_tables(document),
        *breakdown_tables(document),
        ablation_table(document),
        seed_table(document),
        cost_table(document),
    )
    return tuple(table for table in tables if table is not None)


def write_tables(tables: tuple[Table, ...], document: RunDocument, folder: Path) -> list[Path]:
    """Write figures.csv and each table in its three forms, and return their paths.

    Raises:
        InputError: two tables have one name.
        StoreError: a file cannot be written.
    """
    names = [table.name for table in tables]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError("tables", f"must have different names, got {twice[0]!r} twice")
    paths = [write_file(folder / FIGURES_FILE, figures_csv(document).encode())]
    for table in tables:
        for ending, form in FORMS.items():
            paths.append(write_file(folder / f"{table.name}.{ending}", form(table).encode()))
    return paths


def figures_csv(document: RunDocument) -> str:
    """Return every figure of a run in one tidy table, a line a figure, in full precision; a failure is a line too.

    A missing number is an empty field.
    """
    return csv_text([_COLUMNS, *_figure_lines(document)])


def _figure_lines(document: RunDocument) -> Iterator[tuple[object, ...]]:
    for (kind, name, dimension, group), title, figures, failure in _owners(document):
        owner = (kind, name, title, dimension, group)
        for one in figures:
            numbers = (one.value, one.low, one.high, one.n, one.base_rate, one.reason)
            yield (*owner, one.level, one.smoothing, one.metric, *numbers, "")
        if failure is not None:
            yield (*owner, *[""] * 9, failure)


def read_figures(text: str) -> tuple[dict[Owner, tuple[Figure, ...]], dict[Owner, str]]:
    """Return the figures of `figures_csv` by their owners, and the failures by theirs.

    Raises:
        InputError: the columns are not those of figures.csv, or a figure is malformed.
    """
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if tuple(reader.fieldnames or ()) != _COLUMNS:
        raise InputError("figures.csv", f"must have the columns {', '.join(_COLUMNS)}, got {reader.fieldnames}")
    figures: dict[Owner, list[Figure]] = {}
    failures: dict[Owner, str] = {}
    for line in reader:
        owner = (line["kind"], line["name"], line["dimension"], line["group"])
        if line["failure"]:
            failures[owner] = line["failure"]
        else:
            figures.setdefault(owner, []).append(_figure(line))
    return {owner: tuple(those) for owner, those in figures.items()}, failures


def _owners(document: RunDocument) -> Iterator[tuple[Owner, str, tuple[Figure, ...], str | None]]:
    for kind, results in (("method", document.methods), ("control", document.controls)):
        for result in results:
            yield (kind, result.name, "", ""), result.title, result.figures, result.failure
    for part in document.breakdowns:
        yield ("breakdown", part.method, part.dimension, part.group), "", part.figures, None
    for repeat in document.repeats:
        yield ("repeat", repeat.method, "seed", str(repeat.seed)), "", repeat.figures, None
    for variant in document.ablations:
        yield ("ablation", variant.study, "", variant.variant), "", variant.figures, variant.failure


def _figure(line: dict[str, str]) -> Figure:
    try:
        n = int(line["n"])
        numbers = {name: _number(line[name]) for name in ("value", "base_rate", "low", "high")}
    except ValueError as error:
        raise InputError(
            "figures.csv", f"has a malformed number ({error}); write it again from results.json"
        ) from error
    return Figure(
        level=cast(Level, line["level"]), smoothing=cast(Smoothing, line["smoothing"]),
        metric=cast(MetricName, line["metric"]), n=n, reason=line["reason"] or None, **numbers,
    )  # fmt: skip


def _number(text: str) -> float | None:
    return float(text) if text else None
