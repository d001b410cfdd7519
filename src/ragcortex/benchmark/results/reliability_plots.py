"""Pictures of how probabilities agree with labels: a small panel a method, all alike."""

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from ragcortex.benchmark.results.document import RunDocument
from ragcortex.benchmark.results.drawn import ReliabilityBins
from ragcortex.benchmark.results.plot_style import SOFT, Picture, dress, picture, wrapped
from ragcortex.evaluation.reliability import Reliability

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

_MOST_COLUMNS: Final = 5
_BLUE: Final = "#0072B2"
_LEAST_AREA: Final = 10.0
_MOST_AREA: Final = 160.0


def reliability_pictures(document: RunDocument) -> Iterator[Picture]:
    """Yield a picture for each level and smoothing that has methods whose scores are probabilities."""
    keys = [(one.level, one.smoothing) for one in document.reliability]
    for level, smoothing in dict.fromkeys(keys):
        series = [one for one in document.reliability if (one.level, one.smoothing) == (level, smoothing)]
        n_columns = min(_MOST_COLUMNS, len(series))
        n_rows = math.ceil(len(series) / n_columns)

        def draw(
            canvas: "Canvas", series: Sequence[ReliabilityBins] = series, shape: tuple[int, int] = (n_rows, n_columns)
        ) -> None:
            _draw(canvas, document, series, shape)

        title = f"How probabilities agree with labels: {level}s, {smoothing}"
        size = (max(1.0 + 2.2 * n_columns, 6.5), 1.3 + 2.45 * n_rows)
        yield picture(f"reliability-{level}-{smoothing}", title, size, draw)


def _draw(canvas: "Canvas", document: RunDocument, series: Sequence[ReliabilityBins], shape: tuple[int, int]) -> None:
    grid = canvas.subplots(*shape, sharex=True, sharey=True, squeeze=False)
    for place, axes in enumerate(grid.flat):
        if place < len(series):
            result = document.result(series[place].method)
            _draw_panel(axes, series[place].method if result is None else result.title, series[place])
            # The last panel of a column has the labels, also where the last row is not full.
            axes.tick_params(labelbottom=place + shape[1] >= len(series))
        else:
            axes.set_visible(False)
    canvas.supxlabel("probability given; the larger the point, the more probabilities", fontsize=9.5, color=SOFT)
    canvas.supylabel("share that is hallucinated", fontsize=9.5, color=SOFT)


def _draw_panel(axes: "Axes", title: str, one: ReliabilityBins) -> None:
    whole = Reliability(one.bins)
    filled = [(b.mean_probability, b.share_positive, b.n) for b in one.bins]
    points = [(x, y, n) for x, y, n in filled if x is not None and y is not None]
    axes.plot((0, 1), (0, 1), color=SOFT, linewidth=1.0, linestyle=(0, (1, 2)), zorder=1)
    axes.plot([x for x, _, _ in points], [y for _, y, _ in points], color=_BLUE, linewidth=1.0, alpha=0.6, zorder=2)
    areas = [max(_LEAST_AREA, _MOST_AREA * n / whole.n) for _, _, n in points]
    axes.scatter(
        [x for x, _, _ in points], [y for _, y, _ in points], s=areas, color=_BLUE, edgecolors="white",
        linewidths=0.6, zorder=3,
    )  # fmt: skip
    dress(axes)
    axes.set_title(f"{wrapped(title, 24)}\nECE {whole.ece:.3f}", loc="left", fontsize=9)
    axes.set_xlim(-0.04, 1.04)
    axes.set_ylim(-0.04, 1.04)
    axes.set_aspect("equal")
    axes.set_xticks((0, 0.5, 1), ("0", ".5", "1"))
    axes.set_yticks((0, 0.5, 1), ("0", ".5", "1"))
