"""The queue as its page shows it: filtered, with why each answer waits; and what comes after an answer."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session, defer

from ragcortex.errors import InputError
from ragcortex.service.pages.wording import Texts
from ragcortex.service.reviews import WAITING
from ragcortex.service.storage.tables import Check, Review
from ragcortex.service.triage import FEEDBACK_PRIORITY

LIMIT: Final = 100
WHYS: Final = ("feedback", "disputed", "block", "review", "sample")


@dataclass(frozen=True, slots=True)
class QueueFilter:
    """Which waiting answers are listed; "" lets all through.

    `why` is one of WHYS; with `everybody` also those that others are at, or that the reviewer has reviewed already.
    """

    why: str = ""
    verdict: str = ""
    generator: str = ""
    group: str = ""
    everybody: bool = False

    @classmethod
    def of(cls, values: Mapping[str, str]) -> "QueueFilter":
        """Return the filter of a page's parameters; a reason that is none is as none given."""
        texts = {name: values.get(name, "").strip()[:200] for name in ("verdict", "generator", "group")}
        why = values.get("why", "")
        return cls(why if why in WHYS else "", everybody=values.get("everybody") == "1", **texts)


@dataclass(frozen=True, slots=True)
class Waiting:
    """One waiting answer in the list."""

    check: Check
    why: str
    age: str
    claimed_by: str
    n_reviews: int


def waiting(
    session: Session, wanted: QueueFilter, *, reviewer: str, now: datetime.datetime, limit: int = LIMIT
) -> list[Check]:
    """Return the answers that wait, as `reviews.queue` orders and leaves out, that the filter lets through.

    Their reports and references are not read from the database.
    """
    query = select(Check).options(defer(Check.report), defer(Check.references)).where(Check.queue.in_(WAITING))
    if not wanted.everybody:
        free = or_(Check.claimed_until.is_(None), Check.claimed_until < now, Check.claimed_by == reviewer)
        own = select(Review.check_id).where(Review.reviewer == reviewer, Review.replaced.is_(False))
        query = query.where(free, Check.id.not_in(own))
    for name in ("verdict", "generator", "group"):
        value = getattr(wanted, name)
        if value:
            query = query.where(getattr(Check, name) == value)
    if wanted.why == "feedback":
        query = query.where(Check.priority >= FEEDBACK_PRIORITY)
    elif wanted.why == "disputed":
        query = query.where(Check.queue == "disputed")
    elif wanted.why == "sample":
        query = query.where(Check.sampled.is_(True))
    elif wanted.why:
        query = query.where(Check.action == wanted.why)
    return list(session.scalars(query.order_by(Check.priority.desc(), Check.created_at, Check.id).limit(limit)))


def n_waiting(session: Session) -> int:
    """Return how many answers wait for a person in all."""
    return session.scalar(select(func.count()).where(Check.queue.in_(WAITING))) or 0


def n_reviews(session: Session, check_ids: list[str]) -> dict[str, int]:
    """Return how many reviewers have said something, by check; none for those that are left out."""
    query = select(Review.check_id, func.count()).where(Review.check_id.in_(check_ids), Review.replaced.is_(False))
    return {row[0]: row[1] for row in session.execute(query.group_by(Review.check_id))}


def why_waiting(check: Check) -> str:
    """Return why an answer waits for a person: one of WHYS."""
    if check.priority >= FEEDBACK_PRIORITY:
        return "feedback"
    if check.queue == "disputed":
        return "disputed"
    return "sample" if check.sampled else check.action


def shown_waiting(t: Texts, check: Check, n: int, now: datetime.datetime) -> Waiting:
    """Return a waiting answer as it is listed."""
    claimed = check.claimed_by if check.claimed_until is not None and check.claimed_until > now else None
    age = t.span_of_time((now - check.created_at).total_seconds())
    return Waiting(check, why_waiting(check), age, claimed or "", n)


def next_waiting(session: Session, after: str | None, *, reviewer: str, now: datetime.datetime) -> str | None:
    """Return the id of the answer that a reviewer sees next, None at the end of the queue.

    With `after` the one that follows it, the first again behind the last; what was kept for the reviewer of it is given
    back.
    """
    ids = [check.id for check in waiting(session, QueueFilter(), reviewer=reviewer, now=now, limit=1000)]
    if after is not None:
        passed = session.get(Check, after)
        if passed is not None and passed.claimed_by == reviewer:
            passed.claimed_by = passed.claimed_until = None
    others = [one for one in ids if one != after]
    if not others:
        return None
    place = ids.index(after) if after in ids else -1
    return (ids[place + 1 :] or others)[0]


def spans_of(pairs: list[tuple[str, str]], length: int) -> tuple[dict[str, int], ...]:
    """Return the stretches that fields of a start and an end each give, by characters; blank pairs are left out.

    Raises:
        InputError: a field is no whole number, or a stretch lies outside the answer.
    """
    found = []
    for index, (start, end) in enumerate(pairs):
        if not start.strip() and not end.strip():
            continue
        try:
            place = {"start": int(start), "end": int(end)}
        except ValueError:
            raise InputError(f"spans[{index}]", f"must be two whole numbers, got {start!r} and {end!r}") from None
        if not 0 <= place["start"] < place["end"] <= length:
            raise InputError(
                f"spans[{index}]",
                f"must satisfy 0 <= start < end <= {length}, got {place['start']} and {place['end']}",
            )
        found.append(place)
    return tuple(found)
