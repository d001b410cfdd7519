"""`/history`: what was judged, filtered and page by page, and the reviewers' labels to take away."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from ragcortex.errors import InputError
from ragcortex.report import VERDICTS
from ragcortex.service.checks import list_checks
from ragcortex.service.pages.access import Reader, stored
from ragcortex.service.pages.history_view import QUEUES, HistoryFilter, labels_as_csv
from ragcortex.service.pages.templating import render
from ragcortex.service.state import service_of
from ragcortex.service.triage import ACTIONS

router = APIRouter()
_LIMIT = 50


@router.get("/history")
async def history(request: Request, caller: Reader) -> Response:
    """Show the checks, the newest first."""
    asked = HistoryFilter.of(dict(request.query_params))
    cursor = request.query_params.get("cursor") or None
    try:
        found, following = await stored(
            request, lambda session: list_checks(session, asked.wanted, cursor=cursor, limit=_LIMIT)
        )
    except InputError:  # a cursor that nobody gave out: begin at the beginning
        cursor = None
        found, following = await stored(request, lambda session: list_checks(session, asked.wanted, limit=_LIMIT))
    return await render(
        request,
        "history.html",
        caller,
        section="history",
        checks=found,
        asked=asked,
        cursor=cursor,
        following=asked.link(following) if following is not None else "",
        verdicts=VERDICTS,
        actions=ACTIONS,
        queues=QUEUES,
    )


@router.get("/history/labels.csv")
async def labels(request: Request, _caller: Reader) -> Response:
    """Give the answers that reviewers decided as a table."""
    headers = {"Content-Disposition": 'attachment; filename="labels.csv"'}
    lines = labels_as_csv(service_of(request).database)
    return StreamingResponse(lines, media_type="text/csv; charset=utf-8", headers=headers)
