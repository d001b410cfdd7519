"""Texts divided for showing: nothing is lost, and every place is one of the text as it was given."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ragcortex.rendering.inert import inert
from ragcortex.service.pages.stretches import Segment, cut, joined, segments

HARD = st.text(alphabet=st.sampled_from("ab \n\r\t\x00\x1b\u202e\u2069\u2028é日👩\u200d👧\U0001f1e6"), max_size=30)
RANGES = st.lists(st.tuples(st.integers(-3, 35), st.integers(-3, 35), st.integers(0, 5)), max_size=6)


@given(HARD)
def test_segments_cover_the_text_and_show_it_inert(text: str) -> None:
    found = segments(text)
    assert [one.start for one in found] == [0, *(one.end for one in found)][: len(found)]
    assert (found[-1].end if found else 0) == len(text)
    assert "".join(one.shown for one in found) == inert(text)
    for one in found:
        assert one.exact == (one.shown == text[one.start : one.end])
        assert inert(one.shown) == one.shown


@given(st.text(alphabet="ab日👩", max_size=30), RANGES)
def test_pieces_have_the_tags_of_all_ranges_over_them(text: str, ranges: list[tuple[int, int, int]]) -> None:
    pieces = cut(text, ranges)
    assert "".join(piece.text for piece in pieces) == text
    place = 0
    for piece in pieces:
        for position in range(place, place + len(piece.text)):
            assert piece.tags == tuple(tag for start, end, tag in ranges if start <= position < end)
        place += len(piece.text)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)).filter(lambda one: one[0] < one[1]), max_size=8))
def test_joined_ranges_hold_the_same_places(ranges: list[tuple[int, int]]) -> None:
    found = joined(ranges)
    places = {place for start, end in ranges for place in range(start, end)}
    assert {place for start, end in found for place in range(start, end)} == places
    assert all(first[1] < second[0] for first, second in pairwise(found))


def test_places_count_code_points() -> None:
    # The family is five code points and eight UTF-16 units; what follows it begins at 6, not at 9.
    text = "a👩\u200d👩\u200d👧b\u202ec"
    assert segments(text) == [
        Segment(0, 7, "a👩\u200d👩\u200d👧b", True),
        Segment(7, 8, "<U+202E>", False),
        Segment(8, 9, "c", True),
    ]
    assert [piece.text for piece in cut(text, [(6, 8, 1)])] == ["a👩\u200d👩\u200d👧", "b<U+202E>", "c"]


def test_nothing_at_all() -> None:
    assert segments("") == []
    assert cut("", [(0, 3, 1)]) == []
