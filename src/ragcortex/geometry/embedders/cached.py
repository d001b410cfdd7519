"""An embedder that remembers: the references of one source are embedded once for all of its answers."""

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ragcortex.errors import InputError
from ragcortex.geometry.embedders.embedder import Embedder, EmbedderIdentity, Embeddings, dtype_of
from ragcortex.geometry.embedders.pieces import check_texts

_Vector = tuple[npt.NDArray[np.float32], np.float32]


class RememberingEmbedder:
    """Keeps the vectors of the texts used last, and embeds each other text of a call once.

    A remembered vector is the one its embedder first gave; another batch might have given one that differs within the
    embedder's tolerance. Safe to use from several threads.

    Args:
        embedder: makes the vectors.
        max_texts: how many texts are remembered at most; those not used for longest are forgotten first.
    """

    def __init__(self, embedder: Embedder, max_texts: int = 4096) -> None:
        if isinstance(max_texts, bool) or not isinstance(max_texts, int) or max_texts < 1:
            raise InputError("max_texts", f"must be a whole number from 1 on, got {max_texts!r}")
        self._embedder = embedder
        self._max_texts = max_texts
        self._known: OrderedDict[str, _Vector] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def identity(self) -> EmbedderIdentity:
        """Who makes the vectors."""
        return self._embedder.identity

    @property
    def dtype(self) -> str:
        """The precision that they are computed in."""
        return dtype_of(self._embedder)

    def __len__(self) -> int:
        return len(self._known)

    def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return one vector a text, in order; see `Embedder.embed`, whose errors it passes on and does not remember."""
        check_texts(texts)
        found = self._remembered(texts)
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing or not texts:
            made = self._embedder.embed(missing)
            new = {text: (made.unit[i].copy(), made.norms[i]) for i, text in enumerate(missing)}
            self._remember(new)
            found |= new
            if not texts:
                return made
        return Embeddings(
            np.stack([found[text][0] for text in texts]), np.array([found[text][1] for text in texts], dtype=np.float32)
        )

    def _remembered(self, texts: Sequence[str]) -> dict[str, _Vector]:
        found = {}
        with self._lock:
            for text in texts:
                if text in self._known:
                    self._known.move_to_end(text)
                    found[text] = self._known[text]
        return found

    def _remember(self, new: dict[str, _Vector]) -> None:
        with self._lock:
            self._known.update(new)
            while len(self._known) > self._max_texts:
                self._known.popitem(last=False)
