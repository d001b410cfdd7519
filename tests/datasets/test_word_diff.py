"""Spans of an edited answer, worked by hand, and invariants for any pair of texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.datasets.word_diff import changed_spans


@pytest.mark.parametrize(
    ("original", "edited", "expected"),
    [
        ("It opened in Paris.", "It opened in Paris.", []),
        ("It opened in Paris.", "It opened in Rome.", ["Rome"]),
        ("The fee is 10 euros.", "The yearly fee is 10 euros.", ["yearly"]),
        ("He wrote it.", "He wrote it with his two brothers.", ["with his two brothers"]),
        # Left out: the words on both sides of the cut.
        ("It is not safe.", "It is safe.", ["is safe"]),
        ("It is safe unless wet.", "It is safe.", ["safe"]),
        ("Never touch it.", "touch it.", ["touch"]),
        ("It works if dry. Then it stops.", "It works. Then it stops.", ["works"]),
        # One short word between two changes belongs to the change; a longer one does not.
        ("a king of France came", "a duke of Spain came", ["duke of Spain"]),
        ("a king from France came", "a duke from Spain came", ["duke", "Spain"]),
        # Case, hyphens and punctuation do not count; signs do.
        ("A well-known man, he said.", "a well known man he said!", []),
        ("It costs $5.", "It costs €5.", ["€"]),
        ("It grew by 5 %.", "It grew by 5.", ["5"]),
        ("", "All new.", ["All new"]),
        ("All gone.", "", []),
        ("版本一发布", "版本二发布", ["二"]),
    ],
)
def test_changed_words(original, edited, expected):
    assert [edited[span.start : span.end] for span in changed_spans(original, edited)] == expected


VOCABULARY = ["the", "a", "king", "duke", "of", "from", "not", "5", "7", "€"]
WORDS = st.lists(st.sampled_from(VOCABULARY), max_size=12).map(" ".join)


@given(WORDS, WORDS)
def test_spans_are_in_order_and_disjoint_and_lie_on_words(original, edited):
    spans = changed_spans(original, edited)
    reached = 0
    for span in spans:
        assert reached <= span.start < span.end <= len(edited)
        assert edited[span.start : span.end] == edited[span.start : span.end].strip()
        reached = span.end + 1


@given(WORDS)
def test_equal_texts_have_no_span(text):
    assert changed_spans(text, text) == ()


@given(WORDS, st.data())
def test_an_inserted_foreign_word_is_exactly_the_span(text, data):
    words = text.split()
    place = data.draw(st.integers(0, len(words)))
    edited = " ".join([*words[:place], "zebra", *words[place:]])
    start = edited.index("zebra")
    assert [(span.start, span.end) for span in changed_spans(text, edited)] == [(start, start + 5)]
