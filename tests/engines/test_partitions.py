"""Inputs in partitions against reading them whole: the same rows in the same order with the same lines; part files."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.datasets.jsonl import read_rows
from ragcortex.engines.part_files import PartFolder
from ragcortex.engines.partitions import Partition, partitioned, rows_of
from ragcortex.errors import InputError

GOOD = json.dumps({"id": "a", "references": ["x\u2028y"], "answer": "z"}, ensure_ascii=False).encode()
LINES = st.lists(st.sampled_from([GOOD, b"", b"  ", b"{", b"[]", b"\xff", GOOD + b"\r"]), max_size=12)


@given(LINES, st.integers(1, 5), st.booleans(), st.booleans())
def test_partitions_hold_the_rows_of_the_whole_file(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], rows_each: int, mark: bool, ended: bool
) -> None:
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    path.write_bytes((b"\xef\xbb\xbf" if mark else b"") + b"\n".join(lines) + (b"\n" if ended else b""))
    whole = [(one.line, one.id, str(one.error), one.example) for one in read_rows(path)]
    cut = partitioned(path, rows_each)
    assert cut.n_rows == len(whole)
    assert [part.number for part in cut.partitions] == list(range(len(cut.partitions)))
    parts = [list(rows_of(part)) for part in cut.partitions]
    assert [(one.line, one.id, str(one.error), one.example) for part in parts for one in part] == whole
    assert all(len(part) == rows_each for part in parts[:-1])


def test_files_of_a_folder_in_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl"):
        (tmp_path / name).write_bytes(b"\n".join([GOOD] * 3))
    (tmp_path / "_SUCCESS").touch()
    cut = partitioned(tmp_path, 2)
    assert [(Path(part.path).name, part.first_line, part.n_rows) for part in cut.partitions] == [
        ("a.jsonl", 1, 2), ("a.jsonl", 3, 1), ("b.jsonl", 1, 2), ("b.jsonl", 3, 1),
    ]  # fmt: skip
    assert partitioned(tmp_path, 3).sha256 == cut.sha256
    (tmp_path / "b.jsonl").write_bytes(GOOD)
    assert partitioned(tmp_path, 2).sha256 != cut.sha256


def test_inputs_that_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist; give a JSONL or Parquet file, or a folder of them"):
        partitioned(tmp_path / "no", 2)
    with pytest.raises(InputError, match="holds no file"):
        partitioned(tmp_path, 2)
    (tmp_path / "rows.csv").write_text("a,b")
    with pytest.raises(InputError, match=r"is neither JSONL nor Parquet by its name; name it \.jsonl or \.parquet"):
        partitioned(tmp_path, 2)


def test_a_file_that_changes_while_it_is_scored_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b"\n".join([GOOD] * 3))
    (part,) = partitioned(path, 5).partitions
    path.write_bytes(b"\n".join([GOOD] * 2))
    with pytest.raises(InputError, match="has changed while it was being scored; start again"):
        list(rows_of(part))


def test_a_partition_counts_as_finished_only_with_its_file_and_all_its_rows(tmp_path: Path) -> None:
    folder = PartFolder(tmp_path / "out", "jsonl")
    folder.begin({"input_sha256": "x"}, overwrite=False)
    part = Partition(0, "rows.jsonl", "jsonl", 0, 1, 1, 2)
    rows = [{"id": "a", "report": {"verdict": "grounded"}}, {"id": "b", "error": {"field": "answer", "message": "m"}}]
    assert folder.finished(part) is None
    written = folder.write(part, rows)
    assert folder.finished(part) == written
    assert (written.n_rows, written.n_errors) == (2, 1)
    assert folder.finished(Partition(0, "rows.jsonl", "jsonl", 0, 1, 1, 3)) is None
    folder.file(part).unlink()
    assert folder.finished(part) is None


def test_a_folder_is_only_taken_up_by_the_same_run(tmp_path: Path) -> None:
    folder = PartFolder(tmp_path / "out", "jsonl")
    folder.begin({"input_sha256": "x", "window": 512}, overwrite=False)
    folder.begin({"input_sha256": "x", "window": 512}, overwrite=False)
    with pytest.raises(InputError, match=r"holds another run \(not the same: input, window\)"):
        folder.begin({"input_sha256": "y", "window": 256}, overwrite=False)
    folder.begin({"input_sha256": "y", "window": 256}, overwrite=True)
    (tmp_path / "out" / "notes.txt").touch()
    with pytest.raises(InputError, match=r"holds 'notes\.txt' already"):
        folder.begin({"input_sha256": "z", "window": 256}, overwrite=True)
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="is a file; with --engine ray, give the name of a folder"):
        PartFolder(tmp_path / "file", "jsonl").begin({}, overwrite=False)
