"""The service of a soak test: what its process holds, sampled, and its audit trail at the end."""

import asyncio
import json
import signal
import subprocess
from pathlib import Path
from typing import Any, Final, NamedTuple

from service_process import COMMAND, ServiceProcess
from soak_record import Record

_END_SECONDS: Final = 120.0


class Sample(NamedTuple):
    """What the process held at one moment: megabytes, and how many files and threads."""

    at: float
    memory_mb: float
    files: int
    threads: int
    database_mb: float


class SoakedService(ServiceProcess):
    """A service whose process is looked at while it runs; Linux only."""

    def _ready(self, started: float) -> float:
        try:
            return super()._ready(started)
        except BaseException:  # an interrupt too must not leave it behind
            self.kill()
            raise

    def sample(self, at: float) -> Sample:
        """Return what it holds now.

        Raises:
            RuntimeError: it has ended.
        """
        place = Path(f"/proc/{self._process.pid}")
        if self._process.poll() is not None:
            raise RuntimeError(f"the service ended with {self._process.returncode}; its log ends with:\n{self.said()}")
        status = dict(line.split(":", 1) for line in (place / "status").read_text(encoding="utf-8").splitlines())
        size = sum(file.stat().st_size for file in self.log.parent.glob("*.sqlite3*"))
        return Sample(
            at,
            int(status["VmRSS"].split()[0]) / 1024,
            sum(1 for _ in (place / "fd").iterdir()),
            int(status["Threads"]),
            size / 1e6,
        )

    def said(self, n_characters: int = 2_000) -> str:
        """Return the end of its log."""
        return self.log.read_text(encoding="utf-8", errors="replace")[-n_characters:]

    def end(self) -> None:
        """End it, in order if that takes no longer than it may."""
        if self._process.poll() is None:
            self.send(signal.SIGTERM)
            try:
                self.wait(_END_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()


async def sampled(service: SoakedService, record: Record, samples: list[Sample], seconds: float) -> None:
    """Add a sample every so many seconds, until the service is told to end."""
    while not record.stopped:
        samples.append(service.sample(record.now()))
        await asyncio.sleep(seconds)


def audit_verdict(database: Path, export: Path) -> dict[str, Any]:
    """Return what the command line says of the audit trail in a database."""
    url = f"sqlite:///{database}"
    command = [str(COMMAND), "service", "audit"]
    subprocess.run([*command, "export", "--out", str(export), "--database", url], check=True, capture_output=True)
    said = subprocess.run([*command, "verify", str(export), "--json"], check=False, capture_output=True, text=True)
    verdict: dict[str, Any] = json.loads(said.stdout)
    return verdict
