import io

import pytest

from made_pdf import made_pdf
from ragcortex.errors import InputError
from ragcortex.geometry.document_pdf import pdf_text
from ragcortex.geometry.document_types import Document

FIRST = (
    "The lighthouse at Cape Arden was built by Mary Holt, an infor-",
    "mation officer of the harbour, and stands 41 metres above the",
    "sea on a cliff that is known far beyond the region.",
    "It is open from May to September.",
)


def encrypted(raw: bytes, password: str) -> bytes:
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(raw)))
    writer.encrypt(password, owner_password="owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def test_sentences_are_made_whole_over_lines_and_pages_keep_their_place() -> None:
    found = pdf_text(made_pdf([FIRST, ("Tickets cost $1,200.00 (really).",)]))
    first = (
        "The lighthouse at Cape Arden was built by Mary Holt, an information officer of the harbour, and stands 41 "
        "metres above the sea on a cliff that is known far beyond the region.\nIt is open from May to September."
    )
    assert found.text == f"{first}\n\nTickets cost $1,200.00 (really)."
    assert found.page_starts == (0, len(first) + 2)
    assert found.notes == ()
    document = Document("a.pdf", found.text, page_starts=found.page_starts)
    assert [document.page(found.text.index(words)) for words in ("May", "Tickets")] == [1, 2]
    assert document.page(len(first)) == 1


def test_a_hyphen_stays_where_the_document_has_the_word_with_it_elsewhere() -> None:
    lines = ("a well-known tower and a well-", "known bridge, from 1914-", "1918")
    assert pdf_text(made_pdf([lines])).text == "a well-known tower and a well-known bridge, from 1914-\n1918"


def test_pages_without_text_are_noted_and_begin_where_the_next_one_does() -> None:
    found = pdf_text(made_pdf([(), ("One.",), (), ("Two.",), ()]))
    assert found.text == "One.\n\nTwo."
    assert found.page_starts == (0, 0, 6, 6, 10)
    assert found.notes == ("has no text on page 1, 3, 5 (pictures, or nothing)",)
    document = Document("a.pdf", found.text, page_starts=found.page_starts)
    assert [document.page(offset) for offset in (0, 5, 6, 9)] == [2, 2, 4, 4]


def test_a_scan_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        pdf_text(made_pdf([(), ()]))
    assert caught.value.message == (
        "has no text on its 2 pages, which are pictures (a scan); run text recognition (OCR) on it first"
    )


def test_a_password_is_not_guessed_but_an_empty_one_is_none() -> None:
    raw = made_pdf([("Open.",)])
    assert pdf_text(encrypted(raw, "")).text == "Open."
    with pytest.raises(InputError, match=r"^file: is encrypted and needs a password; save a copy without one$"):
        pdf_text(encrypted(raw, "secret"))


@pytest.mark.parametrize("raw", [b"", b"%PDF-1.4\n", b"no pdf at all", made_pdf([("One.",)])[:200]])
def test_damaged_files_are_refused(raw: bytes) -> None:
    with pytest.raises(InputError, match=r"^file: (is damaged|has no pages)"):
        pdf_text(raw)


def test_a_damaged_page_is_reported_and_the_others_are_read() -> None:
    raw = made_pdf([("One.",), ("Two.",)])
    found = pdf_text(raw.replace(b"(One.) Tj 0 -14 Td", b"(One.) Tj [ [ (aaaa", 1))
    assert (found.text, found.page_starts, found.notes) == ("Two.", (0, 0), ())
    assert [number for number, _ in found.page_problems] == [1]
    assert found.page_problems[0][1].startswith("cannot be read: ")


def test_repairs_are_noted_and_never_logged(
    caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    raw = made_pdf([("One.",)])
    start = raw.rindex(b"startxref\n") + len(b"startxref\n")
    found = pdf_text(raw[:start] + b"7\n%%EOF\n")
    assert found.text == "One."
    assert found.notes
    assert all(note.startswith("was repaired while reading: ") for note in found.notes)
    assert capfd.readouterr() == ("", "")
