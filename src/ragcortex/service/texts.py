"""The texts of a check: what proves them, and how they are forgotten wherever they are kept."""

import datetime
import hashlib
import json
from typing import Final

from sqlalchemy import String, cast, select, update
from sqlalchemy.orm import Session

from ragcortex.service import audit
from ragcortex.service.storage.tables import Check, Feedback, Idempotent, Review

# Within this time of a check the request that made it was noted.
_NOTED_WITHIN: Final = datetime.timedelta(days=1)


def text_digest(salt: str, text: str) -> str:
    """Return the salted SHA-256 of a text, in hexadecimal: it proves a text that is kept, and says nothing without."""
    return hashlib.sha256(f"{salt}\n{text}".encode()).hexdigest()


def digests_of(check: Check) -> dict[str, str] | None:
    """Return the digests of a check's texts by name, None where they are not kept."""
    if check.salt is None:
        return None
    texts = {
        "question": check.question or "",
        "references": _canonical(check.references),
        "answer": check.answer or "",
        "report": _canonical(check.report),
    }
    return {name: text_digest(check.salt, text) for name, text in texts.items()}


def forget_texts(session: Session, check: Check, *, actor: str, now: datetime.datetime, why: str) -> None:
    """Delete the texts of a check that nobody else changes now, and the texts of all that was said of it."""
    check.question = check.references = check.answer = check.report = check.salt = None
    check.external_id = check.group = None
    check.text_deleted_at = now
    if check.queue in ("open", "disputed"):
        check.queue = "none"
    session.execute(update(Feedback).where(Feedback.check_id == check.id).values(comment=None))
    for review in session.scalars(select(Review).where(Review.check_id == check.id)):
        review.comment = None
        review.spans = [{"start": span["start"], "end": span["end"]} for span in review.spans]
    # The digest of a request has no salt: whoever guesses the texts could tell from it that the guess is right.
    noted = update(Idempotent).where(
        Idempotent.actor == check.actor,
        Idempotent.created_at.between(check.created_at - _NOTED_WITHIN, check.created_at + _NOTED_WITHIN),
        cast(Idempotent.response, String).contains(check.id),
    )
    session.execute(noted.values(request_digest=""), execution_options={"synchronize_session": False})
    session.flush()
    audit.append(session, "check.text_deleted", actor=actor, subject=check.id, data={"why": why}, at=now)


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
