"""Signals of statements: by hand, against loops over tokens, and every finding in the column of its kind."""

import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from made_rows import made_rows, seen, word_tokens
from ragcortex.errors import ReadingError
from ragcortex.fusion.statement_signals import STATEMENT_SIGNALS, statement_signals
from ragcortex.fusion.token_signals import FINDING_KINDS, TOKEN_SIGNALS, TokenSignals
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.facts.finding import Finding

REFERENCES = ("The lighthouse at Cape Arden was built in 1874.", "Mary Holt painted the lamps.")
ANSWER = "The lighthouse at Cape Arden was built in 1902. Hello! Otto Brandt collected stamps."


def owned(evidence: GeometricEvidence, owners: list[int] | None = None) -> TokenSignals:
    """Return signals of the answer's words, of which only the owners count here."""
    tokens = word_tokens(evidence.answer)
    if owners is None:
        owners = [
            next((n for n, one in enumerate(evidence.claims) if one.start < end and start < one.end), -1)
            for start, end in tokens.ranges
        ]
    return TokenSignals(tokens, np.full((len(tokens), len(TOKEN_SIGNALS)), np.nan), np.array(owners, dtype=np.intp))


def named(row: np.ndarray) -> dict[str, float]:
    return dict(zip(STATEMENT_SIGNALS, row.tolist(), strict=True))


def plain_logit(value: float) -> float:
    kept = min(max(value, 1e-4), 1 - 1e-4)
    return math.log(kept / (1 - kept))


def test_two_statements_by_hand() -> None:
    evidence = seen(ANSWER, *REFERENCES)
    signals = owned(evidence)
    scores = np.full(len(signals.tokens), 0.5)
    scores[[0, 8]] = 0.75, 0.9  # «The» and «1902»; ten tokens in all, with the full stop
    first, second = map(named, statement_signals(signals, scores, evidence))
    assert first["highest_token"] == pytest.approx(math.log(9))
    assert first["mean_token"] == pytest.approx((math.log(9) + math.log(3)) / 10)
    assert (second["highest_token"], second["mean_token"]) == (0, 0)
    flags = STATEMENT_SIGNALS[2:8]
    assert {name for name in flags if first[name]} == {"contradicted_figure"}
    assert {name for name in flags if second[name]} == {"absent_name"}
    for row, one in zip((first, second), evidence.claims, strict=True):
        assert one.similarity is not None
        assert row["distance"] == 1 - one.similarity.max_similarity
        assert row["uncovered"] == 1 - one.covered


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 10_000))
def test_token_columns_are_those_of_the_plain_loop(seed: int) -> None:
    evidence = seen(ANSWER, *REFERENCES)
    rng = np.random.default_rng(seed)
    n = len(word_tokens(ANSWER))
    owners = [0, 1, *rng.integers(-1, 2, n - 2).tolist()]
    signals, scores = owned(evidence, owners), rng.random(n).round(1)
    rows = statement_signals(signals, scores, evidence)
    assert (rows.shape, rows.dtype) == ((2, 10), np.float64)
    for number, row in enumerate(rows):
        own = [plain_logit(value) for value, owner in zip(scores.tolist(), owners, strict=True) if owner == number]
        assert row[0] == pytest.approx(max(own))
        assert row[1] == pytest.approx(sum(own) / len(own))


def test_a_statement_without_tokens_has_no_token_signals() -> None:
    evidence = seen(ANSWER, *REFERENCES)
    n = len(word_tokens(ANSWER))
    row = named(statement_signals(owned(evidence, [0] * n), np.full(n, 0.5), evidence)[1])
    assert math.isnan(row["highest_token"])
    assert math.isnan(row["mean_token"])
    assert not math.isnan(row["distance"])


@pytest.mark.parametrize("relation", ["contradicted", "absent", "pieced"])
@pytest.mark.parametrize("reason", FINDING_KINDS)
def test_every_finding_raises_the_flag_of_its_kind(reason: str, relation: Any) -> None:
    evidence = seen("The lighthouse was built long ago.", *REFERENCES)
    (claim,) = evidence.claims
    finding = Finding(reason, relation, 4, 14, "lighthouse", None if relation == "absent" else claim.nearest)
    evidence = replace(evidence, statements=(replace(claim, findings=(finding,)),))
    signals = owned(evidence)
    row = named(statement_signals(signals, np.full(len(signals.tokens), 0.5), evidence)[0])
    expected = "pieced" if relation == "pieced" else f"{relation}_{FINDING_KINDS[reason]}"
    flags = {name for name in STATEMENT_SIGNALS[2:8] if row[name]}
    assert flags == {expected} & set(STATEMENT_SIGNALS)


def test_an_answer_that_claims_nothing_has_no_rows() -> None:
    evidence = seen("Hello! How can I help you?", *REFERENCES)
    signals = owned(evidence)
    assert statement_signals(signals, np.zeros(len(signals.tokens)), evidence).shape == (0, 10)


def test_certain_tokens_have_finite_signals() -> None:
    for row in made_rows()[:4]:
        for certain in (np.zeros, np.ones):
            assert np.isfinite(statement_signals(row.signals, certain(len(row.signals.tokens)), row.evidence)).all()


def test_scores_are_one_a_token() -> None:
    evidence = seen(ANSWER, *REFERENCES)
    signals = owned(evidence)
    message = f"token scores must have shape ({len(signals.tokens)},), got (3,)"
    with pytest.raises(ReadingError, match=f"^{re.escape(message)}$"):
        statement_signals(signals, np.zeros(3), evidence)
