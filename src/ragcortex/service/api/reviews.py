"""`/v1/queue` and `/v1/reviews`: what waits for a person, what people say, how far they agree, and the labels."""

import datetime
import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse

from ragcortex.errors import InputError
from ragcortex.service import reviews
from ragcortex.service.api.views import review_out, summary
from ragcortex.service.checks import new_id
from ragcortex.service.keys import Caller
from ragcortex.service.schemas import CheckList, CheckSummary, ReviewIn, ReviewOut
from ragcortex.service.security import require
from ragcortex.service.state import Service, service_of

router = APIRouter(prefix="/v1", tags=["review"])
CurrentService = Annotated[Service, Depends(service_of)]
Reviewer = Annotated[Caller, Depends(require("review"))]


@router.get("/queue")
async def queue(
    service: CurrentService,
    caller: Reviewer,
    reviewer: Annotated[str | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> CheckList:
    """List the answers that wait for a person, what needs one most first."""
    name, now = _name(caller, reviewer), _now()

    def work(session):  # type: ignore[no-untyped-def]
        found = reviews.queue(session, reviewer=name, now=now, limit=limit)
        return CheckList(checks=[summary(check) for check in found], next=None)

    return await run_in_threadpool(service.database.run, work)


@router.post("/checks/{check_id}/claim")
async def claim(
    check_id: str,
    service: CurrentService,
    caller: Reviewer,
    reviewer: Annotated[str | None, Query(max_length=200)] = None,
) -> CheckSummary:
    """Keep an answer for one reviewer for a while, so that two do not do the same work."""
    name, now, minutes = _name(caller, reviewer), _now(), service.settings.claim_minutes

    def work(session):  # type: ignore[no-untyped-def]
        return summary(reviews.claim(session, check_id, reviewer=name, now=now, minutes=minutes))

    return await run_in_threadpool(service.database.run, work)


@router.post("/checks/{check_id}/reviews", status_code=201)
async def review(check_id: str, values: ReviewIn, service: CurrentService, caller: Reviewer) -> ReviewOut:
    """Say whether an answer is hallucinated, and where; a later review by the same person replaces this one."""
    made = reviews.NewReview(
        id=new_id(),
        check_id=check_id,
        reviewer=_name(caller, values.reviewer),
        label=values.label,
        spans=tuple(span.model_dump(exclude_none=True) for span in values.spans),
        comment=values.comment,
    )
    return await save_review(service, made)


async def save_review(service: Service, made: reviews.NewReview) -> ReviewOut:
    """Return the review as it is kept under the service's rules of how many reviewers decide."""
    now, settings = _now(), service.settings

    def work(session):  # type: ignore[no-untyped-def]
        kept = reviews.save_review(
            session,
            made,
            now=now,
            needed=settings.reviewers,
            keeps_decided=settings.store_text != "until-decided",
        )
        return review_out(kept)

    kept: ReviewOut = await run_in_threadpool(service.database.run, work)
    if settings.store_text == "until-decided":
        await run_in_threadpool(service.overwrite_deleted)
    return kept


@router.get("/reviews/agreement")
async def agreement(
    service: CurrentService, _caller: Annotated[Caller, Depends(require("review", "read"))]
) -> dict[str, Any]:
    """Say how far reviewers agree on the answers that two have seen: labels (Cohen's kappa) and spans."""
    return asdict(await run_in_threadpool(service.database.run, reviews.agreement))


@router.get(
    "/reviews/export",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/x-ndjson": {}}, "description": "One labelled row a line."}},
)
async def export(
    service: CurrentService, _caller: Annotated[Caller, Depends(require("review", "read"))]
) -> StreamingResponse:
    """Export the answers that reviewers decided, as the rows that `ragcortex calibrate` and `train` read."""
    headers = {"Content-Disposition": 'attachment; filename="labels.jsonl"'}
    return StreamingResponse(_lines(service), media_type="application/x-ndjson", headers=headers)


def _lines(service: Service) -> Iterator[str]:
    """Yield the rows in portions, each of its own transaction, so that memory stays flat and nobody waits."""
    after: reviews.Place | None = None
    while True:
        place = after

        def work(session):  # type: ignore[no-untyped-def]
            return reviews.export_portion(session, place)  # noqa: B023  # run at once

        rows, after = service.database.run(work)
        yield from (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        if after is None:
            return


def _name(caller: Caller, asked: str | None) -> str:
    """Return who reviews: the key's name; where no key is needed, the name that is given."""
    if caller.key_id is None:
        return asked or caller.name
    if asked is not None and asked != caller.name:
        raise InputError("reviewer", f"must be that of the key, {caller.name!r}, or left out")
    return caller.name


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
