"""The table of significance: how much each method differs from the reference, with interval, p and Holm's p."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ragcortex.benchmark.results.cells import (
    NOT_MEASURED,
    SHORT_NAMES,
    absent_reason,
    data_note,
    interval_text,
    legend,
    method_cell,
    reference_title,
    short,
    significance,
)
from ragcortex.benchmark.results.document import RunDocument
from ragcortex.benchmark.results.figure import LEVELS, METRICS, SMOOTHINGS, Level, MetricName, Smoothing
from ragcortex.benchmark.results.parts import Comparison, MethodResult
from ragcortex.benchmark.results.table import Cell, Column, Row, Table, missing_cell

Place = tuple[Level, Smoothing, MetricName]
LEAST_PRINTED_P: Final = 0.001


def comparison_table(document: RunDocument) -> Table | None:
    """Return a row a method, the reference left out, with difference, p and Holm's p by level and metric.

    None where nothing was compared.
    """
    by_place = {(one.method, one.level, one.smoothing, one.metric): one for one in document.comparisons}
    if not by_place:
        return None
    found = {place[1:] for place in by_place}
    places = [(level, one, metric) for level in LEVELS for one in SMOOTHINGS for metric in METRICS]
    places = [place for place in places if place in found]
    reference = reference_title(document)
    rows = tuple(
        Row(
            "method",
            (
                method_cell(result),
                *(
                    cell
                    for place in places
                    for cell in _cells(document, result, place, by_place.get((result.name, *place)))
                ),
            ),
        )
        for result in document.methods
        if result.name != document.reference_method
    )
    notes = (
        data_note(document),
        *legend(document, rows),
        f"Difference: the method minus {reference}, {_smoothing_words(places)}, on the same draws of whole sources; "
        "positive where the method is better.",
        "p: two-sided, of no difference; Holm: corrected over the methods compared in the same level and metric.",
    )
    title = f"Differences from {reference}: {document.data.full_name}"
    return Table("comparisons", title, tuple(_columns(places)), rows, notes)


def _columns(places: Sequence[Place]) -> list[Column]:
    both = len({smoothing for _, smoothing, _ in places}) > 1
    columns = [Column("method", "method", numeric=False)]
    for level, smoothing, metric in places:
        group = f"{level} {SHORT_NAMES[metric]}" + (f" {smoothing}" if both else "")
        key = f"{level}_{metric}_{smoothing}"
        columns.append(Column(f"{key}_difference", "difference", group, interval=True))
        columns += [Column(f"{key}_p", "p", group), Column(f"{key}_p_holm", "p, Holm", group)]
    return columns


def _smoothing_words(places: Sequence[Place]) -> str:
    return " and ".join(one for one in SMOOTHINGS if any(place[1] == one for place in places)) + " scores"


def _cells(
    document: RunDocument, result: MethodResult, place: Place, one: Comparison | None
) -> tuple[Cell, Cell, Cell]:
    """Return difference, p and Holm's p; each that is missing has its reason."""
    if one is None:
        measured = result.figure(*place)
        why = absent_reason(document, result, place) if measured is None else measured.reason or "not compared"
        return (missing_cell(why if result.failure is None else f"failed: {result.failure}"),) * 3
    difference = missing_cell(one.reason)
    if one.difference is not None:
        interval = interval_text(one.low, one.high, signed=True)
        shown = Cell(short(one.difference, signed=True), one.difference, one.low, one.high, interval)
        difference = replace(shown, mark=significance(document, result.name, place))
    return difference, _p_cell(one.p, one.reason), _p_cell(one.p_holm, one.reason)


def _p_cell(p: float | None, reason: str | None) -> Cell:
    if p is None:
        return missing_cell(reason or NOT_MEASURED)
    return Cell(short(p) if p >= LEAST_PRINTED_P else f"< {short(LEAST_PRINTED_P)}", p)
