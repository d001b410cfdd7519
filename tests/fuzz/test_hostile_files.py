"""Files that are not what they should be: pipes, huge ones, archives, loops of links, NUL and other encodings.

What is said of each kind holds for every reader of such files, so each test tries them all.
"""

import io
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fuzz_folders import CORPUS_PARTS, made_bundle_folder, made_corpus_folder, replace_part
from time_limits import limited

from made_pdf import made_pdf
from ragcortex.bundle import Bundle
from ragcortex.cli.resume import InputFile
from ragcortex.datasets.jsonl import MOST_LINE_BYTES, read_rows
from ragcortex.datasets.official_rows import json_rows
from ragcortex.errors import BundleError, InputError, ModelError, RagcortexError, StoreError
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.document_types import Unreadable
from ragcortex.geometry.documents import read_documents
from ragcortex.geometry.table_source import Table
from ragcortex.plain_files import bounded_lines, plain_bytes
from ragcortex.readers.fingerprint import folder_fingerprint

SECONDS = 20


@pytest.fixture(autouse=True)
def no_hang() -> Iterator[None]:
    with limited(SECONDS):
        yield


@pytest.fixture(scope="module")
def sound_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_bundle_folder(tmp_path_factory.mktemp("sound") / "bundle")


@pytest.fixture
def bundle(sound_bundle: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "bundle"
    folder.mkdir()
    for path in sound_bundle.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return made_corpus_folder(tmp_path / "corpus")


def sparse(path: Path, n_bytes: int) -> Path:
    """Make a file of so many bytes that takes no room."""
    with path.open("wb") as file:
        file.truncate(n_bytes)
    return path


def refusal(kind: type[RagcortexError], action: Callable[[], Any]) -> str:
    with pytest.raises(kind) as caught:
        action()
    return str(caught.value)


# Pipes and devices, which nobody may ever write to.


@pytest.mark.parametrize("name", ["detector.json", "heads.safetensors"])
def test_a_pipe_in_a_detector_is_refused(bundle: Path, name: str) -> None:
    (bundle / name).unlink()
    os.mkfifo(bundle / name)
    assert refusal(BundleError, lambda: Bundle.load(bundle)) == (
        f"{name} in {str(bundle)!r} cannot be read: is a pipe or a device and no file"
    )


@pytest.mark.parametrize("name", ["corpus.json", *CORPUS_PARTS])
def test_a_pipe_in_a_corpus_is_refused(corpus: Path, name: str) -> None:
    (path,) = corpus.glob(f"{name}*")
    path.unlink()
    os.mkfifo(path)
    assert refusal(StoreError, lambda: Corpus.open(corpus)).startswith(f"{path.name} of the corpus {str(corpus)!r} ")


def test_a_pipe_in_a_reader_is_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"")
    os.mkfifo(tmp_path / "config.json")
    assert refusal(ModelError, lambda: folder_fingerprint(tmp_path)) == (
        f"reader folder {str(tmp_path)!r}: config.json must be a plain file"
    )


def test_rows_that_are_read_twice_do_not_come_from_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "rows.jsonl")
    assert refusal(InputError, lambda: InputFile.of(tmp_path / "rows.jsonl")) == (
        f"input: file '{tmp_path / 'rows.jsonl'}' cannot be read: is a pipe or a device and no file"
    )


# Huge files.


def test_huge_files_are_refused_unread(bundle: Path, corpus: Path) -> None:
    sparse(bundle / "heads.safetensors", 2**40)
    message = refusal(BundleError, lambda: Bundle.load(bundle))
    assert message.endswith("cannot be read: has 1,099,511,627,776 bytes, more than the 8,000,000,000 that are read")
    sparse(bundle / "detector.json", 2**40)
    assert "more than the 100,000,000 that are read" in refusal(BundleError, lambda: Bundle.load(bundle))
    for part in CORPUS_PARTS:
        (path,) = corpus.glob(f"{part}-*")
        content = path.read_bytes()
        sparse(path, 2**40)
        assert "has 1,099,511,627,776 bytes instead of" in refusal(StoreError, lambda: Corpus.open(corpus))
        path.write_bytes(content)
    sparse(corpus / "corpus.json", 2**40)
    assert "more than the 10,000,000 that are read" in refusal(StoreError, lambda: Corpus.open(corpus))


def test_a_line_that_is_too_long_is_one_bad_row(tmp_path: Path) -> None:
    path = sparse(tmp_path / "rows.jsonl", MOST_LINE_BYTES + 3_000_000)
    with path.open("ab") as file:
        file.write(b'\n{"references": [], "answer": "a"}\n')
    long, good = read_rows(path)
    assert str(long.error) == "row: is a line of more than 200,000,000 bytes; every row is one line"
    assert (good.line, good.example is not None) == (2, True)
    assert InputFile.of(path).n_rows == 2


def test_lines_are_bounded_and_everything_is_seen() -> None:
    content = b"abc\nabcdefgh\r\nabcd\n\nx"
    seen = io.BytesIO()
    assert list(bounded_lines(io.BytesIO(content), seen.write, most=4)) == [b"abc\n", b"abcde", b"abcd\n", b"\n", b"x"]
    assert seen.getvalue() == content
    assert list(bounded_lines(io.BytesIO(content))) == content.splitlines(keepends=True)


@pytest.mark.parametrize("shape", [(2**40,), (2**31, 2**31), (2**62, 3), (-1, 3), (10**30,)])
@pytest.mark.parametrize("part", ["chunks", "vectors", "norms"])
def test_an_array_larger_than_its_file_takes_no_memory(corpus: Path, part: str, shape: tuple[int, ...]) -> None:
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    replace_part(corpus, part, b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + b"\0" * 64)
    assert " is no array of numbers: " in refusal(StoreError, lambda: Corpus.open(corpus))


# Archives and what unpacks to a lot.


@pytest.mark.parametrize("part", ["chunks", "vectors", "norms"])
def test_an_archive_in_place_of_an_array_is_not_unpacked(corpus: Path, part: str) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("a.npy", "w") as member:
        np.lib.format.write_array_header_1_0(member, {"descr": "<f4", "fortran_order": False, "shape": (50_000_000,)})
        for _ in range(50):
            member.write(bytes(4_000_000))
    assert len(packed.getvalue()) < 1_000_000
    for content in (packed.getvalue(), packed.getvalue()[:100], b"PK\x03\x04"):
        replace_part(corpus, part, content)
        assert " is no array of numbers: " in refusal(StoreError, lambda: Corpus.open(corpus))


def test_a_page_that_unpacks_to_a_lot_is_one_that_cannot_be_read(tmp_path: Path) -> None:
    plain = made_pdf([["One."]])
    start, end = plain.index(b"<< /Length"), plain.index(b"\nendstream")
    packed = zlib.compress(bytes(400_000_000), 1)
    stream = b"<< /Length %d /Filter /FlateDecode >>\nstream\n" % len(packed) + packed
    path = tmp_path / "bomb.pdf"
    path.write_bytes(plain[:start] + stream + plain[end:])
    (item,) = read_documents([path])
    assert isinstance(item, Unreadable)
    assert item.reason == "damaged"


# Links.


@pytest.mark.parametrize("name", ["detector.json", "heads.safetensors"])
def test_a_link_to_itself_in_a_detector_is_refused(bundle: Path, name: str) -> None:
    (bundle / name).unlink()
    (bundle / name).symlink_to(bundle / name)
    assert refusal(BundleError, lambda: Bundle.load(bundle)).startswith(f"{name} in {str(bundle)!r} cannot be read: ")


@pytest.mark.parametrize("name", ["corpus.json", *CORPUS_PARTS])
def test_a_link_to_itself_in_a_corpus_is_refused(corpus: Path, name: str) -> None:
    (path,) = corpus.glob(f"{name}*")
    path.unlink()
    path.symlink_to(path)
    assert f"{path.name} of the corpus {str(corpus)!r} cannot be read: " in refusal(
        StoreError, lambda: Corpus.open(corpus)
    )


def test_folders_that_link_to_each_other_are_walked_once(tmp_path: Path) -> None:
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "text.txt").write_text(name)
        (tmp_path / name / "other").symlink_to(tmp_path / other, target_is_directory=True)
    (tmp_path / "a" / "up").symlink_to(tmp_path, target_is_directory=True)
    items = list(read_documents([tmp_path]))
    assert sorted(item.id for item in items if not isinstance(item, Unreadable)) == ["a/text.txt", "b/text.txt"]
    assert [item.reason for item in items if isinstance(item, Unreadable)] == ["link"] * 3


# NUL and other encodings.


def test_names_with_nul_are_refused() -> None:
    for kind, read in (
        (InputError, lambda: read_rows("a\0b")),
        (InputError, lambda: list(json_rows(Path("a\0b")))),
        (InputError, lambda: list(read_documents([Path("a\0b")]))),
        (InputError, lambda: Table.from_csv("a\0b")),
        (BundleError, lambda: Bundle.load(Path("a\0b"))),
        (StoreError, lambda: Corpus.open("a\0b")),
    ):
        assert "\\x00" in repr(refusal(kind, read)) or "null byte" in refusal(kind, read)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1", "utf-7", "cp037"])
def test_json_in_other_encodings_is_refused(bundle: Path, corpus: Path, encoding: str) -> None:
    for folder, name, kind, load in (
        (bundle, "detector.json", BundleError, Bundle.load),
        (corpus, "corpus.json", StoreError, Corpus.open),
    ):
        text = json.dumps(json.loads((folder / name).read_bytes()) | {"é": 1}, ensure_ascii=False)
        (folder / name).write_bytes(text.encode(encoding))
        assert name in refusal(kind, lambda load=load, folder=folder: load(folder))


def test_plain_files_are_read_to_their_bound(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert plain_bytes(path, 5) == b"12345"
    for place, most, number in ((path, 4, "has 5 bytes, more than the 4"), (tmp_path, 5, "Is a directory")):
        with pytest.raises(OSError, match=number):
            plain_bytes(place, most)
    with pytest.raises(OSError, match="is a pipe or a device and no file"):
        plain_bytes(Path(os.devnull), 5)
