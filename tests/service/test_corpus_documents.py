"""What is sent to be made a corpus of: checked by name and content before anything reads it."""

import io
import json

import pytest

from made_pdf import made_pdf
from ragcortex.errors import InputError
from ragcortex.example import Reference
from ragcortex.geometry.documents import Document
from ragcortex.service.corpus_documents import Upload, clean_name, documents_in, documents_of

TEXT = "The lighthouse at Cape Arden was built in 1874."


def upload(name: str, content: bytes | str) -> Upload:
    return Upload(name, io.BytesIO(content.encode() if isinstance(content, str) else content))


def refusal(name: str, content: bytes | str) -> str:
    with pytest.raises(InputError) as caught:
        documents_in([upload(name, content)])
    return str(caught.value)


def test_passages_become_documents() -> None:
    first, second = documents_of([Reference(TEXT, "a", "page 3"), Reference(TEXT)])
    assert first == Document("a", TEXT, "page 3")
    # The first 16 digits of what `sha256sum` says of the text.
    assert second == Document("sha256-53ad93f981f4f5da", TEXT)


@pytest.mark.parametrize(
    ("reference", "message"),
    [
        (Reference(" "), "documents[0].text: must not be blank"),
        (Reference(TEXT, " "), "documents[0].id: must have 1 to 200 characters that are not all white space"),
        (Reference(TEXT, "x" * 201), "documents[0].id: must have 1 to 200 characters that are not all white space"),
        (Reference(TEXT, ".."), "documents[0].id: must be made of characters that can be shown, got '..'"),
        (Reference(TEXT, "a\nb"), r"documents[0].id: must be made of characters that can be shown, got 'a\nb'"),
        (Reference(TEXT, "a\u202eb"), r"documents[0].id: must be made of characters that can be shown, got 'a\u202eb'"),
    ],
)
def test_passages_that_cannot_be_used_are_refused(reference: Reference, message: str) -> None:
    with pytest.raises(InputError) as caught:
        documents_of([reference])
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "cleaned"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd.txt", "passwd.txt"),
        (r"C:\Users\ada\Notes.MD", "Notes.MD"),
        ("/absolute/rows.jsonl", "rows.jsonl"),
        ("..hidden.html", "hidden.html"),
        ("a\0b\r\nc\x1b[2J.txt", "abc[2J.txt"),
        ("gpj.\u202etxt.txt", "gpj.txt.txt"),
        ("cafe\u0301 日本語.txt", "café 日本語.txt"),
        ("x" * 300 + ".txt", "x" * 196 + ".txt"),
    ],
)
def test_names_are_cleaned(name: str, cleaned: str) -> None:
    assert clean_name(name) == cleaned


@pytest.mark.parametrize("name", ["", ".txt", "a", "a.exe", "a.txt.exe", "folder/", "\u202e.pdf", "a.txt\0.png"])
def test_names_that_say_nothing_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"^files: must have a name that ends in one of \.txt, \.md, \.html, \.pdf, "):
        clean_name(name)


def test_each_kind_of_file_is_read_under_its_own_name() -> None:
    rows = [{"id": "row", "text": "A row's text."}, {"text": "Another row's text."}]
    uploads = [
        upload("../notes.txt", TEXT),
        upload("notes.md", f"# Title\n\n{TEXT}"),
        upload("page.html", f"<title>T</title><p>{TEXT}<script>alert(1)</script>"),
        upload("scan.pdf", made_pdf([(TEXT,)])),
        upload("rows.jsonl", "\n".join(map(json.dumps, rows))),
        upload("utf16.txt", TEXT.encode("utf-16")),
    ]
    documents, unreadable = documents_in(uploads)

    assert unreadable == []
    assert [one.id for one in documents] == [
        "notes.txt", "notes.md", "page.html", "scan.pdf", "row", "rows.jsonl#2", "utf16.txt",
    ]  # fmt: skip
    assert documents[0] == Document("notes.txt", TEXT, "notes.txt")
    assert documents[-1].text == TEXT
    assert "alert" not in documents[2].text
    assert "upload" not in str(documents)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", "is empty"),
        ("a.txt", b"a\0b", "ends in .txt but holds NUL characters, which text does not have"),
        ("a.jsonl", b'{"text": "a"}\n\0', "holds NUL bytes, which JSON lines in UTF-8 do not have"),
        ("a.pdf", b"<html>", "ends in .pdf but does not begin with %PDF-, as PDF files do"),
        ("a.txt", b"%PDF-1.4 ...", "ends in .txt but is a PDF"),
        ("a.html", b"PK\x03\x04...", "ends in .html but is a ZIP archive or an office document"),
        ("a.md", b"\x89PNG\r\n", "ends in .md but is a picture"),
        ("a.txt", b"\xff\xfea", "begins with the mark of UTF-16 but byte 3 does not fit it; save as UTF-8"),
        ("a.txt", b" \n ", "has no text"),
    ],
)
def test_files_that_are_not_what_they_seem_are_refused(name: str, content: bytes, message: str) -> None:
    assert refusal(name, content).endswith(message)


def test_what_can_be_read_is_read_and_the_rest_is_named() -> None:
    uploads = [upload("a.txt", TEXT), upload("b.exe", "x"), upload("c/a.txt", "Other."), upload("d.pdf", b"%PDF-1.7 x")]
    documents, unreadable = documents_in(uploads)
    assert [one.id for one in documents] == ["a.txt"]
    assert [(one.source, one.reason) for one in unreadable] == [
        ("files[1] 'b.exe'", "damaged"),
        ("a.txt", "repeated"),
        ("d.pdf", "damaged"),
    ]


def test_rows_whose_ids_cannot_be_named_are_left_out() -> None:
    rows = "\n".join(json.dumps({"id": name, "text": TEXT}) for name in ("good", "bad\u202e", "x" * 300))
    documents, unreadable = documents_in([upload("rows.jsonl", rows)])
    assert [one.id for one in documents] == ["good"]
    assert len(unreadable) == 2


def test_without_any_file_there_is_nothing_to_do() -> None:
    with pytest.raises(InputError, match=r"^files: must hold at least one file$"):
        documents_in([])
