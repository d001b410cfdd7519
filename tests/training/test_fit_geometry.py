"""Fitting the geometric score on hand-written labelled answers."""

import re
from dataclasses import replace

import numpy as np
import pytest

from made_embedder import WordEmbedder
from made_geometry import fitted, labelled_answers, made_model
from ragcortex.errors import TrainingError
from ragcortex.example import Example, Reference
from ragcortex.geometry.chunking import Chunking
from ragcortex.geometry.judgement import score
from ragcortex.geometry.statement_features import STATEMENT_FEATURES, statement_features
from ragcortex.geometry.witness import WitnessOptions
from ragcortex.geometry.word_features import FEATURES
from ragcortex.training.geometry import Witnessed, fit_geometry, witnessed

EMBEDDER = WordEmbedder()
ROWS = witnessed(labelled_answers(), EMBEDDER)


def fit(rows: list[Witnessed], **options: object) -> object:
    return fit_geometry(rows, EMBEDDER, name="made", data="d", training="t", **options)  # type: ignore[arg-type]


def relabelled(rows: list[Witnessed], **changes: object) -> list[Witnessed]:
    return [replace(row, example=replace(row.example, **changes)) for row in rows]  # type: ignore[arg-type]


def test_invented_answers_score_higher_than_grounded_ones() -> None:
    model = made_model()
    scores = {0: [], 1: []}  # type: dict[int, list[float]]
    for row in ROWS:
        assert row.example.label is not None
        scores[row.example.label].append(score(row.evidence, model).answer)
    assert max(scores[0]) < min(scores[1])
    assert model.calibration.n_answers == 12
    assert model.calibration.n_hallucinated == 6
    assert model.calibration.data == "twelve hand-written answers"
    assert model.embedder_fingerprint == EMBEDDER.identity.fingerprint


def test_word_labels_are_those_of_the_words_in_a_span() -> None:
    for row in ROWS:
        labels = row.word_labels()
        assert labels is not None
        spans = row.example.spans or ()
        answer = row.example.answer
        marked = {answer[start:end] for (start, end), label in zip(row.words.ranges, labels, strict=True) if label}
        expected = {word.strip(".") for span in spans for word in answer[span.start : span.end].split()}
        assert marked == expected


def test_the_fit_is_the_same_again_and_in_any_order_of_rows() -> None:
    model = made_model()
    assert fitted(EMBEDDER) == model
    other = fit(list(reversed(ROWS)), seed=0)
    for own, theirs in ((model.words, other.words), (model.statements, other.statements)):  # type: ignore[attr-defined]
        np.testing.assert_allclose(theirs.weights, own.weights, atol=0.05)


def test_the_models_are_those_of_their_own_rows() -> None:
    """Words are fitted on all rows; statements see only scores of words by a model of other sources."""
    model = made_model()
    values = np.concatenate([row.words.values for row in ROWS])
    np.testing.assert_allclose(model.words.means, values.mean(axis=0), atol=1e-12)
    names = ("contradicted", "distance", "uncovered", "novel_words")
    features = np.concatenate([statement_features(r.evidence, r.words, np.full(len(r.words), 0.5)) for r in ROWS])
    for name in names:
        column = STATEMENT_FEATURES.index(name)
        assert model.statements.means[column] == pytest.approx(features[:, column].mean(), abs=1e-12)
    assert (model.words.names, model.statements.names) == (FEATURES, STATEMENT_FEATURES)


def test_answers_without_spans_help_with_thresholds_only() -> None:
    label_only = relabelled(ROWS[-1:], spans=None, group="seventh")
    model = fit([*ROWS, *label_only])
    assert model.calibration.n_answers == 13  # type: ignore[attr-defined]
    assert model.words == made_model().words  # type: ignore[attr-defined]


def test_unlabelled_answers_are_left_out() -> None:
    unknown = relabelled(ROWS[:2], label=None, spans=None)
    assert fit([*ROWS, *unknown]) == made_model_named(made="made", data="d", training="t")


def made_model_named(*, made: str, data: str, training: str) -> object:
    model = made_model()
    return replace(model, name=made, training=training, calibration=replace(model.calibration, data=data))


def test_options_are_carried_into_the_model() -> None:
    model = fit(ROWS, version="7", options=WitnessOptions(top_k=6), chunking=Chunking(max_chars=400))
    assert (model.version, model.options.top_k, model.chunking.max_chars) == ("7", 6, 400)  # type: ignore[attr-defined]


def test_what_has_no_claims_or_references_is_left_out() -> None:
    reference = (Reference("The lighthouse was built in 1874."),)
    examples = [
        Example(None, reference, "It was built in 1874.", label=0),
        Example(None, reference, "  ", label=0),
        Example(None, reference, "Hello!", label=0),
        Example(None, (), "It was built in 1874.", label=0),
        Example(None, (Reference(" "),), "It was built in 1874.", label=0),
    ]
    assert [row.example for row in witnessed(examples, EMBEDDER)] == examples[:1]


def test_references_of_one_source_are_embedded_once() -> None:
    embedder = WordEmbedder()
    reference = (Reference("The lighthouse was built in 1874."),)
    witnessed([Example(None, reference, f"It is {height} metres high.") for height in range(40, 44)], embedder)
    assert embedder.n_embedded == 1 + 4


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (ROWS[:4], "5 folds need at least 5 groups, the data has 2; use fewer folds"),
        ([], "5 folds need at least 5 groups, the data has 0; use fewer folds"),
        (
            relabelled(ROWS, label=1, spans=None),
            "no answer outside one fold of sources has known spans; give more labelled answers",
        ),
        (
            ROWS[::2],
            "a linear model needs rows of both classes, but all {n} have the same label; give more labelled answers",
        ),
    ],
)
def test_too_little_is_refused(rows: list[Witnessed], message: str) -> None:
    with pytest.raises(TrainingError) as raised:
        fit(rows)
    assert re.fullmatch(re.escape(message).replace(re.escape("{n}"), r"\d+"), str(raised.value))
