"""Figures as cells of a table: three decimals, intervals in brackets, the best of a column, a dash with its reason."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ragcortex.benchmark.results.document import RunDocument
from ragcortex.benchmark.results.figure import Figure, Level, MetricName, Smoothing
from ragcortex.benchmark.results.parts import MethodResult
from ragcortex.benchmark.results.table import Cell, Column, Mark, Row, Table, missing_cell, text_cell
from ragcortex.evaluation.tables import decimals
from ragcortex.evaluation.validation_thresholds import NO_VALIDATION

SHORT_NAMES: Final[dict[MetricName, str]] = {
    "average_precision": "AP",
    "auroc": "AUROC",
    "f1": "F1",
    "precision": "precision",
    "recall": "recall",
    "precision_at_recall_0.5": "precision at recall .5",
    "precision_at_recall_0.8": "precision at recall .8",
    "character_f1": "F1",
    "iou": "IoU",
}
SIGNIFICANT: Final = 0.05
NOT_MEASURED: Final = "not measured"
ANSWERS_ONLY: Final = "judges whole answers only"
TOKENS_ONLY: Final = "ranks tokens only"
BOLD_NOTE: Final = "Bold: the best of its column among the methods, ties as printed included."
FEW_SOURCES: Final = 30
"""With fewer sources than this, percentile intervals by source cover less often than they say."""


def short(value: float, *, signed: bool = False) -> str:
    """Return three decimals without the leading zero, as tables of this field print them.

    >>> short(0.4567), short(1.0), short(-0.02, signed=True)
    ('.457', '1.000', '−.020')
    """
    digits = decimals(abs(value))
    if not digits.strip(".0"):
        return digits
    return ("−" if value < 0 else "+" if signed else "") + digits


def interval_text(low: float | None, high: float | None, *, signed: bool = False) -> str:
    """Return the interval in brackets, empty where there is none."""
    if low is None or high is None:
        return ""
    return f"[{short(low, signed=signed)}, {short(high, signed=signed)}]"


def figure_cell(figure: Figure | None, *, interval: bool = True, absent: str = NOT_MEASURED) -> Cell:
    """Return the figure as a cell; a dash with the reason where it has no value."""
    if figure is None:
        return missing_cell(absent)
    if figure.value is None:
        return missing_cell(figure.reason)
    shown = interval_text(figure.low, figure.high) if interval else ""
    return Cell(short(figure.value), figure.value, figure.low, figure.high, shown)


def result_cell(
    document: RunDocument, result: MethodResult, place: tuple[Level, Smoothing, MetricName], *, interval: bool = True
) -> Cell:
    """Return one figure of a method with its significance mark; a failed method gives a dash with its failure."""
    if result.failure is not None:
        return missing_cell(f"failed: {result.failure}")
    cell = figure_cell(result.figure(*place), interval=interval, absent=absent_reason(document, result, place))
    if cell.value is not None:
        return replace(cell, mark=significance(document, result.name, place))
    return missing_cell("a control has no threshold") if cell.reason == NO_VALIDATION else cell


def absent_reason(
    document: RunDocument, result: MethodResult, place: tuple[Level, Smoothing | None, MetricName]
) -> str:
    """Return why a method or control that did not fail has no figure of a place, as far as its kind says it."""
    is_control = any(one.name == result.name for one in document.controls)
    if result.level == "answer" and place[0] != "answer":
        return ANSWERS_ONLY
    if is_control and place[1] == "smoothed":
        return "a control is not smoothed"
    if is_control and place[0] == "answer" and not any(one.level == "answer" for one in result.figures):
        return TOKENS_ONLY
    if is_control and place[0] != "answer" and all(one.level == "answer" for one in result.figures):
        return ANSWERS_ONLY
    return NOT_MEASURED


def significance(document: RunDocument, name: str, place: tuple[Level, Smoothing, MetricName]) -> Mark:
    """Return an arrow where the method differs from the reference with Holm's p below .05."""
    for one in document.comparisons:
        same = (one.level, one.smoothing, one.metric) == place
        if same and one.method == name and one.reference == document.reference_method:
            if one.p_holm is None or one.p_holm >= SIGNIFICANT or not one.difference:
                return ""
            return "↑" if one.difference > 0 else "↓"
    return ""


def method_cell(result: MethodResult) -> Cell:
    """Return the title of a method; CSV has its name."""
    return text_cell(result.title, result.name)


def figure_column(group: str, metric: MetricName, smoothing: Smoothing | None, level: Level) -> Column:
    """Return the column of a figure; without a smoothing, the heading does not say it."""
    heading = SHORT_NAMES[metric] + ("" if smoothing is None else f" {smoothing}")
    key = "_".join((level, metric, *(() if smoothing is None else (smoothing,))))
    return Column(key, heading, group, interval=True)


def with_best(rows: Sequence[Row], columns: Sequence[int]) -> tuple[Row, ...]:
    """Return the rows with the best of each of these columns marked, among methods; ties as printed share it."""
    best = {}
    for index in columns:
        values = [row.cells[index].value for row in rows if row.kind in ("method", "variant")]
        numbers = [value for value in values if isinstance(value, float)]
        if len({short(value) for value in numbers}) > 1:
            best[index] = short(max(numbers))
    return tuple(
        Row(row.kind, tuple(replace(cell, best=best.get(i) == cell.text) for i, cell in enumerate(row.cells)))
        if row.kind in ("method", "variant")
        else row
        for row in rows
    )


def data_note(document: RunDocument) -> str:
    """Return in one sentence which answers the figures are of."""
    data = document.data
    answers = f"{data.n_answers:,} {'answer' if data.n_answers == 1 else 'answers'}"
    sources = f"{data.n_sources:,} {'source' if data.n_sources == 1 else 'sources'}"
    return f"{data.full_name}: {answers} of {sources}; {data.split}; reader {document.environment.reader_id}."


def reference_title(document: RunDocument) -> str:
    """Return the title of the method that others were compared with."""
    result = None if document.reference_method is None else document.result(document.reference_method)
    return "no method" if result is None else result.title


def legend(document: RunDocument, rows: Sequence[Row]) -> tuple[str, ...]:
    """Return what intervals, bold figures and arrows mean, where the rows have them."""
    cells = [cell for row in rows for cell in row.cells]
    sentences = []
    if any(cell.interval for cell in cells):
        sentences.append("In brackets: 95 % bootstrap intervals, whole sources drawn.")
        sentences += few_sources_note(document)
    if any(cell.best for cell in cells):
        sentences.append(BOLD_NOTE)
    if any(cell.mark for cell in cells):
        sentences.append(f"↑ and ↓: above and below {reference_title(document)} with p < .05 after Holm's correction.")
    return tuple(sentences)


def few_sources_note(document: RunDocument) -> tuple[str, ...]:
    """Return what intervals are worth where sources are few; nothing where there are enough."""
    n = document.data.n_sources
    if n >= FEW_SOURCES:
        return ()
    return (
        f"Intervals are rough here: with fewer than {FEW_SOURCES} sources, here {n}, percentiles over drawn sources "
        "cover less often than 95 % and need not hold their estimate.",
    )


def finished(document: RunDocument, table: Table) -> Table:
    """Return the table with the best of its figures marked, and what must be known of all its figures as notes."""
    rows = with_best(table.rows, [index for index, column in enumerate(table.columns) if column.interval])
    return replace(table, rows=rows, notes=(data_note(document), *legend(document, rows), *table.notes))
