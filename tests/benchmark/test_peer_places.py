"""A peer's sentences are found where they stand in the answer as given, whatever it did to whitespace and forms."""

import itertools
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

ADAPTERS = Path(__file__).parents[2] / "benchmarks" / "peers" / "adapters"
with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(ADAPTERS))
    import places

    sys.modules.pop("places")

LETTERS = st.sampled_from("aé ﬁ²ｶﾞ각각e\u0301\n.1⑩") | st.characters(exclude_categories=["Cs"])
PARTS = st.lists(st.text(LETTERS, min_size=1, max_size=8), min_size=1, max_size=6)


@given(PARTS)
@example(["\uff9e\u0301"])  # a halfwidth sound mark, which the acute accent passes over to the A before it
@example(["\u1100\u1161\u11a8", "\u3099"])
def test_normalised_sentences_are_found_where_they_came_from(parts):
    # Pieces end in a full stop and a space, as sentences do, so nothing composes across their borders.
    parts = ["A" + part + "." for part in parts]
    answer = "  ".join(parts)
    pieces = [" ".join(unicodedata.normalize("NFKC", part).split()) for part in parts]
    start = 0
    for (first, last), part in zip(places.consecutive(answer, pieces), parts, strict=True):
        assert (first, last) == (start, start + len(part))
        start = last + 2


def test_equal_sentences_get_places_of_their_own():
    assert places.consecutive("No. No.\n- No.", ["No.", "No.", "No."]) == [(0, 3), (4, 7), (10, 13)]


def test_a_sentence_that_is_not_there_is_an_error():
    with pytest.raises(LookupError) as caught:
        places.consecutive("One. Two.", ["One.", "Three."])
    assert str(caught.value) == "the peer's sentence 'Three.' is not in the answer after character 5"


def test_a_figure_is_not_found_inside_another():
    assert places.occurrences("12 of 2012, 12% and $12", "12") == [(0, 2), (12, 14), (21, 23)]
    assert places.occurrences('He said "no way".', "no way") == [(9, 15)]
    assert places.occurrences("5% or 15%", "5%") == [(0, 2)]


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20), st.floats(-1, 1)), max_size=8))
def test_flattened_spans_give_each_character_its_highest_score(spans):
    pieces = places.flat(spans)
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(pieces))
    for position in range(21):
        covering = [score for start, end, score in spans if start <= position < end]
        assert [score for start, end, score in pieces if start <= position < end] == (
            [max(covering)] if covering else []
        )
