"""Maps: what is on them, that hostile text stays text, that nothing is loaded, that they say what they are."""

import base64
import hashlib
import io
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from selectolax.lexbor import LexborHTMLParser

from ragcortex.errors import InputError
from ragcortex.geometry.map_data import DECIDES_NOTHING, KIND_NAMES, KINDS, LOOKS, CorpusMap, MapPoint
from ragcortex.geometry.map_html import render_html
from ragcortex.geometry.map_png import render_png
from ragcortex.geometry.projection import Projection, project

HOSTILE = (
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)> it's & <b>bold</b> &lt;",
    "</td></table><style>*{display:none}</style>",
    "{{ 7 * 7 }} {% raw %} ${x} `y`",
    "</script><!--",
    "\u202eright to left\u202c عربى",
    "javascript:alert(1) https://example.com/x.js",
)


def made_map(
    texts: tuple[str, ...] = ("one", "two"), *, kinds: tuple[str, ...] = KINDS, n_chunks: int = 99
) -> CorpusMap:
    points = tuple(
        MapPoint(kind, f"{text}", f"from {text}")  # type: ignore[arg-type]
        for kind in kinds
        for text in texts
    )
    vectors = np.random.default_rng(0).normal(size=(len(points), 6))
    return CorpusMap(points, project(vectors), n_chunks)


def pixels(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB")).reshape(-1, 3)


def rgb(colour: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(colour[1:]))


class TestData:
    def test_counts_legend_and_axes(self) -> None:
        corpus_map = made_map(kinds=("hallucinated", "reference", "grounded"))
        assert corpus_map.counts == {"reference": 2, "grounded": 2, "hallucinated": 2}
        assert list(corpus_map.legend.values()) == [
            "reference chunk (2)", "grounded answer (2)", "hallucinated answer (2)",
        ]  # fmt: skip
        shares = corpus_map.projection.explained
        assert shares is not None
        assert corpus_map.axes == (
            f"first principal component ({shares[0]:.1%} of the variance)",
            f"second principal component ({shares[1]:.1%} of the variance)",
        )

    def test_the_caption_says_that_it_decides_nothing_and_what_is_left_out(self) -> None:
        corpus_map = CorpusMap(
            (MapPoint("reference", "one"),), Projection(np.zeros((1, 2)), "pca", (0.25, 0.125)), 1200
        )
        assert corpus_map.caption == (
            "This map decides nothing: verdicts are reached in the full space, never on this plane.",
            "Both axes together show 38% of the variance; points close to each other here may be far apart.",
            "Shown are 1 of 1,200 reference chunks, evenly taken.",
        )
        assert made_map(n_chunks=1200).caption[2] == (
            "Shown are 2 of 1,200 reference chunks, evenly taken, and all answers."
        )

    def test_a_umap_says_what_it_is(self) -> None:
        corpus_map = CorpusMap((MapPoint("reference", "one"),), Projection(np.zeros((1, 2)), "umap", None), 1)
        assert corpus_map.axes == ("UMAP 1 (no unit)", "UMAP 2 (no unit)")
        assert corpus_map.caption == (
            DECIDES_NOTHING,
            "UMAP keeps neighbours together; distances, gaps and sizes of groups mean little.",
        )

    def test_every_kind_has_a_look_of_its_own(self) -> None:
        assert set(LOOKS) == set(KIND_NAMES) == set(KINDS)
        assert len({(look.corners, look.colour) for look in LOOKS.values()}) == len(KINDS)
        # Without colours, all but reference and no claim (small and filled, large and hollow) differ in shape.
        assert len({look.corners for look in LOOKS.values()}) == len(KINDS) - 1

    def test_what_is_refused(self) -> None:
        one = Projection(np.zeros((1, 2)), "pca", (0.0, 0.0))
        two = Projection(np.zeros((2, 2)), "pca", (0.0, 0.0))
        point = MapPoint("reference", "one")
        cases = [
            ((), one, 0, "points: must not be empty; a map needs at least one reference chunk or answer"),
            ((point,), two, 1, "points: must be one a row of the projection, 2, got 1"),
            ((point, point), two, 1, "n_chunks: must be at least the 2 chunks that are shown, got 1"),
            (["x"], one, 1, "points: must be a tuple of MapPoint, got list"),
        ]
        for points, projection, n_chunks, message in cases:
            with pytest.raises(InputError) as caught:
                CorpusMap(points, projection, n_chunks)  # type: ignore[arg-type]
            assert str(caught.value) == message
        with pytest.raises(InputError) as caught:
            MapPoint("wrong", "x")  # type: ignore[arg-type]
        assert str(caught.value) == f"kind: must be one of {', '.join(KINDS)}, got 'wrong'"
        with pytest.raises(InputError) as caught:
            MapPoint("review", "a\ud800")
        assert str(caught.value) == "text: has a lone surrogate at character 1, which is not text"


class TestPicture:
    def test_the_same_map_gives_the_same_bytes(self) -> None:
        assert render_png(made_map(), dots_per_inch=60) == render_png(made_map(), dots_per_inch=60)

    def test_size(self) -> None:
        assert Image.open(io.BytesIO(render_png(made_map(), dots_per_inch=100))).size == (900, 700)

    @pytest.mark.parametrize("kind", ["grounded", "review", "hallucinated"])
    def test_each_verdict_is_drawn_in_its_colour(self, kind: str) -> None:
        colour = LOOKS[kind].colour
        assert colour is not None
        with_kind = pixels(render_png(made_map(kinds=("reference", kind))))
        without = pixels(render_png(made_map(kinds=("reference",))))
        assert (with_kind == rgb(colour)).all(axis=1).sum() > 100
        assert not (without == rgb(colour)).all(axis=1).any()

    def test_foreign_text_is_not_on_it(self) -> None:
        # Neither glyphs that the font lacks nor formulas ($) can fail then.
        plain = render_png(made_map(), dots_per_inch=60)
        assert render_png(made_map(("灯台 $x^{$", "\x1b[1m")), dots_per_inch=60) == plain

    @pytest.mark.parametrize(
        "points", [np.zeros((1, 2)), np.array([[0.0, 0.0], [1e-300, 0.0]]), np.array([[1e9, 1.0]])]
    )
    def test_degenerate_places(self, points: np.ndarray) -> None:
        texts = tuple(MapPoint("reference", "one") for _ in points)
        corpus_map = CorpusMap(texts, Projection(points, "pca", (0.0, 0.0)), len(points))
        assert render_png(corpus_map, dots_per_inch=50).startswith(b"\x89PNG")
        assert "NaN" not in render_html(corpus_map)
        assert "nan" not in re.findall(r' [xy]="([^"]*)"', render_html(corpus_map))


class TestPage:
    def test_the_same_map_gives_the_same_text(self) -> None:
        assert render_html(made_map()) == render_html(made_map())

    def test_hostile_text_stays_text(self) -> None:
        plain = LexborHTMLParser(render_html(made_map(tuple("abcdefg"))))
        page = LexborHTMLParser(render_html(made_map(HOSTILE)))
        assert [node.tag for node in page.css("*")] == [node.tag for node in plain.css("*")]
        assert [sorted(node.attributes) for node in page.css("*")] == [
            sorted(node.attributes) for node in plain.css("*")
        ]
        shown = [node.text() for node in page.css("td.text")]
        assert sorted(shown) == sorted(HOSTILE * len(KINDS))
        assert sorted(node.text() for node in page.css("td.source")) == sorted(
            f"from {t}" for t in HOSTILE * len(KINDS)
        )
        for node in page.css("td.text, td.source"):
            # What turns the writing direction ends with its cell.
            assert node.attributes["dir"] == "auto"
            assert "foreign" in (node.attributes["class"] or "")

    @settings(deadline=None, max_examples=30)
    @given(st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1))
    def test_any_text_comes_through(self, text: str) -> None:
        page = LexborHTMLParser(render_html(made_map((text,), kinds=("review",))))
        assert [node.text() for node in page.css("td.text")] == [text]
        assert len(page.css("script")) == len(page.css("style")) == 1

    def test_nothing_is_loaded_and_only_its_own_script_may_run(self) -> None:
        html = render_html(made_map(HOSTILE))
        page = LexborHTMLParser(html)
        policy = page.css_first("meta[http-equiv=Content-Security-Policy]").attributes["content"]
        digests = [
            base64.b64encode(hashlib.sha256(page.css_first(tag).text().encode()).digest()).decode()
            for tag in ("style", "script")
        ]
        assert policy == (
            f"default-src 'none'; style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}'; "
            "base-uri 'none'; form-action 'none'"
        )
        names = {name for node in page.css("*") for name in node.attributes}
        assert not {name for name in names if name.startswith("on")} | {"src", "style", "srcset", "action"} & names
        targets = {node.attributes["href"] for node in page.css("[href]")}
        assert all(target is not None and target.startswith("#") for target in targets)
        assert "url(" not in html.split("</style>")[0]
        assert "@import" not in html

    def test_the_script_writes_text_only(self) -> None:
        script = LexborHTMLParser(render_html(made_map())).css_first("script").text()
        for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval", "Function(", "fetch"):
            assert way not in script

    def test_every_point_leads_to_its_row(self) -> None:
        corpus_map = made_map(("one", "two", "three"))
        page = LexborHTMLParser(render_html(corpus_map))
        links = page.css("a.point")
        assert len(links) == len(corpus_map.points) == len(page.css("tbody tr"))
        for link in links:
            index = int((link.attributes["href"] or "").removeprefix("#p"))
            row = page.css_first(f"#p{index}")
            point = corpus_map.points[index]
            assert row.css_first(".text").text() == point.text
            assert row.css_first(".kind").text(strip=True).endswith(KIND_NAMES[point.kind])
            assert link.css_first("use").attributes["href"] == f"#shape-{point.kind}"

    def test_places_keep_one_scale(self) -> None:
        points = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 1.0]])
        corpus_map = CorpusMap(
            tuple(MapPoint("reference", text) for text in "abc"), Projection(points, "pca", (0.9, 0.1)), 3
        )
        page = LexborHTMLParser(render_html(corpus_map))
        placed = [[float(use.attributes[axis] or "") for axis in "xy"] for use in page.css("a.point use")]
        # 960 wide less 24 at either edge: 228 pixels a unit; y points down, the middle of the range is the middle.
        assert placed == [[24.0, 434.0], [936.0, 434.0], [936.0, 206.0]]

    def test_what_it_says(self) -> None:
        page = LexborHTMLParser(render_html(made_map()))
        assert page.css_first(".caption strong").text() == DECIDES_NOTHING
        assert [label.text(strip=True) for label in page.css("label")] == list(made_map().legend.values())
        assert page.css_first("summary").text() == "Reference chunks (2)"
        stage = page.css_first(".stage").attributes
        assert stage["tabindex"] == "0"
        assert (stage["aria-label"] or "").startswith("Map of 12 points. Arrow keys go from point to")

    def test_only_references_or_only_answers(self) -> None:
        references = LexborHTMLParser(render_html(made_map(kinds=("reference",))))
        assert references.css_first("h2") is None
        answers = LexborHTMLParser(render_html(made_map(kinds=("grounded",))))
        assert answers.css_first("details") is None
