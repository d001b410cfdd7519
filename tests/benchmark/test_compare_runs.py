"""Two runs compared: same data and protocol or not, verdicts by intervals, and paired where predictions are there."""

import dataclasses
import json

import made_document as made
import numpy as np
import pytest

from ragcortex.benchmark.results.compare_runs import compare_runs
from ragcortex.benchmark.results.figure import Figure
from ragcortex.benchmark.results.run_comparison import FieldDifference
from ragcortex.evaluation.bootstrap import bootstrap_difference
from ragcortex.evaluation.levels import LevelUnits
from ragcortex.evaluation.metrics import ranking_metrics


def one_figure(value, low=None, high=None, *, reason=None):
    return (Figure("token", "smoothed", "auroc", value, 100, 0.1, low, high, reason),)


def run(figures, *, name="nll", **changes):
    method = made.method(name, name.upper(), 0, figures=figures, failure=None if figures else "it stopped")
    return made.plain([method], **changes)


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        (one_figure(0.5, 0.4, 0.6), one_figure(0.7, 0.65, 0.75), "better"),
        (one_figure(0.7, 0.65, 0.75), one_figure(0.5, 0.4, 0.6), "worse"),
        # Above the other's interval, but the other's value lies in its own.
        (one_figure(0.5, 0.4, 0.6), one_figure(0.7, 0.45, 0.8), "within the interval"),
        (one_figure(0.5, 0.4, 0.6), one_figure(0.55, 0.5, 0.6), "within the interval"),
        (one_figure(0.5), one_figure(0.6), "no interval"),
        (one_figure(0.5), one_figure(0.5), "within the interval"),
        (one_figure(None, reason="one class"), one_figure(0.5), "not defined"),
        ((), one_figure(0.5), "not defined"),
    ],
)
def test_verdicts_without_predictions(first, second, verdict):
    (row,) = compare_runs(run(first), run(second)).rows
    assert row.verdict == verdict
    assert (row.low, row.high, row.p, row.p_holm) == (None,) * 4


def test_runs_on_other_data_are_not_comparable_and_say_in_what_they_differ():
    data = dataclasses.replace(made.whole().data, fingerprint="e" * 16, n_answers=899)
    found = compare_runs(run(one_figure(0.5, 0.4, 0.6)), run(one_figure(0.9, 0.8, 1.0), data=data))
    assert not found.same_data
    assert {row.verdict for row in found.rows} == {"not comparable"}
    assert found.data_differences == (
        FieldDifference("fingerprint", "d" * 16, "e" * 16), FieldDifference("n_answers", "900", "899"),
    )  # fmt: skip
    assert "Not the same data: no figure of one can be held against the other." in found.summary()


def test_protocols_are_compared_field_by_field():
    first = {
        "title": "a", "costs": 0, "protocol": {"folds": 5, "seeds": [0]},
        "methods": [{"name": "nll", "options": {"k": 1}}, {"name": "gone", "options": {}}],
    }  # fmt: skip
    second = {
        "title": "b", "costs": 9, "protocol": {"folds": 3, "seeds": [0], "reference": "nll"},
        "methods": [{"name": "nll", "options": {"k": 2}}],
    }  # fmt: skip
    figures = one_figure(0.5)
    found = compare_runs(run(figures, config=first), run(figures, config=second))
    assert found.protocol_differences == (
        FieldDifference("protocol.folds", "5", "3"),
        FieldDifference("methods.nll.options.k", "1", "2"),
        FieldDifference("protocol.reference", "absent", "nll"),
    )
    assert not found.same_protocol
    assert compare_runs(run(figures, config=first), run(figures, config={**first, "title": "c"})).same_protocol


def test_where_own_rows_lie_changes_nothing_but_that_they_are_not_official_files_does():
    own, moved, official = (run(one_figure(0.5), config={"data": {"rows": rows}}) for rows in ("/a", "/b", None))
    assert compare_runs(own, moved).same_protocol
    found = compare_runs(official, own).protocol_differences
    assert found == (FieldDifference("data.rows", "null", "own rows"),)


def test_methods_are_matched_by_their_label():
    config = {"methods": [{"name": "cortex", "label": "nll", "options": {"k": 1}}]}
    other = {"methods": [{"name": "cortex", "label": "nll", "options": {"k": 2}}]}
    found = compare_runs(run(one_figure(0.5), config=config), run(one_figure(0.5), config=other))
    assert [one.field for one in found.protocol_differences] == ["methods.nll.options.k"]


def test_environments_are_compared_but_change_no_verdict():
    environment = dataclasses.replace(made.whole().environment, n_cores=8, libraries={"torch": "2.14"})
    found = compare_runs(run(one_figure(0.5)), run(one_figure(0.5), environment=environment))
    assert [(one.field, one.first, one.second) for one in found.environment_differences] == [
        ("n_cores", "2", "8"), ("libraries.torch", "2.13", "2.14"), ("libraries.transformers", "5.24", "absent"),
    ]  # fmt: skip
    assert found.same_data
    assert found.same_protocol


def test_methods_of_one_run_only_and_failures_are_named():
    first = made.plain([made.method("a", "A", 0.5), made.method("b", "B", 0.5)])
    second = made.plain([made.method("a", "A", 0, figures=(), failure="it stopped"), made.method("c", "C", 0.5)])
    found = compare_runs(first, second)
    assert (found.only_in_first, found.only_in_second) == (("B",), ("C",))
    assert found.notes == ("A failed in the second run: it stopped.",)
    assert {row.method for row in found.rows} == {"a"}


def units(scores, labels, groups):
    answers = np.arange(len(scores))
    return LevelUnits("token", scores, labels, groups, answers, 0, 0)


def paired_case(gain, n=400):
    rng = np.random.default_rng(0)
    labels = (rng.random(n) < 0.3).astype(np.int8)
    groups = np.arange(n) // 8
    base = rng.normal(size=n) + labels
    better = base + gain * labels
    values = [ranking_metrics(scores, labels).auroc.value for scores in (base, better)]
    return units(base, labels, groups), units(better, labels, groups), values


def test_predictions_of_both_runs_are_compared_on_the_same_resamples():
    first, second, values = paired_case(0.3)
    asked = []

    def paired(name, level, smoothing):
        asked.append((name, level, smoothing))
        return (first, second) if (level, smoothing) == ("token", "smoothed") else None

    wide = [one_figure(value, 0.0, 1.0) for value in values]
    (row,) = compare_runs(run(wide[0]), run(wide[1]), paired=paired, n_resamples=300, seed=3).rows
    expected = bootstrap_difference(
        second.scores, first.scores, first.labels, first.groups, seed=3, n_resamples=300
    ).auroc
    # The wide intervals say nothing; the paired one leaves out 0.
    assert row.verdict == "better"
    assert row.difference == pytest.approx(values[1] - values[0])
    assert (row.low, row.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert row.p == row.p_holm == pytest.approx(2 / 301)
    assert ("nll", "answer", "raw") in asked
    (swapped,) = compare_runs(run(wide[1]), run(wide[0]), paired=lambda *at: paired(*at) and (second, first)).rows
    assert swapped.verdict == "worse"


def test_holm_corrects_over_the_methods_of_one_figure():
    first, second, values = paired_case(0.3)
    figures = [one_figure(value, 0.0, 1.0) for value in values]
    runs = [
        made.plain([made.method(name, name, 0, figures=own) for name in ("a", "b", "c")]) for own in figures
    ]  # fmt: skip

    def paired(name, level, smoothing):
        return (first, second) if (level, smoothing) == ("token", "smoothed") else None

    rows = compare_runs(*runs, paired=paired, n_resamples=300).rows
    assert [row.p_holm for row in rows] == pytest.approx([3 * row.p for row in rows])


def test_other_tokens_are_not_paired_and_strange_predictions_are_reported():
    first, second, values = paired_case(0.3)
    fewer = units(second.scores[:-1], second.labels[:-1], second.groups[:-1])
    wide = [one_figure(value, 0.0, 1.0) for value in values]
    found = compare_runs(
        run(wide[0]), run(wide[1]), paired=lambda _, level, __: (first, fewer) if level == "token" else None
    )
    assert found.notes[0] == "nll is not paired at the token level: the two runs have other tokens or labels."
    assert found.rows[0].verdict == "within the interval"
    changed = compare_runs(
        run(wide[0]), run(one_figure(0.99, 0.0, 1.0)),
        paired=lambda _, level, smoothing: (first, second) if (level, smoothing) == ("token", "smoothed") else None,
    )  # fmt: skip
    assert changed.notes == (
        f"NLL, token auroc, smoothed: predictions give a difference of {values[1] - values[0]:+.4f}, figures one of "
        f"{0.99 - values[0]:+.4f}; a folder was changed after its run.",
    )


def test_markdown_and_json_of_a_comparison():
    found = compare_runs(run(one_figure(0.5, 0.4, 0.6)), run(one_figure(0.7, 0.65, 0.75), title="Other"))
    assert found.to_markdown() == (
        "# Two benchmark runs\n\n"
        "* First: A made run, 2026-02-03.\n* Second: Other, 2026-02-03.\n* Same data.\n* Same protocol.\n\n"
        "## Two runs, figure by figure\n\n"
        "| method | figure | first | second | difference | verdict |\n"
        "| --- | --- | ---: | ---: | ---: | --- |\n"
        "| NLL | token AUROC, smoothed | .500 \\[.400, .600\\] | .700 \\[.650, .750\\] | +.200 | better |\n\n"
        "* Difference: second minus first. Verdict: of the second run; where predictions were paired, by the interval "
        "of the difference, else by whether each value lies outside the interval of the other.\n"
    )
    values = json.loads(found.to_json())
    assert values["schema"] == "ragcortex.benchmark-comparison/1"
    assert values["same_protocol"] is True
    assert values["rows"][0]["verdict"] == "better"
    assert values["rows"][0]["first"]["low"] == 0.4


def test_a_run_compared_with_itself_has_no_difference():
    found = compare_runs(made.whole(), made.whole())
    assert found.same_data
    assert found.same_protocol
    assert found.differences_table() is None
    assert {row.difference for row in found.rows} <= {0.0, None}
    assert {row.verdict for row in found.rows} == {"within the interval", "not defined"}
