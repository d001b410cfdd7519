"""What the service answers about corpora, as typed objects that do not change."""

import datetime
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CorpusInfo:
    """A corpus in words and figures."""

    name: str
    created_at: datetime.datetime
    changed_at: datetime.datetime
    fingerprint: str
    embedder: str
    n_documents: int
    n_chunks: int
    n_merged: int
    n_conflicts: int


@dataclass(frozen=True, slots=True)
class CorpusList:
    """All corpora, by name."""

    corpora: tuple[CorpusInfo, ...]


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """A document of a corpus, without its text; `notes` say how it was read where that was not plain."""

    id: str
    source: str | None
    n_characters: int
    n_chunks: int
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CorpusDetail:
    """A corpus and a part of its documents; those that follow begin at `next_offset`, None at the end."""

    corpus: CorpusInfo
    documents: tuple[DocumentInfo, ...]
    next_offset: int | None


@dataclass(frozen=True, slots=True)
class Unread:
    """A file, row or page that gave no document, and why."""

    source: str
    message: str
    reason: str
    line: int | None = None
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a document, by its characters."""

    document: str | None
    source: str | None
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two passages that are alike and can hardly both be right."""

    similarity: float
    first: Passage
    second: Passage


@dataclass(frozen=True, slots=True)
class CorpusChange:
    """A corpus after a change, and what making it found.

    Attributes:
        corpus: as it is now.
        n_embedded: texts that were embedded for this change.
        unreadable: what of the files could not be read.
        repeated: ids of documents that say nothing that an earlier one does not say.
        conflicts: passages that contradict each other, the first of all.
    """

    corpus: CorpusInfo
    n_embedded: int
    unreadable: tuple[Unread, ...]
    repeated: tuple[str, ...]
    conflicts: tuple[Conflict, ...]


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A chunk near a text: its cosine, its place in its document, and at how many other places the same is said."""

    similarity: float
    document: str
    source: str | None
    start: int
    end: int
    text: str
    n_twins: int


@dataclass(frozen=True, slots=True)
class ChunksFound:
    """The chunks nearest to a text, the nearest first."""

    chunks: tuple[FoundChunk, ...]
