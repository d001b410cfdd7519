"""Files are there whole or as they were before."""

from pathlib import Path

import pytest

from ragcortex.errors import StoreError
from ragcortex.whole_files import write_whole


def test_a_new_file_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    file = tmp_path / "a.bin"
    assert write_whole(file, b"old", "it") == file
    write_whole(file, b"\x00new", "it")
    assert file.read_bytes() == b"\x00new"
    assert [path.name for path in tmp_path.iterdir()] == ["a.bin"]


def test_what_cannot_be_written_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.bin"
    file.write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(StoreError) as caught:
        write_whole(file, b"new", "the file cannot be written", "; give another")
    assert str(caught.value) == "the file cannot be written: No space left on device; give another"
    assert file.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.bin"]
