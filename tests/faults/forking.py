"""Processes that are killed in the middle, or get in each other's way: `python forking.py FOLDER …` says what is left.

They are forks of this process, which has imported everything and run nothing.
"""

import itertools
import json
import os
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

# So that no fork has to, what commands import only when they need it.
import sklearn.linear_model  # noqa: F401
import torch
from fault_rows import labelled_rows, scored_rows
from forked import begun, command, ended, killed, killed_at_step, stopped
from safetensors.numpy import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaForCausalLM  # noqa: F401

import ragcortex.detectors.loading
import ragcortex.training  # noqa: F401
from made_embedder import WordEmbedder
from ragcortex.bundle import Bundle
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.documents import Document
from ragcortex.geometry.embedders.embedder import Embeddings
from ragcortex.service.storage.database import Database

DOCUMENTS = [Document(f"{n}.txt", f"Text {n} of {n * 7919 % 1009} about harbour {n % 89}. " * 6) for n in range(300)]


def count(folder: Path, pattern: str) -> int:
    """Return how many files below a folder have such a name."""
    return sum(1 for _ in folder.rglob(pattern))


def scoring(folder: Path, options: Sequence[str]) -> dict[str, Any]:
    """Kill `score` before its first row and after some, and let it end."""
    out = folder / "scored.jsonl"
    call = command("score", scored_rows(folder / "in.jsonl", 60), "--out", out, "--batch-size", "2", *options)

    def rows() -> int:
        return out.read_bytes().count(b"\n") if out.exists() else 0

    moments: list[Callable[[], bool]] = [out.exists, lambda: rows() >= 10, lambda: rows() >= 31]
    was_killed = [killed(call, moment, folder / "log") for moment in moments]
    code = ended(begun(call, folder / "log"))
    ids = [json.loads(line)["id"] for line in out.read_text(encoding="utf-8").splitlines()]
    return {
        "killed": was_killed,
        "code": code,
        "ids": ids,
        "left": sorted(path.name for path in folder.glob("*scored*")),
    }


def training(folder: Path, reader: str) -> dict[str, Any]:
    """Kill `train` while it reads, when it has read, and while it writes, and let it end."""
    store, out = folder / "store", folder / "mine"
    rows = labelled_rows(folder / "rows.jsonl", 24)

    call = train(rows, out, store, reader)
    seen: dict[str, Any] = {"killed": [], "nothing_yet": []}
    for n_read in (1, 24):
        moment = partial(lambda n: count(store, "*.safetensors") >= n, n_read)
        seen["killed"].append(killed(call, moment, folder / "log"))
        seen["nothing_yet"].append(not out.exists())
    seen["code"] = ended(begun(call, folder / "log"))
    return seen | {"steps": saving(folder, Bundle.load(out))}


def train(rows: Path, out: Path, store: Path, reader: str) -> Callable[[], int]:
    """Return a call of `train` that fits little."""
    return command("train", rows, "--out", out, "--store", store, "--reader", reader, "--recipe", "cortex-transfer",
                   "--layers", "2", "--seeds", "1", "--validation-fraction", "0.3")  # fmt: skip


def saving(folder: Path, bundle: Bundle) -> list[list[str | None]]:
    """Kill the writing of a detector over an older one at each step; return the versions in place, aside and after."""
    steps, older = [], replace(bundle, version="older")
    for number in itertools.count(1):
        out = folder / f"saved-{number}"
        older.save(out, card="# older\n")
        died = killed_at_step(number, partial(bundle.save, out, card="# new\n"), folder / "log")
        left = [Bundle.load(one).version if one.exists() else None for one in (out, folder / f".{out.name}.older")]
        bundle.save(out, card="# new\n")
        steps.append([*left, Bundle.load(out).version])
        if not died:
            return steps
    raise AssertionError("counting ends")


def reading_at_once(folder: Path, reader: str) -> dict[str, Any]:
    """Let two processes fill one cache of readings at the same time."""
    store, names = folder / "shared", ("one", "two")
    calls = [train(folder / "rows.jsonl", folder / name, store, reader) for name in names]
    codes = [ended(pid) for pid in [begun(call, folder / f"log-{n}") for n, call in enumerate(calls)]]
    for file in store.rglob("*.safetensors"):
        load_file(file)
    loaded = [Bundle.load(folder / name).name for name in names]
    return {"codes": codes, "loaded": loaded, "n": count(store, "*.safetensors"), "left": count(store, "*.tmp")}


def scoring_at_once(folder: Path, options: Sequence[str]) -> dict[str, Any]:
    """Let two processes score into one file."""
    out = folder / "both.jsonl"
    call = command("score", folder / "in.jsonl", "--out", out, "--batch-size", "2", *options)
    first = stopped(call, lambda: out.exists() and out.stat().st_size > 0, folder / "log-first")
    second = ended(begun(call, folder / "log-second"))
    os.kill(first, signal.SIGCONT)
    return {
        "codes": [ended(first), second],
        "said": (folder / "log-second").read_text(),
        "ids": [json.loads(line)["id"] for line in out.read_text(encoding="utf-8").splitlines()],
    }


class Announcing(WordEmbedder):
    """Makes a file when it begins, and then takes its time."""

    def __init__(self, file: Path) -> None:
        super().__init__(seconds_per_text=0.1)
        self._file = file

    def embed(self, texts: Sequence[str]) -> Embeddings:
        self._file.touch()
        return super().embed(texts)


def corpus(folder: Path) -> dict[str, Any]:
    """Kill a build while it embeds and while it writes, and an addition; then let two add at the same time."""
    place, partial_folder = folder / "corpus", folder / "corpus.partial"

    def vectors(n: int) -> bool:
        return count(partial_folder, "*.safetensors") >= n

    whole = Corpus.build(DOCUMENTS, out=folder / "whole", embedder=WordEmbedder()).fingerprint

    def build(seconds: float = 0.0) -> None:
        Corpus.build(DOCUMENTS, out=place, embedder=WordEmbedder(seconds_per_text=seconds))

    def add(name: str, opened: Corpus) -> None:
        opened.add([Document(f"{name}-{n}", f"The {name} ferry of {1900 + n} sails. " * 9) for n in range(9)])

    def there() -> str | None:
        return Corpus.open(place).fingerprint if place.exists() else None

    log = folder / "log"
    seen: dict[str, Any] = {"killed": [killed(partial(build, 0.002), lambda: vectors(1), log)], "steps": [there()]}
    for number in itertools.count(1):
        if not killed_at_step(number, build, log):
            break
        seen["steps"].append(there())
        if there() is not None:
            break
    built = Corpus.open(place, embedder=WordEmbedder())
    seen |= {"built": built.fingerprint, "whole": whole, "adding": []}
    for number in itertools.count(1):
        if not killed_at_step(number, partial(add, "new", built), log):
            break
        seen["adding"].append(there())
        if there() != built.fingerprint:
            break
    seen["n_added"] = len(Corpus.open(place).documents)

    begins = folder / "begins"
    slow = Corpus.open(place, embedder=Announcing(begins))
    first = stopped(partial(add, "first", slow), begins.exists, folder / "log-first")
    second = ended(begun(partial(add, "second", built), folder / "log-second"))
    os.kill(first, signal.SIGCONT)
    seen |= {"at_once": [ended(first), second], "said": (folder / "log-second").read_text()}
    return seen | {"n": len(Corpus.open(place).documents)}


def migrating(folder: Path) -> dict[str, Any]:
    """Kill migrations at several moments, and let one end."""
    expected = Database(f"sqlite:///{folder / 'whole.sqlite3'}")
    expected.migrate()
    expected.close()
    tables, was_killed, names = _tables(folder / "whole.sqlite3"), [], []
    for n, delay in enumerate((0.0, 0.005, 0.01, 0.02, 0.03, 0.05)):
        file = folder / f"killed-{n}.sqlite3"
        database = Database(f"sqlite:///{file}")
        begin = float("inf")

        def due(file: Path = file, delay: float = delay) -> bool:
            nonlocal begin
            if file.exists():
                begin = min(begin, time.monotonic())
            return time.monotonic() - begin >= delay

        was_killed.append(killed(database.migrate, due, folder / "log"))
        names.append(_tables(file))
        code = ended(begun(database.migrate, folder / "log"))
        names.append(_tables(file))
        assert code == 0, (folder / "log").read_text()
    return {"killed": was_killed, "whole_or_none": [one in ([], tables) for one in names[::2]],
            "complete": [one == tables for one in names[1::2]]}  # fmt: skip


def _tables(file: Path) -> list[list[str]]:
    connection = sqlite3.connect(file)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        made = connection.execute("SELECT type, name FROM sqlite_master ORDER BY type, name").fetchall()
        return [list(row) for row in made]
    finally:
        connection.close()


def main(folder: Path, reader: str, detector: str) -> None:
    """Print what is left of everything, as JSON."""
    torch.set_num_threads(1)
    options = ["--reader", reader, "--detector", detector]
    found = {
        "score": scoring(folder, options),
        "train": training(folder, reader),
        "readings": reading_at_once(folder, reader),
        "scores": scoring_at_once(folder, options),
        "corpus": corpus(folder),
        "migration": migrating(folder),
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
