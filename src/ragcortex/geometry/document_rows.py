"""Rows of JSON → documents: `{"id"?, "text", "source"?}`, or rows of a RAG log, whose references are the documents."""

import codecs
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ragcortex.errors import InputError
from ragcortex.geometry.document_text import decode
from ragcortex.geometry.document_types import Document, Unreadable, UnreadableReason


@dataclass(frozen=True, slots=True)
class RowFile:
    """Where rows come from: the file's label, as in ids, and the path that a person knows it by."""

    label: str
    shown: str

    def unreadable(
        self, reason: UnreadableReason, message: str, line: int | None = None, field: str | None = None
    ) -> Unreadable:
        """Return the record of a row of this file."""
        return Unreadable(self.shown, message, reason, line, field)


def jsonl_documents(path: Path, file: RowFile) -> Iterator[Document | Unreadable]:
    """Yield the documents of a file of JSON lines (UTF-8), holding one line in memory; blank lines are passed over.

    A bad row becomes an Unreadable and the rows after it are read all the same. What a row may hold is described at
    `row_documents`.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as stream:
        yield from _lines(stream, file)


def _lines(stream: BinaryIO, file: RowFile) -> Iterator[Document | Unreadable]:
    for number, raw in enumerate(stream, start=1):
        if number == 1 and raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            yield file.unreadable("damaged", "is UTF-16, but JSON lines are UTF-8; save it as UTF-8")
            return
        line = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
        if not line.strip():
            continue
        try:
            row = _parsed(line.rstrip(b"\r\n").decode("utf-8"))
        except UnicodeDecodeError as error:
            message = f"is not UTF-8: byte {error.start + 1} of the line is 0x{line[error.start]:02x}"
            yield file.unreadable("row", message, number)
        except InputError as error:
            yield file.unreadable("row", error.message, number)
        else:
            yield from row_documents(row, number, file)


def json_documents(raw: bytes, file: RowFile) -> Iterator[Document | Unreadable]:
    """Yield the documents of a JSON file that holds a list of rows.

    Raises:
        InputError: the file is not text, not JSON, or not a list.
    """
    rows = _parsed(decode(raw).text)
    if not isinstance(rows, list):
        raise InputError("file", f"must hold a list of rows, each an object with text, got {_kind(rows)}")
    for number, row in enumerate(rows, start=1):
        yield from row_documents(row, number, file)


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"character {error.pos + 1}" if error.lineno == 1 else f"line {error.lineno}, character {error.colno}"
        raise InputError("file", f"is not JSON: {error.msg} at {place}") from None
    except (RecursionError, ValueError) as error:  # nested too deeply; a number too long to convert
        raise InputError("file", f"is JSON that cannot be read: {error}") from None


def row_documents(row: object, number: int, file: RowFile) -> Iterator[Document | Unreadable]:
    """Yield the documents of one row, or what is wrong with it.

    `text` is one document. Else `references` (a list of strings and of objects with `text`) or `context` (a string or
    such a list) are documents each, as in the rows that are checked. `id` (string or whole number) and `source` are
    optional; a row without an id is `FILE#number`, its references `…#1`, `…#2`. Other fields are not read.
    """
    if not isinstance(row, Mapping):
        yield file.unreadable("row", f"must be an object with text, got {_kind(row)}", number)
        return
    given = [name for name in ("text", "references", "context") if row.get(name) is not None]
    if not given:
        yield file.unreadable("row", "is missing; a row needs text, or references", number, "text")
    elif len(given) > 1:
        yield file.unreadable("row", f"is given beside {given[1]}; give one of the two", number, given[0])
    elif given == ["text"]:
        yield _document(row, number, file, f"{file.label}#{number}", "")
    else:
        yield from _references(row, number, file, given[0])


def _references(row: Mapping[Any, Any], number: int, file: RowFile, field: str) -> Iterator[Document | Unreadable]:
    values = row[field]
    if field == "context" and isinstance(values, str):
        values = [values]
    if isinstance(values, str) or not isinstance(values, Sequence):
        yield file.unreadable("row", f"must be a list of passages, got {_kind(values)}", number, field)
        return
    try:
        base = _identifier(row.get("id")) or f"{file.label}#{number}"
    except InputError as error:
        yield file.unreadable("row", error.message, number, "id")
        return
    if not values:
        yield file.unreadable("empty", "has no passages", number, field)
    for index, value in enumerate(values):
        place = f"{field}[{index}]"
        fields = {"text": value} if isinstance(value, str) else value
        if not isinstance(fields, Mapping):
            yield file.unreadable("row", f"must be a string or an object with text, got {_kind(value)}", number, place)
        else:
            yield _document(fields, number, file, f"{base}#{index + 1}", place)


def _document(
    fields: Mapping[Any, Any], number: int, file: RowFile, default_id: str, place: str
) -> Document | Unreadable:
    """Return the document of an object with text; `place` says where it stands in its row."""
    text = fields.get("text")
    prefix = f"{place}." if place else ""
    if isinstance(text, str) and not text.strip():
        return file.unreadable("empty", "has no text", number, f"{prefix}text")
    if text is None:
        return file.unreadable("row", "is missing", number, f"{prefix}text")
    try:
        source = fields.get("source")
        return Document(_identifier(fields.get("id")) or default_id, text, file.label if source is None else source)
    except InputError as error:
        return file.unreadable("row", error.message, number, prefix + error.field)


def _identifier(value: object) -> str | None:
    """Return an id as text, None where there is none."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError("id", f"must be a string or a whole number, got {_kind(value)}")
    if isinstance(value, str) and not value.strip():
        raise InputError("id", "must not be blank; leave it out where there is none")
    return str(value)


def _kind(value: object) -> str:
    """Return JSON's name of what a value is."""
    if value is None:
        return "null"
    names = {dict: "an object", list: "a list", str: "a string", bool: "a truth value", int: "a number"}
    return names.get(type(value), "a number" if isinstance(value, float) else type(value).__name__)
