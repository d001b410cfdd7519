"""The pictures of a run: precision–recall and ROC curves, and every method's figures with their intervals."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from ragcortex.benchmark.results.cells import SHORT_NAMES, short
from ragcortex.benchmark.results.document import RunDocument
from ragcortex.benchmark.results.drawn import Curve, CurveKind
from ragcortex.benchmark.results.figure import Figure, Level, MetricName, Smoothing
from ragcortex.benchmark.results.files import write_file
from ragcortex.benchmark.results.parts import MethodResult
from ragcortex.benchmark.results.plot_style import (
    CONTEXT,
    FRAME,
    INK,
    SOFT,
    Look,
    Picture,
    drawable,
    dress,
    line_legend,
    named,
    others_note,
    picture,
    wrapped,
)
from ragcortex.benchmark.results.reliability_plots import reliability_pictures
from ragcortex.benchmark.results.sweep_plots import sweep_pictures

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

RANKING: Final[tuple[MetricName, MetricName]] = ("average_precision", "auroc")
_KINDS: Final[tuple[CurveKind, CurveKind]] = ("precision_recall", "roc")
_LABELS: Final = {
    "precision_recall": ("precision and recall", "recall", "precision"),
    "roc": ("ROC", "false positive rate", "true positive rate"),
}
_LEVELS: Final[tuple[Level, Level]] = ("token", "answer")
_BLUE: Final = "#0072B2"
_ORANGE: Final = "#D55E00"


def run_pictures(document: RunDocument) -> tuple[Picture, ...]:
    """Return every picture of a run that it has the numbers for."""
    made = [*curve_pictures(document), *forest_pictures(document)]
    return (*made, *sweep_pictures(document), *reliability_pictures(document))


def write_pictures(pictures: Sequence[Picture], folder: "Path") -> "list[Path]":
    """Write each picture as PNG and SVG, and return the paths.

    Raises:
        StoreError: a file cannot be written.
    """
    paths = []
    for one in pictures:
        paths += [write_file(folder / f"{one.name}.png", one.png), write_file(folder / f"{one.name}.svg", one.svg)]
    return paths


def curve_pictures(document: RunDocument) -> Iterator[Picture]:
    """Yield the curves of tokens and of answers, smoothed where there are such."""
    for level in _LEVELS:
        curves = [one for one in document.curves if one.level == level]
        smoothings = {one.method: one.smoothing for one in sorted(curves, key=lambda one: one.smoothing)}
        curves = [one for one in curves if smoothings[one.method] == one.smoothing]
        if curves:
            title = f"{level.capitalize()}s ranked: {document.data.full_name}"

            def draw(canvas: "Canvas", level: Level = level, curves: Sequence[Curve] = curves) -> None:
                _draw_curves(canvas, document, level, curves)

            yield picture(f"curves-{level}", title, (11.5, 4.6), draw)


def forest_pictures(document: RunDocument) -> Iterator[Picture]:
    """Yield AP and AUROC of every method with their intervals, of tokens and of answers; failed methods are named."""
    for level in _LEVELS:
        results = [*document.methods, *document.controls]
        if any(one.level == level and one.metric in RANKING for result in results for one in result.figures):
            title = f"{level.capitalize()} level: {document.data.full_name}"
            height = 1.5 + 0.26 * (len(results) + bool(document.controls))

            def draw(canvas: "Canvas", level: Level = level) -> None:
                _draw_forest(canvas, document, level)

            yield picture(f"figures-{level}", title, (11.0, height), draw)


def strength(result: MethodResult | None, level: Level) -> float:
    """Return the AP that methods are sorted by, smoothed where it is there; −1 without one."""
    if result is None:
        return -1.0
    for smoothing in ("smoothed", "raw"):
        figure = result.figure(level, "smoothed" if smoothing == "smoothed" else "raw", "average_precision")
        if figure is not None and figure.value is not None:
            return figure.value
    return -1.0


def _draw_curves(canvas: "Canvas", document: RunDocument, level: Level, curves: Sequence[Curve]) -> None:
    panels = canvas.subplots(1, len(_KINDS))
    names = dict.fromkeys(one.method for one in curves)
    ranked = sorted(names, key=lambda name: (-strength(document.result(name), level), name))
    looks = named(ranked, document.reference_method)
    for axes, kind in zip(panels, _KINDS, strict=True):
        by_method = {one.method: one for one in curves if one.kind == kind}
        for name in reversed(ranked):
            if name in by_method and name not in looks:
                _draw_curve(axes, by_method[name], None, "")
        for name in (name for name in ranked if name in looks and name in by_method):
            _draw_curve(axes, by_method[name], looks[name], _curve_label(document, name, level))
        heading, x, y = _LABELS[kind]
        dress(axes, heading, x=x, y=y)
        axes.set_xlim(-0.02, 1.02)
        axes.set_ylim(-0.02, 1.02)
        axes.set_aspect("equal")
    rate = document.data.base_rates.get(level)
    if rate is not None:
        dotted = (0, (1, 2))
        panels[0].axhline(rate, color=SOFT, linewidth=1.0, linestyle=dotted, label=f"a guess, {short(rate)}")
    panels[1].plot((0, 1), (0, 1), color=SOFT, linewidth=1.0, linestyle=(0, (1, 2)))
    line_legend(canvas, panels[0], "method, AP")
    note = others_note(len(looks), len(ranked), "AP")
    if note:
        canvas.supxlabel(note, x=0.01, ha="left", fontsize=8.5, color=SOFT)


def _draw_curve(axes: "Axes", one: Curve, look: Look | None, label: str) -> None:
    x, y = zip(*one.points, strict=True)
    # Between two thresholds precision is that of the lower one: steps, not slopes.
    style = "steps-pre" if one.kind == "precision_recall" else "default"
    if look is None:
        axes.plot(x, y, color=CONTEXT, linewidth=0.8, drawstyle=style, zorder=1)
    else:
        axes.plot(x, y, color=look.colour, linestyle=look.line, linewidth=1.6, drawstyle=style, label=label, zorder=2)


def _curve_label(document: RunDocument, name: str, level: Level) -> str:
    result = document.result(name)
    value = strength(result, level)
    shown = f", {short(value)}" if value >= 0 else ""
    return wrapped((name if result is None else result.title) + shown)


def _draw_forest(canvas: "Canvas", document: RunDocument, level: Level) -> None:
    methods = sorted(document.methods, key=lambda one: (one.failure is not None, -strength(one, level), one.name))
    rows: list[MethodResult | None] = [*methods, *([None, *document.controls] if document.controls else [])]
    panels = canvas.subplots(1, len(RANKING), sharey=True)
    for axes, metric in zip(panels, RANKING, strict=True):
        for place, result in enumerate(rows):
            if result is not None:
                _draw_row(axes, result, level, metric, place, is_control=result in document.controls)
        chance = 0.5 if metric == "auroc" else document.data.base_rates.get(level)
        if chance is not None:
            axes.axvline(chance, color=SOFT, linewidth=1.0, linestyle=(0, (1, 2)), zorder=1)
        dress(axes, SHORT_NAMES[metric])
        axes.grid(axis="y", visible=False)
        if document.controls:
            axes.axhline(len(methods), color=FRAME, linewidth=0.8)
    titles = ["" if one is None else _short_title(one, document) for one in rows]
    panels[0].set_yticks(range(len(rows)), titles, fontsize=9, color=INK)
    panels[0].set_ylim(len(rows) - 0.4, -0.6)
    for axes in panels:
        axes.tick_params(axis="y", length=0)
    _forest_legend(canvas, panels[1])


def _short_title(result: MethodResult, document: RunDocument) -> str:
    """Return a title on one line; long ones are shortened, tables have them whole."""
    text = drawable(result.title)
    text = text if len(text) <= 40 else text[:39] + "…"
    return f"{text} (reference)" if result.name == document.reference_method else text


def _draw_row(
    axes: "Axes", result: MethodResult, level: Level, metric: MetricName, place: int, *, is_control: bool
) -> None:
    pairs: list[tuple[Smoothing, float]] = [("raw", 0.16), ("smoothed", -0.16)]
    found = [(result.figure(level, smoothing, metric), smoothing, offset) for smoothing, offset in pairs]
    known = [(one, smoothing, offset) for one, smoothing, offset in found if one is not None and one.value is not None]
    if not known:
        reason = result.failure or next((one.reason for one, _, _ in found if one is not None and one.reason), None)
        text = f"{'failed: ' if result.failure else ''}{reason or 'not measured'}"
        text = drawable(text)
        text = text if len(text) <= 60 else text[:59] + "…"
        axes.text(
            0.015, place, text, transform=axes.get_yaxis_transform(), fontsize=8, va="center", color=SOFT,
            style="italic", zorder=4, bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
        )  # fmt: skip
    for one, smoothing, offset in known:
        _draw_figure(axes, one, smoothing, place + (offset if len(known) > 1 else 0.0), is_control=is_control)


def _draw_figure(axes: "Axes", one: Figure, smoothing: Smoothing, y: float, *, is_control: bool) -> None:
    colour = SOFT if is_control else _ORANGE if smoothing == "raw" else _BLUE
    if one.low is not None and one.high is not None:
        axes.plot((one.low, one.high), (y, y), color=colour, linewidth=1.3, alpha=0.75, zorder=2)
    marker, face = ("s", "white") if smoothing == "raw" else ("o", colour)
    if one.value is not None:
        axes.plot([one.value], [y], marker, markersize=4.5, markerfacecolor=face, markeredgecolor=colour, zorder=3)


def _forest_legend(canvas: "Canvas", axes: "Axes") -> None:
    axes.plot([], [], "o", color=_BLUE, markersize=5, label="smoothed")
    axes.plot([], [], "s", markerfacecolor="white", markeredgecolor=_ORANGE, markersize=5, label="raw")
    axes.plot([], [], color=SOFT, linewidth=1.0, linestyle=(0, (1, 2)), label="a guess")
    handles, labels = axes.get_legend_handles_labels()
    canvas.legend(handles, labels, loc="outside lower left", ncols=3, frameon=False, fontsize=9, labelcolor=INK)
