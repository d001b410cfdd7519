"""The tables of a run: what stands in which row, marks, footnotes, and that CSV holds the very numbers."""

import csv
import dataclasses
import io
import typing

import made_document as made
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_result_document import any_figure, words

from ragcortex.benchmark.method_card import Training
from ragcortex.benchmark.results.cells import short
from ragcortex.benchmark.results.comparison_table import comparison_table
from ragcortex.benchmark.results.detail_tables import ablation_table, breakdown_tables, cost_table, seed_table
from ragcortex.benchmark.results.figure import Figure
from ragcortex.benchmark.results.parts import Ablation, Breakdown, Comparison, Cost, Repeat
from ragcortex.benchmark.results.table_files import figures_csv, read_figures, run_tables, write_tables
from ragcortex.benchmark.results.table_text import to_csv, to_markdown
from ragcortex.benchmark.results.tables import ORACLE_NOTE, TRAINING_WORDS, levels_table, main_table, operating_tables
from ragcortex.errors import InputError

DOCUMENT = made.whole()


def small(*methods, **changes):
    return made.plain(methods, **changes)


def test_the_main_table_to_the_letter():
    weak = made.method("nll", "NLL", 0.1, training="none", figures=made.figures(0.1))
    strong = made.method("ours", "Ours", 0.5)
    failed = made.method("peer", "Peer", 0, figures=(), failure="no attention")
    control = made.method("position", "position", 0.0, training="none", figures=made.figures(0.0))
    compared = Comparison("nll", "ours", "token", "smoothed", "auroc", -0.16, -0.2, -0.1, 0.01, 0.02)
    document = small(weak, strong, failed, controls=(control,), reference_method="ours", comparisons=(compared,))
    # .06 + .5 × .1 = .110 raw AP, + .06 smoothed; AUROC .5 + .4 × .1 = .540, + .03; answers .2 + .05 and .5 + .038.
    assert to_markdown(main_table(document)) == (
        "| method | fitted on | token AP raw | token AP smoothed | token AUROC raw | token AUROC smoothed | answer AP "
        "| answer AUROC |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
        "| NLL | nothing | .110 \\[.090, .130\\] | .170 \\[.150, .190\\] | .540 \\[.520, .560\\] | .570↓ \\[.550, "
        ".590\\] | .250 \\[.190, .310\\] | .538 \\[.488, .588\\] |\n"
        "| Ours | labels | **.310** \\[.290, .330\\] | **.370** \\[.350, .390\\] | **.700** \\[.680, .720\\] | "
        "**.730** \\[.710, .750\\] | **.450** \\[.390, .510\\] | **.690** \\[.640, .740\\] |\n"
        "| Peer | labels | –¹ | –¹ | –¹ | –¹ | –¹ | –¹ |\n"
        "| *Trivial controls* |  |  |  |  |  |  |  |\n"
        "| position | nothing | .060 \\[.040, .080\\] | .120 \\[.100, .140\\] | .500 \\[.480, .520\\] | .530 \\[.510, "
        ".550\\] | .200 \\[.140, .260\\] | .500 \\[.450, .550\\] |\n"
        "| a guess | nothing | .053 | .053 | .500 | .500 | .180 | .500 |\n"
        "\n"
        "* ¹ Failed: no attention.\n"
        "* RAGTruth QA: 900 answers of 150 sources; five folds by source; reader HuggingFaceTB/SmolLM2-135M-Instruct.\n"
        "* In brackets: 95 % bootstrap intervals, whole sources drawn.\n"
        "* Bold: the best of its column among the methods, ties as printed included.\n"
        "* ↑ and ↓: above and below Ours with p \\< .05 after Holm's correction.\n"
        "* The last row is what a guess achieves: AP equals the share that is hallucinated, AUROC is .500.\n"
    )


def test_every_method_has_a_row_in_the_main_table_also_the_one_that_failed():
    table = main_table(DOCUMENT)
    rows = {row.cells[0].value: row for row in table.body}
    assert list(rows) == [*(one.name for one in (*DOCUMENT.methods, *DOCUMENT.controls)), "guess"]
    assert {cell.text for cell in rows["peer"].cells[2:]} == {"–"}
    assert {cell.reason for cell in rows["peer"].cells[2:]} == {"failed: the reader has 30 layers, expected 32"}
    assert {cell.reason for cell in rows["verify"].cells[2:6]} == {"scores whole answers only"}
    assert rows["verify"].cells[0].reason == "answer score: one word of the reader"
    assert rows["verify"].cells[6].value == DOCUMENT.result("verify").figure("answer", "raw", "average_precision").value


def test_only_the_corrected_p_marks_a_difference_and_an_arrow_points_where_it_goes():
    def marked(**changes):
        fields = {"method": "nll", "reference": "ours", "level": "token", "smoothing": "smoothed", "metric": "auroc",
                  "difference": 0.1, "low": 0.05, "high": 0.2, "p": 0.001, "p_holm": 0.01}  # fmt: skip
        methods = made.method("nll", "NLL", 0.6), made.method("ours", "Ours", 0.5)
        one = Comparison(**{**fields, **changes})
        document = small(*methods, reference_method="ours", comparisons=(one,))
        return [cell.mark for cell in main_table(document).rows[0].cells[2:]], main_table(document).notes

    assert marked()[0] == ["", "", "", "↑", "", ""]
    assert marked(difference=-0.1, low=-0.2, high=-0.05)[0] == ["", "", "", "↓", "", ""]
    marks, notes = marked(p_holm=0.05)
    assert marks == [""] * 6
    assert "No difference from Ours has p < .05 after Holm's correction." in notes
    assert marked(p_holm=None, reason="no family")[0] == [""] * 6


def test_ties_as_printed_share_the_bold_and_a_column_of_equals_has_none():
    first, second, third = (
        made.method(name, name, strength) for name, strength in (("a", 0.5), ("b", 0.5001), ("c", 0.1))
    )
    bold = [[cell.best for cell in row.cells[2:]] for row in main_table(small(first, second, third)).rows[:3]]
    assert bold == [[True] * 6, [True] * 6, [False] * 6]
    assert not any(cell.best for row in main_table(small(first, second)).rows for cell in row.cells)


def test_controls_and_the_guess_are_never_bold():
    document = small(
        made.method("a", "A", 0.1), made.method("b", "B", 0.2), controls=(made.method("length", "length", 1.0),)
    )
    rows = main_table(document).rows
    assert [row.kind for row in rows] == ["method", "method", "section", "control", "base rate"]
    assert not any(cell.best for row in rows[2:] for cell in row.cells)


def test_the_table_of_levels_has_a_row_a_smoothing_and_all_levels_that_were_measured():
    table = levels_table(DOCUMENT)
    assert [column.full_heading for column in table.columns[2:]] == [
        "token AP", "token AUROC", "word AP", "word AUROC", "character F1", "character IoU", "sentence AP",
        "sentence AUROC", "answer AP", "answer AUROC",
    ]  # fmt: skip
    rows = [(row.cells[0].value, row.cells[1].text) for row in table.body]
    assert rows[:2] == [("nll", "raw"), ("nll", "smoothed")]
    assert ("peer", "–") in rows
    assert len(rows) == 2 * (len(DOCUMENT.methods) + len(DOCUMENT.controls)) - 1
    assert levels_table(small(made.method("a", "A", 0, figures=(), failure="it stopped"))) is None


def test_operating_points_come_a_level_each():
    tables = {table.name: table for table in operating_tables(DOCUMENT)}
    assert list(tables) == ["operating-points-token", "operating-points-answer"]
    nll = tables["operating-points-token"].rows[0]
    assert [cell.text for cell in nll.cells] == ["NLL", "smoothed", ".140", ".130"]


def test_breakdowns_come_a_dimension_and_level_each_with_the_sizes_of_the_parts():
    tables = {table.name: table for table in breakdown_tables(DOCUMENT)}
    assert list(tables) == [f"by-generator-{level}" for level in ("token", "word", "character", "sentence", "answer")]
    token = tables["by-generator-token"]
    assert [row.cells[0].value for row in token.body] == [one.name for one in DOCUMENT.methods]
    assert "Tokens: gpt-4-0613 110,000 (5.3 % hallucinated)" in token.notes[-2]
    part = next(one for one in DOCUMENT.breakdowns if one.method == "nll" and one.group == "llama-2-7b-chat")
    values = [one.value for one in part.figures if one.place == ("token", "smoothed", "auroc")]
    assert token.rows[0].cells[4].value == values[0]


def test_ablations_seeds_and_costs():
    ablations = ablation_table(DOCUMENT)
    assert [row.cells[1].text for row in ablations.rows] == ["Δ", "Δ; c", "mean of all heads"]
    assert ablations.rows[2].cells[2].reason == "failed: the reader gave no attention"
    seeds = seed_table(DOCUMENT)
    # Seeds 0 and 1 give token AP .06 + .5 × .30 + .06 = .270 and .275: mean .2725, deviation .005 / √2.
    assert seeds.rows[0].cells[1].value == pytest.approx(0.2725)
    assert seeds.rows[0].cells[2].value == pytest.approx(0.005 / 2**0.5)
    assert seed_table(small(made.method("a", "A", 0.5), repeats=(Repeat("a", 0, made.figures(0.5)),))) is None
    cost = cost_table(small(made.method("a", "A", 0.5, cost=Cost(1.0, None, 1234.5, 0.25, 3.0, 12.34))))
    assert [cell.text for cell in cost.rows[0].cells] == ["A", "1.00", "–", "1,234.5", "0.25", "3.0", "12.3"]
    assert [column.key for column in cost.columns][-1] == "peak_megabytes"
    assert cost.footnotes == ("not measured",)


@given(
    owned=st.lists(st.lists(any_figure(), min_size=1, max_size=4, unique_by=lambda one: one.place), max_size=3),
    title=words,
    failure=words,
)
@settings(max_examples=60, deadline=None)
def test_figures_csv_read_again_equals_the_document(owned, title, failure):
    methods = [made.method(f"m{n}", title, 0, figures=tuple(figures)) for n, figures in enumerate(owned)]
    document = small(*methods, made.method("failed", title, 0, figures=(), failure=failure))
    figures, failures = read_figures(figures_csv(document))
    assert figures == {("method", one.name, "", ""): one.figures for one in methods}
    assert failures == {("method", "failed", "", ""): failure}


def test_figures_csv_of_a_whole_run_has_every_figure_of_it():
    figures, failures = read_figures(figures_csv(DOCUMENT))
    expected = {("method", one.name, "", ""): one.figures for one in DOCUMENT.methods if one.figures}
    expected |= {("control", one.name, "", ""): one.figures for one in DOCUMENT.controls}
    expected |= {("breakdown", one.method, one.dimension, one.group): one.figures for one in DOCUMENT.breakdowns}
    expected |= {("repeat", one.method, "seed", str(one.seed)): one.figures for one in DOCUMENT.repeats}
    expected |= {("ablation", one.study, "", one.variant): one.figures for one in DOCUMENT.ablations if one.figures}
    assert figures == expected
    assert failures == {
        ("method", "peer", "", ""): "the reader has 30 layers, expected 32",
        ("ablation", "attention pooling", "", "mean of all heads"): "the reader gave no attention",
    }


def test_a_damaged_figures_csv_is_refused():
    with pytest.raises(InputError, match=r"^figures.csv: must have the columns kind, name, .*, got \['a', 'b'\]$"):
        read_figures("a,b\n1,2\n")
    with pytest.raises(InputError) as caught:
        read_figures(figures_csv(DOCUMENT).replace("110000", "many", 1))
    assert str(caught.value) == (
        "figures.csv: has a malformed number (invalid literal for int() with base 10: 'many'); write it again from "
        "results.json"
    )


def test_wide_csv_has_the_very_numbers_with_their_intervals():
    lines = list(csv.DictReader(io.StringIO(to_csv(main_table(DOCUMENT)))))
    assert [line["kind"] for line in lines].count("control") == len(DOCUMENT.controls)
    for line in lines:
        result = DOCUMENT.result(line["method"])
        for smoothing in ("raw", "smoothed"):
            own = None if result is None else result.figure("token", smoothing, "auroc")
            if own is not None and own.value is not None:
                key = f"token_auroc_{smoothing}"
                assert [float(line[name]) for name in (key, f"{key}_low", f"{key}_high")] == [
                    own.value,
                    own.low,
                    own.high,
                ]
    assert next(line for line in lines if line["method"] == "peer")["token_auroc_raw"] == ""


def test_files_have_the_same_bytes_each_time_and_names_do_not_collide(tmp_path):
    tables = run_tables(DOCUMENT)
    first = {path.name: path.read_bytes() for path in write_tables(tables, DOCUMENT, tmp_path / "a")}
    again = write_tables(run_tables(made.whole.__wrapped__()), made.whole.__wrapped__(), tmp_path / "b")
    assert {path.name: path.read_bytes() for path in again} == first
    assert len(first) == 3 * len(tables) + 1
    with pytest.raises(InputError) as caught:
        write_tables((tables[0], tables[0]), DOCUMENT, tmp_path)
    assert str(caught.value) == "tables: must have different names, got 'main' twice"


@pytest.mark.parametrize(
    ("value", "signed", "text"),
    [(0.4567, False, ".457"), (1.0, False, "1.000"), (0.9996, False, "1.000"), (0.0, True, ".000"),
     (-0.0, True, ".000"),
     (-0.0004, True, ".000"), (0.02, True, "+.020"), (-0.02, True, "−.020"), (-1.0, False, "−1.000")],
)  # fmt: skip
def test_numbers_are_printed_with_three_decimals(value, signed, text):
    assert short(value, signed=signed) == text


def test_one_answer_is_not_called_answers():
    facts = dataclasses.replace(DOCUMENT.data, n_answers=1, n_sources=1)
    assert "1 answer of 1 source;" in main_table(dataclasses.replace(DOCUMENT, data=facts)).notes[0]


def test_a_dash_says_why_nothing_was_measured_where_the_kind_of_method_says_it():
    of_answers = made.figures(0.4, tokens=False)[-3:]
    raw_tokens = tuple(one for one in made.figures(0.1) if one.smoothing == "raw" and one.level != "answer")
    f1 = Figure("token", "raw", "f1", None, 9, reason="no validation answers were given")
    judge = made.method("judge", "Judge", 0, level="answer", figures=of_answers)
    gap = made.method("gap", "Gap", 0, figures=raw_tokens)
    document = small(
        made.method("full", "Full", 0.5), judge, gap,
        controls=(made.method("position", "position", 0, figures=(*raw_tokens, f1)),
                  made.method("length", "length", 0, figures=of_answers)),
        ablations=(Ablation("a", "b", of_answers), Ablation("a", "c", made.figures(0.5))),
        breakdowns=(Breakdown("task", "QA", "full", made.figures(0.5)), Breakdown("task", "QA", "judge", of_answers)),
        repeats=tuple(
            Repeat(name, seed, own)
            for seed in (0, 1) for name, own in (("full", made.figures(0.5)), ("judge", of_answers))
        ),
    )  # fmt: skip
    rows = {row.cells[0].value: [cell.reason for cell in row.cells[2:]] for row in main_table(document).body}
    only, smoothed = "judges whole answers only", "a control is not smoothed"
    assert rows["judge"] == [only] * 4 + [None] * 2
    assert rows["gap"] == [None, "not measured"] * 2 + ["not measured"] * 2
    assert rows["position"] == [None, smoothed] * 2 + ["ranks tokens only"] * 2
    assert rows["length"][0::2][:2] == [only] * 2
    points = {row.cells[0].value: row for row in next(operating_tables(document)).body}
    assert points["position"].cells[2].reason == "a control has no threshold"
    assert ablation_table(document).rows[0].cells[2].reason == only
    assert next(breakdown_tables(document)).rows[1].cells[1].reason == only
    assert {cell.reason for cell in seed_table(document).rows[1].cells[1:5]} == {only}
    assert seed_table(document).rows[2].cells[1].reason == "not measured"


def test_what_a_method_is_fitted_on_is_said_in_words_and_an_oracle_is_named():
    assert set(TRAINING_WORDS) == set(typing.get_args(Training))
    oracle = made.method("generator", "generator", 0.9, training="test labels")
    shipped = made.method("shipped", "Shipped", 0.5, training="other data")
    table = main_table(small(shipped, controls=(oracle,)))
    assert [row.cells[1].text for row in table.body[:2]] == ["labels of other data", "the test labels themselves"]
    assert table.notes[-1] == ORACLE_NOTE
    assert ORACLE_NOTE not in main_table(DOCUMENT).notes


@pytest.mark.parametrize(("n", "said"), [(29, True), (30, False)])
def test_few_sources_are_said_to_give_rough_intervals(n, said):
    facts = dataclasses.replace(DOCUMENT.data, n_sources=n)
    note = (
        "Intervals are rough here: with fewer than 30 sources, here 29, percentiles over drawn sources cover less "
        "often than 95 % and need not hold their estimate."
    )
    document = dataclasses.replace(DOCUMENT, data=facts)
    assert (note in main_table(document).notes) is said
    assert (note in comparison_table(document).notes) is said
    # Where no interval is printed, nothing is said of intervals.
    assert note not in main_table(document, intervals=False).notes
