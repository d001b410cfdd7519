"""Calls about corpora."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from ragcortex.client.call import Answer, Call, given, nothing, path, query, read_as, read_text, reads
from ragcortex.client.corpus_answers import (
    ChunksFound,
    CorpusChange,
    CorpusDetail,
    CorpusInfo,
    CorpusList,
    FoundChunk,
)
from ragcortex.errors import InputError
from ragcortex.example import Reference

Documents = Sequence[str | Reference]
File = Path | tuple[str, bytes]


def list_corpora() -> Call[tuple[CorpusInfo, ...]]:
    """List the corpora, by name.

    Raises:
        ClientError: the service refuses, or does not answer.
    """

    def read(answer: Answer) -> tuple[CorpusInfo, ...]:
        return read_as(CorpusList, answer).corpora

    return Call("GET", "/v1/corpora", read, repeatable=True)


def create(name: str, documents: Documents) -> Call[CorpusChange]:
    """Make a corpus of texts; those without an id are named by their digest.

    Raises:
        ClientError: the name is taken (409), the service refuses, or does not answer.
    """
    body = {"name": name, "documents": _values(documents)}
    return Call("POST", "/v1/corpora", reads(CorpusChange), body=body)


def add(name: str, documents: Documents) -> Call[CorpusChange]:
    """Add texts to a corpus; only they are embedded.

    Raises:
        ClientError: there is no such corpus (404), a document is in it already, or the service does not answer.
    """
    body = {"documents": _values(documents)}
    return Call("POST", path("v1", "corpora", name, "documents"), reads(CorpusChange), body=body)


def upload(name: str, files: Sequence[File], *, create: bool = False) -> Call[CorpusChange]:
    """Add .txt, .md, .html, .pdf and .jsonl files to a corpus; each is called by its file's name.

    Args:
        name: of the corpus.
        files: paths, or names and contents.
        create: make the corpus if there is none of that name.

    Raises:
        InputError: a file cannot be read here.
        ClientError: there is no such corpus (404), they are too large (413), no file can be read there, or the service
            does not answer.
    """
    contents = tuple(_content(file, index) for index, file in enumerate(files))
    place = path("v1", "corpora", name, "files")
    return Call("POST", place, reads(CorpusChange), query=query(create=create or None), files=contents)


def get(name: str, *, offset: int | None = None, limit: int | None = None) -> Call[CorpusDetail]:
    """Describe a corpus and list a part of its documents.

    Raises:
        ClientError: there is no such corpus (404), or the service does not answer.
    """
    parameters = query(offset=offset, limit=limit)
    return Call("GET", path("v1", "corpora", name), reads(CorpusDetail), query=parameters, repeatable=True)


def delete(name: str) -> Call[None]:
    """Delete a corpus and its files.

    Raises:
        ClientError: there is no such corpus (404), or the service does not answer.
    """
    return Call("DELETE", path("v1", "corpora", name), nothing, repeatable=True, gone_is_done=True)


def remove(name: str, document_id: str) -> Call[CorpusChange]:
    """Remove a document and its text from a corpus.

    Raises:
        ClientError: there is no such corpus or document (404), or the service does not answer.
    """
    return Call("DELETE", path("v1", "corpora", name, "documents", document_id), reads(CorpusChange))


def search(name: str, text: str, *, k: int | None = None) -> Call[tuple[FoundChunk, ...]]:
    """Return the chunks nearest to a text, the nearest first.

    Raises:
        ClientError: there is no such corpus (404), or the service does not answer.
    """

    def read(answer: Answer) -> tuple[FoundChunk, ...]:
        return read_as(ChunksFound, answer).chunks

    return Call("GET", path("v1", "corpora", name, "search"), read, query=query(text=text, k=k), repeatable=True)


def map_html(name: str) -> Call[str]:
    """Return a page that shows the corpus's chunks in two dimensions.

    Raises:
        ClientError: there is no such corpus (404), or the service does not answer.
    """
    return Call("GET", path("v1", "corpora", name, "map"), read_text, repeatable=True)


def _values(documents: Documents) -> list[dict[str, object]]:
    return [{"text": one} if isinstance(one, str) else given(**asdict(one)) for one in documents]


def _content(file: File, index: int) -> tuple[str, bytes]:
    if not isinstance(file, Path):
        return file
    try:
        return file.name, file.read_bytes()
    except OSError as error:
        raise InputError(f"files[{index}]", f"{str(file)!r} cannot be read: {error.strerror}") from error
