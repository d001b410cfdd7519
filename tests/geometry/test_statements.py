"""Statements divide a text where an independent part starts, and lose no character of it."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.geometry.statements import statements


def parts(text):
    return [text[start:end] for start, end in statements(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The hall opens at nine. It closes at five.", ["The hall opens at nine.", "It closes at five."]),
        (
            "Items go back in 30 days; orders above $50 ship free.",
            ["Items go back in 30 days;", "orders above $50 ship free."],
        ),
        (
            "The landlord is Ms Ilse Varga; the tenant is Mr Reed.",
            ["The landlord is Ms Ilse Varga;", "the tenant is Mr Reed."],
        ),
        (
            "Der Eintritt kostet sieben Euro, und Kinder zahlen gar nichts.",
            ["Der Eintritt kostet sieben Euro,", "und Kinder zahlen gar nichts."],
        ),
        ("Red, green and blue.", ["Red, green and blue."]),
        ("Note: it rains.", ["Note: it rains."]),
        ("", []),
        (" \n ", []),
    ],
)
def test_where_statements_are_cut(text, expected):
    assert parts(text) == expected


@given(
    st.lists(
        st.sampled_from(["one two three four", "; ", ", and ", ". ", "：", " ", "\n", "七八九十", "a"]), max_size=12
    )
)
def test_statements_hold_everything_in_order_and_once(pieces):
    text = "".join(pieces)
    ranges = statements(text)
    assert all(first[1] <= second[0] for first, second in pairwise(ranges))
    covered = {position for start, end in ranges for position in range(start, end)}
    assert all(position in covered for position, character in enumerate(text) if not character.isspace())
