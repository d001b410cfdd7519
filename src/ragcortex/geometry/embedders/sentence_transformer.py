"""Embedding models in sentence-transformers' format, run on token ids so that nothing is cut and little is padded."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ragcortex.align import token_ranges
from ragcortex.checks import check_known
from ragcortex.errors import InputError, OutOfMemoryError, ReadingError
from ragcortex.geometry.embedders.embedder import DTYPES, FLOAT32, EmbedderIdentity, Embeddings
from ragcortex.geometry.embedders.forward import Matrix, Row, batch_tokens, padded, plan
from ragcortex.geometry.embedders.location import EmbedderLocation, locate
from ragcortex.geometry.embedders.parts import load_parts
from ragcortex.geometry.embedders.pieces import check_texts, cut, normalised, pooled
from ragcortex.readers.memory import within_memory

_FEW_TEXTS: Final = 16
_WARM_UP: Final = ("Warm.", "A second sentence, which is longer than the first one.", "word " * 300)


class SentenceTransformerEmbedder:
    """Embeds with a sentence-transformers model, in float32 or with its transformer in bfloat16.

    A text's vector does not depend on the other texts of the call, nor on their order: unit vectors in float32 agree
    within 1e-6 per component on the CPU (1e-5 on other devices), whichever rows share a pass, those in bfloat16 within
    5e-3. A text beyond the model's limit is cut into pieces (see `pieces.cut`) whose unnormalised vectors are averaged,
    weighted by their tokens.

    Attributes:
        device: where the model is.
        dtype: what its transformer's layers compute in.
    """

    def __init__(
        self,
        location: EmbedderLocation,
        *,
        device: str | None = None,
        dtype: str = FLOAT32,
        dimension: int | None = None,
    ) -> None:
        """Load the model at a location; `load` does this by name.

        Args:
            location: the model's folder.
            device: `cpu`, `cuda`, `cuda:N` or `mps`; by default what readers use.
            dtype: `float32` or `bfloat16`.
            dimension: keep this many leading components (for Matryoshka models); all by default.

        Raises:
            ModelError: the files cannot be loaded, or hold no text embedding model that is understood here.
            InputError: the dimension is larger than the model's, or the device or dtype is unknown.
        """
        from ragcortex.readers.models import choose_device

        self.device = choose_device(device)
        check_known("dtype", dtype, DTYPES)
        self.dtype = dtype
        self._model = load_parts(location, self.device, dtype)
        width = self._model.width
        if dimension is None:
            dimension = self._model.truncation or width
        if isinstance(dimension, bool) or not isinstance(dimension, int) or not 1 <= dimension <= width:
            raise InputError("dimension", f"must be a whole number from 1 to the model's {width}, got {dimension!r}")
        self._identity = EmbedderIdentity(
            location.id, location.revision, location.fingerprint, dimension, self._model.max_tokens
        )

    @classmethod
    def load(
        cls, source: str, *, device: str | None = None, dtype: str = FLOAT32, dimension: int | None = None
    ) -> "SentenceTransformerEmbedder":
        """Return the model named by `source`: `embedded`, a folder, or a hub id that is on this machine.

        Raises:
            ModelMissingError: it is not here; the message says how to fetch it. Nothing is downloaded.
            ModelError, InputError: as the constructor.
        """
        return cls(locate(source), device=device, dtype=dtype, dimension=dimension)

    @property
    def identity(self) -> EmbedderIdentity:
        """Who makes the vectors."""
        return self._identity

    def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return one vector a text, in order; see `Embedder.embed`.

        Raises:
            InputError: a text is blank.
            ReadingError: a vector is not finite, or the tokenizer makes nothing of a text.
            OutOfMemoryError: the memory does not suffice for one text; for several at once, fewer are taken.
        """
        check_texts(texts)
        dimension = self._identity.dimension
        if not texts:
            return Embeddings(np.zeros((0, dimension), dtype=np.float32), np.zeros(0, dtype=np.float32))
        rows: list[Row] = []
        owners: list[int] = []
        sizes: list[int] = []
        encodings = self._encodings([self._model.prompt + text for text in texts])
        for index, (text, encoding) in enumerate(zip(texts, encodings, strict=True)):
            for row, size in self._rows(text, encoding):
                rows.append(row)
                owners.append(index)
                sizes.append(size)
        vectors = pooled(self._vectors(rows), owners, sizes, len(texts))
        return normalised(np.ascontiguousarray(vectors[:, :dimension]), self._identity.id)

    def warm_up(self) -> None:
        """Embed a few texts, so that the first real call is as fast as the later ones."""
        self.embed(_WARM_UP)
        self.embed(_WARM_UP[:2])

    def _encodings(self, texts: Sequence[str]) -> Sequence[Any]:
        """Return the texts' tokens; for a few texts waking the tokenizer's threads takes longer than their work."""
        tokenizer = self._model.tokenizer
        if len(texts) <= _FEW_TEXTS:
            return [tokenizer.encode(text) for text in texts]
        found: list[Any] = tokenizer.encode_batch(texts)
        return found

    def _rows(self, text: str, encoding: Any) -> list[tuple[Row, int]]:
        """Return the rows of one text, each with how many of the text's own tokens it holds."""
        model = self._model
        ids = encoding.ids
        if not ids:
            raise ReadingError(f"the tokenizer made no token from a text of {len(text)} characters")
        if len(ids) <= model.max_tokens:
            return [(ids, len(ids))]
        own = slice(model.n_head, len(ids) - model.n_tail)
        offsets, body = encoding.offsets[own], ids[own]
        start = len(model.prompt)
        n_prompt = sum(end <= start for _, end in offsets) if start else 0
        head, tail = ids[: model.n_head + n_prompt], ids[len(ids) - model.n_tail :]
        ranges = token_ranges(text, [(max(0, low - start), high - start) for low, high in offsets[n_prompt:]])
        body = body[n_prompt:]
        room = model.max_tokens - len(head) - len(tail)
        return [([*head, *body[low:high], *tail], high - low) for low, high in cut(text, ranges, None, room)]

    def _vectors(self, rows: Sequence[Row]) -> Matrix:
        """Return the unnormalised vectors of rows of token ids, in order."""
        lengths = [len(row) for row in rows]
        vectors = np.empty((len(rows), self._model.width), dtype=np.float32)
        # Without padding the model divides the rows into passes itself.
        whole = self._model.packed is not None
        batches = [[*range(len(rows))]] if whole else plan(lengths, batch_tokens(self.device), self.device)
        for batch in batches:
            try:
                found, _ = within_memory(self._each_finite, [rows[index] for index in batch], "texts")
            except OutOfMemoryError as error:
                raise OutOfMemoryError(
                    f"the memory does not suffice to embed a text of up to {max(lengths):,} tokens by itself with "
                    f"{self._identity.id!r}: {error}; use a smaller embedder or a machine with more memory"
                ) from None
            vectors[batch] = found
        return vectors

    def _each_finite(self, rows: Sequence[Row]) -> list[Matrix]:
        """Return the rows' vectors; those that are not finite are read again, each alone.

        Attention weighs what a row must not see with zero, and zero times infinity is not a number: a row whose own
        numbers are finite would fail with its neighbours.
        """
        vectors = self._pass(rows)
        bad: list[int] = np.flatnonzero(~np.isfinite(vectors).all(axis=1)).tolist()
        if len(rows) > 1 and bad:
            vectors = vectors.copy()
            for index in bad:
                vectors[index] = self._pass([rows[index]])[0]
        return list(vectors)

    def _pass(self, rows: Sequence[Row]) -> Matrix:
        model = self._model
        return model.packed(rows) if model.packed else padded(model.modules, rows, model.pad_id, self.device)
