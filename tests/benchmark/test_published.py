"""The published tables: their numbers, what differs, and when a claim of reproduction may be made."""

import dataclasses

import made_document as made
import pytest

from ragcortex.benchmark.results.document import DataFacts
from ragcortex.benchmark.results.published import beside_published, claim, counterparts, differences, published_data
from ragcortex.benchmark.results.published_figures import METHODS, OTHER_POINTS, RAGTRUTH, READERS
from ragcortex.benchmark.results.table_text import to_markdown

DOCUMENT = made.whole()


def as_in_paper(reader=READERS[1], **changes):
    """Return a run with the paper's reader, data and split."""
    facts = {"n_training": (4530,), "n_validation": (504,), "split": "the official split", "n_answers": 900}
    data = dataclasses.replace(DOCUMENT.data, **{**facts, **changes})
    environment = dataclasses.replace(DOCUMENT.environment, reader_id=reader, n_reader_parameters=8_190_735_360)
    return dataclasses.replace(DOCUMENT, data=data, environment=environment)


def test_the_published_figures_stand_beside_ours_with_what_differs():
    table = beside_published(DOCUMENT)[0]
    rows = [row for row in table.rows if row.cells[0].text == "CORTEX"]
    # A method for each of ours that the paper's row is to be held against.
    assert [row.cells[7].value for row in rows] == ["cortex-paper", "cortex-tuned"]
    assert [cell.text for cell in rows[0].cells[:7]] == ["CORTEX", ".5686", ".9275", ".5940", ".9372", ".5473", ".9244"]
    ours = DOCUMENT.result("cortex-paper").figure("token", "smoothed", "average_precision")
    assert rows[0].cells[10].value == ours.value
    assert rows[0].cells[-1].text == (
        "reader; training answers; split; p_stay (the paper's is .995, here from validation answers)"
    )
    assert rows[1].cells[-1].text == (
        "reader; training answers; split; p_stay (the paper's is .995, here from validation answers); layer (the "
        "paper's is the final one, here from validation answers)"
    )
    nll = next(row for row in table.rows if row.cells[0].text == "NLL")
    assert nll.cells[-1].text == "reader; training answers; split; smoothing (the paper's is raw)"


def test_a_published_method_that_we_did_not_run_or_that_failed_keeps_its_row():
    failed = made.method("nll", "NLL", 0, figures=(), failure="it stopped")
    table = beside_published(made.plain([failed]))[1]
    assert [row.cells[0].text for row in table.rows] == [one.title for one in METHODS]
    assert table.rows[0].cells[8].reason == "failed: it stopped"
    assert table.rows[1].cells[8].reason == "this run has no method that corresponds"


def test_another_reader_and_other_training_rows_make_no_claim():
    assert claim(DOCUMENT) == (
        "No claim of reproduction is made, since this run differs from arXiv 2606.31033v1. Reader: "
        "HuggingFaceTB/SmolLM2-135M-Instruct (135 million parameters); the paper's are Llama-3.1-8B-Instruct (8B), "
        "Qwen3-8B (8B), Mistral-7B-Instruct-v0.2 (7B); training answers: 610 to 612 a fold; the paper's are 4,530; "
        "split: five folds by source; the paper's is one split into training, validation and test answers."
    )
    for table in beside_published(DOCUMENT):
        assert claim(DOCUMENT) in table.notes


def test_the_same_reader_data_and_training_rows_say_so():
    assert differences(as_in_paper(), RAGTRUTH) == {}
    assert claim(as_in_paper()) == (
        "Reader (Qwen/Qwen3-8B), data set (RAGTruth QA) and number of training answers (4,530) are those of arXiv "
        "2606.31033v1, so that the figures may be read as a reproduction; prompts, layers and pooling of attention, "
        "which the paper does not state, may differ."
    )


@pytest.mark.parametrize(
    ("run", "differing"),
    [
        (as_in_paper("/models/Qwen3-8B"), ["reader"]),
        (as_in_paper("Qwen/Qwen3-8B-random"), ["reader"]),
        (as_in_paper(n_training=(4529,)), ["training answers"]),
        (as_in_paper(n_answers=875), ["test answers"]),
        (as_in_paper(task="Summary"), ["data"]),
        (dataclasses.replace(as_in_paper(), config={"data": {"rows": "/somewhere/rows.jsonl"}}), ["rows"]),
        (as_in_paper(task=None), ["data"]),
        (as_in_paper(n_training=(4530, 4530), n_validation=(504, 504)), ["split"]),
    ],
)
def test_any_single_difference_takes_the_claim_away(run, differing):
    assert list(differences(run, RAGTRUTH)) == differing
    assert claim(run).startswith("No claim of reproduction is made")


def test_own_rows_take_the_claim_away_and_a_missing_or_empty_key_does_not():
    own = dataclasses.replace(as_in_paper(), config={"data": {"rows": "/somewhere/rows.jsonl"}})
    assert claim(own) == (
        "No claim of reproduction is made, since this run differs from arXiv 2606.31033v1. Rows: own rows were read; "
        "the paper's are the official files of RAGTruth QA."
    )
    assert "rows" in beside_published(own)[0].rows[0].cells[-1].text
    for config in ({}, {"data": {}}, {"data": {"rows": None}}):
        assert "reproduction; prompts" in claim(dataclasses.replace(as_in_paper(), config=config))


def test_a_published_method_of_ours_that_judges_answers_only_says_so():
    judge = made.method(
        "llm-check-hidden", "LLM-Check", 0, level="answer", figures=made.figures(0.4, tokens=False)[-3:]
    )
    token, answer, _, others = beside_published(made.plain([judge]))
    row = next(row for row in token.rows if row.cells[0].text == "LLM-Check")
    assert {cell.reason for cell in row.cells[8:12]} == {"judges whole answers only"}
    assert next(row for row in answer.rows if row.cells[0].text == "LLM-Check").cells[8].value == 0.4
    assert others.rows[-1].cells[1].reason == "judges whole answers only"


def test_a_data_set_that_nobody_published_on_has_no_table_and_no_claim():
    data = DataFacts("WiCE", None, "d", 5, 5, "one split", (1,), (1,), {})
    document = made.plain([made.method("nll", "NLL", 0.5)], data=data)
    assert published_data(document) is None
    assert beside_published(document) == ()
    assert claim(document) == "No claim of reproduction is made: arXiv 2606.31033v1 has no figures on WiCE."


def test_hallurag_has_its_own_numbers_and_no_tables_of_ragtruth():
    data = dataclasses.replace(DOCUMENT.data, name="HalluRAG", task=None)
    tables = beside_published(dataclasses.replace(DOCUMENT, data=data))
    assert [table.name for table in tables] == ["published-token", "published-answer"]
    assert [cell.text for cell in tables[1].rows[-1].cells[:3]] == ["CORTEX", ".7795", ".8481"]


def test_names_are_matched_whole_and_families_by_their_beginning():
    names = ("nll", "nll-mean", "icr-probe", "llm-check-hidden", "llm-checked", "saplma", "saplma-original", "cortex")
    document = made.plain([made.method(name, name, 0.5) for name in names])
    found = {one.title: [ours.name for ours in counterparts(document, one)] for one in METHODS}
    assert found == {
        "NLL": ["nll"], "LLM-Check": ["llm-check-hidden"], "ICR Probe": ["icr-probe"], "SAPLMA": ["saplma"],
        "RAGLens": [], "CORTEX": [],
    }  # fmt: skip


def test_the_numbers_are_complete_and_in_range():
    for one in METHODS:
        for figures in (one.token, one.answer):
            assert set(figures) == {"RAGTruth", "HalluRAG"}
            for pairs in figures.values():
                assert len(pairs) == len(READERS)
                assert all(0 < value < 1 for pair in pairs for value in pair)
    # The best token AP of each reader is CORTEX's on both data sets; its answer AP is not always.
    for data in ("RAGTruth", "HalluRAG"):
        for place in range(len(READERS)):
            assert max(METHODS, key=lambda one: one.token[data][place][0]).title == "CORTEX"
    assert max(METHODS, key=lambda one: one.answer["RAGTruth"][0][0]).title == "RAGLens"
    assert all(one.overall != one.qa for one in OTHER_POINTS)


def test_others_stand_in_the_column_of_the_task_that_was_run():
    table = beside_published(DOCUMENT)[3]
    rows = {row.cells[0].text: [cell.text for cell in row.cells[1:]] for row in table.body}
    assert rows["LettuceDetect-large"] == [".644", ".589", ".702", ".792"]
    assert rows["RAG-HAT"] == ["–", "–", ".748", ".839"]
    # F1 of characters .1 + .35 × .1 and of answers .3 + .38 × .1, on QA.
    assert rows["NLL"] == [".135", "–", ".338", "–"]


def test_the_ablation_table_has_the_papers_steps_and_ours():
    text = to_markdown(beside_published(DOCUMENT)[2])
    assert "| Δh, c | .5335 | .9156 | .6910 | .9011 |" in text
    assert "| SAPLMA, smoothed | .5078 |" in text
    assert "| signals: Δ; c | .4200 \\[.400, .440\\] | .7700" in text
