"""PDF files read in a process of their own, within limits."""

from pathlib import Path

import pytest

from made_pdf import made_pdf
from ragcortex.errors import InputError
from ragcortex.geometry.documents import Document, file_documents
from ragcortex.service.pdf_reading import pdf_documents


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "upload.pdf"
    path.write_bytes(made_pdf([("One page.",), (), ("Another, 3 €.",)]))
    return path


def test_what_is_read_is_what_would_be_read_here(file: Path, tmp_path: Path) -> None:
    (document,) = pdf_documents(file, "-r é 日本.pdf")
    assert [document] == list(file_documents(file, "-r é 日本.pdf"))
    assert isinstance(document, Document)
    assert (document.page_starts, len(document.notes)) == ((0, 11, 11), 1)
    torn = tmp_path / "torn.pdf"
    torn.write_bytes(b"%PDF-1.7 torn")
    assert pdf_documents(torn, "torn.pdf") == list(file_documents(torn, "torn.pdf"))


def test_a_file_that_takes_too_much_is_given_up(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    message = r"^files: takes too much time or memory to read, or is damaged; split it, or send its text$"
    with pytest.raises(InputError, match=message):
        pdf_documents(file, "a.pdf", memory_bytes=8_000_000)
    monkeypatch.setattr("ragcortex.service.pdf_reading._START_SECONDS", 0.01)
    with pytest.raises(InputError, match=r"^files: takes more than 0 s to read; split it, or send its text$"):
        pdf_documents(file, "a.pdf", seconds=0)


def test_the_process_is_told_no_secret(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, str] = {}
    import subprocess

    run = subprocess.run

    def watched(*arguments: object, **options: object) -> object:
        seen.update(options["env"])  # type: ignore[call-overload]
        return run(*arguments, **options)  # type: ignore[call-overload]

    monkeypatch.setenv("RAGCORTEX_SERVICE_DATABASE", "postgresql://user:password@host/name")
    monkeypatch.setattr(subprocess, "run", watched)
    pdf_documents(file, "a.pdf")
    assert not any("password" in value for value in seen.values())
