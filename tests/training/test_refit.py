"""Refitting a fusion on somebody's own answers: what moves, what stays, and which answers can be used."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from made_embedder import WordEmbedder
from made_geometry import labelled_answers, made_model
from made_rows import linear, made_fusion, made_rows, made_stack, relabelled, swapped
from ragcortex.bundle import Bundle, FittedHead
from ragcortex.calibration import Calibration
from ragcortex.detectors.fused import FusedDetector
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.detectors.internal import InternalDetector
from ragcortex.errors import TrainingError
from ragcortex.example import Reference
from ragcortex.fusion.judgement import fuse
from ragcortex.fusion.token_signals import TOKEN_SIGNALS
from ragcortex.readers.reader import CHAT, Reader
from ragcortex.scorers import GainScorer
from ragcortex.smoothing import Smoothing
from ragcortex.training.fusion import FusionRow, calibrated
from ragcortex.training.refit import refit_fusion, witnessed_rows

ROWS = made_rows()
BEGUN = made_fusion(figures={"token_ap": 0.5})
REFITTED, JUDGED = refit_fusion(BEGUN, ROWS, name="ours", data="forty answers of ours", flagged=0.1)


def test_the_refitted_fusion_knows_the_data_better() -> None:
    labels = [row.label for row in ROWS]
    before, after = (
        roc_auc_score(labels, [fuse(row.signals, row.evidence, model).answer for row in ROWS])
        for model in (BEGUN, REFITTED)
    )
    assert after > before
    held_out = [one.answer for one in JUDGED.scores]
    assert roc_auc_score(labels, held_out) > before


def test_the_weights_of_statements_move_and_those_of_tokens_stay() -> None:
    assert REFITTED.stack.tokens == BEGUN.stack.tokens
    assert REFITTED.stack.smoothing == BEGUN.stack.smoothing
    before, after = BEGUN.stack.statements, REFITTED.stack.statements
    assert (after.means, after.scales) == (before.means, before.scales)
    assert after.weights != before.weights
    # The fit is that of all rows, as firmly around the old weights as ten answers.
    values = np.concatenate([BEGUN.stack.score(row.signals, row.evidence).statement_values for row in ROWS])
    labels = np.concatenate([row.statement_labels() for row in ROWS])  # type: ignore[misc]
    assert after == before.refit(values, labels, strength=10)


def test_everything_else_is_the_old_fusions_or_says_where_it_is_from() -> None:
    for name in ("version", "internal", "internal_digest", "geometry_fingerprint"):
        assert getattr(REFITTED, name) == getattr(BEGUN, name)
    assert REFITTED.name == "ours"
    assert REFITTED.training == {"data": "forty answers of ours", "begun_with": "made fusion"}
    assert REFITTED.figures == {}
    calibration = REFITTED.calibration
    assert (calibration.data, calibration.n_answers, calibration.n_hallucinated) == ("forty answers of ours", 40, 20)
    assert made_fusion(figures={"token_ap": 0.5}) == BEGUN, "the fusion begun with is left alone"


def test_thresholds_are_chosen_on_the_scores_that_are_returned() -> None:
    assert JUDGED.rows == ROWS
    expected = calibrated(BEGUN, JUDGED, "forty answers of ours", 0.1)
    for name in ("probabilities", "statement_threshold", "calibration", "cascade"):
        assert getattr(REFITTED, name) == getattr(expected, name)


def test_no_source_is_scored_by_weights_that_saw_it() -> None:
    rows = tuple(swapped(row) if row.example.group == "source 4" else row for row in ROWS)
    _, judged = refit_fusion(BEGUN, rows, name="ours", data="ours", flagged=0.1)
    moved = [
        one.statements.tobytes() != other.statements.tobytes()
        for one, other in zip(judged.scores, JUDGED.scores, strict=True)
    ]
    assert not any(one for one, row in zip(moved, ROWS, strict=True) if row.example.group == "source 4")
    assert sum(moved) > 20


def test_refitting_is_the_same_again() -> None:
    again, judged = refit_fusion(BEGUN, ROWS, name="ours", data="forty answers of ours", flagged=0.1)
    assert again == REFITTED
    assert [one.answer for one in judged.scores] == [one.answer for one in JUDGED.scores]


def test_few_answers_move_the_weights_less_than_many() -> None:
    few, _ = refit_fusion(BEGUN, ROWS[:20], name="few", data="few", flagged=0.2)
    ways = [
        float(np.linalg.norm(np.subtract(model.stack.statements.weights, BEGUN.stack.statements.weights)))
        for model in (few, REFITTED)
    ]
    assert 0 < ways[0] < ways[1]


def test_answers_without_spans_set_probabilities_and_thresholds_alone() -> None:
    rows = [relabelled(row, spans=None) for row in ROWS]
    found, judged = refit_fusion(BEGUN, rows, name="ours", data="labels alone", flagged=0.1)
    assert found.stack == BEGUN.stack
    assert found.probabilities != BEGUN.probabilities
    for row, one in zip(rows, judged.scores, strict=True):
        own = BEGUN.stack.score(row.signals, row.evidence)
        assert one.statements.tobytes() == own.statements.tobytes()
    grounded = [row for row in rows if not row.label]
    flagged = [fuse(row.signals, row.evidence, found).statements.max() >= found.statement_threshold for row in grounded]
    assert sum(flagged) <= 0.1 * len(grounded)


def grounded_alone(rows: tuple[FusionRow, ...]) -> list[FusionRow]:
    return [row for row in rows if not row.label]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (
            [],
            "calibrating needs grounded and hallucinated answers, got 0 hallucinated of 0 that can be used; label more "
            "answers",
        ),
        (
            grounded_alone(ROWS),
            "calibrating needs grounded and hallucinated answers, got 0 hallucinated of 20 that can be used; label "
            "more answers",
        ),
        (ROWS[:12], "5 folds need at least 5 groups, the data has 3; use fewer folds"),
    ],
)
def test_too_few_answers_are_refused(rows: list[FusionRow], message: str) -> None:
    with pytest.raises(TrainingError, match=f"^{re.escape(message)}$"):
        refit_fusion(BEGUN, rows, name="ours", data="ours")


@pytest.fixture(scope="module")
def detector(tiny_reader_folder: Path) -> FusedDetector:
    """Both witnesses: a tiny reader whose head is its reference gain, and the made geometric model."""
    head = FittedHead("gain", ("reference_gain",), 0, "gain", GainScorer.from_arrays({"offset": 0.0}, {}))
    bundle = Bundle(
        name="gain",
        version="1",
        recipe="reference-gain",
        heads=(head,),
        reader=None,
        template=CHAT,
        smoothing=Smoothing.none(),
        answer_smoothing=Smoothing.none(),
        calibration=Calibration(0.5, 0.5, 0.5, "made up", 2, 1, "2026-01-31"),
    )
    internal = InternalDetector(bundle, Reader.load(str(tiny_reader_folder)))
    geometric = GeometricDetector(made_model(), WordEmbedder())
    # Not wholly made up: of the signals of random weights, what speaks for a hallucination counts as such.
    tokens = linear(TOKEN_SIGNALS, 1, reader=0.8, reader_near=0.2, word=0.5, statement=0.4)
    model = made_fusion(geometry_fingerprint=made_model().fingerprint, stack=replace(made_stack(), tokens=tokens))
    return FusedDetector(model, internal, geometric)


def test_labelled_answers_become_rows_and_the_others_are_named(detector: FusedDetector) -> None:
    usable = labelled_answers()
    plain = usable[0]
    others = [
        (replace(plain, label=None, spans=None), "it has no label"),
        (replace(plain, answer="Hello!"), "it claims nothing, or there is nothing to check it against"),
        (replace(plain, answer=" "), "it claims nothing, or there is nothing to check it against"),
        (replace(plain, references=()), "it claims nothing, or there is nothing to check it against"),
        (replace(plain, references=(Reference(" "),)), "it claims nothing, or there is nothing to check it against"),
    ]
    too_long = replace(plain, question="Why? " * 3000)
    examples = [*usable[:3], *(example for example, _ in others), too_long, *usable[3:]]
    rows, unused = witnessed_rows(detector, examples)
    assert [row.example for row in rows] == usable
    assert [(one.example, one.reason) for one in unused[:-1]] == others
    assert unused[-1].example == too_long
    assert unused[-1].reason.startswith("question: ")


def test_a_row_is_what_the_detector_sees_and_serves_to_refit_it(detector: FusedDetector) -> None:
    rows, unused = witnessed_rows(detector, labelled_answers())
    assert unused == []
    for row in rows:
        seen = detector.row(row.example)
        assert seen is not None
        np.testing.assert_allclose(seen.signals.values, row.signals.values, atol=1e-4)
        assert seen.geometric_score == row.geometric_score
        assert not np.isnan(row.signals.values[:, :3]).any()
        assert (row.signals.statements >= 0).any()
    found, _ = refit_fusion(detector.model, rows, name="ours", data="twelve answers", flagged=0.2)
    own = FusedDetector(found, detector.internal, detector.geometric)
    wrong, right = (next(one for one in labelled_answers() if one.answer_label == label) for label in (1, 0))
    scores = [own.check_example(example).score for example in (wrong, right)]
    assert scores[0] is not None
    assert scores[1] is not None
    assert scores[0] > scores[1]
