"""`POST /v1/check` and `/v1/check/batch`: judge answers, keep what was found, answer once however often it is asked."""

import asyncio
import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request, Response
from starlette.concurrency import run_in_threadpool

from ragcortex.errors import InputError
from ragcortex.service.api.disconnect import while_connected
from ragcortex.service.api.views import check_again, check_out
from ragcortex.service.checks import find_check
from ragcortex.service.idempotency import HEADER, KEPT_DAYS, REPLAYED, AnsweredError, Named
from ragcortex.service.keys import Caller
from ragcortex.service.problems import RefusedError, problem_of
from ragcortex.service.schemas import BatchIn, BatchItem, BatchOut, CheckIn, CheckOut, Problem
from ragcortex.service.security import require
from ragcortex.service.state import Judged, Service, request_digest, service_of

router = APIRouter(prefix="/v1", tags=["check"])
CheckCaller = Annotated[Caller, Depends(require("check"))]
CurrentService = Annotated[Service, Depends(service_of)]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias=HEADER,
        max_length=255,
        description=f"A name for this request: sent again within {KEPT_DAYS} days, it makes nothing twice.",
    ),
]


@router.post("/check")
async def check(
    values: CheckIn,
    request: Request,
    response: Response,
    caller: CheckCaller,
    service: CurrentService,
    _key: IdempotencyKey = None,
) -> CheckOut:
    """Judge one answer."""
    named = Named.of(request, caller.name, lambda: request_digest("check", values.model_dump(mode="json")))
    try:
        await _refuse_answered(service, named)
        judged = await while_connected(request, service.judge(values))
        ((kept, report),) = await service.keep(
            [judged],
            caller,
            lambda session: _note(named, session, {"items": [{"check": judged.id}]}),
        )
        return check_out(kept, report)
    except AnsweredError as answered:
        response.headers[REPLAYED] = "true"
        (item,) = await _answered_again(service, answered.response)
        if item.check is None:
            raise RefusedError(410, "this request was answered, and its texts are deleted or not kept") from None
        return item.check


@router.post("/check/batch")
async def check_batch(
    values: BatchIn,
    request: Request,
    response: Response,
    caller: CheckCaller,
    service: CurrentService,
    _key: IdempotencyKey = None,
) -> BatchOut:
    """Judge several answers together; one that cannot be judged has a problem, and the others go on."""
    if len(values.checks) > service.settings.max_batch:
        raise InputError("checks", f"must be {service.settings.max_batch} at most, got {len(values.checks)}")
    named = Named.of(request, caller.name, lambda: request_digest("batch", values.model_dump(mode="json")))
    try:
        await _refuse_answered(service, named)
        found = await while_connected(request, _judged_together(service, values.checks))
        judged = [one for one in found if isinstance(one, Judged)]
        noted = {"items": [_noted(one) for one in found]}
        kept = iter(await service.keep(judged, caller, lambda session: _note(named, session, noted)))
        items = [
            BatchItem(index=index, check=check_out(*next(kept)))
            if isinstance(one, Judged)
            else BatchItem(index=index, problem=one)
            for index, one in enumerate(found)
        ]
    except AnsweredError as answered:
        response.headers[REPLAYED] = "true"
        items = await _answered_again(service, answered.response)
    return BatchOut(items=items, n_failed=sum(item.check is None for item in items))


async def _judged_together(service: Service, checks: list[CheckIn]) -> list[Judged | Problem]:
    # One request does not fill the queue, so that its own answers do not crowd each other out.
    turns = asyncio.Semaphore(max(1, service.settings.queue_size // 2))

    async def one(index: int, values: CheckIn) -> Judged | Problem:
        try:
            async with turns:
                return await service.judge(values)
        except Exception as error:  # every answer of a batch has its own fate
            problem = problem_of(error)[0]
            if problem.field is not None:
                problem.field = f"checks[{index}].{problem.field}"
            return problem

    return list(await asyncio.gather(*(one(index, values) for index, values in enumerate(checks))))


def _noted(one: Judged | Problem) -> dict[str, Any]:
    return {"check": one.id} if isinstance(one, Judged) else {"problem": one.model_dump()}


async def _refuse_answered(service: Service, named: Named | None) -> None:
    if named is None:
        return
    earlier = await run_in_threadpool(service.database.run, named.earlier)
    if earlier is not None:
        raise AnsweredError(earlier)


def _note(named: Named | None, session: Any, response: dict[str, Any]) -> None:
    if named is not None:
        named.note(session, status=200, response=response, now=datetime.datetime.now(datetime.UTC))


async def _answered_again(service: Service, noted: dict[str, Any]) -> list[BatchItem]:
    """Return the items of an earlier answer, made again of the checks that it made."""

    def work(session: Any) -> list[BatchItem]:
        items = []
        for index, one in enumerate(noted["items"]):
            if "problem" in one:
                items.append(BatchItem(index=index, problem=Problem(**one["problem"])))
                continue
            check = find_check(session, one["check"])
            if check.report is None:
                gone = RefusedError(410, f"the texts of check {check.id} are deleted or not kept")
                items.append(BatchItem(index=index, problem=problem_of(gone)[0]))
            else:
                items.append(BatchItem(index=index, check=check_again(check, check.report)))
        return items

    return await run_in_threadpool(service.database.run, work)
