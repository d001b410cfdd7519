"""The fusion on disk: bit-equal, strict, its fingerprint, the bounds of its cascade, and its card."""

import copy
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_rows import made_fusion, made_rows
from ragcortex.errors import BundleError, InputError, StoreError
from ragcortex.fusion.judgement import fuse
from ragcortex.fusion.model import CascadeBounds, FusionModel
from ragcortex.fusion.statement_signals import STATEMENT_SIGNALS
from ragcortex.fusion.token_signals import TOKEN_SIGNALS
from ragcortex.fusion_card import fusion_card
from ragcortex.geometry.judgement import speaks_for_itself
from ragcortex.platt import PlattScaling
from ragcortex.smoothing import Smoothing

MODEL = made_fusion()
ROWS = made_rows()


def test_a_file_gives_the_same_model_and_the_same_bits(tmp_path: Path) -> None:
    file = tmp_path / "deep" / "fusion.json"
    MODEL.save(file)
    back = FusionModel.load(file)
    assert back == MODEL
    assert back.fingerprint == MODEL.fingerprint
    for row in ROWS[:8]:
        one, other = (fuse(row.signals, row.evidence, model) for model in (MODEL, back))
        for name in ("raw", "tokens", "token_contributions", "statements", "statement_contributions"):
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes()
        assert one.answer == other.answer
    back.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == file.read_bytes()


DECIDES = [
    {"name": "other"},
    {"version": "2"},
    {"internal": "other"},
    {"internal_digest": "e2" * 32},
    {"geometry_fingerprint": "8d" * 32},
    {"stack": replace(MODEL.stack, tokens=replace(MODEL.stack.tokens, intercept=-0.41))},
    {"stack": replace(MODEL.stack, statements=replace(MODEL.stack.statements, intercept=-0.41))},
    {"stack": replace(MODEL.stack, smoothing=Smoothing.persistence(0.91))},
    *({"probabilities": {**MODEL.probabilities, name: PlattScaling(0.8, 0.0)}} for name in MODEL.probabilities),
    {"statement_threshold": 0.61},
    {"cascade": CascadeBounds(0.1, 0.91)},
    {"calibration": replace(MODEL.calibration, token_threshold=0.41)},
]


@pytest.mark.parametrize("changes", DECIDES)
def test_the_fingerprint_changes_with_what_decides(changes: dict[str, Any]) -> None:
    assert made_fusion(**changes).fingerprint != MODEL.fingerprint


@pytest.mark.parametrize("changes", [{}, {"training": {}}, {"figures": {"token_ap": 0.9}}])
def test_the_fingerprint_stays_whatever_the_card_says(changes: dict[str, Any]) -> None:
    assert made_fusion(**changes).fingerprint == MODEL.fingerprint


def edited(path: str, value: Any) -> dict[str, Any]:
    """Return the JSON form with one field set, or removed where the value is `...`."""
    data = copy.deepcopy(json.loads(json.dumps(MODEL.to_dict())))
    *parents, last = path.split("/")
    place = data
    for step in parents:
        place = place[int(step) if step.isdigit() else step]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return data


MISSING = "is missing; the bundle is damaged or of another version, fit it again"


@pytest.mark.parametrize("name", MODEL.to_dict())
def test_every_missing_field_is_named(name: str) -> None:
    with pytest.raises(BundleError, match=f"^{re.escape(f'fusion.{name}: {MISSING}')}$"):
        FusionModel.from_dict(edited(name, ...))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("bias", 1, "fusion.bias: is not a known field; known are "),
        ("versions", 1, "fusion.versions: is not a known field; the nearest known field is 'version'"),
        (
            "schema", "ragcortex.fusion/2",
            "fusion.schema: must be 'ragcortex.fusion/1', got 'ragcortex.fusion/2'; another version wrote this model",
        ),
        ("name", " ", "fusion.name: must not be blank"),
        ("version", 1, "fusion.version: must be a string, got int"),
        ("internal", "cortex", "fusion.internal: expected an object, got str; the bundle is damaged, fit it again"),
        ("internal/sha256", ..., f"fusion.internal.sha256: {MISSING}"),
        ("internal/detector", "", "fusion.internal: must not be blank"),
        ("geometry_fingerprint", None, "fusion.geometry_fingerprint: must be a string, got NoneType"),
        ("stack/smoothing", ..., f"fusion.stack.smoothing: {MISSING}"),
        (
            "stack/tokens/features/0/weight", "1",
            "fusion.stack.tokens.features.reader.weight: must be a number, got '1'",
        ),
        (
            "stack/statements/features/0/scale", ...,
            f"fusion.stack.statements.features.scale: {MISSING}",
        ),
        ("probabilities/answers", ..., f"fusion.probabilities.answers: {MISSING}"),
        (
            "probabilities/words", {},
            "fusion.probabilities.words: is not a known field; known are tokens, statements, answers",
        ),
        (
            "probabilities/tokens/slope", 0,
            "fusion.probabilities.tokens.slope: must be above 0, so that the order of scores is kept, got 0",
        ),
        ("statement_threshold", 1.5, "fusion.statement_threshold: must be a number in [0, 1], got 1.5"),
        ("statement_threshold", "0.5", "fusion.statement_threshold: must be a number in [0, 1], got '0.5'"),
        ("cascade/low", ..., f"fusion.cascade.low: {MISSING}"),
        ("cascade/low", 0.95, "fusion.cascade.low: must be at most high (0.9), got 0.95"),
        ("cascade/high", True, "fusion.cascade.high: must be a number in [0, 1], got True"),
        ("calibration/date", ..., f"calibration.date: {MISSING}"),
        ("calibration/token_threshold", 2, "calibration.token_threshold: must be a number in [0, 1], got 2"),
        ("training", [], "fusion.training: must be an object, got list"),
        ("figures", None, "fusion.figures: must be an object, got NoneType"),
    ],
)  # fmt: skip
def test_damaged_models_are_refused_by_the_name_of_the_field(path: str, value: Any, message: str) -> None:
    ending = ".*" if message.endswith(" ") else ""
    with pytest.raises(BundleError, match=f"^{re.escape(message)}{ending}$"):
        FusionModel.from_dict(edited(path, value))


def test_files_that_are_no_fusion_are_refused(tmp_path: Path) -> None:
    message = f"folder {str(tmp_path)!r} is no detector: it has no fusion.json"
    with pytest.raises(BundleError, match=f"^{re.escape(message)}$"):
        FusionModel.load(tmp_path / "fusion.json")
    (tmp_path / "fusion.json").write_text("[]")
    message = f"fusion.json in {str(tmp_path)!r} must hold a JSON object, got list"
    with pytest.raises(BundleError, match=f"^{re.escape(message)}$"):
        FusionModel.load(tmp_path / "fusion.json")


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    place = tmp_path / "file" / "fusion.json"
    message = f"the fusion cannot be written to {str(place)!r}: "
    with pytest.raises(StoreError, match=f"^{re.escape(message)}(File exists|Not a directory)$"):
        MODEL.save(place)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": ""}, "name: must not be blank"),
        ({"probabilities": {}}, "probabilities: must be of tokens, statements, answers, got "),
        (
            {"probabilities": {"tokens": PlattScaling.identity()}},
            "probabilities: must be of tokens, statements, answers, got tokens",
        ),
        ({"statement_threshold": float("nan")}, "statement_threshold: must be a number in [0, 1], got nan"),
    ],
)
def test_a_model_checks_itself(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        made_fusion(**changes)


@given(low=st.floats(0, 1), high=st.floats(0, 1), score=st.floats(0, 1), index=st.integers(0, len(ROWS) - 1))
def test_the_cascade_decides_by_its_bounds(low: float, high: float, score: float, index: int) -> None:
    bounds, evidence = CascadeBounds(min(low, high), max(low, high)), ROWS[index].evidence
    decided = bounds.decides(score, evidence)
    speaks = any(map(speaks_for_itself, evidence.findings))
    assert (decided == "grounded") == (score < bounds.low)
    assert (decided == "hallucinated") == (speaks and score >= bounds.high)


def test_the_card_says_what_a_person_needs() -> None:
    card = fusion_card(made_fusion(training={"data": "ten answers\n# of ours", "licences": ["CC0"]}))
    assert card.startswith("# made fusion\n\nA ragcortex detector, version 1: both witnesses in one verdict.")
    assert [line for line in card.splitlines() if line.startswith("#")] == [
        "# made fusion",
        "## Data and licences",
        "## Thresholds",
        "## Weights of token signals (standardised, log-odds)",
        "## Weights of statement signals (standardised, log-odds)",
        "## Limits",
    ]
    assert "Fitted on ten answers # of ours." in card
    assert "ten answers: 10 answers, 4 of them hallucinated; 2026-01-31." in card
    assert "from probability 0.600 on, its words are marked from 0.400 on" in card
    assert "70% of the hallucinated statements are flagged, and 80% of what is flagged is hallucinated" in card
    for name, weight in zip(TOKEN_SIGNALS, MODEL.stack.tokens.weights, strict=True):
        assert f"* `{name}` {weight:+.2f}" in card.splitlines()
    assert all(f"* `{name}` " in card for name in STATEMENT_SIGNALS)
    assert np.all([not line.endswith(" ") for line in card.splitlines()])
