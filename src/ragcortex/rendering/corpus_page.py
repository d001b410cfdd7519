"""The map of a corpus as a page, with every text in it made inert."""

from dataclasses import replace

from ragcortex.geometry.map_data import CorpusMap
from ragcortex.geometry.map_html import render_html
from ragcortex.rendering.inert import inert, inert_line


def corpus_page(corpus_map: CorpusMap) -> str:
    """Return the map as one HTML page that needs nothing else; see `render_html`."""
    points = tuple(
        replace(point, text=inert(point.text), source=point.source and inert_line(point.source))
        for point in corpus_map.points
    )
    return render_html(replace(corpus_map, points=points))
