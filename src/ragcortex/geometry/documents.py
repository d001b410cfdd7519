"""Source files → documents: text, Markdown, HTML, PDF and rows of JSON.

Nothing is run, fetched or passed over silently.
"""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final

from ragcortex.errors import InputError
from ragcortex.geometry.document_files import ENDINGS, SourceFile, source_files
from ragcortex.geometry.document_html import html_file_text
from ragcortex.geometry.document_markdown import markdown_text
from ragcortex.geometry.document_pdf import pdf_text
from ragcortex.geometry.document_rows import RowFile, json_documents, jsonl_documents
from ragcortex.geometry.document_text import decode
from ragcortex.geometry.document_types import UNREADABLE_REASONS, Document, FileText, Unreadable, UnreadableReason

__all__ = [
    "ENDINGS", "MAX_BYTES", "UNREADABLE_REASONS", "Document", "Unreadable", "UnreadableReason", "file_documents",
    "read_documents",
]  # fmt: skip

MAX_BYTES: Final = 200_000_000


def read_documents(paths: Sequence[Path], *, max_bytes: int = MAX_BYTES) -> Iterator[Document | Unreadable]:
    """Yield the documents of files and folders in a fixed order, and a record of all that gave none.

    Folders are walked with everything below them, in order of names. By ending: `.txt .text` are taken as they are,
    `.md .markdown .html .htm .xhtml .pdf` as the text in them, one document a file; `.jsonl .ndjson .json` give one
    document a row, or one a reference of a row. Ids are unique: a second document of an id is an Unreadable.

    Args:
        paths: files and folders.
        max_bytes: larger files are not read but recorded.

    Raises:
        InputError: `paths` is empty or one does not exist, or `max_bytes` is below 1; raised by the call, not by the
            first document.
    """
    if isinstance(max_bytes, bool) or not isinstance(max_bytes, int) or max_bytes < 1:
        raise InputError("max_bytes", f"must be a whole number from 1 on, got {max_bytes!r}")
    files = source_files([Path(path) for path in paths], max_bytes)
    return _unique(files)


def file_documents(path: Path, label: str) -> Iterator[Document | Unreadable]:
    """Yield the documents of one file, called by a label instead of its name; the ending of its name tells its kind.

    For files that lie where nobody knows them, such as uploads. Ids may occur twice. See `read_documents`.
    """
    return _items(SourceFile(path, label, label))


def _items(file: SourceFile | Unreadable) -> Iterator[Document | Unreadable]:
    if isinstance(file, Unreadable):
        yield file
        return
    rows = RowFile(file.label, file.shown)
    try:
        if file.ending in (".jsonl", ".ndjson"):
            yield from jsonl_documents(file.path, rows)
        elif file.ending == ".json":
            yield from json_documents(file.path.read_bytes(), rows)
        else:
            yield from _document(file, _file_text(file.path.read_bytes(), file.ending))
    except OSError as error:
        yield Unreadable(file.shown, f"cannot be read: {error.strerror}", "damaged")
    except InputError as error:
        yield Unreadable(file.shown, error.message, "damaged")


def _file_text(raw: bytes, ending: str) -> FileText:
    if ending == ".pdf":
        return pdf_text(raw)
    if ending in (".html", ".htm", ".xhtml"):
        return html_file_text(raw, xhtml=ending == ".xhtml")
    decoded = decode(raw)
    if ending in (".md", ".markdown"):
        plain = markdown_text(decoded.text)
        return FileText(plain.text, decoded.notes + plain.notes)
    return decoded


def _document(file: SourceFile, found: FileText) -> Iterator[Document | Unreadable]:
    for number, message in found.page_problems:
        yield Unreadable(file.shown, message, "damaged", field=f"page {number}")
    if found.text.strip():
        yield Document(file.label, found.text, file.label, found.notes, found.page_starts)
    else:
        yield Unreadable(file.shown, "has no text", "empty")


def _unique(files: Iterator[SourceFile | Unreadable]) -> Iterator[Document | Unreadable]:
    """Pass on the first document of each id."""
    met: dict[str, bytes] = {}
    for file in files:
        for item in _items(file):
            if isinstance(item, Unreadable) or isinstance(file, Unreadable):
                yield item
            else:
                yield _repeated(item, file, met) or item


def _repeated(document: Document, file: SourceFile, met: dict[str, bytes]) -> Unreadable | None:
    """Return the record of a second document of an id, whose digest tells whether its text differs too."""
    digest = blake2b(document.text.encode(), digest_size=16).digest()
    if document.id not in met:
        met[document.id] = digest
        return None
    message = f"id {document.id!r} occurs twice, with the same text"
    if met[document.id] != digest:
        message = (
            f"id {document.id!r} occurs twice, with different texts; only the first is read: rename one, or give the "
            "folder that holds both"
        )
    return Unreadable(file.shown, message, "repeated")
