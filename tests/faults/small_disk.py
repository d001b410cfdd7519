"""What runs on a small disk of its own: `python small_disk.py NAME FOLDER …` prints what it saw as JSON.

The disk is mounted in a namespace of the process (see `test_disk_full`), so it goes when the process ends; everything
about it is looked at here, and judged there.
"""

import contextlib
import datetime
import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from made_embedder import WordEmbedder
from ragcortex.cli.__main__ import run
from ragcortex.errors import StoreError
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.documents import Document

TEXTS = [
    f"The lighthouse of town {n} was built in {1500 + n} and is {n % 37 + 9} metres high. " * 4 for n in range(300)
]


@contextmanager
def nearly_full(folder: Path, n_free: int) -> Iterator[None]:
    """Leave so many bytes of the disk while the block runs."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(4096))
    with ballast.open("r+b") as file:
        file.truncate(max(0, ballast.stat().st_size - n_free))
    yield
    ballast.unlink()


def command(*arguments: object) -> dict[str, Any]:
    """Run a command in this process, and return its exit code and what it said."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        code = run([str(argument) for argument in arguments])
    return {"code": code, "said": said.getvalue()}


def names(folder: Path) -> list[str]:
    """Return the files below a folder by their relative paths."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def score(folder: Path, source: str, *options: str) -> dict[str, Any]:
    """Score rows onto the disk, which fills, and again once there is room."""
    out = folder / "out.jsonl"
    arguments = ["score", source, "--out", out, "--batch-size", "4", *options]
    with nearly_full(folder, 64_000):
        full = command(*arguments)
        kept = out.read_bytes()
    return {
        "full": full,
        "whole_rows": kept.count(b"\n"),
        "again": command(*arguments),
        "ids": [json.loads(line)["id"] for line in out.read_text(encoding="utf-8").splitlines()],
        "files": names(folder),
    }


def check(folder: Path, *options: str) -> dict[str, Any]:
    """Write a report where another one is that is not to be lost."""
    out = folder / "report.json"
    out.write_text("the report before")
    reference, answer = "It was built in 1874 by the sea.", "It was built in 1902 by the sea. " * 40
    arguments = ["check", "--reference", reference, "--answer", answer, "--out", out, *options]
    with nearly_full(folder, 4096):
        full = command(*arguments)
        found = out.read_text()
        files = names(folder)
    return {"full": full, "found": found, "files": files, "again": command(*arguments), "schema": json.loads(
        out.read_text())["schema"]}  # fmt: skip


def train(folder: Path, source: str, *options: str) -> dict[str, Any]:
    """Train with readings kept on the disk, which fills, and again once there is room."""
    store = folder / "readings"
    arguments = ["train", source, "--out", folder / "mine", "--store", store, "--recipe", "cortex-transfer", "--layers",
                 "2", "--seeds", "1", "--validation-fraction", "0.3", *options]  # fmt: skip
    with nearly_full(folder, 64_000):
        full = command(*arguments)
        kept = [name for name in names(store) if name.endswith(".safetensors")]
        files = names(folder)
    return {"full": full, "n_kept": len(kept), "files": files, "again": command(*arguments), "after": names(folder)}


def commands(disk: Path, rows: str, labelled: str, reader: str, *options: str) -> dict[str, Any]:
    """Score, check and train, one after the other."""
    folders = [disk / name for name in ("score", "check", "train")]
    for folder in folders:
        folder.mkdir()
    return {
        "score": score(folders[0], rows, *options),
        "check": check(folders[1], *options),
        "train": train(folders[2], labelled, "--reader", reader),
    }


def corpus(folder: Path) -> dict[str, Any]:
    """Build a corpus on the disk, which fills while vectors are kept, then while it is written; then add to it."""
    documents = [Document(f"{n}.txt", text) for n, text in enumerate(TEXTS)]
    seen: dict[str, Any] = {}
    for moment, n_free in (("keeping", 20_000), ("writing", 250_000)):
        with nearly_full(folder, n_free):
            seen[moment] = _refusal(lambda: Corpus.build(documents, out=folder / "corpus", embedder=WordEmbedder()))
            seen[f"{moment}_there"] = (folder / "corpus").exists()
    built = Corpus.build(documents, out=folder / "corpus", embedder=WordEmbedder())
    assert built.report is not None
    seen["again"] = [built.report.n_embedded, built.report.n_resumed]
    more = [Document("new.txt", "Tickets cost twelve euros. " * 200)]
    with nearly_full(folder, 4096):
        seen["adding"] = _refusal(lambda: built.add(more))
        seen["unchanged"] = Corpus.open(folder / "corpus").fingerprint == built.fingerprint
    seen["added"] = len(built.add(more).documents)
    seen["same"] = (
        built.fingerprint == Corpus.build(documents, out=folder / "whole", embedder=WordEmbedder()).fingerprint
    )
    seen["files"] = len(names(folder / "corpus"))
    return seen


def database(folder: Path) -> dict[str, Any]:
    """Write audit entries into an SQLite file until the disk is full, and on once there is room."""
    from ragcortex.service.audit import append, export_lines
    from ragcortex.service.audit_chain import verify
    from ragcortex.service.storage.database import Database

    seen: dict[str, Any] = {}
    opened = Database(f"sqlite:///{folder / 'service.sqlite3'}")
    with nearly_full(folder, 20_000):
        seen["migrating"] = _refusal(opened.migrate)
    opened.migrate()
    now = datetime.datetime(2026, 1, 5, tzinfo=datetime.UTC)
    n = 0

    def one(session: Any) -> None:
        append(session, "key.created", actor="ada", subject=f"{n:06d}", data={"name": "x" * 3000}, at=now)

    with nearly_full(folder, 200_000):
        while n < 1000 and seen.setdefault("writing", None) is None:
            try:
                opened.run(one)
            except StoreError as error:
                seen["writing"] = str(error)
            else:
                n += 1
    seen["n_full"] = n
    opened.run(one)
    verdict = verify(export_lines(opened))
    seen |= {"unbroken": verdict.unbroken, "n_entries": verdict.n_entries}
    opened.close()
    return seen


def _refusal(call: Any) -> str | None:
    try:
        call()
    except StoreError as error:
        return str(error)
    return None


if __name__ == "__main__":
    found = {one.__name__: one for one in (commands, corpus, database)}[sys.argv[1]]
    result = found(Path(sys.argv[2]), *sys.argv[3:])
    print(json.dumps(result))
