"""`/calibration`: thresholds tried on reviewed answers, kept and put in force."""

import datetime

from fastapi import APIRouter
from pydantic import ValidationError
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ragcortex.errors import InputError
from ragcortex.service import audit, calibrations
from ragcortex.service.api.calibrations import create_calibration
from ragcortex.service.keys import Caller
from ragcortex.service.pages import chart
from ragcortex.service.pages.access import CalibrationReader, Calibrator, field, posted, stored
from ragcortex.service.pages.calibration_view import (
    asked_thresholds,
    gather,
    proposal,
    reviewed_histogram,
)
from ragcortex.service.pages.templating import render, say
from ragcortex.service.schemas import CalibrationIn
from ragcortex.service.state import service_of

router = APIRouter()


@router.get("/calibration")
async def show(request: Request, caller: CalibrationReader) -> Response:
    """Show a witness's reviewed answers, what the thresholds asked for do on them, and all calibrations."""
    return await _page(request, caller, request.query_params.get("witness", ""))


@router.post("/calibration")
async def create(request: Request, caller: Calibrator) -> Response:
    """Keep thresholds: those of the form, or with `method=f1` those with the best F1."""
    form = await posted(request)
    witness = field(form, "witness")
    by_hand = field(form, "method") != "f1"
    values = {
        "name": field(form, "name"),
        "witness": witness or None,
        "activate": field(form, "activate") == "1",
        "hallucinated_threshold": field(form, "hallucinated") if by_hand else None,
        "review_threshold": field(form, "review") or None if by_hand else None,
    }
    try:
        made = await create_calibration(service_of(request), CalibrationIn.model_validate(values), caller)
    except ValidationError as error:
        first = error.errors()[0]
        return await _page(request, caller, witness, InputError(str(first["loc"][0]), str(first["msg"])))
    except InputError as error:
        return await _page(request, caller, witness, error)
    say(request, "said.calibration_active" if made.active else "said.calibration_kept", name=made.name)
    return RedirectResponse(f"/calibration?witness={witness}" if witness else "/calibration", 303)


@router.post("/calibration/{calibration_id}/activate")
async def activate(calibration_id: str, request: Request, caller: Calibrator) -> Response:
    """Put thresholds in force."""
    form = await posted(request)
    known, now = list(service_of(request).fingerprints().values()), datetime.datetime.now(datetime.UTC)
    made = await stored(
        request,
        lambda session: calibrations.activate(session, calibration_id, fingerprints=known, actor=caller.name, now=now),
    )
    say(request, "said.calibration_active", name=made.name)
    return RedirectResponse(f"/calibration?witness={_known(request, field(form, 'witness'))}", 303)


@router.post("/calibration/deactivate")
async def deactivate(request: Request, caller: Calibrator) -> Response:
    """Go back to the detector's own thresholds."""
    form = await posted(request)
    witness = _known(request, field(form, "witness"))
    fingerprint, now = service_of(request).judges.fingerprint(witness), datetime.datetime.now(datetime.UTC)

    def work(session: Session) -> None:
        # The trail's lock comes first, as where one is put in force: in another order both could wait for each other.
        audit.append(session, "calibration.deactivated", actor=caller.name, subject=fingerprint, data={}, at=now)
        calibrations.deactivate(session, fingerprint)

    await stored(request, work)
    say(request, "said.calibration_off")
    return RedirectResponse(f"/calibration?witness={witness}", 303)


async def _page(request: Request, caller: Caller, asked: str, error: InputError | None = None) -> Response:
    service = service_of(request)
    witness, known = _known(request, asked), service.fingerprints()
    found = await stored(request, lambda session: gather(session, known[witness]))
    proposed = await run_in_threadpool(proposal, found.scores)
    thresholds = asked_thresholds(request.query_params, found)
    limits = (("review", thresholds.review), ("hallucinated", thresholds.hallucinated))
    return await render(
        request,
        "calibration.html",
        caller,
        section="calibration",
        status=422 if error is not None else 200,
        error=error.message if error is not None else "",
        witness=witness,
        witnesses=service.judges.witnesses,
        found=found,
        proposed=proposed,
        thresholds=thresholds,
        effect=calibrations.confusion(found.scores, thresholds),
        drawing=chart.distribution(reviewed_histogram(found.scores), limits),
        chart=chart,
        data={"scores": [[one.score, one.label] for one in found.scores], "left": chart.LEFT,
              "width": chart.WIDTH - chart.LEFT - chart.RIGHT},
        fingerprint=known[witness],
        stale={one.id for one in found.calibrations if one.detector_fingerprint not in known.values()},
        may_change=caller.may("calibrate"),
    )  # fmt: skip


def _known(request: Request, asked: str) -> str:
    """Return a witness that is loaded: the one asked for, else the service's own."""
    service = service_of(request)
    return asked if asked in service.judges.witnesses else service.witness(None)
