"""JSON lines: every bad line is reported in place, every good one is read, and files appear whole or not at all."""

import json
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.datasets.jsonl import Row, read_examples, read_objects, read_rows, to_row, write_rows
from ragcortex.errors import InputError, StoreError
from ragcortex.example import Example, Reference, Span

GOOD = '{"id": "g", "question": null, "references": ["In Rome."], "answer": "Rome."}'


def written(tmp_path, content):
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("line", "message", "identifier"),
    [
        (b"{", "row: is not JSON: Expecting property name enclosed in double quotes at character 2 of the line", None),
        (b"[1]", "row: must be a JSON object, got list", None),
        (b'"x"', "row: must be a JSON object, got str", None),
        (b'{"id": "\xe9"}', "row: is not UTF-8: byte 9 of the line is 0xe9", None),
        (b'{"id": 7}', "answer: is missing; every row needs the text to be judged", "7"),
        (b'{"id": true, "references": [], "answer": "a"}', "id: must be a string or null, got bool", None),
        (b'{"id": "x", "references": [], "answer": 3}', "answer: must be a string, got int", "x"),
        (
            b'{"id": "x", "references": "Rome", "answer": "Rome"}',
            "references: must be a list of passages, got str",
            "x",
        ),
    ],
)
def test_a_bad_line_is_reported_in_place_and_the_next_is_read(tmp_path, line, message, identifier):
    rows = list(read_rows(written(tmp_path, GOOD.encode() + b"\n" + line + b"\n" + GOOD.encode() + b"\n")))
    assert [row.line for row in rows] == [1, 2, 3]
    assert [row.error is None for row in rows] == [True, False, True]
    assert str(rows[1].error) == message
    assert rows[1].id == identifier
    assert rows[2].example.answer == "Rome."


def test_blank_lines_are_skipped_but_counted_and_a_byte_order_mark_is_tolerated(tmp_path):
    rows = list(read_rows(written(tmp_path, "\ufeff" + GOOD + "\n\n   \r\n" + GOOD + "\r\n" + GOOD)))
    assert [(row.line, row.id) for row in rows] == [(1, "g"), (4, "g"), (5, "g")]


def test_deep_nesting_and_huge_numbers_are_row_errors(tmp_path):
    path = written(tmp_path, "[" * 100_000 + "\n" + '{"id": ' + "9" * 5000 + "}\n" + GOOD)
    rows = list(read_rows(path))
    assert [row.error is None for row in rows] == [False, False, True]
    assert rows[0].error.message.startswith(("is JSON that cannot be read:", "is not JSON:"))


def test_a_line_of_ten_megabytes_is_read(tmp_path):
    answer = "word " * 2_000_000
    path = written(tmp_path, json.dumps({"references": [], "answer": answer}))
    assert [row.example.answer for row in read_rows(path)] == [answer]


def test_a_missing_file_is_reported_by_the_call(tmp_path):
    path = tmp_path / "none.jsonl"
    with pytest.raises(InputError) as caught:
        read_rows(path)
    assert str(caught.value) == f"file: {path} does not exist; give the path of a JSONL file"


def test_a_folder_cannot_be_opened(tmp_path):
    with pytest.raises(InputError) as caught:
        read_rows(tmp_path)
    assert str(caught.value) == f"file: {tmp_path} cannot be opened: Is a directory"


def test_the_strict_reader_names_file_and_line(tmp_path):
    path = written(tmp_path, GOOD + "\n\n{}\n")
    with pytest.raises(InputError) as caught:
        read_examples(path)
    assert str(caught.value) == f"answer: is missing; every row needs the text to be judged ({path}, line 3)"


def test_an_empty_file_has_no_rows_to_read_strictly(tmp_path):
    path = written(tmp_path, "\n")
    assert list(read_rows(path)) == []
    with pytest.raises(InputError) as caught:
        read_examples(path)
    assert str(caught.value) == f"file: {path} holds no rows; every line must be one JSON object"


def test_objects_keep_other_fields_and_name_the_bad_line(tmp_path):
    path = written(tmp_path, '{"original": "a"}\n\n7\n')
    objects = read_objects(path)
    assert next(objects) == {"original": "a"}
    with pytest.raises(InputError) as caught:
        next(objects)
    assert str(caught.value) == f"row: must be a JSON object, got int ({path}, line 3)"


def test_a_row_has_an_example_or_an_error():
    with pytest.raises(InputError) as caught:
        Row(4)
    assert str(caught.value) == "row: on line 4 must have either an example or an error"


TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
OPTIONAL = st.none() | TEXT


@st.composite
def examples(draw):
    answer = draw(TEXT)
    cuts = sorted(draw(st.lists(st.integers(0, len(answer)), max_size=4, unique=True)))
    spans = tuple(Span(start, end) for start, end in zip(cuts[::2], cuts[1::2], strict=False))
    references = tuple(Reference(*draw(st.tuples(TEXT, OPTIONAL, OPTIONAL))) for _ in range(draw(st.integers(0, 3))))
    known = draw(st.booleans())
    return Example(
        draw(OPTIONAL),
        references,
        answer,
        draw(OPTIONAL),
        spans if known else None,
        int(bool(spans)) if known else draw(st.sampled_from([None, 0, 1])),
        draw(OPTIONAL),
        draw(OPTIONAL),
        draw(OPTIONAL),
    )


@given(st.lists(examples(), min_size=1, max_size=4))
def test_rows_written_are_the_rows_read(tmp_path_factory, made):
    path = tmp_path_factory.mktemp("round") / "rows.jsonl"
    assert write_rows(path, map(to_row, made)) == len(made)
    assert read_examples(path) == made


def test_a_failing_row_leaves_the_old_file_and_no_rubbish(tmp_path):
    path = written(tmp_path, "old")
    with pytest.raises(ValueError, match="Out of range float values are not JSON compliant"):
        write_rows(path, [{"a": 1}, {"a": float("nan")}])
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_file_has_the_usual_permissions(tmp_path):
    path = tmp_path / "rows.jsonl"
    (tmp_path / "plain").write_text("")
    write_rows(path, [{"a": "é"}])
    assert path.read_text(encoding="utf-8") == '{"a": "é"}\n'
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)


def test_a_missing_folder_is_a_store_error(tmp_path):
    path = tmp_path / "none" / "rows.jsonl"
    with pytest.raises(StoreError) as caught:
        write_rows(path, [])
    assert str(caught.value) == f"{path} cannot be written: No such file or directory"
