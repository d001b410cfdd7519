"""`ragcortex serve` as a process: what it announces, how it ends, and what it says where it cannot begin."""

import os
import re
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from cli_helpers import EXECUTABLE, Command

from ragcortex.cli.serving import listening
from ragcortex.errors import EXIT_INPUT, EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_MODEL, EXIT_OK, InputError

pytestmark = pytest.mark.weights  # of the embedded encoder

_TIMEOUT = 120
_ADDRESS = re.compile(r"serving on (http://\S+); (.*)")
CHECK = {"references": ["A ticket costs 12 euros."], "answer": "A ticket costs 14 euros."}
MANY = {"checks": [CHECK | {"answer": f"A ticket costs {n} euros. " * 12} for n in range(100, 160)]}


@dataclass
class Serving:
    """A process that serves, and what it has written."""

    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)
    announced: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))
            if _ADDRESS.match(line):
                self.announced.set()
        self.announced.set()

    @property
    def said(self) -> str:
        return "\n".join(self.lines)

    def address(self) -> str:
        """Return where it listens, once it does."""
        assert self.announced.wait(_TIMEOUT)
        found = _ADDRESS.search(self.said)
        assert found is not None, self.said
        return found[1]

    def end(self) -> int:
        """Return the exit code, once the process has ended."""
        code = self.process.wait(_TIMEOUT)
        self.reader.join(10)
        return code


Serve = Callable[..., Serving]


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Return a function that starts `ragcortex serve` with the geometric witness; what still runs is killed."""
    started: list[Serving] = []

    def start(*options: str, **environment: str) -> Serving:
        own = {name: value for name, value in os.environ.items() if not name.startswith("RAGCORTEX_SERVICE_")}
        given = ["--port", "0", "--witness", "geometry", "--data-dir", str(tmp_path / "service"), *options]
        process = subprocess.Popen(
            [EXECUTABLE, "serve", *given],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**own, "OMP_NUM_THREADS": "1", **environment},
        )
        started.append(Serving(process))
        return started[-1]

    yield start
    for one in started:
        if one.process.poll() is None:
            one.process.kill()
        one.process.wait(_TIMEOUT)
        one.reader.join(10)
        for stream in (one.process.stdout, one.process.stderr):
            assert stream is not None
            stream.close()


def in_the_background(call: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    results: list[Any] = []

    def run() -> None:
        try:
            results.append(call())
        except httpx.HTTPError as error:
            results.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, results


def wait_until_judging(address: str) -> None:
    """Return once answers of the batch are being judged."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        if re.search(r'ragcortex_queue_answers\{lane="geometry"\} [1-9]', httpx.get(f"{address}/metrics").text):
            return
        time.sleep(0.02)
    raise AssertionError("no answer is being judged")


def test_it_announces_answers_drains_and_ends(serve: Serve) -> None:
    serving = serve()
    address = serving.address()
    assert re.fullmatch(r"http://127\.0\.0\.1:[1-9][0-9]*", address)
    assert "loading the models" in serving.lines[0]
    assert f"serving on {address}; no keys are needed" in serving.lines
    assert httpx.get(f"{address}/readyz").json() == {"status": "ready", "problems": []}
    assert "server" not in httpx.get(f"{address}/healthz").headers
    found = httpx.post(f"{address}/v1/check", json=CHECK).json()
    assert found["report"]["verdict"] == "hallucinated"
    assert httpx.post(f"{address}/v1/check", json=CHECK, headers={"Origin": "http://evil"}).status_code == 403

    with httpx.stream("POST", f"{address}/v1/check/stream", json={"references": ["a"], "open": True}) as stream:
        events = stream.iter_lines()
        assert next(events) == "event: stream"
        thread, results = in_the_background(lambda: httpx.post(f"{address}/v1/check/batch", json=MANY, timeout=60))
        wait_until_judging(address)
        serving.process.send_signal(signal.SIGTERM)
        rest = "\n".join(events)
        assert '"status":503' in rest.replace(" ", ""), "what has not ended is told that it must be sent again"
    thread.join(60)
    (response,) = results
    assert response.status_code == 200
    assert (len(response.json()["items"]), response.json()["n_failed"]) == (len(MANY["checks"]), 0)
    assert serving.end() == EXIT_OK
    with pytest.raises(httpx.ConnectError):
        httpx.get(f"{address}/healthz")
    assert "Traceback" not in serving.said
    assert serving.process.stdout is not None
    assert serving.process.stdout.read() == ""
    lines = [line for line in serving.lines if "ragcortex.service.access" in line]
    assert any(
        re.search(r"Z INFO ragcortex\.service\.access: POST /v1/check 200 [0-9.]+ ms \w{16}$", line) for line in lines
    )
    assert not any("euros" in line for line in serving.lines)


def test_the_second_interrupt_waits_for_nothing(serve: Serve) -> None:
    serving = serve()
    address = serving.address()
    thread, results = in_the_background(lambda: httpx.post(f"{address}/v1/check/batch", json=MANY, timeout=60))
    wait_until_judging(address)
    began = time.monotonic()
    serving.process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert serving.process.poll() is None, "the first one lets it finish"
    serving.process.send_signal(signal.SIGINT)
    assert serving.end() == EXIT_INTERRUPTED
    assert time.monotonic() - began < 10
    assert serving.lines[-1] == "ragcortex: interrupted; what was accepted is not finished"
    assert "Traceback" not in serving.said
    thread.join(60)
    assert len(results) == 1


def test_what_takes_longer_than_it_may_is_given_up(serve: Serve) -> None:
    serving = serve(RAGCORTEX_SERVICE_DRAIN_SECONDS="0")
    address = serving.address()
    endless = {"checks": [CHECK | {"answer": f"A ticket costs {n} euros. " * 2000} for n in range(20)]}
    thread, results = in_the_background(lambda: httpx.post(f"{address}/v1/check/batch", json=endless, timeout=60))
    wait_until_judging(address)
    began = time.monotonic()
    serving.process.send_signal(signal.SIGTERM)
    assert serving.end() == EXIT_OK
    assert time.monotonic() - began < 30
    thread.join(60)
    assert len(results) == 1
    items = results[0].json()["items"]
    assert {item["problem"]["status"] for item in items if item["problem"] is not None} == {429}
    assert re.search(r"ERROR ragcortex\.service: [0-9]+ accepted answers were given up after 0 s", serving.said)
    assert "Traceback" not in serving.said


def test_what_stops_it_while_it_begins_is_one_sentence(serve: Serve, tmp_path: Path) -> None:
    cases = [
        (
            ("--calibration", tmp_path / "none.json"),
            EXIT_MODEL,
            f"calibration '{tmp_path / 'none.json'}' does not exist",
        ),
        (
            ("--database", "postgresql://ada:secretword@127.0.0.1:1/x"),
            EXIT_INTERNAL,
            "the PostgreSQL database does not",
        ),
    ]
    for serving, code, message in [(serve(*map(str, options)), code, message) for options, code, message in cases]:
        assert serving.end() == code, serving.said
        assert serving.lines[-1].startswith(f"ragcortex: {message}"), serving.said
        assert "Traceback" not in serving.said
        assert "secretword" not in serving.said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--host", "no.such.host.invalid"], "host: 'no.such.host.invalid' is no address of this machine"),
        (["--host", "192.0.2.1"], "host: '192.0.2.1' is no address of this machine"),
        (["--port", "70000"], "port: Input should be less than or equal to 65535"),
        (["--witness", "nobody"], "witness: Input should be 'both', 'internal', 'geometry' or 'cascade'"),
        (["--policies", "/none.json"], "policies: '/none.json' cannot be read as JSON"),
    ],
)
def test_what_stops_it_before_it_begins_is_one_sentence(
    command: Command, tmp_path: Path, options: list[str], message: str
) -> None:
    result = command("serve", "--port", 0, "--data-dir", tmp_path, *options)
    assert (result.code, result.out) == (EXIT_INPUT, "")
    assert result.err.startswith(f"ragcortex: {message}")
    assert result.err.count("\n") == 1


def test_a_wrong_variable_is_named(command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGCORTEX_SERVICE_REVIEWERS", "3")
    result = command("serve", "--port", 0, "--data-dir", tmp_path)
    sentence = "RAGCORTEX_SERVICE_REVIEWERS: Input should be less than or equal to 2"
    assert (result.code, result.err) == (EXIT_INPUT, f"ragcortex: {sentence}\n")


def test_a_port_in_use_is_named(command: Command, tmp_path: Path) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = taken.getsockname()[1]
        result = command("serve", "--port", port, "--data-dir", tmp_path)
    sentence = f"port: {port} is in use on 127.0.0.1; give another one, or 0 for one that is free"
    assert (result.code, result.err) == (EXIT_INPUT, f"ragcortex: {sentence}\n")


def test_all_addresses_of_a_name_get_one_port() -> None:
    sockets = listening("localhost", 0)
    try:
        assert len({one.getsockname()[1] for one in sockets}) == 1
        assert {one.getsockname()[0] for one in sockets} <= {"127.0.0.1", "::1"}
        for one in sockets:
            one.listen()
        with pytest.raises(InputError, match=r"^port: [0-9]+ is in use on 127\.0\.0\.1"):
            listening("127.0.0.1", sockets[-1].getsockname()[1])
    finally:
        for one in sockets:
            one.close()


def test_beyond_this_machine_keys_are_needed(serve: Serve) -> None:
    serving = serve("--host", "0.0.0.0")
    port = serving.address().rpartition(":")[2]
    assert f"serving on http://0.0.0.0:{port}; keys are needed" in serving.lines
    assert httpx.get(f"http://127.0.0.1:{port}/v1/checks").status_code == 401
    assert httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200
    serving.process.send_signal(signal.SIGINT)
    assert serving.end() == EXIT_OK
