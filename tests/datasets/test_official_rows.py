"""Official files read strictly: what is wrong is named with file, line and field."""

import csv

import pytest
from official_helpers import write_array, write_json_lines, write_table

from ragcortex.datasets.official_files import found_files, missing, needed_file
from ragcortex.datasets.official_rows import OfficialRow, csv_rows, json_rows
from ragcortex.errors import InputError


def refusal(action):
    with pytest.raises(InputError) as error:
        action()
    return str(error.value)


def test_lines_and_arrays_are_read_alike(tmp_path):
    rows = [{"id": "a", "text": "😀\u2028x"}, {"id": "b", "text": "y"}]
    lines = write_json_lines(tmp_path / "a.json", [rows[0], "", "  ", rows[1]], mark=True)
    array = write_array(tmp_path / "b.json", rows)

    assert [row.fields for row in json_rows(lines)] == rows == [row.fields for row in json_rows(array)]
    assert [row.place for row in json_rows(lines)] == [f"{lines}, line 1", f"{lines}, line 4"]
    assert [row.place for row in json_rows(array)] == [f"{array}, row 1", f"{array}, row 2"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b'{"a": 1}\n{"a": \n',
            "row: is not JSON: Expecting value at character 7 ({path}, line 2); download the file again",
        ),
        (b'{"a": 1}\n[1]\n', "row: must be a JSON object, got list ({path}, line 2)"),
        (b'{"a": "\xe9"}', "row: is not UTF-8: byte 8 is 0xe9 ({path}, line 1)"),
        (b"[1]", "row: must be a JSON object, got int ({path}, row 1)"),
        (
            b'[{"a": 1},\n{"a" 2}]',
            "row: is not JSON: Expecting ':' delimiter at line 2, character 6 ({path}); download the file again",
        ),
    ],
)
def test_damaged_json_is_named_with_its_line(tmp_path, content, message):
    path = tmp_path / "rows.json"
    path.write_bytes(content)
    assert refusal(lambda: list(json_rows(path))) == message.format(path=path)


def test_a_missing_file_is_named(tmp_path):
    path = tmp_path / "rows.json"
    assert refusal(lambda: list(json_rows(path))) == f"file: {path} cannot be read: No such file or directory"


def test_tables_keep_line_breaks_and_long_cells_inside_fields(tmp_path):
    long = "x" * 200_000
    rows = [{"text": 'a "b",\nc\u2028d', "label": "1"}, {"text": long, "label": "0"}]
    limit = csv.field_size_limit()
    read = list(csv_rows(write_table(tmp_path / "t.csv", rows, mark=True)))

    assert [{"text": row.text("text"), "label": row.text("label")} for row in read] == rows
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,b\n1\n", "row: has another number of cells than the header ({path}, line 2)"),
        (b"a,b\n1,2,3\n", "row: has another number of cells than the header ({path}, line 2)"),
        (b'a,b\n1,"2', "row: is not a row of a table: unexpected end of data ({path}, line 2)"),
        (b"a,b\n1,\xe9\n", "row: is not UTF-8: byte 7 is 0xe9 ({path})"),
    ],
)
def test_damaged_tables_are_named_with_their_line(tmp_path, content, message):
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    assert refusal(lambda: list(csv_rows(path))) == message.format(path=path)


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (
            lambda row: row.text("none"),
            "none: is missing; the row has n, t, l, o, f; is this the official file? (f, 1)",
        ),
        (lambda row: row.text("n"), "n: must be a string, got int (f, 1)"),
        (lambda row: row.whole("t"), "t: must be a whole number, got str (f, 1)"),
        (lambda row: row.whole("f"), "f: must be a whole number, got bool (f, 1)"),
        (lambda row: row.number("t"), "t: must be a number, got str (f, 1)"),
        (lambda row: row.flag("n", default=False), "n: must be true or false, got int (f, 1)"),
        (lambda row: row.word("t", ("a", "b")), "t: must be one of a, b, got 'text' (f, 1)"),
        (lambda row: row.items("t"), "t: must be a list, got str (f, 1)"),
        (lambda row: row.texts("l"), "l[1]: must be a string, got int (f, 1)"),
        (lambda row: row.inner("l"), "l: must be an object, got list (f, 1)"),
        (lambda row: row.inners("l"), "l[0]: must be an object, got str (f, 1)"),
        (lambda row: row.inner("o").text("x"), "o.x: must be a string, got int (f, 1)"),
        (lambda row: row.text_or_number("f"), "f: must be a string or a whole number, got bool (f, 1)"),
    ],
)
def test_fields_of_another_type_are_refused(read, message):
    row = OfficialRow({"n": 7, "t": "text", "l": ["a", 1], "o": {"x": 1}, "f": True}, "f, 1")
    assert refusal(lambda: read(row)) == message


def test_fields_as_they_are_read():
    row = OfficialRow({"n": 7, "t": "text", "f": True, "r": [{"x": 0.5}]}, "f, 1")
    assert (row.text_or_number("n"), row.text_or_number("t"), row.whole("n"), row.number("n")) == ("7", "text", 7, 7.0)
    assert (row.flag("f", default=False), row.flag("none", default=True)) == (True, True)
    assert row.inners("r")[0].number("x") == 0.5


def test_files_are_found_under_any_folder_on_the_way(tmp_path):
    file = write_json_lines(tmp_path / "data" / "deep" / "rows.json", [{}])
    write_json_lines(tmp_path / "data" / "deep" / ".rows.json", [{}])

    for folder in (tmp_path, tmp_path / "data", tmp_path / "data" / "deep"):
        assert found_files(folder, "data/deep/*.json") == (file,)
    copied = write_json_lines(tmp_path / "elsewhere" / "rows.json", [{}])
    assert found_files(tmp_path / "elsewhere", "data/deep/rows.json") == (copied,)
    assert found_files(tmp_path / "elsewhere", "data/deep/rows.json", in_own_folder=True) == ()
    assert found_files(tmp_path / "data" / "deep", "data/deep/rows.json", in_own_folder=True) == (file,)


def test_missing_files_are_named(tmp_path):
    assert refusal(lambda: needed_file(tmp_path, "data/x.json")) == (
        f"path: {tmp_path} holds no data/x.json; give the folder of the download"
    )
    assert str(missing(tmp_path / "no", ["a", "b"])) == (
        f"path: {tmp_path / 'no'} does not exist; give the folder of the download, which holds a or b"
    )
