"""Foreign text made safe to show."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.rendering.inert import inert, inert_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("\x1b[31mred\x07\x7f", "<U+001B>[31mred<U+0007><U+007F>"),
        ("\x9b31m", "<U+009B>31m"),
        ("a\r\nb\rc", "a\nb<U+000D>c"),
        ("a\u2028b\x0bc\x85d", "a\nb\nc\nd"),
        ("\u202eevil\u202c\u2066x\u2069", "<U+202E>evil<U+202C><U+2066>x<U+2069>"),
        ("👨\u200d👩\u200d👧 e\u0301 \u200fשלום", "👨\u200d👩\u200d👧 e\u0301 \u200fשלום"),
    ],
)
def test_examples(text: str, shown: str) -> None:
    assert inert(text) == shown


@given(st.text())
def test_nothing_active_is_left(text: str) -> None:
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", inert(text))
    assert inert(inert(text)) == inert(text)


def test_on_one_line() -> None:
    assert inert_line(" a\n\n b\tc\u2029") == "a b c"
