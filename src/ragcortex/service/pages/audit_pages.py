"""`/audit`: the newest entries of the trail, the digest at its head, its export, and its verification here and now."""

import json
from dataclasses import dataclass
from typing import Any, Final

from fastapi import APIRouter
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ragcortex.errors import InputError
from ragcortex.rendering.inert import inert_line
from ragcortex.service import audit
from ragcortex.service.keys import Caller
from ragcortex.service.pages.access import Auditor, field, posted, stored
from ragcortex.service.pages.templating import render
from ragcortex.service.state import service_of
from ragcortex.service.storage.tables import AuditEntry

router = APIRouter()
_LIMIT: Final = 50


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """One entry: its number, its fields as they are in its body, and its digest."""

    number: int
    at: str
    kind: str
    actor: str
    subject: str
    data: str
    digest: str


@router.get("/audit")
async def show(request: Request, caller: Auditor) -> Response:
    """Show the newest entries, or those before one."""
    return await _page(request, caller)


@router.post("/audit")
async def verify(request: Request, caller: Auditor) -> Response:
    """Verify the whole trail as it lies in the database, and that a digest noted before is part of it."""
    form = await posted(request)
    noted = field(form, "noted") or None
    database = service_of(request).database
    try:
        verdict = await run_in_threadpool(lambda: audit.verify(audit.export_lines(database), noted=noted))
    except InputError as error:
        return await _page(request, caller, noted=noted or "", error=error)
    return await _page(request, caller, noted=noted or "", verdict=verdict)


async def _page(
    request: Request,
    caller: Caller,
    *,
    noted: str = "",
    verdict: audit.AuditVerdict | None = None,
    error: InputError | None = None,
) -> Response:
    before = request.query_params.get("before", "")
    # Longer numbers are none that a database holds.
    first = int(before) if before.isascii() and before.isdigit() and len(before) < 18 else None

    def work(session: Session) -> tuple[list[AuditEntry], AuditEntry | None]:
        newest = select(AuditEntry).order_by(AuditEntry.number.desc())
        query = newest if first is None else newest.where(AuditEntry.number < first)
        return list(session.scalars(query.limit(_LIMIT))), session.scalars(newest.limit(1)).first()

    entries, head = await stored(request, work)
    return await render(
        request,
        "audit.html",
        caller,
        section="audit",
        status=422 if error is not None else 200,
        entries=[shown_entry(entry) for entry in entries],
        head=head,
        older=entries[-1].number if entries and entries[-1].number > 1 else None,
        is_first_page=first is None,
        noted=noted,
        verdict=verdict,
        error=error.message if error is not None else "",
    )


def shown_entry(entry: AuditEntry) -> ShownEntry:
    """Return an entry as it is listed."""
    body: dict[str, Any] = json.loads(entry.body)
    return ShownEntry(
        number=entry.number,
        at=str(body["at"]),
        kind=inert_line(str(body["kind"])),
        actor=inert_line(str(body["actor"])),
        subject=inert_line(str(body["subject"])),
        data=inert_line(json.dumps(body["data"], ensure_ascii=False)),
        digest=entry.digest,
    )
