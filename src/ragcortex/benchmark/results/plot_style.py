"""How the pictures of a run look: colours for colour-blind eyes, few named lines, and the same bytes each time."""

import io
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ragcortex.rendering.inert import inert_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

INK: Final = "#1d2127"
SOFT: Final = "#59616d"
FRAME: Final = "#b9bfc8"
GRID: Final = "#e3e6ea"
CONTEXT: Final = "#c9ced6"
DOTS_PER_INCH: Final = 150
_TITLE_COLUMNS: Final = 30


class Look(NamedTuple):
    """Colour, line and marker of one method: each of the three tells it apart."""

    colour: str
    line: str
    marker: str


# Okabe and Ito's colours without their yellow, which is too light on white.
LOOKS: Final = (
    Look("#0072B2", "-", "o"),
    Look("#D55E00", "--", "s"),
    Look("#009E73", "-.", "^"),
    Look("#CC79A7", "-", "D"),
    Look("#E69F00", "--", "v"),
    Look("#56B4E9", "-.", "P"),
    Look("#000000", ":", "X"),
)
MOST_NAMED: Final = len(LOOKS)


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture in two forms.

    Attributes:
        name: of its files, without ending.
        title: what it shows, for a caption and for those who cannot see it.
        png: for pages and chats.
        svg: for papers; text as outlines, so that it looks the same everywhere.
    """

    name: str
    title: str
    png: bytes
    svg: bytes


def picture(name: str, title: str, size: tuple[float, float], draw: "Callable[[Canvas], None]") -> Picture:
    """Return the picture that `draw` puts on an empty canvas of `size` inches; the same input gives the same bytes."""
    import matplotlib as mpl
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # Names of methods are text, not mathematics, whatever dollars they hold.
    settings: dict[Any, Any] = {"svg.hashsalt": "ragcortex", "svg.fonttype": "path", "text.parse_math": False}
    # A user's own style must not change the bytes either.
    with mpl.rc_context(mpl.rcParamsDefault), mpl.rc_context(settings):
        canvas = Figure(figsize=size, dpi=DOTS_PER_INCH, layout="constrained", facecolor="white")
        FigureCanvasAgg(canvas)
        draw(canvas)
        canvas.suptitle(drawable(title), x=0.01, ha="left", fontsize=13, fontweight="bold", color=INK)
        # The layout is worked out once: both forms have it, and it is most of the time.
        canvas.draw_without_rendering()
        canvas.set_layout_engine("none")
        png, svg = io.BytesIO(), io.BytesIO()
        canvas.savefig(png, format="png", metadata={"Software": None})
        canvas.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
    return Picture(name, title, png.getvalue(), svg.getvalue())


def dress(axes: "Axes", heading: str = "", *, x: str = "", y: str = "") -> None:
    """Give a panel its heading, its labels, a quiet grid and frame."""
    axes.set_title(drawable(heading), loc="left", fontsize=11, color=INK)
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(y, color=INK)
    axes.set_axisbelow(True)
    axes.grid(color=GRID, linewidth=0.6)
    axes.tick_params(colors=SOFT, labelsize=9)
    for side in axes.spines.values():
        side.set_color(FRAME)


def line_legend(canvas: "Canvas", axes: "Axes", heading: str) -> None:
    """Put the legend of a panel's named lines to the right of all panels."""
    handles, labels = axes.get_legend_handles_labels()
    if handles:
        canvas.legend(
            handles, labels, loc="outside right center", frameon=False, fontsize=9, labelcolor=INK, title=heading,
            title_fontproperties={"size": 9, "weight": "bold"}, alignment="left", handlelength=2.6, labelspacing=0.7,
        )  # fmt: skip


def wrapped(text: str, columns: int = _TITLE_COLUMNS) -> str:
    """Return a name on as many lines as it needs, in characters that can be drawn."""
    return "\n".join(textwrap.wrap(drawable(text), columns)) or " "


def drawable(text: str) -> str:
    """Return the text on one line, each character that the font of the pictures lacks as its code point."""
    known = _known_characters()
    return "".join(one if ord(one) in known else f"<U+{ord(one):04X}>" for one in inert_line(text))


def named(ranked: Sequence[str], always: str | None) -> dict[str, Look]:
    """Return the looks of the names that are told apart: the first few of a ranking, and one that always is.

    Args:
        ranked: names, the best first.
        always: a name that is among those told apart if it is ranked at all.
    """
    chosen = list(ranked[:MOST_NAMED])
    if always is not None and always in ranked and always not in chosen:
        chosen[-1] = always
    return dict(zip(chosen, LOOKS, strict=False))


def others_note(n_named: int, n_all: int, by: str) -> str:
    """Return what the grey lines are; empty where all lines are named."""
    if n_named == n_all:
        return ""
    return f"grey: the other {n_all - n_named}; named: the best by {by}, and the reference"


@cache
def _known_characters() -> frozenset[int]:
    from matplotlib.font_manager import findfont, get_font

    return frozenset(get_font(findfont("DejaVu Sans")).get_charmap())
