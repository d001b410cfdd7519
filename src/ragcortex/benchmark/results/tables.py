"""The tables of a run that rank its methods: the main one, all levels, and the operating points."""

from collections.abc import Iterator, Sequence
from typing import Final

from ragcortex.benchmark.method_card import CLEAREST_ANSWER, Training
from ragcortex.benchmark.results.cells import (
    SHORT_NAMES,
    figure_column,
    finished,
    method_cell,
    reference_title,
    result_cell,
    short,
)
from ragcortex.benchmark.results.document import RunDocument
from ragcortex.benchmark.results.figure import LEVELS, SMOOTHINGS, Level, MetricName, Smoothing
from ragcortex.benchmark.results.parts import MethodResult
from ragcortex.benchmark.results.table import Cell, Column, Row, Table, missing_cell, section, text_cell

RANKING: Final[tuple[MetricName, MetricName]] = ("average_precision", "auroc")
AT_THRESHOLD: Final[tuple[MetricName, ...]] = (
    "f1", "precision", "recall", "precision_at_recall_0.5", "precision_at_recall_0.8",
)  # fmt: skip
OVERLAP: Final[tuple[MetricName, ...]] = ("character_f1", "iou")
TRAINING_WORDS: Final[dict[Training, str]] = {
    "none": "nothing",
    "unlabelled": "unlabelled answers",
    "labels": "labels",
    "other data": "labels of other data",
    "test labels": "the test labels themselves",
}
CHANCE_AUROC: Final = 0.5
ORACLE_NOTE: Final = "What is fitted on the test labels themselves is an oracle, not a method that could be used."
GUESS_NOTE: Final = "The last row is what a guess achieves: AP equals the share that is hallucinated, AUROC is .500."


def main_table(document: RunDocument, *, intervals: bool = True) -> Table:
    """Return methods by token AP and AUROC, raw and smoothed, and answer AP and AUROC; controls and a guess below.

    Without `intervals`, none is printed; CSV has them all the same.
    """
    places: list[tuple[Level, Smoothing | None, MetricName]] = [
        ("token", smoothing, metric) for metric in RANKING for smoothing in SMOOTHINGS
    ]
    places += [("answer", None, metric) for metric in RANKING]
    columns = [
        Column("method", "method", numeric=False),
        Column("fitted_on", "fitted on", numeric=False),
        *(figure_column(level, metric, smoothing, level) for level, smoothing, metric in places),
    ]

    def row(result: MethodResult, kind: str) -> Row:
        cells = [_titled(result), text_cell(TRAINING_WORDS[result.training], result.training)]
        for level, smoothing, metric in places:
            used = smoothing or answer_smoothing(result, metric)
            cells.append(result_cell(document, result, (level, used, metric), interval=intervals))
        return Row("control" if kind == "control" else "method", tuple(cells))

    rows = [row(result, "method") for result in document.methods]
    if document.controls:
        rows += [section("Trivial controls"), *(row(result, "control") for result in document.controls)]
    guesses = [_guess(document, level, metric) for level, _, metric in places]
    rows.append(Row("base rate", (text_cell("a guess", "guess"), text_cell("nothing", "none"), *guesses)))
    title = f"Hallucination detection on {document.data.full_name}"
    notes = [GUESS_NOTE]
    if any(result.training == "test labels" for result in (*document.methods, *document.controls)):
        notes.append(ORACLE_NOTE)
    if document.comparisons and not any(cell.mark for row in rows for cell in row.cells):
        notes.append(f"No difference from {reference_title(document)} has p < .05 after Holm's correction.")
    return finished(document, Table("main", title, tuple(columns), tuple(rows), tuple(notes)))


def levels_table(document: RunDocument) -> Table | None:
    """Return AP and AUROC at every level, and the overlap of marked characters; a row a method and smoothing."""
    places = [(level, metric) for level in LEVELS for metric in (*RANKING, *OVERLAP) if _has(document, level, metric)]
    return _long_table(document, "levels", "Every level", places) if places else None


def operating_tables(document: RunDocument) -> Iterator[Table]:
    """Yield, a level each, what a threshold chosen on validation answers achieves, and precision at fixed recall."""
    for level in LEVELS:
        places = [(level, metric) for metric in AT_THRESHOLD if _has(document, level, metric)]
        if places:
            note = "F1, precision and recall at the threshold of the best F1 on validation answers."
            table = _long_table(document, f"operating-points-{level}", f"Operating points, {level} level", places, note)
            yield table


def answer_smoothing(result: MethodResult, metric: MetricName) -> Smoothing:
    """Return which of a method's answer figures tables print: smoothed where there is one, else its own raw score."""
    return "smoothed" if result.figure("answer", "smoothed", metric) is not None else "raw"


def _titled(result: MethodResult) -> Cell:
    """Return the title; where the answer score is not the usual one, a footnote says what it is."""
    own = None if result.answer_score == CLEAREST_ANSWER else f"answer score: {result.answer_score}"
    return text_cell(result.title, result.name, own)


def _guess(document: RunDocument, level: Level, metric: MetricName) -> Cell:
    rate = CHANCE_AUROC if metric == "auroc" else document.data.base_rates.get(level)
    return missing_cell("the base rate is not known") if rate is None else Cell(short(rate), rate)


def _has(document: RunDocument, level: Level, metric: MetricName) -> bool:
    results = (*document.methods, *document.controls)
    return any(one.level == level and one.metric == metric for result in results for one in result.figures)


def _long_table(
    document: RunDocument, name: str, title: str, places: Sequence[tuple[Level, MetricName]], *notes: str
) -> Table:
    columns = [
        Column("method", "method", numeric=False),
        Column("smoothing", "smoothing", numeric=False),
        *(Column(f"{level}_{metric}", SHORT_NAMES[metric], level, interval=True) for level, metric in places),
    ]
    rows: list[Row] = []
    for kind, results in (("method", document.methods), ("control", document.controls)):
        if kind == "control" and results:
            rows.append(section("Trivial controls"))
        rows += [
            row for result in results for row in _long_rows(document, result, places, is_control=kind == "control")
        ]
    return finished(document, Table(name, f"{title}: {document.data.full_name}", tuple(columns), tuple(rows), notes))


def _long_rows(
    document: RunDocument, result: MethodResult, places: Sequence[tuple[Level, MetricName]], *, is_control: bool
) -> Iterator[Row]:
    """Yield a row a smoothing that the method has any of these figures with; one row where it has none."""
    measured = [
        one for one in SMOOTHINGS if any(f.smoothing == one and (f.level, f.metric) in places for f in result.figures)
    ]
    for smoothing in measured or SMOOTHINGS[:1]:
        name = text_cell(smoothing) if measured else missing_cell()
        cells = [result_cell(document, result, (level, smoothing, metric), interval=False) for level, metric in places]
        yield Row("control" if is_control else "method", (method_cell(result), name, *cells))
