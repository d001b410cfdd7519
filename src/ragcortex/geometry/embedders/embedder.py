"""What every embedding model offers: vectors of texts of any length, and who made them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from ragcortex.checks import check_text
from ragcortex.errors import InputError, ReadingError

FLOAT32: Final = "float32"
DTYPES: Final = (FLOAT32, "bfloat16")


@dataclass(frozen=True, slots=True)
class EmbedderIdentity:
    """Which embedding model this is; a corpus opened with another one is refused, because scores would drift.

    Attributes:
        id: `embedded`, a hub id, the name of a folder, or a model's name at its endpoint.
        revision: the hub commit or the version the endpoint states; None elsewhere.
        fingerprint: SHA-256 over weights, configuration and tokenizer; over the endpoint's vectors of fixed texts
            (rounded) where the weights are not here.
        dimension: length of a vector, after truncation.
        max_tokens: the longest text the model reads at once; longer ones are embedded in pieces and pooled.
    """

    id: str
    revision: str | None
    fingerprint: str
    dimension: int
    max_tokens: int

    def __post_init__(self) -> None:
        check_text("id", self.id, filled=True)
        check_text("revision", self.revision, optional=True)
        check_text("fingerprint", self.fingerprint, filled=True)
        for name in ("dimension", "max_tokens"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise InputError(name, f"must be a whole number from 1 on, got {value!r}")


@dataclass(frozen=True, slots=True, eq=False)
class Embeddings:
    """Vectors of n texts.

    Attributes:
        unit: normalised vectors, float32, shape (n, dimension); each has length 1.
        norms: their lengths before normalisation, float32, shape (n,); `unit * norms[:, None]` are the raw vectors.
    """

    unit: npt.NDArray[np.float32]
    norms: npt.NDArray[np.float32]

    def __post_init__(self) -> None:
        if self.unit.ndim != 2 or self.unit.dtype != np.float32:
            raise ReadingError(
                f"vectors must be float32 of shape (n, dimension), got {self.unit.dtype} {self.unit.shape}"
            )
        if self.norms.shape != (len(self.unit),) or self.norms.dtype != np.float32:
            raise ReadingError(
                f"norms must be float32 of shape ({len(self.unit)},), got {self.norms.dtype} {self.norms.shape}"
            )
        if not (np.isfinite(self.unit).all() and np.isfinite(self.norms).all() and (self.norms > 0).all()):
            raise ReadingError("the embedding model gave a vector that is not finite or has no length")

    def __len__(self) -> int:
        return len(self.unit)


class Embedder(Protocol):
    """An embedding model."""

    @property
    def identity(self) -> EmbedderIdentity:
        """Who makes the vectors."""

    def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return one vector a text, in order, whatever the batch; a text beyond the model's limit is read in pieces.

        Raises:
            InputError: a text is blank.
            ReadingError: a vector is not finite.
            ModelError: the model or its endpoint fails.
        """


def dtype_of(embedder: Embedder) -> str:
    """Return the precision that an embedding model computes in, its attribute `dtype`; float32 where it has none."""
    return str(getattr(embedder, "dtype", FLOAT32))
