"""The figures of the dashboard's page, gathered from the database."""

import datetime
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from ragcortex.service import dashboard
from ragcortex.service.calibrations import active_for
from ragcortex.service.dashboard import Breakdown, Counts, ScoreHistogram
from ragcortex.service.storage.tables import Check

_BREAKDOWNS: Final[tuple[Breakdown, ...]] = ("generator", "group", "task")
_TIMED: Final = 5000


@dataclass(frozen=True, slots=True)
class Timing:
    """How long judging the newest answers of a period took, in seconds, `_TIMED` at most; and how many those were."""

    witness: str
    n: int
    median: float
    p95: float
    longest: float


@dataclass(frozen=True, slots=True)
class WitnessScores:
    """How a witness's scores lie, and the thresholds in force; None where nothing was judged and nothing is set."""

    witness: str
    histogram: ScoreHistogram
    review: float | None
    hallucinated: float | None
    calibration: str


@dataclass(frozen=True, slots=True)
class Overview:
    """Everything the page shows."""

    totals: Counts
    days: list[Counts]
    breakdowns: dict[str, list[Counts]]
    scores: list[WitnessScores]
    timings: list[Timing]


def gather(
    session: Session, fingerprints: Mapping[str, str], *, since: datetime.datetime, now: datetime.datetime
) -> Overview:
    """Return the figures of a period, for the witnesses of these fingerprints."""
    return Overview(
        totals=dashboard.totals(session, since=since),
        days=dashboard.by_day(session, since=since, now=now),
        breakdowns={name: dashboard.by(session, name, since=since) for name in _BREAKDOWNS},
        scores=[_scores(session, witness, own, since) for witness, own in fingerprints.items()],
        timings=_timings(session, since),
    )


def thresholds_in_force(session: Session, fingerprint: str) -> tuple[float | None, float | None, str]:
    """Return a detector's review and hallucinated thresholds and the name of the calibration that set them, if any.

    A detector's own thresholds are those of the newest answer that it judged without a calibration.
    """
    active = active_for(session, fingerprint)
    if active is not None:
        return active.review_threshold, active.hallucinated_threshold, active.name
    query = select(Check.review_threshold, Check.hallucinated_threshold).where(
        Check.detector_fingerprint == fingerprint,
        Check.calibration_id.is_(None),
        Check.hallucinated_threshold.is_not(None),
    )
    found = session.execute(query.order_by(Check.created_at.desc()).limit(1)).first()
    return (None, None, "") if found is None else (found[0], found[1], "")


def quantile(values: Sequence[float], share: float) -> float:
    """Return the smallest of sorted values that at least this share of them does not exceed.

    >>> quantile([1.0, 2.0, 3.0, 4.0], 0.5), quantile([1.0, 2.0], 0.95)
    (2.0, 2.0)
    """
    return values[max(0, math.ceil(share * len(values)) - 1)]


def _scores(session: Session, witness: str, fingerprint: str, since: datetime.datetime) -> WitnessScores:
    review, hallucinated, name = thresholds_in_force(session, fingerprint)
    return WitnessScores(witness, dashboard.histogram(session, fingerprint, since=since), review, hallucinated, name)


def _timings(session: Session, since: datetime.datetime) -> list[Timing]:
    query = select(Check.witness, Check.seconds).where(Check.created_at >= since)
    taken: dict[str, list[float]] = {}
    for witness, seconds in session.execute(query.order_by(Check.created_at.desc()).limit(_TIMED)):
        taken.setdefault(witness, []).append(seconds)
    return [
        Timing(witness, len(values), quantile(ordered, 0.5), quantile(ordered, 0.95), ordered[-1])
        for witness, values in sorted(taken.items())
        for ordered in [sorted(values)]
    ]
