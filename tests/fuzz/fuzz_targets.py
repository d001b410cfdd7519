"""What is fuzzed: functions of bytes that may end only in the errors that their reader documents.

Whatever else comes out of one (another kind of error, a complaint that cannot be written down, an answer of the service
that is a 500) is a fault, as are bytes that take it long or much memory. Each target makes what it needs in a folder of
its own; the first byte of an input often chooses what the rest is taken for.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import fuzz_seeds
from fuzz_folders import edited_bundle, edited_corpus, made_bundle_folder, made_corpus_folder

Check = Callable[[bytes], None]
ENDINGS: Final = (".txt", ".html", ".xhtml", ".md", ".json", ".jsonl")
LANGUAGES: Final = (None, "en", "de", "fr", "es", "zh", "ja")
_SHEETS_KEPT: Final = 500


@dataclass(frozen=True)
class Target:
    """One thing to fuzz.

    Attributes:
        open: makes what it needs in an empty folder and gives the function of bytes, while the block runs.
        seeds: inputs to begin with, each of another kind.
        guided_by: packages whose branches guide the fuzzer.
        seconds: how long one input may take where nothing else runs.
    """

    open: Callable[[Path], AbstractContextManager[Check]]
    seeds: Callable[[], list[bytes]]
    guided_by: tuple[str, ...] = ("ragcortex",)
    seconds: float = 5


def writable(text: str | None) -> None:
    """Require that a text can be printed and stored."""
    if text is not None:
        text.encode()


@contextmanager
def refusals(*kinds: type[Exception]) -> Iterator[None]:
    """Let the documented kinds of error pass, if what they say can be written down."""
    try:
        yield
    except kinds as error:
        writable(str(error))


@contextmanager
def jsonl(folder: Path) -> Iterator[Check]:
    """Rows to be scored, labelled rows, and rows and runs of other programs."""
    from ragcortex.datasets import own_rows
    from ragcortex.datasets.jsonl import read_objects, read_rows, row_of, to_row
    from ragcortex.datasets.langsmith import from_langsmith_runs
    from ragcortex.datasets.ragas import from_ragas_rows
    from ragcortex.errors import InputError

    path = folder / "rows.jsonl"

    def check(data: bytes) -> None:
        path.write_bytes(data)
        for without_references in (False, True):
            for row in read_rows(path, without_references=without_references):
                writable(row.id)
                if row.error is not None:
                    writable(str(row.error))
                if row.example is not None and row.example.references:
                    again = row_of(json.dumps(to_row(row.example), ensure_ascii=False).encode(), 1)
                    assert again.example == row.example, "what is written is not what was read"
        for read in (from_ragas_rows, from_langsmith_runs):
            with refusals(InputError):
                read(read_objects(path))
        with refusals(InputError):
            own_rows.load(path)

    yield check


@contextmanager
def documents(folder: Path) -> Iterator[Check]:
    """Text, HTML, XHTML, Markdown and rows of JSON; the first byte chooses which."""
    from ragcortex.geometry.documents import Document, read_documents

    def check(data: bytes) -> None:
        if not data:
            return
        path = folder / f"file{ENDINGS[data[0] % len(ENDINGS)]}"
        path.write_bytes(data[1:])
        for item in read_documents([path]):
            if not isinstance(item, Document):
                writable(str(item))

    yield check


@contextmanager
def pdf(folder: Path) -> Iterator[Check]:
    """PDF files."""
    from ragcortex.geometry.documents import Document, read_documents

    path = folder / "file.pdf"

    def check(data: bytes) -> None:
        path.write_bytes(data)
        for item in read_documents([path]):
            if not isinstance(item, Document):
                writable(str(item))

    yield check


@contextmanager
def facts(folder: Path) -> Iterator[Check]:
    """Numbers, dates and all other facts of a text in the language that the first byte chooses; and cells of tables.

    A NUL divides the text into a claim and its evidence, which are compared.
    """
    from ragcortex.geometry.facts.amounts import number_range, unit_range
    from ragcortex.geometry.facts.calendar import clock_readings, date_readings
    from ragcortex.geometry.facts.compare import compare
    from ragcortex.geometry.facts.extract import fact_sheet
    from ragcortex.geometry.facts.fact import Amount, CalendarDate, ClockTime
    from ragcortex.geometry.facts.finding import PlacedSheet
    from ragcortex.geometry.table_values import cell_values

    def check(data: bytes) -> None:
        if not data:
            return
        language = LANGUAGES[data[0] % len(LANGUAGES)]
        if fact_sheet.cache_info().currsize > _SHEETS_KEPT:
            fact_sheet.cache_clear()
        sheets = []
        for text in data[1:].decode("utf-8", errors="replace").split("\0")[:3]:
            sheet = fact_sheet(text, language)
            for fact in sheet.facts:
                assert text[fact.start : fact.end] == fact.text
                if isinstance(fact.value, Amount):
                    number_range(fact)
                    unit_range(fact)
                elif isinstance(fact.value, CalendarDate):
                    date_readings(fact)
                elif isinstance(fact.value, ClockTime):
                    clock_readings(fact)
            sheets.append(PlacedSheet(sheet, 0, 0 if sheets else None))
            for mark in (".", ","):
                cell_values(text, None, mark, None, lambda cell: fact_sheet(cell, language).facts)
        compare(sheets[0], sheets[1:], sheets[2:])

    yield check


@contextmanager
def bundle(folder: Path) -> Iterator[Check]:
    """A detector's files; see `edited_bundle`."""
    from ragcortex.bundle import Bundle
    from ragcortex.errors import BundleError
    from ragcortex.fusion.model import FusionModel
    from ragcortex.geometry.model import GeometryModel

    sound = made_bundle_folder(folder / "sound")
    edited = folder / "edited"

    def check(data: bytes) -> None:
        shutil.rmtree(edited, ignore_errors=True)
        edited_bundle(sound, edited, data)
        for load in (Bundle.load, GeometryModel.load, lambda place: FusionModel.load(place / "fusion.json")):
            with refusals(BundleError):
                load(edited)

    yield check


@contextmanager
def corpus(folder: Path) -> Iterator[Check]:
    """A corpus's files; see `edited_corpus`."""
    from ragcortex.errors import InputError, StoreError
    from ragcortex.geometry.corpus_files import read_corpus, verify_vectors

    sound = made_corpus_folder(folder / "sound")
    edited = folder / "edited"

    def check(data: bytes) -> None:
        shutil.rmtree(edited, ignore_errors=True)
        edited_corpus(sound, edited, data)
        with refusals(InputError, StoreError):
            state, manifest = read_corpus(edited)
            verify_vectors(state, manifest, edited)
            for row in range(len(state.places)):
                state.chunk(row)

    yield check


@contextmanager
def gguf(folder: Path) -> Iterator[Check]:
    """A reader's GGUF file, found and unpacked into the cache."""
    from ragcortex.errors import ModelError
    from ragcortex.readers.models import locate

    path, cache = folder / "reader.gguf", folder / "cache"

    def check(data: bytes) -> None:
        path.write_bytes(data)
        try:
            with environment(RAGCORTEX_CACHE=str(cache)), refusals(ModelError):
                locate(str(path))
        finally:
            shutil.rmtree(cache, ignore_errors=True)

    yield check


@contextmanager
def api(folder: Path) -> Iterator[Check]:
    """Bodies sent to the whole service; the first byte chooses the route."""
    from fuzz_service import ROUTES, running_service

    with running_service(folder) as client:

        def check(data: bytes) -> None:
            if not data:
                return
            method, path, kind = ROUTES[data[0] % len(ROUTES)]
            response = client.request(method, path, content=data[1:], headers={"Content-Type": kind})
            assert response.status_code < 500, f"{method} {path} was answered {response.status_code}: {response.text}"
            if response.status_code >= 400:
                assert response.headers["content-type"] == "application/problem+json"
                writable(response.json()["detail"])

        yield check


@contextmanager
def environment(**values: str) -> Iterator[None]:
    """Set variables of the environment while the block runs."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            with suppress(KeyError):
                del os.environ[name]
            if value is not None:
                os.environ[name] = value


TARGETS: Final[Mapping[str, Target]] = {
    "jsonl": Target(jsonl, fuzz_seeds.rows),
    "documents": Target(documents, fuzz_seeds.texts, ("ragcortex", "markdown_it")),
    "pdf": Target(pdf, fuzz_seeds.pdfs, ("ragcortex", "pypdf"), seconds=20),
    "facts": Target(facts, fuzz_seeds.sentences),
    "bundle": Target(bundle, fuzz_seeds.bundles),
    "corpus": Target(corpus, fuzz_seeds.corpora),
    "gguf": Target(gguf, fuzz_seeds.ggufs, ("ragcortex", "gguf"), seconds=20),
    "api": Target(api, fuzz_seeds.bodies, seconds=10),
}
