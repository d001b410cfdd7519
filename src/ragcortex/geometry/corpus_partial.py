"""Vectors of a build that is not finished, kept so that the same build, run again, does not embed them again."""

import contextlib
import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ragcortex.errors import StoreError
from ragcortex.geometry.embedders.embedder import EmbedderIdentity, Embeddings
from ragcortex.geometry.search import Floats

_PATTERN = "vectors-*.safetensors"


class PartialVectors:
    """A folder of finished batches, each vector keyed by its text and the model that made it.

    A file that cannot be read, or is of another model, is left out: its texts are embedded anew.
    """

    def __init__(self, folder: Path, identity: EmbedderIdentity) -> None:
        self.folder = folder
        self._key = f"{identity.fingerprint} {identity.dimension} {identity.max_tokens}"
        self._dimension = identity.dimension

    def load(self) -> dict[bytes, tuple[Floats, np.float32]]:
        """Return the vector of length 1 and the norm of each text that is there, by `text_key`."""
        known: dict[bytes, tuple[Floats, np.float32]] = {}
        for path in sorted(self.folder.glob(_PATTERN)):
            for key, unit, norm in zip(*self._batch(path), strict=True):
                known[key.tobytes()] = (unit, norm)
        return known

    def add(self, keys: Sequence[bytes], vectors: Embeddings) -> None:
        """Write one batch, whole or not at all.

        Raises:
            StoreError: it cannot be written.
        """
        from safetensors import SafetensorError
        from safetensors.numpy import save_file

        table = np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(len(keys), -1)
        name = hashlib.sha256(b"".join((self._key.encode(), *keys))).hexdigest()[:32]
        path = self.folder / f"vectors-{name}.safetensors"
        temporary = path.with_suffix(".tmp")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            save_file(
                {"keys": table, "unit": vectors.unit, "norms": vectors.norms}, temporary, metadata={"model": self._key}
            )
            temporary.replace(path)
        except (OSError, SafetensorError) as error:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise StoreError(
                f"vectors cannot be kept in {str(self.folder)!r}: {error}; make room or choose another place, and run "
                "the command again"
            ) from error

    def remove(self) -> None:
        """Delete the batches, and the folder if nothing else is in it."""
        with contextlib.suppress(OSError):
            for path in (*self.folder.glob(_PATTERN), *self.folder.glob("vectors-*.tmp")):
                path.unlink()
            self.folder.rmdir()

    def _batch(self, path: Path) -> tuple[npt.NDArray[np.uint8], Floats, Floats]:
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(path, framework="numpy") as file:
                model: str = (file.metadata() or {}).get("model", "")
                keys, unit, norms = (file.get_tensor(name) for name in ("keys", "unit", "norms"))
        except (OSError, SafetensorError):
            return self._nothing()
        forms = [(array.dtype.name, array.shape) for array in (keys, unit, norms)]
        n = len(unit)
        expected = [("uint8", (n, 32)), ("float32", (n, self._dimension)), ("float32", (n,))]
        return (keys, unit, norms) if model == self._key and forms == expected else self._nothing()

    def _nothing(self) -> tuple[npt.NDArray[np.uint8], Floats, Floats]:
        return np.zeros((0, 32), np.uint8), np.zeros((0, self._dimension), np.float32), np.zeros(0, np.float32)


def text_key(text: str) -> bytes:
    """Return what a text's vector is kept under, the 32 bytes of its SHA-256."""
    return hashlib.sha256(text.encode()).digest()
