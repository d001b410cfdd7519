"""One request to the service and how its answer is read, without sending it."""

import datetime
import json
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar
from urllib.parse import quote

from ragcortex.client.decoding import decoded
from ragcortex.client.errors import ClientError

T = TypeVar("T")
IDEMPOTENCY_KEY: Final = "Idempotency-Key"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the status, the headers by lower-case name, and the whole body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """A request.

    Attributes:
        method, path: of HTTP; the path is quoted already.
        read: makes of a good answer what the call gives; of an export, of each of its lines.
        query: parameters of the address.
        body: a JSON value; None sends none.
        files: names and contents to be uploaded instead of a JSON value.
        headers: beside those that every request has.
        repeatable: whether it may be sent again where nobody knows if it arrived.
        good: statuses beside 2xx that are no failure.
        gone_is_done: whether 404, after it was sent again, says that the first one did what it should.
    """

    method: str
    path: str
    read: Callable[[Answer], T]
    query: Mapping[str, str] = field(default_factory=dict)
    body: object = None
    files: tuple[tuple[str, bytes], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)
    repeatable: bool = False
    good: tuple[int, ...] = ()
    gone_is_done: bool = False


def reads(kind: type[T]) -> Callable[[Answer], T]:
    """Return what reads an answer as JSON of a type.

    Raises:
        ClientError: when called, the answer is not JSON or of another form.
    """
    return lambda answer: read_as(kind, answer)


def read_as(kind: type[T], answer: Answer) -> T:
    """Return the answer's JSON as an object of a type.

    Raises:
        ClientError: it is not JSON or of another form.
    """
    try:
        return decoded(kind, json.loads(answer.body))
    except (ValueError, RecursionError) as error:
        raise unexpected(answer, str(error)) from error


def read_text(answer: Answer) -> str:
    """Return the answer as text."""
    return answer.body.decode("utf-8", errors="replace")


def read_row(answer: Answer) -> dict[str, Any]:
    """Return the answer's JSON object.

    Raises:
        ClientError: it is none.
    """
    try:
        row = json.loads(answer.body)
    except (ValueError, RecursionError) as error:
        raise unexpected(answer, str(error)) from error
    if not isinstance(row, dict):
        raise unexpected(answer, f"a row must be an object, got {type(row).__name__}")
    return row


def nothing(_answer: Answer) -> None:
    """Read an answer whose body says nothing."""


def unexpected(answer: Answer, why: str) -> ClientError:
    """Return the error for an answer that is not understood."""
    detail = f"the answer is not what this version of the client expects: {why}; is the address that of the service?"
    return ClientError("Unexpected answer", detail, status=answer.status, request_id=answer.headers.get("x-request-id"))


def path(*parts: str) -> str:
    """Return the path of these parts, each quoted whole.

    >>> path("v1", "corpora", "my handbook", "documents", "a/b")
    '/v1/corpora/my%20handbook/documents/a%2Fb'
    """
    return "".join(f"/{quote(part, safe='')}" for part in parts)


def query(**values: object) -> dict[str, str]:
    """Return the parameters that are not None, as text.

    >>> query(limit=5, cursor=None, create=True)
    {'limit': '5', 'create': 'true'}
    """
    return {name: _text(value) for name, value in values.items() if value is not None}


def given(**values: Any) -> dict[str, Any]:
    """Return the values that are not None, moments as text, as a JSON object."""
    return {
        name: value.isoformat() if isinstance(value, datetime.datetime) else value
        for name, value in values.items()
        if value is not None
    }


def named(key: str | None) -> dict[str, str]:
    """Return the header that names a request, by a new name if none is given: sent again it makes nothing twice."""
    return {IDEMPOTENCY_KEY: key or uuid.uuid4().hex}


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, datetime.datetime) else str(value)
