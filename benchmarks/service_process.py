"""A service started as users start it, on loopback, with a data folder of its own."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx

COMMAND = Path(sys.executable).with_name("ragcortex")
READY_SECONDS = 180.0
_PREFIX = "RAGCORTEX_SERVICE_"
# Only what a benchmark asks for counts.
_PRECISION = ("RAGCORTEX_DTYPE", "RAGCORTEX_EMBEDDER_DTYPE")


def free_port() -> int:
    """Return a port that nothing listens on now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
    return port


class ServiceProcess:
    """`ragcortex serve` in a process of its own; a data folder may outlive it and be given to the next one."""

    def __init__(
        self, data: Path, port: int, settings: Mapping[str, object], environment: Mapping[str, str] | None = None
    ) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.log = data / "service.log"
        data.mkdir(parents=True, exist_ok=True)
        kept = {name: value for name, value in os.environ.items() if not name.startswith((_PREFIX, *_PRECISION))}
        own = {"host": "127.0.0.1", "port": port, "data_dir": data, "auth": "none", **settings}
        variables = (
            kept | dict(environment or {}) | {f"{_PREFIX}{name.upper()}": str(value) for name, value in own.items()}
        )
        started = time.perf_counter()
        with self.log.open("ab") as log:
            self._process = subprocess.Popen([str(COMMAND), "serve"], env=variables, stdout=log, stderr=log)
        self.start_seconds = self._ready(started)

    def _ready(self, started: float) -> float:
        """Return how long it took until the service says that it is ready."""
        while time.perf_counter() - started < READY_SECONDS:
            if self._process.poll() is not None:
                break
            try:
                if httpx.get(f"{self.url}/readyz", timeout=5).status_code == httpx.codes.OK:
                    return time.perf_counter() - started
            except httpx.TransportError:
                pass
            time.sleep(0.1)
        self.kill()
        log = self.log.read_text(encoding="utf-8", errors="replace")[-2_000:]
        raise RuntimeError(f"the service was not ready within {READY_SECONDS:.0f} s; its log ends with:\n{log}")

    def send(self, number: signal.Signals) -> None:
        """Send the process a signal."""
        self._process.send_signal(number)

    def wait(self, seconds: float) -> int:
        """Return the exit code once the process has ended, at the latest after so many seconds."""
        return self._process.wait(seconds)

    def kill(self) -> None:
        """End the process whatever it does."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(30)

    @property
    def peak_memory_mb(self) -> float:
        """The most memory that the process has held, in megabytes; not a number where the system does not tell."""
        try:
            lines = Path(f"/proc/{self._process.pid}/status").read_text(encoding="utf-8").splitlines()
        except OSError:
            return float("nan")
        return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), float("nan"))


@contextmanager
def running(
    data: Path, *, environment: Mapping[str, str] | None = None, **settings: object
) -> Iterator[ServiceProcess]:
    """Run a service while the block runs, with settings of its own and further environment variables."""
    process = ServiceProcess(data, free_port(), settings, environment)
    try:
        yield process
    finally:
        process.send(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
