"""From features to scores: the noisy-or against all subsets of statements, and findings that speak for themselves."""

import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from made_embedder import WordEmbedder
from made_geometry import made_model
from ragcortex.errors import InputError
from ragcortex.example import Reference
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.evidence import GeometricEvidence, StatementEvidence
from ragcortex.geometry.facts.finding import Finding
from ragcortex.geometry.judgement import SPEAKS, any_of, score, speaks_for_itself, with_findings
from ragcortex.geometry.statement_features import statement_features
from ragcortex.geometry.witness import examine
from ragcortex.report_parts import Evidence

REFERENCES = ("The lighthouse at Cape Arden was built in 1874.", "Mary Holt painted the lamps.")
REFERENCE = Evidence(0, 4, 8, "1874")


def seen(answer: str, question: str | None = None) -> GeometricEvidence:
    return examine(answer, Corpus.in_memory(tuple(map(Reference, REFERENCES)), WordEmbedder()), question=question)


def plain_any_of(statements: list[float]) -> float:
    """Add up the probability of every set of hallucinated statements but the empty one."""
    total = 0.0
    for chosen in itertools.product((False, True), repeat=len(statements)):
        if any(chosen):
            total += math.prod(p if hit else 1 - p for p, hit in zip(statements, chosen, strict=True))
    return total


@given(st.lists(st.floats(0, 1), max_size=8))
def test_the_answer_is_hallucinated_if_any_statement_is(statements: list[float]) -> None:
    found = any_of(np.array(statements))
    assert found == pytest.approx(plain_any_of(statements), abs=1e-12)
    assert 0 <= found <= 1
    assert found >= max(statements, default=0.0) - 1e-12


def test_nothing_claimed_is_nothing_hallucinated() -> None:
    assert any_of(np.zeros(0)) == 0


@pytest.mark.parametrize(
    ("reason", "relation", "speaks"),
    [
        ("number", "contradicted", True),
        ("entity", "contradicted", True),
        ("negation", "contradicted", True),
        ("number", "absent", True),
        ("date", "absent", True),
        ("unit", "absent", True),
        ("entity", "absent", False),
        ("stitched", "pieced", False),
    ],
)
def test_contradicted_facts_and_absent_figures_speak_for_themselves(reason: str, relation: Any, speaks: bool) -> None:
    evidence = None if relation == "absent" else REFERENCE
    assert speaks_for_itself(Finding(reason, relation, 0, 4, "1902", evidence)) == speaks


def test_a_finding_that_speaks_raises_its_statement_and_no_other() -> None:
    evidence = seen("The lighthouse at Cape Arden was built in 1902. Mary Holt painted the lamps.")
    assert with_findings(np.array([0.2, 0.1]), evidence).tolist() == [SPEAKS, 0.1]
    assert with_findings(np.array([0.97, 0.1]), evidence).tolist() == [0.97, 0.1]


def test_scores_are_those_of_the_models_one_after_the_other() -> None:
    model = made_model()
    evidence = seen(
        "The lighthouse at Cape Arden was built in 1902. Its keeper collected stamps.", "Who was the keeper?"
    )
    found = score(evidence, model)
    assert found.raw.tolist() == model.words.probabilities(found.words.values).tolist()
    assert found.smoothed.tolist() == model.smoothing.apply(found.raw).tolist()
    plain = model.statements.probabilities(statement_features(evidence, found.words, found.raw))
    assert found.statements.tolist() == [max(plain[0], SPEAKS), plain[1]]
    assert found.answer == pytest.approx(plain_any_of(found.statements.tolist()))


def test_an_answer_that_claims_nothing_scores_nothing() -> None:
    found = score(seen("Hello! How can I help you?"), made_model())
    assert (len(found.raw), len(found.smoothed), len(found.statements), found.answer) == (0, 0, 0, 0.0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"coverage": 1.5}, "coverage: must be a number in [0, 1], got 1.5"),
        ({"coverage_anywhere": -0.1}, "coverage_anywhere: must be a number in [0, 1], got -0.1"),
        ({"end": 7}, "text: must have the 7 characters of the range 0..7, got 6"),
        ({"start": -1}, "start: must be a whole number from 0 on, got -1"),
    ],
)
def test_evidence_checks_itself(changes: dict[str, Any], message: str) -> None:
    values: dict[str, Any] = {"start": 0, "end": 6, "text": "Hello!", "claimless": "greeting"}
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        StatementEvidence(**(values | changes))
