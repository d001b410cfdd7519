"""A corpus: the chunks of a body of documents with their vectors, searched as one matrix."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ragcortex.errors import InputError, ModelMissingError
from ragcortex.example import Reference
from ragcortex.geometry import corpus_edit
from ragcortex.geometry.chunk import Chunk
from ragcortex.geometry.chunking import Chunking
from ragcortex.geometry.corpus_build import Progress, build
from ragcortex.geometry.corpus_files import read_corpus
from ragcortex.geometry.corpus_report import BuildReport, PassagePair, passage_pairs
from ragcortex.geometry.corpus_state import CorpusState, SourceText, fingerprint
from ragcortex.geometry.embedders.embedder import FLOAT32, Embedder, EmbedderIdentity, Embeddings, dtype_of
from ragcortex.geometry.embedders.load import load_embedder
from ragcortex.geometry.search import Floats, Neighbours, search, warm

if TYPE_CHECKING:
    from ragcortex.geometry.corpus_edit import Sources


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents, their chunks, and one vector a chunk. A view that never changes: `add` and `remove` return another.

    Chunks are numbered from 0 to n_chunks; near-duplicates were merged into them and stay on record (`twins`).

    Attributes:
        state: everything that is stored.
        fingerprint: SHA-256 over all that changes a similarity; a calibration names it.
        folder: where it lies; None for a corpus in memory.
        report: what building it found; None where it was opened.
    """

    state: CorpusState
    fingerprint: str
    _embedder: Embedder | None
    folder: Path | None = None
    report: BuildReport | None = None

    @classmethod
    def build(
        cls,
        sources: "Sources",
        *,
        out: Path | str,
        embedder: Embedder | str = "embedded",
        chunking: Chunking | None = None,
        merge_above: float = 0.9,
        overwrite: bool = False,
        progress: Progress | None = None,
    ) -> "Corpus":
        """Return the corpus of documents, or of files and folders of files, written to the folder `out`.

        An interrupted build, run again, goes on: the vectors that were finished lie in `OUT.partial` until the end.

        Args:
            sources: documents, or paths of files and folders; see `read_documents`.
            out: the folder to write.
            embedder: the embedding model, in float32, or what `load_embedder` takes, which is then loaded in that.
            chunking: how to divide the documents.
            merge_above: chunks whose cosine is above this are merged, unless a fact of one is missing in the other.
            overwrite: whether a corpus in the folder may be replaced.
            progress: shows how far the embedding is, for instance `ragcortex.rendering.progress.progress`.

        Raises:
            InputError: no text was found, an id occurs twice, or an argument cannot be used.
            ModelError, ReadingError: from the embedder.
            StoreError: the corpus cannot be written, or another process is writing it.
        """
        model = load_embedder(embedder, dtype=FLOAT32) if isinstance(embedder, str) else embedder
        folder = Path(out)
        report = corpus_edit.build_on_disk(
            sources,
            folder,
            model,
            chunking or Chunking(),
            merge_above=merge_above,
            overwrite=overwrite,
            progress=progress,
        )
        return cls._opened(folder, model, report)

    @classmethod
    def open(cls, folder: Path | str, *, embedder: Embedder | str | None = None) -> "Corpus":
        """Return the corpus in a folder, its vectors memory-mapped.

        Args:
            folder: what `build` wrote.
            embedder: the model it was built with, or where that is: `embedded`, a hub id, a folder, an endpoint's
                address. By default the one that the corpus names, loaded when a text is first embedded.

        Raises:
            InputError: the folder holds no corpus.
            ModelError: the embedder is not the one that the corpus was built with.
            StoreError: a file is missing, damaged, altered, or of another version.
        """
        return cls._opened(Path(folder), embedder, None)

    @classmethod
    def in_memory(
        cls,
        references: Sequence[Reference],
        embedder: Embedder,
        chunking: Chunking | None = None,
        *,
        merge_above: float = 0.9,
    ) -> "Corpus":
        """Return the corpus of the references of one check; it may have no chunk, if they are blank.

        Near-duplicates are merged here as well, so that evidence given twice counts once. `Chunk.reference` is the
        index in `references`.
        """
        state, _ = build(references, embedder, chunking or Chunking(), merge_above=merge_above)
        return cls(state, fingerprint(state), embedder)

    @property
    def documents(self) -> tuple[SourceText, ...]:
        """The documents, in the order they were added; the references themselves for a corpus in memory."""
        return self.state.documents

    @property
    def n_chunks(self) -> int:
        """How many chunks are searched."""
        return self.state.n_kept

    @cached_property
    def chunks(self) -> tuple[Chunk, ...]:
        """All chunks that are searched, by number; `chunk` gives one without making the others."""
        return tuple(self.state.chunk(number) for number in range(self.n_chunks))

    @property
    def matrix(self) -> Floats:
        """The vectors of the chunks, of length 1; float32, shape (n_chunks, dimension), read-only if on disk."""
        return self.state.unit[: self.n_chunks]

    @property
    def norms(self) -> Floats:
        """The lengths of the vectors before they were normalised; float32, shape (n_chunks,)."""
        return self.state.norms[: self.n_chunks]

    @property
    def identity(self) -> EmbedderIdentity:
        """The model that made the vectors."""
        return self.state.identity

    @property
    def chunking(self) -> Chunking:
        """How the documents were divided."""
        return self.state.chunking

    @cached_property
    def embedder(self) -> Embedder:
        """The embedding model, loaded now if the corpus was opened without.

        Raises:
            ModelError: it is not here, or not the one that the corpus was built with.
        """
        if self._embedder is not None:
            return self._embedder
        return _load_for(self.folder, self.identity, self.identity.id)

    @cached_property
    def merges(self) -> tuple[PassagePair, ...]:
        """Which chunk was merged into which, with both places."""
        return passage_pairs(self.state, self.state.merges)

    @cached_property
    def conflicts(self) -> tuple[PassagePair, ...]:
        """Passages that are alike and can hardly both be right."""
        return passage_pairs(self.state, self.state.conflicts)

    def chunk(self, number: int) -> Chunk:
        """Return a chunk that is searched, by its number.

        Raises:
            InputError: there is no such chunk.
        """
        if not 0 <= number < self.n_chunks:
            raise InputError("number", f"must be from 0 to {self.n_chunks - 1}, got {number}")
        found = self._made.get(number)
        if found is None:
            found = self._made[number] = self.state.chunk(number)
        return found

    def document_of(self, chunk: Chunk) -> SourceText:
        """Return the document that a chunk is part of."""
        return self.documents[chunk.reference]

    def twins(self, number: int) -> tuple[Chunk, ...]:
        """Return the chunks that were merged into this one: the same evidence at other places."""
        return tuple(self.state.chunk(row) for row in self._twins.get(number, ()))

    def search(self, texts: Sequence[str] | Embeddings, k: int, *, radius: float = 0.25) -> Neighbours:
        """Return the k nearest chunks of each text or vector; see `ragcortex.geometry.search.search`.

        Raises:
            InputError: a text is blank, or an argument is out of range.
            ModelError, ReadingError: from the embedder.
        """
        vectors = texts if isinstance(texts, Embeddings) else self.embedder.embed(texts)
        return search(vectors.unit, self.matrix, k, radius=radius)

    def warm(self) -> None:
        """Load the embedder and read the vectors from disk once, so that the first check is as fast as the others."""
        warm(self.matrix)
        self.embedder.embed(["warm"])

    def add(self, sources: "Sources", *, progress: Progress | None = None) -> "Corpus":
        """Return the corpus with documents added at its end, as it now lies on disk; only they are embedded.

        Raises:
            InputError: the corpus is in memory, a document is there already, or no text was found.
            ModelError, ReadingError, StoreError: as `build`.
        """
        folder = self._on_disk()
        report = corpus_edit.add_on_disk(folder, sources, self._storing(), progress=progress)
        return self._opened(folder, self.embedder, report)

    def remove(self, ids: Sequence[str]) -> "Corpus":
        """Return the corpus without some documents, as it now lies on disk; nothing is embedded.

        Raises:
            InputError: the corpus is in memory, a document is not there, or no text would be left.
            StoreError: as `build`.
        """
        folder = self._on_disk()
        report = corpus_edit.remove_on_disk(folder, ids)
        return self._opened(folder, self._embedder, report)

    @cached_property
    def _made(self) -> dict[int, Chunk]:
        """The chunks asked for so far: the nearest ones of one answer are often those of the next."""
        return {}

    @cached_property
    def _twins(self) -> dict[int, list[int]]:
        rows: dict[int, list[int]] = {}
        for pair in self.state.merges:
            rows.setdefault(pair.first, []).append(pair.second)
        return rows

    def _storing(self) -> Embedder:
        """Return the embedder that makes what is stored: in float32, where this corpus has chosen it by itself."""
        embedder = self.embedder
        if self._embedder is None and dtype_of(embedder) != FLOAT32:
            return _load_for(self.folder, self.identity, self.identity.id, FLOAT32)
        return embedder

    def _on_disk(self) -> Path:
        if self.folder is None:
            raise InputError("corpus", "lies in memory and does not change; build another one")
        return self.folder

    @classmethod
    def _opened(cls, folder: Path, embedder: Embedder | str | None, report: BuildReport | None) -> "Corpus":
        state, manifest = read_corpus(folder)
        if isinstance(embedder, str):
            embedder = _load_for(folder, state.identity, embedder)
        elif embedder is not None:
            corpus_edit.check_embedder(folder, state.identity, embedder.identity)
        return cls(state, manifest.fingerprint, embedder, folder, report)


def _load_for(folder: Path | None, built_with: EmbedderIdentity, source: str, dtype: str | None = None) -> Embedder:
    """Return the embedding model in a place, which must be the one that a corpus was built with."""
    model = built_with.id if source.startswith(("http://", "https://")) else None
    try:
        loaded = load_embedder(source, dtype=dtype, dimension=built_with.dimension, model=model)
    except ModelMissingError as error:
        raise ModelMissingError(
            f"the embedder {built_with.id!r} that the corpus {str(folder)!r} was built with is not found: {error}; if "
            "it lies elsewhere, say where"
        ) from error
    corpus_edit.check_embedder(folder, built_with, loaded.identity)
    return loaded
