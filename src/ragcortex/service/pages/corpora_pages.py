"""`/corpora`: bodies of documents that answers are checked against; searched, added to, mapped and deleted."""

import datetime
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from ragcortex.errors import InputError, RagcortexError
from ragcortex.example import Reference
from ragcortex.geometry.documents import Document
from ragcortex.geometry.map_html import content_policy
from ragcortex.service.checks import NotFoundError
from ragcortex.service.corpus_documents import documents_of
from ragcortex.service.corpus_reading import Found, StoredDocument
from ragcortex.service.keys import Caller
from ragcortex.service.middleware import PAGE_POLICY
from ragcortex.service.pages.access import CorpusEditor, CorpusReader, as_typed, field, posted, stored
from ragcortex.service.pages.templating import render, say
from ragcortex.service.problems import problem_of
from ragcortex.service.schemas import CorpusIn
from ragcortex.service.state import service_of

router = APIRouter()
_N_FOUND = 10
_LIMIT = 100
_FRAMING_POLICY = f"{PAGE_POLICY}; frame-src 'self'"


@router.get("/corpora")
async def show_all(request: Request, caller: CorpusReader) -> Response:
    """Show all corpora."""
    return await _list(request, caller)


@router.post("/corpora")
async def create(request: Request, caller: CorpusEditor) -> Response:
    """Make a corpus of one pasted document."""
    form = await posted(request)
    name, now, corpora = field(form, "name"), _now(), service_of(request).corpora
    try:
        CorpusIn.model_validate({"name": name, "documents": [{"text": "-"}]})
        documents = _documents(form)
        await corpora.in_turn(lambda: corpora.create(name, documents, actor=caller.name, now=now))
    except ValidationError as error:
        return await _list(request, caller, form, InputError("name", str(error.errors()[0]["msg"])))
    except (RagcortexError, TimeoutError) as error:
        return await _list(request, caller, form, error)
    say(request, "said.corpus_made", name=name)
    return RedirectResponse(_address(name), 303)


@router.get("/corpora/{name}")
async def show(name: str, request: Request, caller: CorpusReader) -> Response:
    """Show a corpus, and what is near to a text that is looked for."""
    return await _page(request, caller, name)


@router.post("/corpora/{name}/documents")
async def add(name: str, request: Request, caller: CorpusEditor) -> Response:
    """Add a pasted document."""
    form = await posted(request)
    now, corpora = _now(), service_of(request).corpora
    try:
        documents = _documents(form)
        await corpora.in_turn(lambda: corpora.add(name, documents, actor=caller.name, now=now))
    except NotFoundError:
        raise
    except (RagcortexError, TimeoutError) as error:
        return await _page(request, caller, name, form, error)
    say(request, "said.document_added")
    return RedirectResponse(_address(name), 303)


@router.post("/corpora/{name}/documents/delete")
async def remove(name: str, request: Request, caller: CorpusEditor) -> Response:
    """Delete a document once that is confirmed; before, ask."""
    form = await posted(request)
    document, now, corpora = str(form.get("document") or ""), _now(), service_of(request).corpora
    if field(form, "confirmed") != "1":
        return await render(
            request,
            "confirm.html",
            caller,
            section="corpora",
            what="delete_document",
            name=document,
            action=f"{_address(name)}/documents/delete",
            back=_address(name),
            fields={"document": document, "confirmed": "1"},
        )
    try:
        await corpora.in_turn(lambda: corpora.remove(name, document, actor=caller.name, now=now))
    except NotFoundError:
        raise
    except RagcortexError as error:
        return await _page(request, caller, name, None, error)
    say(request, "said.document_deleted")
    return RedirectResponse(_address(name), 303)


@router.get("/corpora/{name}/delete")
async def ask_delete(name: str, request: Request, caller: CorpusEditor) -> Response:
    """Ask whether a corpus is to be deleted."""
    await stored(request, lambda session: service_of(request).corpora.find(session, name))
    return await render(
        request,
        "confirm.html",
        caller,
        section="corpora",
        what="delete_corpus",
        name=name,
        action=f"{_address(name)}/delete",
        back=_address(name),
    )


@router.post("/corpora/{name}/delete")
async def delete(name: str, request: Request, caller: CorpusEditor) -> Response:
    """Delete a corpus."""
    await posted(request)
    now, corpora = _now(), service_of(request).corpora
    await corpora.in_turn(lambda: corpora.delete(name, actor=caller.name, now=now))
    say(request, "said.corpus_deleted", name=name)
    return RedirectResponse("/corpora", 303)


@router.get("/corpora/{name}/map")
async def map_of(name: str, request: Request, _caller: CorpusReader) -> Response:
    """Show the map of a corpus: a page of its own, of no origin, that only our pages frame."""
    html = await run_in_threadpool(service_of(request).corpora.map_html, name)
    policy = f"{content_policy()}; frame-ancestors 'self'; sandbox allow-scripts"
    # A page of no origin cannot be kept apart from those that open it, and browsers refuse to try.
    return HTMLResponse(html, headers={"Content-Security-Policy": policy, "Cross-Origin-Opener-Policy": "unsafe-none"})


async def _list(
    request: Request, caller: Caller, sent: FormData | None = None, error: Exception | None = None
) -> Response:
    corpora = service_of(request).corpora
    found = await stored(request, corpora.list)
    return await render(
        request,
        "corpora.html",
        caller,
        section="corpora",
        corpora=[(one, _address(one.name)) for one in found],
        may_change=caller.may("corpora"),
        name=field(sent, "name") if sent is not None else "",
        **_failed(sent, error),
    )


async def _page(
    request: Request, caller: Caller, name: str, sent: FormData | None = None, error: Exception | None = None
) -> Response:
    corpora, wanted = service_of(request).corpora, request.query_params.get("q", "").strip()[:2000]
    corpus = await stored(request, lambda session: corpora.find(session, name, field="name"))
    found: tuple[Found, ...] = ()
    documents: tuple[StoredDocument, ...] = ()
    try:
        documents = await run_in_threadpool(corpora.documents, name)
        found = await run_in_threadpool(corpora.search, name, wanted, _N_FOUND) if wanted else ()
    except NotFoundError:
        raise
    except RagcortexError as failure:  # a corpus whose files are damaged can still be deleted here
        error = error or failure
    first = _number(request.query_params.get("from", "")) if len(documents) > _LIMIT else 0
    return await render(
        request,
        "corpus.html",
        caller,
        section="corpora",
        corpus=corpus,
        address=_address(name),
        wanted=wanted,
        found=found,
        documents=documents[first : first + _LIMIT],
        first=first,
        following=first + _LIMIT if first + _LIMIT < len(documents) else 0,
        may_change=caller.may("corpora"),
        **_failed(sent, error, {"Content-Security-Policy": _FRAMING_POLICY}),
    )


def _failed(sent: FormData | None, error: Exception | None, more: dict[str, str] | None = None) -> dict[str, Any]:
    """Return what the pages show of a form that failed, with the status and the headers of the response."""
    status, headers, detail = 200, dict(more or {}), ""
    if error is not None:
        problem, given = problem_of(error)
        status, detail = problem.status, problem.detail
        headers |= given
    return {
        "status": status,
        "headers": headers,
        "error": detail,
        "text": as_typed(str(sent.get("text") or "")) if sent is not None else "",
        "document_id": field(sent, "document_id") if sent is not None else "",
        "source": field(sent, "source") if sent is not None else "",
    }


def _documents(form: FormData) -> list[Document]:
    """Return the pasted text as the only document."""
    text = as_typed(str(form.get("text") or ""))
    if not text.strip():
        raise InputError("text", "is empty; paste the text of a document")
    given = Reference(text, field(form, "document_id", most=200) or None, field(form, "source", most=200) or None)
    return documents_of([given])


def _address(name: str) -> str:
    return f"/corpora/{quote(name, safe='')}"


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else 0


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
