"""From a template to a response: every text is escaped, an unknown name is an error, and foreign text is made inert."""

import datetime
import json
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse

from ragcortex.rendering.inert import inert, inert_line
from ragcortex.rendering.words import number
from ragcortex.service.keys import Caller
from ragcortex.service.pages.language import language_links, texts_of
from ragcortex.service.pages.wording import TAGS
from ragcortex.service.security import csrf_token

_FOLDER: Final = Path(__file__).parent / "templates"
_MESSAGE: Final = "message"
_NAVIGATION: Final = (
    ("check", "/", ("check",)),
    ("queue", "/queue", ("review",)),
    ("history", "/history", ("read", "review")),
    ("dashboard", "/dashboard", ("read",)),
    ("corpora", "/corpora", ("read", "corpora", "check")),
    ("calibration", "/calibration", ("calibrate", "read")),
    ("audit", "/audit", ("admin", "read")),
    ("keys", "/keys", ("admin",)),
)


async def render(request: Request, template: str, caller: Caller | None, **context: Any) -> HTMLResponse:
    """Return a page as `rendered` does, beside the event loop: texts may be long, and others wait for it."""
    return await run_in_threadpool(rendered, request, template, caller, **context)


def rendered(
    request: Request,
    template: str,
    caller: Caller | None,
    *,
    section: str = "",
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **context: Any,
) -> HTMLResponse:
    """Return a page.

    Args:
        request: what is answered.
        template: a file in `templates/`.
        caller: who looks at it; None where nobody is signed in.
        section: which entry of the navigation it belongs to.
        status, headers: of the response.
        context: what the template shows.
    """
    texts = texts_of(request)
    common = {
        "t": texts,
        "lang": TAGS[texts.language],
        "languages": language_links(request, texts),
        "caller": caller,
        "needs_keys": request.app.state.service.settings.needs_keys,
        "navigation": _navigation(caller),
        "section": section,
        "said": _taken_message(request),
        "csrf": lambda: _csrf_field(request),
    }
    html = environment().get_template(template).render(common | context)
    # Without a referrer a browser would call the origin of our own forms null.
    sent = {
        "Referrer-Policy": "same-origin",
        "Content-Language": TAGS[texts.language],
        "Vary": "Accept-Language, Cookie",
    }
    return HTMLResponse(html, status, headers=sent | dict(headers or {}))


def say(request: Request, key: str, **values: str | int) -> None:
    """Keep a sentence, by its key, for the page that is shown next."""
    request.session[_MESSAGE] = {"key": key, "values": values}


@cache
def environment() -> Environment:
    """Return the environment of all templates."""
    made = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters["inert"] = inert
    made.filters["inert_line"] = inert_line
    made.filters["shorten"] = shorten
    made.filters["data"] = _data
    made.filters["limit"] = _limit
    made.globals["number"] = number
    made.globals["iso"] = _iso
    return made


def shorten(text: str, room: int = 160) -> str:
    """Return the beginning of a foreign text on one line, cut visibly where it is longer than `room` characters."""
    line = inert_line(text[: 4 * room])
    return line if len(line) <= room and len(text) <= 4 * room else line[:room].rstrip() + "…"


def _data(values: object) -> Markup:
    """Return values as JSON that can stand in a script element of data: nothing in it ends the element."""
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # what could end the element is written as escapes of JSON


def _limit(value: float) -> str:
    """Return a threshold for a field of a form, cut to six decimals, so that it flags all that it flagged before."""
    return f"{math.floor(round(value * 1e6, 3)) / 1e6:.6f}".rstrip("0").rstrip(".") or "0"


def _iso(at: datetime.datetime) -> str:
    return at.astimezone(datetime.UTC).isoformat(timespec="seconds")


def _navigation(caller: Caller | None) -> list[dict[str, str]]:
    if caller is None:
        return []
    return [{"name": name, "url": url} for name, url, scopes in _NAVIGATION if any(caller.may(one) for one in scopes)]


def _taken_message(request: Request) -> dict[str, Any] | None:
    session = request.scope.get("session")
    return session.pop(_MESSAGE, None) if session else None


def _csrf_field(request: Request) -> Markup:
    return Markup('<input type="hidden" name="csrf" value="{}">').format(csrf_token(request))
