"""Thresholds from reviewed answers: what they do, how they are proposed, put in force, go stale, and change reports."""

import itertools
import json
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_checks import FINGERPRINT, INFO, NOW, keep_all, later, made_check, made_report
from sqlalchemy import select
from sqlalchemy.orm import Session

from ragcortex.calibration import f1_threshold
from ragcortex.errors import InputError
from ragcortex.report import Thresholds
from ragcortex.service import calibrations
from ragcortex.service.calibrations import FEW, Confusion, ReviewedScore, confusion
from ragcortex.service.checks import NotFoundError, find_check, new_id
from ragcortex.service.reviews import NewReview, save_review
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.tables import AuditEntry, Calibration


def reviewed(score: float, label: int, group: str | None = None) -> ReviewedScore:
    return ReviewedScore(new_id(), score, label, group, "review", False)


def decide(database: Database, scored: list[tuple[float, int]], fingerprint: str = FINGERPRINT) -> list[str]:
    """Keep answers with these scores, and let a reviewer decide each."""
    judged = [
        made_check(made_report(score=score), at=later(minutes=n), fingerprint=fingerprint, group=f"source {n % 7}")
        for n, (score, _) in enumerate(scored)
    ]
    ids = keep_all(database, judged)

    def work(session: Session) -> None:
        for check_id, (_, label) in zip(ids, scored, strict=True):
            save_review(session, NewReview(new_id(), check_id, "ada", label, (), None), now=NOW, needed=1)

    database.run(work)
    return ids


def create(database: Database, **given_: Any) -> Calibration:
    values: dict[str, Any] = {"id": new_id(), "name": "spring", "actor": "ada", "info": INFO}
    values |= {"fingerprint": FINGERPRINT, "now": NOW} | given_
    return database.run(lambda session: calibrations.create(session, **values))


def activate(database: Database, calibration_id: str, *known: str) -> Calibration:
    known = known or (FINGERPRINT,)
    return database.run(
        lambda session: calibrations.activate(session, calibration_id, fingerprints=known, actor="ben", now=NOW)
    )


def active(database: Database) -> list[str]:
    query = select(Calibration.id).where(Calibration.active.is_(True)).order_by(Calibration.id)
    return database.run(lambda session: list(session.scalars(query)))


def kinds(database: Database) -> list[str]:
    bodies = database.run(lambda session: list(session.scalars(select(AuditEntry.body).order_by(AuditEntry.number))))
    return [json.loads(body)["kind"] for body in bodies if "calibration." in body]


def realistic(n: int = 60, seed: int = 3) -> list[tuple[float, int]]:
    """Return scores that tell the classes apart, though not always."""
    chance = random.Random(seed)
    drawn = [(chance.gauss(0.7 if label else 0.3, 0.15), label) for label in (0, 1) for _ in range(n)]
    scored = [(min(1.0, max(0.0, score)), label) for score, label in drawn]
    chance.shuffle(scored)
    return scored


# What thresholds do.


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    scored=st.lists(st.tuples(st.sampled_from([n / 10 for n in range(11)]), st.integers(0, 1)), max_size=20),
    both=st.tuples(st.integers(0, 10), st.integers(0, 10)).map(sorted),
)
def test_confusion_against_counting(scored: list[tuple[float, int]], both: list[int]) -> None:
    review, hallucinated = (n / 10 for n in both)
    found = confusion([reviewed(*one) for one in scored], Thresholds(0.5, review, hallucinated))
    flagged = [label for score, label in scored if score >= hallucinated]
    passed = [label for score, label in scored if score < hallucinated]
    between = [label for score, label in scored if review <= score < hallucinated]
    assert found == Confusion(
        flagged.count(1), flagged.count(0), passed.count(1), passed.count(0), between.count(1), between.count(0)
    )
    assert found.precision == (flagged.count(1) / len(flagged) if flagged else None)
    positives = flagged.count(1) + passed.count(1)
    assert found.recall == (flagged.count(1) / positives if positives else None)
    if found.precision and found.recall:
        harmonic = 2 * found.precision * found.recall / (found.precision + found.recall)
        assert found.f1 == pytest.approx(harmonic)
    assert set(found.to_dict()) == {*Confusion.__dataclass_fields__, "precision", "recall", "f1"}


def test_figures_of_nothing_are_not_known() -> None:
    nothing = confusion([], Thresholds(0.5, 0.3, 0.6))
    assert (nothing.precision, nothing.recall, nothing.f1) == (None, None, None)
    missed = confusion([reviewed(0.1, 1)], Thresholds(0.5, 0.3, 0.6))
    assert (missed.precision, missed.recall, missed.f1) == (None, 0.0, 0.0)


# What they are chosen on.


def test_only_decided_answers_of_the_same_detector_count(database: Database) -> None:
    first, second = decide(database, [(0.9, 1), (0.7, 0)])
    decide(database, [(0.8, 1)], fingerprint="cd" * 32)
    keep_all(database, [made_check(), made_check(made_report(score=None))])
    found = database.run(lambda session: calibrations.reviewed_scores(session, FINGERPRINT))
    assert [(one.check_id, one.score, one.label, one.group, one.action) for one in found] == [
        (first, 0.9, 1, "source 0", "block"),
        (second, 0.7, 0, "source 1", "block"),
    ]

    def dispute(session: Session) -> None:
        save_review(session, NewReview(new_id(), first, "ben", 0, (), None), now=NOW, needed=1)

    database.run(dispute)
    found = database.run(lambda session: calibrations.reviewed_scores(session, FINGERPRINT))
    assert [one.check_id for one in found] == [second]


@pytest.mark.parametrize(
    ("n_hallucinated", "n_grounded", "message"),
    [
        (0, 0, f"reviews: 0 of 0 reviewed answers are hallucinated; {FEW} of each are needed"),
        (FEW - 1, 50, f"reviews: {FEW - 1} of {FEW + 49} reviewed answers are hallucinated; {FEW} of each are needed"),
        (FEW, 3, f"reviews: 3 of {FEW + 3} reviewed answers are grounded; {FEW} of each are needed"),
    ],
)
def test_too_few_answers_propose_nothing(n_hallucinated: int, n_grounded: int, message: str) -> None:
    scores = [reviewed(0.9, 1)] * n_hallucinated + [reviewed(0.1, 0)] * n_grounded
    with pytest.raises(InputError) as caught:
        calibrations.propose(scores)
    assert str(caught.value) == message


def test_the_threshold_of_the_best_f1_is_proposed(database: Database) -> None:
    scored = realistic()
    decide(database, scored)
    made = create(database)
    best = max(
        2 * tp / (2 * tp + fp + fn)
        for limit, _ in scored
        for tp, fp, fn in [
            (
                sum(label for score, label in scored if score >= limit),
                sum(1 - label for score, label in scored if score >= limit),
                sum(label for score, label in scored if score < limit),
            )
        ]
    )
    assert made.figures["confusion"]["f1"] == pytest.approx(best)
    choice = f1_threshold([score for score, _ in scored], [label for _, label in scored])
    assert made.hallucinated_threshold == pytest.approx(choice.threshold)
    low = made.figures["report"]["threshold_interval"]["low"]
    assert made.review_threshold == pytest.approx(min(low, choice.threshold))
    assert made.review_threshold <= made.hallucinated_threshold
    assert (made.method, made.active, made.n_answers, made.n_hallucinated) == ("f1", False, 120, 60)
    assert made.detector == "made 1, geometry"
    assert kinds(database) == ["calibration.created"]
    json.dumps(made.figures, allow_nan=False)


def test_thresholds_by_hand_need_no_reviews(database: Database) -> None:
    made = create(database, hallucinated=0.7)
    assert (made.method, made.review_threshold, made.hallucinated_threshold, made.n_answers) == ("manual", 0.7, 0.7, 0)
    other = create(database, hallucinated=0.7, review=0.2)
    assert (other.review_threshold, other.hallucinated_threshold) == (0.2, 0.7)
    assert other.figures["confusion"]["f1"] is None


def test_thresholds_out_of_order_are_refused(database: Database) -> None:
    message = "^review_threshold: must be at most hallucinated_threshold 0.5, got 0.6$"
    with pytest.raises(InputError, match=message):
        create(database, hallucinated=0.5, review=0.6)
    assert database.run(calibrations.list_calibrations) == []


def test_creating_twice_creates_once(database: Database) -> None:
    made = new_id()
    for _ in range(2):
        create(database, id=made, hallucinated=0.5)
    assert [one.id for one in database.run(calibrations.list_calibrations)] == [made]
    assert kinds(database) == ["calibration.created"]


def test_samples_among_the_reviewed_are_counted(database: Database) -> None:
    ids = keep_all(database, [made_check(), made_check()])

    def work(session: Session) -> None:
        find_check(session, ids[0]).sampled = True
        for check_id in ids:
            save_review(session, NewReview(new_id(), check_id, "ada", 1, (), None), now=NOW, needed=1)

    database.run(work)
    assert create(database, hallucinated=0.5).figures["n_sampled"] == 1


# In force.


def test_one_at_most_is_in_force_for_each_detector(database: Database) -> None:
    first, second = create(database, hallucinated=0.5), create(database, hallucinated=0.6)
    other = create(database, hallucinated=0.7, fingerprint="cd" * 32)
    assert database.run(lambda session: calibrations.active_for(session, FINGERPRINT)) is None
    for made in (first, other, second, second):
        assert activate(database, made.id, FINGERPRINT, "cd" * 32).active
    assert active(database) == sorted([second.id, other.id])
    found = database.run(lambda session: calibrations.active_for(session, FINGERPRINT))
    assert found is not None
    assert found.id == second.id
    database.run(lambda session: calibrations.deactivate(session, FINGERPRINT))
    assert active(database) == [other.id]
    assert kinds(database).count("calibration.activated") == 4


def test_one_made_for_another_detector_is_stale(database: Database) -> None:
    made = create(database, hallucinated=0.5)
    with pytest.raises(InputError, match=r"^id: calibration 'spring' is stale: it was made for another detector"):
        activate(database, made.id, "cd" * 32)
    with pytest.raises(NotFoundError, match=r"^id: no calibration has the id '0{32}'$"):
        activate(database, "0" * 32)
    assert active(database) == []


@pytest.mark.parametrize("fresh", [False, True])
def test_of_two_put_in_force_at_once_one_is(postgresql_url: str, fresh: bool) -> None:
    """`fresh`: each is made in the same transaction, so that neither sees the other's row before it ends."""
    database = Database(postgresql_url)
    create(database, hallucinated=0.1)
    for _ in range(5):
        ids = [new_id(), new_id()]
        if not fresh:
            for one in ids:
                create(database, id=one, hallucinated=0.5)
        together = threading.Barrier(2, timeout=20)
        begun: set[str] = set()

        def attempt(made: str, together: threading.Barrier = together, begun: set[str] = begun) -> None:
            def work(session: Session) -> None:
                calibrations.list_calibrations(session)
                if made not in begun:
                    begun.add(made)
                    together.wait()
                if fresh:
                    calibrations.create(
                        session, id=made, name="x", actor="a", info=INFO, fingerprint=FINGERPRINT, now=NOW,
                        hallucinated=0.5,
                    )  # fmt: skip
                calibrations.activate(session, made, fingerprints=(FINGERPRINT,), actor="a", now=NOW)

            database.run(work)

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(attempt, ids))
        assert len(active(database)) == 1
        assert active(database)[0] in ids
    database.close()


def test_putting_in_force_takes_its_turn_before_it_looks(postgresql_url: str) -> None:
    """A row that another transaction has added and not yet shown must be put out of force as well."""
    database = Database(postgresql_url)
    old, new = create(database, hallucinated=0.1), new_id()
    added, finish = threading.Event(), threading.Event()

    def add(session: Session) -> None:
        calibrations.create(
            session, id=new, name="x", actor="a", info=INFO, fingerprint=FINGERPRINT, now=NOW, hallucinated=0.5
        )
        calibrations.activate(session, new, fingerprints=(FINGERPRINT,), actor="a", now=NOW)
        added.set()
        finish.wait(20)

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(lambda: database.run(add))
        assert added.wait(20)
        second = pool.submit(lambda: activate(database, old.id))
        threading.Event().wait(0.3)
        finish.set()
        first.result(20)
        second.result(20)
    assert active(database) == [old.id]
    database.close()


def test_the_newest_stands_first(database: Database) -> None:
    made = [create(database, hallucinated=0.5, now=later(days=days)).id for days in (0, 2, 1)]
    assert [one.id for one in database.run(calibrations.list_calibrations)] == [made[1], made[2], made[0]]


# Applied to reports.


def row(review: float, hallucinated: float) -> Calibration:
    return Calibration(name="spring", n_answers=40, review_threshold=review, hallucinated_threshold=hallucinated)


@pytest.mark.parametrize(
    ("score", "spans", "verdict"),
    [
        (0.19, ((0, 3),), "grounded"),
        (0.2, ((0, 3),), "review"),
        (0.39, ((0, 3),), "review"),
        (0.4, ((0, 3),), "hallucinated"),
        (0.9, (), "review"),
    ],
)
def test_the_verdict_follows_from_the_thresholds_in_force(score: float, spans: Any, verdict: str) -> None:
    report = made_report(score=score, spans=spans)
    found = calibrations.apply(report, row(0.2, 0.4))
    assert found.verdict == verdict
    assert found.thresholds == Thresholds(0.5, 0.2, 0.4)
    assert found.detector.calibration == "calibration 'spring', 40 reviewed answers"
    same = {"verdict": report.verdict, "thresholds": report.thresholds, "detector": report.detector}
    assert replace(found, **same) == report


def test_a_report_stays_as_it_is_without_thresholds_or_a_score() -> None:
    report, unjudged = made_report(), made_report(score=None)
    assert calibrations.apply(report, None) is report
    assert calibrations.apply(unjudged, row(0.2, 0.4)) is unjudged


def test_all_scores_at_one_place_give_one_threshold(database: Database) -> None:
    decide(database, [(0.5, label) for label, _ in itertools.product((0, 1), range(FEW))])
    made = create(database)
    assert 0 < made.hallucinated_threshold <= 0.5
    assert made.figures["confusion"]["recall"] == 1.0
