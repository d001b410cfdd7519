"""All pages as one router, and their stylesheet and scripts."""

from pathlib import Path

from fastapi import APIRouter
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from ragcortex.service.pages import (
    audit_pages,
    calibration_pages,
    check_pages,
    corpora_pages,
    dashboard_pages,
    history_pages,
    key_pages,
    review_pages,
    sign_in_pages,
)


class _Static(StaticFiles):
    """Files that a browser keeps, and asks each time whether they are still those: a new version shows at once."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response


router = APIRouter(include_in_schema=False)
for pages in (
    check_pages,
    review_pages,
    history_pages,
    dashboard_pages,
    corpora_pages,
    calibration_pages,
    audit_pages,
    key_pages,
    sign_in_pages,
):
    router.include_router(pages.router)
static_app = _Static(directory=Path(__file__).parent / "static")
