"""An embedding model that several threads share and one at a time uses."""

import threading
from collections.abc import Callable, Sequence

from ragcortex.geometry.embedders.embedder import Embedder, EmbedderIdentity, Embeddings, dtype_of


class OneAtATime:
    """An embedding model, loaded when it is first needed; who comes while it works waits for its turn.

    A corpus is embedded in portions, so that a search waits for one portion and not for the whole corpus.
    """

    def __init__(self, load: Callable[[], Embedder]) -> None:
        self._load = load
        self._loaded: Embedder | None = None
        self._turn = threading.Lock()

    @property
    def identity(self) -> EmbedderIdentity:
        """Who makes the vectors.

        Raises:
            ModelError: it cannot be loaded.
        """
        with self._turn:
            return self._model().identity

    @property
    def dtype(self) -> str:
        """The precision that it computes in.

        Raises:
            ModelError: it cannot be loaded.
        """
        with self._turn:
            return dtype_of(self._model())

    def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return one vector a text; see `Embedder.embed`."""
        with self._turn:
            return self._model().embed(texts)

    def _model(self) -> Embedder:
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded
