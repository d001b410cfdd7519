"""Draws the figures of the documentation from the measurements beside them; the same numbers give the same bytes.

    python docs/make_figures.py

`docs/figure_data.py` makes the measurements.
"""

import argparse
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

FIGURES: Final = Path(__file__).parent / "figures"
# Okabe and Ito's blue, vermilion and green, told apart by colour-blind eyes.
BLUE: Final = "#0072B2"
VERMILION: Final = "#D55E00"
GREEN: Final = "#009E73"
INK: Final = "#1d2127"
MUTED: Final = "#59616d"
PALE: Final = "#eef1f5"
SETTINGS: Final = {"svg.hashsalt": "ragcortex", "svg.fonttype": "path", "font.family": "DejaVu Sans", "font.size": 9.5}


def main() -> None:
    """Draw all figures into a folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=FIGURES)
    options = parser.parse_args()
    for name, draw in DRAWN.items():
        measured = json.loads((FIGURES / f"{name}.json").read_text(encoding="utf-8"))
        with mpl.rc_context(SETTINGS):
            picture = svg(draw(measured))
        (options.out / f"{name}.svg").write_bytes(picture)


def svg(figure: Figure) -> bytes:
    """Return a figure as SVG without the moment it was made."""
    buffer = io.BytesIO()
    FigureCanvasSVG(figure).print_svg(buffer, metadata={"Date": None, "Creator": None})
    # matplotlib leaves spaces at line ends, which editors and linters take away.
    return b"".join(line.rstrip() + b"\n" for line in buffer.getvalue().splitlines())


def draw_passes(measured: Mapping[str, Any]) -> Figure:
    """Draw what the reader reads twice, and how far the references move each token's state."""
    figure = Figure(figsize=(8.2, 5.4), layout="constrained", facecolor="white")
    inputs, bars = figure.subplots(2, 1, height_ratios=(1.05, 1))
    inputs.set(xlim=(0, 100), ylim=(0, 46))
    inputs.axis("off")
    sentences = measured["answer"].replace(". ", ".\n")
    box(inputs, (0, 24, 25, 17), f"question\n{folded(measured['question'], 26)}")
    box(inputs, (27, 24, 26, 17), f"references\n{folded(measured['reference'], 27)}", GREEN)
    box(inputs, (55, 24, 36, 17), f"answer\n{folded(sentences, 46)}", BLUE)
    box(inputs, (0, 1, 25, 17), "question\n(the same)")
    box(inputs, (55, 1, 36, 17), "answer\n(the same tokens)", BLUE)
    inputs.text(40, 9.5, "no references", ha="center", va="center", color=MUTED, style="italic")
    for y, state in ((32.5, r"$h_i^{\mathrm{ref}}$"), (9.5, r"$h_i^{\mathrm{noref}}$")):
        inputs.annotate("", (94, y), (91.4, y), arrowprops={"arrowstyle": "->", "color": INK})
        inputs.text(94.6, y, state, va="center", color=INK, fontsize=11)
    inputs.text(0, 44, "One reader, two passes over the same answer", color=INK, fontweight="bold", va="center")
    places = range(len(measured["tokens"]))
    end = measured["answer"].index(". ") + 1
    reached, colours = 0, []
    for token in measured["tokens"]:
        colours.append(GREEN if reached < end else VERMILION)
        reached += len(token)
    bars.bar(places, measured["moved"], color=colours, width=0.82)
    bars.set_xticks(places, [token.strip() or "␣" for token in measured["tokens"]], rotation=60, ha="right")
    bars.set_ylabel(r"$\Vert\Delta h_i\Vert\,/\,\Vert h_i^{\mathrm{ref}}\Vert$", color=INK)
    bars.set_title(
        f"How far the references move the state of each token (layer {measured['layer']} of 30)",
        loc="left", fontsize=10, color=INK, fontweight="bold",
    )  # fmt: skip
    bars.text(0.30, 0.93, "what the references say", color=GREEN, transform=bars.transAxes, ha="center", va="top")
    bars.text(0.84, 0.55, "what they do not say", color=VERMILION, transform=bars.transAxes, ha="center", va="top")
    bars.set_xlim(-0.7, len(places) - 0.3)
    plain(bars)
    return figure


def draw_chain(measured: Mapping[str, Any]) -> Figure:
    """Draw the scores of an answer's tokens before and after label persistence, with its sentences behind."""
    figure = Figure(figsize=(8.2, 3.5), layout="constrained", facecolor="white")
    axes = figure.subplots()
    starts = measured["starts"]
    for number, (start, end, state) in enumerate(measured["sentences"]):
        own = [place for place, at in enumerate(starts) if start - 1 <= at < end]
        left, right = own[0] - 0.5, own[-1] + 0.5
        axes.axvspan(left, right, color="#fbe9dd" if state == "unsupported" else PALE if number % 2 else "white", lw=0)
        axes.text((left + right) / 2, 1.06, f"sentence {number + 1}", ha="center", va="center", color=MUTED, fontsize=9)
    places = range(len(starts))
    axes.plot(places, measured["raw"], color=BLUE, marker="o", markersize=2.8, linewidth=0.8, label="raw score $s_i$")
    name = f"after smoothing, $p_{{stay}}$ = {measured['p_stay']}"
    axes.plot(places, measured["smoothed"], color=VERMILION, linewidth=2, label=name)
    axes.axhline(measured["threshold"], color=INK, linewidth=0.8, linestyle=":")
    axes.text(0, measured["threshold"] - 0.05, f"marked from {measured['threshold']} on", color=INK, fontsize=8.5)
    axes.set(xlim=(-0.5, len(starts) - 0.5), ylim=(-0.02, 1.12))
    axes.set_yticks((0, 0.25, 0.5, 0.75, 1))
    axes.set_xlabel("token of the answer", color=INK)
    axes.set_ylabel("score", color=INK)
    axes.legend(loc="center left", bbox_to_anchor=(0.0, 0.55), frameon=False)
    plain(axes)
    return figure


def draw_calibration(measured: Mapping[str, Any]) -> Figure:
    """Draw how probabilities of answers agree with labels, before and after calibrating."""
    figure = Figure(figsize=(8.2, 3.9), layout="constrained", facecolor="white")
    for axes, (name, heading) in zip(
        figure.subplots(1, 2, sharex=True, sharey=True),
        (("before", "as it ships"), ("after", f"calibrated on {measured['n_calibrating']} answers")),
        strict=True,
    ):
        found = measured[name]
        axes.plot((0, 1), (0, 1), color=MUTED, linewidth=1, linestyle="--", zorder=1)
        most = max(n for n, _, _ in found["bins"])
        for n, given, share in found["bins"]:
            axes.scatter(given, share, s=18 + 260 * n / most, color=BLUE, edgecolor="white", zorder=2)
            axes.annotate(f"{n:,}", (given, share), (0, 11 if share < 0.9 else -15), textcoords="offset points",
                          ha="center", fontsize=8, color=MUTED)  # fmt: skip
        title = f"{heading}: error {found['ece']:.3f}"
        axes.set_title(title, loc="left", fontsize=10, color=INK, fontweight="bold")
        axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")
        axes.set_xlabel("probability given", color=INK)
        plain(axes)
    figure.axes[0].set_ylabel("share that is hallucinated", color=INK)
    return figure


def box(axes: Axes, place: tuple[float, float, float, float], text: str, colour: str = MUTED) -> None:
    """Draw a box with a heading, the text's first line, and what is in it."""
    left, bottom, width, height = place
    style = "round,pad=0.02,rounding_size=1.2"
    axes.add_patch(FancyBboxPatch((left, bottom), width, height, boxstyle=style, facecolor=PALE, edgecolor=colour))
    heading, _, rest = text.partition("\n")
    axes.text(left + 1.2, bottom + height - 1.6, heading, va="top", color=colour, fontweight="bold", fontsize=9)
    axes.text(left + 1.2, bottom + height - 5.8, rest, va="top", color=INK, fontsize=8)


def folded(text: str, width: int) -> str:
    """Return text in lines of at most so many characters; its own line breaks stay."""
    lines: list[str] = []
    for part in text.split("\n"):
        line = ""
        for word in part.split(" "):
            if line and len(line) + 1 + len(word) > width:
                lines.append(line)
                line = word
            else:
                line = f"{line} {word}" if line else word
        lines.append(line)
    return "\n".join(lines)


def plain(axes: Axes) -> None:
    """Take away what is no information."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(colors=INK, length=3)
    for name in ("left", "bottom"):
        axes.spines[name].set_color("#b9bfc8")


DRAWN: Final = {"passes": draw_passes, "chain": draw_chain, "calibration": draw_calibration}


if __name__ == "__main__":
    main()
