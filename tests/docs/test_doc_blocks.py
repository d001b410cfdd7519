"""The examples of the pages do what the pages say, each page from its beginning in a folder of its own."""

import json
import os
import shutil
import sysconfig
from pathlib import Path

import pytest
from doc_pages import DOCS, ROOT, blocks, pages, saved
from doc_walk import environment, walk

# Pages written to be followed from the beginning. The others show commands with files of the reader's.
WALKED = ["index.md", *(page for page in pages() if page.startswith("how-to/"))]
LANGUAGES = {"bash", "python", "text", "json"}
N_LABELLED = 16


@pytest.mark.parametrize("page", [*WALKED, "tutorial.md"])
def test_every_block_is_run_or_says_why_not(page: str) -> None:
    for block in blocks(page):
        assert block.language in LANGUAGES, f"{block.where}: say what it is, one of {', '.join(sorted(LANGUAGES))}"
        assert block.said in (None, "background") or block.skip_reason, f"{block.where}: {block.said!r} says nothing"
        if block.title is None and block.language == "json":
            for line in block.text.splitlines():
                json.loads(line)


@pytest.mark.weights
@pytest.mark.parametrize("page", WALKED)
def test_a_page_does_what_it_says(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _files(tmp_path)
    walk(page, tmp_path, environment(tmp_path))


@pytest.mark.weights
def test_the_tutorial_can_be_followed_from_an_empty_folder(tmp_path: Path) -> None:
    """To the letter, but that nothing is fetched: what the package needs, and the models, are those that are here."""
    checkout, empty = tmp_path / "ragcortex", tmp_path / "empty"
    checkout.mkdir()
    empty.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "constraints.txt"):
        shutil.copy(ROOT / name, checkout / name)
    shutil.copytree(ROOT / "src", checkout / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    # What the package needs is found here; this environment's own ragcortex is not, since it lies elsewhere.
    light = {
        "PYTHONPATH": sysconfig.get_path("purelib"),
        **{f"PIP_{name}": "1" for name in ("NO_DEPS", "NO_INDEX", "IGNORE_INSTALLED", "DISABLE_PIP_VERSION_CHECK")},
        "PIP_NO_BUILD_ISOLATION": "0",  # pip takes this as the value of `build_isolation`
    }
    own = {**environment(tmp_path), **light, "PATH": os.environ["PATH"]}
    walk("tutorial.md", empty, own, instead={"ragcortex models pull": "ragcortex models info"})
    found = json.loads((empty / "report.json").read_text(encoding="utf-8"))
    assert found["verdict"] == "hallucinated"
    assert (empty / "report.html").stat().st_size > 5_000
    assert (empty / "ours.png").stat().st_size > 5_000
    assert list(empty.glob(".venv/lib/*/site-packages/ragcortex/__init__.py"))


def test_there_is_a_page_for_each_task() -> None:
    assert len(list((DOCS / "how-to").glob("*.md"))) == len(WALKED) - 1 > 10


def _files(folder: Path) -> None:
    """Write what pages take for granted: rows with labels and without, references and an answer."""
    for name in ("notes.txt", "answer.txt"):
        (folder / name).write_text(saved("tutorial.md", name), encoding="utf-8")
    exec(compile(saved("tutorial.md", "labels.py"), "labels.py", "exec"), {})
    rows = [json.loads(line) for line in (folder / "labelled.jsonl").read_text(encoding="utf-8").splitlines()]
    few, rest = rows[:N_LABELLED], rows[N_LABELLED : N_LABELLED + 8]
    _write(folder / "labelled.jsonl", few)
    _write(folder / "held-out.jsonl", rest)
    bare = [{key: row[key] for key in ("question", "references", "answer")} for row in rest]
    _write(folder / "answers.jsonl", bare)


def _write(path: Path, rows: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
