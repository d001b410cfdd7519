"""What two benchmark runs have in common and where they differ, as typed values, tables and JSON."""

import json
from dataclasses import dataclass
from typing import Any, Final, Literal

from ragcortex.benchmark.results.cells import SHORT_NAMES, figure_cell, interval_text, short
from ragcortex.benchmark.results.codec import to_values
from ragcortex.benchmark.results.figure import Figure, Level, MetricName, Smoothing
from ragcortex.benchmark.results.table import Cell, Column, Row, Table, missing_cell, text_cell
from ragcortex.benchmark.results.table_text import markdown_text, to_markdown

Verdict = Literal["better", "worse", "within the interval", "no interval", "not defined", "not comparable"]
SCHEMA: Final = "ragcortex.benchmark-comparison/1"
PRINTED_LEVELS: Final[tuple[Level, ...]] = ("token", "answer")
PRINTED_METRICS: Final[tuple[MetricName, ...]] = ("average_precision", "auroc")


@dataclass(frozen=True, slots=True)
class FieldDifference:
    """A field that two runs do not share.

    Attributes:
        field: its dotted name.
        first: its value in the first run, as text; `absent` where it has none.
        second: its value in the second run, likewise.
    """

    field: str
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class RunRow:
    """One figure of one method in two runs.

    Attributes:
        method: its name in both runs.
        title: as tables print it.
        level, smoothing, metric: which figure.
        first: in the first run; None where it was not measured.
        second: in the second run; None likewise.
        difference: second minus first; None where one has no value.
        low, high: its 95 % interval, both runs on the same resamples; None where predictions were not paired.
        p: two-sided, of no difference; None likewise.
        p_holm: corrected over the methods compared in this figure; None likewise.
        verdict: of the second run. Paired: `better` or `worse` where the interval of the difference leaves out 0.
            Not paired: where each value lies outside the interval of the other.
    """

    method: str
    title: str
    level: Level
    smoothing: Smoothing
    metric: MetricName
    first: Figure | None
    second: Figure | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs side by side.

    Attributes:
        first, second: their titles and dates.
        same_data: whether both scored the same answers with the same labels.
        data_differences, protocol_differences, environment_differences: field by field.
        rows: figures of methods and controls that are in both.
        only_in_first, only_in_second: titles of methods that are in one only.
        notes: what a reader must know, one sentence each.
    """

    first: str
    second: str
    same_data: bool
    data_differences: tuple[FieldDifference, ...]
    protocol_differences: tuple[FieldDifference, ...]
    environment_differences: tuple[FieldDifference, ...]
    rows: tuple[RunRow, ...]
    only_in_first: tuple[str, ...]
    only_in_second: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def same_protocol(self) -> bool:
        """Whether nothing in the configurations differs that changes figures."""
        return not self.protocol_differences

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON values: every figure, also those that tables leave out."""
        return {"schema": SCHEMA, "same_protocol": self.same_protocol, **to_values(self)}

    def to_json(self) -> str:
        """Return the JSON text, indented."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)

    def summary(self) -> tuple[str, ...]:
        """Return what stands above the figures: same data or not, same protocol or not, and who is in one run only."""
        lines = [f"First: {self.first}.", f"Second: {self.second}."]
        lines.append(
            "Same data." if self.same_data else "Not the same data: no figure of one can be held against the other."
        )
        lines.append("Same protocol." if self.same_protocol else "Not the same protocol.")
        for name, methods in (("first", self.only_in_first), ("second", self.only_in_second)):
            if methods:
                lines.append(f"Only in the {name}: {', '.join(methods)}.")
        return (*lines, *self.notes)

    def figures_table(self) -> Table:
        """Return AP and AUROC of tokens and answers in both runs; to_dict has every figure."""
        printed = [one for one in self.rows if one.level in PRINTED_LEVELS and one.metric in PRINTED_METRICS]
        tested = any(one.p_holm is not None for one in printed)
        columns = [
            Column("method", "method", numeric=False),
            Column("figure", "figure", numeric=False),
            Column("first", "first", interval=True),
            Column("second", "second", interval=True),
            Column("difference", "difference", interval=True),
            *([Column("p_holm", "p, Holm")] if tested else []),
            Column("verdict", "verdict", numeric=False),
        ]
        rows = tuple(Row("method", _cells(one, tested=tested)) for one in printed)
        notes = (
            "Difference: second minus first. Verdict: of the second run; where predictions were paired, by the "
            "interval of the difference, else by whether each value lies outside the interval of the other.",
        )
        return Table("comparison", "Two runs, figure by figure", tuple(columns), rows, notes)

    def differences_table(self) -> Table | None:
        """Return the fields that differ; None where none does."""
        groups = (
            ("data", self.data_differences),
            ("protocol", self.protocol_differences),
            ("environment", self.environment_differences),
        )
        rows = tuple(
            Row("variant", (text_cell(group), text_cell(one.field), text_cell(one.first), text_cell(one.second)))
            for group, found in groups
            for one in found
        )
        columns = tuple(Column(name, name, numeric=False) for name in ("part", "field", "first", "second"))
        return Table("differences", "Where the runs differ", columns, rows) if rows else None

    def to_markdown(self) -> str:
        """Return the comparison as a Markdown page."""
        differing = self.differences_table()
        parts = ["# Two benchmark runs", "\n".join(f"* {markdown_text(line)}" for line in self.summary())]
        if differing is not None:
            parts += [f"## {differing.title}", to_markdown(differing).rstrip()]
        figures = self.figures_table()
        return "\n\n".join([*parts, f"## {figures.title}", to_markdown(figures)])


def _cells(one: RunRow, *, tested: bool) -> tuple[Cell, ...]:
    name = f"{one.level} {SHORT_NAMES[one.metric]}, {one.smoothing}"
    difference = missing_cell("one of the two has no value")
    if one.difference is not None:
        interval = interval_text(one.low, one.high, signed=True)
        difference = Cell(short(one.difference, signed=True), one.difference, one.low, one.high, interval)
    p = missing_cell("predictions were not paired") if one.p_holm is None else Cell(f"{one.p_holm:.3g}", one.p_holm)
    return (
        text_cell(one.title, one.method), text_cell(name), figure_cell(one.first), figure_cell(one.second), difference,
        *([p] if tested else []), text_cell(one.verdict),
    )  # fmt: skip
