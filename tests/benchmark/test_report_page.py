"""The report of a run: what stands in it, that its page shows the same, and that the folder is the same each time."""

import dataclasses

import made_document as made
import pytest
from selectolax.lexbor import LexborHTMLParser

from ragcortex.benchmark.results.document import RunDocument
from ragcortex.benchmark.results.heat_map import AnswerHeatMap, ExampleAnswers, HeatRow
from ragcortex.benchmark.results.method_section import method_lines
from ragcortex.benchmark.results.parts import Ablation, FoldChoices
from ragcortex.benchmark.results.published import claim
from ragcortex.benchmark.results.report_page import local_name, report_html, report_markdown, write_report
from ragcortex.benchmark.results.short_report import opening, short_report
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
    failed = "2 failed (A peer | with_odd & 100 % $igns; attention pooling, mean of all heads)."
    read = "read by HuggingFaceTB/SmolLM2-135M-Instruct"
    assert markdown_text(f"2026-02-03: 16 methods and variants on RAGTruth QA, {read}; {failed}") in text
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


def test_the_opening_counts_methods_and_variants_and_names_what_failed():
    one = made.plain([made.method("a", "A", 0.5)])
    read = "on RAGTruth QA, read by HuggingFaceTB/SmolLM2-135M-Instruct"
    assert opening(one) == f"2026-02-03: 1 method {read}; all of them finished."
    varied = dataclasses.replace(one, ablations=(Ablation("signals", "c", (), "it stopped"),))
    assert opening(varied) == f"2026-02-03: 2 methods and variants {read}; 1 failed (signals, c)."


def test_every_method_has_its_card_and_its_choices(folder):
    text = (folder / "report.md").read_text()
    section = text[text.index("## Methods\n") : text.index("## Published results")]
    headings = [line.removeprefix("### ") for line in section.splitlines() if line.startswith("### ")]
    assert headings == [markdown_text(one.title) for one in made.whole().methods]
    assert "* Failed: the reader has 30 layers, expected 32\n" in section


def folds(*choices, tokens=None, answers=None):
    return tuple(
        FoldChoices(at, one, (tokens or {}).get(at), (answers or {}).get(at)) for at, one in enumerate(choices)
    )


def test_choices_are_printed_once_where_all_folds_agree_and_by_fold_otherwise():
    many = {str(layer): 0.5 for layer in range(30)}
    made_folds = folds(
        {"layer": 20, "heads": [[1, 2], [3, 4]], "alpha": 0.123456, "ap": {"a": 0.5}, "by_layer": many},
        {"layer": 22, "heads": [[1, 2], [3, 4]], "alpha": 0.123456, "ap": {"a": 0.5}, "by_layer": many, "stop": None},
        tokens={0: 0.993, 1: 0.993}, answers={0: 0.997},
    )  # fmt: skip
    one = made.method("b", "B", 0.5, method="base", source="a paper", training="unlabelled", folds=made_folds)
    assert list(method_lines(one)) == [
        "Called b in this run, the method base",
        "What it is: A made method",
        "Fitted on: unlabelled answers",
        "Source: a paper",
        "Scores tokens; answer score: the highest smoothed token score",
        "Chosen: layer 20 / 22 (by fold); heads [[1, 2], [3, 4]]; alpha 0.1235; ap.a 0.5; by_layer (30 values, in "
        "results.json); stop none / null (by fold)",
        "p_stay of tokens: .993",
        "p_stay under the answer score: .997 / none (by fold)",
    ]


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        ({"level": "answer"}, []),
        ({"smoothing": "none"}, ["Smoothing of tokens: not smoothed"]),
        ({"smoothing": "window_mean"}, ["Smoothing of tokens: the mean of a window"]),
        # An answer score of its own rests on no smoothing.
        ({"answer_score": "its own"}, ["p_stay of tokens: none"]),
    ],
)
def test_what_was_not_smoothed_has_no_p_stay(changes, lines):
    one = made.method("b", "B", 0.5, folds=folds({}, {}), **changes)
    assert list(method_lines(one))[5:] == ["Chosen: nothing", *lines]


def test_the_terminal_gets_the_main_table_and_what_failed_and_nothing_else():
    text = short_report(made.whole(), 120)
    lines = text.splitlines()
    assert max(map(len, lines)) <= 120
    assert lines[0] == "Hallucination detection on RAGTruth QA"
    assert "│ LUMINA        │ labels    │        .460* │" in text
    assert "*: the best of its column among the methods, ties as printed included." in lines
    assert lines[-5:] == [
        "Intervals stand in the results folder, in report.md.",
        "",
        "Failed:",
        "  A peer | with_odd & 100 % $igns: the reader has 30 layers, expected 32",
        "  attention pooling, mean of all heads: the reader gave no attention",
    ]
    assert "\x1b" not in text
    wide = short_report(made.whole(), 180)
    assert ".460* [.440, .480]" in wide
    assert "Intervals stand" not in wide
    assert "Failed" not in short_report(made.plain([made.method("a", "A", 0.5)]), 120)


def test_the_terminal_shows_odd_names_as_text():
    odd = "[red]a\x1b[1m\nb"
    text = short_report(made.plain([made.method("a", odd, 0, figures=(), failure=odd)]), 200)
    assert "  [red]a<U+001B>[1m b: [red]a<U+001B>[1m b\n" in text
    assert "\x1b" not in text


def test_no_path_of_this_machine_stands_among_the_settings(tmp_path):
    reader = tmp_path / "Qwen3-8B"
    reader.mkdir()
    config = {
        "data": {"name": "ragtruth", "path": str(tmp_path), "rows": str(tmp_path / "rows.jsonl")},
        "reader": {"id": str(reader), "dtype": None},
    }
    document = made.plain([made.method("a", "A", 0.5)], config=config)
    text = report_markdown(document, run_tables(document), (), (), has_examples=False)
    assert "* reader.id = Qwen3-8B\n" in text
    assert "* data.name = ragtruth\n" in text
    assert str(tmp_path) not in text
    assert "data.path" not in text
    assert "data.rows" not in text


def test_a_readers_id_on_a_hub_is_no_path(tmp_path, monkeypatch):
    assert local_name("Qwen/Qwen3-8B") == "Qwen/Qwen3-8B"
    assert local_name("embedded") == "embedded"
    assert local_name(None) is None
    (tmp_path / "models" / "mine").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    assert local_name("models/mine") == "mine"
