"""Requests that their callers name: one sent again makes nothing twice, also when both come at once."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from made_checks import NOW, made_check
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from starlette.requests import Request

from ragcortex.errors import InputError
from ragcortex.service.checks import store_check
from ragcortex.service.idempotency import AnsweredError, Named
from ragcortex.service.state import request_digest
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.tables import AuditEntry, Check, Idempotent

NAMED = Named("ada", "order 7", "a" * 64)
RESPONSE = {"items": [{"check": "c" * 32}]}


def request(*values: str) -> Request:
    headers = [(b"idempotency-key", value.encode("latin-1")) for value in values]
    return Request({"type": "http", "headers": headers})


def note(database: Database, named: Named, response: dict[str, Any] = RESPONSE) -> None:
    database.run(lambda session: named.note(session, status=200, response=response, now=NOW))


def test_a_request_without_a_name_has_none() -> None:
    assert Named.of(request(), "ada", lambda: "a" * 64) is None
    assert Named.of(request("order 7"), "ada", lambda: "a" * 64) == NAMED
    assert Named.of(request("x" * 255), "ada", lambda: "a" * 64) is not None


def test_only_a_named_request_is_digested() -> None:
    made: list[str] = []

    def digest() -> str:
        made.append("a" * 64)
        return made[-1]

    Named.of(request(), "ada", digest)
    assert made == []
    Named.of(request("order 7"), "ada", digest)
    assert len(made) == 1


@pytest.mark.parametrize("length", [0, 256])
def test_a_name_has_a_length_within_limits(length: int) -> None:
    with pytest.raises(InputError, match=f"^Idempotency-Key: must have 1 to 255 characters, got {length}$"):
        Named.of(request("x" * length), "ada", lambda: "a" * 64)


def test_what_was_noted_is_found_again(database: Database) -> None:
    assert database.run(NAMED.earlier) is None
    note(database, NAMED)
    assert database.run(NAMED.earlier) == RESPONSE
    with pytest.raises(AnsweredError) as caught:
        note(database, NAMED, {"items": []})
    assert caught.value.response == RESPONSE


def test_names_of_others_are_others(database: Database) -> None:
    note(database, NAMED)
    assert database.run(Named("ben", NAMED.key, NAMED.digest).earlier) is None
    assert database.run(Named("ada", "order 8", NAMED.digest).earlier) is None


def test_a_name_is_of_one_request(database: Database) -> None:
    note(database, NAMED)
    message = "^Idempotency-Key: 'order 7' was used for another request; give each request its own$"
    for work in (Named("ada", "order 7", "b" * 64).earlier,):
        with pytest.raises(InputError, match=message):
            database.run(work)
    with pytest.raises(InputError, match=message):
        note(database, Named("ada", "order 7", "b" * 64))


def test_digests_tell_routes_and_bodies_apart_and_not_the_order_of_fields() -> None:
    assert request_digest("check", {"a": 1, "b": "é"}) == request_digest("check", {"b": "é", "a": 1})
    others = [("batch", {"a": 1, "b": "é"}), ("check", {"a": 1, "b": "e"}), ("check", [1]), ("check", {"a": "1"})]
    assert len({request_digest(route, body) for route, body in others}) == len(others)


def test_work_that_was_answered_before_keeps_nothing(database: Database) -> None:
    """What a request makes is kept together with its name, or not at all."""
    note(database, NAMED)
    judged = made_check()

    def work(session: Session) -> None:
        store_check(session, judged)
        NAMED.note(session, status=200, response={"items": [{"check": judged.id}]}, now=NOW)

    with pytest.raises(AnsweredError):
        database.run(work)
    assert counted(database, Check) == counted(database, AuditEntry) == 0


def test_of_two_at_the_same_time_one_is_kept_and_both_get_its_answer(database: Database) -> None:
    together = threading.Barrier(4, timeout=20)
    begun: set[int] = set()

    def send(number: int) -> dict[str, Any]:
        judged = made_check()
        response = {"items": [{"check": judged.id}]}

        def work(session: Session) -> None:
            if database.kind == "postgresql" and number not in begun:  # SQLite lets one begin after the other
                begun.add(number)
                assert NAMED.earlier(session) is None
                together.wait()
            store_check(session, judged)
            NAMED.note(session, status=200, response=response, now=NOW)

        try:
            database.run(work)
        except AnsweredError as answered:
            return answered.response
        return response

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(send, range(4)))
    assert answers == [answers[0]] * 4
    assert counted(database, Check) == counted(database, Idempotent) == counted(database, AuditEntry) == 1
    (item,) = answers[0]["items"]
    assert database.run(lambda session: session.get(Check, item["check"])) is not None


def counted(database: Database, table: type) -> int:
    return database.run(lambda session: session.scalar(select(func.count()).select_from(table)) or 0)
