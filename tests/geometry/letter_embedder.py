"""An embedder that needs no weights, for tests of what comes after the vectors."""

import itertools
from collections.abc import Sequence

import numpy as np

from ragcortex.geometry.embedders.embedder import EmbedderIdentity, Embeddings


class LetterEmbedder:
    """Vectors of letter pairs: texts with the same wording are close, whatever else is in the batch."""

    identity = EmbedderIdentity("letters", None, "letters-1", 512, 256)

    def embed(self, texts: Sequence[str]) -> Embeddings:
        raw = np.zeros((len(texts), self.identity.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            assert text.strip(), "embedders refuse blank texts"
            for one, two in itertools.pairwise(f" {text.casefold()} "):
                raw[row, (31 * ord(one) + ord(two)) % self.identity.dimension] += 1
        norms = np.linalg.norm(raw, axis=1)
        return Embeddings((raw / norms[:, None]).astype(np.float32), norms.astype(np.float32))
