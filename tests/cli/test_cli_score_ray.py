"""`score --engine ray`: the same rows as without, whole after a killed worker and an interrupt; Parquet; refusals."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from cli_helpers import EXECUTABLE, Command, read_lines, row, write_lines

from ragcortex.errors import EXIT_INPUT, EXIT_OK, EXIT_SOME_ROWS_FAILED

pytest.importorskip("ray", reason="ray is not installed")

# Ray's own processes leave sockets and pipes behind when they are told to end.
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Return a file of 20 rows, one of them bad, with a blank line between."""
    lines: list[Any] = [row(number) for number in range(19)]
    return write_lines(tmp_path / "rows.jsonl", [*lines[:7], "", '{"id": "bad", "answer": 5}', *lines[7:]])


@pytest.fixture
def arguments(strict_detector: Path, tiny_reader_folder: Path) -> list[object]:
    return ["--detector", strict_detector, "--reader", tiny_reader_folder]


def _parts(folder: Path) -> list[dict[str, Any]]:
    return [line for path in sorted(folder.glob("part-*.jsonl")) for line in read_lines(path)]


def test_gives_the_rows_of_a_plain_run_and_goes_on_where_it_stopped(
    command: Command, rows: Path, arguments: list[object], tmp_path: Path
) -> None:
    plain = command("score", rows, "--out", tmp_path / "plain.jsonl", *arguments)
    assert plain.code == EXIT_SOME_ROWS_FAILED
    ray = ["score", rows, "--engine", "ray", "--workers", 2, "--partition-rows", 6, *arguments, "--out"]
    result = command(*ray, tmp_path / "parts")
    assert result.code == EXIT_SOME_ROWS_FAILED, result.err
    assert "scored 20 rows" in result.err
    assert "19 hallucinated, 1 error" in result.err
    assert sorted(path.name for path in (tmp_path / "parts").iterdir()) == sorted(
        ["run.json", *(f"part-00000{n}{end}" for n in range(4) for end in (".jsonl", ".done.json"))]
    )
    content = b"".join(path.read_bytes() for path in sorted((tmp_path / "parts").glob("part-*.jsonl")))
    assert content == (tmp_path / "plain.jsonl").read_bytes()

    # Torn as an interrupt tears it: a part without its count, and one that was never begun.
    (tmp_path / "parts" / "part-000001.done.json").unlink()
    for path in (tmp_path / "parts").glob("part-000003*"):
        path.unlink()
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "parts").glob("part-00000[02].jsonl")}
    again = command(*ray, tmp_path / "parts")
    assert again.err.startswith("going on after 12 of 20 rows")
    assert "scored 20 rows, 12 of them by the interrupted run" in again.err
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert b"".join(p.read_bytes() for p in sorted((tmp_path / "parts").glob("part-*.jsonl"))) == content

    other = command(*ray[:-1], "--window", 512, "--out", tmp_path / "parts")
    assert other.code == EXIT_INPUT
    assert "holds another run (not the same: window); give --overwrite to start again, or another --out" in other.err


def test_every_row_comes_out_once_although_a_worker_is_killed(
    strict_detector: Path, tiny_reader_folder: Path, tmp_path: Path
) -> None:
    source = write_lines(tmp_path / "rows.jsonl", [row(number) for number in range(60)])
    out = tmp_path / "parts"
    process = subprocess.Popen(
        [
            EXECUTABLE, "score", source, "--out", out, "--engine", "ray", "--partition-rows", "2",
            "--detector", strict_detector, "--reader", tiny_reader_folder,
        ],
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    deadline = time.monotonic() + 240
    while not list(out.glob("part-*.done.json")):
        assert process.poll() is None, process.stderr and process.stderr.read()
        assert time.monotonic() < deadline
        time.sleep(0.01)
    killed = _workers()
    assert killed
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    n_before = len(list(out.glob("part-*.done.json")))
    assert n_before < 30, "the run was over before a worker was killed"
    _, errors = process.communicate(timeout=240)
    assert process.returncode == EXIT_OK, errors
    assert [line["id"] for line in _parts(out)] == [f"row-{number}" for number in range(60)]


def _workers() -> list[int]:
    """Return the processes of the actors that score, by the name Ray gives them."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            title = (folder / "cmdline").read_bytes() if folder.name.isdigit() else b""
        except OSError:  # ended meanwhile
            continue
        if title.startswith(b"ray::") and b"PartitionScorer" in title:
            found.append(int(folder.name))
    return found


def test_parquet_in_parquet_out(command: Command, arguments: list[object], tmp_path: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    given = [row(number) | {"references": [{"text": "Built in 1874.", "id": f"r{number}"}]} for number in range(5)]
    (tmp_path / "in").mkdir()
    for number, some in enumerate((given[:3], given[3:])):
        parquet.write_table(pyarrow.Table.from_pylist(some), tmp_path / "in" / f"{number}.parquet", row_group_size=2)
    result = command("score", tmp_path / "in", "--engine", "ray", "--out", tmp_path / "out", *arguments)
    assert result.code == EXIT_OK, result.err
    plain = command("score", write_lines(tmp_path / "rows.jsonl", given), "--out", tmp_path / "plain.jsonl", *arguments)
    assert plain.code == EXIT_OK
    expected = [
        (line["id"], line["report"]["verdict"], line["report"]) for line in read_lines(tmp_path / "plain.jsonl")
    ]
    found = [
        (line["id"], line["verdict"], json.loads(line["report"]))
        for path in sorted((tmp_path / "out").glob("part-*.parquet"))
        for line in parquet.read_table(path).to_pylist()
    ]
    assert found == expected


def test_bad_detector_is_one_sentence(command: Command, rows: Path, tiny_reader_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    result = command(
        "score",
        rows,
        "--engine",
        "ray",
        "--out",
        tmp_path / "parts",
        "--reader",
        tmp_path / "empty",
        "--detector",
        "cortex",
    )
    assert result.code not in (EXIT_OK, EXIT_SOME_ROWS_FAILED)
    assert result.err.count("\n") == 1, result.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--workers", "2"], "workers: goes with --engine ray, got 2 without it"),
        (["--partition-rows", "9"], "partition-rows: goes with --engine ray, got 9 without it"),
        (["--ray-address", "auto"], "ray-address: goes with --engine ray, got 'auto' without it"),
    ],
)
def test_options_of_ray_without_it(
    command: Command, rows: Path, tmp_path: Path, options: list[str], message: str
) -> None:
    result = command("score", rows, "--out", tmp_path / "out.jsonl", *options)
    assert (result.code, result.err) == (EXIT_INPUT, f"ragcortex: {message}\n")
