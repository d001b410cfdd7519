"""The report of a run: what stands in it, that its page shows the same, and that the folder is the same each time."""

import dataclasses

import made_document as made
import pytest
from selectolax.lexbor import LexborHTMLParser

from ragcortex.benchmark.results.document import RunDocument
from ragcortex.benchmark.results.heat_map import AnswerHeatMap, ExampleAnswers, HeatRow
from ragcortex.benchmark.results.published import claim
from ragcortex.benchmark.results.report_page import report_html, report_markdown, write_report
from ragcortex.benchmark.results.table_files import run_tables
from ragcortex.benchmark.results.table_text import markdown_text

EXAMPLES = ExampleAnswers(
    "A made run", "All.", (AnswerHeatMap("a", None, "x", None, ((0, 1),), (), (HeatRow("A", (0.5,)),)),)
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("report")
    write_report(made.whole(), path, EXAMPLES)
    return path


def test_a_folder_has_everything_and_every_link_of_the_report_leads_somewhere(folder):
    assert RunDocument.read(folder) == made.whole()
    for name in ("report.md", "index.html", "examples.html", "examples.json", "tables/figures.csv", "tables/main.tex"):
        assert (folder / name).is_file()
    page = LexborHTMLParser((folder / "index.html").read_text())
    linked = [one.attributes["src"] for one in page.css("img")] + [one.attributes["href"] for one in page.css("a")]
    assert len(linked) == 8
    for name in linked:
        assert (folder / name).is_file()


def test_the_report_says_what_was_run_what_failed_and_what_is_not_claimed(folder):
    text = (folder / "report.md").read_text()
    assert "    ragcortex benchmark run made.toml --data FOLDER\n" in text
    assert (
        "2026-02-03: 13 methods on RAGTruth QA, read by HuggingFaceTB/SmolLM2-135M-Instruct; 1 of them failed." in text
    )
    assert "* attention pooling, mean of all heads: the reader gave no attention" in text
    assert "* Left out: 3 without references" in text
    assert "* protocol.folds = 5" in text
    assert markdown_text(claim(made.whole())) in text
    assert "* Two answers have no token." in text
    assert text.index("## Hallucination detection") < text.index("## What failed") < text.index("## Data")


def test_the_page_shows_text_as_text_and_every_table(folder):
    page = LexborHTMLParser((folder / "index.html").read_text())
    n_tables = sum(line.startswith("| ---") for line in (folder / "report.md").read_text().splitlines())
    assert len(page.css(".scroll > table")) == n_tables
    assert "A peer | with_odd & 100 % $igns" in [cell.text() for cell in page.css("td")]
    assert not page.css("script, [style]")


def test_foreign_text_never_becomes_markup():
    odd = "<script>alert(1)</script> ![x](http://example.org/x.png)"
    failed = made.method("a", odd, 0, figures=(), failure=odd)
    data = dataclasses.replace(made.whole().data, name=odd)
    document = made.plain([failed], title=odd, command=odd, notes=(odd,), data=data)
    text = report_markdown(document, run_tables(document), (), (), has_examples=False)
    page = LexborHTMLParser(report_html(document.title, text))
    assert not page.css("script, img")
    assert page.css_first("h1").text() == odd
    assert page.css_first("pre").text() == f"{odd}\n"
    assert "None: the run kept nothing that can be drawn." in text


def test_the_same_run_writes_the_same_bytes(tmp_path):
    document = made.plain([made.method("a", "A", 0.5)])
    first = write_report(document, tmp_path / "a", EXAMPLES)
    again = write_report(document, tmp_path / "b", EXAMPLES)
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]
    assert len(first) == len(set(first))
