"""Uploaded PDF files, read in a process of their own: a hostile one can take that process's time and memory, no more.

Other kinds of files are read by what cannot run away with them; PDF can hold a little that unpacks to a lot, and loops.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from ragcortex.errors import InputError
from ragcortex.geometry.documents import Document, Unreadable, file_documents

SECONDS: Final = 60
MEMORY_BYTES: Final = 2 * 1024**3
_TEXT_BYTES: Final = 200_000_000
_START_SECONDS: Final = 10
# All that the process needs to know of its surroundings; the service's own hold secrets.
_PASSED_ON: Final = ("PATH", "PYTHONHOME", "PYTHONPATH", "SYSTEMROOT", "VIRTUAL_ENV")


def pdf_documents(
    path: Path, label: str, *, seconds: int = SECONDS, memory_bytes: int = MEMORY_BYTES
) -> list[Document | Unreadable]:
    """Return the document of a PDF file, called by a label, and the pages that could not be read.

    Args:
        path: of the file.
        label: its id, see `file_documents`.
        seconds: of work, after which it is given up.
        memory_bytes: the most that the process may take, where the system can tell it so.

    Raises:
        InputError: it takes too long or too much, or brings the reader down.
    """
    limits = json.dumps({"seconds": seconds, "memory_bytes": memory_bytes})
    command = [sys.executable, "-m", __name__, str(path), label, limits]
    surroundings = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    with tempfile.TemporaryFile() as output:
        try:
            done = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.DEVNULL,
                env=surroundings,
                timeout=seconds + _START_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise InputError("files", f"takes more than {seconds} s to read; split it, or send its text") from None
        if done.returncode:
            raise InputError(
                "files", "takes too much time or memory to read, or is damaged; split it, or send its text"
            )
        output.seek(0)
        return [_item(values) for values in json.loads(output.read())]


def main(arguments: Sequence[str]) -> None:
    """Read a file within limits, and write what is in it to standard output: what the other process asked for."""
    path, label, limits = arguments
    _limit(**json.loads(limits))
    items = [asdict(item) for item in file_documents(Path(path), label)]
    sys.stdout.buffer.write(json.dumps(items).encode())


def _limit(*, seconds: int, memory_bytes: int) -> None:
    """Let the system end this process where it takes more; Windows cannot."""
    try:
        import resource
    except ImportError:
        return
    for what, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_FSIZE, _TEXT_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        soft = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (soft, hard))


def _item(values: dict[str, Any]) -> Document | Unreadable:
    if "text" in values:
        lists = {name: tuple(values[name]) for name in ("notes", "page_starts")}
        return Document(**{**values, **lists})
    return Unreadable(**values)


if __name__ == "__main__":
    main(sys.argv[1:])
