"""Follows a page as its reader would: saves its files, runs its commands in one shell and its Python in one session."""

import contextlib
import io
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from doc_pages import Block, blocks

SECONDS = 300
_END = "== the block has ended =="
_SERVING = re.compile(r"serving on (http://127\.0\.0\.1):(\d+)")


@dataclass
class Shell:
    """A bash that keeps its folder and its variables from one block to the next, and stops at the first failure."""

    process: subprocess.Popen[str]
    served: list[int] = field(default_factory=list)

    @classmethod
    @contextlib.contextmanager
    def opened(cls, folder: Path, environment: dict[str, str]) -> Iterator["Shell"]:
        with subprocess.Popen(
            ["bash", "--noprofile", "--norc"], cwd=folder, env=environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        ) as process:  # fmt: skip
            shell = cls(process)
            shell.run("set -eu -o pipefail")
            try:
                yield shell
            finally:
                for served in shell.served:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(served, signal.SIGTERM)
                assert process.stdin is not None
                process.stdin.close()
                process.wait(SECONDS)

    def run(self, commands: str) -> str:
        """Return what commands print, on both streams; fails where one of them does."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        # A group reads nothing of what follows it, and a failure in it ends the shell.
        group = "" if commands.startswith("set ") else "</dev/null"
        stdin.write(f"{{\n{commands}\n}} {group}\nprintf '\\n%s\\n' '{_END}'\n")
        stdin.flush()
        killer = threading.Timer(SECONDS, self.process.kill)
        killer.start()
        lines = []
        try:
            for line in stdout:
                if line.rstrip("\n") == _END:
                    return "".join(lines).removesuffix("\n")
                lines.append(line)
        finally:
            killer.cancel()
        raise AssertionError("a command failed, or took too long:\n" + "".join(lines))

    def serve(self, command: str, log: Path) -> str:
        """Start a service on a free port; return the port once it answers."""
        own = command.strip().replace("ragcortex serve", "ragcortex serve --port 0")
        assert own != command.strip(), f"expected `ragcortex serve`, got {command!r}"
        self.served.append(int(self.run(f"({{ exec {own}; }} >'{log}' 2>&1 </dev/null & echo $!)").split()[-1]))
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            found = _SERVING.search(log.read_text(encoding="utf-8")) if log.exists() else None
            if found:
                return found[2]
            time.sleep(0.2)
        raise AssertionError(f"the service did not start:\n{log.read_text(encoding='utf-8')}")


def walk(page: str, folder: Path, environment: dict[str, str], instead: Mapping[str, str] | None = None) -> None:
    """Run what a page shows, in an own folder which is the current one, and compare what it shows with what is printed.

    `instead` names what is run in place of a command that is not.

    Raises:
        AssertionError: a block fails, or prints something else than the page says.
    """
    printed: str | None = None
    namespace: dict[str, Any] = {"__name__": "__main__"}
    port = "8765"
    with Shell.opened(folder, environment) as shell:
        for block in blocks(page):
            text = block.text.replace("8765", port)
            if block.skip_reason is not None:
                printed = None
            elif block.title is not None:
                (folder / block.title).write_text(text, encoding="utf-8")
                printed = None
            elif block.said == "background":
                port = shell.serve(text, folder / f"serve-{block.line}.log")
                printed = None
            elif block.language == "bash":
                for shown, other in (instead or {}).items():
                    text = text.replace(shown, other)
                printed = shell.run(text)
            elif block.language == "python":
                printed = _session(block, text, namespace)
            elif block.language == "text":
                assert printed is not None, f"{block.where} shows what nothing above it prints"
                _compare(block, printed)


def _session(block: Block, text: str, namespace: dict[str, Any]) -> str:
    stream = io.StringIO()
    with contextlib.redirect_stdout(stream):
        exec(compile(text, block.where, "exec"), namespace)
    return stream.getvalue()


def _compare(block: Block, printed: str) -> None:
    """Find the lines of a block in what was printed, one behind the other; figures with a fraction may differ."""
    real = [_plain(line) for line in printed.splitlines()]
    place = 0
    for line in block.text.splitlines():
        if line.strip() == "…":
            continue
        wanted = _plain(line)
        found = next((n for n, other in enumerate(real[place:], place) if wanted == other), None)
        assert found is not None, f"{block.where} shows {line!r}, which is not what is printed:\n{printed}"
        place = found + 1


def _plain(line: str) -> str:
    return re.sub(r"\d*\.\d+", "#", " ".join(line.split()))


def environment(folder: Path) -> dict[str, str]:
    """Return what commands find: this environment's commands, and a data folder of their own."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAGCORTEX_SERVICE_")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    own = {
        "PATH": path,
        "COLUMNS": "100",
        "PYTHONUNBUFFERED": "1",
        "RAGCORTEX_SERVICE_DATA_DIR": str(folder / "service"),
    }
    if "ragcortex" not in entry_points(group="pytest11").names:  # installed before the package had a plugin
        own["PYTEST_ADDOPTS"] = "-p ragcortex.integrations.pytest_plugin"
    return {**kept, **own}
