"""What requests and responses about corpora hold, beside what `schemas` has of them."""

from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field

from ragcortex.service.schemas import CorpusOut, FoundChunk

NAME_PATTERN: Final = r"^[A-Za-z0-9][A-Za-z0-9 ._-]*$"
CORPUS_EXAMPLE: Final[dict[str, Any]] = {
    "name": "handbook",
    "documents": [
        {"id": "opening-hours", "text": "The museum is closed on Mondays.", "source": "handbook, page 3"},
        {"text": "A ticket costs 12 euros; children under 6 travel free."},
    ],
}


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class DocumentOut(_Model):
    """A document of a corpus, without its text."""

    id: str
    source: str | None
    n_characters: int
    n_chunks: int = Field(description="Chunks that are searched; 0 where an earlier document says all of it.")
    notes: list[str] = Field(description="How it was read where that was not plain: a guessed encoding, empty pages.")


class CorpusList(_Model):
    """All corpora, by name."""

    corpora: list[CorpusOut]


class CorpusDetail(_Model):
    """A corpus and a part of its documents, in the order they were added."""

    corpus: CorpusOut
    documents: list[DocumentOut]
    next_offset: int | None = Field(description="Where the documents that follow begin, null at the end.")


class UnreadableOut(_Model):
    """A file, row or page that gave no document, and why."""

    source: str
    message: str
    reason: str
    line: int | None
    field: str | None


class PassageOut(_Model):
    """A passage of a document, by its characters."""

    document: str | None
    source: str | None
    start: int
    end: int
    text: str


class ConflictOut(_Model):
    """Two passages that are alike and can hardly both be right."""

    similarity: float
    first: PassageOut
    second: PassageOut


class CorpusChanged(_Model):
    """A corpus after a change, and what making it found."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "corpus": {
                        "name": "handbook",
                        "created_at": "2026-01-05T09:30:00Z",
                        "changed_at": "2026-01-05T09:30:00Z",
                        "fingerprint": "5d41…",
                        "embedder": "embedded",
                        "n_documents": 2,
                        "n_chunks": 2,
                        "n_merged": 0,
                        "n_conflicts": 0,
                    },
                    "n_embedded": 2,
                    "unreadable": [],
                    "repeated": [],
                    "conflicts": [],
                }
            ]
        },
    )

    corpus: CorpusOut
    n_embedded: int = Field(description="Texts that were embedded for this change.")
    unreadable: list[UnreadableOut] = Field(description="What of the files could not be read.")
    repeated: list[str] = Field(description="Ids of documents that say nothing that an earlier one does not say.")
    conflicts: list[ConflictOut] = Field(description="Passages that contradict each other, the first 20 of all.")


class ChunksFound(_Model):
    """The chunks nearest to a text, the nearest first."""

    chunks: list[FoundChunk]
