"""`/v1/corpora`: bodies of documents that answers are checked against."""

import datetime
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse

from ragcortex.example import Reference
from ragcortex.geometry.documents import Unreadable
from ragcortex.geometry.map_html import content_policy
from ragcortex.service.api.bodies import files_body, json_body, read_json, read_uploads
from ragcortex.service.checks import NotFoundError
from ragcortex.service.corpora import Corpora, CorpusChange
from ragcortex.service.corpus_documents import Upload, documents_in, documents_of
from ragcortex.service.corpus_rows import StoredCorpus
from ragcortex.service.keys import Caller
from ragcortex.service.schemas import CorpusIn, CorpusOut, DocumentsIn, ReferenceIn
from ragcortex.service.schemas_corpora import (
    CORPUS_EXAMPLE,
    NAME_PATTERN,
    ChunksFound,
    CorpusChanged,
    CorpusDetail,
    CorpusList,
)
from ragcortex.service.security import require
from ragcortex.service.state import Service, service_of

router = APIRouter(prefix="/v1/corpora", tags=["corpora"])
CurrentService = Annotated[Service, Depends(service_of)]
Reader = Annotated[Caller, Depends(require("check", "corpora"))]
Keeper = Annotated[Caller, Depends(require("corpora"))]
Name = Annotated[str, Path(max_length=200, pattern=NAME_PATTERN, description="The corpus's name.")]
_SHOWN_CONFLICTS: Final = 20


@router.get("")
async def list_all(service: CurrentService, _caller: Reader) -> CorpusList:
    """List the corpora, by name."""
    found = await run_in_threadpool(service.database.run, service.corpora.list)
    return CorpusList(corpora=[_out(one) for one in found])


@router.post("", status_code=201, openapi_extra=json_body(CorpusIn, CORPUS_EXAMPLE))
async def create(request: Request, service: CurrentService, caller: Keeper) -> CorpusChanged:
    """Make a corpus of texts. It is there whole or not at all, once this has answered."""
    values = await read_json(request, CorpusIn, service.settings.max_upload_bytes)
    now = _now()

    def change(corpora: Corpora) -> CorpusChange:
        return corpora.create(values.name, documents_of(_references(values.documents)), actor=caller.name, now=now)

    return await _changed(service, change)


@router.get("/{name}")
async def get(
    name: Name,
    service: CurrentService,
    _caller: Reader,
    offset: Annotated[int, Query(ge=0, le=10_000_000, description="Leave out so many documents.")] = 0,
    limit: Annotated[int, Query(ge=1, le=1_000, description="List at most so many documents.")] = 100,
) -> CorpusDetail:
    """Describe a corpus and list its documents."""
    stored = await _find(service, name)
    documents = await run_in_threadpool(service.corpora.documents, name)
    shown = [asdict(one) for one in documents[offset : offset + limit]]
    following = offset + limit if offset + limit < len(documents) else None
    return CorpusDetail.model_validate({"corpus": _out(stored), "documents": shown, "next_offset": following})


@router.delete("/{name}", status_code=204)
async def delete(name: Name, service: CurrentService, caller: Keeper) -> None:
    """Delete a corpus and its files; checks that were made against it stay."""
    now = _now()
    await run_in_threadpool(lambda: service.corpora.delete(name, actor=caller.name, now=now))


@router.post(
    "/{name}/documents",
    openapi_extra=json_body(DocumentsIn, {"documents": CORPUS_EXAMPLE["documents"]}),
)
async def add(name: Name, request: Request, service: CurrentService, caller: Keeper) -> CorpusChanged:
    """Add texts to a corpus; only they are embedded."""
    await _find(service, name)
    values = await read_json(request, DocumentsIn, service.settings.max_upload_bytes)
    now = _now()

    def change(corpora: Corpora) -> CorpusChange:
        return corpora.add(name, documents_of(_references(values.documents)), actor=caller.name, now=now)

    return await _changed(service, change)


@router.post("/{name}/files", openapi_extra=files_body())
async def add_files(
    name: Name,
    request: Request,
    service: CurrentService,
    caller: Keeper,
    create: Annotated[bool, Query(description="Make the corpus if there is none of that name.")] = False,
) -> CorpusChanged:
    """Add files to a corpus: .txt, .md, .html, .pdf and .jsonl, each by its name as the document's id."""
    if not create:
        await _find(service, name)
    now = _now()
    async with read_uploads(request, service.settings.max_upload_bytes) as uploads:
        return await service.corpora.in_turn(
            lambda: _with_files(service.corpora, name, uploads, caller.name, now, create=create)
        )


@router.delete("/{name}/documents/{document_id:path}")
async def remove(
    name: Name,
    document_id: Annotated[str, Path(min_length=1, max_length=1_000, description="The document's id.")],
    service: CurrentService,
    caller: Keeper,
) -> CorpusChanged:
    """Remove a document and its text from a corpus."""
    now = _now()
    return await _changed(service, lambda corpora: corpora.remove(name, document_id, actor=caller.name, now=now))


@router.get("/{name}/search")
async def search(
    name: Name,
    service: CurrentService,
    _caller: Reader,
    text: Annotated[str, Query(min_length=1, max_length=10_000, description="What to look for.")],
    k: Annotated[int, Query(ge=1, le=100, description="How many chunks.")] = 5,
) -> ChunksFound:
    """Return the chunks nearest to a text, the nearest first."""
    found = await run_in_threadpool(service.corpora.search, name, text, k)
    return ChunksFound.model_validate({"chunks": [asdict(one) for one in found]})


@router.get(
    "/{name}/map",
    response_class=HTMLResponse,
    responses={200: {"content": {"text/html": {}}, "description": "A page that needs nothing else."}},
)
async def map_page(name: Name, service: CurrentService, _caller: Reader) -> HTMLResponse:
    """Draw the corpus's chunks in two dimensions."""
    page = await run_in_threadpool(service.corpora.map_html, name)
    return HTMLResponse(page, headers={"Content-Security-Policy": f"{content_policy()}; frame-ancestors 'self'"})


async def _find(service: Service, name: str) -> StoredCorpus:
    find = partial(service.corpora.find, name=name, field="name")
    return await run_in_threadpool(service.database.run, find)


async def _changed(service: Service, change: Callable[[Corpora], CorpusChange]) -> CorpusChanged:
    return await service.corpora.in_turn(lambda: _change_out(change(service.corpora), ()))


def _with_files(
    corpora: Corpora, name: str, uploads: Sequence[Upload], actor: str, now: datetime.datetime, *, create: bool
) -> CorpusChanged:
    documents, unreadable = documents_in(uploads)
    try:
        change = corpora.add(name, documents, actor=actor, now=now)
    except NotFoundError:
        if not create:
            raise
        change = corpora.create(name, documents, actor=actor, now=now)
    return _change_out(change, unreadable)


def _change_out(change: CorpusChange, unreadable: Sequence[Unreadable]) -> CorpusChanged:
    report = change.report
    return CorpusChanged.model_validate(
        {
            "corpus": _out(change.corpus),
            "n_embedded": report.n_embedded,
            "unreadable": [asdict(one) for one in unreadable],
            "repeated": report.repeated,
            "conflicts": [asdict(one) for one in report.conflicts[:_SHOWN_CONFLICTS]],
        }
    )


def _out(stored: StoredCorpus) -> CorpusOut:
    return CorpusOut.model_validate({name: getattr(stored, name) for name in CorpusOut.model_fields})


def _references(values: Sequence[ReferenceIn]) -> list[Reference]:
    return [Reference(one.text, one.id, one.source) for one in values]


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
