"""Spans with reasons: what marks add to ranges, binding marks, and that nothing overlaps or splits a grapheme."""

from typing import Any

import numpy as np
import regex
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.align import claim_words
from ragcortex.report_parts import Difference, Evidence, FlaggedSpan, Mark, SentenceNote
from ragcortex.span_reasons import explained_spans

TEXT = "It was built in 1902 by Otto Brandt near the sea."
YEAR = (TEXT.index("1902"), TEXT.index("1902") + 4)
NAME = (TEXT.index("Otto"), TEXT.index("Otto") + 11)
OLD = Evidence(0, 13, 17, "1874")


SENTENCE = Evidence(0, 0, 18, "It was built 1874.")


def explained(
    marks: list[Mark],
    ranges: list[tuple[int, int]],
    scores: dict[str, float] | None = None,
    notes: list[SentenceNote] | None = None,
) -> Any:
    by_character = np.full(len(TEXT), -1.0)
    for start, end in claim_words(TEXT):
        by_character[start:end] = (scores or {}).get(TEXT[start:end], 0.1)
    return explained_spans(TEXT, by_character, ranges, marks, reason="low_support", least=0.5, notes=notes or [])


def test_a_range_without_marks_has_the_reason_given() -> None:
    assert explained([], [NAME], {"Otto": 0.8, "Brandt": 0.7}) == (
        FlaggedSpan(*NAME, "Otto Brandt", 0.8, ("low_support",)),
    )


def test_a_mark_explains_the_range_that_it_overlaps() -> None:
    mark = Mark(*NAME, "entity")
    assert explained([mark], [NAME], {"Otto": 0.8})[0].reasons == ("entity",)


def test_words_that_no_mark_explains_keep_the_reason_given() -> None:
    both = (YEAR[0], NAME[1])
    (span,) = explained([Mark(*YEAR, "date", (OLD,), contradicted=True)], [both], {"1902": 0.8})
    assert (span.reasons, span.evidence) == (("date", "low_support"), (OLD,))


def test_reasons_and_evidence_stand_in_order_and_once() -> None:
    marks = [Mark(*NAME, "entity"), Mark(*YEAR, "date", (OLD,)), Mark(YEAR[0], YEAR[0] + 2, "date", (OLD,))]
    (span,) = explained(marks, [(YEAR[0], NAME[1])])
    assert (span.reasons, span.evidence) == (("date", "entity", "low_support"), (OLD,))


def test_a_binding_mark_alone_makes_a_span_with_its_own_score() -> None:
    mark = Mark(*YEAR, "date", (OLD,), contradicted=True, binding=True, score=0.9)
    assert explained([mark], []) == (FlaggedSpan(*YEAR, "1902", 0.9, ("date",), (OLD,)),)


def test_a_binding_mark_without_a_score_has_the_least_of_a_marked_word() -> None:
    assert explained([Mark(*YEAR, "date", binding=True)], [])[0].score == 0.5


def test_a_mark_that_does_not_bind_makes_no_span() -> None:
    assert explained([Mark(*NAME, "entity")], []) == ()
    assert explained([Mark(*NAME, "entity", score=0.9)], [NAME], {"Otto": 0.6})[0].score == 0.6


def test_a_binding_mark_in_a_range_raises_its_score_and_adds_no_span() -> None:
    mark = Mark(*YEAR, "date", binding=True, score=0.9)
    (span,) = explained([mark], [(YEAR[0], NAME[1])], {"1902": 0.6})
    assert (span.start, span.end, span.score) == (YEAR[0], NAME[1], 0.9)


def test_overlapping_binding_marks_make_one_span() -> None:
    marks = [Mark(NAME[0], NAME[1], "entity", binding=True), Mark(NAME[0] + 5, NAME[1] + 5, "role", binding=True)]
    (span,) = explained(marks, [])
    assert (span.text, span.reasons) == ("Otto Brandt near", ("entity", "role"))


def test_a_binding_mark_never_splits_a_grapheme() -> None:
    text = "Room 5\ufe0f\u20e3 is free"
    spans = explained_spans(
        text, np.full(len(text), 0.1), [], [Mark(5, 6, "number", binding=True)], reason="low_support", least=0.5
    )
    assert [span.text for span in spans] == ["5\ufe0f\u20e3"]


def test_a_span_has_the_differences_that_lie_in_it_in_order_and_once() -> None:
    here = [Difference(YEAR[0] + at, YEAR[0] + at + 2, TEXT[YEAR[0] + at : YEAR[0] + at + 2], OLD) for at in (2, 0)]
    far = Difference(*NAME, "Otto Brandt", OLD)
    marks = [Mark(YEAR[0], NAME[1], "date", (SENTENCE,), differences=(*here, far)), Mark(*YEAR, "number", (SENTENCE,))]
    (span,) = explained([*marks, marks[0]], [YEAR])
    assert [(one.text, one.reason) for one in span.differences] == [("19", "date"), ("02", "date")]
    assert span.evidence == (SENTENCE,)


def test_a_statement_for_which_no_mark_gives_evidence_gives_its_own() -> None:
    cut = TEXT.index("by")
    notes = [SentenceNote(0, cut, (SENTENCE,)), SentenceNote(cut, len(TEXT), (Evidence(1, 0, 2, "No"),))]
    spans = explained([], [YEAR, NAME], notes=notes)
    assert [span.evidence for span in spans] == [notes[0].evidence, notes[1].evidence]
    marks = [Mark(*YEAR, "date", (OLD,)), Mark(*NAME, "entity")]
    assert [span.evidence for span in explained(marks, [YEAR, NAME], notes=notes)] == [(OLD,), notes[1].evidence]
    (both,) = explained(marks, [(YEAR[0], NAME[1])], notes=notes)
    assert both.evidence == (OLD, *notes[1].evidence)


@st.composite
def marked_texts(draw: Any) -> tuple[str, list[tuple[int, int]], list[Mark]]:
    text = draw(st.text(st.sampled_from("ab1 .,e\u0301\U0001f469\u200d世"), min_size=1, max_size=30))
    boundaries = [0, *(match.end() for match in regex.finditer(r"\X", text))]
    cuts = sorted(draw(st.sets(st.sampled_from(boundaries), max_size=6)))
    ranges = [(start, end) for start, end in zip(cuts[::2], cuts[1::2], strict=False)]
    places = draw(st.lists(st.tuples(st.integers(0, len(text) - 1), st.integers(1, 9)), max_size=5))
    marks = [
        _differing(text, start, min(len(text), start + length), binding=bool(length % 2)) for start, length in places
    ]
    return text, ranges, marks


def _differing(text: str, start: int, end: int, *, binding: bool) -> Mark:
    differences = (Difference(start, end, text[start:end], OLD),) if end % 2 else ()
    evidence = (SENTENCE,) if differences else ()
    return Mark(start, end, "number", evidence, binding=binding, score=0.7, differences=differences)


@given(marked_texts())
def test_spans_are_in_order_disjoint_and_hold_every_binding_mark(case: Any) -> None:
    text, ranges, marks = case
    notes = [SentenceNote(0, len(text), (SENTENCE,))]
    spans = explained_spans(text, np.full(len(text), 0.2), ranges, marks, reason="low_support", least=0.5, notes=notes)
    boundaries = {0, *(match.end() for match in regex.finditer(r"\X", text))}
    reached = 0
    for span in spans:
        assert span.start >= reached
        assert text[span.start : span.end] == span.text
        assert span.evidence == (SENTENCE,)
        within = {(m.start, m.end) for m in marks if m.differences and m.start < span.end and span.start < m.end}
        assert [(one.start, one.end) for one in span.differences] == sorted(within)
        assert {span.start, span.end} <= boundaries
        reached = span.end
    for mark in marks:
        held = any(span.start <= mark.start and mark.end <= span.end for span in spans)
        assert held or not mark.binding
    for start, end in ranges:
        assert any(span.start <= start and end <= span.end for span in spans)
