"""Who calls, what they may do, how often; sessions of pages, and the token that keeps other sites' forms out.

With keys, a caller of the API sends `Authorization: Bearer rck_…`; a person signs in to the pages with a key, and the
session's cookie then names the key, never its secret. Without keys (on loopback only, unless told otherwise) everybody
may do everything; a browser's request from another site is refused all the same.
"""

import contextlib
import datetime
import hmac
import os
import secrets
import tempfile
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import quote, urlsplit

from fastapi import Security
from fastapi.security import APIKeyHeader, HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from ragcortex.errors import InputError, StoreError
from ragcortex.service.keys import SCOPES, Caller, find_caller, find_caller_by_id
from ragcortex.service.problems import RefusedError
from ragcortex.service.settings import ServiceSettings
from ragcortex.service.state import Service, service_of

SESSION_COOKIE: Final = "ragcortex_session"
_SAFE: Final = ("GET", "HEAD", "OPTIONS")
_LOCAL: Final = "local"
_SHORTEST_SECRET: Final = 32
# What the OpenAPI document says of keys; who calls is found by `_token`, whichever of the two was sent.
_BEARER: Final = HTTPBearer(scheme_name="key", description="A key, `rck_…`.", auto_error=False)
_KEY_HEADER: Final = APIKeyHeader(name="X-API-Key", scheme_name="keyHeader", description="A key.", auto_error=False)


class SignInNeededError(RefusedError):
    """A page needs a session; the browser is sent to sign in."""

    def __init__(self, request: Request) -> None:
        target = quote(request.url.path if request.method in _SAFE else "/", safe="/")
        super().__init__(303, "sign in first", {"Location": f"/login?next={target}"})


def require(*scopes: str) -> Callable[[Request], Awaitable[Caller]]:
    """Return a dependency of the API that gives the caller, who must have one of these scopes.

    Raises:
        RefusedError: 401 without a valid key, 403 without the scope or from another site, 429 too often.
    """

    async def caller_of(
        request: Request,
        _bearer: Annotated[object, Security(_BEARER)] = None,
        _header: Annotated[object, Security(_KEY_HEADER)] = None,
    ) -> Caller:
        service = service_of(request)
        caller = _admitted(service, await _api_caller(request, service), scopes)
        _refuse_null_characters([*request.path_params.items(), *request.query_params.multi_items()])
        return caller

    return caller_of


def require_page(*scopes: str) -> Callable[[Request], Awaitable[Caller]]:
    """Return a dependency of a page that gives the person's caller.

    Raises:
        SignInNeededError: nobody is signed in.
        RefusedError: 403 without the scope, 429 too often.
    """

    async def caller_of(request: Request) -> Caller:
        service = service_of(request)
        caller = await _page_caller(request, service)
        if caller is None:
            raise SignInNeededError(request)
        _admitted(service, caller, scopes)
        _refuse_null_characters([*request.path_params.items(), *request.query_params.multi_items()])
        return caller

    return caller_of


async def sign_in(request: Request, token: str) -> Caller | None:
    """Begin a session with a key; None if the key is not valid."""
    service = service_of(request)
    caller = await run_in_threadpool(service.database.run, lambda session: find_caller(session, token, _now()))
    if caller is not None:
        request.session.clear()  # a session that was forced on the browser before ends here
        request.session["key"] = caller.key_id
    return caller


def sign_out(request: Request) -> None:
    """End the session."""
    request.session.clear()


def set_name(request: Request, name: str) -> None:
    """Name the person who reviews, where no keys are needed."""
    request.session["reviewer"] = name.strip()[:200]


def csrf_token(request: Request) -> str:
    """Return the session's token for forms, made on first use."""
    token = request.session.get("csrf")
    if not isinstance(token, str):
        token = request.session["csrf"] = secrets.token_urlsafe(32)
    return token


async def check_csrf(request: Request) -> dict[str, Any]:
    """Return the fields of a form that carries the session's token, as `csrf` or in the header `X-CSRF-Token`.

    Raises:
        RefusedError: 403, it does not.
    """
    form = await request.form()
    given = request.headers.get("x-csrf-token") or form.get("csrf")
    expected = request.session.get("csrf")
    if not isinstance(given, str) or not isinstance(expected, str) or not _same(given, expected):
        raise RefusedError(403, "the form is out of date or not from this site; load the page again")
    _refuse_null_characters(form.multi_items())
    return {name: form.getlist(name) if len(form.getlist(name)) > 1 else form[name] for name in form}


def session_secret(settings: ServiceSettings) -> str:
    """Return the secret that signs sessions: the one given, else one made at random and kept in the data folder."""
    if settings.session_secret is not None:
        return settings.session_secret.get_secret_value()
    file = Path(settings.data_dir) / "session-secret"
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            _make_secret(file)
        secret = file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text"
        raise StoreError(f"the secret of sessions cannot be kept in {str(file)!r}: {why}") from error
    if len(secret) < _SHORTEST_SECRET:
        raise StoreError(f"the secret of sessions in {str(file)!r} is cut off; delete the file, and a new one is made")
    return secret


def _make_secret(file: Path) -> None:
    """Write a new secret, whole at once: of two processes that start together both read the same one."""
    with tempfile.NamedTemporaryFile("w", dir=file.parent, prefix=".session-secret-") as made:  # its user's alone
        made.write(secrets.token_hex(32))
        made.flush()
        with contextlib.suppress(FileExistsError):
            os.link(made.name, file)


async def _api_caller(request: Request, service: Service) -> Caller:
    token = _token(request)
    if token is not None:
        caller = await run_in_threadpool(service.database.run, lambda session: find_caller(session, token, _now()))
        if caller is None:
            raise RefusedError(401, "the key is not valid, expired or revoked", {"WWW-Authenticate": "Bearer"})
        return caller
    _refuse_other_sites(request, service.settings)
    session_caller = await _page_caller(request, service)
    if session_caller is None:
        detail = "a key is needed: send it as `Authorization: Bearer rck_…`"
        raise RefusedError(401, detail, {"WWW-Authenticate": "Bearer"})
    if service.settings.needs_keys and request.method not in _SAFE:
        given, expected = request.headers.get("x-csrf-token"), request.session.get("csrf")
        if not given or not isinstance(expected, str) or not _same(given, expected):
            raise RefusedError(403, "a call with a page's session needs its X-CSRF-Token; scripts send a key instead")
    return session_caller


async def _page_caller(request: Request, service: Service) -> Caller | None:
    if not service.settings.needs_keys:
        return Caller(str(request.session.get("reviewer") or _LOCAL), None, frozenset(SCOPES), None)
    key_id = request.session.get("key")
    if not isinstance(key_id, str):
        return None
    return await run_in_threadpool(service.database.run, lambda session: find_caller_by_id(session, key_id, _now()))


def _admitted(service: Service, caller: Caller, scopes: tuple[str, ...]) -> Caller:
    if not any(caller.may(scope) for scope in scopes):
        raise RefusedError(403, f"the key {caller.name!r} needs the scope {' or '.join(scopes)}")
    per_minute = caller.rate_per_minute or service.settings.rate_per_minute
    if caller.key_id is not None and per_minute is not None:
        wait = service.limits.take(caller.key_id, per_minute, service.clock())
        if wait > 0:
            seconds = str(int(wait) + 1)
            detail = f"the key {caller.name!r} may make {per_minute} requests a minute; try again in {seconds} s"
            raise RefusedError(429, detail, {"Retry-After": seconds})
    return caller


def _token(request: Request) -> str | None:
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer" and token:
        return token.strip()
    return request.headers.get("x-api-key")


def _refuse_other_sites(request: Request, settings: ServiceSettings) -> None:
    """Refuse what another site's page makes a browser send: without keys nothing else would tell it apart."""
    if request.method in _SAFE:
        return
    origin = request.headers.get("origin")
    if request.headers.get("sec-fetch-site") in ("cross-site", "same-site") and origin not in settings.cors_origins:
        raise RefusedError(403, "a request from another site is refused")
    is_own = origin is None or urlsplit(origin).netloc == request.headers.get("host")
    if not is_own and origin not in settings.cors_origins:
        raise RefusedError(403, "a request from another site is refused")


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), expected.encode("utf-8", "replace"))


def _refuse_null_characters(values: Iterable[tuple[str, object]]) -> None:
    """Refuse what PostgreSQL keeps in no text, and nobody types, before it comes near a database."""
    for name, value in values:
        if isinstance(value, str) and "\0" in value:
            raise InputError(name, "must not hold a null character")


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
