"""Values of options that are text, name a file, or stand for standard input."""

import json
import re
import sys
from pathlib import Path
from typing import Any, Final

from ragcortex.cli.console import say
from ragcortex.errors import InputError

STANDARD_INPUT: Final = "-"
_TEXT_FILE: Final = re.compile(r"\.(?:txt|md|markdown|rst|html?|json|jsonl|csv|tsv|xml|pdf|docx?)$", re.IGNORECASE)
_ADDRESS: Final = re.compile(r"https?://\S+")
# Dates and fractions are text although they contain a slash.
_FIGURES: Final = re.compile(r"[\d/.,:–-]+")


class Inputs:
    """Reads the values of one command's options; standard input can be taken by one of them only."""

    def __init__(self) -> None:
        self._standard_input_taken_by: str | None = None

    def text(self, field: str, value: str) -> str:
        """Return the text a value stands for: a file's if it names one, standard input's if it is `-`, else itself.

        One line break at the end of a file or of standard input ends its last line and is not part of the text.

        Raises:
            InputError: the file is not UTF-8 or cannot be read, the value looks like a path but names no file, or
                standard input was already taken.
        """
        if value == STANDARD_INPUT:
            return _without_last_break(self._standard_input(field))
        if _exists(value):
            return _without_last_break(_file_text(field, Path(value)))
        if _ADDRESS.fullmatch(value):
            raise InputError(field, f"{value!r} is an address and nothing is fetched; give the text or a file")
        if _looks_like_path(value):
            raise InputError(
                field, f"file {value!r} does not exist; check the path, or give such a text through --input ROW.json"
            )
        return value

    def row(self, field: str, value: str) -> dict[str, Any]:
        """Return the JSON object in a file or in standard input.

        Raises:
            InputError: there is no such file, or it holds something else than one JSON object.
        """
        if value == STANDARD_INPUT:
            content = self._standard_input(field)
        elif _exists(value):
            content = _file_text(field, Path(value))
        else:
            raise InputError(field, f"file {value!r} does not exist; give a file with one row as a JSON object")
        try:
            row = json.loads(content)
        except RecursionError:
            raise InputError(field, "is JSON that is nested too deeply") from None
        except ValueError as error:
            reason = f"{error.msg} at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else error
            raise InputError(
                field, f"must hold one row as a JSON object: {reason}; for many rows use `ragcortex score`"
            ) from None
        if not isinstance(row, dict):
            raise InputError(field, f"must hold one row as a JSON object, got {type(row).__name__}")
        return row

    def _standard_input(self, field: str) -> str:
        if self._standard_input_taken_by is not None:
            raise InputError(field, f"standard input (-) was already taken by {self._standard_input_taken_by}")
        self._standard_input_taken_by = field
        if sys.stdin is None:
            raise InputError(field, "there is no standard input; give text or a file")
        if sys.stdin.isatty():
            say(f"{field}: type the text; Ctrl-D on a line of its own ends it")
        return _decoded(field, "standard input", sys.stdin.buffer.read())


def _exists(value: str) -> bool:
    try:
        return value != "" and Path(value).exists()
    except (OSError, ValueError):  # a text longer than a file name may be, or with a NUL in it
        return False


def _file_text(field: str, path: Path) -> str:
    if path.is_dir():
        raise InputError(field, f"{str(path)!r} is a folder; give a file or the text itself")
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(field, f"file {str(path)!r} cannot be read: {error.strerror}") from None
    return _decoded(field, f"file {str(path)!r}", content)


def _decoded(field: str, source: str, content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            field,
            f"{source} is not UTF-8: byte {error.start + 1} is 0x{content[error.start]:02x}; save it as UTF-8 text",
        ) from None


def _without_last_break(text: str) -> str:
    return text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text


def _looks_like_path(value: str) -> bool:
    if not value or re.search(r"\s", value) or len(value) > 1000 or _FIGURES.fullmatch(value):
        return False
    return "/" in value or "\\" in value or bool(_TEXT_FILE.search(value))
