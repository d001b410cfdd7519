"""How long texts are kept: never, until a decision, for some days, or until somebody deletes them."""

import datetime
import json
import threading
import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from made_checks import keep
from running import GROUNDED, WRONG, Running, problem

from ragcortex.service.app import forget_old
from ragcortex.service.checks import find_check
from ragcortex.service.idempotency import Named

WORDS = ("lighthouse", "metres", "How high", "external-7", "group-7", "comment-7", "kakapo")
BODY = WRONG | {"id": "external-7", "group": "group-7"}
REVIEW = {"label": 1, "spans": [{"start": 10, "end": 12, "type": "kakapo"}], "comment": "comment-7"}


def words_in(text: str) -> list[str]:
    return [word for word in WORDS if word in text]


def test_deleted_texts_are_gone_from_tables_and_files(running: Running) -> None:
    folder: Path = running.service.settings.data_dir

    def in_files() -> list[str]:
        content = b"".join(file.read_bytes() for file in folder.glob("service.sqlite3*"))
        return [word for word in WORDS if word.encode() in content]

    check_id = running.check(BODY, {"Idempotency-Key": "a"})["id"]
    running.client.post(f"/v1/checks/{check_id}/reviews", json=REVIEW)
    running.client.post(f"/v1/checks/{check_id}/feedback", json={"rating": "wrong", "comment": "comment-7"})
    assert words_in(running.dump()) == list(WORDS)
    response = running.client.delete(f"/v1/checks/{check_id}/text")
    assert (response.status_code, response.json()["text_deleted"]) == (200, True)
    assert words_in(running.dump() + response.text) == []
    assert in_files() == []
    detail = running.client.get(f"/v1/checks/{check_id}").json()
    assert words_in(json.dumps(detail)) == []
    assert (detail["references"], detail["report"], detail["summary"]["answer"]) == (None, None, None)
    assert (detail["summary"]["verdict"], detail["summary"]["label"]) == ("hallucinated", 1)
    assert running.client.get("/v1/reviews/export").text == ""
    again = running.client.post(f"/v1/checks/{check_id}/reviews", json=REVIEW)
    assert problem(again, 404)[1].endswith("are deleted, so it cannot be reviewed")


def test_texts_are_never_kept_where_that_is_set(start: Any) -> None:
    running = start(store_text="none")
    found = running.check(BODY, {"Idempotency-Key": "a"})
    assert found["report"]["answer"] == WRONG["answer"], "the answer to the request has it"
    assert (found["action"], found["queue"]) == ("block", "none")
    assert words_in(running.dump()) == ["external-7", "group-7"], "the caller's names, to find the figures by"
    again = running.client.post("/v1/check", json=BODY, headers={"Idempotency-Key": "a"})
    assert problem(again, 410)
    assert running.client.get("/v1/queue").json()["checks"] == []
    assert problem(running.client.post(f"/v1/checks/{found['id']}/reviews", json=REVIEW), 404)
    rated = running.client.post(f"/v1/checks/{found['id']}/feedback", json={"rating": "wrong", "comment": "comment-7"})
    assert (rated.status_code, rated.json()["queue"]) == (201, "none")
    assert "comment-7" not in running.dump()


def test_texts_go_with_the_decision_where_that_is_set(start: Any) -> None:
    running = start(store_text="until-decided", reviewers=2)
    check_id = running.check(BODY)["id"]
    path = f"/v1/checks/{check_id}/reviews"
    assert running.client.post(path, json=REVIEW | {"reviewer": "ada"}).json()["comment"] == "comment-7"
    assert words_in(running.dump()) == list(WORDS)
    last = running.client.post(path, json=REVIEW | {"reviewer": "ben"})
    assert last.status_code == 201
    assert words_in(running.dump()) == []
    summary = running.client.get(f"/v1/checks/{check_id}").json()["summary"]
    assert (summary["queue"], summary["label"], summary["text_deleted"]) == ("decided", 1, True)


def test_old_texts_are_deleted_as_soon_as_the_service_starts(start: Any) -> None:
    now = datetime.datetime.now(datetime.UTC)
    first = start()
    old = keep(first.service.database, at=now - datetime.timedelta(days=8), external_id="external-7")
    new = keep(first.service.database, at=now - datetime.timedelta(days=6))

    def deleted(running: Running, check_id: str) -> bool:
        return running.service.database.run(lambda s: find_check(s, check_id)).text_deleted_at is not None

    assert forget_old(first.service) == 0, "nothing is deleted unless it is asked for"
    second = start(retention_days=7)
    deadline = time.monotonic() + 10
    while not deleted(second, old) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert (deleted(second, old), deleted(second, new)) == (True, False)
    assert "external-7" not in second.dump()


@pytest.mark.parametrize(("retention", "kept"), [(None, [True, True, False]), (3, [True, False, False])])
def test_names_of_requests_are_forgotten_in_time(start: Any, retention: int | None, kept: list[bool]) -> None:
    running = start(retention_days=retention)
    now = datetime.datetime.now(datetime.UTC)

    def note(session: Any) -> None:
        for days in (1, 6, 8):
            named = Named("ada", f"name {days}", "0" * 64)
            named.note(session, status=200, response={"items": []}, now=now - datetime.timedelta(days=days))

    running.service.database.run(note)
    forget_old(running.service)
    shown = running.dump()
    assert [f"name {days}'" in shown for days in (1, 6, 8)] == kept


def test_a_client_that_goes_away_leaves_nothing_behind(running: Running) -> None:
    """What waits to be judged for it is given up, and nothing is kept."""
    lane = running.service.judges._lanes["geometry"]
    go, statuses = threading.Event(), []
    lane._call(lambda: go.wait(20))
    body = json.dumps(GROUNDED).encode()
    scope = {
        "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1", "method": "POST",
        "path": "/v1/check", "raw_path": b"/v1/check", "root_path": "", "scheme": "http", "query_string": b"",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")], "client": ("test", 1),
        "server": ("localhost", 80),
    }  # fmt: skip

    async def call() -> None:
        messages: list[Any] = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> Any:
            if messages:
                return messages.pop()
            while not lane._working:
                await anyio.sleep(0.01)
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        await running.app(scope, receive, send)

    try:
        running.client.portal.call(call)  # type: ignore[union-attr]
    finally:
        go.set()
    assert statuses == [499]
    assert running.client.get("/v1/checks").json()["checks"] == []
    assert running.check(GROUNDED)["action"] == "pass"
