"""Character offsets: token ranges, labels, words, sentences and paragraphs."""

from itertools import pairwise

import numpy as np
import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.align import (
    AnswerTokens,
    paragraphs,
    sentences,
    snap_to_graphemes,
    strip_range,
    token_labels,
    token_ranges,
    words,
)
from ragcortex.errors import ReadingError
from ragcortex.example import Span

PIECES = (
    "The cat sat. ", "Is it? ", "Dr. Holt ", "3.5 km ", "\n", "\r\n", "\n \n", "\u2029", "\u2028", "\x85", "- item\n",
    "1. ", "a) ",
    "世界。", "「はい。」", "یہ۔ ", "यह है। ", "क्‍ष", "น้ำ", "👩‍👩‍👧",
    "🇩🇪", "e\u0301", ".\u0301", "。\u0301", " \u0301", "…”", "！", "\u200b",
    "می‌خواهم", "*", "• ", "(", ")", "U.S. ", "http://a.b/c?d=1 ", "\x1c", "\t", "\u0600" + "1", "한글 ", "\u1112\u1161",
)  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=10).map("".join)


def _graphemes(text: str) -> list[tuple[int, int]]:
    return [match.span() for match in regex.finditer(r"\X", text)]


def _assert_on_graphemes(text: str, ranges: tuple[tuple[int, int], ...]) -> None:
    edges = {0, *(end for _, end in _graphemes(text))}
    position = 0
    for start, end in ranges:
        assert position <= start < end <= len(text)
        assert {start, end} <= edges
        position = end


def test_token_ranges_worked_by_hand() -> None:
    # «a», the space goes to «b»; the two bytes of «ü» share it; a marker without width shares its neighbour's range.
    assert token_ranges("a bü", [(0, 1), (2, 3), (3, 4), (3, 4)]) == ((0, 1), (1, 3), (3, 4), (3, 4))
    assert token_ranges("ab", [(0, 0), (0, 1), (1, 1), (1, 2)]) == ((0, 1), (0, 1), (0, 1), (1, 2))
    # A boundary inside a grapheme (e + accent) joins the two tokens; spaces at the end go to the last token.
    assert token_ranges("e\u0301x  ", [(0, 1), (1, 2), (2, 3)]) == ((0, 2), (0, 2), (2, 5))
    assert token_ranges("  ", [(0, 0)]) == ((0, 2),)
    assert token_ranges("", []) == ()


@given(data=st.data(), text=TEXTS.filter(bool))
def test_token_ranges_cover_any_text_whatever_the_offsets(data: st.DataObject, text: str) -> None:
    """Gaps, zero widths and overlaps of tokenizers never lose, shift or split a character."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=2, max_size=12)))
    raw = []
    for first, last in pairwise(cuts):
        back = data.draw(st.integers(0, 2))
        raw.append((max(first - back, raw[-1][0] if raw else 0), last))
    tokens = AnswerTokens(text, tuple(range(len(raw))), token_ranges(text, raw))
    edges = {0, *(end for _, end in _graphemes(text))}
    assert {edge for span in tokens.ranges for edge in span} <= edges
    assert "".join(text[start:end] for start, end in dict.fromkeys(tokens.ranges)) == text
    for (start, end), (given_start, given_end) in zip(tokens.ranges, raw, strict=True):
        assert given_start == given_end or (start <= given_start and given_end <= end)


@pytest.mark.parametrize(
    ("text", "offsets", "message"),
    [
        ("ab", [], "the tokenizer made no token from an answer of 2 characters"),
        ("ab", [(0, 3)], "the tokenizer gave offsets 0..3 for an answer of 2 characters"),
        ("abcd", [(0, 2), (2, 4), (0, 1)], "the tokenizer's offsets go backwards at character 0 of the answer"),
    ],
)
def test_impossible_offsets_are_refused(text: str, offsets: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(ReadingError) as caught:
        token_ranges(text, offsets)
    assert str(caught.value) == message


@given(data=st.data(), text=TEXTS.filter(bool))
def test_offsets_in_any_order_are_refused_or_made_exact(data: st.DataObject, text: str) -> None:
    place = st.integers(0, len(text))
    raw = data.draw(st.lists(st.tuples(place, place).map(lambda pair: (min(pair), max(pair))), min_size=1, max_size=6))
    try:
        ranges = token_ranges(text, raw)
        tokens = AnswerTokens(text, tuple(range(len(raw))), ranges)
    except ReadingError as error:
        assert "go backwards at character" in str(error) or "gap or overlap at character" in str(error)  # noqa: PT017
    else:
        assert "".join(text[start:end] for start, end in dict.fromkeys(tokens.ranges)) == text


@pytest.mark.parametrize(
    ("ids", "ranges", "message"),
    [
        ((1,), (), "the answer has 1 token ids but 0 character ranges"),
        ((1, 2), ((0, 1), (2, 3)), "token ranges leave a gap or overlap at character 1 of the answer"),
        ((1, 2), ((0, 2), (1, 3)), "token ranges leave a gap or overlap at character 2 of the answer"),
        ((1,), ((0, 2),), "token ranges end at character 2, the answer at 3"),
    ],
)
def test_answer_tokens_check_themselves(
    ids: tuple[int, ...], ranges: tuple[tuple[int, int], ...], message: str
) -> None:
    with pytest.raises(ReadingError) as caught:
        AnswerTokens("abc", ids, ranges)
    assert str(caught.value) == message


def test_units_are_the_distinct_ranges() -> None:
    tokens = AnswerTokens("abc", (5, 6, 7, 8), ((0, 1), (1, 2), (1, 2), (2, 3)))
    units, index = tokens.units()
    assert units == ((0, 1), (1, 2), (2, 3))
    np.testing.assert_array_equal(index, [0, 1, 1, 2])


def test_labels_mark_any_overlap_but_not_by_edge_spaces() -> None:
    tokens = AnswerTokens("In 1875 it", (1, 2, 3, 4), ((0, 2), (2, 5), (5, 7), (7, 10)))
    np.testing.assert_array_equal(token_labels(tokens, [Span(3, 7)]), [0, 1, 1, 0])
    np.testing.assert_array_equal(token_labels(tokens, [Span(6, 8)]), [0, 0, 1, 0])  # « it» shares only its space
    np.testing.assert_array_equal(token_labels(tokens, [Span(2, 3)]), [0, 0, 0, 0])
    np.testing.assert_array_equal(token_labels(tokens, [Span(0, 1), Span(9, 10)]), [1, 0, 0, 1])
    assert token_labels(tokens, []).dtype == np.int8


@given(data=st.data())
def test_labels_equal_counting_characters(data: st.DataObject) -> None:
    text = data.draw(st.text(alphabet="ab ", min_size=1, max_size=12))
    cuts = sorted({0, len(text), *data.draw(st.lists(st.integers(0, len(text)), max_size=5))})
    tokens = AnswerTokens(text, tuple(range(len(cuts) - 1)), tuple(pairwise(cuts)))
    edges = data.draw(st.lists(st.tuples(st.integers(0, len(text) - 1), st.integers(1, len(text))), max_size=3))
    spans = [Span(start, end) for start, end in edges if start < end]
    marked = {character for span in spans for character in range(span.start, span.end)}
    expected = []
    for start, end in tokens.ranges:
        piece = text[start:end]
        own = set(range(start, end))
        if piece.strip():
            first = start + len(piece) - len(piece.lstrip())
            own = set(range(first, first + len(piece.strip())))
        expected.append(int(bool(own & marked)))
    np.testing.assert_array_equal(token_labels(tokens, spans), expected)


def test_snap_and_strip() -> None:
    assert snap_to_graphemes("a👩‍👧b", 2, 3) == (1, 4)
    assert snap_to_graphemes("abc", 1, 2) == (1, 2)
    assert strip_range(" a b ", 0, 5) == (1, 4)
    assert strip_range("a   b", 1, 4) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It's 5.9 million, 12% of O’Neill's.", ["It's", "5.9", "million", "12", "of", "O’Neill's"]),
        ("世界です", ["世", "界", "で", "す"]),
        ("well-known naïve e\u0301te\u0301", ["well-known", "naïve", "e\u0301te\u0301"]),
        ("น้ำ", ["น้ำ"]),
        ("क्‍ष", ["क्‍ष"]),
        ("snake_case 1e2 ... --", ["snake_case", "1e2"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in words(text)] == expected


@given(TEXTS)
def test_words_hold_every_letter_and_split_no_grapheme(text: str) -> None:
    ranges = words(text)
    _assert_on_graphemes(text, ranges)
    inside = {character for start, end in ranges for character in range(start, end)}
    assert all(index in inside for index, character in enumerate(text) if regex.match(r"[\p{L}\p{N}]", character))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two? Three!", ["One.", "Two?", "Three!"]),
        ("Dr. Holt lived in the U.S. until 1902. She left.", ["Dr. Holt lived in the U.S. until 1902.", "She left."]),
        ("😀 Überraschung ist gut. 😀 Zweiter Satz.", ["😀 Überraschung ist gut.", "😀 Zweiter Satz."]),
        ("灯台です。海の上。", ["灯台です。", "海の上。"]),
        ("A line\nand another", ["A line", "and another"]),
        ("- one\n- two\n", ["- one", "- two"]),
        ("1. First step. 2. Second step.", ["1. First step.", "2. Second step."]),
        ("It cost 3.5 km.", ["It cost 3.5 km."]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentences(text)] == expected


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_sentences_hold_every_character_that_is_not_space(text: str) -> None:
    ranges = sentences(text)
    _assert_on_graphemes(text, ranges)
    inside = {character for start, end in ranges for character in range(start, end)}
    assert all(index in inside for index, character in enumerate(text) if not character.isspace())
    assert all(text[start:end].strip() for start, end in ranges)


@given(TEXTS)
def test_a_line_break_ends_a_sentence(text: str) -> None:
    for start, end in sentences(text):
        assert len(text[start:end].splitlines()) == 1


@given(TEXTS)
def test_paragraphs_hold_every_character_that_is_not_space(text: str) -> None:
    ranges = paragraphs(text)
    _assert_on_graphemes(text, ranges)
    inside = {character for start, end in ranges for character in range(start, end)}
    assert all(index in inside for index, character in enumerate(text) if not character.isspace())


def test_paragraphs_are_separated_by_blank_lines() -> None:
    text = "One\nstill one\n \n\nTwo\r\n\r\nThree "
    assert [text[start:end] for start, end in paragraphs(text)] == ["One\nstill one", "Two", "Three"]
