"""Text and spans change together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.datasets.draft import Draft
from ragcortex.errors import InputError
from ragcortex.example import Span


def test_spans_before_stay_spans_behind_move_and_new_ones_are_placed():
    draft = Draft("ab cd ef", (Span(0, 2), Span(6, 8))).replaced(3, 5, "xyz w", [(0, 3)])
    assert draft == Draft("ab xyz w ef", (Span(0, 2), Span(3, 6), Span(9, 11)))


def test_a_span_around_an_insertion_grows():
    assert Draft("abcd", (Span(0, 4),)).replaced(2, 2, "--") == Draft("ab--cd", (Span(0, 6),))


def test_cutting_a_span_in_two_is_refused():
    with pytest.raises(InputError) as caught:
        Draft("abcdef", (Span(1, 4),)).replaced(3, 6, "")
    assert str(caught.value) == "start: 3..6 cuts the span 1..4 in two"


def test_a_range_outside_the_answer_is_refused():
    with pytest.raises(InputError) as caught:
        Draft("abc").replaced(2, 9, "")
    assert str(caught.value) == "start: must satisfy 0 <= start <= end <= 3, got 2..9"


def test_overlapping_spans_are_refused():
    with pytest.raises(InputError) as caught:
        Draft("abcdef", (Span(0, 4), Span(3, 5)))
    assert str(caught.value) == "spans[1]: must follow the previous span and lie within 6 characters, got 3..5"


@given(st.text(max_size=20), st.text(max_size=8), st.data())
def test_the_inserted_text_is_what_the_span_shows(answer, text, data):
    place = data.draw(st.integers(0, len(answer)))
    draft = Draft(answer).replaced(place, place, text, [(0, len(text))] if text else [])
    assert [draft.answer[span.start : span.end] for span in draft.spans] == ([text] if text else [])
    assert draft.answer[:place] + draft.answer[place + len(text) :] == answer
