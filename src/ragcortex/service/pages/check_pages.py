"""`/` checks one answer; `/checks/{id}` shows what came of it, takes feedback, and deletes its texts."""

import datetime

from fastapi import APIRouter
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ragcortex.errors import RagcortexError
from ragcortex.service.checks import find_check, new_id, save_feedback
from ragcortex.service.keys import Caller
from ragcortex.service.pages.access import Checker, Forgetter, Onlooker, Rater, field, posted, stored
from ragcortex.service.pages.check_form import CheckForm, wrong_field
from ragcortex.service.pages.language import texts_of
from ragcortex.service.pages.result_view import Result, gather, shown_result
from ragcortex.service.pages.templating import render, say
from ragcortex.service.problems import RefusedError, problem_of
from ragcortex.service.state import service_of
from ragcortex.service.storage.tables import Check

router = APIRouter()
_LONGEST_COMMENT = 5000


@router.get("/")
async def empty_form(request: Request, caller: Checker) -> Response:
    """Show the form."""
    return await _form(request, caller, CheckForm())


@router.post("/")
async def check(request: Request, caller: Checker) -> Response:
    """Check the answer and go on to the result; what cannot be checked comes back with the reason beside it."""
    sent = await posted(request)
    form = CheckForm.of(sent)
    change = field(sent, "change")
    if change:
        return await _form(request, caller, form.changed(change))
    try:
        made = await service_of(request).check(form.request(), caller)
    except (RagcortexError, TimeoutError) as error:
        return await _form(request, caller, form, error)
    if caller.may("read") or caller.may("review"):
        return RedirectResponse(f"/checks/{made.id}", 303)
    return await result(made.id, request, caller)


@router.get("/checks/{check_id}")
async def result(check_id: str, request: Request, caller: Onlooker) -> Response:
    """Show one check."""
    found: Result = await stored(request, lambda session: gather(session, _visible(session, check_id, caller), caller))
    service = service_of(request)
    shown = await run_in_threadpool(shown_result, texts_of(request), found)
    return await render(
        request,
        "result.html",
        caller,
        section="check",
        found=found,
        check=found.check,
        shown=shown,
        may_read=caller.may("read") or caller.may("review"),
        may_review=caller.may("review") and found.check.answer is not None,
        may_rate=caller.may("check") or caller.may("review"),
        may_delete=(caller.may("review") or caller.may("admin")) and found.check.text_deleted_at is None,
        policy=service.policies.get(found.check.policy),
    )


@router.post("/checks/{check_id}/feedback")
async def feedback(check_id: str, request: Request, caller: Rater) -> Response:
    """Keep whether the verdict was right."""
    form = await posted(request)
    rating, comment = field(form, "rating"), field(form, "comment", most=_LONGEST_COMMENT) or None
    if rating not in ("right", "wrong"):
        raise RefusedError(422, "rating: must be right or wrong; use the buttons of the page")
    made, now = new_id(), datetime.datetime.now(datetime.UTC)

    def work(session: Session) -> None:
        _visible(session, check_id, caller)
        save_feedback(session, check_id, id=made, actor=caller.name, rating=rating, comment=comment, now=now)

    await stored(request, work)
    say(request, f"said.feedback_{rating}")
    return RedirectResponse(f"/checks/{check_id}", 303)


@router.get("/checks/{check_id}/delete")
async def ask_delete(check_id: str, request: Request, caller: Forgetter) -> Response:
    """Ask whether the texts are to be deleted."""
    await stored(request, lambda session: find_check(session, check_id))
    return await render(
        request,
        "confirm.html",
        caller,
        section="history",
        what="delete_text",
        name=check_id,
        action=f"/checks/{check_id}/delete",
        back=f"/checks/{check_id}",
    )


@router.post("/checks/{check_id}/delete")
async def delete(check_id: str, request: Request, caller: Forgetter) -> Response:
    """Delete the texts."""
    await posted(request)
    await run_in_threadpool(service_of(request).forget, check_id, caller)
    say(request, "said.text_deleted")
    return RedirectResponse(f"/checks/{check_id}", 303)


def _visible(session: Session, check_id: str, caller: Caller) -> Check:
    """Return a check that the caller may see: any for readers and reviewers, one's own for others."""
    found = find_check(session, check_id)
    if not (caller.may("read") or caller.may("review") or found.actor == caller.name):
        raise RefusedError(403, f"the key {caller.name!r} needs the scope read or review to see the checks of others")
    return found


async def _form(request: Request, caller: Caller, form: CheckForm, error: Exception | None = None) -> Response:
    service = service_of(request)
    corpora = await stored(request, lambda session: [one.name for one in service.corpora.list(session)])
    t = texts_of(request)
    status, detail = 200, ""
    headers: dict[str, str] = {}
    if error is not None:
        problem, headers = problem_of(error)
        status, detail = problem.status, problem.detail
    return await render(
        request,
        "check.html",
        caller,
        section="check",
        status=status,
        headers=headers,
        form=form,
        error=detail,
        wrong=wrong_field(error) if error is not None else "",
        corpora_options=[(name, name) for name in corpora],
        witness_options=[(one, t(f"witness.{one}")) for one in service.judges.witnesses],
        default_witness=service.witness(None),
        policy_options=[(name, name) for name in sorted(service.policies)],
        default_policy=service.settings.policy,
    )
