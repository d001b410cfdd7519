"""What every command shares: messages on standard error, results on standard output or in a file."""

import os
import sys
from pathlib import Path
from typing import Final

from ragcortex.errors import InputError
from ragcortex.rendering.inert import inert, inert_line

# What a shell reports of a program whose reader went away (128 + SIGPIPE).
EXIT_BROKEN_PIPE: Final = 141


def say(sentence: str) -> None:
    """Print one line on standard error; characters of foreign text that would act on the terminal are spelled out."""
    print(inert_line(sentence), file=sys.stderr, flush=True)


def complain(sentence: str) -> None:
    """Print what went wrong on standard error, as one line."""
    say(f"ragcortex: {sentence}")


def write_text(text: str) -> None:
    """Write text for people on standard output; what its encoding lacks is written as escapes."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))


def write_data(text: str) -> None:
    """Write text for programs on standard output, as UTF-8 whatever the terminal's encoding is."""
    sys.stdout.flush()
    buffer = getattr(sys.stdout, "buffer", None)
    if buffer is None:
        sys.stdout.write(text)
        return
    buffer.write(text.encode("utf-8"))
    buffer.flush()


def write_foreign(text: str) -> None:
    """Write text of someone else (a card, say) on standard output, made inert."""
    write_text(inert(text) if text.endswith("\n") else inert(text) + "\n")


def save_text(path: Path, text: str, field: str = "out") -> None:
    """Write a file as UTF-8.

    Raises:
        InputError: it cannot be written; the message says why.
    """
    try:
        path.write_bytes(text.encode("utf-8"))
    except OSError as error:
        raise cannot_write(path, error, field) from None


def save_picture(path: Path, content: bytes) -> None:
    """Write a picture and say so.

    Raises:
        InputError: it cannot be written; the message says why.
    """
    try:
        path.write_bytes(content)
    except OSError as error:
        raise cannot_write(path, error, "picture") from None
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
