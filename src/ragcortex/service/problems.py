"""Errors as RFC 9457 problem details: which status, which field, and nothing of the inside."""

import logging
import math
import traceback
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from ragcortex.errors import InputError, RagcortexError, StoreError, http_status
from ragcortex.service.batching import Busy
from ragcortex.service.checks import NotFoundError
from ragcortex.service.corpus_rows import NameTakenError
from ragcortex.service.reviews import ClaimedError
from ragcortex.service.schemas import Problem

MEDIA_TYPE = "application/problem+json"
_log = logging.getLogger("ragcortex.service")
CLIENT_CLOSED: Final = 499
_SOURCES: Final = ("body", "query", "path", "header", "cookie")
_MOST_CAUSES: Final = 10


class RefusedError(Exception):
    """A request that is refused for another reason than its content: who asks, how often, or where it goes on."""

    def __init__(self, status: int, detail: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})


def problem_of(error: Exception) -> tuple[Problem, dict[str, str]]:  # noqa: PLR0911  # one a kind of error
    """Return the problem that an error is to a caller, and the headers that go with it.

    What nobody expected is a 500 without any detail of its own; the log has it.
    """
    match error:
        case RefusedError():
            return _problem(error.status, error.detail), error.headers
        case Busy():
            wait = str(max(1, math.ceil(error.retry_after)))
            return _problem(429, f"the service is at its limit; try again in {wait} s"), {"Retry-After": wait}
        case ClientDisconnect():
            return _problem(CLIENT_CLOSED, "the client closed the connection"), {}
        case TimeoutError():
            return _problem(504, "the answer was not judged in time; send less at once, or try again later"), {}
        case NotFoundError():
            return _problem(404, error.message, error.field), {}
        case ClaimedError() | NameTakenError():
            return _problem(409, error.message, error.field), {}
        case InputError():
            return _problem(http_status(error), error.message, error.field), {}
        case RagcortexError():
            # A database or a folder that does not answer is a state of the service that passes.
            status = 503 if isinstance(error, StoreError) else http_status(error)
            if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
                _log.error("%s: %s", type(error).__name__, error)
            return _problem(status, str(error)), {}
        case RequestValidationError():
            first = error.errors()[0]
            more = f"; and {len(error.errors()) - 1} more" if len(error.errors()) > 1 else ""
            place = "body" if first["type"] == "json_invalid" else _place(first["loc"])
            return _problem(422, f"{first['msg']}{more}", place), {}
        case HTTPException():
            return _problem(error.status_code, str(error.detail)), dict(error.headers or {})
        case _:
            _log.error("unexpected %s", _trace(error))
            return _problem(500, "an internal error; the service's log says more"), {}


def install(app: FastAPI) -> None:
    """Make the app answer every error with its problem, or with a page where a browser asks.

    What nobody expected is answered by `RequestMiddleware`, outside of all that may fail.
    """
    for kind in (RefusedError, Busy, TimeoutError, RagcortexError, RequestValidationError, HTTPException):
        app.add_exception_handler(kind, answer)


async def answer(request: Request, error: Exception) -> Response:
    """Return the response to a request that failed: the problem, or a page about it where a browser asks."""
    if isinstance(error, RequestValidationError) and error.errors()[0]["loc"] == ("body",):
        error = _other_media_type(request) or error
    problem, headers = problem_of(error)
    problem.request_id = request.scope.get("request_id")
    if _wants_page(request):
        from ragcortex.service.pages.errors import error_page

        page = error_page(request, problem.status, problem.title, problem.detail)
        page.headers.update(headers)
        return page
    return problem_response(problem, headers)


def problem_response(problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    """Return a problem as the response."""
    content = problem.model_dump(exclude_none=True)
    return JSONResponse(content, problem.status, headers=dict(headers or {}), media_type=MEDIA_TYPE)


def _wants_page(request: Request) -> bool:
    is_api = request.scope["path"].startswith(("/v1/", "/healthz", "/readyz", "/metrics"))
    return not is_api and "session" in request.scope and "text/html" in request.headers.get("accept", "")


def _other_media_type(request: Request) -> RefusedError | None:
    """Return the refusal of a body that is no JSON by its type, which was therefore not read as such."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json" or kind.endswith("+json") or request.headers.get("content-length") == "0":
        return None
    return RefusedError(415, f"the body must be application/json, got {kind[:100] or 'no Content-Type'}")


def _problem(status: int, detail: str, field: str | None = None) -> Problem:
    try:
        title = HTTPStatus(status).phrase
    except ValueError:
        title = "Error"
    place = None if field is None else _encodable(field)
    return Problem(
        type="about:blank", title=title, status=status, detail=_encodable(detail), field=place, request_id=None
    )


def _encodable(text: str) -> str:
    """Return a text that may repeat what a request held, halves of characters spelled out."""
    return text.encode("utf-8", "backslashreplace").decode()


def _place(location: Sequence[Any]) -> str:
    """Return a place in a request as a field's name: `checks[0].answer`."""
    text = ""
    for part in location[1:] if location and location[0] in _SOURCES else location:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text or str(location[0] if location else "body")


def _trace(error: BaseException) -> str:
    """Return where an error came from and what had caused it; not what it says, which may hold somebody's text."""
    parts: list[str] = []
    one: BaseException | None = error
    while one is not None and len(parts) < _MOST_CAUSES:
        parts.append(f"{type(one).__name__}\n{''.join(traceback.format_tb(one.__traceback__))}")
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)
    return "caused by ".join(parts).rstrip()
