"""An adapter running in a peer's environment, spoken to one JSON line at a time."""

import contextlib
import json
import os
import queue
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from ragcortex.errors import ModelError

_START_SECONDS: Final = 600
_LOG_TAIL: Final = 5


class AdapterEndedError(Exception):
    """The adapter ended, or was ended for taking too long, before it replied."""


class Adapter:
    """A running adapter; what it and the peer print is added to the log file.

    Raises:
        ModelError: it does not become ready; the message has its own words or the end of the log.
    """

    def __init__(self, python: Path, script: Path, options: Mapping[str, Any], log: Path) -> None:
        self._log_path = log
        self._log = log.open("ab")
        self._process = subprocess.Popen(
            [str(python), str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=_surroundings(),
        )
        self._replies: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            ready = self.ask(options, _START_SECONDS)
            if not ready.get("ready"):
                raise ModelError(f"the peer cannot start: {ready.get('error', ready)}")
        except AdapterEndedError as error:
            self.close()
            raise ModelError(f"the peer cannot start: {error}; {self._log_tail()}") from None
        except BaseException:
            self.close()
            raise

    def ask(self, message: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Send one message and return the reply to it.

        Raises:
            AdapterEndedError: there was none within so many seconds, it is not a JSON object, or the adapter ended;
                it does not run any more.
        """
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended; what it last said or its exit code is reported below
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        try:
            line = self._replies.get(timeout=seconds)
        except queue.Empty:
            self.close()
            raise AdapterEndedError(f"no reply within {seconds:g} s; the adapter was ended") from None
        if not line:
            self.close()
            raise AdapterEndedError(f"the adapter ended with exit code {self._process.returncode}")
        try:
            reply = json.loads(line)
        except ValueError:
            reply = None
        if not isinstance(reply, dict):
            self.close()
            raise AdapterEndedError(f"the adapter replied {line[:80]!r}, which is no JSON object; it was ended")
        return reply

    def close(self) -> None:
        """End the adapter, if it runs."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._log):
            if stream is not None:
                with contextlib.suppress(OSError):  # a message that was never taken
                    stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as stream:
            for line in stream:
                self._replies.put(line)
        self._process.wait()
        self._replies.put(b"")

    def _log_tail(self) -> str:
        lines = self._log_path.read_text(encoding="utf-8", errors="replace").splitlines()
        return "its last words: " + " | ".join(line.strip() for line in lines[-_LOG_TAIL:] if line.strip())


def _surroundings() -> dict[str, str]:
    """Return the environment without what would lead the peer to the project's packages or to a hub."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    return {**kept, **offline, "PYTHONNOUSERSITE": "1", "PYTHONUTF8": "1"}
