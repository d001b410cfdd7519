"""Fingerprints of reader folders, and the digests remembered so that files are hashed once."""

import json
import shutil
from pathlib import Path

import pytest

from ragcortex.readers.fingerprint import file_digest, folder_fingerprint


@pytest.fixture
def folder(tiny_reader_folder: Path, tmp_path: Path) -> Path:
    """Return a copy of the tiny reader, to be damaged."""
    return Path(shutil.copytree(tiny_reader_folder, tmp_path / "reader"))


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAGCORTEX_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_fingerprint_covers_what_changes_a_reading(folder: Path, empty_cache: Path) -> None:
    before = folder_fingerprint(folder)
    (folder / "README.md").write_text("A card.")
    (folder / "generation_config.json").write_text("{}")
    assert folder_fingerprint(folder) == before
    for name in ("config.json", "tokenizer.json", "tokenizer_config.json", "model.safetensors"):
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content + b" ")
        assert folder_fingerprint(folder) != before, name
        (folder / name).write_bytes(content)
        assert folder_fingerprint(folder) == before, name
    for name in ("chat_template.jinja", "merges.txt", "vocab.json", "added_tokens.json", "tokenizer.model"):
        old = (folder / name).read_bytes() if (folder / name).exists() else None
        (folder / name).write_bytes((old or b"") + b"new")
        assert folder_fingerprint(folder) != before, name
        (folder / name).write_bytes(old) if old is not None else (folder / name).unlink()


def test_fingerprint_does_not_depend_on_the_path(folder: Path, tiny_reader_folder: Path) -> None:
    assert folder_fingerprint(folder) == folder_fingerprint(tiny_reader_folder)


def test_digests_are_remembered_until_the_file_changes(tmp_path: Path, empty_cache: Path) -> None:
    path = tmp_path / "weights"
    path.write_bytes(b"one")
    first = file_digest(path)
    remembered = json.loads((empty_cache / "digests.json").read_text())
    assert list(remembered.values()) == [first]
    assert file_digest(path) == first
    path.write_bytes(b"three")
    assert file_digest(path) != first
    (empty_cache / "digests.json").write_text("not json")
    path.write_bytes(b"one")
    assert file_digest(path) == first


def test_a_cache_that_cannot_be_written_costs_only_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RAGCORTEX_CACHE", str(tmp_path / "file" / "cache"))
    assert len(file_digest(tmp_path / "file")) == 64
