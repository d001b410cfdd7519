"""Cutting long texts: nothing lost, nothing doubled, cut where a person would; and the pooling of the pieces."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.align import snap_to_graphemes, token_ranges, words
from ragcortex.errors import InputError, ReadingError
from ragcortex.geometry.embedders.pieces import check_texts, cut, normalised, pooled

TEXTS = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("ab .。\n👩‍🚀é灯台")), min_size=1, max_size=120)


def _characters(text: str) -> tuple[tuple[int, int], ...]:
    return token_ranges(text, [(place, place + 1) for place in range(len(text))])


@given(TEXTS, st.integers(1, 40), st.data())
def test_every_unit_is_in_exactly_one_piece_that_fits(text: str, room: int, data: st.DataObject) -> None:
    ranges = _characters(text)
    sizes = data.draw(st.lists(st.integers(1, room), min_size=len(ranges), max_size=len(ranges)))
    pieces = cut(text, ranges, sizes, room)
    assert [unit for first, last in pieces for unit in range(first, last)] == list(range(len(ranges)))
    assert all(first < last and sum(sizes[first:last]) <= room for first, last in pieces)
    if sum(sizes) <= room:
        assert pieces == ((0, len(ranges)),)


@given(TEXTS, st.integers(12, 40))
def test_pieces_split_no_grapheme_and_no_word_that_fits(text: str, room: int) -> None:
    ranges = _characters(text)
    longest = max(ranges.count(span) for span in ranges)
    for first, _ in cut(text, ranges, None, room)[1:] if longest <= room else ():
        place = ranges[first][0]
        assert snap_to_graphemes(text, place, len(text))[0] == place
        inside = [(start, end) for start, end in words(text) if start < place < end]
        assert all(end - start > room // 2 for start, end in inside)


def test_cuts_after_sentences_then_words_then_characters() -> None:
    text = "One two three. Four five six. Seven eight nine ten eleven twelve. " + "x" * 50
    ranges = _characters(text)
    found = [text[ranges[first][0] : ranges[last - 1][1]] for first, last in cut(text, ranges, None, 30)]
    assert found == [
        "One two three. Four five six. ", "Seven eight nine ten eleven ", "twelve. ", "x" * 30, "x" * 20,
    ]  # fmt: skip


def test_units_of_one_character_stay_together() -> None:
    text = "ab👩‍🚀cd"
    ranges = [(0, 1), (1, 2), *[(2, 5)] * 6, (5, 6), (6, 7)]
    assert cut(text, ranges, None, 7) == ((0, 2), (2, 8), (8, 10))
    # One character of six tokens where only four fit: cut inside it, since nothing may be dropped.
    assert cut(text, ranges, None, 4) == ((0, 2), (2, 6), (6, 10))


def test_an_empty_text_has_no_piece_and_a_unit_beyond_the_room_is_refused() -> None:
    assert cut("", [], None, 3) == ()
    with pytest.raises(InputError) as caught:
        cut("ab", [(0, 1), (1, 2)], [1, 9], 3)
    assert str(caught.value) == "text: has a unit of size 9, larger than the room of 3"


@given(
    st.lists(st.lists(st.integers(1, 50), min_size=1, max_size=4), min_size=1, max_size=6), st.integers(0, 2**32 - 1)
)
def test_pooling_is_the_weighted_mean(weights: list[list[int]], seed: int) -> None:
    owners = [index for index, parts in enumerate(weights) for _ in parts]
    flat = [weight for parts in weights for weight in parts]
    vectors = np.random.default_rng(seed).normal(size=(len(flat), 5)).astype(np.float32)
    got = pooled(vectors, owners, flat, len(weights))
    assert got.dtype == np.float32
    row = 0
    for index, parts in enumerate(weights):
        expected = np.zeros(5)
        for offset, weight in enumerate(parts):
            expected += weight * vectors[row + offset].astype(np.float64)
        np.testing.assert_allclose(got[index], expected / sum(parts), atol=1e-6)
        if len(parts) == 1:
            assert np.array_equal(got[index], vectors[row])
        row += len(parts)


def test_normalised_keeps_the_lengths() -> None:
    # (3, 4) has length 5; a length below the smallest normal float of its square is still kept.
    made = normalised(np.array([[3, 4], [0, -2], [3e-30, 4e-30]], dtype=np.float32), "words")
    np.testing.assert_allclose(made.unit, [[0.6, 0.8], [0, -1], [0.6, 0.8]], rtol=1e-6)
    np.testing.assert_allclose(made.norms, [5, 2, 5e-30], rtol=1e-6)


@pytest.mark.parametrize("bad", [np.nan, np.inf, 0.0])
def test_vectors_without_direction_are_refused(bad: float) -> None:
    with pytest.raises(ReadingError) as caught:
        normalised(np.array([[1, 0], [bad, 0], [bad, 0]], dtype=np.float32), "words")
    what = "is not finite" if bad else "has no length"
    assert str(caught.value) == (
        f"embedder 'words' gave a vector that {what}, for texts[1] (2 of 3 texts): its weights are damaged, or its "
        "numbers overflow; fetch it anew, or take another embedder"
    )


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one text", "texts: must be a list of texts, got str"),
        (["a", " \n"], "texts[1]: must not be blank"),
        (["a", None], "texts[1]: must be a string, got NoneType"),
        (["\ud800"], "texts[0]: has a lone surrogate at character 0, which is not text"),
    ],
)
def test_what_is_no_list_of_texts_is_refused(texts: list[str], message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_texts(texts)
    assert str(caught.value) == message
