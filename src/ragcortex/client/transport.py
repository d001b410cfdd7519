"""What both clients have in common on the way to httpx: addresses, headers, requests and answers."""

from typing import Any, Final
from urllib.parse import urlsplit

import httpx

import ragcortex
from ragcortex.client.call import Answer, Call
from ragcortex.client.errors import ClientError
from ragcortex.errors import InputError

LINE_STATUS: Final = 200


def options(base_url: str, key: str | None, timeout: float) -> dict[str, Any]:
    """Return the arguments of an httpx client.

    Raises:
        InputError: the address is none, or the timeout is not above 0.
    """
    parts = urlsplit(base_url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise InputError("base_url", f"must be an http:// or https:// address, got {shown(base_url)!r}")
    if not timeout > 0:
        raise InputError("timeout", f"must be seconds greater than 0, got {timeout!r}")
    headers = {"User-Agent": f"ragcortex/{ragcortex.__version__}"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    return {"base_url": base_url, "headers": headers, "timeout": timeout}


def shown(base_url: str) -> str:
    """Return an address without what may be secret in it."""
    parts = urlsplit(base_url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def request_of(http: httpx.Client | httpx.AsyncClient, call: Call[Any]) -> httpx.Request:
    """Return the request of a call."""
    body: dict[str, Any] = {} if call.body is None else {"json": call.body}
    if call.files:
        body = {"files": [("files", (name, content)) for name, content in call.files]}
    return http.build_request(
        call.method, call.path, params=dict(call.query) or None, headers=dict(call.headers), **body
    )


def answer_of(response: httpx.Response) -> Answer:
    """Return an answer that was read whole."""
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Answer(response.status_code, headers, response.content)


def line_of(line: str) -> Answer:
    """Return one line of an export as an answer of its own."""
    return Answer(LINE_STATUS, {}, line.encode())


def broke_off(error: httpx.RequestError) -> ClientError:
    """Return the error for a stream that did not come to its end."""
    return ClientError("The stream broke off", f"the connection was lost ({type(error).__name__}); ask again")
