"""The map as one page that needs nothing else: texts on hover or by keyboard, and all of them as a list.

The page is our own rather than a plotting library's: a few kilobytes besides the texts instead of megabytes, a policy
that forbids everything but its own style and script (by their hashes), and points that can be reached without a mouse.
"""

import base64
import hashlib
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from ragcortex.geometry.map_data import KIND_NAMES, LOOKS, CorpusMap, Look
from ragcortex.geometry.map_page import SCRIPT, STYLE, TEMPLATE
from ragcortex.geometry.projection import Points

if TYPE_CHECKING:
    from jinja2 import Template

TITLE: Final = "References and answers in two dimensions"
_WIDTH, _HEIGHT, _EDGE = 960, 640, 24
# Dividing by less would overflow.
_LEAST_SPREAD: Final = 1e-200


def render_html(corpus_map: CorpusMap) -> str:
    """Return the map as an HTML page; the same map gives the same text.

    All texts are escaped and isolated from each other's writing direction; nothing is loaded from anywhere.
    """
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{content_policy()}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{TITLE}</title>\n<style>{STYLE}</style>\n</head>\n<body>{_body(corpus_map)}\n"
        f"<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )


def content_policy() -> str:
    """Return the content security policy of every such page: its own style and script, and nothing else."""
    return (
        f"default-src 'none'; style-src '{_digest(STYLE)}'; script-src '{_digest(SCRIPT)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _body(corpus_map: CorpusMap) -> str:
    rows = [
        {
            "index": index,
            "kind": point.kind,
            "name": KIND_NAMES[point.kind],
            "text": point.text,
            "source": point.source or "",
        }
        for index, point in enumerate(corpus_map.points)
    ]
    layers: dict[str, list[dict[str, Any]]] = {kind: [] for kind in corpus_map.counts}
    for index, (point, (x, y)) in enumerate(zip(corpus_map.points, _places(corpus_map), strict=True)):
        layers[point.kind].append({"index": index, "x": f"{x:.2f}", "y": f"{y:.2f}"})
    return _template().render(
        title=TITLE,
        caption=corpus_map.caption,
        legend=corpus_map.legend,
        axes=corpus_map.axes,
        n_points=f"{len(rows):,}",
        width=_WIDTH,
        height=_HEIGHT,
        looks={kind: _drawn(LOOKS[kind]) for kind in corpus_map.counts},
        layers=layers,
        answers=[row for row in rows if row["kind"] != "reference"],
        references=[row for row in rows if row["kind"] == "reference"],
    )


def _places(corpus_map: CorpusMap) -> Points:
    """Return where each point lies on the drawing, y down; both axes have one scale."""
    points = corpus_map.projection.points
    low, high = points.min(axis=0), points.max(axis=0)
    room = np.array([_WIDTH - 2 * _EDGE, _HEIGHT - 2 * _EDGE])
    spread = high - low
    scale = (
        float(np.min(room[spread > _LEAST_SPREAD] / spread[spread > _LEAST_SPREAD]))
        if (spread > _LEAST_SPREAD).any()
        else 1.0
    )
    placed: Points = (points - (low + high) / 2) * (scale, -scale) + (_WIDTH / 2, _HEIGHT / 2)
    return placed


def _drawn(look: Look) -> dict[str, Any]:
    corners = " L ".join(f"{x * look.size:.2f} {y * look.size:.2f}" for x, y in look.corners)
    return {"outline": f"M {corners} Z" if corners else "", "colour": look.colour, "size": look.size}


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def _template() -> "Template":
    from jinja2 import Environment, StrictUndefined

    return Environment(autoescape=True, undefined=StrictUndefined).from_string(TEMPLATE)
