"""Official files read strictly: one object a row, and every complaint names the file, the row and the field."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragcortex.datasets.json_lines import json_object, json_value, numbered_lines, utf8_text, without_mark
from ragcortex.errors import InputError

# One cell of a table may hold a whole article.
_LONGEST_CELL = 16_000_000
_ADVICE = "download the file again"


@dataclass(frozen=True, slots=True)
class OfficialRow:
    """One object of an official file, and where it stands, for complaints.

    Attributes:
        fields: the object.
        place: file and line (or row), as complaints end with it.
        prefix: what field names begin with in complaints: "" or, inside another object, "labels[2]." and the like.
    """

    fields: Mapping[str, Any]
    place: str
    prefix: str = ""

    def refused(self, name: str, message: str) -> InputError:
        """Return the error for a field."""
        return InputError(self.prefix + name, f"{message} ({self.place})")

    def text(self, name: str) -> str:
        """Return a field that must be a string."""
        return str(self._value(name, str, "a string"))

    def text_or_number(self, name: str) -> str:
        """Return a field that must be a string or a whole number, as a string; for identifiers."""
        value = self._present(name)
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise self.refused(name, f"must be a string or a whole number, got {type(value).__name__}")
        return str(value)

    def whole(self, name: str) -> int:
        """Return a field that must be a whole number."""
        return int(self._value(name, int, "a whole number"))

    def number(self, name: str) -> float:
        """Return a field that must be a number."""
        return float(self._value(name, int | float, "a number"))

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a field that must be true or false; `default` where it is missing."""
        return bool(self._value(name, bool, "true or false")) if name in self.fields else default

    def word(self, name: str, known: Sequence[str]) -> str:
        """Return a field that must be one of these strings."""
        value = self.text(name)
        if value not in known:
            raise self.refused(name, f"must be one of {', '.join(known)}, got {value!r}")
        return value

    def items(self, name: str) -> list[Any]:
        """Return a field that must be a list."""
        return list(self._value(name, list, "a list"))

    def texts(self, name: str) -> list[str]:
        """Return a field that must be a list of strings."""
        values = self.items(name)
        for index, value in enumerate(values):
            if not isinstance(value, str):
                raise self.refused(f"{name}[{index}]", f"must be a string, got {type(value).__name__}")
        return values

    def inner(self, name: str) -> "OfficialRow":
        """Return a field that must be an object."""
        value = self._value(name, dict, "an object")
        return OfficialRow(value, self.place, f"{self.prefix}{name}.")

    def inners(self, name: str) -> list["OfficialRow"]:
        """Return a field that must be a list of objects."""
        rows = []
        for index, value in enumerate(self.items(name)):
            if not isinstance(value, dict):
                raise self.refused(f"{name}[{index}]", f"must be an object, got {type(value).__name__}")
            rows.append(OfficialRow(value, self.place, f"{self.prefix}{name}[{index}]."))
        return rows

    def _present(self, name: str) -> Any:
        if name not in self.fields:
            found = ", ".join(map(str, self.fields)) or "none"
            raise self.refused(name, f"is missing; the row has {found}; is this the official file?")
        return self.fields[name]

    def _value(self, name: str, kind: Any, words: str) -> Any:
        value = self._present(name)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.refused(name, f"must be {words}, got {type(value).__name__}")
        return value


def json_rows(path: Path) -> Iterator[OfficialRow]:
    """Yield the objects of a file that holds one JSON object a line, or one JSON array of objects.

    Blank lines are skipped, and so is a byte-order mark.

    Raises:
        InputError: the file cannot be read, is not UTF-8, or holds something else; the message gives file and line.
    """
    raw = read_bytes(path)
    content = without_mark(raw)
    if content.lstrip()[:1] == b"[":
        for number, value in enumerate(json_value(content, place=str(path), advice=_ADVICE), start=1):
            yield _row(value, f"{path}, row {number}")
        return
    for number, line in numbered_lines(io.BytesIO(raw)):
        place = f"{path}, line {number}"
        yield _row(json_value(line, place=place, advice=_ADVICE), place)


def csv_rows(path: Path) -> Iterator[OfficialRow]:
    """Yield the rows of a table with a header, all fields strings; a byte-order mark is skipped.

    Raises:
        InputError: the file cannot be read, is not UTF-8 or no table; the message gives file and line.
    """
    text = utf8_text(without_mark(read_bytes(path)), place=str(path))
    with _long_cells():
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        try:
            for fields in reader:
                place = f"{path}, line {reader.line_num}"
                if None in fields or None in fields.values():
                    raise InputError("row", f"has another number of cells than the header ({place})")
                yield OfficialRow(fields, place)
        except csv.Error as error:
            raise InputError(
                "row", f"is not a row of a table: {error} ({path}, line {reader.reader.line_num})"
            ) from None


def read_bytes(path: Path) -> bytes:
    """Return a file's content.

    Raises:
        InputError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError("file", f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:  # NUL in the name
        raise InputError("file", f"{str(path)!r} is no name of a file: {error}") from None


def _row(value: object, place: str) -> OfficialRow:
    return OfficialRow(json_object(value, place=place), place)


@contextmanager
def _long_cells() -> Iterator[None]:
    """Let cells be as long as articles while a table is read; the limit belongs to the whole process."""
    before = csv.field_size_limit(_LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)
