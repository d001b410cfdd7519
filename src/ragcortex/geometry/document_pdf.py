"""PDF → plain text, page by page, with pypdf."""

import io
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import regex

from ragcortex.errors import InputError
from ragcortex.geometry.document_lines import UNSPACED, goes_on
from ragcortex.geometry.document_types import FileText

if TYPE_CHECKING:
    from pypdf import PdfReader

_MOST_WARNINGS: Final = 10
_LONGEST_WORD: Final = 100
_HYPHENATED = regex.compile(r"(\p{L}+)[-\u2010\u00ad]$")
_COMPOUND = regex.compile(r"(?<!\p{L})\p{L}++[-\u2010]\p{L}++")
_BEGINS_WORD = regex.compile(r"\p{Ll}+")
_SEAM = regex.compile(rf"[{UNSPACED}、。，：；）」』][{UNSPACED}（「『]")
_LONE_SURROGATE = regex.compile(r"[\ud800-\udfff]")


def pdf_text(raw: bytes) -> FileText:
    """Return the text of a PDF file, its pages separated by a blank line, with the offset at which each begins.

    Lines that a sentence goes on over are joined, words hyphenated at a line's end are made whole, unless the document
    has them with their hyphen elsewhere. A file that opens without a password, though encrypted, is read as any viewer
    does. Pages that fail are listed in `page_problems`, pages without text and the reader's repairs in `notes`.

    Raises:
        InputError: the file is damaged, needs a password, or no page has text (a scan).
    """
    with _warnings() as warnings:
        pages, problems = _pages(_opened(raw))
    compounds = {word.lower().replace("\u2010", "-") for page in pages for word in _COMPOUND.findall(page)}
    texts = [_reflowed(page, compounds) for page in pages]
    if not any(texts):
        raise InputError("file", _without_text(len(pages), problems))
    failed = {number for number, _ in problems}
    empty = [str(number) for number, text in enumerate(texts, start=1) if not text and number not in failed]
    notes = [f"has no text on page {', '.join(empty)} (pictures, or nothing)"] if empty else []
    text, starts = _joined(texts)
    return FileText(text, (*notes, *warnings), starts, tuple(problems))


def _without_text(n_pages: int, problems: Sequence[tuple[int, str]]) -> str:
    if not n_pages:
        return "has no pages"
    if problems:
        return f"has no text that can be read; page {problems[0][0]} {problems[0][1]}"
    return f"has no text on its {n_pages} pages, which are pictures (a scan); run text recognition (OCR) on it first"


@contextmanager
def _warnings() -> Iterator[list[str]]:
    """Collect what pypdf logs about repairs, each once, instead of letting it appear between our own lines."""
    found: dict[str, None] = {}

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            found[f"was repaired while reading: {_LONE_SURROGATE.sub('�', record.getMessage()).strip()}"] = None

    logger, collector, messages = logging.getLogger("pypdf"), Collector(logging.WARNING), list[str]()
    before = logger.propagate
    logger.addHandler(collector)
    logger.propagate = False
    try:
        yield messages
    finally:
        logger.propagate = before
        logger.removeHandler(collector)
        messages.extend(list(found)[:_MOST_WARNINGS])
        if len(found) > _MOST_WARNINGS:
            messages.append(f"was repaired in {len(found) - _MOST_WARNINGS} further ways")


def _opened(raw: bytes) -> "PdfReader":
    from pypdf import PasswordType, PdfReader
    from pypdf.errors import DependencyError

    try:
        reader = PdfReader(io.BytesIO(raw))
        locked = reader.is_encrypted and reader.decrypt("") == PasswordType.NOT_DECRYPTED
    except DependencyError:
        raise InputError(
            "file", "is encrypted with AES, which is not read here; save a copy without encryption"
        ) from None
    except Exception as error:  # a damaged file makes the parser fail in any way whatever
        raise InputError("file", f"is damaged or not a PDF: {_reason(error)}") from error
    if locked:
        raise InputError("file", "is encrypted and needs a password; save a copy without one")
    return reader


def _pages(reader: "PdfReader") -> tuple[list[str], list[tuple[int, str]]]:
    """Return the text of every page, "" for those that fail, and what failed."""
    try:
        n_pages = len(reader.pages)
    except Exception as error:  # as above
        raise InputError("file", f"is damaged: {_reason(error)}") from error
    texts, problems = [], []
    for index in range(n_pages):
        try:
            texts.append(_LONE_SURROGATE.sub("�", reader.pages[index].extract_text()))
        except Exception as error:  # as above; the other pages are still good
            texts.append("")
            problems.append((index + 1, f"cannot be read: {_reason(error)}"))
    return texts, problems


def _reason(error: Exception) -> str:
    message = _LONE_SURROGATE.sub("�", str(error)).strip()
    return f"{message} ({type(error).__name__})" if message else type(error).__name__


def _joined(texts: Sequence[str]) -> tuple[str, tuple[int, ...]]:
    """Return the pages as one text and the offset of each; one without text begins where the next one does."""
    pieces: list[str] = []
    starts: list[int] = []
    length = 0
    for text in texts:
        separator = "\n\n" if pieces and text else ""
        starts.append(length + len(separator) if text or not pieces else -1)
        if text:
            pieces.append(separator + text)
            length += len(pieces[-1])
    following = length
    for index in range(len(starts) - 1, -1, -1):
        following = starts[index] = following if starts[index] < 0 else starts[index]
    return "".join(pieces), tuple(starts)


def _reflowed(page: str, compounds: set[str]) -> str:
    """Return the text of a page with the lines of one sentence on one line."""
    lines = [line.strip() for line in page.splitlines()]
    longest = max(map(len, lines), default=0)
    pieces: list[str] = []
    previous = ""
    for line in lines:
        if previous and line:
            pieces.append(_seam(previous, line, longest, compounds, pieces))
        elif pieces and line and not previous:
            pieces.append("\n\n")
        if line:
            pieces.append(line)
        previous = line
    return "".join(pieces)


def _seam(line: str, following: str, longest: int, compounds: set[str], pieces: list[str]) -> str:
    """Return what stands between two lines; takes the hyphen off the last piece where a word is made whole."""
    first, second = _HYPHENATED.search(line[-_LONGEST_WORD:]), _BEGINS_WORD.match(following)
    if first is not None and second is not None:
        if line.endswith("\u00ad") or f"{first[1]}-{second[0]}".lower() not in compounds:
            pieces[-1] = pieces[-1][:-1]
        return ""
    if not goes_on(line, following, longest):
        return "\n"
    return "" if _SEAM.fullmatch(line[-1] + following[0]) else " "
