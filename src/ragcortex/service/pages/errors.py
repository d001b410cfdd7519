"""What a person sees where a request failed."""

from starlette.requests import Request
from starlette.responses import HTMLResponse

from ragcortex.service.pages.language import texts_of
from ragcortex.service.pages.templating import rendered


def error_page(request: Request, status: int, title: str, detail: str) -> HTMLResponse:
    """Return the page about an error: what kind of, in the person's language where that is known, and the details."""
    texts = texts_of(request)
    key = f"error.{status}"
    shown = texts(key) if texts.has(key) else title
    request_id = str(request.scope.get("request_id") or "")
    return rendered(
        request, "error.html", None, status=status, heading=shown, code=status, detail=detail, request_id=request_id
    )
