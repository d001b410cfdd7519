"""Everything a corpus is, in one checked object: what is written to disk, and what its fingerprint covers."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragcortex.checks import check_position, check_score
from ragcortex.errors import InputError
from ragcortex.example import Reference
from ragcortex.geometry.chunk import Chunk
from ragcortex.geometry.chunking import Chunking
from ragcortex.geometry.documents import Document
from ragcortex.geometry.embedders.embedder import EmbedderIdentity
from ragcortex.geometry.search import Floats

Places = npt.NDArray[np.int64]
# What chunks are parts of: documents of a corpus on disk, the references of one check.
SourceText = Document | Reference


@dataclass(frozen=True, slots=True)
class RowPair:
    """Two chunks by row number, with their cosine."""

    first: int
    second: int
    similarity: float

    def __post_init__(self) -> None:
        check_position("first", self.first)
        check_position("second", self.second)
        if not isinstance(self.similarity, float) or not -1 <= self.similarity <= 1:
            raise InputError("similarity", f"must be a cosine in [-1, 1], got {self.similarity!r}")


@dataclass(frozen=True, slots=True, eq=False)
class CorpusState:
    """Documents, their chunks and vectors. Rows 0 to n_kept are searched; the rows after them are merged duplicates.

    The vectors of merged chunks stay, so that a chunk whose twin is removed comes back without being embedded.

    Attributes:
        documents: the texts, in the order they were added.
        chunking: how they were divided.
        identity: the model that made the vectors.
        merge_above: the cosine above which two chunks were taken for one.
        places: document number, start and end of each chunk; int64, shape (n, 3). Both parts are in document order.
        unit: vectors of length 1, float32, shape (n, d); may be memory-mapped.
        norms: their lengths before that, float32, shape (n,).
        merges: the twin that a merged chunk was taken for (`first`, a kept row) and its own row (`second`): one for
            each row from n_kept on, in order.
        conflicts: chunks alike enough to be merged whose facts can hardly both be right, so that both were kept.
        n_unasked: pairs alike enough whose facts were not compared, because too many chunks are alike; both were kept.
    """

    documents: tuple[SourceText, ...]
    chunking: Chunking
    identity: EmbedderIdentity
    merge_above: float
    places: Places
    unit: Floats
    norms: Floats
    merges: tuple[RowPair, ...]
    conflicts: tuple[RowPair, ...]
    n_unasked: int

    def __post_init__(self) -> None:
        check_score("merge_above", self.merge_above)
        check_position("n_unasked", self.n_unasked)
        _check_arrays(self.places, self.unit, self.norms, self.identity.dimension)
        _check_places(self.places, [len(document.text) for document in self.documents])
        n_rows, n_kept = len(self.places), self.n_kept
        if [pair.second for pair in self.merges] != list(range(n_kept, n_rows)):
            raise InputError("merges", f"must be one for each row from {n_kept} to {n_rows}, in order")
        for index, pair in enumerate(self.merges):
            if pair.first >= n_kept:
                raise InputError(f"merges[{index}]", f"must name one of the {n_kept} kept rows, got {pair.first}")
        for index, pair in enumerate(self.conflicts):
            if max(pair.first, pair.second) >= n_rows:
                raise InputError(f"conflicts[{index}]", f"must name two of the {n_rows} rows, got {pair}")

    @property
    def n_kept(self) -> int:
        """How many chunks are searched."""
        return len(self.places) - len(self.merges)

    def chunk(self, row: int) -> Chunk:
        """Return the chunk of a row, a merged one too."""
        document, start, end = self.places[row].tolist()
        return Chunk(document, start, end, self.documents[document].text[start:end])

    def rows_in_document_order(self) -> npt.NDArray[np.intp]:
        """Return all row numbers in the order of the chunks' places."""
        return np.lexsort((self.places[:, 2], self.places[:, 1], self.places[:, 0]))


def fingerprint(state: CorpusState, digests: dict[str, str] | None = None) -> str:
    """Return one SHA-256 over all that changes a similarity: texts and their ids, chunking, embedder, vectors.

    Where the documents lie (`source`) and when the corpus was made are no part of it.

    Args:
        state: the corpus.
        digests: `array_digest` of places, vectors (`unit`) and norms where they are known already.
    """
    digests = digests or {name: array_digest(getattr(state, name)) for name in ("places", "unit", "norms")}
    texts = hashlib.sha256()
    for document in state.documents:
        texts.update(json.dumps([document.id, document.text]).encode())
    values = {
        "documents": texts.hexdigest(),
        "chunking": state.chunking.to_dict(),
        "embedder": state.identity.fingerprint,
        "merge_above": state.merge_above,
        "merges": [pair.first for pair in state.merges],
        **digests,
    }
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()


def array_digest(array: npt.NDArray[np.float32] | Places) -> str:
    """Return the SHA-256 over an array's type, shape and numbers in row order."""
    digest = hashlib.sha256(f"{array.dtype.str} {array.shape}".encode())
    digest.update(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
    return digest.hexdigest()


def _check_arrays(places: Places, unit: Floats, norms: Floats, dimension: int) -> None:
    n_rows = len(places)
    for name, array, dtype, shape in (
        ("places", places, np.int64, (n_rows, 3)),
        ("unit", unit, np.float32, (n_rows, dimension)),
        ("norms", norms, np.float32, (n_rows,)),
    ):
        if array.dtype != dtype or array.shape != shape:
            raise InputError(name, f"must be {np.dtype(dtype)} of shape {shape}, got {array.dtype} {array.shape}")
    if not (np.isfinite(norms).all() and (norms > 0).all()):
        raise InputError("norms", "must be finite and above 0")


def _check_places(places: Places, lengths: Sequence[int]) -> None:
    """Refuse chunks that lie outside their documents."""
    if not len(places):
        return
    documents, starts, ends = places.T
    if documents.min() < 0 or documents.max() >= len(lengths):
        raise InputError("places", f"must name one of the {len(lengths)} documents")
    if (starts < 0).any() or (starts >= ends).any() or (ends > np.array(lengths)[documents]).any():
        raise InputError("places", "must be ranges within their documents, 0 <= start < end <= length")
