"""The published tables beside a run's own, with what differs, and whether a claim of reproduction can be made."""

from collections.abc import Mapping, Sequence
from typing import Final

from ragcortex.benchmark.results.cells import NOT_MEASURED, absent_reason, figure_cell, interval_text, short
from ragcortex.benchmark.results.document import RunDocument
from ragcortex.benchmark.results.figure import Figure, Level, MetricName, Smoothing
from ragcortex.benchmark.results.parts import MethodResult
from ragcortex.benchmark.results.published_figures import (
    ABLATION,
    CORTEX_NOTE,
    DATA_SETS,
    METHODS,
    OTHER_POINTS,
    PAPER,
    READER_SIZES,
    READERS,
    SMOOTHED_FOR_ALL,
    OtherPoint,
    PublishedData,
    PublishedMethod,
)
from ragcortex.benchmark.results.table import Cell, Column, Row, Table, missing_cell, section, text_cell
from ragcortex.benchmark.results.tables import answer_smoothing
from ragcortex.evaluation.tables import decimals

_NO_COUNTERPART: Final = "this run has no method that corresponds"
_RAW: Final = "smoothing (the paper's is raw)"
_SMOOTHED: Final = "p_stay (the paper's is .995, here from validation answers)"
# Where a method of ours is not the published one to the letter.
_VARIANTS: Final = {"cortex-tuned": "layer (the paper's is the final one, here from validation answers)"}
_NO_OTHER: Final = "the paper prints none"


def beside_published(document: RunDocument) -> tuple[Table, ...]:
    """Return the published tables with this run's figures beside them; none where the data set was never published on.

    Each row says what differs; each table ends with whether a claim of reproduction can be made.
    """
    published = published_data(document)
    if published is None:
        return ()
    tables = [_main_table(document, published, "token"), _main_table(document, published, "answer")]
    if published.name == "RAGTruth":
        tables += [_steps_table(document), _others_table(document)]
    return tuple(tables)


def published_data(document: RunDocument) -> PublishedData | None:
    """Return the published data set that this run's is, or is part of; None where it is none."""
    name = document.data.name.casefold()
    return next((one for one in DATA_SETS if name.startswith(one.name.casefold())), None)


def is_published_reader(document: RunDocument) -> bool:
    """Return whether the reader is one of the paper's, by its id on the hub."""
    return document.environment.reader_id.casefold() in {one.casefold() for one in READERS}


def reads_own_rows(document: RunDocument) -> bool:
    """Return whether the run read rows of the user instead of official files, whatever data set they are said to be."""
    data = document.config.get("data")
    return isinstance(data, Mapping) and data.get("rows") is not None


def differences(document: RunDocument, published: PublishedData) -> dict[str, str]:
    """Return in what this run differs from the paper: reader, data, rows, training answers, split; empty for none.

    Each is one clause: this run's, then the paper's.
    """
    found = {}
    data, environment = document.data, document.environment
    if not is_published_reader(document):
        size = environment.n_reader_parameters
        ours = environment.reader_id + ("" if size is None else f" ({size / 1e6:,.0f} million parameters)")
        theirs = ", ".join(f"{one.split('/')[1]} ({READER_SIZES[one]})" for one in READERS)
        found["reader"] = f"{ours}; the paper's are {theirs}"
    if data.full_name.casefold() != published.full_name.casefold():
        found["data"] = f"{data.full_name}; the paper's is {published.full_name}"
    if reads_own_rows(document):
        found["rows"] = f"own rows were read; the paper's are the official files of {published.full_name}"
    if data.n_answers != published.n_test:
        found["test answers"] = f"{data.n_answers:,}; the paper's are {published.n_test:,}"
    if set(data.n_training) != {published.n_training}:
        low, high = min(data.n_training), max(data.n_training)
        ours = f"{low:,}" if low == high else f"{low:,} to {high:,} a fold"
        found["training answers"] = f"{ours}; the paper's are {published.n_training:,}"
    if len(data.n_training) > 1:
        found["split"] = f"{data.split}; the paper's is one split into training, validation and test answers"
    return found


def claim(document: RunDocument) -> str:
    """Return the sentence that says whether the run's figures reproduce the paper's, by its reader and data."""
    published = published_data(document)
    if published is None:
        return f"No claim of reproduction is made: {PAPER} has no figures on {document.data.full_name}."
    found = differences(document, published)
    if found:
        listed = "; ".join(f"{name}: {clause}" for name, clause in found.items())
        return (
            f"No claim of reproduction is made, since this run differs from {PAPER}. {listed[:1].upper()}{listed[1:]}."
        )
    return (
        f"Reader ({document.environment.reader_id}), data set ({published.full_name}) and number of training answers "
        f"({published.n_training:,}) are those of {PAPER}, so that the figures may be read as a reproduction; prompts, "
        "layers and pooling of attention, which the paper does not state, may differ."
    )


def _main_table(document: RunDocument, published: PublishedData, level: Level) -> Table:
    columns = [Column("method", "method", numeric=False)]
    for reader in READERS:
        short_name = reader.split("/")[1]
        group = f"paper, {short_name}"
        columns += [Column(f"{short_name}_ap", "AP", group), Column(f"{short_name}_auroc", "AUROC", group)]
    columns.append(Column("our_method", "ours", numeric=False))
    for smoothing in ("raw", "smoothed") if level == "token" else ("",):
        group = f"ours {smoothing}".strip()
        key = f"ours_{smoothing}".strip("_")
        columns += [
            Column(f"{key}_ap", "AP", group, interval=True), Column(f"{key}_auroc", "AUROC", group, interval=True)
        ]  # fmt: skip
    columns.append(Column("differs", "what differs", numeric=False))
    rows = [row for one in METHODS for row in _main_rows(document, published, one, level)]
    notes = [f"Published figures: {PAPER}, {published.full_name}, table of {level}-level results.", CORTEX_NOTE]
    if level == "token":
        notes.append("The paper smooths CORTEX alone in this table: its other rows are to be held against raw scores.")
    title = f"Published {level}-level results on {published.full_name} beside this run's"
    return Table(f"published-{level}", title, tuple(columns), tuple(rows), (*notes, claim(document)))


def _main_rows(document: RunDocument, published: PublishedData, one: PublishedMethod, level: Level) -> list[Row]:
    pairs = (one.token if level == "token" else one.answer)[published.name]
    theirs = [Cell(decimals(value, 4), value) for pair in pairs for value in pair]
    differs = list(differences(document, published))
    if level == "token":
        differs.append(_SMOOTHED if one.smoothing == "smoothed" else _RAW)
    title, found = text_cell(one.title), counterparts(document, one)
    if not found:
        empty = [missing_cell(_NO_COUNTERPART)] * (5 if level == "token" else 3)
        return [Row("published", (title, *theirs, *empty, missing_cell()))]
    rows = []
    for ours in found:
        own = [*differs, *([_VARIANTS[ours.method]] if ours.method in _VARIANTS else [])]
        cells = (
            text_cell(ours.title, ours.name),
            *_own_cells(document, ours, level),
            text_cell("; ".join(own) or "nothing"),
        )
        rows.append(Row("published", (title, *theirs, *cells)))
    return rows


def counterparts(document: RunDocument, one: PublishedMethod) -> list[MethodResult]:
    """Return the run's methods that a published row is to be held against: by name, or by how their name begins."""
    beginnings = tuple(name for name in one.ours if name.endswith("-"))
    return [result for result in document.methods if result.method in one.ours or result.method.startswith(beginnings)]


def _own_cells(document: RunDocument, result: MethodResult, level: Level) -> list[Cell]:
    metrics: tuple[MetricName, ...] = ("average_precision", "auroc")
    if result.failure is not None:
        return [missing_cell(f"failed: {result.failure}")] * (4 if level == "token" else 2)
    places: list[tuple[Level, Smoothing, MetricName]] = [
        (level, smoothing, metric) for smoothing in ("raw", "smoothed") for metric in metrics
    ]
    if level != "token":
        places = [(level, answer_smoothing(result, metric), metric) for metric in metrics]
    return [_own_cell(result.figure(*place), absent_reason(document, result, place)) for place in places]


def _own_cell(figure: Figure | None, absent: str = NOT_MEASURED) -> Cell:
    if figure is None or figure.value is None:
        return figure_cell(figure, absent=absent)
    return Cell(
        decimals(figure.value, 4), figure.value, figure.low, figure.high, interval_text(figure.low, figure.high)
    )


def _steps_table(document: RunDocument) -> Table:
    """Return the paper's ablation and its table of smoothing, with this run's ablations below."""
    columns = (
        Column("step", "", numeric=False),
        Column("token_ap", "AP", "token"), Column("token_auroc", "AUROC", "token"),
        Column("answer_ap", "AP", "answer"), Column("answer_auroc", "AUROC", "answer"),
    )  # fmt: skip
    rows = [section(f"{PAPER}, RAGTruth QA, Qwen3-8B: ablation")]
    for step in ABLATION:
        rows.append(
            Row("published", (text_cell(step.title), *(Cell(decimals(v, 4), v) for v in (*step.token, *step.answer))))
        )
    rows.append(section(f"{PAPER}, RAGTruth QA, Qwen3-8B: token AP raw, then smoothed with p_stay .993"))
    for title, pair in SMOOTHED_FOR_ALL.items():
        for value, smoothing in zip(pair, ("raw", "smoothed"), strict=True):
            missing = [missing_cell(_NO_OTHER)] * 3
            rows.append(
                Row("published", (text_cell(f"{title}, {smoothing}"), Cell(decimals(value, 4), value), *missing))
            )
    if document.ablations:
        rows.append(section(f"this run, {document.data.full_name}, {document.environment.reader_id}"))
    for one in document.ablations:
        variant = text_cell(f"{one.study}: {one.variant}")
        rows.append(Row("ours", (variant, *_ablation_cells(one.figures, one.failure))))
    title = "The paper's ablation and smoothing beside this run's ablations"
    return Table("published-ablation", title, columns, tuple(rows), (claim(document),))


def _ablation_cells(figures: Sequence[Figure], failure: str | None) -> list[Cell]:
    """Return token and answer figures of a variant, smoothed where they are there, else raw."""
    if failure is not None:
        return [missing_cell(f"failed: {failure}")] * 4
    by_place = {one.place: one for one in figures}
    places: list[tuple[Level, MetricName]] = [
        ("token", "average_precision"), ("token", "auroc"), ("answer", "average_precision"), ("answer", "auroc")
    ]  # fmt: skip
    return [
        _own_cell(by_place.get((level, "smoothed", metric)) or by_place.get((level, "raw", metric)))
        for level, metric in places
    ]


def _others_table(document: RunDocument) -> Table:
    """Return what others published on RAGTruth as F1 of characters and of answers, with this run's methods below."""
    columns = (
        Column("system", "system", numeric=False),
        Column("span_f1_qa", "QA", "span F1"), Column("span_f1_overall", "all tasks", "span F1"),
        Column("example_f1_qa", "QA", "answer F1"), Column("example_f1_overall", "all tasks", "answer F1"),
    )  # fmt: skip
    points: dict[str, dict[str, OtherPoint]] = {}
    for one in OTHER_POINTS:
        points.setdefault(one.title, {})[one.metric] = one
    rows = [section("published")]
    rows += [Row("published", (text_cell(title), *_point_cells(pair))) for title, pair in points.items()]
    rows.append(section(f"this run, {document.environment.reader_id}"))
    rows += [Row("ours", (text_cell(one.title, one.name), *_f1_cells(document, one))) for one in document.methods]
    notes = (
        "Span F1 is by overlap of characters; published figures are as their authors report them.",
        f"This run: {document.data.full_name}, {document.data.n_answers:,} answers, {document.data.split}.",
        claim(document),
    )
    return Table("published-others", "Other published results on RAGTruth", columns, tuple(rows), notes)


def _point_cells(pair: dict[str, OtherPoint]) -> list[Cell]:
    cells = []
    for metric in ("span", "example"):
        point = pair.get(metric)
        absent = "not published"
        values = (None, None) if point is None else (point.qa, point.overall)
        cells += [missing_cell(absent) if value is None else Cell(short(value), value) for value in values]
    return cells


def _f1_cells(document: RunDocument, result: MethodResult) -> list[Cell]:
    """Return F1 of characters and answers in the column of the task that the run is of."""
    if result.failure is not None:
        return [missing_cell(f"failed: {result.failure}")] * 4
    places: list[tuple[Level, MetricName]] = [("character", "character_f1"), ("answer", "f1")]
    other = missing_cell("this run is of other tasks")
    cells = []
    for level, metric in places:
        figure = result.figure(level, "smoothed", metric) or result.figure(level, "raw", metric)
        own = figure_cell(figure, interval=False, absent=absent_reason(document, result, (level, None, metric)))
        is_qa = (document.data.task or "").casefold() == "qa"
        cells += [own, other] if is_qa else [other, own] if document.data.task is None else [other, other]
    return cells
