"""`/v1/checks`: what was judged, its feedback, and the deletion of its texts."""

import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool

from ragcortex.service.api.views import detail, summary
from ragcortex.service.checks import CheckFilter, NotFoundError, find_check, list_checks, new_id, save_feedback
from ragcortex.service.keys import Caller
from ragcortex.service.schema_parts import Moment
from ragcortex.service.schemas import CheckDetail, CheckList, CheckSummary, FeedbackIn, Queue
from ragcortex.service.security import require
from ragcortex.service.state import Service, service_of
from ragcortex.service.storage.tables import Check

router = APIRouter(prefix="/v1/checks", tags=["checks"])
CurrentService = Annotated[Service, Depends(service_of)]
ReadCaller = Annotated[Caller, Depends(require("read", "review"))]
Verdict = Literal["grounded", "review", "hallucinated", "no_claim", "not_verifiable"]
Text = Annotated[str | None, Query(max_length=200)]


@router.get("")
async def list_all(  # noqa: PLR0917  # the parameters of a query, which FastAPI gives by name
    service: CurrentService,
    _caller: ReadCaller,
    verdict: Verdict | None = None,
    action: Literal["pass", "review", "block"] | None = None,
    queue: Queue | None = None,
    generator: Text = None,
    group: Text = None,
    external_id: Text = None,
    label: Annotated[int | None, Query(ge=0, le=1)] = None,
    since: Moment | None = None,
    until: Moment | None = None,
    text: Text = None,
    cursor: Annotated[str | None, Query(max_length=100)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> CheckList:
    """List checks, the newest first."""
    wanted = CheckFilter(
        verdict, action, queue, generator, group, external_id, label, _utc(since), _utc(until), text or None
    )

    def work(session):  # type: ignore[no-untyped-def]
        found, following = list_checks(session, wanted, cursor=cursor, limit=limit)
        return CheckList(checks=[summary(check) for check in found], next=following)

    return await run_in_threadpool(service.database.run, work)


@router.get("/{check_id}")
async def get(
    check_id: str,
    service: CurrentService,
    caller: Annotated[Caller, Depends(require("read", "review", "check"))],
) -> CheckDetail:
    """Return everything that is kept of one check; with the scope `check` alone, of one's own."""
    return await run_in_threadpool(
        service.database.run, lambda session: detail(session, _visible(session, check_id, caller))
    )


@router.post("/{check_id}/feedback", status_code=201)
async def feedback(
    check_id: str,
    values: FeedbackIn,
    service: CurrentService,
    caller: Annotated[Caller, Depends(require("check", "review"))],
) -> CheckSummary:
    """Say whether the verdict was right; an answer called wrongly judged comes before a person first.

    With the scope `check` alone, of one's own checks.
    """
    made, now = new_id(), datetime.datetime.now(datetime.UTC)

    def work(session):  # type: ignore[no-untyped-def]
        _visible(session, check_id, caller)
        save_feedback(
            session, check_id, id=made, actor=caller.name, rating=values.rating, comment=values.comment, now=now
        )
        return summary(find_check(session, check_id))

    return await run_in_threadpool(service.database.run, work)


@router.delete("/{check_id}/text")
async def forget(
    check_id: str, service: CurrentService, caller: Annotated[Caller, Depends(require("admin", "review"))]
) -> CheckSummary:
    """Delete the texts of a check for good; its figures and its place in the audit trail stay."""
    return summary(await run_in_threadpool(service.forget, check_id, caller))


def _visible(session: Session, check_id: str, caller: Caller) -> Check:
    """Return a check that the caller may see: any for readers and reviewers, one's own for others.

    Raises:
        NotFoundError: there is none, as far as this caller is to know.
    """
    found = find_check(session, check_id)
    if not (caller.may("read") or caller.may("review") or found.actor == caller.name):
        raise NotFoundError("id", f"no check has the id {check_id!r}")
    return found


def _utc(moment: datetime.datetime | None) -> datetime.datetime | None:
    """Return a moment with its time zone; one without is taken as UTC, as the documentation of the query says."""
    return moment.replace(tzinfo=datetime.UTC) if moment is not None and moment.tzinfo is None else moment
