"""Embedding models behind an HTTP endpoint in the OpenAI form, one's own server or a provider."""

import hashlib
import json
from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np

from ragcortex.align import Range, token_ranges
from ragcortex.checks import check_text
from ragcortex.endpoints import TooLongError
from ragcortex.errors import InputError, ModelError
from ragcortex.geometry.embedders.embedder import EmbedderIdentity, Embeddings
from ragcortex.geometry.embedders.endpoint import Endpoint
from ragcortex.geometry.embedders.forward import Matrix
from ragcortex.geometry.embedders.pieces import check_texts, cut, normalised, pooled
from ragcortex.settings import settings

# Careful for English (4 bytes a token), about right for Chinese and Japanese (3 bytes, one character, one token).
BYTES_PER_TOKEN: Final = 3
# A model that refuses less than this refuses for another reason than length.
_LEAST_BYTES: Final = 32
_PROBES: Final = (
    "The lighthouse stands on the north cape.",
    "What does the contract say about notice periods?",
    "Die Messung ergab 4,2 Gramm je Liter. 測定値は毎リットル4.2グラムであった。",
)


class HttpEmbedder:
    """Embeds with a model behind `POST {url}/embeddings`.

    The endpoint's tokenizer is not known here. Texts are cut into pieces of at most `max_tokens` tokens, estimated at
    three UTF-8 bytes a token; a piece that the endpoint refuses as too long is halved until it is taken. The vectors of
    a text's pieces are averaged, weighted by their bytes. An endpoint that cuts long texts without saying so cannot be
    found out: `max_tokens` must not be above its limit.

    The identity's fingerprint is made from the endpoint's vectors of three fixed texts: which components are the
    largest and the smallest. It tells models apart and does not change with the small differences between two answers
    of one server, which a hash of rounded components would turn into another model.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str | None = None,
        dimensions: int | None = None,
        max_tokens: int = 512,
        timeout: float = 30.0,
        batch_size: int = 64,
        retries: int = 4,
        first_wait: float = 0.5,
    ) -> None:
        """Describe the endpoint; nothing is sent yet.

        Args:
            url: the base address, `/embeddings` is appended: `https://api.example.com/v1`.
            model: the model's name at the endpoint.
            api_key: sent as a bearer token; by default `RAGCORTEX_EMBEDDINGS_KEY`, and none if that is not set.
            dimensions: ask for vectors of this length (models that can be truncated).
            max_tokens: the longest text to send; the endpoint's limit or less.
            timeout: seconds to wait for an answer.
            batch_size: texts sent at once.
            retries: how often a request is repeated when the endpoint is busy or fails.
            first_wait: seconds before the first repetition where the endpoint names no time; doubled each time.

        Raises:
            InputError: an argument is out of range, or the address is none.
        """
        check_text("model", model, filled=True)
        for name, value in (
            ("dimensions", 1 if dimensions is None else dimensions),
            ("max_tokens", max_tokens),
            ("batch_size", batch_size),
        ):
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(name, f"must be a whole number from 1 on, got {value!r}")
        self._model = model
        self._dimensions = dimensions
        self._max_tokens = max_tokens
        self._batch_size = batch_size
        self._endpoint = Endpoint(
            url, model, api_key=api_key or settings().embeddings_key, dimensions=dimensions, timeout=timeout,
            retries=retries, first_wait=first_wait,
        )  # fmt: skip

    @cached_property
    def identity(self) -> EmbedderIdentity:
        """Who makes the vectors; the first look at it asks the endpoint.

        Raises:
            ModelError: the endpoint fails.
            ReadingError: it gives vectors that are not finite.
        """
        unit = normalised(self._pieces_vectors(list(_PROBES)), self._model).unit
        dimension = unit.shape[1]
        if self._dimensions is not None and dimension != self._dimensions:
            raise ModelError(
                f"{self._endpoint!r} was asked for vectors of {self._dimensions} dimensions and gave {dimension}; "
                "leave `dimensions` out or take a model that can be truncated"
            )
        extremes = [[int(np.argmax(vector)), int(np.argmin(vector))] for vector in unit]
        described = json.dumps([self._model, dimension, extremes])
        fingerprint = hashlib.sha256(described.encode()).hexdigest()
        return EmbedderIdentity(self._model, None, fingerprint, dimension, self._max_tokens)

    def embed(self, texts: Sequence[str]) -> Embeddings:
        """Return one vector a text, in order; see `Embedder.embed`.

        Raises:
            InputError: a text is blank.
            ReadingError: a vector is not finite.
            ModelError: the endpoint cannot be reached, refuses, or answers in another form.
        """
        check_texts(texts)
        dimension = self.identity.dimension
        if not texts:
            return Embeddings(np.zeros((0, dimension), dtype=np.float32), np.zeros(0, dtype=np.float32))
        pieces: list[str] = []
        owners: list[int] = []
        for index, text in enumerate(texts):
            parts = _pieces(text, self._max_tokens * BYTES_PER_TOKEN)
            pieces += parts
            owners += [index] * len(parts)
        vectors = self._pieces_vectors(pieces)
        if vectors.shape[1] != dimension:
            raise ModelError(f"{self._endpoint!r} gave vectors of {vectors.shape[1]} dimensions, {dimension} before")
        return normalised(pooled(vectors, owners, [_size(piece) for piece in pieces], len(texts)), self._model)

    def warm_up(self) -> None:
        """Ask for the identity, so that the connection is open and the first real call is as fast as the later ones."""
        _ = self.identity

    def close(self) -> None:
        """Close the connections."""
        self._endpoint.close()

    def _pieces_vectors(self, pieces: Sequence[str]) -> Matrix:
        """Return the raw vectors of texts that are thought to fit, in order."""
        starts = range(0, len(pieces), self._batch_size)
        found = [self._batch(pieces[start : start + self._batch_size]) for start in starts]
        widths = {vectors.shape[1] for vectors in found}
        if len(widths) != 1:
            raise ModelError(f"{self._endpoint!r} gave vectors of {' and '.join(map(str, sorted(widths)))} dimensions")
        return np.concatenate(found)

    def _batch(self, pieces: Sequence[str]) -> Matrix:
        """Return the vectors of one request; where it is refused as too long, of its halves, down to halved texts."""
        try:
            return self._endpoint.embed(pieces)
        except TooLongError as error:
            if len(pieces) > 1:
                middle = len(pieces) // 2
                return np.concatenate([self._batch(pieces[:middle]), self._batch(pieces[middle:])])
            halves = _pieces(pieces[0], (_size(pieces[0]) + 1) // 2)
            if len(halves) == 1 or _size(pieces[0]) <= _LEAST_BYTES:
                raise ModelError(f"{error}, for a text of {_size(pieces[0])} bytes") from None
            vectors = np.concatenate([self._batch([half]) for half in halves])
            return pooled(vectors, [0] * len(halves), [_size(half) for half in halves], 1)


def _size(text: str) -> int:
    return len(text.encode())


def _pieces(text: str, room: int) -> list[str]:
    """Return a text's pieces of at most `room` bytes (or one grapheme), without those that are only white space."""
    if _size(text) <= room:
        return [text]
    ranges: list[Range] = list(dict.fromkeys(token_ranges(text, [(place, place + 1) for place in range(len(text))])))
    sizes = [_size(text[start:end]) for start, end in ranges]
    parts = cut(text, ranges, sizes, max(room, *sizes))
    found = [text[ranges[first][0] : ranges[last - 1][1]] for first, last in parts]
    return [part for part in found if part.strip()]
