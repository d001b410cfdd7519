"""A corpus on disk: damage is named, a kill loses little, and two writers never meet."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from made_embedder import WordEmbedder
from ragcortex.errors import InputError, StoreError
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.corpus_files import read_corpus, verify_vectors, writing
from ragcortex.geometry.corpus_partial import PartialVectors, text_key
from ragcortex.geometry.documents import Document

TEXTS = (
    "The lighthouse at Cape Arden was built in 1874.",
    "The harbour of Port Lyle freezes every winter.",
    "The museum shows paintings of sailors.",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    out = tmp_path / "corpus"
    documents = [
        Document(f"{number}.txt", text, f"shelf/{number}.txt", ("a guess",), (0, 4))
        for number, text in enumerate((*TEXTS, TEXTS[0]))
    ]
    Corpus.build(documents, out=out, embedder=WordEmbedder())
    return out


def part(folder: Path, name: str) -> Path:
    (path,) = folder.glob(f"{name}-*")
    return path


def edit_manifest(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = folder / "corpus.json"
    values = json.loads(path.read_text())
    change(values)
    path.write_text(json.dumps(values))


_OTHER_FINGERPRINT = "was altered: its fingerprint is not that of what it describes"


def test_the_folder_holds_safe_files_only(folder: Path) -> None:
    names = sorted(path.name for path in folder.iterdir())
    assert [name.split("-")[0] for name in names] == [
        "chunks",
        "corpus.json",
        "documents",
        "duplicates",
        "norms",
        "vectors",
    ]
    assert [name.rsplit(".", 1)[1] for name in names] == ["npy", "json", "jsonl", "json", "npy", "npy"]
    assert sorted(path.name for path in folder.parent.iterdir() if not path.name.startswith(".")) == ["corpus"]

    values = json.loads((folder / "corpus.json").read_text())
    assert values["format"] == "ragcortex.corpus/1"
    assert values["embedder"]["fingerprint"] == "f0" * 32
    assert values["counts"] == {"documents": 4, "chunks": 3, "merged": 1, "conflicts": 0}
    assert read_corpus(folder)[0].documents[3] == Document(
        "3.txt", TEXTS[0], "shelf/3.txt", ("a guess",), (0, 4)
    )  # fmt: skip


@pytest.mark.parametrize("name", ["documents", "duplicates", "chunks", "vectors", "norms"])
def test_missing_and_truncated_files_are_named(folder: Path, name: str) -> None:
    path = part(folder, name)
    whole = path.read_bytes()
    path.write_bytes(whole[:-3])
    with pytest.raises(StoreError) as error:
        Corpus.open(folder)
    assert str(error.value) == (
        f"{path.name} of the corpus '{folder}' has {len(whole) - 3:,} bytes instead of {len(whole):,}; build the "
        "corpus anew from its documents"
    )
    path.unlink()
    with pytest.raises(StoreError) as error:
        Corpus.open(folder)
    assert str(error.value) == (
        f"{path.name} of the corpus '{folder}' is missing; build the corpus anew from its documents"
    )


@pytest.mark.parametrize("name", ["documents", "duplicates", "chunks", "norms"])
def test_altered_files_are_named(folder: Path, name: str) -> None:
    path = part(folder, name)
    whole = bytearray(path.read_bytes())
    whole[-10] ^= 1
    path.write_bytes(bytes(whole))
    with pytest.raises(StoreError) as error:
        Corpus.open(folder)
    assert str(error.value) == (
        f"{path.name} of the corpus '{folder}' was altered: its digest is not the one in corpus.json; build the corpus "
        "anew from its documents"
    )


def test_altered_vectors_are_found_by_verification(folder: Path) -> None:
    state, manifest = read_corpus(folder)
    verify_vectors(state, manifest, folder)
    path = part(folder, "vectors")
    whole = bytearray(path.read_bytes())
    whole[-1] ^= 1
    path.write_bytes(bytes(whole))

    state, manifest = read_corpus(folder)
    with pytest.raises(StoreError) as error:
        verify_vectors(state, manifest, folder)
    assert str(error.value) == (
        f"{path.name} of the corpus '{folder}' was altered: its digest is not the one in corpus.json; build the corpus "
        "anew from its documents"
    )


class Trap:
    """Leaves a file behind if it is ever unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (os.mkdir, ("trapped",))


@pytest.mark.parametrize("name", ["chunks", "vectors", "norms"])
def test_a_pickle_in_place_of_numbers_is_not_run(
    folder: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = part(folder, name)
    np.save(path, np.array([Trap()], dtype=object), allow_pickle=True)
    size = path.stat().st_size
    edit_manifest(folder, lambda values: values["files"][name].update(bytes=size))
    with pytest.raises(StoreError) as error:
        Corpus.open(folder)
    assert str(error.value).startswith(f"{path.name} of the corpus '{folder}' is no array of numbers: ")
    assert not (tmp_path / "trapped").exists()


@pytest.mark.parametrize("name", ["vectors", "norms"])
def test_numbers_of_another_kind_are_refused(folder: Path, name: str) -> None:
    path = part(folder, name)
    np.save(path, np.load(path).astype(np.float64))
    size = path.stat().st_size
    edit_manifest(folder, lambda values: values["files"][name].update(bytes=size))
    with pytest.raises(StoreError, match=r"; build the corpus anew from its documents$"):
        Corpus.open(folder)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda values: values.update(format="ragcortex.corpus/9"),
            "has the format 'ragcortex.corpus/9', this version reads 'ragcortex.corpus/1'",
        ),
        (lambda values: values.update(more=1), "lacks or adds fields: more"),
        (lambda values: values.pop("embedder"), "lacks or adds fields: embedder"),
        (
            lambda values: values["embedder"].update(dimension=0),
            "holds a value that cannot be used: dimension: must be a whole number from 1 on, got 0",
        ),
        (
            lambda values: values["files"]["norms"].update(sha256="../../etc"),
            "holds a value that cannot be used: files.norms must give a SHA-256 and a size, got '../../etc' and 144",
        ),
        (lambda values: values["embedder"].update(fingerprint="e" * 64), _OTHER_FINGERPRINT),
        (lambda values: values.update(merge_above=0.8), _OTHER_FINGERPRINT),
        (lambda values: values["chunking"].update(overlap=0), _OTHER_FINGERPRINT),
        (
            lambda values: values["embedder"].update(dimension=64),
            "and the other files do not fit together: unit: must be float32 of shape (4, 64), got float32 (4, 128)",
        ),
    ],
)
def test_a_manifest_that_was_changed_is_refused(
    folder: Path, change: Callable[[dict[str, Any]], object], message: str
) -> None:
    edit_manifest(folder, change)
    with pytest.raises(StoreError) as error:
        Corpus.open(folder)
    assert str(error.value) == (
        f"corpus.json of the corpus '{folder}' {message}; build the corpus anew from its documents"
    )


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"[" * 100_000, b'{"format": NaN}', b"\xff"])
def test_a_manifest_that_is_no_json_object_is_refused(folder: Path, content: bytes) -> None:
    (folder / "corpus.json").write_bytes(content)
    with pytest.raises(StoreError, match=r"^corpus\.json of the corpus .*; build the corpus anew from its documents$"):
        Corpus.open(folder)


def test_a_folder_without_a_corpus_is_no_corpus(tmp_path: Path) -> None:
    with pytest.raises(InputError) as error:
        Corpus.open(tmp_path)
    assert str(error.value) == (
        f"corpus: folder '{tmp_path}' holds no corpus, it has no corpus.json; make one elsewhere with `ragcortex "
        "corpus build PATH… --out DIR`"
    )
    with pytest.raises(InputError) as error:
        Corpus.open(tmp_path / "none")
    assert str(error.value) == (
        f"corpus: there is no folder '{tmp_path / 'none'}'; make it with `ragcortex corpus build PATH… --out "
        f"{tmp_path / 'none'}`"
    )


def test_where_a_corpus_is_not_written(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "other").write_text("x")
    for out, message in (
        (folder, f"out: folder '{folder}' holds a corpus; add to it with `ragcortex corpus add`, or replace it"),
        (tmp_path / "file", f"out: '{tmp_path / 'file'}' is a file; give a folder"),
        (tmp_path / "full", f"out: folder '{tmp_path / 'full'}' is not empty and holds no corpus; give another one"),
        (tmp_path / "a" / "b", f"out: folder '{tmp_path / 'a'}' does not exist; make it first"),
    ):
        with pytest.raises(InputError) as error:
            Corpus.build([Document("a", TEXTS[0])], out=out, embedder=WordEmbedder())
        assert str(error.value) == message


def test_a_new_state_replaces_the_old_one_and_readers_keep_theirs(folder: Path) -> None:
    before = Corpus.open(folder, embedder=WordEmbedder())
    vectors = before.matrix.tobytes()
    after = before.add([Document("new.txt", "Tickets cost twelve euros.")])

    assert before.matrix.tobytes() == vectors
    assert after.n_chunks == before.n_chunks + 1
    assert len(list(folder.iterdir())) == 6


def test_a_write_that_fails_leaves_what_was_there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    corpus = Corpus.open(folder, embedder=WordEmbedder())
    replace = Path.replace

    def full(self: Path, target: Path) -> Path:
        if target.name == "corpus.json":
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(StoreError) as error:
        corpus.add([Document("new.txt", "Tickets cost twelve euros.")])
    assert str(error.value) == (
        f"the corpus '{folder}' cannot be written: No space left on device; make room or choose another place, and run "
        "the command again"
    )
    monkeypatch.undo()
    assert {name: (folder / name).read_bytes() for name in before} == before
    assert Corpus.open(folder).fingerprint == corpus.fingerprint

    # What was embedded is still there, and what the failed write left behind goes with the next one.
    again = corpus.add([Document("new.txt", "Tickets cost twelve euros.")])
    assert again.report is not None
    assert (again.report.n_embedded, again.report.n_resumed) == (0, 1)
    assert len(list(folder.iterdir())) == 6


def test_a_new_folder_is_there_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(StoreError):
        Corpus.build([Document("a", TEXTS[0])], out=tmp_path / "corpus", embedder=WordEmbedder())
    assert [path.name for path in tmp_path.iterdir() if not path.name.startswith(".")] == ["corpus.partial"]


def test_two_writers_never_meet(folder: Path) -> None:
    corpus = Corpus.open(folder, embedder=WordEmbedder())
    code = (
        "import sys, time; from pathlib import Path; from ragcortex.geometry.corpus_files import writing\n"
        "with writing(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
    )
    other = subprocess.Popen([sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True)
    try:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(StoreError) as error:
            corpus.remove(["0.txt"])
        assert str(error.value) == (
            f"the corpus '{folder}' is being written by another process; wait until that is done"
        )
        assert Corpus.open(folder).n_chunks == 3  # reading is not held up
    finally:
        other.kill()
        other.wait()
        assert other.stdout is not None
        other.stdout.close()
    assert corpus.remove(["0.txt"]).n_chunks == 3  # a killed writer holds nothing


_BUILD = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[3])
from made_embedder import WordEmbedder
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.documents import Document
words = ("harbour", "lighthouse", "museum", "ferry", "island", "winter", "captain")
texts = [" ".join(words[(n // 7**p) % 7] + str(n % 97) for p in range(12)) for n in range(1200)]
documents = [Document(str(n), text) for n, text in enumerate(texts)]
corpus = Corpus.build(documents, out=Path(sys.argv[1]), embedder=WordEmbedder(seconds_per_text=float(sys.argv[2])))
print(corpus.report.n_embedded, corpus.report.n_resumed, corpus.fingerprint)
"""


def test_a_killed_build_goes_on_where_it_stopped(tmp_path: Path) -> None:
    tests = str(Path(__file__).parents[1])

    def command(out: str, seconds: float) -> list[str]:
        return [sys.executable, "-c", _BUILD, str(tmp_path / out), str(seconds), tests]

    partial = tmp_path / "corpus.partial"
    killed = subprocess.Popen(command("corpus", 0.002))
    deadline = time.monotonic() + 60
    while len(list(partial.glob("*.safetensors"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    assert partial.is_dir()
    assert not (tmp_path / "corpus").exists()

    resumed = subprocess.run(command("corpus", 0), capture_output=True, text=True, check=True).stdout.split()
    whole = subprocess.run(command("whole", 0), capture_output=True, text=True, check=True).stdout.split()
    assert int(resumed[1]) >= 512
    assert int(resumed[0]) + int(resumed[1]) == int(whole[0])
    assert resumed[2] == whole[2]
    assert not partial.exists()


def test_partial_vectors_of_another_model_or_damaged_ones_are_not_used(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    partial = PartialVectors(tmp_path / "partial", embedder.identity)
    keys = [text_key(text) for text in TEXTS]
    partial.add(keys, embedder.embed(TEXTS))
    assert set(partial.load()) == set(keys)
    np.testing.assert_array_equal(partial.load()[keys[1]][0], embedder.embed(TEXTS).unit[1])

    assert PartialVectors(tmp_path / "partial", WordEmbedder(fingerprint="e" * 64).identity).load() == {}
    (path,) = (tmp_path / "partial").iterdir()
    path.write_bytes(path.read_bytes()[:-1])
    assert partial.load() == {}
    partial.remove()
    assert not (tmp_path / "partial").exists()


def test_the_lock_can_be_taken_again(folder: Path) -> None:
    for _ in range(2):
        with writing(folder):
            pass
