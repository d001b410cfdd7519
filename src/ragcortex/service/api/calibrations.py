"""`/v1/calibrations` and `/v1/policies`: thresholds from reviewed answers, and what follows a verdict."""

import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool

from ragcortex.service import audit, calibrations
from ragcortex.service.api.views import calibration_out
from ragcortex.service.checks import new_id
from ragcortex.service.keys import Caller
from ragcortex.service.schemas import CalibrationIn, CalibrationOut, Witness
from ragcortex.service.security import require
from ragcortex.service.state import Service, service_of

router = APIRouter(prefix="/v1", tags=["calibration"])
CurrentService = Annotated[Service, Depends(service_of)]
Reader = Annotated[Caller, Depends(require("calibrate", "read", "review"))]
Calibrator = Annotated[Caller, Depends(require("calibrate"))]


@router.get("/policies")
async def policies(
    service: CurrentService, _caller: Annotated[Caller, Depends(require("check", "read", "review", "calibrate"))]
) -> list[dict[str, Any]]:
    """List the triage policies: which action follows each verdict."""
    return [policy.to_dict() for policy in service.policies.values()]


@router.get("/calibrations")
async def list_all(service: CurrentService, _caller: Reader) -> list[CalibrationOut]:
    """List the calibrations, the newest first."""
    known = list(service.fingerprints().values())

    def work(session):  # type: ignore[no-untyped-def]
        return [calibration_out(one, known) for one in calibrations.list_calibrations(session)]

    return await run_in_threadpool(service.database.run, work)


@router.post("/calibrations", status_code=201)
async def create(values: CalibrationIn, service: CurrentService, caller: Calibrator) -> CalibrationOut:
    """Choose thresholds on the answers that reviewers decided: the best F1, or by hand."""
    return await create_calibration(service, values, caller)


async def create_calibration(service: Service, values: CalibrationIn, caller: Caller) -> CalibrationOut:
    """Return new thresholds for the detector behind a witness, in force if asked."""
    witness = service.witness(values.witness)
    info, known = service.judges.info(witness), service.fingerprints()
    made, now = new_id(), datetime.datetime.now(datetime.UTC)

    def work(session):  # type: ignore[no-untyped-def]
        kept = calibrations.create(
            session,
            id=made,
            name=values.name,
            actor=caller.name,
            info=info,
            fingerprint=known[witness],
            now=now,
            hallucinated=values.hallucinated_threshold,
            review=values.review_threshold,
        )
        if values.activate:
            calibrations.activate(session, made, fingerprints=list(known.values()), actor=caller.name, now=now)
        return calibration_out(kept, list(known.values()))

    return await run_in_threadpool(service.database.run, work)


@router.post("/calibrations/{calibration_id}/activate")
async def activate(calibration_id: str, service: CurrentService, caller: Calibrator) -> CalibrationOut:
    """Put thresholds in force; answers judged from now on have the verdicts they give."""
    known, now = list(service.fingerprints().values()), datetime.datetime.now(datetime.UTC)

    def work(session):  # type: ignore[no-untyped-def]
        made = calibrations.activate(session, calibration_id, fingerprints=known, actor=caller.name, now=now)
        return calibration_out(made, known)

    return await run_in_threadpool(service.database.run, work)


@router.post("/calibrations/deactivate", status_code=204)
async def deactivate(service: CurrentService, caller: Calibrator, witness: Witness | None = None) -> None:
    """Go back to the detector's own thresholds."""
    fingerprint, now = service.judges.fingerprint(service.witness(witness)), datetime.datetime.now(datetime.UTC)

    def work(session):  # type: ignore[no-untyped-def]
        audit.append(session, "calibration.deactivated", actor=caller.name, subject=fingerprint, data={}, at=now)
        calibrations.deactivate(session, fingerprint)

    await run_in_threadpool(service.database.run, work)
