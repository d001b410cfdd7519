"""`/dashboard`: how many answers are hallucinated, over time and by where they are from, and how scores lie."""

import datetime
from typing import Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from ragcortex.service.pages import chart
from ragcortex.service.pages.access import Overseer, stored
from ragcortex.service.pages.dashboard_view import WitnessScores, gather
from ragcortex.service.pages.templating import render
from ragcortex.service.state import service_of

router = APIRouter()
PERIODS: Final = (7, 30, 90, 365)


@router.get("/dashboard")
async def show(request: Request, caller: Overseer) -> Response:
    """Show the period asked for, by default 30 days."""
    asked = request.query_params.get("days", "")
    period = int(asked) if asked in {str(one) for one in PERIODS} else 30
    now = datetime.datetime.now(datetime.UTC)
    today = datetime.datetime.combine(now.date(), datetime.time(), datetime.UTC)
    since = today - datetime.timedelta(days=period - 1)
    known = service_of(request).fingerprints()
    overview = await stored(request, lambda session: gather(session, known, since=since, now=now))
    return await render(
        request,
        "dashboard.html",
        caller,
        section="dashboard",
        overview=overview,
        period=period,
        periods=PERIODS,
        seconds=(now - since).total_seconds(),
        shares=chart.shares_by_day(overview.days),
        volume=chart.answers_by_day(overview.days),
        distributions=[(one, _distribution(one)) for one in overview.scores],
        chart=chart,
        date=datetime.date.fromisoformat,
    )


def _distribution(scores: WitnessScores) -> chart.Distribution:
    limits = (("review", scores.review), ("hallucinated", scores.hallucinated))
    return chart.distribution(scores.histogram, [(name, value) for name, value in limits if value is not None])
