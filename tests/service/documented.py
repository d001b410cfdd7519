"""The document of the service in parts, and a service of its own to run its examples against."""

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

DOCUMENT = Path(__file__).parents[2] / "docs" / "service.md"
COMMAND = Path(sys.executable).with_name("ragcortex")
DOCUMENTED_URL = "http://127.0.0.1:8765"
_SECONDS = 120
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, empty for commands and what they print, and the line that it begins in."""

    language: str
    text: str
    line: int

    @property
    def first_word(self) -> str:
        return self.text.split()[0]


@dataclass(frozen=True)
class Running:
    """A service that runs: its address, and the environment that commands on its database need."""

    url: str
    environment: dict[str, str]

    def here(self, text: str) -> str:
        """Return an example with this service's address."""
        return text.replace(DOCUMENTED_URL, self.url)


def document() -> str:
    return DOCUMENT.read_text(encoding="utf-8")


def blocks(language: str | None = None) -> list[Block]:
    """Return the document's blocks, all of them or those of one language."""
    text = document()
    found = [Block(one[1], one[2], text.count("\n", 0, one.start()) + 1) for one in _FENCE.finditer(text)]
    return [one for one in found if language is None or one.language == language]


def table(heading: str) -> list[list[str]]:
    """Return the rows of the first table below a heading, without its head, as cells without their backquotes."""
    rows = []
    for line in document().partition(f" {heading}\n")[2].splitlines():
        if line.startswith("|"):
            rows.append([cell.strip().replace("`", "") for cell in line.strip("|").split("|")])
        elif rows:
            break
    return rows[2:]


def shows(shown: object, real: object) -> bool:
    """Return whether an example is a part of what was answered; numbers with a fraction, times and ids may differ."""
    if isinstance(shown, dict):
        return isinstance(real, dict) and all(key in real and shows(shown[key], real[key]) for key in shown)
    if isinstance(shown, list):
        return isinstance(real, list) and all(any(shows(one, other) for other in real) for one in shown)
    if isinstance(shown, float):
        return isinstance(real, float)
    return str_form(shown) == str_form(real)


def str_form(value: object) -> str:
    """Return a value as text, with `#` for digests, ids and moments."""
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z|\b[0-9a-f]{12,}…?|\b[0-9a-f]{4}…", "#", str(value))


@contextmanager
def service(data: Path) -> Iterator[Running]:
    """Run a service without the reader on a free port while the block runs."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAGCORTEX_SERVICE_")}
    folders = f"{COMMAND.parent}{os.pathsep}{os.environ.get('PATH', '')}"
    environment = {**kept, "PATH": folders, "RAGCORTEX_SERVICE_DATA_DIR": str(data)}
    command = [str(COMMAND), "serve", "--witness", "geometry", "--port", "0"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        killer = threading.Timer(_SECONDS, process.kill)
        killer.start()
        lines: list[str] = []
        try:
            url = _address(process.stderr, lines)
        finally:
            killer.cancel()
        # Nobody reads the log any more, and a full pipe would stop the service.
        drain = threading.Thread(target=lines.extend, args=(process.stderr,), daemon=True)
        drain.start()
        try:
            yield Running(url, environment)
        finally:
            process.terminate()
            process.wait(_SECONDS)
            drain.join()


def _address(log: Iterator[str], lines: list[str]) -> str:
    for line in log:
        lines.append(line)
        found = re.match(r"serving on (http://\S+?);", line)
        if found:
            return found[1]
    raise AssertionError("the service did not start:\n" + "".join(lines[-30:]))


def run(command: Sequence[str], *, environment: dict[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    return subprocess.run(
        command, env=environment, cwd=folder, capture_output=True, text=True, timeout=_SECONDS, check=False
    )
