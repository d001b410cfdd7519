"""What people say of answers: the queue, their reviews, when these decide, how far they agree, and their export."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from ragcortex.errors import InputError
from ragcortex.service import audit
from ragcortex.service.checks import NotFoundError, delete_text, find_check
from ragcortex.service.storage.tables import Check, Review

WAITING: Final = ("open", "disputed")
_PORTION: Final = 200

Place = tuple[datetime.datetime, str]
"""Where an export goes on: the moment and the id of the last check it holds."""


class ClaimedError(InputError):
    """Another reviewer is at this answer."""


@dataclass(frozen=True, slots=True)
class NewReview:
    """What a reviewer says, before it is kept; see `tables.Review`."""

    id: str
    check_id: str
    reviewer: str
    label: int
    spans: tuple[dict[str, Any], ...]
    comment: str | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two reviewers agree on the answers that two have seen; None where it cannot be told.

    Attributes:
        n: answers with two reviews.
        same: share with the same label.
        kappa: Cohen's kappa of the labels (Cohen 1960): agreement beyond what chance would give, at most 1.
        span_f1: mean character F1 of both reviewers' spans, where both call the answer hallucinated and mark some.
        n_spans: of how many answers that mean is.
    """

    n: int
    same: float | None
    kappa: float | None
    span_f1: float | None
    n_spans: int


def queue(session: Session, *, reviewer: str | None, now: datetime.datetime, limit: int = 50) -> list[Check]:
    """Return the answers that wait for a person, what needs one most first.

    Left out are those that another reviewer is at, and those that this reviewer has reviewed already.
    """
    query = select(Check).where(Check.queue.in_(WAITING))
    if reviewer is not None:
        free = or_(Check.claimed_until.is_(None), Check.claimed_until < now, Check.claimed_by == reviewer)
        own = select(Review.check_id).where(Review.reviewer == reviewer, Review.replaced.is_(False))
        query = query.where(free, Check.id.not_in(own))
    order = (Check.priority.desc(), Check.created_at, Check.id)
    return list(session.scalars(query.order_by(*order).limit(limit)))


def claim(session: Session, check_id: str, *, reviewer: str, now: datetime.datetime, minutes: int) -> Check:
    """Keep an answer for one reviewer for some minutes.

    Raises:
        NotFoundError: there is no such check, or it waits for nobody.
        ClaimedError: another reviewer is at it.
    """
    check = find_check(session, check_id, lock=True)
    if check.queue not in WAITING:
        raise NotFoundError("id", f"check {check_id!r} does not wait for a review")
    _refuse_others(check, reviewer, now)
    check.claimed_by = reviewer
    check.claimed_until = now + datetime.timedelta(minutes=minutes)
    return check


def save_review(
    session: Session, review: NewReview, *, now: datetime.datetime, needed: int, keeps_decided: bool = True
) -> Review:
    """Keep a review, in place of the same reviewer's earlier one, and decide the answer where enough agree.

    With `needed` reviewers who agree an answer is decided. Where two disagree it is disputed until a third one gives a
    majority. Without `keeps_decided` the texts of a decided answer are deleted.

    Raises:
        NotFoundError: there is no such check, or its texts are deleted.
        InputError: a span lies outside the answer or is empty, or a grounded answer has spans.
        ClaimedError: another reviewer is at it.
    """
    # Of two reviews at the same time the second one is kept in view of the first one.
    check = find_check(session, review.check_id, lock=True)
    found = session.get(Review, review.id)
    if found is not None:
        return found
    if check.answer is None:
        raise NotFoundError("id", f"the texts of check {check.id!r} are deleted, so it cannot be reviewed")
    _refuse_others(check, review.reviewer, now)
    spans = _checked_spans(review, len(check.answer))
    for earlier in current_reviews(session, check.id):
        if earlier.reviewer == review.reviewer:
            earlier.replaced = True
    made = Review(
        id=review.id,
        check_id=check.id,
        reviewer=review.reviewer,
        created_at=now,
        label=review.label,
        spans=spans,
        comment=review.comment,
        replaced=False,
    )
    session.add(made)
    session.flush()
    check.claimed_by = check.claimed_until = None
    # The type of a span is a reviewer's text, and what is in the trail can never be deleted.
    places = [[span["start"], span["end"]] for span in spans]
    said = {"review": made.id, "label": made.label, "spans": places}
    audit.append(session, "review.saved", actor=review.reviewer, subject=check.id, data=said, at=now)
    _decide(session, check, needed, now)
    if check.queue == "decided" and not keeps_decided:
        delete_text(session, check.id, actor="retention", now=now, why="decided")
    return made


def current_reviews(session: Session, check_id: str) -> list[Review]:
    """Return the reviews of an answer that count, the oldest first."""
    query = select(Review).where(Review.check_id == check_id, Review.replaced.is_(False))
    return list(session.scalars(query.order_by(Review.created_at, Review.id)))


def all_reviews(session: Session, check_id: str) -> list[Review]:
    """Return all reviews of an answer, replaced ones too, the oldest first."""
    query = select(Review).where(Review.check_id == check_id)
    return list(session.scalars(query.order_by(Review.created_at, Review.id)))


def agreement(session: Session) -> Agreement:
    """Return how far reviewers agree, from the first two current reviews of each answer that has two."""
    pairs: dict[str, list[tuple[int, list[dict[str, Any]]]]] = {}
    query = select(Review.check_id, Review.label, Review.spans).where(Review.replaced.is_(False))
    for check_id, label, spans in session.execute(query.order_by(Review.created_at, Review.id)):
        pairs.setdefault(check_id, []).append((label, spans))
    return agreement_of([(both[0], both[1]) for both in pairs.values() if len(both) > 1])


def agreement_of(
    pairs: Sequence[tuple[tuple[int, Sequence[Mapping[str, Any]]], tuple[int, Sequence[Mapping[str, Any]]]]],
) -> Agreement:
    """Return the agreement of pairs of a label and spans each; see `Agreement`."""
    if not pairs:
        return Agreement(0, None, None, None, 0)
    n = len(pairs)
    same = sum(first[0] == second[0] for first, second in pairs) / n
    shares = [sum(pair[side][0] for pair in pairs) / n for side in (0, 1)]
    chance = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
    kappa = None if chance == 1 else (same - chance) / (1 - chance)
    both = [(_characters(a[1]), _characters(b[1])) for a, b in pairs if a[0] == b[0] == 1 and a[1] and b[1]]
    overlaps = [2 * len(first & second) / (len(first) + len(second)) for first, second in both]
    return Agreement(n, same, kappa, sum(overlaps) / len(overlaps) if overlaps else None, len(overlaps))


def agreed_spans(reviews: Sequence[Review], label: int) -> list[dict[str, int]]:
    """Return the stretches that more than half of the reviewers with this label marked; all of them for one."""
    marked = [_characters(review.spans) for review in reviews if review.label == label == 1 and review.spans]
    if not marked:
        return []
    characters = sorted(
        position for position in set().union(*marked) if 2 * sum(position in one for one in marked) > len(marked)
    )
    spans: list[dict[str, int]] = []
    for position in characters:
        if spans and spans[-1]["end"] == position:
            spans[-1]["end"] = position + 1
        else:
            spans.append({"start": position, "end": position + 1})
    return spans


def export_portion(session: Session, after: Place | None) -> tuple[list[dict[str, Any]], Place | None]:
    """Return the next decided answers whose texts are kept, as labelled rows, and where to go on, None at the end.

    They are what `ragcortex calibrate`, `train` and `evaluate` read, the oldest first.
    """
    query = select(Check).where(Check.queue == "decided", Check.answer.is_not(None))
    if after is not None:
        at, check_id = after
        query = query.where(or_(Check.created_at > at, (Check.created_at == at) & (Check.id > check_id)))
    portion = list(session.scalars(query.order_by(Check.created_at, Check.id).limit(_PORTION)))
    rows = [_row(session, check) for check in portion]
    return rows, (portion[-1].created_at, portion[-1].id) if len(portion) == _PORTION else None


def _row(session: Session, check: Check) -> dict[str, Any]:
    reviews = current_reviews(session, check.id)
    label = int(check.label or 0)
    return {
        "id": check.external_id or check.id,
        "question": check.question,
        "references": check.references,
        "answer": check.answer,
        "label": label,
        "spans": agreed_spans(reviews, label),
        "group": check.group,
        "generator": check.generator,
        "task": check.task,
        "check": check.id,
        "verdict": check.verdict,
        "score": check.score,
        "reviewers": [review.reviewer for review in reviews],
    }


def _decide(session: Session, check: Check, needed: int, now: datetime.datetime) -> None:
    labels = [review.label for review in current_reviews(session, check.id)]
    n_hallucinated = sum(labels)
    disagree = 0 < n_hallucinated < len(labels)
    majority = 2 * n_hallucinated != len(labels)
    if len(labels) < needed or (disagree and not majority):
        check.queue = "disputed" if disagree else "open"
        check.label = check.decided_at = None
        return
    label = int(2 * n_hallucinated > len(labels))
    check.queue, check.label, check.decided_at = "decided", label, now
    data = {"label": label, "n_reviewers": len(labels), "verdict": check.verdict}
    audit.append(session, "check.decided", actor="reviewers", subject=check.id, data=data, at=now)


def _refuse_others(check: Check, reviewer: str, now: datetime.datetime) -> None:
    if check.claimed_by not in (None, reviewer) and check.claimed_until is not None and check.claimed_until > now:
        raise ClaimedError("id", f"{check.claimed_by} is at check {check.id!r} until {check.claimed_until:%H:%M} UTC")


def _checked_spans(review: NewReview, length: int) -> list[dict[str, Any]]:
    """Return the spans in order, those that touch or overlap and have one type as one.

    Raises:
        InputError: the label is none, or a span lies outside the answer; its place is that in the review.
    """
    if review.label not in (0, 1):
        raise InputError("label", f"must be 0 or 1, got {review.label!r}")
    if review.label == 0 and review.spans:
        raise InputError("spans", f"must be empty where the label is 0, got {len(review.spans)}")
    for index, span in enumerate(review.spans):
        if not 0 <= span["start"] < span["end"] <= length:
            place = f"{span['start']}..{span['end']}"
            raise InputError(f"spans[{index}]", f"must lie within the answer's {length} characters, got {place}")
    joined: list[dict[str, Any]] = []
    newest: dict[str | None, dict[str, Any]] = {}
    for span in sorted(review.spans, key=lambda one: (one["start"], one["end"])):
        last = newest.get(span.get("type"))
        if last is not None and span["start"] <= last["end"]:
            last["end"] = max(last["end"], span["end"])
        else:
            joined.append({name: value for name, value in span.items() if value is not None})
            newest[span.get("type")] = joined[-1]
    return joined


def _characters(spans: Sequence[Mapping[str, Any]]) -> set[int]:
    return {position for span in spans for position in range(span["start"], span["end"])}
