"""How both classes of labelled answers score, with the threshold between them: as a picture, and for a terminal."""

import io
from typing import TYPE_CHECKING, Final

from ragcortex.errors import InputError
from ragcortex.geometry.calibration_report import N_BINS, CalibrationReport, ClassScores

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK: Final = "#1d2127"
# Okabe and Ito's blue and vermilion, told apart by colour-blind eyes; hatching tells them apart in print.
_LOOKS: Final = (("grounded (label 0)", "#0072B2", ""), ("hallucinated (label 1)", "#D55E00", "////"))
_EIGHTHS: Final = " ▏▎▍▌▋▊▉"
_LEAST_BAR: Final = 4


def render_calibration_png(report: CalibrationReport, *, dots_per_inch: int = 150) -> bytes:
    """Return both distributions and the threshold as a PNG of 9 by 6 inches; the same report gives the same bytes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6), dpi=dots_per_inch, layout="constrained", facecolor="white")
    canvas = FigureCanvasAgg(figure)
    upper, lower = figure.subplots(2, 1, sharex=True, sharey=True)
    for axes, scores, look in zip((upper, lower), (report.grounded, report.hallucinated), _LOOKS, strict=True):
        _draw_class(axes, scores, *look)
        _draw_threshold(axes, report)
    figure.legend(*upper.get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False, fontsize=9)
    lower.set_xlabel("score of the answer (higher = more likely hallucinated)", color=_INK)
    figure.supylabel("share of the class", color=_INK, fontsize=10)
    figure.suptitle(
        f"Scores of {report.n_answers:,} labelled answers; positive class: hallucinated",
        x=0.01, ha="left", fontsize=14, fontweight="bold", color=_INK,
    )  # fmt: skip
    upper.set_title(_figures(report), loc="left", fontsize=9.5, color=_INK)
    buffer = io.BytesIO()
    canvas.print_png(buffer, metadata={"Software": None})  # type: ignore[no-untyped-call]
    return buffer.getvalue()


def render_calibration_text(report: CalibrationReport, *, width: int = 80, unicode: bool = True) -> str:
    """Return both distributions as lines of text, a row a bin, with the threshold where it lies.

    Bars show the share of their own class, all to one scale; the numbers are answers.

    Args:
        report: what to show.
        width: columns at most, at least 40.
        unicode: whether to use block characters; without, only ASCII.

    Raises:
        InputError: width is below 40.
    """
    if width < 40:
        raise InputError("width", f"must be at least 40 columns, got {width}")
    grounded, hallucinated = report.grounded, report.hallucinated
    digits = max(len(str(n)) for n in (*grounded.histogram, *hallucinated.histogram))
    room = max(_LEAST_BAR, (width - 11 - 2 * (digits + 3)) // 2)
    tallest = max(_shares(grounded) + _shares(hallucinated))
    names = [f"{name} n={scores.n}" for name, scores in (("grounded", grounded), ("hallucinated", hallucinated))]
    lines = [f"{'score':<11}" + "".join(f"{name:<{room + digits + 3}}" for name in names).rstrip()]
    for index in range(N_BINS):
        line = f"{_bin(index):<11}"
        for scores in (grounded, hallucinated):
            bar = _bar(_shares(scores)[index] / tallest, room, unicode=unicode)
            line += f"{scores.histogram[index]:>{digits}} {bar:<{room}}  "
        lines.append(line.rstrip())
        if index == min(int(round(report.threshold * N_BINS, 9)), N_BINS - 1):
            lines.append(_rule(report, width, "─" if unicode else "-"))
    return "\n".join(lines) + "\n"


def _rule(report: CalibrationReport, width: int, dash: str) -> str:
    interval = report.threshold_interval
    between = "" if interval.low is None else f" (95 % {interval.low:.3f} to {interval.high:.3f})"
    text = f" in the row above: threshold {report.threshold:.3f}{between} "
    return (dash * 2 + text).ljust(width, dash)


def _figures(report: CalibrationReport) -> str:
    return (
        f"precision {report.precision_hallucinated:.2f}, recall {report.recall_hallucinated:.2f}, "
        f"F1 {report.f1_hallucinated:.2f} at the threshold; AUROC {report.auroc:.2f}"
    )


def _draw_class(axes: "Axes", scores: ClassScores, name: str, colour: str, hatch: str) -> None:
    edges = [index / N_BINS for index in range(N_BINS)]
    axes.bar(
        edges, _shares(scores), width=1 / N_BINS, align="edge", color=colour, alpha=0.85, edgecolor="white",
        linewidth=0.7, hatch=hatch,
    )  # fmt: skip
    axes.annotate(
        f"{name}, n = {scores.n:,}", (0.012, 0.9), xycoords="axes fraction", fontsize=11, fontweight="bold", color=_INK
    )
    axes.set_xlim(0, 1)
    axes.margins(y=0.25)
    axes.set_axisbelow(True)
    axes.grid(axis="y", color="#e3e6ea", linewidth=0.6)
    axes.tick_params(colors="#59616d", labelsize=9)
    for side in axes.spines.values():
        side.set_color("#b9bfc8")


def _draw_threshold(axes: "Axes", report: CalibrationReport) -> None:
    axes.axvline(
        report.threshold, color=_INK, linewidth=1.8, linestyle="--",
        label=f"threshold {report.threshold:.3f}: hallucinated from here on",
    )  # fmt: skip
    low, high = report.threshold_interval.low, report.threshold_interval.high
    if low is not None and high is not None:
        axes.axvspan(
            low, high, facecolor="#f0e442", alpha=0.35, edgecolor="#8a7d00", linewidth=0.8, zorder=0,
            label=f"its 95 % interval, {low:.3f} to {high:.3f}",
        )  # fmt: skip


def _shares(scores: ClassScores) -> list[float]:
    return [count / scores.n for count in scores.histogram]


def _bin(index: int) -> str:
    return f"{index / N_BINS:.2f}-{(index + 1) / N_BINS:.2f}"


def _bar(share: float, room: int, *, unicode: bool) -> str:
    """Return a bar of `share` of the room; what is there at all shows at least as a sliver."""
    if share == 0:
        return ""
    if not unicode:
        return "#" * max(1, round(share * room))
    eighths = max(1, round(share * room * 8))
    return ("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).rstrip()
