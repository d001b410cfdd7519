"""Who may see which page, and how pages reach the service."""

from collections.abc import Callable
from typing import Annotated, TypeVar

from fastapi import Depends
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request

from ragcortex.service.keys import Caller
from ragcortex.service.security import check_csrf, require_page
from ragcortex.service.state import service_of

T = TypeVar("T")
Checker = Annotated[Caller, Depends(require_page("check"))]
Onlooker = Annotated[Caller, Depends(require_page("read", "review", "check"))]
Reader = Annotated[Caller, Depends(require_page("read", "review"))]
Overseer = Annotated[Caller, Depends(require_page("read"))]
Rater = Annotated[Caller, Depends(require_page("check", "review"))]
Forgetter = Annotated[Caller, Depends(require_page("admin", "review"))]
Reviewer = Annotated[Caller, Depends(require_page("review"))]
CorpusReader = Annotated[Caller, Depends(require_page("read", "corpora", "check"))]
CorpusEditor = Annotated[Caller, Depends(require_page("corpora"))]
CalibrationReader = Annotated[Caller, Depends(require_page("calibrate", "read"))]
Calibrator = Annotated[Caller, Depends(require_page("calibrate"))]
Auditor = Annotated[Caller, Depends(require_page("admin", "read"))]
Administrator = Annotated[Caller, Depends(require_page("admin"))]


async def stored(request: Request, work: Callable[[Session], T]) -> T:
    """Return what work on the database gives, done in one transaction beside the event loop."""
    return await run_in_threadpool(service_of(request).database.run, work)


async def posted(request: Request) -> FormData:
    """Return the fields of a form that carries the session's token.

    Raises:
        RefusedError: it does not.
    """
    await check_csrf(request)
    return await request.form()


def field(form: FormData, name: str, *, most: int | None = None) -> str:
    """Return a text field without space around it, "" where there is none; at most `most` characters of it."""
    value = form.get(name)
    text = as_typed(value).strip() if isinstance(value, str) else ""
    return text if most is None else text[:most]


def as_typed(text: str) -> str:
    """Return a text with its line breaks as they were typed: a browser sends each as two characters."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
