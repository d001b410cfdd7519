"""An embeddings endpoint in the OpenAI form: texts in, checked vectors out."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from ragcortex.endpoints import EndpointKind, JsonEndpoint

_EMBEDDINGS: Final = EndpointKind(
    name="embeddings endpoint",
    route="/embeddings",
    key_variable="RAGCORTEX_EMBEDDINGS_KEY",
    when_slow="give a longer timeout or a smaller batch_size",
)


class Endpoint:
    """One address that embeds texts; see `JsonEndpoint` for the arguments and for what is repeated."""

    def __init__(
        self, url: str, model: str, *, api_key: str | None, dimensions: int | None, timeout: float, retries: int,
        first_wait: float,
    ) -> None:  # fmt: skip
        self._fields: dict[str, Any] = {"model": model} | ({} if dimensions is None else {"dimensions": dimensions})
        self._http = JsonEndpoint(
            _EMBEDDINGS, url, api_key=api_key, timeout=timeout, retries=retries, first_wait=first_wait
        )

    def __repr__(self) -> str:
        return f"Endpoint({self._http.shown!r}, {self._fields['model']!r})"

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the endpoint's vectors of at least one text, float32, shape (n, dimension), in the texts' order.

        A component that is not finite is passed on; whoever normalises the vectors refuses it.

        Raises:
            TooLongError: a text is longer than the endpoint's model reads.
            ModelError: it cannot be reached, refuses, or answers in another form.
        """
        return self._http.ask({**self._fields, "input": list(texts)}, lambda answer: vectors_of(answer, len(texts)))


def vectors_of(document: object, n: int) -> npt.NDArray[np.float32]:
    """Return the vectors of a decoded answer in the order of the texts, float32, shape (n, dimension).

    Raises:
        ValueError: what was expected and what was found.
    """
    data = document.get("data") if isinstance(document, dict) else None
    if not isinstance(data, list):
        raise ValueError("expected an object with a list `data`")
    if len(data) != n:
        raise ValueError(f"expected {n} vectors, got {len(data)}")
    if not all(isinstance(item, dict) and isinstance(item.get("embedding"), list) for item in data):
        raise ValueError("expected a list `embedding` in every item of `data`")
    places = [item.get("index") for item in data]
    if any(place is not None for place in places):
        if not all(isinstance(place, int) for place in places) or sorted(places) != list(range(n)):
            raise ValueError(f"expected each `index` from 0 to {n - 1} once")
        data = sorted(data, key=lambda item: item["index"])
    lengths = {len(item["embedding"]) for item in data}
    if len(lengths) != 1 or 0 in lengths:
        raise ValueError(f"expected vectors of one length, got {', '.join(map(str, sorted(lengths)))}")
    if not all(type(value) in (int, float) for item in data for value in item["embedding"]):
        raise ValueError("expected numbers in every `embedding`")
    try:
        with np.errstate(over="ignore"):
            return np.array([item["embedding"] for item in data], dtype=np.float32)
    except OverflowError:
        raise ValueError("expected numbers that a float can hold in every `embedding`") from None
