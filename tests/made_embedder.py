"""A small deterministic embedding model for tests: hashed words and their pairs. It knows no meaning, only wording."""

import hashlib
import itertools
import re
import time
from collections.abc import Sequence

import numpy as np

from ragcortex.errors import InputError
from ragcortex.geometry.embedders.embedder import EmbedderIdentity, Embeddings

DIMENSION = 128


class WordEmbedder:
    """Counts of hashed words and word pairs, and how many texts it has been given."""

    def __init__(self, name: str = "words", fingerprint: str = "f0" * 32, seconds_per_text: float = 0.0) -> None:
        self.identity = EmbedderIdentity(name, None, fingerprint, DIMENSION, 256)
        self.n_embedded = 0
        self._seconds = seconds_per_text

    def embed(self, texts: Sequence[str]) -> Embeddings:
        raw = np.zeros((len(texts), DIMENSION), np.float32)
        for row, text in enumerate(texts):
            if not text.strip():
                raise InputError(f"texts[{row}]", "must not be blank")
            words = re.findall(r"\w+", text.lower()) or [text.strip()]
            for part in (*words, *itertools.pairwise(words)):
                digest = hashlib.sha256(repr(part).encode()).digest()
                raw[row, digest[0] % DIMENSION] += 1 if digest[1] % 2 else -1
            if not raw[row].any():
                raw[row, 0] = 1
            time.sleep(self._seconds)
        self.n_embedded += len(texts)
        norms = np.linalg.norm(raw, axis=1).astype(np.float32)
        return Embeddings(raw / norms[:, None], norms)
