"""Models behind an HTTP endpoint in the OpenAI form: JSON sent, repeated where that helps, and JSON received."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

import regex

from ragcortex.checks import check_position
from ragcortex.errors import InputError, ModelError

Answer = TypeVar("Answer")

_REPEATED: Final = (429, 500, 502, 503, 504)
_TOO_LONG_STATUSES: Final = (400, 413, 422)
_TOO_LONG: Final = regex.compile(
    r"too (?:long|large|many (?:input )?tokens)|(?:context|sequence|input|token)[ _]?(?:length|size|limit)|"
    r"max\w*[ _](?:context|input|sequence|tokens|length|model)",
    regex.IGNORECASE,
)
_LONGEST_WAIT: Final = 60.0


class TooLongError(Exception):
    """An endpoint refused a request because a text is longer than its model reads; callers never let it out."""


@dataclass(frozen=True, slots=True)
class EndpointKind:
    """What sort of endpoint it is, and how errors speak of it.

    Attributes:
        name: as errors begin: "the embeddings endpoint http://… answered …".
        route: what is appended to the base address, with a slash first.
        key_variable: the environment variable that a refused key is to be put in.
        when_slow: what to do where an answer takes too long.
        when_busy: what to do where the endpoint asks for a longer wait than is sensible.
    """

    name: str
    route: str
    key_variable: str
    when_slow: str = "give a longer timeout"
    when_busy: str = "try again later"


class JsonEndpoint:
    """One address that takes a JSON object and answers with one; safe to use from several threads.

    Answers 429, 500, 502, 503 and 504 are asked again up to `retries` times, after the time that `Retry-After` names
    or, without it, after `first_wait` seconds, doubled each time. A connection that fails or takes longer than
    `timeout` is not tried again: without a network nothing waits. No message contains the key.

    Attributes:
        shown: the address without user, password and query, any of which may hold a key.
    """

    def __init__(
        self, kind: EndpointKind, url: str, *, api_key: str | None, timeout: float, retries: int, first_wait: float
    ) -> None:
        """Describe the endpoint; nothing is sent yet.

        Args:
            kind: what sort of endpoint it is.
            url: the base address, or already with the route.
            api_key: sent as a bearer token; None or "" sends none.
            timeout: seconds to wait for an answer.
            retries: how often a request is repeated when the endpoint is busy or fails.
            first_wait: seconds before the first repetition where the endpoint names no time; doubled each time.

        Raises:
            InputError: an argument is out of range, or the address is none.
        """
        import httpx

        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError("url", f"must be an http:// or https:// address, got {_without_secrets(url)!r}")
        check_position("retries", retries)
        if not timeout > 0:
            raise InputError("timeout", f"must be a number of seconds greater than 0, got {timeout!r}")
        if not first_wait >= 0:
            raise InputError("first_wait", f"must be a number of seconds from 0 on, got {first_wait!r}")
        path = parts.path.rstrip("/")
        place = path if path.endswith(kind.route) else f"{path}{kind.route}"
        self._target = parts._replace(path=place, fragment="").geturl()
        self.shown = _without_secrets(self._target)
        self._kind, self._key = kind, api_key
        self._timeout, self._retries, self._first_wait = timeout, retries, first_wait
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._client = httpx.Client(timeout=timeout, headers=headers)

    def __repr__(self) -> str:
        return f"JsonEndpoint({self.shown!r})"

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def ask(self, payload: Mapping[str, Any], read: Callable[[object], Answer]) -> Answer:
        """Send a JSON object and return what `read` makes of the decoded answer.

        Args:
            payload: the object.
            read: raises ValueError, with what it expected and what it found, where the answer has another form.

        Raises:
            TooLongError: the endpoint says that a text is longer than its model reads.
            ModelError: it cannot be reached, refuses, or answers in another form.
        """
        body = self._body(payload)
        try:
            document = json.loads(body)
        except (ValueError, RecursionError):
            raise ModelError(f"{self._said(200)} something that is not JSON: {self._excerpt(body)}") from None
        try:
            return read(document)
        except ValueError as error:
            raise ModelError(f"{self._named} answered in another form: {error}") from None

    def _body(self, payload: Mapping[str, Any]) -> bytes:
        """Return the body of the first answer that is not an error."""
        for attempt in range(self._retries + 1):
            response = self._posted(payload)
            status: int = response.status_code
            content: bytes = response.content
            if status == 200:
                return content
            message = self._excerpt(content)
            if status in _TOO_LONG_STATUSES and (status == 413 or _TOO_LONG.search(message)):
                raise TooLongError(f"{self._said(status)} {message}")
            if status not in _REPEATED or attempt == self._retries:
                break
            wait = _wait(response.headers.get("Retry-After"))
            if wait is not None and wait > _LONGEST_WAIT:
                raise ModelError(
                    f"{self._said(status)} a request to wait {wait:.0f} s, longer than {_LONGEST_WAIT:.0f} s; "
                    f"{self._kind.when_busy}"
                )
            time.sleep(self._first_wait * 2**attempt if wait is None else wait)
        tries = f" after {attempt + 1} tries" if attempt else ""
        hint = f"; set {self._kind.key_variable} to a valid key" if status in (401, 403) else ""
        raise ModelError(f"{self._said(status)} an error{tries}: {message}{hint}")

    def _posted(self, payload: Mapping[str, Any]) -> Any:
        import httpx

        try:
            return self._client.post(self._target, json=payload)
        except httpx.TimeoutException:
            raise ModelError(
                f"{self._named} did not answer within {self._timeout:g} s; {self._kind.when_slow}"
            ) from None
        except httpx.HTTPError as error:
            raise ModelError(
                f"{self._named} cannot be reached ({type(error).__name__}); check its address and that it runs"
            ) from None

    def _excerpt(self, body: bytes) -> str:
        """Return what an endpoint says, as one line, without the key, which some repeat."""
        line = _message(body)
        line = line.replace(self._key, "(key)") if self._key else line
        return repr(line[:200]) if line else "nothing"

    @property
    def _named(self) -> str:
        return f"the {self._kind.name} {self.shown}"

    def _said(self, status: int) -> str:
        return f"{self._named} answered {status} with"


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
    except (ValueError, AttributeError, RecursionError):
        pass
    return " ".join(text.split())
