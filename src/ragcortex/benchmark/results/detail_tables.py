"""The tables of a run that explain it: parts of the answers, variants of methods, and what each method costs."""

import statistics
from collections.abc import Iterator, Sequence
from typing import Final

from ragcortex.benchmark.results.cells import (
    ANSWERS_ONLY,
    NOT_MEASURED,
    SHORT_NAMES,
    absent_reason,
    figure_cell,
    finished,
    method_cell,
    short,
)
from ragcortex.benchmark.results.document import RunDocument
from ragcortex.benchmark.results.figure import LEVELS, SMOOTHINGS, Level, MetricName, Smoothing, find_figure
from ragcortex.benchmark.results.parts import Ablation, Breakdown, Cost, MethodResult, Repeat
from ragcortex.benchmark.results.table import Cell, Column, Row, Table, missing_cell, text_cell

Place = tuple[Level, Smoothing, MetricName]
PRINTED: Final[tuple[MetricName, ...]] = ("average_precision", "auroc", "recall", "character_f1")
MAIN_LEVELS: Final[tuple[Level, ...]] = ("token", "character", "answer")


def breakdown_tables(document: RunDocument) -> Iterator[Table]:
    """Yield a table a dimension and level: methods by parts of the answers, with the size of each part below."""
    for dimension in dict.fromkeys(one.dimension for one in document.breakdowns):
        parts = [one for one in document.breakdowns if one.dimension == dimension]
        for level in LEVELS:
            occurring = [figure.place for one in parts for figure in one.figures if figure.level == level]
            places = _places(occurring)
            if places:
                yield _breakdown_table(document, dimension, parts, places)


def ablation_table(document: RunDocument) -> Table | None:
    """Return the variants, a section a study; None where nothing was varied."""
    places = _main_places(document.ablations)
    if not document.ablations:
        return None
    columns = (Column("study", "study", numeric=False), Column("variant", "variant", numeric=False), *_columns(places))
    rows: list[Row] = []
    for study in dict.fromkeys(one.study for one in document.ablations):
        rows += [_ablation_row(one, places) for one in document.ablations if one.study == study]
    return finished(document, Table("ablations", f"Ablations: {document.data.full_name}", columns, tuple(rows)))


def seed_table(document: RunDocument) -> Table | None:
    """Return mean and standard deviation over the seeds of the protocol; None where there are not two of them."""
    seeds = sorted({one.seed for one in document.repeats})
    if len(seeds) < 2:
        return None
    places = [place for place in _main_places(document.repeats) if place[1] == "smoothed"]
    columns = [Column("method", "method", numeric=False)]
    for level, smoothing, metric in places:
        key = f"{level}_{metric}_{smoothing}"
        columns.append(Column(key, f"{SHORT_NAMES[metric]} {smoothing}", level))
        columns.append(Column(f"{key}_deviation", f"{SHORT_NAMES[metric]} s.d.", level))
    rows = []
    for result in document.methods:
        own = [one for one in document.repeats if one.method == result.name]
        cells = [cell for place in places for cell in _spread_cells(document, result, own, place, len(seeds))]
        rows.append(Row("method", (method_cell(result), *cells)))
    notes = (
        f"Mean and standard deviation (n − 1) over seeds {', '.join(map(str, seeds))}; each draws its own splits.",
    )
    title = f"Spread over {len(seeds)} seeds: {document.data.full_name}"
    return finished(document, Table("seeds", title, tuple(columns), tuple(rows), notes))


def cost_table(document: RunDocument) -> Table:
    """Return what each method costs."""
    columns = (
        Column("method", "method", numeric=False),
        Column("reading_ratio", "reading, × two bare passes"),
        Column("reading_seconds", "reading, s an answer"),
        Column("fitting_seconds", "fitting, s"),
        Column("scoring_milliseconds", "scoring, ms an answer"),
        Column("kilobytes_kept", "kept, kB an answer"),
        Column("peak_megabytes", "peak memory, MB"),
    )
    rows = tuple(Row("method", (method_cell(one), *_cost_cells(one))) for one in document.methods)
    environment = document.environment
    notes = (
        f"Measured on {environment.processor}, {environment.n_cores} cores, reader {environment.reader_id} in "
        f"{environment.reader_dtype}.",
        "A reading is shared by all methods: its cost counts once however many methods use it.",
    )
    return Table("cost", "What each method costs", columns, rows, notes)


def _places(places: Sequence[Place]) -> list[Place]:
    """Return those of the places that these tables print, by level, metric and smoothing; figures.csv has all."""
    metrics = list(SHORT_NAMES)
    places = [place for place in places if place[2] in PRINTED]
    order = {
        place: (LEVELS.index(place[0]), metrics.index(place[2]), SMOOTHINGS.index(place[1])) for place in set(places)
    }
    return sorted(order, key=lambda place: order[place])


def _main_places(parts: Sequence[Ablation | Repeat]) -> list[Place]:
    places = _places([figure.place for one in parts for figure in one.figures])
    return [place for place in places if place[0] in MAIN_LEVELS and place[2] != "recall"]


def _columns(places: Sequence[Place]) -> list[Column]:
    return [
        Column(f"{level}_{metric}_{smoothing}", f"{SHORT_NAMES[metric]} {smoothing}", level, interval=True)
        for level, smoothing, metric in places
    ]


def _breakdown_table(
    document: RunDocument, dimension: str, parts: Sequence[Breakdown], places: Sequence[Place]
) -> Table:
    """Return a table of one level; each group has a column a metric, smoothed where that was measured."""
    level = places[0][0]
    groups = list(dict.fromkeys(one.group for one in parts))
    chosen = [place for place in places if place[1] == "smoothed" or (level, "smoothed", place[2]) not in places]
    columns = [Column("method", "method", numeric=False)]
    for group in groups:
        columns += [
            Column(f"{group}_{metric}_{smoothing}", SHORT_NAMES[metric], group, interval=True)
            for _, smoothing, metric in chosen
        ]
    by_part = {(one.method, one.group): one for one in parts}
    rows = [
        Row(
            "method",
            (
                method_cell(one),
                *_part_cells(document, one, [by_part.get((one.name, group)) for group in groups], chosen),
            ),
        )
        for one in document.methods
    ]
    for one in document.controls:
        known = [by_part.get((one.name, group)) for group in groups]
        if any(known):
            rows.append(Row("control", (method_cell(one), *_part_cells(document, one, known, chosen))))
    sizes = [_part_size([one for one in parts if one.group == group], chosen) for group in groups]
    table = Table(
        f"by-{dimension.replace(' ', '-')}-{level}", f"By {dimension}, {level} level: {document.data.full_name}",
        tuple(columns), tuple(rows), (_sizes_note(groups, sizes, level), _smoothing_note(chosen)),
    )  # fmt: skip
    return finished(document, table)


def _part_cells(
    document: RunDocument, result: MethodResult, parts: Sequence[Breakdown | None], places: Sequence[Place]
) -> list[Cell]:
    if result.failure is not None:
        return [missing_cell(f"failed: {result.failure}")] * len(parts) * len(places)
    return [
        figure_cell(
            None if part is None else find_figure(part.figures, *place),
            interval=False,
            absent=absent_reason(document, result, place),
        )
        for part in parts
        for place in places
    ]


def _part_size(parts: Sequence[Breakdown], places: Sequence[Place]) -> tuple[int, float | None]:
    """Return how many units the part has, and the share of them that is hallucinated."""
    figures = [find_figure(one.figures, *place) for one in parts for place in places]
    known = [one for one in figures if one is not None]
    return (known[0].n, known[0].base_rate) if known else (0, None)


def _sizes_note(groups: Sequence[str], sizes: Sequence[tuple[int, float | None]], level: str) -> str:
    texts = [
        f"{group} {n:,}" + ("" if rate is None else f" ({100 * rate:.1f} % hallucinated)")
        for group, (n, rate) in zip(groups, sizes, strict=True)
    ]
    return f"{level.capitalize()}s: " + ", ".join(texts) + "."


def _smoothing_note(places: Sequence[Place]) -> str:
    smoothings = sorted({smoothing for _, smoothing, _ in places})
    return f"Scores are {' and '.join(smoothings)}; figures.csv has every metric, raw and smoothed."


def _ablation_row(one: Ablation, places: Sequence[Place]) -> Row:
    if one.failure is not None:
        cells = [missing_cell(f"failed: {one.failure}")] * len(places)
    else:
        cells = [figure_cell(find_figure(one.figures, *place), absent=_absent(one, place)) for place in places]
    return Row("variant", (text_cell(one.study), text_cell(one.variant), *cells))


def _absent(one: Ablation, place: Place) -> str:
    """Return why a variant has no figure of a place."""
    only_answers = all(figure.level == "answer" for figure in one.figures)
    return ANSWERS_ONLY if only_answers and place[0] != "answer" else NOT_MEASURED


def _spread_cells(
    document: RunDocument, result: MethodResult, repeats: Sequence[Repeat], place: Place, n_seeds: int
) -> tuple[Cell, Cell]:
    if result.failure is not None:
        return (missing_cell(f"failed: {result.failure}"),) * 2
    figures = [find_figure(one.figures, *place) for one in repeats]
    values = [one.value for one in figures if one is not None and one.value is not None]
    if not any(figures):
        return (missing_cell(absent_reason(document, result, place)),) * 2
    if len(values) < n_seeds:
        return (missing_cell(f"measured with {len(values)} of {n_seeds} seeds only"),) * 2
    mean, deviation = statistics.fmean(values), statistics.stdev(values)
    return Cell(short(mean), mean), Cell(short(deviation), deviation)


def _cost_cells(result: MethodResult) -> list[Cell]:
    if result.failure is not None:
        return [missing_cell(f"failed: {result.failure}")] * 6
    cost = result.cost or Cost()
    return [
        _number_cell(cost.reading_ratio, ".2f"),
        _number_cell(cost.reading_seconds, ".3f"),
        _number_cell(cost.fitting_seconds, ",.1f"),
        _number_cell(cost.scoring_milliseconds, ",.2f"),
        _number_cell(cost.kilobytes_kept, ",.1f"),
        _number_cell(cost.peak_megabytes, ",.1f"),
    ]


def _number_cell(value: float | None, form: str) -> Cell:
    return missing_cell(NOT_MEASURED) if value is None else Cell(format(value, form), value)
