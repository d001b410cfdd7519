"""All figures of a method against those worked out one by one, and their way to JSON and back."""

import json

import numpy as np
import pytest
from made_answers import example_of, made_predictions, prediction_of, tokens_of

from ragcortex.errors import InputError, ReadingError, StoreError
from ragcortex.evaluation.benchmark_figures import SCHEMA, MethodFigures, method_figures
from ragcortex.evaluation.evaluate import evaluate_scores
from ragcortex.evaluation.levels import LEVELS
from ragcortex.evaluation.method_scores import COLUMNS, ColumnScores, EvaluationSet, MethodScores, Validation, units_of
from ragcortex.evaluation.operating_points import operating_point, validation_threshold


def set_of(predictions, n_resamples=20) -> EvaluationSet:
    return EvaluationSet(
        [one.example for one in predictions], [one.tokens for one in predictions], seed=1, n_resamples=n_resamples
    )


def halves():
    predictions = made_predictions()
    return predictions[:24], predictions[24:]


def test_ranking_figures_are_those_of_the_table_of_results():
    test, _ = halves()
    figures = method_figures("ours", set_of(test), MethodScores.of(test))
    for row in evaluate_scores(test, seed=1, n_resamples=20).rows:
        if row.is_control:
            continue
        found = figures.at(row.level, row.smoothing)
        for metric, interval, estimate in (
            (row.average_precision, row.average_precision_interval, found.average_precision),
            (row.auroc, row.auroc_interval, found.auroc),
        ):
            assert estimate.metric == metric
            assert (estimate.interval.low, estimate.interval.high) == pytest.approx((interval.low, interval.high))
    assert [(one.level, one.smoothing) for one in figures.levels] == [(a, b) for a in LEVELS for b in COLUMNS]
    assert (figures.n_answers, figures.n_groups, figures.n_resamples, figures.seed) == (24, 12, 20, 1)
    assert figures.omitted == ()


def test_thresholds_come_from_the_validation_answers_alone():
    test, validation = halves()
    shared, scores = set_of(test), MethodScores.of(test)
    figures = method_figures("ours", shared, scores, [Validation.of(validation)])
    given = Validation.of(validation)
    for level in LEVELS:
        for column in COLUMNS:
            own = units_of(given.index, given.scores.column(column), level)
            threshold = validation_threshold(own.scores, own.labels)
            found = figures.at(level, column)
            assert found.thresholds == (threshold,)
            units = units_of(shared.index, scores.column(column), level)
            expected = operating_point(units.scores, units.labels, threshold.threshold, shared.resamples(level))
            assert found.at_threshold == expected
            assert [one.recall for one in found.precision_at_recall] == [0.5, 0.8]
    token = figures.at("token", "raw").thresholds[0].threshold
    counts = shared.characters.counts(scores.raw.tokens, token)
    assert figures.spans_at("raw") == shared.characters.overlap(counts, shared.span_resamples)
    assert figures.spans_at("raw").f1.value > 0.3


def test_every_fold_has_its_own_threshold():
    test, validation = halves()
    shared, scores = set_of(test), MethodScores.of(test)
    folds = [
        Validation.of(validation[:12], judges=np.arange(0, 24, 2)),
        Validation.of(validation[12:], judges=np.arange(1, 24, 2)),
    ]
    found = method_figures("ours", shared, scores, folds).at("token", "smoothed")
    own = [one.threshold for one in found.thresholds]
    assert len(set(own)) == 2
    units = units_of(shared.index, scores.smoothed, "token")
    cuts = np.where(units.answers % 2 == 0, own[0], own[1])
    assert found.at_threshold == operating_point(units.scores, units.labels, cuts, shared.resamples("token"))


def test_without_validation_there_is_a_reason():
    test, validation = halves()
    figures = method_figures("ours", set_of(test), MethodScores.of(test))
    one = figures.at("word", "raw")
    assert one.thresholds == ()
    reasons = {part.metric.reason for part in (one.at_threshold.f1, one.at_threshold.balanced_accuracy)}
    assert reasons == {"no validation answers were given"}
    assert one.precision_at_recall[0].precision.value is not None
    assert figures.spans_at("raw").f1.metric.reason == "no validation answers were given"
    grounded = [prediction_of(example_of("one two", ""), [0.1, 0.2])]
    parts = [Validation.of(validation, judges=np.arange(23)), Validation.of(grounded, judges=np.array([23]))]
    one = method_figures("ours", set_of(test), MethodScores.of(test), parts).at("token", "raw")
    assert one.at_threshold.f1.metric.reason == (
        "no threshold: in the validation data nothing is labelled hallucinated"
    )


def test_methods_that_judge_answers_or_tokens_only():
    test, validation = halves()
    shared, whole = set_of(test), MethodScores.of(test)
    answers = MethodScores(ColumnScores(None, whole.raw.answers), None)
    given = Validation.of(validation)
    figures = method_figures("verifier", shared, answers, [given])
    assert [(one.level, one.smoothing) for one in figures.levels] == [("answer", "raw")]
    assert figures.spans == ()
    assert figures.spans_at("raw") is None
    assert figures.omitted == (
        "No smoothed figures: the method's scores are not smoothed.",
        "No raw figures below the answer level: the method judges whole answers only.",
    )
    tokens = MethodScores(ColumnScores(whole.raw.tokens, None), None)
    figures = method_figures("position", shared, tokens, [Validation(given.index, answers)])
    assert [one.level for one in figures.levels] == ["token", "word", "sentence"]
    assert figures.omitted[1] == "No raw figures at the answer level: the method gives no score of an answer."
    assert figures.levels[0].thresholds[0].reason == "the method gives no raw token scores of the validation answers"


def test_a_wholly_grounded_set_of_single_tokens_has_reasons_throughout():
    test = [prediction_of(example_of("灯台", "", group="one"), [0.3]) for _ in range(3)]
    figures = method_figures("ours", set_of(test), MethodScores.of(test), [Validation.of(made_predictions())])
    for one in figures.levels:
        parts = (one.average_precision, one.auroc, one.at_threshold.f1, one.precision_at_recall[0].precision)
        assert {part.metric.reason for part in parts} == {"nothing is labelled hallucinated"}
    assert figures.spans_at("raw").f1.metric.reason == "no character is labelled hallucinated"
    assert MethodFigures.from_dict(json.loads(json.dumps(figures.to_dict(), allow_nan=False))) == figures


def test_the_order_of_answers_does_not_matter():
    test, validation = halves()
    figures = method_figures("ours", set_of(test), MethodScores.of(test), [Validation.of(validation)])
    turned = method_figures("ours", set_of(test[::-1]), MethodScores.of(test[::-1]), [Validation.of(validation[::-1])])
    first, second = (json.loads(json.dumps(one.to_dict())) for one in (figures, turned))
    assert flat(first) == pytest.approx(flat(second), abs=1e-12)


def flat(data, path="") -> dict:
    if isinstance(data, dict):
        return {name: value for key, part in data.items() for name, value in flat(part, f"{path}.{key}").items()}
    if isinstance(data, list):
        return {name: value for n, part in enumerate(data) for name, value in flat(part, f"{path}.{n}").items()}
    return {path: data} if isinstance(data, int | float) else {}


def test_figures_can_be_read_again():
    test, validation = halves()
    figures = method_figures("ours", set_of(test), MethodScores.of(test), [Validation.of(validation)])
    text = json.dumps(figures.to_dict(), allow_nan=False)
    assert MethodFigures.from_dict(json.loads(text)) == figures
    with pytest.raises(StoreError) as error:
        MethodFigures.from_dict({**figures.to_dict(), "schema": "other/9"}, "ours.json")
    assert str(error.value) == f"ours.json.schema: expected {SCHEMA!r}, got 'other/9'; run the method again"
    damaged = json.loads(text)
    damaged["levels"][2]["auroc"]["metric"]["value"] = "high"
    with pytest.raises(StoreError) as error:
        MethodFigures.from_dict(damaged, "ours.json")
    assert str(error.value) == (
        "ours.json.levels[2].auroc.metric.value: expected a finite number, got 'high'; "
        "the results are damaged or of another version, run them again"
    )


def test_what_does_not_fit_is_refused():
    test, validation = halves()
    shared, scores = set_of(test), MethodScores.of(test)
    part = Validation.of(validation, judges=np.arange(20))
    again = Validation.of(validation, judges=np.array([3]))
    far = Validation.of(validation, judges=np.array([24]))
    cases = [
        (lambda: method_figures("ours", shared, scores, [part]),
         "validation: must judge every test answer, 4 of 24 are judged by no part"),
        (lambda: method_figures("ours", shared, scores, [part, again]),
         "validation[1].judges: must not hold an answer that is judged already"),
        (lambda: method_figures("ours", shared, scores, [far]),
         "validation[0].judges: must be positions from 0 to 23"),
        (lambda: ColumnScores(None, None), "tokens: must be given where there are no scores of answers"),
        (lambda: ColumnScores((np.zeros(2),), np.zeros(3)), "answers: must be 1 scores, one an answer, got 3"),
        (lambda: EvaluationSet([], []), "examples: must not be empty; there is nothing to evaluate"),
        (lambda: EvaluationSet([example_of("one")], [tokens_of("one")], n_resamples=0),
         "n_resamples: must be at least 1, got 0"),
    ]  # fmt: skip
    for call, message in cases:
        with pytest.raises(InputError) as error:
            call()
        assert str(error.value) == message
    with pytest.raises(ReadingError) as wrong:
        method_figures("ours", shared, MethodScores.of(test[1:]))
    assert str(wrong.value) == "token_scores: expected those of 24 answers, got 23"
