"""One way to take files of JSON lines apart: the same bytes give the same value or complaint to every caller."""

import io
import json

import pytest

from ragcortex.datasets.json_lines import json_object, json_value, numbered_lines, utf8_text, without_mark
from ragcortex.errors import InputError

MARK = b"\xef\xbb\xbf"


def refusal(action):
    with pytest.raises(InputError) as error:
        action()
    return str(error.value)


def test_lines_keep_their_numbers_and_lose_their_ends():
    raw = MARK + b'{"a": 1}\r\n\r\n  \n"x\xe2\x80\xa8y"\n' + MARK + b"2"
    assert list(numbered_lines(io.BytesIO(raw))) == [
        (1, b'{"a": 1}'),
        (4, b'"x\xe2\x80\xa8y"'),
        (5, MARK + b"2"),  # a mark inside a file is no mark
    ]
    assert list(numbered_lines([])) == []
    assert without_mark(MARK + MARK) == MARK


def test_values_are_those_of_json():
    value = {"a": [1, 2.5, None, "é😀"]}
    assert json_value(json.dumps(value, ensure_ascii=False).encode()) == value
    assert json_object(value) is value
    assert utf8_text("é".encode()) == "é"


@pytest.mark.parametrize(
    ("raw", "plain", "of_line", "with_place"),
    [
        (
            b'"\xe9"',
            "row: is not UTF-8: byte 2 is 0xe9",
            "row: is not UTF-8: byte 2 of the line is 0xe9",
            "row: is not UTF-8: byte 2 is 0xe9 (f, line 3)",
        ),
        (
            b"[1,",
            "row: is not JSON: Expecting value at character 4",
            "row: is not JSON: Expecting value at character 4 of the line",
            "row: is not JSON: Expecting value at character 4 (f, line 3); ask again",
        ),
        (
            b"[1,\n2",
            "row: is not JSON: Expecting ',' delimiter at line 2, character 2",
            "row: is not JSON: Expecting ',' delimiter at line 2, character 2 of the line",
            "row: is not JSON: Expecting ',' delimiter at line 2, character 2 (f, line 3); ask again",
        ),
    ],
)
def test_complaints_say_what_the_caller_knows(raw, plain, of_line, with_place):
    assert refusal(lambda: json_value(raw)) == plain
    assert refusal(lambda: json_value(raw, within="of the line")) == of_line
    assert refusal(lambda: json_value(raw, place="f, line 3", advice="ask again")) == with_place


@pytest.mark.parametrize("raw", [b"[" * 200_000, b"1" * 5_000])
def test_json_that_python_cannot_hold_is_refused(raw):
    assert refusal(lambda: json_value(raw, place="f, line 1")).startswith("row: is JSON that cannot be read: ")


def test_what_is_no_object_is_refused():
    assert refusal(lambda: json_object([1])) == "row: must be a JSON object, got list"
    assert refusal(lambda: json_object(None, place="f, row 2")) == "row: must be a JSON object, got NoneType (f, row 2)"
