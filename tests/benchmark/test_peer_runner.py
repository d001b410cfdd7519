"""The runner of peers, with a real process at the other end: every row ends in one line, whatever happens to it."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragcortex.benchmark.external_scores import read_external_scores
from ragcortex.datasets.jsonl import read_examples

ADAPTER = Path(__file__).with_name("made_adapter.py")
RUNNER = Path(__file__).parents[2] / "benchmarks" / "peers" / "run.py"


class Bench:
    """A folder with data, the runner's command over it, and what came of it."""

    def __init__(self, folder, *answers):
        self.folder, self.data, self.out = folder, folder / "data.jsonl", folder / "scores.jsonl"
        rows = [{"id": f"r{n}", "references": ["a", "b"], "answer": answer} for n, answer in enumerate(answers, 1)]
        self.data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        self.seen = folder / "seen"
        self.environment = {**os.environ, "MADE_ADAPTER_SEEN": str(self.seen)}

    def command(self, *more):
        given = ["--python", sys.executable, "--data", str(self.data), "--out", str(self.out), *more]
        return [sys.executable, str(RUNNER), str(ADAPTER), *given]

    def run(self, *more):
        return subprocess.run(
            self.command(*more), env=self.environment, capture_output=True, text=True, timeout=60, check=False
        )

    def scores(self):
        return {line["row"]: line for line in map(json.loads, self.out.read_text(encoding="utf-8").splitlines())}

    def asked(self):
        return [int(line) for line in self.seen.read_text().split()]


@pytest.fixture
def bench(tmp_path):
    return lambda *answers: Bench(tmp_path, *answers)


def test_every_row_ends_in_one_line_and_one_bad_row_hurts_no_other(bench):
    run = bench("fine", "boom", "noise", "outside", "nan", "die", "fine 灯台")
    ended = run.run()
    assert ended.returncode == 5
    assert ended.stdout.startswith("7 rows, 4 with an error; 7 scored now, ")
    errors = [run.scores()[row]["error"] for row in range(1, 8)]
    assert errors == [
        None,
        "ValueError: no such luck",
        None,
        "the adapter's reply cannot be used: spans[0].end: must be at most the answer's length 7, got 8",
        "the adapter's reply cannot be used: answer: must be a finite number, got nan",
        "the adapter ended with exit code 7",
        None,
    ]
    good = run.scores()[7]
    assert good.pop("seconds") < 10
    spans = [{"start": 0, "end": 7, "score": 1.0}]
    assert good == {"id": "r7", "row": 7, "answer": 2.0, "spans": spans, "sentences": None, "error": None}
    log = run.out.with_suffix(".log").read_text(encoding="utf-8")
    assert "something the peer prints" in log
    assert "Traceback" in log
    assert len(read_external_scores(run.out, read_examples(run.data))) == 7


def test_a_row_that_takes_too_long_is_an_error_and_the_next_is_scored(bench):
    run = bench("slow 30", "fine")
    assert run.run("--timeout", "1").returncode == 5
    assert run.scores()[1]["error"] == "no reply within 1 s; the adapter was ended"
    assert run.scores()[2]["error"] is None


def test_a_killed_run_goes_on_where_it_stopped(bench):
    run = bench(*["slow 0.3"] * 4)
    with subprocess.Popen(run.command(), env=run.environment, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 30
        while not run.out.exists() or run.out.read_bytes().count(b"\n") < 2:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    kept = run.out.read_bytes()
    n_kept = kept.count(b"\n")
    run.seen.unlink()
    run.out.write_bytes(kept + b'{"id": "r')  # a line that the kill cut off
    ended = run.run()
    assert ended.returncode == 0
    assert ended.stdout.startswith(f"4 rows, 0 with an error; {4 - n_kept} scored now, ")
    assert f"line {n_kept + 1} was cut off in writing; its row is scored again" in ended.stderr
    assert run.out.read_bytes().startswith(kept)
    assert [line["row"] for line in map(json.loads, run.out.read_text().splitlines())] == [1, 2, 3, 4]
    assert run.asked()[-(4 - n_kept) :] == list(range(n_kept + 1, 5))


def test_what_is_there_is_kept_also_a_row_with_an_error_until_it_is_tried_again(bench):
    run = bench("fine", "boom")
    run.run("--limit", "1")
    assert run.run().returncode == 5
    before = run.out.read_bytes()
    assert run.asked() == [1, 2]
    ended = run.run()
    assert ended.stdout == "2 rows, 1 with an error; 0 scored now\n"
    assert run.out.read_bytes() == before
    run.run("--retry")
    assert run.asked() == [1, 2, 2]
    assert sorted(run.scores()) == [1, 2]


def test_several_methods_come_from_one_pass(bench):
    run = bench("fine", "boom")
    assert run.run("--methods", "one,two").returncode == 5
    assert run.asked() == [1, 2]
    for method in ("one", "two"):
        assert len(run.out.with_suffix(f".{method}.jsonl").read_text().splitlines()) == 2


def test_a_row_that_cannot_be_read_is_a_line_with_its_error(bench):
    run = bench("fine", "fine")
    run.data.write_text('\n{"id": "x"}\n' + run.data.read_text())
    assert run.run().returncode == 5
    assert run.scores()[1] == {
        **{"id": "x", "row": 1, "answer": None, "spans": None, "sentences": None, "seconds": None},
        "error": "the row cannot be read: answer: is missing; every row needs the text to be judged",
    }
    assert run.scores()[3]["id"] == "r2"


def test_scores_of_another_run_are_not_added_to(bench):
    run = bench("fine")
    run.run()
    ended = run.run("--model", "another")
    assert ended.returncode == 2
    assert ended.stderr == (
        f"out: {run.out} was begun with options {{'encoder': None, 'endpoint': None, 'model': None}}, "
        "not {'encoder': None, 'endpoint': None, 'model': 'another'}; give another file\n"
    )
    run.out.with_suffix(".about.json").unlink()
    assert run.run().stderr == f"out: {run.out} was not begun by this command; give another file\n"


def test_a_peer_that_cannot_start_is_named_with_its_words(bench):
    ended = bench("fine").run("--model", "unstartable")
    assert (ended.returncode, ended.stderr) == (3, "the peer cannot start: RuntimeError: no such model\n")


def test_a_peer_that_ends_on_every_row_stops_the_run(bench):
    run = bench(*["die"] * 5)
    ended = run.run()
    assert ended.returncode == 3
    assert ended.stderr == "the adapter ended on 3 rows one after the other; the adapter ended with exit code 7\n"
    assert sorted(run.scores()) == [1, 2]


def test_a_name_that_is_no_peer_is_refused(bench):
    run = bench("fine")
    command = [*run.command()[:2], "halx", *run.command()[3:]]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert ended.stderr.startswith("name: must be one of corroborate, hallucination-check, ")
    assert ended.stderr.endswith(" or an adapter's .py file, got 'halx'\n")
