"""Our own JSONL as a data set: what is written comes back, and rows without labels are counted."""

import pytest
from official_helpers import told, write_json_lines

from ragcortex.datasets.loaded import LoadedDataset
from ragcortex.datasets.own_rows import load, rows
from ragcortex.errors import InputError
from ragcortex.example import Example, Reference, Span


def test_what_is_written_comes_back(tmp_path):
    examples = (
        Example(
            "Where?", (Reference("In 😀 Rome.", "p1"),), "In Oslo.", "a", (Span(3, 7, "Conflict"),), 1, "g", "m", "t"
        ),
        Example(None, (Reference("x"),), "In Rome.", "b", label=1),
        Example(None, (), "In Rome.", "c", (), group="h"),
    )
    before = LoadedDataset("made", examples, ("train", None, "test"))
    file = write_json_lines(tmp_path / "rows.jsonl", rows(before))
    after = load(file)

    assert (after.examples, after.splits) == (before.examples, before.splits)
    assert {row["dataset"] for row in rows(before)} == {"made"}


def test_rows_that_cannot_be_used_are_counted(tmp_path):
    row = {"question": None, "references": ["x"], "answer": "y", "label": 0}
    write_json_lines(tmp_path / "one.jsonl", [row, row | {"id": "a"}, row | {"label": None}], mark=True)
    write_json_lines(tmp_path / "two.jsonl", [row | {"id": "a"}, row | {"answer": " "}])
    loaded = load(tmp_path)

    assert [e.id for e in loaded.examples] == ["one-1", "a"]
    assert told(loaded.dropped) == {
        "neither label nor spans": 1,
        "repeats the id of an earlier row": 1,
        "blank answer": 1,
    }


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"answer": "y"}, "references: is missing; give the retrieved passages as a list, [] if there were none"),
        (
            {"answer": "y", "references": [], "label": 0, "split": "dev"},
            "split: must be one of train, validation, test, got 'dev'",
        ),
        (
            {"answer": "y", "references": [], "spans": [{"start": 0, "end": 2}]},
            "spans[0].end: must be at most the answer's length 1, got 2",
        ),
    ],
)
def test_other_rows_are_refused(tmp_path, row, message):
    file = write_json_lines(tmp_path / "rows.jsonl", [row])
    with pytest.raises(InputError) as error:
        load(file)
    assert str(error.value) == f"{message} ({file}, line 1)"
