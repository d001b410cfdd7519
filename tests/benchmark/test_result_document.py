"""The document of a run: round trips, its own checks, and errors that name their place."""

import dataclasses
import json
import math

import made_document as made
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.results.codec import json_object
from ragcortex.benchmark.results.document import FILE_NAME, SCHEMA, RunDocument
from ragcortex.benchmark.results.drawn import Curve, Sweep, curve, thinned
from ragcortex.benchmark.results.figure import LEVELS, METRICS, SMOOTHINGS, Figure
from ragcortex.benchmark.results.parts import Ablation, Breakdown, Comparison, Cost, FoldChoices, MethodResult
from ragcortex.errors import InputError, StoreError

shares = st.floats(0, 1)
words = st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda text: text.strip())


@st.composite
def any_figure(draw):
    value = draw(st.none() | shares)
    bounds = sorted((draw(shares), draw(shares)))
    with_interval = value is not None and draw(st.booleans())
    reason = draw(words) if value is None else None if with_interval else draw(st.none() | words)
    return Figure(
        draw(st.sampled_from(LEVELS)), draw(st.sampled_from(SMOOTHINGS)), draw(st.sampled_from(METRICS)), value,
        draw(st.integers(0, 10**9)), draw(st.none() | shares), *(bounds if with_interval else (None, None)), reason,
    )  # fmt: skip


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=8,
)


@given(
    figures=st.lists(any_figure(), max_size=6, unique_by=lambda one: one.place),
    config=st.dictionaries(words, json_values, max_size=4),
    notes=st.lists(words, max_size=3),
    failure=words,
)
@settings(max_examples=50, deadline=None)
def test_any_document_equals_itself_after_a_round_trip_through_json_text(figures, config, notes, failure):
    method = made.method("one", "One", 0.5, figures=tuple(figures), failure=None if figures else failure)
    document = made.plain([method], config=config, notes=tuple(notes))
    assert RunDocument.from_dict(json.loads(json.dumps(document.to_dict(), allow_nan=False))) == document


def test_a_whole_document_equals_itself_after_it_was_written_and_the_bytes_are_the_same(tmp_path):
    document = made.whole()
    path = document.write(tmp_path / "a" / "run")
    assert path.name == FILE_NAME
    assert RunDocument.read(path.parent) == document
    assert json.loads(path.read_text())["schema"] == SCHEMA
    first = path.read_bytes()
    made.whole.__wrapped__().write(path.parent)
    assert path.read_bytes() == first
    assert [one.name for one in path.parent.iterdir()] == [FILE_NAME]


def changed(values, place, value):
    """Return a copy of JSON values with one place changed; `del` removes it."""
    copy = json.loads(json.dumps(values))
    inner = copy
    for step in place[:-1]:
        inner = inner[step]
    if value == "del":
        del inner[place[-1]]
    else:
        inner[place[-1]] = value
    return copy


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        (("schema",), "ragcortex.benchmark/2",
         "schema: must be 'ragcortex.benchmark/1', got 'ragcortex.benchmark/2'; another version wrote this document"),
        (("title",), "del", "document.title: is missing"),
        (("titel",), "x", "document.titel: is not a known field; the nearest known one is 'title'"),
        (("title",), 3, "document.title: must be a string, got int"),
        (("title",), " ", "document.title: must not be blank"),
        (("date",), "2026-2-3", "document.date: must be a day as YYYY-MM-DD, got '2026-2-3'"),
        (("methods",), {}, "document.methods: must be a list, got dict"),
        (("methods", 1, "name"), "nll", "document.methods: must have different names, controls too, got 'nll' twice"),
        (("methods", 0, "figures", 0, "value"), 1.5,
         "document.methods[0].figures[0].value: must be a number in [0, 1] or null, got 1.5"),
        (("methods", 0, "figures", 0, "value"), "high",
         "document.methods[0].figures[0].value: must be a number, got str"),
        (("methods", 0, "figures", 0, "level"), "phrase",
         "document.methods[0].figures[0].level: must be one of token, word, character, sentence, answer, got 'phrase'"),
        (("methods", 0, "figures", 0, "n"), True,
         "document.methods[0].figures[0].n: must be a whole number, got bool"),
        (("methods", 0, "figures", 0), 7, "document.methods[0].figures[0]: must be a JSON object, got int"),
        (("reference_method",), "none", "document.reference_method: must be one of the methods, got 'none'"),
        (("comparisons", 0, "reference"), "nll",
         "document.comparisons[0].reference: must be the reference method, 'cortex-paper', got 'nll'"),
        (("sweeps", 0, "method"), "none", "document.sweeps[0].method: must be one of the methods, got 'none'"),
        (("curves", 0, "points", 0), [0.0], "document.curves[0].points[0]: must be a list of 2, got 1"),
        (("data", "base_rates"), {"phrase": 0.5},
         "document.data.base_rates: must be one of token, word, character, sentence, answer, got 'phrase'"),
        (("environment", "libraries"), [], "document.environment.libraries: must be a JSON object, got list"),
        (("data", "n_validation"), [1],
         "document.data.n_validation: must be one a fold, as n_training is, got (1,)"),
    ],
)  # fmt: skip
def test_a_malformed_document_is_refused_by_the_name_of_the_field(place, value, message):
    with pytest.raises(InputError) as caught:
        RunDocument.from_dict(changed(made.whole().to_dict(), place, value))
    assert str(caught.value) == message


def test_a_folder_without_a_document_is_an_error_that_says_so(tmp_path):
    with pytest.raises(StoreError) as caught:
        RunDocument.read(tmp_path)
    path = tmp_path / FILE_NAME
    assert str(caught.value) == f"{path}: is not there; give the results folder of a finished benchmark run"
    path.write_text('{"schema": NaN}')
    with pytest.raises(StoreError) as caught:
        RunDocument.read(tmp_path)
    assert str(caught.value) == (f"{path}: cannot be read as JSON (NaN is not a JSON number); run the benchmark again")


def figure(**changes):
    fields = {
        "level": "token", "smoothing": "raw", "metric": "auroc", "value": 0.5, "n": 10, "base_rate": 0.1, "low": 0.4,
        "high": 0.6, "reason": None,
    }  # fmt: skip
    return Figure(**{**fields, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"value": None, "low": None, "high": None}, "reason: must say why there is no value"),
        ({"value": float("nan")}, "value: must be a number in [0, 1] or null, got nan"),
        ({"high": None}, "high: must be given exactly where low is, got low=0.4 and high=None"),
        ({"high": 0.3}, "high: must be at least low=0.4, got 0.3"),
        ({"reason": "one group"},
         "low: must be null where there is no value, or where a reason says why there is no interval"),
        ({"n": -1}, "n: must be a whole number from 0 on, got -1"),
        ({"metric": "accuracy"}, f"metric: must be one of {', '.join(METRICS)}, got 'accuracy'"),
    ],
)  # fmt: skip
def test_a_figure_that_contradicts_itself_is_refused(changes, message):
    with pytest.raises(InputError) as caught:
        figure(**changes)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: made.method("a", "A", 0.5, failure="it stopped"),
         "figures: must be empty where the method failed; figures of some folds are not its figures"),
        (lambda: made.method("a", "A", 0.5, figures=()), "failure: must say why there are no figures"),
        (lambda: Ablation("signals", "Δ"), "failure: must say why there are no figures"),
        (lambda: Breakdown("task", "QA", "a", (figure(), figure())),
         "figures[1]: is a second one of token, raw, auroc"),
        (lambda: Cost(reading_ratio=-1.0), "reading_ratio: must be a finite number from 0 on or null, got -1.0"),
        (lambda: Cost(peak_megabytes=math.nan), "peak_megabytes: must be a finite number from 0 on or null, got nan"),
        (lambda: FoldChoices(0, {"at": math.inf}), "choices.at: must be a finite number, got inf"),
        (lambda: Comparison("a", "b", "token", "raw", "auroc", None), "reason: must say why there is no difference"),
        (lambda: Comparison("a", "b", "token", "raw", "auroc", 1.5),
         "difference: must be a number in [-1, 1] or null, got 1.5"),
        (lambda: Sweep("layer", "a", "token", "raw", "auroc", (2.0, 1.0), (0.1, 0.2)),
         "settings: must rise, got (2.0, 1.0)"),
        (lambda: Sweep("layer", "a", "token", "raw", "auroc", (1.0,), (0.1,), (3.0,)),
         "chosen[0]: must be one of the settings, got 3.0"),
        (lambda: Curve("a", "token", "raw", "roc", ((0.0, 0.0),), 1), "points: must be 2 to 200, got 1"),
        (lambda: Curve("a", "token", "raw", "roc", ((0.5, 0.0), (0.4, 1.0)), 2),
         "points[1][0]: must not be below the one before, got 0.4"),
        (lambda: json_object("config", {"at": object()}),
         "config.at: must be a JSON value, got object; give its text instead"),
    ],
)  # fmt: skip
def test_a_part_that_contradicts_itself_is_refused(build, message):
    with pytest.raises(InputError) as caught:
        build()
    assert str(caught.value) == message


def test_a_result_takes_over_the_card():
    card = MethodCard("nll", "NLL", "how unlikely a token is", "the paper", "none", "any")
    result = MethodResult.of(card, name="nll-2", figures=(figure(),))
    assert (result.name, result.method, result.title, result.training) == ("nll-2", "nll", "NLL", "none")
    assert result.figure("token", "raw", "auroc") == figure()
    assert result.figure("token", "smoothed", "auroc") is None


@given(scores=st.lists(st.sampled_from((0.1, 0.3, 0.5, 0.9)), min_size=2, max_size=12), data=st.data())
def test_a_curve_is_that_of_every_threshold_tried_in_turn(scores, data):
    labels = data.draw(st.lists(st.integers(0, 1), min_size=len(scores), max_size=len(scores)))
    found = {
        kind: curve(scores, labels, method="a", level="token", smoothing="raw", kind=kind)
        for kind in ("precision_recall", "roc")
    }
    if len(set(labels)) < 2:
        assert found == {"precision_recall": None, "roc": None}
        return
    n_positive, n_negative = sum(labels), len(labels) - sum(labels)
    slow_roc, slow_pr = {(0.0, 0.0)}, {(0.0, 1.0)}
    for threshold in set(scores):
        flagged = [label for score, label in zip(scores, labels, strict=True) if score >= threshold]
        slow_roc.add((flagged.count(0) / n_negative, sum(flagged) / n_positive))
        slow_pr.add((sum(flagged) / n_positive, sum(flagged) / len(flagged)))
    # Points on a straight line between two others may be left out of an ROC curve.
    assert set(found["roc"].points) <= slow_roc
    assert {(0.0, 0.0), (1.0, 1.0)} <= set(found["roc"].points)
    assert set(found["precision_recall"].points) == slow_pr


def test_a_long_curve_keeps_200_points_that_lie_close_to_all_others():
    rng = np.random.default_rng(0)
    labels = (rng.random(20_000) < 0.1).astype(int)
    scores = rng.normal(size=20_000) + labels
    whole = curve(scores, labels, method="a", level="token", smoothing="raw", kind="roc")
    assert 150 <= len(whole.points) <= 200 < whole.n_points
    assert whole.points[0] == (0.0, 0.0)
    assert whole.points[-1] == (1.0, 1.0)
    from sklearn.metrics import auc, roc_auc_score

    x, y = zip(*whole.points, strict=True)
    assert auc(x, y) == pytest.approx(roc_auc_score(labels, scores), abs=2e-3)


@given(st.integers(2, 60), st.integers(2, 20))
def test_thinning_keeps_the_ends_rises_and_is_short_enough(n, most):
    x = np.linspace(0, 1, n)
    kept = thinned(x, x**2, most)
    assert kept[0] == 0
    assert kept[-1] == n - 1
    assert kept == sorted(set(kept))
    assert len(kept) <= max(most, 2)


def test_everything_in_a_document_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.whole().title = "other"
