"""Large request bodies, refused while they are read and after their caller is known; nobody else can fill the disk.

A route's ordinary body is read before its dependencies are asked, so that anybody could send one; these are read by the
route itself.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final, TypeVar

from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, Headers, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from ragcortex.errors import InputError
from ragcortex.service.corpus_documents import Upload
from ragcortex.service.problems import RefusedError

Model = TypeVar("Model", bound=BaseModel)
MOST_FILES: Final = 100
_FIELD: Final = "files"
_SMALL: Final = 1_000


async def read_json(request: Request, model: type[Model], most: int) -> Model:
    """Return the body as a model.

    Raises:
        RefusedError: 413 if it is larger than `most` bytes, 415 if it is not JSON by its type.
        RequestValidationError: it is not JSON, or not what the model describes.
    """
    kind = _media_type(request)
    if kind != "application/json" and not kind.endswith("+json"):
        raise RefusedError(415, f"the body must be application/json, got {kind or 'no Content-Type'}")
    parts = [part async for part in _capped(request, most)]
    return await run_in_threadpool(_parsed, b"".join(parts), model)


@asynccontextmanager
async def read_uploads(request: Request, most: int) -> AsyncIterator[list[Upload]]:
    """Give the files of a form while the block runs; larger ones lie in temporary files without a name.

    Raises:
        RefusedError: 413 if the body is larger than `most` bytes, 415 if it is no form with files, 400 if damaged.
        InputError: a field is not a file, or has another name than `files`.
    """
    if _media_type(request) != "multipart/form-data":
        raise RefusedError(415, "the body must be multipart/form-data with the files as `files`")
    stream = _capped(request, most)
    parser = _WholeFormParser(
        request.headers, stream, max_files=MOST_FILES, max_fields=MOST_FILES, max_part_size=_SMALL
    )
    try:
        form = await parser.parse()
    except MultiPartException as error:
        raise RefusedError(400, f"the form cannot be read: {error.message}") from None
    finally:
        await stream.aclose()
    try:
        yield _uploads(form)
    finally:
        await form.close()


class _WholeFormParser(MultiPartParser):
    """Refuses a form that stops before its end, whose last file would be left out; its files are closed then."""

    def __init__(self, headers: Headers, stream: AsyncGenerator[bytes, None], **limits: int) -> None:
        super().__init__(headers, self._whole(stream), **limits)
        self._ended = False

    def on_end(self) -> None:
        """Note that the last boundary was met."""
        self._ended = True

    async def _whole(self, stream: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
        async for part in stream:
            yield part
        if not self._ended:
            raise MultiPartException("it stops before its last boundary; send it again")


def json_body(model: type[BaseModel], example: dict[str, Any]) -> dict[str, Any]:
    """Return how OpenAPI describes a route that calls `read_json`."""
    schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
    schema.pop("$defs", None)  # they are among the components, since other routes use them
    content = {"application/json": {"schema": schema, "examples": {"usual": {"value": example}}}}
    return {"requestBody": {"required": True, "content": content}}


def files_body() -> dict[str, Any]:
    """Return how OpenAPI describes a route that calls `read_uploads`."""
    files = {"type": "array", "minItems": 1, "maxItems": MOST_FILES, "items": {"type": "string", "format": "binary"}}
    schema = {"type": "object", "required": [_FIELD], "properties": {_FIELD: files}}
    return {"requestBody": {"required": True, "content": {"multipart/form-data": {"schema": schema}}}}


async def _capped(request: Request, most: int) -> AsyncGenerator[bytes, None]:
    """Yield the body as it arrives.

    Raises:
        RefusedError: 413, it says that it is larger than `most` bytes, or turns out to be.
    """
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > most:
        raise _too_large(most)
    n_bytes = 0
    async for part in request.stream():
        n_bytes += len(part)
        if n_bytes > most:
            raise _too_large(most)
        yield part


def _too_large(most: int) -> RefusedError:
    return RefusedError(413, f"the body is larger than the {most:,} bytes that are taken here; send less at once")


def _media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _parsed(body: bytes, model: type[Model]) -> Model:
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False, include_context=False)
        raise RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in found]) from None


def _uploads(form: FormData) -> list[Upload]:
    uploads = []
    for name, value in form.multi_items():
        if name != _FIELD or not isinstance(value, UploadFile):
            raise InputError(_FIELD, f"must be the only field, and each a file with its name, got {ascii(name)[:100]}")
        uploads.append(Upload(value.filename or "", value.file))
    return uploads
