"""What every command shares: messages on standard error, results on standard output or in a file."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from ragcortex.errors import InputError, StoreError
from ragcortex.rendering.inert import inert, inert_line
from ragcortex.whole_files import replacing

# What a shell reports of a program whose reader went away (128 + SIGPIPE).
EXIT_BROKEN_PIPE: Final = 141


def say(sentence: str) -> None:
    """Print one line on standard error; characters of foreign text that would act on the terminal are spelled out."""
    print(inert_line(sentence), file=sys.stderr, flush=True)


def complain(sentence: str) -> None:
    """Print what went wrong on standard error, as one line."""
    say(f"ragcortex: {sentence}")


def write_text(text: str) -> None:
    """Write text for people on standard output; what its encoding lacks is written as escapes.

    Raises:
        StoreError: it cannot be written; a reader that has gone is a BrokenPipeError.
    """
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    with onto("standard output"):
        sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))


def write_data(text: str) -> None:
    """Write text for programs on standard output, as UTF-8 whatever the terminal's encoding is.

    Raises:
        StoreError: it cannot be written; a reader that has gone is a BrokenPipeError.
    """
    with onto("standard output"):
        sys.stdout.flush()
        buffer = getattr(sys.stdout, "buffer", None)
        if buffer is None:
            sys.stdout.write(text)
            return
        buffer.write(text.encode("utf-8"))
        buffer.flush()


@contextmanager
def onto(name: str) -> Iterator[None]:
    """Say what cannot be written where a write fails within the block.

    Raises:
        StoreError: it failed; a reader that has gone is a BrokenPipeError.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise StoreError(f"{name} cannot be written: {error.strerror or error}") from error


def write_foreign(text: str) -> None:
    """Write text of someone else (a card, say) on standard output, made inert."""
    write_text(inert(text) if text.endswith("\n") else inert(text) + "\n")


def save_text(path: Path, text: str, field: str = "out") -> None:
    """Write a file as UTF-8; see `save_bytes`."""
    save_bytes(path, text.encode("utf-8"), field)


def save_bytes(path: Path, content: bytes, field: str = "out") -> None:
    """Write a file, whole or not at all.

    Raises:
        InputError: it cannot be written; the message says why.
    """
    with saving(path, field) as file:
        file.write(content)


@contextmanager
def saving(path: Path, field: str = "out") -> Iterator[BinaryIO]:
    """Give a file to be filled, which is there whole or not at all; a pipe or a device is written as it is.

    Raises:
        InputError: it cannot be written; the message says why.
    """
    # A file may be ours to write in a folder that is not.
    at_once = path.exists() and not (path.is_file() and os.access(path.resolve().parent, os.W_OK))
    try:
        with path.open("wb") if at_once else replacing(path.resolve()) as file:
            yield file
    except OSError as error:
        raise cannot_write(path, error, field) from None


def save_picture(path: Path, content: bytes) -> None:
    """Write a picture and say so.

    Raises:
        InputError: it cannot be written; the message says why.
    """
    save_bytes(path, content, "picture")
    say(f"picture written to {path}")


def check_writable(path: Path, field: str = "out") -> None:
    """Refuse an output file that cannot be written, before the work that fills it begins.

    Raises:
        InputError: it is a folder, its folder does not exist, or it may not be written.
    """
    if path.is_dir():
        raise InputError(field, f"{str(path)!r} is a folder; give the name of a file")
    if not path.parent.is_dir():
        raise InputError(field, f"folder {str(path.parent)!r} does not exist; make it first")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InputError(field, f"{str(path)!r} cannot be written: permission denied")


def cannot_write(path: Path, error: OSError, field: str = "out") -> InputError:
    """Return the error for a file that could not be written."""
    return InputError(field, f"{str(path)!r} cannot be written: {error.strerror or error}")


def plural(n: int, noun: str) -> str:
    """Return a count with its noun.

    >>> plural(1200, "row")
    '1,200 rows'
    """
    return f"{n:,} {noun if n == 1 else noun + 's'}"


def size_text(n_bytes: int) -> str:
    """Return a size in bytes for people, in decimal units.

    >>> size_text(538_000_000)
    '538 MB'
    """
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= factor:
            value = n_bytes / factor
            return f"{value:.1f} {unit}" if value < 10 else f"{value:.0f} {unit}"
    return f"{n_bytes} bytes"
