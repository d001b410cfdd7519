"""`/v1/keys`: who may call; made, listed, revoked and replaced by an administrator."""

import datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Query
from starlette.concurrency import run_in_threadpool

from ragcortex.service import keys
from ragcortex.service.schemas_keys import KeyIn, KeyOut, NewKey
from ragcortex.service.security import require
from ragcortex.service.state import Service, service_of
from ragcortex.service.storage.tables import ApiKey

router = APIRouter(prefix="/v1/keys", tags=["keys"])
CurrentService = Annotated[Service, Depends(service_of)]
Administrator = Annotated[keys.Caller, Depends(require("admin"))]


@router.get("")
async def list_all(service: CurrentService, _caller: Administrator) -> list[KeyOut]:
    """List the keys, without their secrets."""
    return await run_in_threadpool(service.database.run, lambda session: [_out(key) for key in keys.list_keys(session)])


@router.post("", status_code=201)
async def create(values: KeyIn, service: CurrentService, caller: Administrator) -> NewKey:
    """Make a key; its secret is shown this once."""
    now, secret = datetime.datetime.now(datetime.UTC), keys.new_token()

    def work(session):  # type: ignore[no-untyped-def]
        made, token = keys.create_key(
            session,
            name=values.name,
            scopes=values.scopes,
            rate_per_minute=values.rate_per_minute,
            expires_at=values.expires_at,
            now=now,
            actor=caller.name,
            token=secret,
        )
        return NewKey(**_out(made).model_dump(), secret=token)

    return await run_in_threadpool(service.database.run, work)


@router.post("/{key_id}/revoke")
async def revoke(key_id: str, service: CurrentService, caller: Administrator) -> KeyOut:
    """Revoke a key at once."""
    now = datetime.datetime.now(datetime.UTC)
    return await run_in_threadpool(
        service.database.run, lambda session: _out(keys.revoke_key(session, key_id, now, actor=caller.name))
    )


@router.post("/{key_id}/rotate", status_code=201)
async def rotate(
    key_id: str,
    service: CurrentService,
    caller: Administrator,
    overlap_minutes: Annotated[int, Query(ge=0, le=60 * 24 * 30)] = 60,
) -> NewKey:
    """Replace a key by a new one; the old one goes on for a while, so that callers can change over."""
    now, overlap = datetime.datetime.now(datetime.UTC), datetime.timedelta(minutes=overlap_minutes)
    secret = keys.new_token()

    def work(session):  # type: ignore[no-untyped-def]
        made, token = keys.rotate_key(session, key_id, now, overlap=overlap, actor=caller.name, token=secret)
        return NewKey(**_out(made).model_dump(), secret=token)

    return await run_in_threadpool(service.database.run, work)


def _out(key: ApiKey) -> KeyOut:
    return KeyOut.model_validate({name: getattr(key, name) for name in KeyOut.model_fields})
