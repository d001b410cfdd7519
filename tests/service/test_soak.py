"""`benchmarks/soak.py`: some seconds of it lose nothing, and what it would say if something were lost or grew."""

import importlib
import os
import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).parents[2] / "benchmarks"
Module = Callable[[str], Any]


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Module:
    """Return a function that imports one of the benchmarks' modules, which are no package."""
    monkeypatch.syspath_prepend(FOLDER)
    return importlib.import_module


@pytest.mark.weights  # of the embedded encoder
def test_some_seconds_of_it_lose_nothing() -> None:
    command = [sys.executable, str(FOLDER / "soak.py"), "--minutes", "0.1", "--clients", "8", "--without-reader"]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    counts = re.search(r"checks: (\d+) accepted, 0 lost, 0 doubled, 0 kept though refused\n", done.stdout)
    assert counts is not None, done.stdout
    assert int(counts[1]) > 10
    assert re.search(r"audit trail: \d+ entries, unbroken\n", done.stdout)
    assert re.search(r"SIGTERM with [1-9]\d* requests in flight: exit 0 after [\d.]+ s, 0 cut off\n", done.stdout)
    assert "answers that should not have come: 0\n" in done.stdout


def test_what_is_lost_doubled_or_kept_though_refused_is_counted(tmp_path: Path, module: Module) -> None:
    soak_record = module("soak_record")
    file = tmp_path / "service.sqlite3"
    rows = [("kept", "1"), ("twice", "2"), ("twice", "3"), ("left", "4"), ("refused", "5"), ("other", "6")]
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("CREATE TABLE checks (external_id TEXT, id TEXT)")
        database.execute("CREATE TABLE audit_entries (number INTEGER)")
        database.executemany("INSERT INTO checks VALUES (?, ?)", rows)
    record = soak_record.Record(uncertain={"left", "gone"})
    for name, check_id in (("kept", "1"), ("twice", "2"), ("missing", "7"), ("other", "8")):
        record.accept(name, {"id": check_id, "report": {"id": name}})
    assert soak_record.counted(file, record) == {
        "accepted": 4,
        "kept": 6,
        "lost": 2,  # one is not there, one is there under another id than was answered
        "doubled": 1,
        "kept_though_refused": 1,
        "kept_though_hung_up": 1,
        "audit_entries": 0,
    }


def test_two_answers_under_one_name_are_wrong(module: Module) -> None:
    record = module("soak_record").Record()
    for check_id in ("1", "1", "2"):
        record.accept("a", {"id": check_id, "report": {"id": "a"}})
    assert record.wrong == ["a: answered with 2 after 1"]


def test_requests_that_had_arrived_must_be_answered_at_the_end(module: Module) -> None:
    record = module("soak_record").Record()
    early, late = record.begin("both"), record.begin("both")
    record.stop()
    record._stopped = late.at + 0.5  # within the second that a request may need to arrive
    record.break_off(late, OSError("reset"))
    assert (record.cut_off, record.n_wrong) == (0, 0)
    record._stopped = early.at + 1.5
    record.break_off(early, OSError("reset"))
    assert (record.in_flight, record.cut_off) == (2, 1)
    assert record.wrong == ["both: cut off at the end, OSError reset"]


def test_growth_is_found_with_an_interval_that_holds_for_alike_neighbours(module: Module) -> None:
    slope = module("soak_figures").slope
    hours = np.arange(600) * 5 / 3_600
    # Noise that goes on for minutes: of independent samples the interval would be much too narrow.
    noise = np.repeat(np.random.default_rng(0).normal(0, 5, 60), 10)
    flat = slope(hours, 1_000 + noise, block=60, seed=0)
    growing = slope(hours, 1_000 + 80 * hours + noise, block=60, seed=0)
    assert flat[1] < 0 < flat[2]
    assert growing[1] < 80 < growing[2]
    assert growing[0] == pytest.approx(flat[0] + 80)
    # A straight line is found as it is.
    assert slope(hours, 3 * hours, block=60, seed=0) == pytest.approx((3, 3, 3))


def test_the_windows_hold_every_attempt_and_the_end_is_one_of_its_own(module: Module) -> None:
    figures, record = module("soak_figures"), module("soak_record")
    attempts = [record.Attempt(float(at), "geometry", "2xx", at / 1_000) for at in range(0, 801, 100)]
    rows = figures.windows(attempts, [], 750.0)
    assert [row["minutes"] for row in rows] == [[0, 250 / 60], [250 / 60, 500 / 60], [500 / 60, 750 / 60], [12.5, None]]
    assert [row["requests"] for row in rows] == [3, 2, 3, 1]
    assert rows[0]["latency"]["geometry"] == {"n": 3, "p50_ms": 100.0, "p95_ms": 200.0, "p99_ms": 200.0}
    assert rows[0]["latency"]["both"]["p50_ms"] is None
    # 300 and 400 s in the second third, 500 to 700 s in the last one.
    assert figures.drift(attempts, 750.0) == {"geometry": pytest.approx(600 / 350), "both": None}


@pytest.mark.parametrize("what", ["lost", "doubled", "5xx", "wrong", "exit", "broken chain"])
def test_whatever_must_never_come_fails(what: str, module: Module) -> None:
    failed = module("soak").failed
    row = {"outcomes": {"5xx": int(what == "5xx"), "broken": 0}}
    counts = {"lost": int(what == "lost"), "doubled": int(what == "doubled"), "kept_though_refused": 0}
    found = {"counts": counts, "windows": [row], "n_wrong": int(what == "wrong")}
    found |= {"exit_code": int(what == "exit"), "unbroken": what != "broken chain"}
    assert failed(found)
    assert not failed(
        found | {"windows": [], "n_wrong": 0, "exit_code": 0, "unbroken": True} | {"counts": dict.fromkeys(counts, 0)}
    )
