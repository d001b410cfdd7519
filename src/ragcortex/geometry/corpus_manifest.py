"""`corpus.json`: which corpus a folder holds, how it was made, and the digests of the other files; read strictly."""

import dataclasses
import importlib.metadata
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from ragcortex.checks import no_number
from ragcortex.errors import InputError, StoreError
from ragcortex.geometry.chunking import Chunking
from ragcortex.geometry.corpus_state import CorpusState
from ragcortex.geometry.embedders.embedder import EmbedderIdentity
from ragcortex.plain_files import plain_bytes

# Raised whenever the files change their meaning.
FORMAT: Final = "ragcortex.corpus/1"
MANIFEST: Final = "corpus.json"
PARTS: Final = {"documents": "jsonl", "duplicates": "json", "chunks": "npy", "vectors": "npy", "norms": "npy"}
_LIBRARIES: Final = ("ragcortex", "numpy", "torch", "transformers", "tokenizers", "sentence-transformers")
_MOST_BYTES: Final = 10_000_000  # what it lists does not grow with the corpus
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the corpus: its name, its size, and its SHA-256 (of an array: over type, shape and numbers)."""

    name: str
    sha256: str
    n_bytes: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What `corpus.json` says.

    Attributes:
        fingerprint: of the corpus; a calibration made with it names it.
        created: when these files were written, UTC; no part of the fingerprint.
        identity: the embedding model.
        chunking: how the documents were divided.
        merge_above: the cosine above which two chunks were taken for one.
        counts: documents, chunks that are searched, merged chunks, conflicts.
        files: the other files, by part.
        libraries: versions of what made the vectors, for people.
    """

    fingerprint: str
    created: str
    identity: EmbedderIdentity
    chunking: Chunking
    merge_above: float
    counts: Mapping[str, int]
    files: Mapping[str, StoredFile]
    libraries: Mapping[str, str]

    @classmethod
    def of(cls, state: CorpusState, fingerprint: str, files: Mapping[str, StoredFile]) -> "Manifest":
        """Return the manifest of a corpus whose other files are these."""
        return cls(
            fingerprint=fingerprint,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            identity=state.identity,
            chunking=state.chunking,
            merge_above=state.merge_above,
            counts=counts_of(state),
            files=files,
            libraries=_versions(),
        )

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        """Return the manifest of a corpus.

        Raises:
            InputError: the folder holds no corpus.
            StoreError: the file is damaged or of another version.
        """
        try:
            content = plain_bytes(folder / MANIFEST, _MOST_BYTES).decode("utf-8")
        except (FileNotFoundError, NotADirectoryError):
            raise no_corpus(folder) from None
        except OSError as error:
            raise damaged(folder, MANIFEST, f"cannot be read: {error.strerror}") from error
        except ValueError as error:
            raise damaged(folder, MANIFEST, f"cannot be read: {error}") from error
        try:
            values = json.loads(content, parse_constant=no_number)
        except (ValueError, RecursionError) as error:
            raise damaged(folder, MANIFEST, f"is not JSON: {error}") from error
        return cls._parsed(folder, values)

    def to_json(self) -> str:
        """Return the text of `corpus.json`."""
        values = {
            "format": FORMAT,
            "fingerprint": self.fingerprint,
            "created": self.created,
            "embedder": dataclasses.asdict(self.identity),
            "chunking": self.chunking.to_dict(),
            "merge_above": self.merge_above,
            "counts": dict(self.counts),
            "files": {part: {"sha256": file.sha256, "bytes": file.n_bytes} for part, file in self.files.items()},
            "libraries": dict(self.libraries),
        }
        return json.dumps(values, ensure_ascii=False, indent=2) + "\n"

    @property
    def n_bytes(self) -> int:
        """The size of all files that this one names."""
        return sum(file.n_bytes for file in self.files.values())

    @classmethod
    def _parsed(cls, folder: Path, values: Any) -> "Manifest":
        found = values.get("format") if isinstance(values, dict) else None
        if found != FORMAT:
            raise damaged(folder, MANIFEST, f"has the format {found!r}, this version reads {FORMAT!r}")
        expected = {field.name for field in dataclasses.fields(cls)} - {"identity"} | {"format", "embedder"}
        if set(values) != expected:
            differing = ", ".join(sorted(set(values) ^ expected))
            raise damaged(folder, MANIFEST, f"lacks or adds fields: {differing}")
        try:
            return cls(
                fingerprint=_text(values["fingerprint"]),
                created=_text(values["created"]),
                identity=EmbedderIdentity(**values["embedder"]),
                chunking=Chunking.from_dict(values["chunking"]),
                merge_above=float(values["merge_above"]),
                counts={name: int(count) for name, count in values["counts"].items()},
                files={part: _stored(part, ending, values["files"][part]) for part, ending in PARTS.items()},
                libraries={name: _text(version) for name, version in values["libraries"].items()},
            )
        except (InputError, KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise damaged(folder, MANIFEST, f"holds a value that cannot be used: {error}") from error


def counts_of(state: CorpusState) -> dict[str, int]:
    """Return how much of everything a corpus holds."""
    return {
        "documents": len(state.documents),
        "chunks": state.n_kept,
        "merged": len(state.merges),
        "conflicts": len(state.conflicts),
    }


def damaged(folder: Path, name: str, what: str) -> StoreError:
    """Return the error for a file of a corpus that cannot be used."""
    return StoreError(f"{name} of the corpus {str(folder)!r} {what}; build the corpus anew from its documents")


def no_corpus(folder: Path) -> InputError:
    """Return the error for a folder without a corpus."""
    if not folder.is_dir():
        return InputError(
            "corpus", f"there is no folder {str(folder)!r}; make it with `ragcortex corpus build PATH… --out {folder}`"
        )
    return InputError(
        "corpus",
        f"folder {str(folder)!r} holds no corpus, it has no {MANIFEST}; make one elsewhere with "
        "`ragcortex corpus build PATH… --out DIR`",
    )


def _stored(part: str, ending: str, values: Any) -> StoredFile:
    digest, n_bytes = values["sha256"], values["bytes"]
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest) or not isinstance(n_bytes, int):
        raise ValueError(f"files.{part} must give a SHA-256 and a size, got {digest!r} and {n_bytes!r}")
    return StoredFile(f"{part}-{digest[:16]}.{ending}", digest, n_bytes)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"must be a string, got {value!r}")
    return value


def _versions() -> dict[str, str]:
    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found
