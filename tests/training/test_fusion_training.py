"""Fitting the fusion on made rows: what it finds, that it judges no source it saw, and where its thresholds lie."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from made_rows import IDENTITY, made_fusion, made_rows, relabelled, swapped
from ragcortex.errors import TrainingError
from ragcortex.example import Example
from ragcortex.fusion.judgement import fuse
from ragcortex.fusion.model import FusionModel
from ragcortex.fusion.statement_signals import STATEMENT_SIGNALS, statement_signals
from ragcortex.fusion.token_signals import TOKEN_SIGNALS
from ragcortex.geometry.judgement import speaks_for_itself
from ragcortex.geometry.linear_model import LinearModel
from ragcortex.smoothing import Smoothing
from ragcortex.training.fusion import (
    CASCADE_ERRORS,
    FusionRow,
    HeldOut,
    calibrated,
    choose_token_smoothing,
    fit_fusion,
    fit_stack,
    held_out,
)

ROWS = made_rows()
SMOOTHING = Smoothing.persistence(0.8)
LEVELS = ("tokens", "statements", "answers")


def fitted(rows: tuple[FusionRow, ...] = ROWS, **options: Any) -> FusionModel:
    given_options: dict[str, Any] = {"calibrate_on": lambda _: True, "data": "made answers", "training": {}}
    return fit_fusion(rows, IDENTITY, **(given_options | options))


MODEL = fitted(flagged=0.1)
JUDGED = held_out(ROWS, MODEL.stack.smoothing, 0)


def test_the_stack_is_the_fit_of_its_own_rows() -> None:
    stack = fit_stack(ROWS, SMOOTHING)
    values = np.concatenate([row.signals.values for row in ROWS])
    labels = np.concatenate([row.token_labels() for row in ROWS])  # type: ignore[misc]
    assert stack.tokens == LinearModel.fit(TOKEN_SIGNALS, values, labels, balanced=True)
    rows = [
        statement_signals(row.signals, SMOOTHING.apply(stack.tokens.probabilities(row.signals.values)), row.evidence)
        for row in ROWS
    ]
    known = np.concatenate([row.statement_labels() for row in ROWS])  # type: ignore[misc]
    assert stack.statements == LinearModel.fit(STATEMENT_SIGNALS, np.concatenate(rows), known)
    assert stack.smoothing == SMOOTHING


def test_answers_without_spans_add_nothing_to_the_stack() -> None:
    silent = tuple(relabelled(row, spans=None) if row.label else row for row in made_rows(seed=5)[:8])
    grounded = tuple(row for row in silent if not row.label)
    assert fit_stack((*ROWS, *silent), SMOOTHING) == fit_stack((*ROWS, *grounded), SMOOTHING)


def test_no_source_is_scored_by_models_that_saw_it() -> None:
    """Where a source's labels are turned around, its own scores stay and those of the other folds do not."""
    plain = held_out(ROWS, SMOOTHING, 0)
    for liar in ("source 0", "source 7"):
        rows = tuple(swapped(row) if row.example.group == liar else row for row in ROWS)
        found = held_out(rows, SMOOTHING, 0)
        moved = [
            one.tokens.tobytes() != other.tokens.tobytes() or one.statements.tobytes() != other.statements.tobytes()
            for one, other in zip(found.scores, plain.scores, strict=True)
        ]
        of_liar = [row.example.group == liar for row in ROWS]
        assert not any(one for one, own in zip(moved, of_liar, strict=True) if own)
        assert sum(moved) == 32, "the sources of the other four folds, and only they, are scored by what has seen it"


def test_held_out_scores_find_what_is_wrong() -> None:
    for level, least in zip(LEVELS, (0.95, 0.9, 0.9), strict=True):
        scores, labels = JUDGED.level(level)
        assert roc_auc_score(labels, scores) >= least, level


def test_the_fit_is_the_same_again() -> None:
    assert fitted(flagged=0.1) == MODEL


def test_the_model_finds_what_is_wrong_in_answers_it_never_saw() -> None:
    fresh = made_rows(seed=3)
    fusedall = [fuse(row.signals, row.evidence, MODEL) for row in fresh]
    assert roc_auc_score([row.label for row in fresh], [one.answer for one in fusedall]) > 0.9
    labels = np.concatenate([row.token_labels() for row in fresh])  # type: ignore[misc]
    assert roc_auc_score(labels, np.concatenate([one.tokens for one in fusedall])) > 0.95


def test_the_model_carries_its_identity_and_its_data() -> None:
    model = fitted(training={"licences": ["CC0"]})
    assert (model.name, model.version, model.internal) == ("made fusion", "1", "made reader")
    assert (model.internal_digest, model.geometry_fingerprint) == ("d1" * 32, "9e" * 32)
    assert (model.calibration.data, model.calibration.n_answers, model.calibration.n_hallucinated) == (
        *("made answers", 40, 20),
    )
    assert model.training == {"licences": ["CC0"]}
    assert FusionModel.from_dict(model.to_dict()) == model


@pytest.mark.parametrize("flagged", [0.0, 0.05, 0.1, 0.3])
def test_as_many_grounded_statements_are_flagged_as_asked_for(flagged: float) -> None:
    model = calibrated(made_fusion(), JUDGED, "made answers", flagged)
    scores, labels = JUDGED.level("statements")
    probabilities = model.probabilities["statements"].apply(scores)
    grounded = np.sort(probabilities[labels == 0])[::-1].tolist()
    assert sum(p >= model.statement_threshold for p in grounded) <= flagged * len(grounded)
    # It is the lowest such threshold: the next grounded statement below it is one too many.
    below = next(p for p in grounded if p < model.statement_threshold)
    assert sum(p >= below for p in grounded) > flagged * len(grounded)
    assert model.calibration.figures["statement_recall"] == pytest.approx(
        np.mean(probabilities[labels == 1] >= model.statement_threshold)
    )


@pytest.mark.parametrize("n_turned", [1, 3, 6])
def test_what_findings_flag_counts_among_the_flagged(n_turned: int) -> None:
    """Wrong years are labelled grounded in some sources: at most three of fifty grounded statements may be flagged."""
    rows = tuple(
        relabelled(row, label=0, spans=()) if row.example.id in {f"{group}-3" for group in range(n_turned)} else row
        for row in ROWS
    )
    judged = replace(JUDGED, rows=rows)
    scores, labels = judged.level("statements")
    spoken = judged.spoken()
    assert spoken[labels == 0].sum() == n_turned
    n_grounded = int((labels == 0).sum())
    model = calibrated(made_fusion(), judged, "made answers", 3 / n_grounded)
    flagged = spoken | (model.probabilities["statements"].apply(scores) >= model.statement_threshold)
    assert flagged[labels == 0].sum() <= max(3, n_turned)
    seen = [fuse(row.signals, row.evidence, model).statements for row in rows]
    assert (np.concatenate(seen)[spoken] >= model.statement_threshold).all()


def test_an_answer_reaches_its_threshold_with_one_flagged_statement() -> None:
    calibration = MODEL.calibration
    assert calibration.review_threshold == calibration.hallucinated_threshold == MODEL.statement_threshold
    for row in (*ROWS, *made_rows(seed=3)):
        one = fuse(row.signals, row.evidence, MODEL)
        if (one.statements >= MODEL.statement_threshold).any():
            assert one.answer >= calibration.hallucinated_threshold


def test_figures_are_those_of_the_held_out_answers() -> None:
    calibration, platt = MODEL.calibration, MODEL.probabilities
    tokens, labels = JUDGED.level("tokens")
    marked = platt["tokens"].apply(tokens) >= calibration.token_threshold
    assert calibration.figures["token_precision"] == pytest.approx(labels[marked].mean())
    assert calibration.figures["token_recall"] == pytest.approx(marked[labels == 1].mean())
    flagged = np.array(
        [
            max(
                float(platt["answers"].apply([one.answer])[0]),
                float(platt["statements"].apply(one.statements).max()),
            )
            >= calibration.hallucinated_threshold
            or any(map(speaks_for_itself, row.evidence.findings))
            for row, one in zip(ROWS, JUDGED.scores, strict=True)
        ]
    )
    known = np.array([row.label for row in ROWS])
    assert calibration.figures["answer_precision"] == pytest.approx(known[flagged].mean())
    assert calibration.figures["answer_recall"] == pytest.approx(flagged[known == 1].mean())


def test_thresholds_come_from_the_answers_chosen_for_it() -> None:
    def chosen(example: Example) -> bool:
        return example.group in ("source 1", "source 2", "source 3", "source 4")

    model = fitted(calibrate_on=chosen, flagged=0.1)
    assert (model.calibration.n_answers, model.calibration.n_hallucinated) == (16, 8)
    assert model.stack == MODEL.stack
    part = JUDGED.of([chosen(row.example) for row in ROWS])
    assert [row.example.id for row in part.rows] == [
        f"{group}-{number}" for group in range(1, 5) for number in range(4)
    ]
    expected = calibrated(made_fusion(), part, "made answers", 0.1)
    assert model.probabilities == expected.probabilities
    assert model.calibration == expected.calibration


def test_smoothing_is_chosen_among_held_out_scores() -> None:
    chosen = choose_token_smoothing(ROWS, 0)
    assert chosen == MODEL.stack.smoothing
    assert chosen.method in ("none", "persistence")


def test_where_no_span_is_known_answers_stand_for_their_highest_token_and_statement() -> None:
    rows = tuple(relabelled(row, spans=None) for row in ROWS)
    judged = replace(JUDGED, rows=rows)
    labels = [row.label for row in rows]
    for level in ("tokens", "statements"):
        scores, known = judged.level(level)
        assert scores.tolist() == [max(getattr(one, level).tolist()) for one in judged.scores]
        assert known.tolist() == labels
    model = calibrated(made_fusion(), judged, "answers without spans", 0.1)
    highest = np.array([max(model.probabilities["statements"].apply(one.statements).tolist()) for one in judged.scores])
    assert np.mean(highest[np.array(labels) == 0] >= model.statement_threshold) <= 0.1


@settings(deadline=None, max_examples=25)
@given(
    scores=st.lists(st.one_of(st.integers(0, 4).map(lambda k: k / 4), st.floats(0, 1)), min_size=40, max_size=40),
    turned=st.sets(st.integers(0, 9)),
)
def test_the_cascade_errs_on_few_answers_of_either_kind(scores: list[float], turned: set[int]) -> None:
    """Wrong years are labelled grounded in some sources, so that what speaks may be grounded."""
    rows = [replace(row, geometric_score=score) for row, score in zip(ROWS, scores, strict=True)]
    rows = [
        relabelled(row, label=0, spans=()) if row.example.id == f"{index // 4}-3" and index // 4 in turned else row
        for index, row in enumerate(rows)
    ]
    bounds = calibrated(made_fusion(), HeldOut(tuple(rows), JUDGED.scores), "made", 0.1).cascade
    decided = [bounds.decides(row.geometric_score, row.evidence) for row in rows]
    for label, wrong in ((1, "grounded"), (0, "hallucinated")):
        own = [said for row, said in zip(rows, decided, strict=True) if row.label == label]
        sure = [row for row in rows if row.label == 0 and row.geometric_score == 1]
        if label or not sure:  # no bound lies above a score of 1
            assert own.count(wrong) <= CASCADE_ERRORS * len(own)
    assert 0 <= bounds.low <= bounds.high <= 1


def test_a_cascade_reads_what_neither_bound_decides() -> None:
    spoken = [any(map(speaks_for_itself, row.evidence.findings)) for row in ROWS]
    assert spoken == [number == 3 for _ in range(10) for number in range(4)]
    bounds = MODEL.cascade
    lowest = min(row.geometric_score for row in ROWS if row.label)
    # No grounded answer has a finding that speaks, so that one is enough from the lower bound on.
    assert (bounds.low, bounds.high) == (lowest, lowest)


def without(rows: tuple[FusionRow, ...], **changes: Any) -> list[FusionRow]:
    return [relabelled(row, **changes) for row in rows]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            without(tuple(row for row in ROWS if row.label), spans=None),
            "no answer has known spans; a fusion needs answers whose hallucinated spans are marked",
        ),
        (
            without(ROWS, label=0, spans=()),
            f"a linear model needs rows of both classes, but all {sum(len(row.signals.tokens) for row in ROWS)} have "
            "the same label; give more labelled answers",
        ),
    ],
)
def test_what_no_stack_can_be_fitted_on_is_refused(rows: list[FusionRow], message: str) -> None:
    with pytest.raises(TrainingError, match=f"^{re.escape(message)}$"):
        fit_stack(rows, SMOOTHING)


def test_a_fusion_needs_five_sources() -> None:
    message = "5 folds need at least 5 groups, the data has 4; use fewer folds"
    with pytest.raises(TrainingError, match=f"^{re.escape(message)}$"):
        fitted(ROWS[:16])


@pytest.mark.parametrize(("label", "n"), [(0, 0), (1, 20)])
def test_thresholds_need_both_classes(label: int, n: int) -> None:
    # Grounded answers have no hallucinated token either; of hallucinated ones many tokens are grounded.
    part = JUDGED.of([row.label == label for row in ROWS])
    message = f"probabilities need grounded and hallucinated examples, got {n} of 20"
    with pytest.raises(TrainingError, match=f"^{re.escape(message)}$"):
        calibrated(made_fusion(), part, "half of them", 0.1)
