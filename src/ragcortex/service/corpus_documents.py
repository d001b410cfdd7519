"""What callers send to be made a corpus of: passages in JSON and uploaded files, checked, as documents."""

import hashlib
import re
import tempfile
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from ragcortex.errors import InputError
from ragcortex.example import Reference
from ragcortex.geometry.document_text import decode
from ragcortex.geometry.documents import Document, Unreadable, file_documents
from ragcortex.rendering.inert import inert
from ragcortex.service.pdf_reading import pdf_documents

ENDINGS: Final = (".txt", ".md", ".html", ".pdf", ".jsonl")
LONGEST_ID: Final = 200
_PDF: Final = b"%PDF-"
# How other kinds of files begin, which some name like texts.
_OTHER_KINDS: Final = {
    b"PK\x03\x04": "a ZIP archive or an office document",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"\x1f\x8b": "a compressed file",
    b"\x7fELF": "a program",
    _PDF: "a PDF",
}
_PARTS: Final = re.compile(r"[/\\]")


@dataclass(frozen=True, slots=True)
class Upload:
    """An uploaded file: the name that its sender gave it, which is never used as a path, and its content."""

    name: str
    content: BinaryIO


def documents_of(references: Sequence[Reference], field: str = "documents") -> list[Document]:
    """Return passages as documents; one without an id is named by the digest of its text.

    Raises:
        InputError: a passage is blank, or its id is blank, too long or cannot be shown.
    """
    return [_document(reference, f"{field}[{index}]") for index, reference in enumerate(references)]


def documents_in(uploads: Sequence[Upload]) -> tuple[list[Document], list[Unreadable]]:
    """Return the documents of uploaded files, and what in them could not be read.

    Each file must have one of ENDINGS and be what its ending says: a PDF begins as one, a text is text in some
    encoding, without NUL. It is read in a folder of its own under a name made here; its own name, cleaned, becomes the
    id of its document and part of the ids of its rows. Of two documents with one id the first is read.

    Raises:
        InputError: no document could be read; says why the first file could not.
    """
    documents: dict[str, Document] = {}
    unreadable: list[Unreadable] = []
    for index, upload in enumerate(uploads):
        try:
            label = clean_name(upload.name)
            found = _read(upload.content, label)
        except InputError as error:
            shown = ascii(upload.name[:LONGEST_ID])
            unreadable.append(Unreadable(f"files[{index}] {shown}", error.message, "damaged"))
            continue
        for item in found:
            if isinstance(item, Unreadable):
                unreadable.append(item)
            elif item.id in documents:
                unreadable.append(Unreadable(label, f"id {item.id!r} occurs twice; only the first is read", "repeated"))
            else:
                documents[item.id] = item
    if not documents:
        raise InputError("files", f"hold no document: {unreadable[0]}" if unreadable else "must hold at least one file")
    return list(documents.values()), unreadable


def clean_name(name: str) -> str:
    """Return the name of a file without its folders and without characters that cannot be shown.

    >>> clean_name("..\\\\notes/a report.PDF")
    'a report.PDF'

    Raises:
        InputError: nothing is left, or it has no known ending.
    """
    last = unicodedata.normalize("NFC", _PARTS.split(name)[-1])
    shown = "".join(filter(_is_shown, last))
    stem, dot, ending = shown.strip().lstrip(".").rpartition(".")
    if f"{dot}{ending}".lower() not in ENDINGS or not stem.strip():
        raise InputError("files", f"must have a name that ends in one of {', '.join(ENDINGS)}")
    return f"{stem.strip()[: LONGEST_ID - len(dot + ending)]}{dot}{ending}"


def _read(content: BinaryIO, label: str) -> list[Document | Unreadable]:
    """Return what a file holds, called by its label.

    Raises:
        InputError: it is not what its ending says.
    """
    ending = f".{label.rpartition('.')[2].lower()}"
    raw = content.read()
    _check_content(raw, ending)
    with tempfile.TemporaryDirectory(prefix="ragcortex-upload-") as folder:
        path = Path(folder) / f"upload{ending}"
        path.write_bytes(raw)
        found = pdf_documents(path, label) if ending == ".pdf" else file_documents(path, label)
        return [_known(item) for item in found]


def _check_content(raw: bytes, ending: str) -> None:
    if not raw:
        raise InputError("files", "is empty")
    if ending == ".pdf":
        if not raw.startswith(_PDF):
            raise InputError("files", f"ends in .pdf but does not begin with {_PDF.decode()}, as PDF files do")
        return
    for begin, kind in _OTHER_KINDS.items():
        if raw.startswith(begin):
            raise InputError("files", f"ends in {ending} but is {kind}")
    if ending == ".jsonl" and b"\0" in raw:
        raise InputError("files", "holds NUL bytes, which JSON lines in UTF-8 do not have")
    # In UTF-16 and UTF-32 every other byte of a text may be NUL, the text itself has none.
    if b"\0" in raw and "\0" in decode(raw).text:
        raise InputError("files", f"ends in {ending} but holds NUL characters, which text does not have")


def _known(item: Document | Unreadable) -> Document | Unreadable:
    """Return a document whose id can be named in a request, else the record that it cannot."""
    if isinstance(item, Unreadable):
        return item
    try:
        _check_id(item.id, "id")
    except InputError as error:
        return Unreadable(item.source or "file", f"has a document whose id {error.message}", "row")
    return item


def _document(reference: Reference, place: str) -> Document:
    try:
        if reference.id is not None:
            _check_id(reference.id, "id")
        digest = hashlib.sha256(reference.text.encode()).hexdigest()
        return Document(reference.id or f"sha256-{digest[:16]}", reference.text, reference.source)
    except InputError as error:
        raise InputError(f"{place}.{error.field}", error.message) from None


def _check_id(value: str, field: str) -> None:
    """Refuse an id that a person could not see, or that no address could hold."""
    if not value.strip() or len(value) > LONGEST_ID:
        raise InputError(field, f"must have 1 to {LONGEST_ID} characters that are not all white space")
    if value in (".", "..") or not all(map(_is_shown, value)):
        raise InputError(field, f"must be made of characters that can be shown, got {ascii(value)[:LONGEST_ID]}")


def _is_shown(character: str) -> bool:
    """Return whether a character neither moves the cursor nor reorders the text around it."""
    return inert(character) == character and character not in "\t\n"
