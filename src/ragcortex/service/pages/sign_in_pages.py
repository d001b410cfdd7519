"""`/login` and `/logout`: with keys a person signs in by one; without, gives the name to review under."""

import re
from typing import Final

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ragcortex.service.pages.access import field, posted
from ragcortex.service.pages.templating import render, say
from ragcortex.service.security import set_name, sign_in, sign_out
from ragcortex.service.state import service_of

router = APIRouter()
# A path of this site: one slash and no second, no backslash (browsers read it as a slash), nothing invisible.
_OWN_PATH: Final = re.compile(r"/(?![/\\])[!-~]*\Z")


@router.get("/login")
async def show(request: Request) -> Response:
    """Show the form."""
    return await _page(request, own_path(request.query_params.get("next", "/")))


@router.post("/login")
async def enter(request: Request) -> Response:
    """Begin the session, or name the reviewer, and go on."""
    form = await posted(request)
    target = own_path(field(form, "next") or "/")
    if not service_of(request).settings.needs_keys:
        name = field(form, "name")
        if not name or not name.isprintable():
            return await _page(request, target, wrong=True)
        set_name(request, name)
        say(request, "said.named", name=name[:200])
        return RedirectResponse(target, 303)
    if await sign_in(request, field(form, "token")) is None:
        return await _page(request, target, wrong=True)
    return RedirectResponse(target, 303)


@router.get("/logout")
async def ask_leave(request: Request) -> Response:
    """Ask whether the session is to end."""
    return await render(request, "confirm.html", None, what="leave", name="", action="/logout", back="/")


@router.post("/logout")
async def leave(request: Request) -> Response:
    """End the session."""
    await posted(request)
    sign_out(request)
    return RedirectResponse("/login", 303)


def own_path(target: str) -> str:
    """Return a target that is a path of this site, `/` for any other.

    >>> own_path("/queue"), own_path("//elsewhere.example"), own_path("javascript:1")
    ('/queue', '/', '/')
    """
    return target if _OWN_PATH.match(target) else "/"


async def _page(request: Request, target: str, *, wrong: bool = False) -> Response:
    name = str(request.session.get("reviewer") or "")
    return await render(
        request, "login.html", None, status=422 if wrong else 200, target=target, wrong=wrong, name=name
    )
