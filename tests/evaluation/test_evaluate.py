"""From predictions to the table of results."""

import numpy as np
import pytest
from made_answers import example_of, made_predictions, prediction_of, tokens_of
from sklearn.metrics import average_precision_score, roc_auc_score

from ragcortex.errors import InputError, ReadingError
from ragcortex.evaluation.evaluate import Prediction, evaluate_methods, evaluate_scores
from ragcortex.evaluation.tables import ResultTable


def figures(table, method, level, smoothing="raw"):
    (row,) = [r for r in table.rows if (r.method, r.level, r.smoothing) == (method, level, smoothing)]
    return row


def test_the_table_holds_methods_and_controls():
    table = evaluate_scores(made_predictions(), seed=1, n_resamples=30, method="ours")
    assert [(row.level, row.method, row.smoothing, row.is_control) for row in table.rows] == [
        ("token", "ours", "raw", False),
        ("token", "ours", "smoothed", False),
        ("token", "position in the answer", "raw", True),
        ("token", "relative position in the answer", "raw", True),
        ("token", "answer length", "raw", True),
        ("token", "word absent from the references", "raw", True),
        ("token", "generator identity", "raw", True),
        ("answer", "ours", "raw", False),
        ("answer", "ours", "smoothed", False),
        ("answer", "answer length", "raw", True),
        ("answer", "word absent from the references", "raw", True),
        ("answer", "generator identity", "raw", True),
    ]
    assert (table.n_examples, table.n_groups, table.n_resamples, table.seed) == (48, 24, 30, 1)
    assert (table.n_without_token_labels, table.n_without_answer_labels, table.omitted) == (0, 0, ())


def test_figures_equal_those_worked_out_directly():
    predictions = made_predictions()
    table = evaluate_scores(predictions, seed=1, n_resamples=30)
    labels = np.concatenate([one.token_labels() for one in predictions])
    for smoothing in ("raw", "smoothed"):
        scores = np.concatenate([getattr(one, smoothing) for one in predictions])
        row = figures(table, "detector", "token", smoothing)
        assert row.auroc.value == pytest.approx(roc_auc_score(labels, scores), abs=1e-12)
        assert row.average_precision.value == pytest.approx(average_precision_score(labels, scores), abs=1e-12)
        assert row.n == len(labels)
        assert row.base_rate == pytest.approx(labels.mean())
        assert row.auroc_interval.n_groups == 24
        assert row.auroc_interval.low <= row.auroc.value <= row.auroc_interval.high
    truth = [one.example.answer_label for one in predictions]
    row = figures(table, "detector", "answer", "smoothed")
    assert row.auroc.value == pytest.approx(roc_auc_score(truth, [one.answer_score for one in predictions]))
    row = figures(table, "detector", "answer", "raw")
    assert row.auroc.value == pytest.approx(roc_auc_score(truth, [one.answer_score_raw for one in predictions]))
    assert figures(table, "generator identity", "answer").auroc.value > 0.6


def test_the_same_seed_gives_the_same_table_whatever_the_order():
    predictions = made_predictions()
    table = evaluate_scores(predictions, seed=1, n_resamples=30)
    assert evaluate_scores(predictions, seed=1, n_resamples=30) == table
    assert evaluate_scores(predictions[::-1], seed=1, n_resamples=30) == table


def test_methods_on_the_same_answers_join():
    predictions = made_predictions()
    reversed_scores = [prediction_of(one.example, one.raw[::-1]) for one in predictions]
    tables = [
        evaluate_scores(given, seed=1, n_resamples=10, method=name)
        for name, given in (("ours", predictions), ("theirs", reversed_scores))
    ]
    joined = ResultTable.joined(tables)
    assert len(joined.rows) == len(tables[0].rows) + 4


def test_methods_are_measured_together_or_not_at_all():
    predictions = made_predictions()
    reversed_scores = [prediction_of(one.example, one.raw[::-1]) for one in predictions]
    methods = {"ours": predictions, "theirs": reversed_scores}
    apart = [evaluate_scores(given, seed=1, n_resamples=10, method=name) for name, given in methods.items()]
    assert evaluate_methods(methods, seed=1, n_resamples=10) == ResultTable.joined(apart)
    with pytest.raises(InputError, match="methods: must be measured on the same answers"):
        evaluate_methods({"ours": predictions, "theirs": reversed_scores[::-1]})
    with pytest.raises(InputError, match="predictions: must not be empty"):
        evaluate_methods({})


@pytest.mark.parametrize(
    ("false", "label", "token_labels", "answer_label"),
    [
        ("two", None, [0, 1], 1),
        ("two", 1, [0, 1], 1),
        ("", None, [0, 0], 0),
        ("", 0, [0, 0], 0),
        (None, 0, [0, 0], 0),
        (None, 1, None, 1),
        ("", 1, None, 1),
        (None, None, None, None),
    ],
)
def test_what_is_known_of_an_answer(false, label, token_labels, answer_label):
    prediction = prediction_of(example_of("one two", false, label=label), [0.1, 0.2])
    found = prediction.token_labels()
    assert (None if found is None else found.tolist()) == token_labels
    assert prediction.example.answer_label == answer_label


def test_answers_without_labels_are_left_out_and_counted():
    unknown = [
        prediction_of(example_of("one two three", None, label=1), [0.5, 0.5, 0.9]),
        prediction_of(example_of("one two three", None), [0.5, 0.5, 0.9]),
    ]
    predictions = made_predictions()
    known, both = (evaluate_scores(given, seed=1, n_resamples=10) for given in (predictions, [*predictions, *unknown]))
    assert (both.n_examples, both.n_groups) == (50, 26)
    assert (both.n_without_token_labels, both.n_without_answer_labels) == (2, 1)
    assert figures(both, "detector", "token").auroc == figures(known, "detector", "token").auroc
    assert figures(both, "detector", "answer").n == 49
    assert "Left out at the token level, since their spans are not known: 2." in both.notes()
    assert "Left out at the answer level, since their label is not known: 1." in both.notes()


def test_answer_labels_alone_are_enough():
    predictions = [
        prediction_of(example_of("one two", None if label else "", label=label), [score, score])
        for label, score in ((1, 0.9), (1, 0.8), (0, 0.1), (0, 0.2))
    ]
    table = evaluate_scores(predictions, seed=0, n_resamples=20)
    assert figures(table, "detector", "answer").auroc.value == 1
    token = figures(table, "detector", "token")
    assert token.auroc.value is None
    assert token.auroc.reason == "nothing is labelled hallucinated"
    assert "No AUROC value for detector (token, raw): nothing is labelled hallucinated." in table.notes()
    assert table.omitted == (
        "No control for generator identity: fewer than two generators are named in 10 sources or more.",
    )


def test_a_single_answer_has_values_but_no_interval():
    table = evaluate_scores([prediction_of(example_of("one two", "two"), [0.1, 0.9])], seed=0, n_resamples=20)
    token = figures(table, "detector", "token")
    assert token.auroc.value == 1
    assert token.auroc_interval.low is None
    assert "No AUROC interval for detector (token, raw): all rows are of one group." in table.notes()


def test_a_prediction_checks_itself():
    example = example_of("one two", id="row 7")
    tokens, scores = tokens_of("one two"), np.array([0.1, 0.2])
    fault = "whatever made these scores is at fault, and nothing was computed from them"
    cases = [
        ((example, tokens_of("one too"), scores, scores, 0.2, 0.2),
         "the tokens are not those of the answer 'row 7'; read it again"),
        ((example, tokens, scores[:1], scores, 0.2, 0.2), "raw: expected 2 scores, one a token, got 1 'row 7'"),
        ((example, tokens, scores, scores * np.nan, 0.2, 0.2),
         f"smoothed: expected finite numbers, got nan at position 0; {fault}"),
        ((example, tokens, scores, scores, float("inf"), 0.2),
         f"answer_score: expected finite numbers, got inf at position 0; {fault}"),
    ]  # fmt: skip
    for fields, message in cases:
        with pytest.raises(ReadingError) as error:
            Prediction(*fields)
        assert str(error.value) == message


def test_nothing_to_evaluate_is_an_error():
    with pytest.raises(InputError) as error:
        evaluate_scores([], seed=0, n_resamples=5)
    assert str(error.value) == "predictions: must not be empty; there is nothing to evaluate"
    unlabelled = [prediction_of(example_of("one two", None), [0.1, 0.2])]
    with pytest.raises(InputError) as error:
        evaluate_scores(unlabelled, seed=0, n_resamples=5)
    assert str(error.value) == "predictions: must hold labelled answers; none has a label or spans"
    with pytest.raises(InputError) as error:
        evaluate_scores(made_predictions(), seed=0, n_resamples=0)
    assert str(error.value) == "n_resamples: must be at least 1, got 0"
