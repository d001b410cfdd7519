"""Costly rows on disk: found again, whole after an interruption, refused when damaged."""

from pathlib import Path

import pytest

from ragcortex.benchmark.keyed_rows import KeyedRows, key_of
from ragcortex.errors import StoreError


def test_rows_are_found_again_and_the_last_of_a_key_counts(tmp_path: Path) -> None:
    path = tmp_path / "method" / "rows.jsonl"
    rows = KeyedRows(path)
    assert not path.exists()
    rows.add("a", {"score": 0.5, "text": "灯台\u2028\n"})
    rows.add("b", {"score": None})
    rows.add("b", {"score": 1.0})
    again = KeyedRows(path)
    assert len(again) == len(rows) == 2
    assert again.get("a") == rows.get("a") == {"score": 0.5, "text": "灯台\u2028\n"}
    assert again.get("b") == {"score": 1.0}
    assert again.get("c") is None


def test_a_line_that_an_interruption_cut_short_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    rows = KeyedRows(path)
    rows.add("a", {"score": 1})
    whole = path.read_bytes()
    rows.add("b", {"score": 2})
    content = path.read_bytes()
    for end in range(len(whole), len(content)):
        path.write_bytes(content[:end])
        cut = KeyedRows(path)
        assert (cut.get("a"), cut.get("b")) == ({"score": 1}, None)
        cut.add("c", {"score": 3})
        assert KeyedRows(path).get("c") == {"score": 3}


def test_a_damaged_line_is_an_error_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    for line in ("{oops", "[]", '{"score": 1}'):
        path.write_text('{"key": "a"}\n' + line + "\n", encoding="utf-8")
        with pytest.raises(StoreError) as caught:
            KeyedRows(path)
        assert str(caught.value) == f"line 2 of {str(path)!r} is damaged; delete that line, and it is made anew"


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    path = tmp_path / "file" / "rows.jsonl"
    with pytest.raises(StoreError) as caught:
        KeyedRows(path).add("a", {})
    assert str(caught.value) == f"{str(path)!r} cannot be written: File exists"


def test_a_key_depends_on_every_value_and_not_on_their_order() -> None:
    assert key_of({"a": 1, "b": [2]}) == key_of({"b": [2], "a": 1})
    assert len({key_of(values) for values in ({"a": 1}, {"a": "1"}, {"b": 1}, {"a": None}, {})}) == 5
