"""`/healthz`, `/readyz`, `/metrics` and the export of the audit trail: for those who run the service."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response, StreamingResponse

import ragcortex
from ragcortex.errors import StoreError
from ragcortex.service import audit
from ragcortex.service.figures import take_figures
from ragcortex.service.keys import Caller
from ragcortex.service.security import require
from ragcortex.service.state import Service, service_of

router = APIRouter(tags=["operation"])
CurrentService = Annotated[Service, Depends(service_of)]
_METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """Say that the process is alive; nothing else is looked at."""
    return {"status": "alive", "version": ragcortex.__version__}


@router.get("/readyz", responses={503: {"description": "Models are still loading, or the database does not answer."}})
async def readyz(service: CurrentService) -> Response:
    """Say whether requests are served: models are loaded and warm, and the database answers."""
    problems = [] if service.ready else ["models are not warm, or the service is stopping"]
    try:
        await run_in_threadpool(service.database.ping)
    except StoreError:
        problems.append("the database does not answer")
    status = {"status": "not ready" if problems else "ready", "problems": problems}
    return JSONResponse(status, 503 if problems else 200)


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(service: CurrentService, _caller: Annotated[Caller, Depends(require("read"))]) -> Response:
    """Return the figures of this process in Prometheus' text format."""
    await run_in_threadpool(take_figures, service)
    return Response(service.metrics.render(), media_type=_METRICS_TYPE)


@router.get(
    "/v1/audit/export",
    tags=["audit"],
    response_class=StreamingResponse,
    responses={200: {"content": {"application/x-ndjson": {}}, "description": "One entry a line, chained by hash."}},
)
async def export_audit(
    service: CurrentService, _caller: Annotated[Caller, Depends(require("admin", "read"))]
) -> StreamingResponse:
    """Export the audit trail; `ragcortex service audit verify FILE` checks it, offline."""
    headers = {"Content-Disposition": 'attachment; filename="audit.jsonl"'}
    lines = (line if line.endswith("\n") else line + "\n" for line in audit.export_lines(service.database))
    return StreamingResponse(lines, media_type="application/x-ndjson", headers=headers)
