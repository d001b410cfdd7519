"""How probabilities agree with labels, as a picture: the closer to the diagonal, the more they can be taken at word."""

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from ragcortex.errors import InputError
from ragcortex.evaluation.reliability import Bin, Reliability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_INK: Final = "#1d2127"
_FRAME: Final = "#b9bfc8"
# Okabe and Ito's blue, vermilion and green, told apart by colour-blind eyes; markers and hatching do so in print.
_LOOKS: Final = (("#0072B2", "o", ""), ("#D55E00", "s", "////"), ("#009E73", "^", "...."))
_LEAST_AREA: Final = 18.0
_MOST_AREA: Final = 320.0

Series = Mapping[str, Reliability]


def render_reliability_png(panels: Mapping[str, Series], *, title: str, dots_per_inch: int = 150) -> bytes:
    """Return a PNG of 9 by 6 inches; the same input gives the same bytes.

    A column a panel: above, a point a bin where its mean probability meets the share that is hallucinated, the larger
    the more it holds; below, how many probabilities lie in each bin.

    Args:
        panels: by their headings, one to three series each by their names; series of the same place look the same.
        title: of the whole.
        dots_per_inch: of the picture.

    Raises:
        InputError: there is no panel, or one has no series or more than can be told apart.
    """
    if not panels or not all(1 <= len(series) <= len(_LOOKS) for series in panels.values()):
        raise InputError("panels", f"must each hold 1 to {len(_LOOKS)} series, got {[len(s) for s in panels.values()]}")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 6), dpi=dots_per_inch, layout="constrained", facecolor="white")
    canvas = FigureCanvasAgg(figure)
    grid = figure.subplots(2, len(panels), sharex=True, squeeze=False, height_ratios=(3, 1))
    for column, (heading, series) in enumerate(panels.items()):
        _draw_points(grid[0, column], heading, series)
        _draw_counts(grid[1, column], series)
        grid[1, column].set_xlabel("probability given", color=_INK)
    grid[0, 0].set_ylabel("share that is hallucinated", color=_INK)
    grid[1, 0].set_ylabel("share of all", color=_INK)
    figure.suptitle(title, x=0.01, ha="left", fontsize=14, fontweight="bold", color=_INK)
    buffer = io.BytesIO()
    canvas.print_png(buffer, metadata={"Software": None})  # type: ignore[no-untyped-call]
    return buffer.getvalue()


def _draw_points(axes: "Axes", heading: str, series: Series) -> None:
    axes.plot((0, 1), (0, 1), color="#59616d", linewidth=1.2, linestyle="--", zorder=1)
    for (name, one), (colour, marker, _) in zip(series.items(), _LOOKS, strict=False):
        filled = [part for part in one.bins if part.n]
        x, y = [_number(part.mean_probability) for part in filled], [_number(part.share_positive) for part in filled]
        axes.plot(x, y, color=colour, linewidth=1.0, alpha=0.6, zorder=2)
        axes.scatter(
            x, y, s=[_area(part, one.n) for part in filled], color=colour, marker=marker, alpha=0.85,
            edgecolors="white", linewidths=0.7, zorder=3,
        )  # fmt: skip
        # A point of one size in the legend, where those drawn have many.
        axes.plot([], [], color=colour, marker=marker, linestyle="", label=f"{name}: ECE {one.ece:.3f}")
    axes.set_title(f"{heading}, n = {next(iter(series.values())).n:,}", loc="left", fontsize=11, color=_INK)
    axes.set_xlim(-0.03, 1.03)
    axes.set_ylim(-0.03, 1.03)
    axes.legend(loc="upper left", frameon=False, fontsize=9, labelcolor=_INK)
    _dress(axes)


def _draw_counts(axes: "Axes", series: Series) -> None:
    width = 1 / len(series)
    for place, (one, (colour, _, hatch)) in enumerate(zip(series.values(), _LOOKS, strict=False)):
        n_bins = len(one.bins)
        axes.bar(
            [(index + place * width) / n_bins for index in range(n_bins)], [part.n / one.n for part in one.bins],
            width=width / n_bins, align="edge", color=colour, alpha=0.85, edgecolor="white", linewidth=0.7, hatch=hatch,
        )  # fmt: skip
    axes.margins(y=0.15)
    _dress(axes)


def _dress(axes: "Axes") -> None:
    axes.set_axisbelow(True)
    axes.grid(color="#e3e6ea", linewidth=0.6)
    axes.tick_params(colors="#59616d", labelsize=9)
    for side in axes.spines.values():
        side.set_color(_FRAME)


def _area(part: Bin, n: int) -> float:
    """Return the area of a bin's point: in proportion to what it holds, and still seen where that is little."""
    return max(_LEAST_AREA, _MOST_AREA * part.n / n)


def _number(value: float | None) -> float:
    assert value is not None, "a bin that holds something has both means"
    return value
