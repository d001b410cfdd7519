"""Bytes of a text file → characters, with a note wherever the encoding had to be found out."""

import codecs
from typing import Final

import regex

from ragcortex.errors import InputError
from ragcortex.geometry.document_types import FileText

# The mark of UTF-32 (little endian) begins with that of UTF-16, so it is looked for first.
_MARKS: Final = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# What pages declare and browsers read instead, as the declared name is that of a subset.
_SUPERSETS: Final = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "gb2312": "gb18030", "gbk": "gb18030",
    "shift_jis": "cp932", "euc_kr": "cp949", "big5": "big5hkscs",
}  # fmt: skip
_ESCAPED: Final = ("iso2022_", "hz")  # encodings whose bytes are all ASCII, so that they look like UTF-8
_OTHER_THAN_ASCII = regex.compile(r"[^\x00-\x7f\ufffd]")


def decode(raw: bytes, declared: str | None = None) -> FileText:
    """Return the text of a file, character for character; a byte-order mark at its start is not part of it.

    In this order: a byte-order mark; the declared encoding where UTF-8 cannot be told from it; UTF-8; UTF-16 without a
    mark (every other byte is NUL); UTF-8 with some damaged bytes; the declared encoding; charset-normalizer's guess.
    All but a mark and clean UTF-8 leave a note.

    Args:
        raw: the whole file.
        declared: the encoding the file says it has, as an HTML page does.

    Raises:
        InputError: the bytes are not text in any encoding known here.
    """
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return FileText(_strictly(raw, encoding))
    raw = raw.removeprefix(codecs.BOM_UTF8)
    codec = _codec(declared)
    if codec is not None and codec.startswith(_ESCAPED) and (text := _decoded(raw, codec)) is not None:
        return FileText(text, (f"was read as {codec}, as the file declares",))
    text = _decoded(raw, "utf-8")
    if text is not None:
        return _without_mark(raw) or FileText(text)
    return _without_mark(raw) or _damaged_utf8(raw) or _as_declared(raw, codec) or _guessed(raw)


def _strictly(raw: bytes, encoding: str) -> str:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            "file",
            f"begins with the mark of {encoding.upper()} but byte {error.start + 1} does not fit it; save as UTF-8",
        ) from None


def _decoded(raw: bytes, encoding: str) -> str | None:
    try:
        return raw.decode(encoding)
    except (UnicodeDecodeError, LookupError):
        return None


def _codec(declared: str | None) -> str | None:
    """Return Python's name of a declared text encoding, None where there is none of that name."""
    if declared is None:
        return None
    try:
        codec = codecs.lookup(declared)
        "".encode(codec.name)  # refuses codecs that are no text encodings, such as hex
    except (LookupError, ValueError):
        return None
    return _SUPERSETS.get(codec.name, codec.name)


def _without_mark(raw: bytes) -> FileText | None:
    """Return the text if the bytes look like UTF-16: NUL in most odd or most even places and hardly in the others."""
    half = len(raw) // 2
    even, odd = raw[0::2].count(0), raw[1::2].count(0)
    if half < 2 or max(even, odd) < 0.6 * half or min(even, odd) > 0.1 * half:
        return None
    encoding = "utf-16-le" if odd > even else "utf-16-be"
    text = _decoded(raw, encoding)
    return None if text is None else FileText(text, (f"was read as {encoding}: every other byte is NUL",))


def _damaged_utf8(raw: bytes) -> FileText | None:
    """Return the text if most bytes beyond ASCII are good UTF-8, with U+FFFD where they are not."""
    text = raw.decode("utf-8", errors="replace")
    damaged = text.count("\ufffd")
    if sum(1 for _ in _OTHER_THAN_ASCII.finditer(text)) <= 2 * damaged:
        return None
    return FileText(text, (f"was read as UTF-8 with {damaged} damaged places, which stand as U+FFFD",))


def _as_declared(raw: bytes, codec: str | None) -> FileText | None:
    text = None if codec is None else _decoded(raw, codec)
    return None if text is None else FileText(text, (f"was read as {codec}, as the file declares",))


def _guessed(raw: bytes) -> FileText:
    from charset_normalizer import from_bytes

    guess = from_bytes(raw).best()
    if guess is None:
        raise InputError("file", "is not text in any known encoding; save it as UTF-8")
    return FileText(str(guess), (f"was read as {guess.encoding}, the best guess, since it is not UTF-8",))
