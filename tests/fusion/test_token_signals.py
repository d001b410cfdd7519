"""Signals of tokens against loops over characters, on any text, in any tokens, and read in any pieces and windows."""

import itertools
import math
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from made_geometry import made_model
from made_rows import made_reading, seen, word_tokens
from ragcortex.align import AnswerTokens, token_ranges
from ragcortex.errors import ReadingError
from ragcortex.fusion.token_signals import (
    FINDING_KINDS,
    GEOMETRY_SIGNALS,
    READER_SIGNALS,
    TOKEN_SIGNALS,
    TokenSignals,
    logit,
    token_signals,
)
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.facts.finding import Finding
from ragcortex.geometry.judgement import GeometricScores, any_of, score
from ragcortex.geometry.word_features import word_features
from ragcortex.readers.reading import Reading

REFERENCES = ("The lighthouse at Cape Arden was built in 1874 by Mary Holt.", "Dogs are not allowed inside.")
ANSWER = "Hello! The lighthouse was built in 1902, by Otto Brandt. «Dogs are allowed inside.» Its keeper sings [1]."
WORDS = st.sampled_from(
    ["lighthouse", "Mary Holt", "1902", "the", "not", "Hello!", "ice-cold", "«", "…", "[1]", "灯台", "é", "\n", ". "]
)
texts = st.one_of(st.lists(WORDS, min_size=1, max_size=14).map(" ".join), st.text(min_size=1, max_size=40))


def random_scores(evidence: GeometricEvidence, seed: int) -> GeometricScores:
    rng = np.random.default_rng(seed)
    words = word_features(evidence)
    raw, statements = rng.random(len(words)), rng.random(len(evidence.claims))
    return GeometricScores(words, raw, raw, statements, any_of(statements))


def cut(text: str, seed: int) -> AnswerTokens:
    """Return tokens of random lengths, a few of which are pieces of one character."""
    rng = np.random.default_rng(seed)
    cuts = sorted({0, len(text), *rng.integers(0, len(text) + 1, size=rng.integers(0, len(text) + 1)).tolist()})
    offsets = [pair for pair in itertools.pairwise(cuts) for _ in range(rng.integers(1, 3))]
    ranges = token_ranges(text, offsets)
    return AnswerTokens(text, tuple(range(len(ranges))), ranges)


def plain_logit(value: float) -> float:
    kept = min(max(value, 1e-4), 1 - 1e-4)
    return math.log(kept / (1 - kept))


def plain_mean(values: list[float], reach: int) -> list[float]:
    around = [values[max(0, index - reach) : index + reach + 1] for index in range(len(values))]
    return [sum(own) / len(own) for own in around]


def plain_owner(span: tuple[int, int], evidence: GeometricEvidence) -> int:
    """Return the last statement with claims that has a character of the token."""
    owner = -1
    for number, one in enumerate(evidence.claims):
        if any(one.start <= character < one.end for character in range(*span)):
            owner = number
    return owner


def plain_geometry(
    span: tuple[int, int], evidence: GeometricEvidence, scores: GeometricScores, unfit: frozenset[int]
) -> list[float]:
    owner = plain_owner(span, evidence)
    if owner < 0:
        return [math.nan] * len(GEOMETRY_SIGNALS)
    words = scores.words.ranges
    held = [n for n, word in enumerate(words) if any(word[0] <= c < word[1] for c in range(*span))][:1]
    before = [n for n, word in enumerate(words) if word[1] <= span[0]][-1:]
    after = [n for n, word in enumerate(words) if word[0] >= span[1]][:1]
    own = [plain_logit(value) for value in scores.raw.tolist()]
    near = plain_mean(own, 2)
    taken = held or before + after
    known = [min(own[n] for n in taken), min(near[n] for n in taken), plain_logit(float(scores.statements[owner]))]
    row = [math.nan] * 3 if owner in unfit else known
    for name in GEOMETRY_SIGNALS[3:8]:
        relation, kind = name.split("_")
        reasons = {
            "figure": ("number", "date", "unit"),
            "name": ("entity",),
            "polarity": ("negation", "condition", "role", "stitched"),
        }[kind]
        row.append(
            float(
                any(
                    finding.relation == relation
                    and finding.reason in reasons
                    and any(finding.start <= character < finding.end for character in range(*span))
                    for finding in evidence.claims[owner].findings
                )
            )
        )
    return [*row, float(not held)]


@settings(deadline=None, max_examples=150)
@given(text=texts, seed=st.integers(0, 10_000), unfit=st.frozensets(st.integers(0, 2)))
def test_geometry_is_that_of_the_plain_loops(text: str, seed: int, unfit: frozenset[int]) -> None:
    evidence, tokens = seen(text, *REFERENCES), cut(text, seed)
    scores = random_scores(evidence, seed)
    found = token_signals(tokens, None, None, evidence, scores, unfit=unfit)
    assert found.statements.tolist() == [plain_owner(span, evidence) for span in tokens.ranges]
    expected = [plain_geometry(span, evidence, scores, unfit) for span in tokens.ranges]
    np.testing.assert_allclose(found.values[:, len(READER_SIGNALS) :], expected, atol=1e-5)
    assert np.isnan(found.values[:, : len(READER_SIGNALS)]).all()
    assert (found.values.dtype, found.statements.dtype) == (np.float64, np.intp)


def test_an_answer_by_hand() -> None:
    evidence, tokens = seen(ANSWER, *REFERENCES), word_tokens(ANSWER)
    scores = score(evidence, made_model())
    found = token_signals(tokens, None, None, evidence, scores)
    rows = {
        ANSWER[start:end].strip(): dict(zip(TOKEN_SIGNALS, row, strict=True))
        for (start, end), row in zip(tokens.ranges, found.values.tolist(), strict=True)
    }
    owners = dict(zip([ANSWER[start:end].strip() for start, end in tokens.ranges], found.statements, strict=True))
    assert (owners["Hello"], owners["1902"], owners["allowed"], owners["sings"]) == (-1, 0, 1, 2)
    assert math.isnan(rows["Hello"]["word"])
    assert rows["1902"]["contradicted_figure"] == 1
    assert rows["Otto"]["contradicted_name"] + rows["Otto"]["absent_name"] == 1
    assert rows["lighthouse"]["contradicted_figure"] == rows["lighthouse"]["between_words"] == 0
    assert rows["allowed"]["contradicted_polarity"] == 1
    assert rows[","]["between_words"] == 1
    word = {
        ANSWER[start:end]: value for (start, end), value in zip(scores.words.ranges, logit(scores.raw), strict=True)
    }
    # The comma stands between 1902 and «by»; the marker [1] holds no words, and «sings» is the last one before it.
    assert rows[","]["word"] == min(word["1902"], word["by"])
    assert (rows["1"]["between_words"], rows["1"]["word"]) == (1, word["sings"])
    assert rows["keeper"]["statement"] == logit(scores.statements)[2]


def test_an_unfit_statement_keeps_its_findings_alone() -> None:
    evidence, tokens = seen(ANSWER, *REFERENCES), word_tokens(ANSWER)
    scores = score(evidence, made_model())
    plain, unfit = (
        token_signals(tokens, None, None, evidence, scores, unfit=numbers).values
        for numbers in (frozenset[int](), frozenset({0}))
    )
    own = token_signals(tokens, None, None, evidence, scores).statements == 0
    measured = [TOKEN_SIGNALS.index(name) for name in ("word", "word_near", "statement")]
    assert np.isnan(unfit[np.ix_(own, measured)]).all()
    kept = np.ones_like(plain, dtype=bool)
    kept[np.ix_(own, measured)] = False
    np.testing.assert_array_equal(unfit[kept], plain[kept])


@pytest.mark.parametrize("relation", ["contradicted", "absent", "pieced"])
@pytest.mark.parametrize("reason", FINDING_KINDS)
def test_every_finding_raises_the_flag_of_its_kind_in_its_place(reason: str, relation: Any) -> None:
    evidence = seen("The lighthouse was built long ago.", *REFERENCES)
    (claim,) = evidence.claims
    held = None if relation == "absent" else claim.nearest
    evidence = replace(
        evidence, statements=(replace(claim, findings=(Finding(reason, relation, 4, 14, "lighthouse", held),)),)
    )
    tokens = word_tokens(evidence.answer)
    found = token_signals(tokens, None, None, evidence, random_scores(evidence, 0)).values
    flags = {
        (name, evidence.answer[start:end].strip())
        for (start, end), row in zip(tokens.ranges, found.tolist(), strict=True)
        for name, value in zip(TOKEN_SIGNALS, row, strict=True)
        if value == 1 and name.startswith(("contradicted", "absent"))
    }
    name = f"{relation}_{FINDING_KINDS[reason]}"
    assert flags == ({(name, "lighthouse")} if name in TOKEN_SIGNALS else set())


def test_both_witnesses_missing_is_nothing_known() -> None:
    tokens = word_tokens(ANSWER)
    found = token_signals(tokens, None, None, None, None)
    assert found.values.shape == (len(tokens), 12)
    assert np.isnan(found.values).all()
    assert (found.statements == -1).all()


@given(st.lists(st.floats(0, 1), max_size=9))
def test_logits_are_finite_and_those_of_the_formula(values: list[float]) -> None:
    found = logit(values)
    assert found.dtype == np.float64
    assert np.isfinite(found).all()
    assert found.tolist() == pytest.approx([plain_logit(value) for value in values])


def test_callers_arrays_are_left_alone() -> None:
    evidence, tokens = seen(ANSWER, *REFERENCES), word_tokens(ANSWER)
    rng = np.random.default_rng(0)
    scores, reading, raw = random_scores(evidence, 0), made_reading(tokens, rng), rng.random(len(tokens))
    kept = raw.copy(), scores.raw.copy(), scores.statements.copy()
    token_signals(tokens, reading, raw, evidence, scores)
    for array, before in zip((raw, scores.raw, scores.statements), kept, strict=True):
        np.testing.assert_array_equal(array, before)


TOKENS = word_tokens("It was built.")


@pytest.mark.parametrize(
    ("shape", "n_statements", "value", "message"),
    [
        ((4, 3), 4, 0.0, "token signals must have shape (4, 12) with 4 statements, got (4, 3) and (4,)"),
        ((3, 12), 4, 0.0, "token signals must have shape (4, 12) with 4 statements, got (3, 12) and (4,)"),
        ((4, 12), 5, 0.0, "token signals must have shape (4, 12) with 4 statements, got (4, 12) and (5,)"),
        ((4, 12), 4, np.inf, "token signals must be finite, or NaN where a witness says nothing"),
    ],
)
def test_signals_check_themselves(shape: tuple[int, int], n_statements: int, value: float, message: str) -> None:
    with pytest.raises(ReadingError, match=f"^{re.escape(message)}$"):
        TokenSignals(TOKENS, np.full(shape, value), np.zeros(n_statements, dtype=np.intp))


def test_what_does_not_fit_together_is_refused() -> None:
    rng = np.random.default_rng(0)
    reading, raw = made_reading(TOKENS, rng), rng.random(4)
    evidence = seen("It was built.", *REFERENCES)
    scores = random_scores(evidence, 0)
    cases: list[tuple[str, Reading | None, Any, GeometricScores]] = [
        ("raw scores must have shape (4,), got (3,)", reading, raw[:3], scores),
        (
            "the reading is of 1 other tokens than the 4 given",
            made_reading(word_tokens("Built"), rng),
            raw[:1],
            scores,
        ),
        (
            "geometric scores must be of 3 words and 1 statements, got (3,) and (2,)",
            None,
            None,
            replace(scores, statements=np.zeros(2)),
        ),
        (
            "geometric scores must be of 3 words and 1 statements, got (2,) and (1,)",
            None,
            None,
            replace(scores, raw=np.zeros(2)),
        ),
    ]
    for message, read, own, judged in cases:
        with pytest.raises(ReadingError, match=f"^{re.escape(message)}$"):
            token_signals(TOKENS, read, own, evidence, judged)
