"""What every request goes through: an id, figures of it, careful headers, and what no route would answer itself."""

import logging
import re
import secrets
import time
from collections.abc import Callable, Sequence
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ragcortex.service.metrics import Metrics
from ragcortex.service.problems import RefusedError, answer, problem_of
from ragcortex.service.tracing import Tracing

PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_log = logging.getLogger("ragcortex.service.access")
_GIVEN_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")
_HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:[0-9]{1,5})?\Z")


class RequestMiddleware:
    """Names requests, counts and times them by route, and adds the headers of security; plain ASGI, streams whole.

    What nobody expected is answered here too, so that it has all of that as well.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = given if _GIVEN_ID.match(given) else secrets.token_hex(8)
        scope["request_id"] = request_id
        started, status = time.perf_counter(), 0

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                _add_headers(message, request_id, may_be_kept=status < 400 and scope["path"].startswith("/static/"))
            await send(message)

        service = getattr(scope["app"].state, "service", None)
        tracing = service.tracing if service is not None else Tracing()
        with tracing.request(scope["method"], Headers(scope=scope)) as traced:
            try:
                await self._app(scope, receive, send_with_headers)
            except Exception as error:
                if status:  # the response has begun: leaving it unfinished is all that can be said
                    problem_of(error)
                    status = 500
                else:
                    await (await answer(Request(scope), error))(scope, receive, send_with_headers)
            finally:
                route = getattr(scope.get("route"), "path", None)
                traced.answered(scope["method"], route, status or 500)
                seconds = time.perf_counter() - started
                self._metrics.request(route, scope["method"], status or 500, seconds)
                milliseconds = seconds * 1000
                _log.info("%s %s %d %.1f ms %s", scope["method"], route or "-", status, milliseconds, request_id)


class HostMiddleware:
    """Refuses requests for host names that are not this service's: another site's name may lead to this address.

    `*` stands for every name, `*.example.org` for all that end so.
    """

    def __init__(self, app: ASGIApp, hosts: Sequence[str]) -> None:
        self._app = app
        self._hosts = {host.lower().strip("[]") for host in hosts}
        self._endings = tuple(host[1:].lower() for host in hosts if host.startswith("*"))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "http" and not self._known(Headers(scope=scope).get("host", "")):
            error = RefusedError(400, "requests for this host name are refused; the setting allowed_hosts names others")
            await (await answer(Request(scope), error))(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _known(self, given: str) -> bool:
        parts = _HOST.match(given.lower())
        if parts is None:
            return False
        name = parts[1].strip("[]")
        return name in self._hosts or name.endswith(self._endings)


class BodyLimitMiddleware:
    """Refuses bodies that are too large: at once where they say so, else while they are read."""

    def __init__(self, app: ASGIApp, most: Callable[[str], int]) -> None:
        """Take how many bytes a body may have, by the path of the request."""
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most, n_bytes = self._most(scope["path"]), 0
        refusal = f"the body is larger than the {most:,} bytes that are taken here; send less at once"
        declared = Headers(scope=scope).get("content-length", "")
        if declared.isdecimal() and int(declared) > most:
            await (await answer(Request(scope), RefusedError(413, refusal)))(scope, receive, send)
            return

        async def receive_counted() -> Message:
            nonlocal n_bytes
            message = await receive()
            n_bytes += len(message.get("body", b""))
            if n_bytes > most:
                raise HTTPException(413, refusal)  # what reads bodies lets this one kind of error through
            return message

        await self._app(scope, receive_counted, send)


def _add_headers(message: Message, request_id: str, *, may_be_kept: bool) -> None:
    headers = MutableHeaders(scope=message)
    headers["X-Request-ID"] = request_id
    headers.setdefault("Content-Security-Policy", PAGE_POLICY)
    headers.setdefault("X-Content-Type-Options", "nosniff")
    headers.setdefault("Referrer-Policy", "no-referrer")
    headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
    if not may_be_kept:
        headers.setdefault("Cache-Control", "no-store")
