"""How every file of JSON lines is taken apart here: numbered lines, strict UTF-8, one value, and what is wrong with it.

Complaints are `InputError("row", …)`. Their callers know different things of a line (its file, or only the line), so
they say how a position is named, where the line stands, and what to do.
"""

import codecs
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ragcortex.errors import InputError


def without_mark(raw: bytes) -> bytes:
    """Return bytes without the byte-order mark of UTF-8 that some programs begin a file with."""
    return raw.removeprefix(codecs.BOM_UTF8)


def numbered_lines(lines: Iterable[bytes], first: int = 1) -> Iterator[tuple[int, bytes]]:
    """Yield the numbers, from 1, and the bytes of the lines that are not blank, without line ends; blank ones count.

    A byte-order mark before the first is left out. Only a line feed ends a line, so that a text may hold U+2028.

    Args:
        lines: as a file opened in binary, or `io.BytesIO`, gives them.
        first: the number of the first of them in its file.
    """
    for number, raw in enumerate(lines, start=first):
        line = (without_mark(raw) if number == 1 else raw).rstrip(b"\r\n")
        if line.strip():
            yield number, line


def utf8_text(raw: bytes, *, within: str = "", place: str = "") -> str:
    """Return decoded bytes.

    Args:
        raw: the bytes, without a byte-order mark.
        within: what positions in complaints are counted in: "of the line"; "" where `place` says it.
        place: where the bytes stand, as complaints end with it in brackets: "rows.jsonl, line 3"; "" for nothing.

    Raises:
        InputError: they are not UTF-8.
    """
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        position = _joined(f"byte {error.start + 1}", within)
        raise InputError(
            "row", _joined(f"is not UTF-8: {position} is 0x{raw[error.start]:02x}", _bracketed(place))
        ) from None


def json_value(raw: bytes, *, within: str = "", place: str = "", advice: str = "") -> Any:
    """Return the JSON value that bytes hold.

    Args:
        raw: the bytes of one line or of a whole file, without a byte-order mark.
        within, place: as for `utf8_text`.
        advice: what to do about bytes that are not JSON, as the complaint ends with it.

    Raises:
        InputError: they are not UTF-8, not JSON, or JSON that Python cannot hold.
    """
    text = utf8_text(raw, within=within, place=place)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if "\n" in text else ""
        position = _joined(f"{line}character {error.colno}", within)
        complaint = _joined(f"is not JSON: {error.msg} at {position}", _bracketed(place))
        raise InputError("row", f"{complaint}; {advice}" if advice else complaint) from None
    except (RecursionError, ValueError) as error:  # nested too deeply; a number too long to convert
        raise InputError("row", _joined(f"is JSON that cannot be read: {error}", _bracketed(place))) from None


def json_object(value: object, *, place: str = "") -> Mapping[str, Any]:
    """Return a decoded value that must be an object.

    Raises:
        InputError: it is something else.
    """
    if not isinstance(value, dict):
        complaint = f"must be a JSON object, got {type(value).__name__}"
        raise InputError("row", _joined(complaint, _bracketed(place)))
    return value


def _bracketed(place: str) -> str:
    return f"({place})" if place else ""


def _joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
