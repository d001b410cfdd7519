"""Our rows on disk: JSON lines in, Examples or row errors out; and JSON lines written in one piece."""

import json
import os
import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ragcortex.checks import is_text
from ragcortex.datasets.json_lines import json_object, json_value, numbered_lines
from ragcortex.errors import InputError, StoreError
from ragcortex.example import Example
from ragcortex.plain_files import MOST_LINE_BYTES, bounded_lines


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a file: an example, or what is wrong with it.

    Attributes:
        line: the line's number in the file, from 1; blank lines count.
        example: the row's example, None if it could not be read.
        error: why not, None if it could; exactly one of the two is given.
        id: the row's identifier where one could be read, also beside an error.
    """

    line: int
    example: Example | None = None
    error: InputError | None = None
    id: str | None = None

    def __post_init__(self) -> None:
        if (self.example is None) == (self.error is None):
            raise InputError("row", f"on line {self.line} must have either an example or an error")


def read_rows(path: str | Path, *, without_references: bool = False) -> Generator[Row, None, None]:
    """Yield one row for each line that is not blank, in order, holding one line in memory at a time.

    A bad line (other encoding than UTF-8, not JSON, not an object, a field of the wrong type) becomes a row with an
    error; the lines after it are read all the same. A byte-order mark at the start of the file is skipped.

    Args:
        path: the file.
        without_references: rows need no `references`, because they are checked against a corpus.

    Raises:
        InputError: the file does not exist or cannot be opened; raised by the call, not by the first row.
    """
    return _rows(_opened(Path(path)), without_references)


def _rows(lines: Generator[tuple[int, bytes], None, None], without_references: bool) -> Generator[Row, None, None]:
    with closing(lines):
        for number, line in lines:
            yield row_of(line, number, without_references=without_references)


def _opened(path: Path) -> Generator[tuple[int, bytes], None, None]:
    """Open the file now and return the numbers and bytes of its lines that are not blank, read as they are taken."""
    try:
        stream = path.open("rb")
    except FileNotFoundError:
        raise InputError("file", f"{path} does not exist; give the path of a JSONL file") from None
    except OSError as error:
        raise InputError("file", f"{path} cannot be opened: {error.strerror}") from error
    except ValueError as error:  # NUL in the name
        raise InputError("file", f"{str(path)!r} is no name of a file: {error}") from None
    return _numbered(stream, path)


def _numbered(stream: BinaryIO, path: Path) -> Generator[tuple[int, bytes], None, None]:
    with stream:
        try:
            yield from numbered_lines(bounded_lines(stream))
        except OSError as error:
            raise InputError("file", f"{path} cannot be read: {error.strerror}") from error


def row_of(raw: bytes, number: int, *, without_references: bool = False) -> Row:
    """Return the row in the bytes of one line; see `read_rows`."""
    try:
        fields = _fields(raw)
    except InputError as error:
        return Row(number, error=error)
    return row_of_fields(fields, number, without_references=without_references)


def row_of_fields(fields: Mapping[str, Any], number: int, *, without_references: bool = False) -> Row:
    """Return the row of an object's fields, whatever file they came from; see `read_rows`."""
    identifier = _identifier(fields)
    try:
        example = Example.from_row(fields, without_references=without_references)
    except InputError as error:
        return Row(number, error=error, id=identifier)
    return Row(number, example=example, id=example.id)


def _fields(raw: bytes) -> Mapping[str, Any]:
    if len(raw) > MOST_LINE_BYTES:
        raise InputError("row", f"is a line of more than {MOST_LINE_BYTES:,} bytes; every row is one line")
    return json_object(json_value(raw, within="of the line"))


def _identifier(fields: Mapping[str, Any]) -> str | None:
    value = fields.get("id")
    if isinstance(value, str):
        return value if is_text(value) else None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def read_examples(path: str | Path) -> list[Example]:
    """Return all examples of a file, refusing it as a whole if any row is bad.

    Raises:
        InputError: the file cannot be read, holds no row, or a row is bad; the message gives file and line.
    """
    examples: list[Example] = []
    with closing(read_rows(path)) as rows:
        for row in rows:
            if row.error is not None:
                raise InputError(row.error.field, f"{row.error.message} ({path}, line {row.line})")
            assert row.example is not None
            examples.append(row.example)
    if not examples:
        raise InputError("file", f"{path} holds no rows; every line must be one JSON object")
    return examples


def read_objects(path: str | Path) -> Iterator[Mapping[str, Any]]:
    """Yield the JSON object of each line that is not blank, with the fields that an Example has no place for.

    Raises:
        InputError: the file cannot be read, or a line holds no JSON object; the message gives file and line.
    """
    with closing(_opened(Path(path))) as lines:
        for number, line in lines:
            try:
                fields = _fields(line)
            except InputError as error:
                raise InputError(error.field, f"{error.message} ({path}, line {number})") from None
            yield fields


def to_row(example: Example) -> dict[str, Any]:
    """Return the JSON object of an example, the inverse of `Example.from_row`; fields that are None are left out.

    `question` is always there, and references that are only text are plain strings.
    """
    references = [
        reference.text
        if reference.id is None and reference.source is None
        else {"id": reference.id, "text": reference.text, "source": reference.source}
        for reference in example.references
    ]
    row: dict[str, Any] = {"question": example.question, "references": references, "answer": example.answer}
    if example.id is not None:
        row = {"id": example.id, **row}
    if example.spans is not None:
        row["spans"] = [
            {"start": span.start, "end": span.end} | ({} if span.type is None else {"type": span.type})
            for span in example.spans
        ]
    for name in ("label", "group", "generator", "task"):
        value = getattr(example, name)
        if value is not None:
            row[name] = value
    return row


def write_rows(path: str | Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write one JSON line a row and return their number; the file appears whole or, on any error, not at all.

    Raises:
        StoreError: the folder does not exist or cannot be written to.
        TypeError: a row holds a value JSON has no form for.
        ValueError: a row holds NaN or an infinity.
    """
    path = Path(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
    partial = Path(name)
    try:
        count = 0
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            for row in rows:
                stream.write(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
                count += 1
            stream.flush()
            os.fsync(stream.fileno())
        partial.chmod(0o666 & ~_umask())
        partial.replace(path)
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)
    return count


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
