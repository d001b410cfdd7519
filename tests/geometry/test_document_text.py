import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.errors import InputError
from ragcortex.geometry.document_lines import goes_on
from ragcortex.geometry.document_text import decode

GERMAN = "Der Leuchtturm wurde 1874 gebaut und überragt das Meer; er ist für Gäste geöffnet, außer im März. " * 3


@given(st.text())
def test_utf8_is_kept_character_for_character(text: str) -> None:
    if not text.startswith("\ufeff") and "\0" not in text:
        assert decode(text.encode()).text == text
        assert decode(codecs.BOM_UTF8 + text.encode()).text == text
        assert decode(text.encode()).notes == ()


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_marks(encoding: str) -> None:
    found = decode("a\0b\r\n灯台\x07".encode(encoding))
    assert (found.text, found.notes) == ("a\0b\r\n灯台\x07", ())


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark(encoding: str) -> None:
    found = decode(GERMAN.encode(encoding))
    assert found.text == GERMAN
    assert found.notes == (f"was read as {encoding}: every other byte is NUL",)


def test_other_encodings_are_guessed_and_noted() -> None:
    found = decode(GERMAN.encode("cp1252"))
    assert found.text == GERMAN
    assert len(found.notes) == 1
    assert found.notes[0].startswith("was read as ")
    assert found.notes[0].endswith(", the best guess, since it is not UTF-8")


def test_damaged_utf8_stays_utf8() -> None:
    found = decode(GERMAN.encode() + b"\xff" + GERMAN.encode())
    assert found.text == f"{GERMAN}\ufffd{GERMAN}"
    assert found.notes == ("was read as UTF-8 with 1 damaged places, which stand as U+FFFD",)


def test_damaged_utf16_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        decode("ab".encode("utf-16") + b"\x00")
    assert caught.value.message == "begins with the mark of UTF-16 but byte 7 does not fit it; save as UTF-8"


@pytest.mark.parametrize(
    ("line", "following", "goes"),
    [
        ("The lighthouse at Cape Arden", "was built in 1874.", True),
        ("The lighthouse was built.", "it stands", False),
        ("apples", "Pears", False),
        ("apples", "- pears", False),
        ("a | b", "c | d", False),
        ("x" * 60, "Paris is the capital", True),
        ("灯台は海の上に立っていて、とても高い建物である", "し、", True),
        ("12 14 16 18 20 22 24 26 28 30 32 34 36 38 40 42 44 46", "18 19 20", False),
    ],
)
def test_lines_that_go_on(line: str, following: str, goes: bool) -> None:
    assert goes_on(line, following, len(line)) == goes
