"""The report: what its parts refuse, and what is built from scores."""

import re
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace
from typing import Any

import numpy as np
import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.align import AnswerTokens, token_ranges, words
from ragcortex.errors import InputError, ReadingError
from ragcortex.report import (
    DetectorInfo,
    Evidence,
    FlaggedSpan,
    Mark,
    Note,
    ParagraphScore,
    Report,
    SentenceNote,
    SentenceScore,
    Thresholds,
    TokenScore,
    build_report,
    unjudged_report,
)
from ragcortex.report_parts import REASONS, STATES, VERDICTS
from ragcortex.sentence_states import merged_signals

INFO = DetectorInfo("cortex", "0.1.0", "tiny-reader", "sha256:01", None)
THRESHOLDS = Thresholds(token=0.5, review=0.4, hallucinated=0.8)
BERLIN = FlaggedSpan(3, 9, "Berlin", 0.9, ("role",))
NO_SCORE = {"score": None, "thresholds": None}


def tokenised(text: str) -> AnswerTokens:
    ranges = token_ranges(text, [match.span() for match in regex.finditer(r"\s*(?:[\p{L}\p{N}]+|\X)", text)])
    return AnswerTokens(text, tuple(range(len(ranges))), ranges)


def build(text: str, scores: list[float], answer_score: float = 0.9, **extra: Any) -> Report:
    values = np.array(scores)
    return build_report(
        tokenised(text), values / 2, values, answer_score, thresholds=THRESHOLDS, detector=INFO, **extra
    )


def test_hand_worked_answer() -> None:
    # tokens:      In  Berlin  .  Yes   .
    report = build("In Berlin. Yes.", [0.1, 0.9, 0.95, 0.3, 0.6], question="Where?", id="7", notes=[Note("a", "B.")])
    assert report.tokens == (
        TokenScore(0, 2, "In", 0.1, 0.05),
        TokenScore(2, 9, " Berlin", 0.9, 0.45),
        TokenScore(9, 10, ".", 0.95, 0.475),
        TokenScore(10, 14, " Yes", 0.3, 0.15),
        TokenScore(14, 15, ".", 0.6, 0.3),
    )
    # Full stops belong to no word: they neither mark "Yes." nor raise the score of "Berlin."
    assert report.spans == (FlaggedSpan(3, 10, "Berlin.", 0.9, ("low_reference_influence",)),)
    assert report.sentences == (
        SentenceScore(0, 10, "In Berlin.", 0.9, "unsupported"),
        SentenceScore(11, 15, "Yes.", 0.3, "supported"),
    )
    assert report.paragraphs == (ParagraphScore(0, 15, "In Berlin. Yes.", 0.9),)
    assert (report.verdict, report.score, report.thresholds) == ("hallucinated", 0.9, THRESHOLDS)
    assert (report.question, report.id, report.notes) == ("Where?", "7", (Note("a", "B."),))


@pytest.mark.parametrize(
    ("score", "marked", "unmarked"),
    [
        (0.0, "grounded", "grounded"),
        (0.3999, "grounded", "grounded"),
        (0.4, "review", "review"),
        (0.7999, "review", "review"),
        (0.8, "hallucinated", "review"),
        (1.0, "hallucinated", "review"),
    ],
)
def test_verdict(score: float, marked: str, unmarked: str) -> None:
    assert build("Yes", [0.9], score).verdict == marked
    assert build("Yes", [0.1], score).verdict == unmarked


def test_a_high_score_without_a_marked_passage_is_explained() -> None:
    report = build("Yes", [0.1], 0.9)
    assert "no passage stands out: a person should look at it." in " ".join(report.to_text(width=200).split())


def test_pieces_of_one_character_become_one_token_with_their_highest_score() -> None:
    tokens = AnswerTokens("a世", (0, 1, 2, 3), ((0, 1), (1, 2), (1, 2), (1, 2)))
    report = build_report(
        tokens,
        np.array([0.1, 0.2, 0.8, 0.3], dtype=np.float32),
        np.array([0.1, 0.2, 0.3, 0.7]),
        0.7,
        thresholds=THRESHOLDS,
        detector=INFO,
    )
    assert [(token.text, token.score) for token in report.tokens] == [("a", 0.1), ("世", 0.7)]
    assert report.tokens[1].raw == pytest.approx(0.8, abs=1e-7)
    assert isinstance(report.tokens[1].raw, float)


def test_a_sentence_without_a_word_makes_no_claim() -> None:
    report = build("Yes.\n---", [0.1, 0.1, 0.9, 0.9, 0.9])
    assert report.sentences[1] == SentenceScore(5, 8, "---", None, "no_claim")
    assert report.spans == ()


def test_paragraphs_have_their_own_score() -> None:
    report = build("Yes\n\nNo", [0.2, 0.7])
    assert report.paragraphs == (ParagraphScore(0, 3, "Yes", 0.2), ParagraphScore(5, 7, "No", 0.7))


def test_arrays_stay_as_they_were() -> None:
    raw, scores = np.array([0.1, 0.9]), np.array([0.2, 0.8])
    build_report(tokenised("a b"), raw, scores, 0.5, thresholds=THRESHOLDS, detector=INFO)
    assert raw.tolist() == [0.1, 0.9]
    assert scores.tolist() == [0.2, 0.8]


@pytest.mark.parametrize(
    ("raw", "scores", "answer", "message"),
    [
        ([0.1], [0.1, 0.2], 0.5, "the raw scores must have shape (2,), one a token, got (1,)"),
        ([0.1, 0.2], [[0.1, 0.2]], 0.5, "the smoothed scores must have shape (2,), one a token, got (1, 2)"),
        ([0.1, 0.2], [0.1, np.nan], 0.5, "the smoothed scores must be numbers in [0, 1], got nan at token 1"),
        ([-0.1, 0.2], [0.1, 0.2], 0.5, "the raw scores must be numbers in [0, 1], got -0.1 at token 0"),
        ([0.1, 0.2], [0.1, 0.2], float("nan"), "the answer score must be a number in [0, 1], got nan"),
    ],
)
def test_unusable_scores(raw: list[float], scores: list[float], answer: float, message: str) -> None:
    with pytest.raises(ReadingError, match=f"^{re.escape(message)}$"):
        build_report(tokenised("a b"), np.array(raw), np.array(scores), answer, thresholds=THRESHOLDS, detector=INFO)


@given(st.text(max_size=60), st.randoms(use_true_random=False))
def test_any_text_any_scores(text: str, random: Any) -> None:
    tokens = tokenised(text)
    scores = np.array([random.random() for _ in range(len(tokens))])
    report = build_report(tokens, scores, scores, 0.5, thresholds=THRESHOLDS, detector=INFO)
    assert "".join(token.text for token in report.tokens) == text
    assert Report.from_dict(report.to_dict()).to_dict() == report.to_dict()
    for sentence in report.sentences:
        overlapping = [s for s in report.spans if s.start < sentence.end and s.end > sentence.start]
        expected = "no_claim" if sentence.score is None else "unsupported" if overlapping else "supported"
        assert sentence.state == expected
        # Marked and scored high are the same thing for a sentence with words.
        if sentence.score is not None and words(sentence.text):
            assert sentence.score >= THRESHOLDS.token or not any(s.start >= sentence.start for s in overlapping)


MUNICH = Evidence(0, 5, 11, "Munich")


def test_a_binding_mark_contradicts_its_sentence_and_raises_it_and_its_paragraph() -> None:
    mark = Mark(3, 9, "entity", (MUNICH,), contradicted=True, binding=True, score=0.9)
    report = build("In Berlin. Yes.", [0.1, 0.2, 0.1, 0.3, 0.1], marks=[mark], reason="low_support")
    assert report.spans == (FlaggedSpan(3, 9, "Berlin", 0.9, ("entity",), (MUNICH,)),)
    assert [(s.score, s.state) for s in report.sentences] == [(0.9, "contradicted"), (0.3, "supported")]
    assert report.paragraphs == (ParagraphScore(0, 15, "In Berlin. Yes.", 0.9),)
    assert report.verdict == "hallucinated"
    assert [token.score for token in report.tokens] == [0.1, 0.2, 0.1, 0.3, 0.1]


def test_a_mark_of_something_absent_leaves_its_sentence_unsupported() -> None:
    report = build("In Berlin.", [0.1, 0.2, 0.1], marks=[Mark(3, 9, "number", binding=True)])
    assert report.sentences[0].state == "unsupported"


def test_the_reason_of_spans_that_no_mark_explains_may_be_given() -> None:
    assert build("Yes", [0.9], reason="low_support").spans[0].reasons == ("low_support",)


def test_notes_bring_evidence_and_signals_to_their_sentence() -> None:
    notes = [
        SentenceNote(0, 10, (MUNICH,), {"max_similarity": 0.75, "density": 2}),
        SentenceNote(11, 15, (), {"max_similarity": 0.25}),
    ]
    report = build("In Berlin. Yes.", [0.1] * 5, 0.2, sentence_notes=notes, signals={"support_rate": 0.5})
    first, second = report.sentences
    assert (first.evidence, first.signals) == ((MUNICH,), {"max_similarity": 0.75, "density": 2})
    assert (second.evidence, second.signals) == ((), {"max_similarity": 0.25})
    assert report.signals == {"support_rate": 0.5}
    assert Report.from_dict(report.to_dict()) == report


def test_a_sentence_of_several_statements_has_the_mean_of_their_signals() -> None:
    notes = [SentenceNote(0, 4, (MUNICH,), {"a": 1.0, "b": 4.0}), SentenceNote(5, 9, (MUNICH,), {"a": 0.5})]
    assert merged_signals(notes) == {"a": 0.75, "b": 4.0}
    (sentence,) = build("Yes a: no", [0.1] * 4, 0.2, sentence_notes=notes).sentences
    assert (sentence.evidence, sentence.signals) == ((MUNICH,), {"a": 0.75, "b": 4.0})
    assert merged_signals(()) == {}


def test_the_scores_of_statements_stand_for_those_of_their_words() -> None:
    notes = [SentenceNote(0, 10, score=0.25), SentenceNote(11, 15, score=0.05)]
    report = build("In Berlin. Yes.", [0.1, 0.45, 0.1, 0.3, 0.1], 0.2, sentence_notes=notes)
    assert [(s.score, s.state) for s in report.sentences] == [(0.25, "supported"), (0.05, "supported")]
    assert [p.score for p in report.paragraphs] == [0.25]
    marked = build("In Berlin. Yes.", [0.1, 0.9, 0.1, 0.3, 0.1], 0.2, sentence_notes=notes)
    assert [(s.score, s.state) for s in marked.sentences] == [(0.9, "unsupported"), (0.05, "supported")]


@pytest.mark.parametrize("status", ["no_claim", "not_verifiable"])
def test_a_statement_that_was_not_judged_has_no_score_anywhere(status: Any) -> None:
    report = build(
        "In Berlin.\n\nHello!", [0.1, 0.2, 0.1, 0.3, 0.3], sentence_notes=[SentenceNote(12, 18, status=status)]
    )
    assert [(s.text, s.score, s.state) for s in report.sentences] == [
        ("In Berlin.", 0.2, "supported"),
        ("Hello!", None, status),
    ]
    assert [p.score for p in report.paragraphs] == [0.2, None]


def test_a_sentence_of_a_claim_and_a_greeting_is_judged_by_its_claim() -> None:
    (sentence,) = build("Hello Yes", [0.9, 0.1], 0.2, sentence_notes=[SentenceNote(0, 5, status="no_claim")]).sentences
    # The mark itself stays: tokens were scored by someone who knew what claims nothing.
    assert sentence.state == "unsupported"
    (sentence,) = build("Hello Yes", [0.0, 0.1], 0.2, sentence_notes=[SentenceNote(0, 5, status="no_claim")]).sentences
    assert (sentence.score, sentence.state) == (0.1, "supported")


@pytest.mark.parametrize("verdict", ["no_claim", "not_verifiable"])
def test_unjudged(verdict: Any) -> None:
    report = unjudged_report("Hi. How are you?", verdict, [Note("greeting", "A greeting.")], INFO, question="?", id="1")
    assert (report.verdict, report.score, report.thresholds) == (verdict, None, None)
    assert (report.tokens, report.spans) == ((), ())
    assert [(s.text, s.score, s.state) for s in report.sentences] == [
        ("Hi.", None, verdict),
        ("How are you?", None, verdict),
    ]
    assert report.paragraphs == (ParagraphScore(0, 16, "Hi. How are you?", None),)
    assert unjudged_report("", verdict, (), INFO).sentences == ()


def test_unjudged_refuses_a_judgement() -> None:
    with pytest.raises(InputError, match=r"^verdict: must be one of no_claim, not_verifiable, got 'grounded'$"):
        unjudged_report("Hi.", "grounded", (), INFO)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (lambda: TokenScore(0, 1, "a", 0.5, float("nan")), "raw: must be a number in [0, 1], got nan"),
        (lambda: TokenScore(0, 1, "a", 1.01, 0.5), "score: must be a number in [0, 1], got 1.01"),
        (lambda: TokenScore(0, 1, "a", None, 0.5), "score: must be a number in [0, 1], got None"),
        (lambda: TokenScore(-1, 1, "ab", 0.5, 0.5), "start: must be a whole number from 0 on, got -1"),
        (lambda: TokenScore(1, 1, "", 0.5, 0.5), "end: must be greater than start=1, got 1"),
        (lambda: TokenScore(1, 3, "a", 0.5, 0.5), "text: must have the 2 characters of the range 1..3, got 1"),
        (lambda: TokenScore(1, 3, None, 0.5, 0.5), "text: must be a string, got NoneType"),
        (lambda: FlaggedSpan(0, 1, "a", 0.5, ()), f"reasons: must name at least one of {', '.join(REASONS)}"),
        (lambda: FlaggedSpan(0, 1, "a", 0.5, ["role"]), "reasons: must be a tuple of str, got list"),
        (lambda: FlaggedSpan(0, 1, "a", 0.5, ("role",), (3,)), "evidence[0]: must be Evidence, got int"),
        (lambda: SentenceScore(0, 1, "a", 0.5, "ok"), f"state: must be one of {', '.join(STATES)}, got 'ok'"),
        (lambda: Evidence(True, 0, 1, "a"), "reference: must be a whole number from 0 on, got True"),
        (lambda: Thresholds(0.5, 0.9, 0.8), "review: must be at most hallucinated (0.8), got 0.9"),
        (lambda: Thresholds(0.5, 0.1, 8), "hallucinated: must be a number in [0, 1], got 8"),
        (lambda: Mark(3, 3, "role"), "end: must be a whole number greater than start=3, got 3"),
        (lambda: Mark(-1, 3, "role"), "start: must be a whole number from 0 on, got -1"),
        (lambda: Mark(0, 3, "rule"), f"reason: must be one of {', '.join(REASONS)}, got 'rule'"),
        (lambda: Mark(0, 3, "role", score=2), "score: must be a number in [0, 1], got 2"),
        (lambda: Mark(0, 3, "role", [MUNICH]), "evidence: must be a tuple of Evidence, got list"),
        (lambda: Mark(0, 3, "role", contradicted=True), "evidence: must be given where the references say otherwise"),
        (lambda: SentenceNote(0, "3"), "end: must be a whole number greater than start=0, got '3'"),
        (lambda: SentenceNote(0, 3, status="ok"), "status: must be one of no_claim, not_verifiable, got 'ok'"),
        (lambda: SentenceNote(0, 3, score=1.5), "score: must be a number in [0, 1] or null, got 1.5"),
        (lambda: SentenceNote(0, 3, (), [1]), "signals: must be an object of names and numbers, got list"),
        (lambda: SentenceNote(0, 3, (), {"a": True}), "signals.a: must be a finite number, got True"),
        (lambda: SentenceNote(0, 3, (), {"a": float("inf")}), "signals.a: must be a finite number, got inf"),
        (lambda: SentenceNote(0, 3, (), {" ": 1}), "signals: must not be blank"),
        (lambda: Evidence(0, 0, 1, "a", 3), "source: must be a string or null, got int"),
        (lambda: Note("", "a"), "code: must not be blank"),
        (lambda: Note("a", "b\ud800"), "text: has a lone surrogate at character 1, which is not text"),
        (lambda: DetectorInfo("a", "1", "", "f", None), "reader: must not be blank"),
    ],
)  # fmt: skip
def test_parts_check_themselves(part: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        part()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"answer": "In Bonn."}, "tokens[1].end: must be at most the answer's length 8, got 9"),
        ({"answer": "In Munich."}, "tokens[1].text: is not the answer's text at 2..9"),
        ({"answer": None}, "answer: must be a string, got NoneType"),
        ({"tokens": []}, "tokens: must be a tuple of TokenScore, got list"),
        ({"spans": (BERLIN, BERLIN)}, "spans[1].start: must be at least 9, where the one before ends, got 3"),
        ({"verdict": "fine"}, f"verdict: must be one of {', '.join(VERDICTS)}, got 'fine'"),
        ({"verdict": "no_claim"}, "score: must be null where the verdict is no_claim"),
        ({"verdict": "no_claim", "score": None}, "thresholds: must be null where the verdict is no_claim"),
        ({"verdict": "no_claim"} | NO_SCORE, "tokens: must be empty where the verdict is no_claim"),
        ({"score": None}, "score: must be given where the verdict is hallucinated"),
        ({"detector": "cortex"}, "detector: must be DetectorInfo, got str"),
        ({"thresholds": 0.5}, "thresholds: must be Thresholds or None, got float"),
        ({"notes": (("a", "b"),)}, "notes[0]: must be Note, got tuple"),
    ],
)  # fmt: skip
def test_report_checks_itself(changes: dict[str, Any], message: str) -> None:
    report = build("In Berlin.", [0.1, 0.9, 0.1])
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        replace(report, **changes)


def test_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        build("Yes", [0.1]).score = 0.2  # type: ignore[misc]


def test_the_module_imports_nothing_heavy() -> None:
    code = "import sys, ragcortex.report; print(sorted({'torch', 'transformers', 'rich', 'jinja2'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
