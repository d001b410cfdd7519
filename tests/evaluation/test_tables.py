"""Rendering of results."""

import io
import json

import pytest
from rich.console import Console

from ragcortex.errors import InputError
from ragcortex.evaluation.bootstrap import Interval
from ragcortex.evaluation.metrics import Metric
from ragcortex.evaluation.tables import ResultRow, ResultTable


def row(method="ours", level="token", smoothing="raw", *, is_control=False, auroc=0.875):
    return ResultRow(
        method=method,
        level=level,
        smoothing=smoothing,
        is_control=is_control,
        average_precision=Metric(0.4567, 1200, 0.053),
        average_precision_interval=Interval(0.4, 0.5, 30, 200),
        auroc=Metric(auroc, 1200, 0.053),
        auroc_interval=Interval(0.86, 1.0, 30, 200),
    )


def undefined_row():
    reason = "nothing is labelled hallucinated"
    nothing, no_interval = Metric(None, 3, 0.0, reason), Interval(None, None, 2, 0, reason)
    return ResultRow("ours", "answer", "raw", False, nothing, no_interval, nothing, no_interval)


def table(*rows, **changes):
    fields = {
        "n_examples": 1234, "n_without_token_labels": 2, "n_without_answer_labels": 0, "n_groups": 30,
        "n_resamples": 200, "seed": 7, "omitted": ("No control for generator identity: one generator.",),
    }  # fmt: skip
    return ResultTable(rows=rows, **{**fields, **changes})


def test_markdown_to_the_letter():
    shown = table(undefined_row(), row("length|x", is_control=True), row()).to_markdown()
    assert shown == (
        "| level | method | smoothing | AP | AUROC | n | base rate |\n"
        "| --- | --- | --- | ---: | ---: | ---: | ---: |\n"
        "| token | ours | raw | .457 [.400, .500] | .875 [.860, 1.000] | 1,200 | 5.3 % |\n"
        "| token | control: length\\|x | raw | .457 [.400, .500] | .875 [.860, 1.000] | 1,200 | 5.3 % |\n"
        "| answer | ours | raw | – | – | 3 | 0.0 % |\n"
        "\n"
        "* 1,234 answers of 30 sources; in brackets 95 % bootstrap intervals by source, 200 resamples, seed 7.\n"
        "* Left out at the token level, since their spans are not known: 2.\n"
        "* No AP value for ours (answer, raw): nothing is labelled hallucinated.\n"
        "* No AUROC value for ours (answer, raw): nothing is labelled hallucinated.\n"
        "* No control for generator identity: one generator.\n"
    )


def test_json_holds_every_figure():
    data = json.loads(table(row(), undefined_row(), n_without_answer_labels=5).to_json())
    assert data["schema"] == "ragcortex.results/1"
    assert data["rows"][0] == {
        "method": "ours",
        "level": "token",
        "smoothing": "raw",
        "is_control": False,
        "average_precision": {
            "value": 0.4567, "low": 0.4, "high": 0.5, "n_groups": 30, "n_resamples": 200, "reason": None
        },
        "auroc": {"value": 0.875, "low": 0.86, "high": 1.0, "n_groups": 30, "n_resamples": 200, "reason": None},
        "n": 1200,
        "base_rate": 0.053,
    }  # fmt: skip
    assert data["rows"][1]["auroc"]["value"] is None
    assert data["rows"][1]["auroc"]["reason"] == "nothing is labelled hallucinated"
    assert (data["n_examples"], data["n_without_token_labels"], data["n_without_answer_labels"]) == (1234, 2, 5)
    assert (data["n_groups"], data["n_resamples"], data["seed"]) == (30, 200, 7)
    assert "Left out at the answer level, since their label is not known: 5." in data["notes"]


@pytest.mark.parametrize("width", [40, 120])
def test_the_terminal_table_keeps_every_figure(width):
    written = io.StringIO()
    Console(file=written, width=width, no_color=True).print(
        table(row("[ours]"), row("length", is_control=True)).to_rich()
    )
    text = written.getvalue()
    assert all(len(line) <= width for line in text.splitlines())
    if width == 120:
        assert "[ours]" in text
        assert "control: length" in text
        assert ".457 [.400, .500]" in text
        assert "1,234 answers of 30 sources" in text


def test_a_value_without_an_interval_is_shown_alone():
    plain = ResultRow(
        "ours", "token", "raw", False, Metric(0.5, 2, 0.5), Interval(None, None, 1, 0, "all rows are of one group"),
        Metric(1.0, 2, 0.5), Interval(0.9, 1.0, 1, 5),
    )  # fmt: skip
    assert plain.cells() == ("token", "ours", "raw", ".500", "1.000 [.900, 1.000]", "2", "50.0 %")
    notes = table(plain, n_examples=1, n_groups=1, n_without_token_labels=0, omitted=()).notes()
    assert notes == (
        "1 answer of 1 source; in brackets 95 % bootstrap intervals by source, 200 resamples, seed 7.",
        "No AP interval for ours (token, raw): all rows are of one group.",
    )


def test_methods_join_with_their_controls_once():
    control = row("length", is_control=True)
    joined = ResultTable.joined([table(row("a"), control), table(row("b"), control)])
    assert [each.method for each in joined.rows] == ["a", "b", "length"]
    assert joined.omitted == ("No control for generator identity: one generator.",)
    for other in (table(row("b"), control, seed=8), table(row("b"), row("length", is_control=True, auroc=0.6))):
        with pytest.raises(InputError) as error:
            ResultTable.joined([table(row("a"), control), other])
        assert str(error.value) == (
            "tables: must be of the same answers, tokens, resamples and seed; evaluate the methods together"
        )
    with pytest.raises(InputError) as error:
        ResultTable.joined([])
    assert str(error.value) == "tables: must hold at least one table"


def test_both_metrics_are_of_the_same_rows():
    with pytest.raises(InputError) as error:
        ResultRow("ours", "token", "raw", False, Metric(0.5, 2, 0.5), Interval(0, 1, 2, 5), Metric(0.5, 3, 0.5),
                  Interval(0, 1, 2, 5))  # fmt: skip
    assert str(error.value) == "auroc: must be of the same rows as average_precision, got n=3 and 2"
