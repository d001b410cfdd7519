"""Slices against metrics of rows that were picked by hand."""

import numpy as np
import pytest
from made_answers import example_of, tokens_of
from sklearn.metrics import average_precision_score, roc_auc_score

from ragcortex.errors import InputError
from ragcortex.evaluation.bootstrap import bootstrap
from ragcortex.evaluation.breakdowns import ASPECTS, NOT_GIVEN, Breakdown, breakdown, quartile_names
from ragcortex.evaluation.levels import UnitIndex
from ragcortex.example import Example, Reference, Span

_TEXT = "The river is long and flows through seven lakes of the wide north"
_PLACES = {"Conflict": (22, 41), "Baseless": (51, 65), None: (4, 9)}


def made_set():
    """Return 24 answers of 12 sources with up to two typed spans each, and noisy but helpful token scores."""
    rng = np.random.default_rng(2)
    examples, scores = [], []
    for number in range(24):
        kinds = [kind for kind in _PLACES if rng.random() < 0.4]
        spans = tuple(Span(*_PLACES[kind], kind) for kind in kinds)
        example = Example(
            None,
            tuple(Reference("A river.") for _ in range(number % 4 * 3)),
            _TEXT + " and more" * (number % 5),
            spans=spans,
            group=f"source {number // 2}",
            generator="ab"[number % 2],
            task=("qa", "summary", None)[number % 3],
        )
        examples.append(example)
        marked = np.zeros(len(example.answer))
        for span in spans:
            marked[span.start : span.end] = 0.4
        ranges = tokens_of(example.answer).ranges
        scores.append(np.array([marked[end - 1] + rng.random() for _, end in ranges]))
    index = UnitIndex(examples, [tokens_of(one.answer) for one in examples])
    return index, index.units("token", scores, [row.max() for row in scores])


def expected_of(units, rows, threshold):
    scores, labels = units.scores[rows], units.labels[rows]
    return (
        pytest.approx(average_precision_score(labels, scores)),
        pytest.approx(roc_auc_score(labels, scores)),
        pytest.approx((scores[labels == 1] >= threshold).mean()),
    )


def values_of(one):
    return one.average_precision.value, one.auroc.value, one.recall.value


@pytest.mark.parametrize("aspect", ASPECTS[:-1])
def test_slices_are_the_metrics_of_their_own_rows(aspect):
    index, units = made_set()
    value_of = {
        "task": lambda one: one.task or NOT_GIVEN,
        "generator": lambda one: one.generator,
        "references": lambda one: {0: "0", 3: "3", 6: "6–10", 9: "6–10"}[len(one.references)],
        # Five lengths 65, 74, … of 5, 5, 5, 5 and 4 answers: the quartiles end at 74, 83 and 92.
        "answer length": lambda one: f"{'65–74' if len(one.answer) <= 74 else len(one.answer)} characters",
    }[aspect]
    values = np.array([value_of(index.examples[answer]) for answer in units.answers])
    found = breakdown(index, units, aspect, 0.8, seed=3, n_resamples=20)
    assert [one.value for one in found.slices] == {
        "task": ["qa", "summary", NOT_GIVEN],
        "generator": ["a", "b"],
        "references": ["0", "3", "6–10"],
        "answer length": ["65–74 characters", *(f"{length} characters" for length in (83, 92, 101))],
    }[aspect]
    for one in found.slices:
        rows = np.flatnonzero(values == one.value)
        assert values_of(one) == expected_of(units, rows, 0.8)
        assert one.auroc.metric.n == len(rows)
        assert one.auroc.metric.base_rate == pytest.approx(units.labels[rows].mean())
        assert one.n_answers == len(set(units.answers[rows].tolist()))
        interval = bootstrap(units.scores[rows], units.labels[rows], units.groups[rows], seed=3, n_resamples=20).auroc
        assert (one.auroc.interval.low, one.auroc.interval.high) == pytest.approx((interval.low, interval.high))
    assert sum(one.n_answers for one in found.slices) == 24
    assert sum(one.auroc.metric.n for one in found.slices) == len(units)


def test_a_type_is_set_against_all_that_is_grounded():
    index, units = made_set()
    found = breakdown(index, units, "type", 0.8, seed=0, n_resamples=20)
    assert [one.value for one in found.slices] == ["Baseless", "Conflict", NOT_GIVEN]
    for one in found.slices:
        kind = None if one.value == NOT_GIVEN else one.value
        rows, position = [], 0
        for example, tokens in zip(index.examples, index.tokens, strict=True):
            for start, end in tokens.ranges:
                inside = set(range(start + (example.answer[start] == " "), end))
                hit = [span.type for span in example.spans if inside & set(range(span.start, span.end))]
                if not hit or kind in hit:
                    rows.append(position)
                position += 1
        assert values_of(one) == expected_of(units, np.array(rows), 0.8)


def test_thresholds_may_differ_by_unit_or_be_missing():
    index, units = made_set()
    by_unit = breakdown(index, units, "generator", np.where(units.answers % 2 == 0, 0.0, 9.0), seed=0, n_resamples=5)
    assert [one.recall.value for one in by_unit.slices] == [1.0, 0.0]
    none = breakdown(index, units, "generator", None, seed=0, n_resamples=5)
    assert [one.recall.metric.reason for one in none.slices] == ["no threshold could be chosen"] * 2
    assert none.slices[0].auroc.value is not None


def test_a_grounded_slice_gives_the_reason():
    examples = [example_of("one two", "two", task="qa"), example_of("one two", "", task="summary")]
    index = UnitIndex(examples, [tokens_of("one two")] * 2)
    units = index.units("word", [[0.1, 0.9], [0.2, 0.3]], [0.9, 0.3])
    qa, summary = breakdown(index, units, "task", 0.5, seed=0, n_resamples=5).slices
    assert (qa.auroc.value, qa.recall.value, qa.auroc.interval.reason) == (1, 1, "all rows are of one group")
    for one in (summary.auroc, summary.average_precision, summary.recall):
        assert (one.value, one.metric.n, one.metric.base_rate) == (None, 2, 0)
        assert one.metric.reason == "nothing is labelled hallucinated"
    clean = UnitIndex(examples[1:], [tokens_of("one two")])
    found = breakdown(clean, clean.units("word", [[0.2, 0.3]], [0.3]), "type", 0.5, seed=0, n_resamples=5)
    assert found == Breakdown("type", "word", (), "no span is marked as hallucinated")


def test_answers_whose_spans_are_not_known_are_in_no_slice():
    examples = [example_of("one two", "two", task="qa"), example_of("one two", None, label=1, task="summary")]
    index = UnitIndex(examples, [tokens_of("one two")] * 2)
    token = breakdown(index, index.units("token", [[0.1, 0.9]] * 2, [0.9, 0.9]), "task", 0.5, seed=0, n_resamples=5)
    assert [one.value for one in token.slices] == ["qa"]
    answer = breakdown(index, index.units("answer", [], [0.9, 0.9]), "task", 0.5, seed=0, n_resamples=5)
    assert [one.value for one in answer.slices] == ["qa", "summary"]
    assert answer.slices[1].auroc.metric.reason == "nothing is labelled grounded"


def test_quartiles_of_length():
    names, order = quartile_names([5, 1, 2, 3, 4, 1000, 7, 8])
    assert order == ["1–2 characters", "3–4 characters", "5–7 characters", "8–1,000 characters"]
    assert names[:3] == [order[2], order[0], order[0]]
    assert quartile_names([4, 4, 4]) == (["4 characters"] * 3, ["4 characters"])
    assert quartile_names([]) == ([], [])


def test_what_does_not_fit_is_refused():
    index, units = made_set()
    other = UnitIndex(index.examples[:2], index.tokens[:2])
    with pytest.raises(InputError) as error:
        breakdown(other, units, "task", 0.5, seed=0, n_resamples=5)
    n = len(other.labels("token"))
    assert str(error.value) == f"units: must be of this index, which has {n} of them"
    with pytest.raises(InputError) as error:
        breakdown(index, units, "colour", 0.5, seed=0, n_resamples=5)
    assert str(error.value) == ("aspect: must be one of task, generator, answer length, references, type, got 'colour'")
