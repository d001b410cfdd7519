"""What was judged over time, by source and by generator, and how scores lie against the thresholds."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from sqlalchemy import ColumnElement, Float, case, cast, func, select
from sqlalchemy.orm import Session

from ragcortex.service.storage.tables import Check

N_BINS: Final = 20
Breakdown = Literal["generator", "group", "task", "witness"]


@dataclass(frozen=True, slots=True)
class Counts:
    """How many answers there are under a name (a day, a generator), by verdict, and how many people decided."""

    name: str
    n: int
    n_grounded: int
    n_review: int
    n_hallucinated: int
    n_unjudged: int
    n_blocked: int
    n_decided: int
    n_decided_hallucinated: int

    @property
    def share_hallucinated(self) -> float | None:
        """The share of judged answers whose verdict is hallucinated, None where none was judged."""
        judged = self.n - self.n_unjudged
        return self.n_hallucinated / judged if judged else None


@dataclass(frozen=True, slots=True)
class ScoreHistogram:
    """How many answers score in each of N_BINS equal bins from 0 to 1, those that people decided apart.

    `grounded` and `hallucinated` are decided ones; `undecided` are all others.
    """

    undecided: tuple[int, ...]
    grounded: tuple[int, ...]
    hallucinated: tuple[int, ...]


def totals(session: Session, *, since: datetime.datetime | None = None) -> Counts:
    """Return the counts of all answers from a moment on."""
    query = select(*_sums())
    if since is not None:
        query = query.where(Check.created_at >= since)
    return _counts("all", session.execute(query).one())


def by_day(session: Session, *, since: datetime.datetime, now: datetime.datetime) -> list[Counts]:
    """Return the counts of each day (UTC) from a moment on, days without answers too."""
    day = func.date(Check.created_at) if _is_sqlite(session) else func.date(func.timezone("UTC", Check.created_at))
    query = select(day, *_sums()).where(Check.created_at >= since).group_by(day)
    found = {str(row[0]): _counts(str(row[0]), row[1:]) for row in session.execute(query)}
    first, last = since.astimezone(datetime.UTC).date(), now.astimezone(datetime.UTC).date()
    days = [(first + datetime.timedelta(days=n)).isoformat() for n in range((last - first).days + 1)]
    return [found.get(name) or Counts(name, 0, 0, 0, 0, 0, 0, 0, 0) for name in days]


def by(session: Session, column: Breakdown, *, since: datetime.datetime, limit: int = 20) -> list[Counts]:
    """Return the counts by generator, source or kind of task, the largest first; answers without one are left out."""
    name = getattr(Check, column)
    query = select(name, *_sums()).where(Check.created_at >= since, name.is_not(None)).group_by(name)
    found = session.execute(query.order_by(func.count().desc(), name).limit(limit))
    return [_counts(str(row[0]), row[1:]) for row in found]


def histogram(session: Session, fingerprint: str, *, since: datetime.datetime | None = None) -> ScoreHistogram:
    """Return how a detector's scores lie; a score on an edge belongs to the bin above it, 1 to the last."""
    scaled = func.floor(cast(Check.score, Float) * N_BINS)
    query = select(scaled, Check.label, func.count()).where(
        Check.detector_fingerprint == fingerprint, Check.score.is_not(None)
    )
    if since is not None:
        query = query.where(Check.created_at >= since)
    counts = {None: [0] * N_BINS, 0: [0] * N_BINS, 1: [0] * N_BINS}
    for place, label, n in session.execute(query.group_by(scaled, Check.label)):
        counts[label][min(int(place), N_BINS - 1)] += n
    return ScoreHistogram(tuple(counts[None]), tuple(counts[0]), tuple(counts[1]))


def recent_scores(session: Session, fingerprint: str, *, limit: int = 1000, queued: bool = False) -> list[float]:
    """Return a detector's newest scores, the newest first; with `queued`, of what a person was to see only."""
    query = select(Check.score).where(Check.detector_fingerprint == fingerprint, Check.score.is_not(None))
    if queued:
        query = query.where(Check.queue != "none")
    return [
        float(score)
        for score in session.scalars(query.order_by(Check.created_at.desc()).limit(limit))
        if score is not None
    ]


def _sums() -> list[ColumnElement[int]]:
    """Return the columns of a select, in the order of Counts."""
    return [
        func.count(),
        *(func.coalesce(func.sum(case((condition, 1), else_=0)), 0) for condition in (
            Check.verdict == "grounded",
            Check.verdict == "review",
            Check.verdict == "hallucinated",
            Check.verdict.in_(("no_claim", "not_verifiable")),
            Check.action == "block",
            Check.queue == "decided",
            (Check.queue == "decided") & (Check.label == 1),
        )),
    ]  # fmt: skip


def _counts(name: str, row: Sequence[int]) -> Counts:
    return Counts(name, *(int(value) for value in row))


def _is_sqlite(session: Session) -> bool:
    return session.get_bind().dialect.name == "sqlite"
