"""`/keys`: an administrator makes, replaces and revokes the keys of callers."""

import datetime

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ragcortex.errors import InputError
from ragcortex.service import keys
from ragcortex.service.keys import SCOPES, Caller, new_token, state_of
from ragcortex.service.pages.access import Administrator, field, posted, stored
from ragcortex.service.pages.templating import render, say

router = APIRouter()
_OVERLAPS = (0, 60, 24 * 60, 7 * 24 * 60)


@router.get("/keys")
async def show(request: Request, caller: Administrator) -> Response:
    """Show all keys."""
    return await _page(request, caller)


@router.post("/keys")
async def create(request: Request, caller: Administrator) -> Response:
    """Make a key and show its token, this once."""
    form = await posted(request)
    token, now = new_token(), _now()
    sent = {name: field(form, name) for name in ("name", "rate", "expires")}
    scopes = [value for value in form.getlist("scope") if isinstance(value, str)]
    try:
        rate = _rate(sent["rate"])
        expires_at = _end_of(sent["expires"])
        made, text = await stored(
            request,
            lambda session: keys.create_key(
                session, name=sent["name"], scopes=scopes, rate_per_minute=rate, expires_at=expires_at, now=now,
                actor=caller.name, token=token,
            ),
        )  # fmt: skip
    except InputError as error:
        return await _page(request, caller, sent | {"scopes": scopes}, error)
    return await render(request, "key_made.html", caller, section="keys", key=made, token=text, replaced="")


@router.get("/keys/{key_id}/revoke")
async def ask_revoke(key_id: str, request: Request, caller: Administrator) -> Response:
    """Ask whether a key is to be revoked."""
    found = await stored(request, keys.list_keys)
    name = next((key.name for key in found if key.id == key_id), key_id)
    return await render(
        request,
        "confirm.html",
        caller,
        section="keys",
        what="revoke",
        name=name,
        action=f"/keys/{key_id}/revoke",
        back="/keys",
    )


@router.post("/keys/{key_id}/revoke")
async def revoke(key_id: str, request: Request, caller: Administrator) -> Response:
    """Revoke a key."""
    await posted(request)
    now = _now()
    made = await stored(request, lambda session: keys.revoke_key(session, key_id, now, actor=caller.name))
    say(request, "said.key_revoked", name=made.name)
    return RedirectResponse("/keys", 303)


@router.post("/keys/{key_id}/rotate")
async def rotate(key_id: str, request: Request, caller: Administrator) -> Response:
    """Replace a key by a new one and show its token, this once."""
    form = await posted(request)
    asked = field(form, "overlap")
    minutes = int(asked) if asked in {str(one) for one in _OVERLAPS} else 60
    token, now, overlap = new_token(), _now(), datetime.timedelta(minutes=minutes)
    try:
        made, text = await stored(
            request,
            lambda session: keys.rotate_key(session, key_id, now, overlap=overlap, actor=caller.name, token=token),
        )
    except InputError as error:
        return await _page(request, caller, error=error)
    return await render(request, "key_made.html", caller, section="keys", key=made, token=text, replaced=key_id)


async def _page(
    request: Request, caller: Caller, sent: dict[str, object] | None = None, error: InputError | None = None
) -> Response:
    now = _now()
    found = await stored(request, keys.list_keys)
    return await render(
        request,
        "keys.html",
        caller,
        section="keys",
        status=422 if error is not None else 200,
        keys=[(key, state_of(key, now)) for key in found],
        scopes=SCOPES,
        overlaps=_OVERLAPS,
        sent=sent or {"name": "", "rate": "", "expires": "", "scopes": []},
        error=error.message if error is not None else "",
        wrong=error.field if error is not None else "",
    )


def _rate(text: str) -> int | None:
    if not text:
        return None
    try:
        return int(text)
    except ValueError:
        raise InputError("rate_per_minute", f"must be a whole number, got {text!r}") from None


def _end_of(text: str) -> datetime.datetime | None:
    """Return the end of a day, in UTC, None where none is given."""
    if not text:
        return None
    try:
        day = datetime.date.fromisoformat(text)
    except ValueError:
        raise InputError("expires_at", f"must be a day such as 2030-12-31, got {text!r}") from None
    return datetime.datetime.combine(day, datetime.time(), datetime.UTC) + datetime.timedelta(days=1)


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
