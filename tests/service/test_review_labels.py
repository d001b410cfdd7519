"""How far reviewers agree, against its definition, and their labels as the rows that training reads."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_checks import NOW, keep, keep_all, later, made_check, made_report, say
from sklearn.metrics import cohen_kappa_score

from ragcortex.datasets.jsonl import read_rows
from ragcortex.service.checks import delete_text
from ragcortex.service.reviews import (
    Agreement,
    agreement,
    agreement_of,
    export_portion,
)
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.tables import Check

SPAN = {"start": 22, "end": 24}
PLACES = st.lists(st.tuples(st.integers(0, 15), st.integers(1, 5)).map(lambda p: (p[0], p[0] + p[1])), max_size=4)


# Agreement.


def slow_agreement(pairs: list[Any]) -> Agreement:
    """Return the agreement in the plainest words."""
    first, second = [a[0] for a, _ in pairs], [b[0] for _, b in pairs]
    same = sum(a == b for a, b in zip(first, second, strict=True)) / len(pairs)
    kappa: float | None = None
    if len({*first, *second}) > 1:
        kappa = float(cohen_kappa_score(first, second))
    f1s = []
    for (label, spans), (other_label, other_spans) in pairs:
        if label == other_label == 1 and spans and other_spans:
            marked, others = (
                {n for span in each for n in range(span["start"], span["end"])} for each in (spans, other_spans)
            )
            precision, recall = len(marked & others) / len(marked), len(marked & others) / len(others)
            f1s.append(2 * precision * recall / (precision + recall) if precision + recall else 0.0)
    return Agreement(len(pairs), same, kappa, sum(f1s) / len(f1s) if f1s else None, len(f1s))


SAID = st.tuples(st.integers(0, 1), PLACES.map(lambda places: [{"start": start, "end": end} for start, end in places]))


def close(found: float | None, expected: float | None) -> bool:
    if found is None or expected is None:
        return found is expected
    return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(pairs=st.lists(st.tuples(SAID, SAID), min_size=1, max_size=12))
def test_agreement_against_its_definition(pairs: list[Any]) -> None:
    found, expected = agreement_of(pairs), slow_agreement(pairs)
    assert (found.n, found.n_spans) == (expected.n, expected.n_spans)
    assert close(found.same, expected.same)
    assert close(found.kappa, expected.kappa)
    assert close(found.span_f1, expected.span_f1)


def test_nothing_is_said_of_nothing(database: Database) -> None:
    assert database.run(agreement) == Agreement(0, None, None, None, 0)
    check_id = keep(database)
    say(database, check_id, "ada", 1, SPAN)
    say(database, check_id, "ada", 1)
    assert database.run(agreement).n == 0, "one person's two reviews are no two opinions"


def test_agreement_is_of_the_first_two_current_reviews(database: Database) -> None:
    ids = keep_all(database, [made_check() for _ in range(3)])
    both = [(1, 1), (0, 0), (1, 0)]
    for check_id, (first, second) in zip(ids, both, strict=True):
        spans = [{"start": 0, "end": 10}] if first else []
        say(database, check_id, "ada", first, *spans, needed=2, at=later(minutes=1))
        say(database, check_id, "ben", second, *([{"start": 5, "end": 10}] if second else []), needed=2,
            at=later(minutes=2))  # fmt: skip
    say(database, ids[2], "cleo", 0, needed=2, at=later(minutes=3))
    found = database.run(agreement)
    assert (found.n, found.same, found.n_spans) == (3, 2 / 3, 1)
    assert close(found.kappa, float(cohen_kappa_score([1, 0, 1], [1, 0, 0])))
    assert close(found.span_f1, 2 * 5 / 15)
    say(database, ids[2], "ben", 1, needed=2, at=later(minutes=4))
    # Ben's new opinion is now later than Cleo's, who disagrees with Ada.
    assert database.run(agreement).same == 2 / 3


# Export.


def exported(database: Database, monkeypatch: pytest.MonkeyPatch, portion: int) -> list[dict[str, Any]]:
    monkeypatch.setattr("ragcortex.service.reviews._PORTION", portion)
    rows: list[dict[str, Any]] = []
    after = None
    for _ in range(100):
        place = after
        found, after = database.run(lambda session, place=place: export_portion(session, place))
        rows += found
        if after is None:
            return rows
    raise AssertionError("the export does not end")


@pytest.mark.parametrize("portion", [1, 2, 4, 5, 100])
def test_the_export_holds_what_was_decided_once_the_oldest_first(
    database: Database, monkeypatch: pytest.MonkeyPatch, portion: int
) -> None:
    moments = [later(hours=hours) for hours in (1, 0, 0, 1)]
    ids = keep_all(database, [made_check(at=moment, generator="a model") for moment in moments])
    for check_id in ids:
        say(database, check_id, "ada", 1, SPAN)
    keep(database)
    gone = keep(database)
    say(database, gone, "ada", 0)
    database.run(lambda session: delete_text(session, gone, actor="ada", now=NOW))
    rows = exported(database, monkeypatch, portion)
    assert [row["check"] for row in rows] == [*sorted(ids[1:3]), *sorted([ids[0], ids[3]])]


def test_the_export_is_read_as_labelled_examples(
    database: Database, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wrong = keep(database, external_id="7", group="a guide", generator="a model", task="qa")
    right = keep(database, made_report(score=0.4, spans=()), at=later(hours=1), question=None)
    unmarked = keep(database, at=later(hours=2))
    say(database, wrong, "ada", 1, {"start": 11, "end": 24, "type": "number"}, needed=2)
    say(database, wrong, "ben", 1, {"start": 22, "end": 30}, needed=2)
    say(database, right, "ada", 0)
    say(database, unmarked, "ada", 1)
    file = tmp_path / "labels.jsonl"
    rows = exported(database, monkeypatch, 2)
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")

    found = list(read_rows(file))
    assert [row.error for row in found] == [None] * 3
    examples = [row.example for row in found if row.example is not None]
    first, second, third = examples
    assert (first.id, first.label, first.group, first.generator, first.task) == ("7", 1, "a guide", "a model", "qa")
    assert [(span.start, span.end) for span in first.spans or ()] == [(22, 24)]
    assert first.references[0].text == "It stands 41 metres above the sea."
    assert (second.id, second.question, second.label, second.spans) == (right, None, 0, ())
    assert (third.label, third.known_spans) == (1, None)
    assert sorted(rows[0]["reviewers"]) == ["ada", "ben"]
    assert (rows[0]["verdict"], rows[0]["score"]) == ("hallucinated", 0.8)


def test_a_disputed_answer_is_in_no_export(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    check_id = keep(database)
    say(database, check_id, "ada", 1, needed=2)
    say(database, check_id, "ben", 0, needed=2)
    assert exported(database, monkeypatch, 10) == []
    assert isinstance(database.run(lambda session: session.get(Check, check_id)), Check)
