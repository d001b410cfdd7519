"""Files and folders are there whole or as they were before."""

from pathlib import Path

import pytest

from ragcortex.errors import StoreError
from ragcortex.whole_files import take_place, write_whole


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


def test_a_file_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "a.bin"
    file.touch(mode=0o600)
    write_whole(file, b"new", "it")
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_folder_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    new, folder = tmp_path / "new", tmp_path / "folder"
    for number in range(2):
        new.mkdir()
        (new / "file").write_text(str(number))
        take_place(new, folder)
        assert (folder / "file").read_text() == str(number)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_folder_whose_place_cannot_be_taken_is_where_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "file").write_text("older")
    with pytest.raises(FileNotFoundError):
        take_place(tmp_path / "missing", folder)
    assert (folder / "file").read_text() == "older"
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
