"""A disk that fills, or cannot be written at all: what is there stays whole, the message says why, and a rerun ends.

The disk is a real one of a few megabytes, which only the process that fills it sees.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fault_rows import REFERENCE, labelled_rows, scored_rows
from mounts import on_read_only_disk, on_small_disk

from ragcortex.cli.__main__ import run

_DRIVER = Path(__file__).with_name("small_disk.py")
_NO_SPACE = "No space left on device"
_COMMAND = str(Path(sys.executable).with_name("ragcortex"))


def seen(folder: Path, size: str, name: str, *arguments: object) -> dict[str, Any]:
    """Return what a function of `small_disk` saw on a disk of that size."""
    disk = folder / "disk"
    disk.mkdir()
    done = on_small_disk(disk, size, _DRIVER, name, disk, *arguments)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found | {"disk": disk}


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory, gain_detector: Path, tiny_reader_folder: Path) -> dict[str, Any]:
    """Return what was seen of commands whose disk filled, and that were given again."""
    folder = tmp_path_factory.mktemp("commands")
    rows, labelled = scored_rows(folder / "in.jsonl", 60), labelled_rows(folder / "rows.jsonl", 24)
    options = ("--detector", gain_detector, "--reader", tiny_reader_folder)
    return seen(folder, "4m", "commands", rows, labelled, tiny_reader_folder, *options)


def test_rows_scored_before_the_disk_was_full_are_kept(commands: dict[str, Any]) -> None:
    found = commands["score"]
    assert found["full"]["code"] == 70
    assert found["full"]["said"].splitlines()[-1] == (
        f"ragcortex: '{commands['disk'] / 'score' / 'out.jsonl'}' cannot be written: {_NO_SPACE}; the rows before are "
        "kept, and the same command goes on from there"
    )
    assert 0 < found["whole_rows"] < 60
    assert found["again"]["code"] == 0
    assert found["again"]["said"].startswith(f"going on after {found['whole_rows']} of 60 rows\n")
    assert found["ids"] == [f"row-{n}" for n in range(60)]
    assert found["files"] == ["out.jsonl"]


def test_a_report_replaces_another_one_only_whole(commands: dict[str, Any]) -> None:
    found = commands["check"]
    assert found["full"]["code"] == 2
    assert found["full"]["said"] == (
        f"ragcortex: out: '{commands['disk'] / 'check' / 'report.json'}' cannot be written: {_NO_SPACE}\n"
    )
    assert found["found"] == "the report before"
    assert found["files"] == ["ballast", "report.json"]
    assert (found["again"]["code"], found["schema"]) == (0, "ragcortex.report/1")


def test_readings_kept_before_the_disk_was_full_are_used(commands: dict[str, Any]) -> None:
    found = commands["train"]
    assert found["full"]["code"] == 70
    last = found["full"]["said"].splitlines()[-1]
    assert last.startswith(f"ragcortex: a reading cannot be written to '{commands['disk'] / 'train' / 'readings'}': ")
    assert _NO_SPACE in last
    assert 0 < found["n_kept"] < 24
    assert not [name for name in found["files"] if name.startswith("mine") or name.endswith(".tmp")]
    assert found["again"]["code"] == 0, found["again"]["said"]
    assert f"{found['n_kept']} of 24 readings already on disk" in found["again"]["said"]
    assert {"mine/README.md", "mine/detector.json", "mine/heads.safetensors"} < set(found["after"])
    assert sum(name.endswith(".safetensors") for name in found["after"]) == 24 + 1


def test_a_corpus_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    found = seen(tmp_path, "8m", "corpus")
    place = tmp_path / "disk" / "corpus"
    assert found["keeping"].startswith(f"vectors cannot be kept in '{place}.partial': ")
    advice = "make room or choose another place, and run the command again"
    for moment in ("keeping", "writing", "adding"):
        assert _NO_SPACE in found[moment]
        assert found[moment].endswith(advice)
    assert found["writing"].startswith(f"the corpus '{place}' cannot be written: ")
    assert (found["keeping_there"], found["writing_there"]) == (False, False)
    assert found["again"] == [0, 300], "nothing is embedded twice"
    assert found["unchanged"], "what was there before stays"
    assert (found["added"], found["same"], found["files"]) == (301, True, 6)


def test_the_database_goes_on_where_there_was_room(tmp_path: Path) -> None:
    found = seen(tmp_path, "4m", "database")
    assert found["migrating"] is not None
    assert "the SQLite database cannot grow; free some disk space" in found["writing"]
    assert found["n_full"] > 3
    assert (found["unbroken"], found["n_entries"]) == (True, found["n_full"] + 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, where there is never room")
def test_an_output_without_room_is_named(
    tmp_path: Path, gain_options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    source = scored_rows(tmp_path / "in.jsonl", 3)
    assert run(["score", str(source), "--out", "/dev/full", *gain_options]) == 70
    assert capsys.readouterr().err.splitlines()[-1] == f"ragcortex: '/dev/full' cannot be written: {_NO_SPACE}"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, where there is never room")
@pytest.mark.parametrize("arguments", [("detectors", "list"), ("data", "list", "--json")], ids=" ".join)
def test_standard_output_without_room_is_no_internal_error(arguments: tuple[str, ...]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([_COMMAND, *arguments], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (70, f"ragcortex: standard output cannot be written: {_NO_SPACE}\n")


_READ_ONLY = """
import contextlib, io, json, os, sys
from pathlib import Path
from ragcortex.cli.__main__ import run
said, shown = io.StringIO(), io.StringIO()
with contextlib.redirect_stderr(said), contextlib.redirect_stdout(shown):
    codes = [run(arguments) for arguments in json.loads(sys.argv[1])]
print(json.dumps([codes, said.getvalue()]))
"""


def test_a_read_only_cache_only_costs_time(tmp_path: Path, gain_options: list[str], tiny_reader_folder: Path) -> None:
    cache, out = tmp_path / "cache", tmp_path / "out.jsonl"
    cache.mkdir()
    source, rows = scored_rows(tmp_path / "in.jsonl", 3), labelled_rows(tmp_path / "rows.jsonl", 12)
    commands = [
        ["check", "--reference", REFERENCE, "--answer", "It was built in 1874.", *gain_options],
        ["score", str(source), "--out", str(out), *gain_options],
        ["train", str(rows), "--out", str(tmp_path / "mine"), "--reader", str(tiny_reader_folder), "--layers", "2"],
        ["score", str(source), "--out", str(cache / "out.jsonl"), *gain_options],
    ]
    given = json.dumps(commands)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGCORTEX_CACHE", str(cache))
        done = on_read_only_disk(cache, "-c", _READ_ONLY, given)
    assert done.returncode == 0, done.stderr[-3000:]
    codes, said = json.loads(done.stdout)
    assert codes == [0, 0, 70, 2]
    assert len(out.read_text().splitlines()) == 3
    *_, train, score = said.splitlines()
    assert train == (f"ragcortex: the folder of readings '{cache / 'readings'}' cannot be made: Read-only file system")
    assert score == f"ragcortex: out: '{cache / 'out.jsonl'}' cannot be written: permission denied"
    assert list(cache.iterdir()) == []
