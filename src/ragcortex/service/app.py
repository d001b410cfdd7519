"""The service as one ASGI application: built of settings, warm before it is ready, and drained before it ends."""

import asyncio
import contextlib
import datetime
import gc
import logging
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any, Final

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.middleware.cors import CORSMiddleware
from starlette.middleware.sessions import SessionMiddleware

import ragcortex
from ragcortex.errors import InputError, StoreError
from ragcortex.service import api, pages, problems
from ragcortex.service.checks import delete_old_texts
from ragcortex.service.corpora import Corpora
from ragcortex.service.idempotency import KEPT_DAYS, forget_noted
from ragcortex.service.judges import Judges
from ragcortex.service.metrics import Metrics
from ragcortex.service.middleware import BodyLimitMiddleware, HostMiddleware, RequestMiddleware
from ragcortex.service.security import SESSION_COOKIE, session_secret
from ragcortex.service.settings import ServiceSettings
from ragcortex.service.state import Service
from ragcortex.service.storage.database import Database
from ragcortex.service.tracing import Tracing
from ragcortex.service.triage import load_policies

_log = logging.getLogger("ragcortex.service")
_DESCRIPTION: Final = (
    "Finds what answers say that their references do not support. Errors are problem details (RFC 9457) that name the "
    "field. Without keys only this machine may call; with keys, send `Authorization: Bearer rck_…`."
)
_CARETAKING_SECONDS: Final = 3600.0
# The wall clock may gain or lose so much between two looks before it counts as set to another time.
_CLOCK_JUMP_SECONDS: Final = 300.0


def create_app(settings: ServiceSettings | None = None, *, judges: Judges | None = None) -> FastAPI:
    """Return the application; models are loaded when it starts.

    Args:
        settings: by default those of the environment.
        judges: detectors that are loaded already, for tests and for programs that have some; they stay their owner's,
            who ends their threads.

    Raises:
        InputError: settings do not go together.
    """
    settings = settings or ServiceSettings()
    policies = load_policies(settings.policies)
    if settings.policy not in policies:
        raise InputError("policy", f"must be one of {', '.join(sorted(policies))}, got {settings.policy!r}")
    metrics = Metrics()
    app = _Application(
        title="ragcortex",
        version=ragcortex.__version__,
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url="/v1/openapi.json",
        lifespan=_lifespan(settings, policies, metrics, judges),
    )
    app.state.streams = {}
    problems.install(app)
    for router in api.routers():
        app.include_router(router, responses=api.PROBLEMS)
    pages.install(app)
    if settings.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(settings.cors_origins),
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["Authorization", "Content-Type", "Idempotency-Key", "X-API-Key"],
            expose_headers=["Retry-After", "X-Request-ID", "Idempotency-Replayed"],
        )
    app.add_middleware(BodyLimitMiddleware, most=partial(_most_bytes, settings))
    app.add_middleware(HostMiddleware, hosts=settings.hosts)
    app.add_middleware(
        SessionMiddleware,
        secret_key=session_secret(settings),
        session_cookie=SESSION_COOKIE,
        same_site="lax",
        https_only=settings.secure_cookies,
        max_age=12 * 3600,
    )
    app.add_middleware(RequestMiddleware, metrics=metrics)
    return app


def begin_stop(app: FastAPI) -> None:
    """Say that the service is not ready any more, and take no more of the answers that are still being streamed."""
    service = getattr(app.state, "service", None)
    if service is not None:
        service.ready = False
    for stream in app.state.streams.values():
        stream.stop()


async def give_up(app: FastAPI) -> None:
    """Refuse what is accepted and not judged yet as if the service were busy, so that its callers hear of it."""
    await _drain(app.state.service.judges, 0)


class _Application(FastAPI):
    """FastAPI, with an OpenAPI document whose summaries are the first sentences of what is said of each route."""

    def openapi(self) -> dict[str, Any]:
        """Return the document."""
        document = super().openapi()
        for operations in document["paths"].values():
            for operation in operations.values():
                said = operation.get("description", operation["summary"])
                operation["summary"] = said.partition("\n")[0].partition(". ")[0].rstrip(".")
        return document


def _most_bytes(settings: ServiceSettings, path: str) -> int:
    """Return how large a body may be: documents of a corpus are larger than answers."""
    uploads = path.startswith(("/v1/corpora", "/corpora"))
    return max(settings.max_body_bytes, settings.max_upload_bytes) if uploads else settings.max_body_bytes


def _lifespan(
    settings: ServiceSettings, policies: dict[str, Any], metrics: Metrics, given: Judges | None
) -> Callable[[FastAPI], Any]:
    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with contextlib.AsyncExitStack() as ends:
            service = await _started(settings, policies, metrics, given, ends)
            app.state.service = service
            service.ready = True
            ends.callback(begin_stop, app)
            caretaker = asyncio.create_task(_take_care(service))
            ends.callback(caretaker.cancel)
            _log.info("ready: %s", ", ".join(service.judges.witnesses))
            yield

    return lifespan


async def _started(
    settings: ServiceSettings,
    policies: dict[str, Any],
    metrics: Metrics,
    given: Judges | None,
    ends: contextlib.AsyncExitStack,
) -> Service:
    """Return the service with warm models; what it has opened is closed by `ends`, also where the start fails."""
    try:
        settings.data_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the data folder {str(settings.data_dir)!r} cannot be made: {error.strerror}") from error
    database = Database(settings.database_url, durability=settings.durability)
    ends.callback(database.close)
    await run_in_threadpool(database.migrate)
    tracing = Tracing.load(settings.trace_endpoint)
    ends.callback(tracing.shutdown)
    judges = given
    if judges is None:
        load = partial(Judges.load, settings, observe=metrics.observe_batch, tracing=tracing)
        judges = await run_in_threadpool(load)
        ends.push_async_callback(_drain, judges, settings.drain_seconds)
    corpora = Corpora(database, settings.data_dir, forget=judges.forget)
    ends.push_async_callback(run_in_threadpool, corpora.close)
    await run_in_threadpool(corpora.sweep)
    metrics.set_build({"version": ragcortex.__version__, "detector": settings.detector})
    await run_in_threadpool(judges.warm)
    # What was loaded stays to the end: looking through all of it again and again only takes time from requests.
    gc.collect()
    gc.freeze()
    return Service(settings, database, judges, corpora, policies, metrics, tracing)


async def _drain(judges: Judges, seconds: float) -> None:
    lost = await judges.drain(seconds)
    if lost:
        _log.error("%d accepted answers were given up after %g s", lost, seconds)


async def _take_care(service: Service) -> None:
    """Forget what is older than it may be kept, now and every hour."""
    ahead = clock_ahead(service)
    while True:
        ahead = await run_in_threadpool(take_care_once, service, ahead)
        await asyncio.sleep(_CARETAKING_SECONDS)


def take_care_once(service: Service, ahead_before: float) -> float:
    """Forget what is older than it may be kept, and return `clock_ahead`, to be given the next time.

    A clock that was set forward makes everything look old, and deleted is deleted: this time nothing is, so that the
    clock can be set right before the next time.
    """
    ahead = clock_ahead(service)
    try:
        if ahead - ahead_before > _CLOCK_JUMP_SECONDS:
            jump = round(ahead - ahead_before)
            _log.warning("the clock went forward by %d s: nothing is deleted by age for an hour", jump)
        else:
            forget_old(service)
    except Exception as error:  # whatever it was, the next hour may do better
        why = error if isinstance(error, StoreError) else type(error).__name__
        _log.error("old texts could not be deleted: %s; trying again in an hour", why)
    return ahead


def clock_ahead(service: Service) -> float:
    """Return how far the clock on the wall is ahead of the one that only grows; it changes where the clock is set."""
    return datetime.datetime.now(datetime.UTC).timestamp() - service.clock()


def forget_old(service: Service) -> int:
    """Forget old answered requests, and delete the texts of checks older than the settings allow; return of how many.

    What was deleted meanwhile is taken out of the database's files.
    """
    days, now = service.settings.retention_days, datetime.datetime.now(datetime.UTC)
    noted = now - datetime.timedelta(days=min(days or KEPT_DAYS, KEPT_DAYS))
    service.database.run(lambda session: forget_noted(session, noted))
    n = 0
    if days is not None:
        before = now - datetime.timedelta(days=days)
        while portion := service.database.run(lambda session: delete_old_texts(session, before, now=now)):
            n += portion
    service.overwrite_deleted()
    return n
