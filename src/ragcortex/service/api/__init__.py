"""The routes of the HTTP API, one file a group."""

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from fastapi import APIRouter

PROBLEMS: Final[dict[int | str, dict[str, Any]]] = {
    status: {
        "description": description,
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for status, description in (
        (400, "The request is malformed."),
        (401, "A key is needed, or it is not valid."),
        (403, "The key may not do this, or another site's page asked."),
        (404, "What is named is not there."),
        (409, "Somebody else is at it, or it has ended."),
        (410, "Its texts are deleted or not kept."),
        (413, "The body is too large."),
        (415, "The body is of another type."),
        (422, "A field is wrong; `field` names it."),
        (429, "Too much at once; `Retry-After` says when to come again."),
        (503, "A model or the database is not to be had now."),
        (504, "It took too long."),
    )
}


def routers() -> "tuple[APIRouter, ...]":
    """Return all routers of the API."""
    from ragcortex.service.api import calibrations, check, checks, corpora, keys, operation, reviews, stream

    modules = (stream, check, checks, reviews, calibrations, corpora, keys, operation)
    return tuple(module.router for module in modules)
