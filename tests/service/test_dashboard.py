"""Counts over time, by source and generator, and histograms, against counting by hand on rows that chance made."""

import datetime
import random
from collections import Counter
from typing import Any

import pytest
from made_checks import FINGERPRINT, NOW, keep_all, later, made_check, made_report
from sqlalchemy.orm import Session

from ragcortex.report import UNJUDGED
from ragcortex.service import dashboard
from ragcortex.service.checks import JudgedCheck, find_check
from ragcortex.service.dashboard import N_BINS, Counts
from ragcortex.service.storage.database import Database

DAY = datetime.timedelta(days=1)
SINCE = later(days=-9)


def made_rows(database: Database, n: int = 120) -> list[tuple[JudgedCheck, int | None]]:
    """Return judged answers that are kept, each with what reviewers decided, None where they did not."""
    chance = random.Random(7)
    rows: list[tuple[JudgedCheck, int | None]] = []
    for _ in range(n):
        score = chance.choice([None, chance.random(), chance.randint(0, N_BINS) / N_BINS])
        report = made_report(score=score, verdict=None if score is not None else chance.choice(UNJUDGED))
        judged = made_check(
            report,
            at=NOW - chance.random() * 12 * DAY,
            generator=chance.choice([None, "a", "b", "c"]),
            group=chance.choice([None, "x", "y"]),
            task=chance.choice([None, "qa"]),
            policy=chance.choice(["triage", "strict", "observe"]),
            fingerprint=chance.choice([FINGERPRINT, "cd" * 32]),
        )
        rows.append((judged, chance.choice([None, None, 0, 1])))
    keep_all(database, [judged for judged, _ in rows])

    def decide(session: Session) -> None:
        for judged, label in rows:
            if label is not None:
                check = find_check(session, judged.id)
                check.queue, check.label = "decided", label

    database.run(decide)
    return rows


def counted(name: str, rows: list[tuple[JudgedCheck, int | None]]) -> Counts:
    verdicts = Counter(judged.report.verdict for judged, _ in rows)
    return Counts(
        name,
        len(rows),
        verdicts["grounded"],
        verdicts["review"],
        verdicts["hallucinated"],
        verdicts["no_claim"] + verdicts["not_verifiable"],
        sum(judged.triage.action == "block" for judged, _ in rows),
        sum(label is not None for _, label in rows),
        sum(label == 1 for _, label in rows),
    )


def test_totals(database: Database) -> None:
    rows = made_rows(database)
    assert database.run(dashboard.totals) == counted("all", rows)
    since = [row for row in rows if row[0].at >= SINCE]
    assert 0 < len(since) < len(rows)
    assert database.run(lambda session: dashboard.totals(session, since=SINCE)) == counted("all", since)


def test_nothing_was_judged_yet(database: Database) -> None:
    found = database.run(dashboard.totals)
    assert found == Counts("all", 0, 0, 0, 0, 0, 0, 0, 0)
    assert found.share_hallucinated is None
    assert database.run(lambda session: dashboard.by(session, "generator", since=SINCE)) == []
    days = database.run(lambda session: dashboard.by_day(session, since=SINCE, now=NOW))
    assert [one.n for one in days] == [0] * 10


def test_every_day_is_shown_also_one_without_answers(database: Database) -> None:
    rows = [row for row in made_rows(database, 25) if row[0].at >= SINCE]
    found = database.run(lambda session: dashboard.by_day(session, since=SINCE, now=NOW))
    names = [(SINCE.date() + n * DAY).isoformat() for n in range(10)]
    assert names[-1] == NOW.date().isoformat()
    assert found == [counted(name, [row for row in rows if row[0].at.date().isoformat() == name]) for name in names]


def test_days_are_those_of_utc_wherever_the_caller_and_the_database_are(database: Database) -> None:
    zone = datetime.timezone(datetime.timedelta(hours=13))
    moments = [
        datetime.datetime(2026, 1, 4, 23, 59, 59, 999_999, tzinfo=datetime.UTC),
        datetime.datetime(2026, 1, 5, 0, 0, tzinfo=datetime.UTC),
        datetime.datetime(2026, 1, 5, 12, 30, tzinfo=zone),
    ]
    keep_all(database, [made_check(at=moment) for moment in moments])
    since = datetime.datetime(2026, 1, 4, 13, 0, tzinfo=zone)
    found = database.run(lambda session: dashboard.by_day(session, since=since, now=NOW.astimezone(zone)))
    assert [(one.name, one.n) for one in found] == [("2026-01-04", 2), ("2026-01-05", 1)]


@pytest.mark.parametrize("column", ["generator", "group", "task", "witness"])
def test_breakdowns(database: Database, column: Any) -> None:
    rows = [row for row in made_rows(database) if row[0].at >= SINCE]

    def name_of(judged: JudgedCheck) -> str | None:
        return judged.report.detector.witness if column == "witness" else getattr(judged.example, column)

    names = Counter(name_of(judged) for judged, _ in rows)
    names.pop(None, None)
    expected = [
        counted(name, [row for row in rows if name_of(row[0]) == name])
        for name, _ in sorted(names.items(), key=lambda item: (-item[1], str(item[0])))
    ]
    found = database.run(lambda session: dashboard.by(session, column, since=SINCE))
    assert found == expected
    few = database.run(lambda session: dashboard.by(session, column, since=SINCE, limit=1))
    assert few == expected[:1]


def test_the_share_is_of_what_was_judged() -> None:
    assert Counts("a", 10, 2, 2, 3, 3, 0, 0, 0).share_hallucinated == 3 / 7
    assert Counts("a", 3, 0, 0, 0, 3, 0, 0, 0).share_hallucinated is None


def test_histograms(database: Database) -> None:
    rows = made_rows(database)
    for since in (None, SINCE):
        expected = {label: [0] * N_BINS for label in (None, 0, 1)}
        for judged, label in rows:
            if judged.report.score is None or judged.fingerprint != FINGERPRINT:
                continue
            if since is None or judged.at >= since:
                place = next(n for n in reversed(range(N_BINS)) if judged.report.score >= n / N_BINS)
                expected[label][place] += 1
        found = database.run(lambda session, since=since: dashboard.histogram(session, FINGERPRINT, since=since))
        assert found == dashboard.ScoreHistogram(*(tuple(expected[label]) for label in (None, 0, 1)))


def test_a_score_on_an_edge_belongs_to_the_bin_above(database: Database) -> None:
    keep_all(database, [made_check(made_report(score=n / N_BINS)) for n in range(N_BINS + 1)])
    found = database.run(lambda session: dashboard.histogram(session, FINGERPRINT))
    assert found.undecided == (1,) * (N_BINS - 1) + (2,)
    assert found.grounded == found.hallucinated == (0,) * N_BINS


def test_recent_scores_are_the_newest_first(database: Database) -> None:
    rows = made_rows(database)
    own = sorted((judged for judged, _ in rows if judged.fingerprint == FINGERPRINT), key=lambda one: one.at)
    expected = [one.report.score for one in reversed(own) if one.report.score is not None]
    assert database.run(lambda session: dashboard.recent_scores(session, FINGERPRINT)) == expected
    assert database.run(lambda session: dashboard.recent_scores(session, FINGERPRINT, limit=3)) == expected[:3]


def test_both_databases_say_the_same(sqlite_url: str, postgresql_url: str) -> None:
    found = []
    for url in (sqlite_url, postgresql_url):
        database = Database(url)
        made_rows(database)

        def everything(session: Session) -> list[Any]:
            return [
                dashboard.totals(session),
                dashboard.by_day(session, since=SINCE, now=NOW),
                dashboard.by(session, "generator", since=SINCE),
                dashboard.histogram(session, FINGERPRINT),
                dashboard.recent_scores(session, FINGERPRINT),
            ]

        found.append(database.run(everything))
        database.close()
    assert found[0] == found[1]
