"""Which files are read: folders walked in a fixed order, with a record of everything that is passed over."""

import os
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragcortex.errors import InputError
from ragcortex.geometry.document_types import Unreadable

ENDINGS: Final = (
    ".txt", ".text", ".md", ".markdown", ".html", ".htm", ".xhtml", ".pdf", ".jsonl", ".ndjson", ".json",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file to read.

    Attributes:
        path: where it is.
        label: its path within the folder that was given, with `/`; its name if the file itself was given.
        shown: the path as it was given, followed by the label; for messages.
    """

    path: Path
    label: str
    shown: str

    @property
    def ending(self) -> str:
        """The ending of its name in lower case, such as `.txt`."""
        return self.path.suffix.lower()


def source_files(paths: Sequence[Path], max_bytes: int) -> Iterator[SourceFile | Unreadable]:
    """Yield the files at `paths` and in the folders among them, in order of their names, each file once.

    Passed over, with a record each: names in a folder that begin with a dot, links that leave their folder or lead to a
    folder, unknown endings, files above `max_bytes`, devices and the like, and files that were met before.

    Raises:
        InputError: a path does not exist; raised by the call, not by the first file.
    """
    if not paths:
        raise InputError("paths", "must name at least one file or folder")
    for path in paths:
        if not os.path.lexists(path):
            raise InputError("paths", f"{path} does not exist")
    return _each_once(_walked(paths), max_bytes)


def _walked(paths: Sequence[Path]) -> Iterator[SourceFile | Unreadable]:
    for path in paths:
        if path.is_dir():
            yield from _folder(path)
        else:
            yield SourceFile(path, _readable(path.name), _readable(path.as_posix()))


def _folder(root: Path) -> Iterator[SourceFile | Unreadable]:
    """Walk a folder without recursion, entries of each folder in order of their names."""
    real_root = os.path.realpath(root)
    shown_root = _readable(root.as_posix())
    pending = [(root, "")]
    while pending:
        path, label = pending.pop()
        shown = f"{shown_root}/{label}" if label else shown_root
        if label and path.name.startswith("."):
            yield Unreadable(shown, "was passed over: its name begins with a dot", "hidden")
        elif label and path.is_symlink() and (problem := _link_problem(path, real_root)):
            yield Unreadable(shown, problem, "link")
        elif path.is_dir():
            try:
                entries = sorted(path.iterdir(), key=lambda entry: entry.name, reverse=True)
            except OSError as error:
                yield Unreadable(shown, f"cannot be opened: {error.strerror}", "damaged")
                continue
            prefix = f"{label}/" if label else ""
            pending.extend((entry, prefix + _readable(entry.name)) for entry in entries)
        else:
            yield SourceFile(path, label, shown)


def _link_problem(path: Path, real_root: str) -> str | None:
    """Return why a link within a folder is not followed, None where it leads to a file of the same folder."""
    target = os.path.realpath(path)
    if not Path(target).is_relative_to(real_root):
        return "was not followed: it is a link that leaves the folder; give its target itself if it belongs here"
    if not path.exists():
        return "was not followed: it is a link to nothing"
    if path.is_dir():
        return "was not followed: it is a link to a folder within the same folder, which is read there"
    return None


def _each_once(files: Iterator[SourceFile | Unreadable], max_bytes: int) -> Iterator[SourceFile | Unreadable]:
    met: dict[str, str] = {}
    for file in files:
        if isinstance(file, Unreadable):
            yield file
            continue
        problem = _problem(file, max_bytes)
        if problem is not None:
            yield problem
            continue
        target = os.path.realpath(file.path)
        if target in met:
            yield Unreadable(file.shown, f"is the same file as {met[target]}, which was read", "repeated")
        else:
            met[target] = file.shown
            yield file


def _problem(file: SourceFile, max_bytes: int) -> Unreadable | None:
    try:
        status = file.path.stat()
    except OSError as error:
        return Unreadable(file.shown, f"cannot be opened: {error.strerror}", "damaged")
    if not stat.S_ISREG(status.st_mode):
        return Unreadable(file.shown, "is neither a file nor a folder", "damaged")
    if file.ending not in ENDINGS:
        ending = f"the unknown ending {_readable(file.ending)!r}" if file.ending else "no ending"
        return Unreadable(file.shown, f"has {ending}; known are {', '.join(ENDINGS)}", "ending")
    if status.st_size > max_bytes:
        return Unreadable(
            file.shown,
            f"has {status.st_size:,} bytes, more than the limit of {max_bytes:,}; split it or raise it",
            "size",
        )
    return None


def _readable(name: str) -> str:
    """Return a file name as text; bytes that are no text, which Python keeps as surrogates, are written as escapes."""
    return name.encode("utf-8", errors="surrogateescape").decode("utf-8", errors="backslashreplace")
