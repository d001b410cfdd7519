"""Requests to an embeddings endpoint in the OpenAI form: retried where that helps, the answers checked."""

import json
import time
from collections.abc import Mapping, Sequence
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt
import regex

from ragcortex.errors import InputError, ModelError

_RETRIED: Final = (429, 500, 502, 503, 504)
_TOO_LONG_STATUSES: Final = (400, 413, 422)
_TOO_LONG: Final = regex.compile(
    r"too (?:long|large|many (?:input )?tokens)|(?:context|sequence|input|token)[ _]?(?:length|size|limit)|"
    r"max\w*[ _](?:context|input|sequence|tokens|length|model)",
    regex.IGNORECASE,
)
_LONGEST_WAIT: Final = 60.0


class TooLongError(Exception):
    """The endpoint refused a request because a text is longer than its model reads; never leaves this package."""


class Endpoint:
    """One address that embeds texts.

    Answers 429, 500, 502, 503 and 504 are asked again up to `retries` times, after the time that `Retry-After` names
    or, without it, after `first_wait` seconds, doubled each time. A connection that fails or takes longer than
    `timeout` is not tried again: without a network nothing waits. No message contains the key.
    """

    def __init__(
        self, url: str, model: str, *, api_key: str | None, dimensions: int | None, timeout: float, retries: int,
        first_wait: float,
    ) -> None:  # fmt: skip
        import httpx

        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError("url", f"must be an http:// or https:// address, got {_without_secrets(url)!r}")
        path = parts.path.rstrip("/")
        place = path if path.endswith("/embeddings") else f"{path}/embeddings"
        self._target = parts._replace(path=place, fragment="").geturl()
        self._shown = _without_secrets(self._target)
        self._fields: dict[str, Any] = {"model": model} | ({} if dimensions is None else {"dimensions": dimensions})
        self._retries = retries
        self._first_wait = first_wait
        self._timeout = timeout
        self._key = api_key
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(timeout=timeout, headers=headers)

    def __repr__(self) -> str:
        return f"Endpoint({self._shown!r}, {self._fields['model']!r})"

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return the endpoint's vectors of at least one text, float32, shape (n, dimension), in the texts' order.

        A component that is not finite is passed on; whoever normalises the vectors refuses it.

        Raises:
            TooLongError: a text is longer than the endpoint's model reads.
            ModelError: it cannot be reached, refuses, or answers in another form.
        """
        status, body = self._asked({**self._fields, "input": list(texts)})
        try:
            document = json.loads(body)
        except ValueError:
            raise ModelError(f"{self._said(status)} something that is not JSON: {self._excerpt(body)}") from None
        try:
            return vectors_of(document, len(texts))
        except ValueError as error:
            raise ModelError(f"the embeddings endpoint {self._shown} answered in another form: {error}") from None

    def _asked(self, payload: Mapping[str, Any]) -> tuple[int, bytes]:
        """Return status and body of the first answer that is not an error."""
        for attempt in range(self._retries + 1):
            response = self._posted(payload)
            status: int = response.status_code
            if status == 200:
                return status, response.content
            message = self._excerpt(response.content)
            if status in _TOO_LONG_STATUSES and (status == 413 or _TOO_LONG.search(message)):
                raise TooLongError(f"{self._said(status)} {message}")
            if status not in _RETRIED or attempt == self._retries:
                break
            wait = _wait(response.headers.get("Retry-After"))
            if wait is not None and wait > _LONGEST_WAIT:
                raise ModelError(
                    f"{self._said(status)} a request to wait {wait:.0f} s, longer than {_LONGEST_WAIT:.0f} s; "
                    "try again later"
                )
            time.sleep(self._first_wait * 2**attempt if wait is None else wait)
        tries = f" after {attempt + 1} tries" if attempt else ""
        hint = "; set RAGCORTEX_EMBEDDINGS_KEY to a valid key" if status in (401, 403) else ""
        raise ModelError(f"{self._said(status)} an error{tries}: {message}{hint}")

    def _posted(self, payload: Mapping[str, Any]) -> Any:
        import httpx

        try:
            return self._client.post(self._target, json=payload)
        except httpx.TimeoutException:
            raise ModelError(
                f"the embeddings endpoint {self._shown} did not answer within {self._timeout:g} s; "
                "give a longer timeout or a smaller batch_size"
            ) from None
        except httpx.HTTPError as error:
            raise ModelError(
                f"the embeddings endpoint {self._shown} cannot be reached ({type(error).__name__}); "
                "check its address and that it runs"
            ) from None

    def _excerpt(self, body: bytes) -> str:
        """Return what an endpoint says, as one line, without the key, which some repeat."""
        line = _message(body)
        line = line.replace(self._key, "(key)") if self._key else line
        return repr(line[:200]) if line else "nothing"

    def _said(self, status: int) -> str:
        return f"the embeddings endpoint {self._shown} answered {status} with"


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


def _wait(header: str | None) -> float | None:
    """Return the seconds that a Retry-After header asks for, None if there is none that can be read."""
    if header is None:
        return None
    if regex.fullmatch(r"\s*\d{1,9}(?:\.\d+)?\s*", header):
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, TypeError):
        return None


def _without_secrets(url: str) -> str:
    """Return an address without user, password, query and fragment, any of which may hold a key."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _message(body: bytes) -> str:
    """Return an error's own message, or else the whole body, as one line."""
    text = body.decode("utf-8", errors="replace")
    try:
        document = json.loads(text)
        error = document.get("error", document)
        text = str(error.get("message", error) if isinstance(error, dict) else error)
    except (ValueError, AttributeError):
        pass
    return " ".join(text.split())
