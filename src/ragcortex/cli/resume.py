"""An output file that grows row by row, and the small file beside it by which an interrupted run is taken up again."""

import codecs
import glob
import hashlib
import json
import os
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Self

from ragcortex.cli.console import cannot_write, check_writable
from ragcortex.engines.rows import Tally, json_lines
from ragcortex.errors import InputError, StoreError
from ragcortex.plain_files import bounded_lines, open_plain
from ragcortex.whole_files import write_whole

_SCHEMA: Final = "ragcortex.progress/1"
_ANOTHER_RUN: Final = "give --overwrite to start again, or another --out"


@dataclass(frozen=True, slots=True)
class InputFile:
    """What an input file holds.

    Attributes:
        sha256: over all its bytes.
        n_rows: its lines that are not blank.
    """

    sha256: str
    n_rows: int

    @classmethod
    def of(cls, path: Path) -> "InputFile":
        """Read a file once, a line at a time; raises InputError if that is not possible."""
        digest, n_rows = hashlib.sha256(), 0
        try:
            with open_plain(path) as stream:
                for index, line in enumerate(bounded_lines(stream, digest.update)):
                    n_rows += bool((line if index else line.removeprefix(codecs.BOM_UTF8)).strip())
        except FileNotFoundError:
            raise InputError("input", f"file {str(path)!r} does not exist; give a JSONL file, one row a line") from None
        except OSError as error:
            raise InputError("input", f"file {str(path)!r} cannot be read: {error.strerror}") from None
        return cls(digest.hexdigest(), n_rows)


@dataclass(frozen=True, slots=True)
class Run:
    """Everything that decides what a row of the output holds; a run is taken up only by one that is the same.

    Attributes:
        input_sha256: over the input file.
        detector: name, version and SHA-256 of the detector's files.
        reader: the reader's fingerprint.
        dtype: the precision read in.
        window: the longest input in tokens.
    """

    input_sha256: str
    detector: str
    reader: str
    dtype: str
    window: int

    def difference(self, other: Mapping[str, Any]) -> str | None:
        """Return in words what differs from a recorded run, None if nothing does."""
        names = {"input_sha256": "input file", "reader": "reader"}
        differing = [names.get(name, name) for name, value in asdict(self).items() if other.get(name) != value]
        return ", ".join(differing) or None


class RowFile:
    """An output file of JSON lines, one an input row, in order; every group of lines is on disk when `write` returns.

    Raises:
        InputError: the file exists and is not the unfinished output of the same run.
    """

    def __init__(self, path: Path, *, overwrite: bool) -> None:
        check_writable(path)
        self.path, self.overwrite = path, overwrite
        self.tally = Tally()
        self._sidecar = path.with_name(f"{path.name}.progress.json")
        self._stream: BinaryIO | None = None
        if not overwrite and self._has_content() and not self._sidecar.exists():
            raise InputError(
                "out", f"file {str(path)!r} already exists and is no unfinished output of `score`; {_ANOTHER_RUN}"
            )

    def begin(self, run: Run) -> int:
        """Open the file for this run and return how many rows an interrupted run has already written.

        Raises:
            InputError: the file belongs to another run, another process is writing it, or it cannot be written.
        """
        resumes = not self.overwrite and self._has_content()
        if resumes:
            self._check_same(run)
        try:
            self._stream = self.path.open("r+b" if resumes else "ab")
            _lock(self._stream, self.path)
            if resumes:
                self._stream.seek(self._count_rows(self._stream))
            self._stream.truncate(self._stream.tell() if resumes else 0)
            self._record(run)
        except OSError as error:
            raise cannot_write(self.path, error) from None
        return self.tally.n_rows

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Append rows and put them on disk.

        Raises:
            StoreError: the disk is full, say; what was written before is kept.
        """
        assert self._stream is not None
        lines = json_lines(rows).encode("utf-8")
        try:
            with _uninterrupted():
                self._stream.write(lines)
                self._stream.flush()
                os.fsync(self._stream.fileno())
                for row in rows:
                    self.tally.add(row)
        except OSError as error:
            raise StoreError(
                f"{str(self.path)!r} cannot be written: {error.strerror}; the rows before are kept, "
                "and the same command goes on from there"
            ) from None

    def finish(self) -> None:
        """Mark the output as complete: from now on it is not taken up again."""
        self._sidecar.unlink(missing_ok=True)
        for left in self.path.parent.glob(f".{glob.escape(self._sidecar.name)}.*.tmp"):  # of runs that were killed
            left.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._stream is not None:
            # What is to be written is on disk by now, or was refused: closing tries that again, and fails again.
            with suppress(OSError):
                self._stream.close()

    def _has_content(self) -> bool:
        return self.path.exists() and self.path.stat().st_size > 0

    def _check_same(self, run: Run) -> None:
        try:
            recorded = json.loads(self._sidecar.read_text(encoding="utf-8"))
            known = isinstance(recorded, dict) and recorded.get("schema") == _SCHEMA
        except FileNotFoundError:
            raise InputError(
                "out", f"file {str(self.path)!r} was completed by another process meanwhile; {_ANOTHER_RUN}"
            ) from None
        except (OSError, ValueError, RecursionError):
            known = False
        if not known:
            raise InputError("out", f"{str(self._sidecar)!r} is damaged, so the run cannot be taken up; {_ANOTHER_RUN}")
        difference = run.difference(recorded)
        if difference is not None:
            raise InputError(
                "out",
                f"{str(self.path)!r} is the unfinished output of another run (not the same: {difference}); "
                f"{_ANOTHER_RUN}",
            )

    def _count_rows(self, stream: BinaryIO) -> int:
        """Count the whole rows and return where they end; a line torn by the interrupt, or damaged, is left out."""
        end = 0
        for line in stream:
            try:
                if not line.endswith(b"\n"):
                    break
                self.tally.add(json.loads(line))
            except (ValueError, KeyError, TypeError, RecursionError):
                break
            end += len(line)
        return end

    def _record(self, run: Run) -> None:
        """Write the sidecar whole or not at all, before the first row."""
        text = json.dumps({"schema": _SCHEMA, **asdict(run)}, indent=2) + "\n"
        write_whole(self._sidecar, text.encode(), f"{str(self._sidecar)!r} cannot be written")


def folder_digest(folder: Path) -> str:
    """Return one SHA-256 over the names and contents of a detector's files."""
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.iterdir() if path.is_file()):
        digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait for the end of the block, so that what is written and what is counted stay the same."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupts: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
    if interrupts:
        raise KeyboardInterrupt


def _lock(stream: BinaryIO, path: Path) -> None:
    """Keep a second process from writing the same file, where the system can (not on Windows)."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError("out", f"{str(path)!r} is being written by another process; wait for it") from None
    except OSError:  # a file system without locks
        return
