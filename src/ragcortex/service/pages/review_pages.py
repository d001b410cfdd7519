"""`/queue` shows what needs a person first; `/review/{id}` is where that person works."""

import datetime
from typing import Any

from fastapi import APIRouter
from sqlalchemy.orm import Session
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ragcortex.errors import InputError
from ragcortex.service import reviews
from ragcortex.service.checks import NotFoundError, find_check, new_id
from ragcortex.service.keys import Caller
from ragcortex.service.pages.access import Reviewer, posted, stored
from ragcortex.service.pages.language import texts_of
from ragcortex.service.pages.queue_view import (
    LIMIT,
    WHYS,
    QueueFilter,
    n_reviews,
    n_waiting,
    next_waiting,
    shown_waiting,
    waiting,
    why_waiting,
)
from ragcortex.service.pages.report_view import passages, plain_references, references, report_of
from ragcortex.service.pages.result_view import shown_review
from ragcortex.service.pages.review_form import ReviewForm
from ragcortex.service.pages.stretches import cut, joined, segments
from ragcortex.service.pages.templating import render, say
from ragcortex.service.pages.wording import Texts
from ragcortex.service.state import service_of
from ragcortex.service.storage.tables import Check, Review

router = APIRouter()
_SPARE_ROWS = 3
_SCRIPT_TEXTS = "review.script."


@router.get("/queue")
async def queue(request: Request, caller: Reviewer) -> Response:
    """Show the answers that wait for a person."""
    wanted, now = QueueFilter.of(dict(request.query_params)), _now()

    def work(session: Session) -> tuple[list[Check], dict[str, int], int, reviews.Agreement]:
        found = waiting(session, wanted, reviewer=caller.name, now=now)
        counted = n_reviews(session, [check.id for check in found])
        return found, counted, n_waiting(session), reviews.agreement(session)

    found, counted, in_all, agreement = await stored(request, work)
    t = texts_of(request)
    return await render(
        request,
        "queue.html",
        caller,
        section="queue",
        rows=[shown_waiting(t, check, counted.get(check.id, 0), now) for check in found],
        wanted=wanted,
        whys=WHYS,
        in_all=in_all,
        limit=LIMIT,
        agreement=agreement,
        needed=service_of(request).settings.reviewers,
    )


@router.get("/review/next")
async def next_review(request: Request, caller: Reviewer) -> Response:
    """Go on to the answer that comes next, back to the queue at its end."""
    after, now = request.query_params.get("after"), _now()
    found = await stored(request, lambda session: next_waiting(session, after, reviewer=caller.name, now=now))
    if found is None:
        say(request, "said.queue_done")
        return RedirectResponse("/queue", 303)
    return RedirectResponse(f"/review/{found}", 303)


@router.get("/review/{check_id}")
async def review(check_id: str, request: Request, caller: Reviewer) -> Response:
    """Keep the answer for this reviewer, and show it with what is marked in it."""
    return await _page(request, caller, check_id)


@router.post("/review/{check_id}")
async def save(check_id: str, request: Request, caller: Reviewer) -> Response:
    """Keep the review and go on to the next answer."""
    sent = await posted(request)
    settings, now = service_of(request).settings, _now()

    def work(session: Session) -> Review:
        answer = find_check(session, check_id).answer
        if answer is None:
            raise NotFoundError("id", f"the texts of check {check_id!r} are deleted, so it cannot be reviewed")
        made = ReviewForm.of(sent).review(check_id, caller.name, len(answer))
        keeps = settings.store_text != "until-decided"
        return reviews.save_review(session, made, now=now, needed=settings.reviewers, keeps_decided=keeps)

    try:
        kept = await stored(request, work)
    except (NotFoundError, reviews.ClaimedError):
        raise
    except InputError as error:
        return await _page(request, caller, check_id, comment=str(sent.get("comment") or ""), error=error)
    say(request, "said.review_hallucinated" if kept.label else "said.review_grounded")
    return RedirectResponse("/review/next", 303)


async def _page(
    request: Request, caller: Caller, check_id: str, *, comment: str | None = None, error: InputError | None = None
) -> Response:
    now, minutes = _now(), service_of(request).settings.claim_minutes

    def work(session: Session) -> tuple[Check, list[Review], int]:
        check = find_check(session, check_id)
        if check.answer is None:
            raise NotFoundError("id", f"the texts of check {check_id!r} are deleted, so it cannot be reviewed")
        said = reviews.current_reviews(session, check_id)
        # Who only looks at what they said themselves keeps nobody from saying something else.
        if check.queue in reviews.WAITING and all(one.reviewer != caller.name for one in said):
            reviews.claim(session, check_id, reviewer=caller.name, now=now, minutes=minutes)
        return check, said, n_waiting(session)

    check, said, in_all = await stored(request, work)
    own = next((one for one in said if one.reviewer == caller.name), None)
    context = await run_in_threadpool(_context, texts_of(request), check, own)
    context["comment"] = comment if comment is not None else (own.comment or "" if own is not None else "")
    return await render(
        request,
        "review.html",
        caller,
        section="queue",
        status=422 if error is not None else 200,
        error=error.message if error is not None else "",
        check=check,
        own=own,
        # What others said is shown once one has said something oneself.
        others=[shown_review(check, one) for one in said if one is not own] if own is not None else [],
        in_all=in_all,
        why=why_waiting(check) if check.queue in reviews.WAITING else "",
        review_id=new_id(),
        **context,
    )


def _context(t: Texts, check: Check, own: Review | None) -> dict[str, Any]:
    """Return the answer with what is marked in it: the detector's stretches, or those of one's own earlier review."""
    report = report_of(check)
    answer = check.answer or ""
    if own is not None:
        marks = joined((int(span["start"]), int(span["end"])) for span in own.spans)
    else:
        marks = joined((span.start, span.end) for span in report.spans) if report is not None else []
    found = passages(t, report) if report is not None else []
    data = {
        "segments": [[one.start, one.end, one.shown, one.exact] for one in segments(answer)],
        "length": len(answer),
        "marks": marks,
        "passages": [[one.start, one.end, one.number] for one in found],
        "texts": {
            key.removeprefix(_SCRIPT_TEXTS): text for key, text in t.entries.items() if key.startswith(_SCRIPT_TEXTS)
        },
    }
    return {
        "data": data,
        "pieces": cut(answer, [(start, end, 1) for start, end in marks]),
        "marks": marks,
        "spare_rows": _SPARE_ROWS,
        "answer": answer,
        "passages": found,
        "references": references(check, report) if report is not None else plain_references(check),
        "verdict": t(f"verdict.{check.verdict}"),
    }


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
