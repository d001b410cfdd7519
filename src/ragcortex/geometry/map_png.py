"""The map as a picture. No text of references or answers is on it."""

import io
import textwrap
from typing import TYPE_CHECKING, Final

import numpy as np

from ragcortex.geometry.map_data import LOOKS, CorpusMap

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.path import Path as Outline

TITLE: Final = "References and answers in two dimensions"
_INK: Final = "#1d2127"
_PIXELS_TO_POINTS: Final = 0.75
_CAPTION_COLUMNS: Final = 118


def render_png(corpus_map: CorpusMap, *, dots_per_inch: int = 150) -> bytes:
    """Return the map as a PNG file of 9 by 7 inches; the same map gives the same bytes."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 7), dpi=dots_per_inch, layout="constrained", facecolor="white")
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    _draw_points(axes, corpus_map)
    axes.set_title(TITLE, color=_INK, fontsize=14, loc="left", fontweight="bold", pad=40)
    across, up = corpus_map.axes
    axes.set_xlabel(across, color=_INK)
    axes.set_ylabel(up, color=_INK)
    # Both axes have one scale, so that a distance means the same in every direction.
    axes.set_aspect("equal", adjustable="datalim")
    axes.grid(color="#e3e6ea", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(colors="#59616d", labelsize=8)
    for side in axes.spines.values():
        side.set_color("#b9bfc8")
    axes.legend(
        loc="lower left", bbox_to_anchor=(-0.012, 1.0), ncols=3, frameon=False, fontsize=9, handletextpad=0.2,
        columnspacing=1.2, labelcolor=_INK,
    )  # fmt: skip
    caption = textwrap.fill(" ".join(corpus_map.caption), _CAPTION_COLUMNS)
    figure.supxlabel(caption, x=0.01, ha="left", fontsize=8.5, color=_INK)
    buffer = io.BytesIO()
    canvas.print_png(buffer, metadata={"Software": None})  # type: ignore[no-untyped-call]
    return buffer.getvalue()


def _draw_points(axes: "Axes", corpus_map: CorpusMap) -> None:
    """Draw one layer a kind, references first, so that they hide no answer."""
    kinds = np.array([point.kind for point in corpus_map.points])
    for kind, label in corpus_map.legend.items():
        look = LOOKS[kind]
        places = corpus_map.projection.points[kinds == kind]
        is_reference = kind == "reference"
        axes.scatter(
            places[:, 0],
            places[:, 1],
            s=(2 * look.size * _PIXELS_TO_POINTS) ** 2,
            marker=_outline(look.corners) if look.corners else "o",
            facecolors=look.colour or "white",
            edgecolors="none" if is_reference else _INK,
            linewidths=0.8 if look.colour else 1.4,
            alpha=0.55 if is_reference else 1.0,
            label=label,
        )


def _outline(corners: tuple[tuple[float, float], ...]) -> "Outline":
    from matplotlib.path import Path as Outline

    upright = [(x, -y) for x, y in corners]
    return Outline([*upright, upright[0]], closed=True)
