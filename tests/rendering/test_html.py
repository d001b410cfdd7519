"""The HTML page and the notebook fragment: self-contained, inert, readable."""

import base64
import hashlib
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.rendering.html import render_fragment, render_page, render_pages
from ragcortex.rendering.inert import inert
from ragcortex.rendering.page import STYLE
from ragcortex.report import DetectorInfo, Note, Report, unjudged_report

INFO = DetectorInfo("gain", "0.1.0", "tiny-reader", "sha256:01", None)
VOID = {"meta", "rect"}
KNOWN = {
    "html", "head", "meta", "title", "style", "body", "main", "article", "header", "h1", "h2", "small", "p", "svg",
    "rect", "text", "div", "mark", "sup", "table", "thead", "tbody", "tr", "th", "td", "bdi", "ul", "li", "dl", "dt",
    "dd", "strong",
}  # fmt: skip


class Page(HTMLParser):
    """Reads a page strictly: every element is known and closed; keeps texts, elements and attributes."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[tuple[str, str]] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in KNOWN, tag
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names))
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append((tag, dict(attrs).get("class") or ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in VOID, tag
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((" ".join(f"{tag}.{name}" for tag, name in self.open), data))

    def text(self, inside: str, without: str = "\0") -> str:
        return "".join(text for place, text in self.texts if inside in place and without not in place)


def every(report: Report) -> list[str]:
    return [render_page(report), report.to_html(), render_fragment(report), report._repr_html_()]


def test_what_the_page_says(tower: Report) -> None:
    page = Page(tower.to_html())
    assert page.text("title.") == "Hallucinated: The tower stands in Berlin, France. It is 330 metres tall. -"
    assert page.text("h1.") == "Hallucinated score 0.90"
    assert page.text("div.foreign answer", without="sup.") == tower.answer
    assert page.text("div.foreign answer sup.") == "1"
    assert ("mark", {"title": "unsupported, score 0.90"}) in page.elements
    assert page.text("td.state") == "contradictedsupportedsupported"
    assert page.text("div.evidence") == "Reference 1: The tower stands in Paris (France)."
    assert page.text("div.evidence bdi.foreign strong.") == "Paris"
    assert page.text("div.legend") == "a name differs: «Berlin» in the answer, «Paris» in the reference"
    assert page.text("div.source") == "Reference 2, guide.pdf: The tower stands in Paris (France)."
    assert page.text("div.signals") == ""
    assert page.text("ul.notes") == "The references were read in 3 windows of 2,048 tokens."
    assert "tiny-reader (sha256:0123456789abc…)" in page.text("dl.")
    assert "From 0.80 on, an answer counts as hallucinated" in page.text("header.verdict hallucinated")


def test_nothing_is_loaded_and_only_its_own_style_is_allowed(tower: Report) -> None:
    source = tower.to_html()
    page = Page(source)
    style = re.search(r"<style>(.*?)</style>", source, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    policies = [a["content"] for tag, a in page.elements if tag == "meta" and a.get("http-equiv")]
    assert policies == [f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"]
    attributes = {name for _, attributes in page.elements for name in attributes}
    assert not attributes & {"style", "src", "href", "action", "srcset", "xlink:href"}
    assert not any(name.startswith("on") for name in attributes)
    assert "url(" not in style[1]
    assert "@import" not in style[1]


def test_hostile_text_stays_text(hostile: Report) -> None:
    for source in every(hostile):
        page = Page(source)  # refuses any element that is not ours
        assert page.text("div.foreign answer", without="sup.") == inert(hostile.answer)
        assert "<script>alert(1)</script>" in page.text("ul.notes")
        assert page.text("p.foreign question") == inert(hostile.question or "")
        assert "{{ 7*7 }}" in page.text("div.foreign answer")
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", source)


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=60))
def test_the_answer_is_whole_for_any_text(make: Callable[..., Report], answer: str) -> None:
    page = Page(make(answer, [answer[3:9]] if answer[3:9].strip() else [], score=0.1).to_html())
    assert page.text("div.foreign answer", without="sup.") == (inert(answer) or "(empty)")


@pytest.mark.parametrize("verdict", ["no_claim", "not_verifiable"])
def test_without_a_judgement(verdict: str) -> None:
    report = unjudged_report("Hello!", verdict, [Note("greeting", "A greeting.")], INFO)  # type: ignore[arg-type]
    page = Page(report.to_html())
    assert "score" not in page.text("h1.")
    assert not any(attributes.get("class") == "scale" for _, attributes in page.elements)
    assert page.text("td.number") == "–"
    assert page.text("td.state") == verdict.replace("_", " ")


def test_languages_and_directions(make: Callable[..., Report]) -> None:
    page = Page(make("برج إيفل في برلين.", ["برلين"], question="أين؟").to_html())
    assert ("html", {"lang": "en"}) in page.elements
    foreign = [attributes for _, attributes in page.elements if "foreign" in (attributes.get("class") or "")]
    assert foreign
    assert all(attributes.get("lang") == "" and attributes.get("dir") == "auto" for attributes in foreign)


@pytest.mark.parametrize(("review", "hallucinated"), [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.5, 0.5), (0.48, 0.5)])
def test_scale_of_any_thresholds(tower: Report, review: float, hallucinated: float) -> None:
    assert tower.thresholds is not None
    report = replace(tower, thresholds=replace(tower.thresholds, review=review, hallucinated=hallucinated))
    page = Page(report.to_html())
    zones = [a for tag, a in page.elements if tag == "rect" and (a.get("class") or "").startswith("zone-")]
    edges = [(float((a["x"] or "").rstrip("%")), float((a["width"] or "").rstrip("%"))) for a in zones]
    assert sum(width for _, width in edges) == pytest.approx(100)
    assert all(left + width == pytest.approx(following) for (left, width), (following, _) in pairwise(edges))


def test_a_notebook_keeps_its_own_style(tower: Report) -> None:
    """Each rule of the fragment starts at the report's own element."""
    assert tower._repr_html_().startswith("<style>\n.ragcortex {")
    bare = re.sub(r"@media[^{]*", "", STYLE)
    selectors = re.findall(r"([^{}]+)\{[^{}]*\}", bare)
    assert selectors
    for selector in selectors:
        assert all(part.strip().startswith(".ragcortex") for part in selector.split(",")), selector
    assert "id" not in {name for _, attributes in Page(tower._repr_html_()).elements for name in attributes}


def luminance(color: str) -> float:
    """Return the relative luminance of `#rrggbb`. Source: WCAG 2.2, definition of relative luminance."""
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("scheme", [0, 1, 2], ids=["light", "dark", "print"])
def test_contrast_is_at_least_that_of_wcag_aa(scheme: int) -> None:
    block = re.findall(r"\.ragcortex \{([^}]*--paper[^}]*)\}", STYLE)[scheme]
    colors = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
    pairs = [
        *((ink, paper) for ink in ("ink", "soft", "good", "warn", "bad") for paper in ("paper", "panel")),
        ("good", "good-wash"), ("warn", "warn-wash"), ("bad", "bad-wash"), ("mark-ink", "mark"),
        *(("ink", f"{tone}-wash") for tone in ("good", "warn", "bad")),
    ]  # fmt: skip
    for ink, paper in pairs:
        light, dark = sorted((luminance(colors[ink]), luminance(colors[paper])), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (ink, paper)


def test_evidence_names_its_source(tower: Report) -> None:
    span = tower.spans[0]
    sourced = replace(span, evidence=tuple(replace(each, source="<guide>.pdf") for each in span.evidence))
    page = Page(replace(tower, spans=(sourced, *tower.spans[1:])).to_html())
    assert page.text("div.evidence").startswith("Reference 1, <guide>.pdf: ")


def test_what_signals_contribute_is_shown_when_asked_for(tower: Report) -> None:
    page = Page(tower.to_html(explain=True))
    span, sentence = (
        "reference gain +1.50, similarity to the nearest text −0.75, others +0.01",
        "name in no reference +2.25",
    )
    assert page.text("div.signals") == span + sentence
    assert "Signed numbers say what each signal adds to the log-odds" in page.text("p.legend")
    silent = replace(tower, spans=(), sentences=())
    assert "This detector does not say what each signal adds." in Page(silent.to_html(explain=True)).text("p.legend")
    assert "signal" not in Page(tower.to_html()).text("p.legend")


def test_both_models_are_named(tower: Report) -> None:
    both = replace(tower.detector, witness="both", embedder="tiny-encoder", embedder_fingerprint="sha256:02")
    page = Page(replace(tower, detector=both).to_html())
    assert page.text("dl.").startswith(
        "Detectorcortex 0.1.0, thresholds set on hand-written answersReadertiny-reader ("
    )
    assert "Encodertiny-encoder (sha256:02)" in page.text("dl.")


def test_several_reports_make_one_page_with_one_style(tower: Report) -> None:
    source = render_pages("All <answers>", [("first & best", tower), ("second", tower)])
    page = Page(source)
    assert page.text("title.") == "All <answers>"
    assert [text for place, text in page.texts if place.endswith("div.ragcortex h1.")] == [
        "All <answers>", "first & best", "second"
    ]  # fmt: skip
    assert sum(tag == "article" for tag, _ in page.elements) == 2
    assert source.count(STYLE) == 1
