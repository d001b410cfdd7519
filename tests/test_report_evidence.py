"""Evidence, differences and contributions in a report: what parts refuse, and what is built from marks and notes."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.align import AnswerTokens, token_ranges
from ragcortex.errors import InputError, ReadingError
from ragcortex.report import (
    DetectorInfo,
    Difference,
    Evidence,
    FlaggedSpan,
    Mark,
    Report,
    SentenceNote,
    SentenceScore,
    Thresholds,
    TokenContributions,
    build_report,
)
from ragcortex.report_parts import REASONS

INFO = DetectorInfo("cortex", "0.1.0", "tiny-reader", "sha256:01", None)
SENTENCE = Evidence(0, 30, 47, "It is in Munich.\n")
MUNICH = Evidence(0, 39, 45, "Munich")
BERLIN = Difference(3, 9, "Berlin", MUNICH)
MARK = Mark(3, 9, "entity", (SENTENCE,), contradicted=True, differences=(BERLIN,))


def build(text: str, scores: list[float], **extra: Any) -> Report:
    ranges = token_ranges(text, [match.span() for match in regex.finditer(r"\s*(?:[\p{L}\p{N}]+|\X)", text)])
    tokens, values = AnswerTokens(text, tuple(range(len(ranges))), ranges), np.array(scores)
    return build_report(tokens, values, values, 0.9, thresholds=Thresholds(0.5, 0.4, 0.8), detector=INFO, **extra)


def given_by(*rows: float) -> TokenContributions:
    return TokenContributions(("gain", "distance"), np.array([[row, -row] for row in rows], dtype=np.float64))


@pytest.mark.parametrize(
    ("piece", "held"),
    [
        (MUNICH, True),
        (SENTENCE, True),
        (replace(MUNICH, source="guide.pdf"), True),
        (replace(MUNICH, reference=1), False),
        (replace(MUNICH, text="Berlin"), False),
        (Evidence(0, 29, 33, " It "), False),
        (Evidence(0, 46, 48, "\nA"), False),
        (Evidence(0, 3, 9, "Munich"), False),
    ],
)
def test_a_piece_lies_in_a_text_at_its_place(piece: Evidence, held: bool) -> None:
    assert SENTENCE.holds(piece) is held


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (lambda: Difference(3, 9, "Bonn", MUNICH), "text: must have the 6 characters of the range 3..9, got 4"),
        (lambda: Difference(3, 9, "Berlin", "Munich"), "evidence: must be Evidence, got str"),
        (
            lambda: Difference(3, 9, "Berlin", MUNICH, "place"),
            f"reason: must be one of {', '.join(REASONS)}, got 'place'",
        ),
        (lambda: replace(MARK, differences=[BERLIN]), "differences: must be a tuple of Difference, got list"),
        (lambda: replace(MARK, start=9, end=12), "differences[0]: must overlap the range 9..12, got 3..9"),
        (
            lambda: replace(MARK, evidence=(replace(SENTENCE, reference=1),)),
            "differences[0].evidence: must be a piece of one of the texts in evidence, at its place",
        ),
        (
            lambda: replace(MARK, differences=(BERLIN, replace(BERLIN, reason="role"))),
            "differences[1].reason: must be one of entity, got 'role'",
        ),
        (
            lambda: FlaggedSpan(3, 9, "Berlin", 0.9, ("role",), (), (BERLIN,)),
            "differences[0].evidence: must be a piece of one of the texts in evidence, at its place",
        ),
        (
            lambda: FlaggedSpan(0, 1, "a", 0.9, ("role",), contributions={"gain": float("nan")}),
            "contributions.gain: must be a finite number, got nan",
        ),
        (
            lambda: SentenceScore(0, 1, "a", 0.9, "supported", contributions=[1]),
            "contributions: must be an object of names and numbers, got list",
        ),
        (lambda: SentenceNote(0, 3, contributions={" ": 1.0}, score=0.5), "contributions: must not be blank"),
        (
            lambda: SentenceNote(0, 3, contributions={"gain": 1.0}),
            "contributions: must be empty where the statement has no score",
        ),
    ],
)
def test_parts_check_themselves(part: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        part()


def test_a_difference_is_the_answers_text_at_its_place() -> None:
    with pytest.raises(InputError, match=r"^spans\[0\].differences\[0\].text: is not the answer's text at 3..9$"):
        build("In Dublin.", [0.1, 0.9, 0.1], marks=[MARK])


def test_a_span_has_the_sentence_and_the_pieces_that_differ() -> None:
    note = SentenceNote(0, 10, (Evidence(1, 0, 4, "Yes."),))
    report = build("In Berlin.", [0.1, 0.9, 0.1], marks=[MARK], sentence_notes=[note])
    (span,) = report.spans
    assert (span.evidence, span.differences) == ((SENTENCE,), (replace(BERLIN, reason="entity"),))
    assert report.sentences[0].state == "contradicted"
    assert Report.from_dict(report.to_dict()) == report


def test_a_span_that_no_mark_gives_evidence_has_that_of_its_statement() -> None:
    notes = [SentenceNote(0, 10, (SENTENCE,)), SentenceNote(11, 15, (replace(SENTENCE, reference=1),))]
    report = build("In Berlin. Yes.", [0.1, 0.9, 0.1, 0.1, 0.1], sentence_notes=notes, marks=[Mark(3, 9, "entity")])
    assert [(span.evidence, span.differences) for span in report.spans] == [((SENTENCE,), ())]
    assert build("In Berlin.", [0.1, 0.9, 0.1]).spans[0].evidence == ()


def test_contributions_of_spans_and_sentences() -> None:
    # tokens:  In  Berlin  .  Yes  .   The full stop scores highest of all but belongs to no word.
    scores, parts = [0.1, 0.9, 0.95, 0.3, 0.6], given_by(1, 2, 3, 4, 5)
    report = build("In Berlin. Yes.", scores, contributions=parts)
    assert [span.contributions for span in report.spans] == [{"gain": 2.0, "distance": -2.0}]
    assert [one.contributions["gain"] for one in report.sentences] == [2.0, 4.0]
    notes = [SentenceNote(0, 3, score=0.2, contributions={"a": 1.0}), SentenceNote(3, 10, score=0.4)]
    notes += [SentenceNote(11, 15, score=0.1, contributions={"a": 3.0, "b": 0.5})]
    scored = build("In Berlin. Yes.", scores, contributions=parts, sentence_notes=notes)
    assert [one.contributions for one in scored.sentences] == [{}, {"a": 3.0, "b": 0.5}]
    notes[0] = replace(notes[0], score=0.4)
    again = build("In Berlin. Yes.", scores, sentence_notes=notes)
    assert [one.contributions for one in again.sentences] == [{"a": 1.0}, {"a": 3.0, "b": 0.5}]
    assert again.spans[0].contributions == {}


def test_what_was_not_judged_has_no_contributions() -> None:
    note = SentenceNote(11, 15, status="no_claim")
    report = build(
        "In Berlin. Yes.", [0.1, 0.2, 0.1, 0.3, 0.1], sentence_notes=[note], contributions=given_by(*[1] * 5)
    )
    assert [dict(one.contributions) for one in report.sentences] == [{"gain": 1.0, "distance": -1.0}, {}]


def test_one_row_of_contributions_a_token() -> None:
    with pytest.raises(ReadingError, match=r"^the contributions must have 3 rows, one a token, got 2$"):
        build("In Berlin.", [0.1, 0.9, 0.1], contributions=given_by(1, 2))


@given(st.text(st.sampled_from("ab1. \n世"), max_size=40), st.randoms(use_true_random=False))
def test_any_scores(text: str, random: Any) -> None:
    """A span's contributions are a token's of its own score; with a note on everything, every span has evidence."""
    count = len(regex.findall(r"\s*(?:[\p{L}\p{N}]+|\X)", text))
    scores = [random.choice([0.1, 0.5, 0.7, 0.9]) for _ in range(count)]
    notes = [SentenceNote(0, len(text), (SENTENCE,))] if text else []
    values = np.array(scores)[:, None].reshape(-1, 1)
    report = build(text, scores, sentence_notes=notes, contributions=TokenContributions(("score",), values))
    for span in report.spans:
        assert span.contributions == {"score": span.score}
        assert span.evidence == (SENTENCE,)
    assert Report.from_dict(report.to_dict()) == report
