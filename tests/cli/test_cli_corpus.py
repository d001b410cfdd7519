"""`ragcortex corpus`: documents in, a corpus out, and what each command says about it."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from cli_helpers import EXECUTABLE, Command

from ragcortex.errors import EXIT_INPUT, EXIT_INTERNAL, EXIT_MODEL, EXIT_OK, EXIT_SOME_ROWS_FAILED
from tiny_bert import save_tiny_bert

LIGHTHOUSE = "The lighthouse at Cape Arden was built in 1874 and it stands 41 metres above the sea."
OTHER_YEAR = LIGHTHOUSE.replace("1874", "1902")
HARBOUR = "The harbour of Port Lyle freezes every winter, so ferries stop there for several weeks."
MUSEUM = "The museum shows paintings of sailors, and old maps that were drawn by hand on board."
TEXTS = (LIGHTHOUSE, OTHER_YEAR, HARBOUR, MUSEUM)


@pytest.fixture(scope="session")
def embedder_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a BERT of width 32 with random weights and mean pooling, in sentence-transformers' format."""
    return save_tiny_bert(tmp_path_factory.mktemp("embedders") / "tiny-bert", TEXTS, seed=1)


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    folder = tmp_path / "shelf"
    folder.mkdir()
    (folder / "harbour.md").write_text(f"{HARBOUR}\n")
    (folder / "lighthouse.txt").write_text(LIGHTHOUSE)
    (folder / "museum.txt").write_text(MUSEUM)
    return folder


@pytest.fixture
def corpus(command: Command, embedder_folder: Path, shelf: Path, tmp_path: Path) -> Path:
    out = tmp_path / "corpus"
    assert command("corpus", "build", shelf, "--out", out, "--embedder", embedder_folder).code == EXIT_OK
    return out


def test_build_says_what_it_found(command: Command, embedder_folder: Path, shelf: Path, tmp_path: Path) -> None:
    (shelf / "copy.txt").write_text(HARBOUR)
    (shelf / "lighthouse-2.txt").write_text(OTHER_YEAR)
    (shelf / "torn.pdf").write_bytes(b"%PDF-1.7 torn")
    (shelf / "picture.png").write_bytes(b"\x89PNG")
    result = command("corpus", "build", shelf, "--out", tmp_path / "corpus", "--embedder", embedder_folder)
    lines = result.err.splitlines()

    assert (result.code, result.out) == (EXIT_SOME_ROWS_FAILED, "")
    assert any(line.startswith("not read: ") and "torn.pdf: " in line for line in lines)
    assert any(line.startswith("skipped: ") and "picture.png: " in line for line in lines)
    assert "repeated: harbour.md says nothing that an earlier document does not say" in lines
    first = next(number for number, line in enumerate(lines) if line.startswith("conflict: "))
    # Documents come in the order of their names, so the newer text is the first one.
    assert lines[first + 1] == (f"lighthouse-2.txt, characters 0 to 85: {OTHER_YEAR}")
    assert lines[first + 2] == f"lighthouse.txt, characters 0 to 85: {LIGHTHOUSE}"
    assert any(line.startswith("The chunks can be told apart: ") for line in lines)
    assert lines[-1].startswith(
        "corpus written: 5 documents, 1 not read, 4 chunks, 1 merged, 1 conflict, 4 texts embedded now, "
    )
    assert lines[-1].endswith(f" s; {tmp_path / 'corpus'}")


def test_info_shows_and_verifies(command: Command, corpus: Path) -> None:
    result = command("corpus", "info", corpus, "--documents", "--verify")
    facts = dict(line.split(maxsplit=1) for line in result.out.splitlines()[:11])

    assert (result.code, result.err) == (EXIT_OK, "")
    assert (facts["documents"], facts["chunks"], facts["vectors"]) == ("3", "3", "verified")
    assert facts["embedder"].startswith("tiny-bert, revision none, fingerprint ")
    assert facts["dimension"] == "32"
    assert result.out.splitlines()[11:] == [
        "harbour.md  87 characters, 1 chunk",
        "lighthouse.txt  85 characters, 1 chunk",
        "museum.txt  85 characters, 1 chunk",
    ]


def test_info_as_json(command: Command, corpus: Path) -> None:
    result = command("corpus", "info", corpus, "--json")
    values = json.loads(result.out)

    assert values["schema"] == "ragcortex.corpus/1"
    assert values["counts"] == {"documents": 3, "chunks": 3, "merged": 0, "conflicts": 0}
    assert values["embedder"]["id"] == "tiny-bert"
    assert [document["id"] for document in values["documents"]] == [
        "harbour.md", "lighthouse.txt", "museum.txt",
    ]  # fmt: skip
    assert values["vectors_verified"] is False
    assert values["merges"] == values["conflicts"] == []


def test_add_search_and_remove(command: Command, corpus: Path, embedder_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "tickets.txt").write_text("Tickets for adults cost twelve euros.")
    added = command("corpus", "add", corpus, tmp_path / "tickets.txt", "--embedder", embedder_folder)
    assert added.code == EXIT_OK
    assert "corpus extended: 4 documents, 0 not read, 4 chunks, 0 merged" in added.err
    assert "1 text embedded now" in added.err

    found = command("corpus", "search", corpus, MUSEUM, "-k", "2", "--embedder", embedder_folder)
    assert found.code == EXIT_OK
    assert found.out.splitlines()[:2] == ["1.000  museum.txt, characters 0 to 85", f"       {MUSEUM}"]
    assert len(found.out.splitlines()) == 4
    assert " of 4 within cosine distance 0.25\n" in found.err

    removed = command("corpus", "remove", corpus, "tickets.txt", "museum.txt")
    assert removed.code == EXIT_OK
    assert "corpus reduced: 2 documents" in removed.err
    unknown = command("corpus", "remove", corpus, "tickets.txt")
    assert (unknown.code, unknown.err) == (
        EXIT_INPUT, "ragcortex: ids: no document of the corpus is called 'tickets.txt'\n",
    )  # fmt: skip


def test_another_embedder_and_a_missing_one_are_refused(
    command: Command, corpus: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = save_tiny_bert(tmp_path_factory.mktemp("embedders") / "other-bert", TEXTS, seed=2)
    refused = command("corpus", "search", corpus, MUSEUM, "--embedder", other)
    assert refused.code == EXIT_MODEL
    assert refused.err.startswith(
        f"ragcortex: the corpus '{corpus}' was built with the embedder 'tiny-bert' (fingerprint "
    )
    assert ", not with 'other-bert' (fingerprint " in refused.err

    missing = command("corpus", "search", corpus, MUSEUM)
    assert missing.code == EXIT_MODEL
    assert missing.err.startswith(
        f"ragcortex: the embedder 'tiny-bert' that the corpus '{corpus}' was built with is not found: "
    )


def test_damage_is_an_error(command: Command, corpus: Path) -> None:
    (vectors,) = corpus.glob("vectors-*.npy")
    content = bytearray(vectors.read_bytes())
    content[-1] ^= 1
    vectors.write_bytes(bytes(content))

    assert command("corpus", "info", corpus).code == EXIT_OK
    result = command("corpus", "info", corpus, "--verify")
    assert result.code == EXIT_INTERNAL
    assert result.err == (
        f"ragcortex: {vectors.name} of the corpus '{corpus}' was altered: its digest is not the one in corpus.json; "
        "build the corpus anew from its documents\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["info", "none"],
            "ragcortex: corpus: there is no folder 'none'; make it with `ragcortex corpus build PATH… --out none`\n",
        ),
        (["build", "none.txt", "--out", "new"], "none.txt"),
        (["build", "--out", "new"], "ragcortex: Missing argument 'PATH...'; see `ragcortex corpus build --help`\n"),
    ],
)
def test_what_cannot_be_used_is_named(
    command: Command, arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = command("corpus", *arguments)
    assert result.code == EXIT_INPUT
    assert message in result.err


def test_an_existing_corpus_is_replaced_only_when_asked(
    command: Command, corpus: Path, embedder_folder: Path, shelf: Path
) -> None:
    arguments = ("corpus", "build", shelf / "museum.txt", "--out", corpus, "--embedder", embedder_folder)
    assert command(*arguments).code == EXIT_INPUT
    assert command(*arguments, "--overwrite", "--max-chars", "80", "--merge-above", "0.99").code == EXIT_OK
    values = json.loads(command("corpus", "info", corpus, "--json").out)
    assert values["counts"]["documents"] == 1
    assert values["chunking"]["max_chars"] == 80
    assert values["merge_above"] == 0.99


def test_the_installed_command_builds(embedder_folder: Path, shelf: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "error"}
    command = [
        EXECUTABLE,
        "corpus",
        "build",
        str(shelf),
        "--out",
        str(tmp_path / "out"),
        "--embedder",
        str(embedder_folder),
    ]
    run = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert run.returncode == EXIT_OK, run.stderr
    assert (run.stdout, run.stderr.splitlines()[-1][:14]) == ("", "corpus written")
