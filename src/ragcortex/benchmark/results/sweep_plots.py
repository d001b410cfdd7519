"""Pictures of a metric along a setting: the layer that is read, and how long a label persists."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from ragcortex.benchmark.results.cells import SHORT_NAMES
from ragcortex.benchmark.results.document import RunDocument
from ragcortex.benchmark.results.drawn import Sweep
from ragcortex.benchmark.results.plot_style import (
    CONTEXT,
    SOFT,
    Look,
    Picture,
    dress,
    line_legend,
    named,
    others_note,
    picture,
    wrapped,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_TITLES: Final = {"layer": "Which layer is read", "p_stay": "How long a label persists"}
_MOST_FLAT: Final = 8
_AXES: Final = {"layer": "layer", "p_stay": "p_stay, probability of keeping the label (even steps)"}


def sweep_pictures(document: RunDocument) -> Iterator[Picture]:
    """Yield a picture for each setting, level, smoothing and set of answers that was swept, with a panel a metric."""
    keys = [(one.parameter, one.level, one.smoothing, one.measured_on) for one in document.sweeps]
    for key in dict.fromkeys(keys):
        sweeps = [one for one, own in zip(document.sweeps, keys, strict=True) if own == key]
        parameter, level, smoothing, answers = key
        name = f"sweep-{parameter.replace('_', '-')}-{level}-{smoothing}-{answers}"
        title = f"{_TITLES[parameter]}: {level} level, {smoothing}, {answers} answers"
        n_metrics = len({one.metric for one in sweeps})

        def draw(canvas: "Canvas", sweeps: Sequence[Sweep] = sweeps) -> None:
            _draw(canvas, document, sweeps)

        yield picture(name, title, (4.5 + 4.8 * n_metrics, 4.6), draw)


def _draw(canvas: "Canvas", document: RunDocument, sweeps: Sequence[Sweep]) -> None:
    metrics = sorted({one.metric for one in sweeps}, key=list(SHORT_NAMES).index)
    panels = canvas.subplots(1, len(metrics), squeeze=False)[0]
    # Named and sorted by the first panel, so that a method looks alike in all.
    names = {one.method: _highest(one) for one in reversed(sweeps) if one.metric == metrics[0]}
    ranked = sorted({one.method for one in sweeps}, key=lambda name: (-names.get(name, -1.0), name))
    looks = named(ranked, document.reference_method)
    for axes, metric in zip(panels, metrics, strict=True):
        _draw_panel(axes, document, [one for one in sweeps if one.metric == metric], looks)
    line_legend(canvas, panels[0], "method")
    notes = [others_note(len(looks), len(ranked), f"their highest {SHORT_NAMES[metrics[0]]}")]
    if any(one.chosen for one in sweeps):
        notes.append("large markers: chosen by a fold on validation answers")
    text = "; ".join(note for note in notes if note)
    if text:
        canvas.supxlabel(text, x=0.01, ha="left", fontsize=8.5, color=SOFT)


def _highest(one: Sweep) -> float:
    return max([-1.0, *(value for value in one.values if value is not None)])


def _draw_panel(axes: "Axes", document: RunDocument, sweeps: Sequence[Sweep], looks: Mapping[str, Look]) -> None:
    from matplotlib.ticker import MaxNLocator

    parameter, metric = sweeps[0].parameter, sweeps[0].metric
    settings = sorted({setting for one in sweeps for setting in one.settings})
    # Values of p_stay crowd towards 1; even steps show them all.
    places = {s: float(n) if parameter == "p_stay" else s for n, s in enumerate(settings)}
    for one in (one for one in sweeps if one.method not in looks):
        _draw_line(axes, one, places, None, "")
    by_method = {one.method: one for one in sweeps}
    for name in (name for name in looks if name in by_method):
        result = document.result(name)
        _draw_line(axes, by_method[name], places, looks[name], wrapped(name if result is None else result.title))
    if parameter == "p_stay":
        turned = 90 if len(places) > _MOST_FLAT else 0
        axes.set_xticks(list(places.values()), [f"{setting:g}" for setting in settings], rotation=turned)
    else:
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    dress(axes, SHORT_NAMES[metric], x=_AXES[parameter])


def _draw_line(axes: "Axes", one: Sweep, places: dict[float, float], look: Look | None, label: str) -> None:
    x = [places[setting] for setting in one.settings]
    y = [float("nan") if value is None else value for value in one.values]
    if look is None:
        axes.plot(x, y, color=CONTEXT, linewidth=0.8, zorder=1)
        return
    axes.plot(
        x, y, color=look.colour, linestyle=look.line, marker=look.marker, markersize=3.5, linewidth=1.5, label=label,
        zorder=2,
    )  # fmt: skip
    chosen = set(one.chosen)
    points = [(places[s], v) for s, v in zip(one.settings, one.values, strict=True) if s in chosen and v is not None]
    for px, py in points:
        axes.plot(
            [px], [py], marker=look.marker, markersize=9, markerfacecolor="white", markeredgecolor=look.colour,
            markeredgewidth=1.8, zorder=3,
        )  # fmt: skip
