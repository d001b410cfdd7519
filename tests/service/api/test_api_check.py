"""`/v1/check` and `/v1/check/batch`: verdicts, what is refused and how it is named, and requests sent twice."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from running import GROUNDED, REFERENCES, WRONG, Running, check_headers, problem

from ragcortex.example import Example
from ragcortex.report import Report
from ragcortex.service.batching import Busy
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.tables import Idempotent

KEY = {"Idempotency-Key": "order 7"}


def n_checks(running: Running) -> int:
    return len(running.client.get("/v1/checks").json()["checks"])


def test_an_answer_is_judged_kept_and_queued(running: Running) -> None:
    response = running.client.post("/v1/check", json=WRONG | {"id": "7", "group": "guide", "generator": "a model"})
    assert response.status_code == 200
    check_headers(response)
    found = response.json()
    assert (found["action"], found["policy"], found["queue"]) == ("block", "triage", "open")
    report = Report.from_dict(found["report"])
    assert (report.verdict, report.id, report.question) == ("hallucinated", "7", "How high is it?")
    assert [span.text for span in report.spans] == ["52"]

    detail = running.client.get(f"/v1/checks/{found['id']}").json()
    assert detail["report"] == found["report"]
    summary = detail["summary"]
    assert (summary["external_id"], summary["group"], summary["generator"]) == ("7", "guide", "a model")
    assert (summary["witness"], summary["verdict"], summary["n_spans"]) == ("geometry", "hallucinated", 1)
    assert [one["text"] for one in detail["references"]] == REFERENCES
    assert (detail["reviews"], detail["n_feedback_right"], detail["n_feedback_wrong"]) == ([], 0, 0)


def test_references_may_say_where_they_are_from(running: Running) -> None:
    references = [{"text": REFERENCES[1], "id": "p3", "source": "guide"}, REFERENCES[0]]
    found = running.check(references=references)
    evidence = found["report"]["spans"][0]["evidence"][0]
    assert (evidence["reference"], evidence["source"]) == (0, "guide")
    kept = running.client.get(f"/v1/checks/{found['id']}").json()["references"]
    assert kept == [{"text": REFERENCES[1], "id": "p3", "source": "guide"},
                    {"text": REFERENCES[0], "id": None, "source": None}]  # fmt: skip


@pytest.mark.parametrize(
    ("answer", "verdict", "action"),
    [(GROUNDED["answer"], "grounded", "pass"), (WRONG["answer"], "hallucinated", "block"), ("", "no_claim", "pass")],
)
def test_verdicts_and_what_follows(running: Running, answer: Any, verdict: str, action: str) -> None:
    found = running.check(answer=answer)
    assert (found["report"]["verdict"], found["action"]) == (verdict, action)


def test_no_references_at_all_are_something_else_than_none_given(running: Running) -> None:
    assert running.check(references=[])["report"]["verdict"] == "not_verifiable"


def test_policies_are_the_callers_choice(running: Running) -> None:
    assert running.check(policy="observe")["action"] == "pass"
    assert running.check(policy="review-only")["action"] == "review"
    names = [one["name"] for one in running.client.get("/v1/policies").json()]
    assert names == ["triage", "strict", "review-only", "observe"]


@pytest.mark.parametrize(
    ("change", "field", "detail"),
    [
        ({"answer": None}, "answer", "Input should be a valid string"),
        ({"answer": 3}, "answer", "Input should be a valid string"),
        ({"answer": "a\0b"}, "answer", "must not hold a null character"),
        ({"answer": "x" * 101}, "answer", "has 101 characters; this service takes 100 at most"),
        ({"question": "x" * 1001}, "question", "has 1,001 characters; this service takes 1,000 at most"),
        ({"references": ["x" * 600] * 2}, "references", "has 1,200 characters; this service takes 1,000 at most"),
        ({"references": None}, "references", "or a corpus must be given, and not both; give [] if there were none"),
        ({"corpus": "coast"}, "references", "or a corpus must be given, and not both; give [] if there were none"),
        ({"references": "text"}, "references", "Input should be a valid list"),
        ({"references": [3]}, "references[0]", "must be a string, or an object with its `text`"),
        ({"references": ["a", {"id": "b"}]}, "references[1].text", "Field required"),
        ({"references": ["a", {"text": "b", "page": 3}]}, "references[1].page", "Extra inputs are not permitted"),
        ({"references": ["a", "b\0"]}, "references[1].text", "must not hold a null character"),
        ({"witness": "both"}, "witness", "'both' is not loaded by this service; it has geometry"),
        ({"witness": "nobody"}, "witness", "Input should be 'both', 'internal', 'geometry' or 'cascade'"),
        ({"policy": "mine"}, "policy", "must be one of observe, review-only, strict, triage, got 'mine'"),
        ({"id": "x" * 201}, "id", "String should have at most 200 characters"),
        ({"model": "/etc/passwd"}, "model", "Extra inputs are not permitted"),
        ({"answer": 3, "id": 4}, "answer", "Input should be a valid string; and 1 more"),
    ],
)  # fmt: skip
def test_what_is_wrong_names_its_field(start: Any, change: dict[str, Any], field: str, detail: str) -> None:
    running = start(max_answer_chars=100, max_reference_chars=1000)
    assert problem(running.client.post("/v1/check", json=WRONG | change), 422) == (field, detail)
    rows = {"checks": [GROUNDED, WRONG | change]}
    response = running.client.post("/v1/check/batch", json=rows)
    if response.status_code == 422:  # the request as a whole is malformed
        assert problem(response, 422)[0] == f"checks[1].{field}"
    else:
        assert response.json()["items"][1]["problem"]["field"] == f"checks[1].{field}"
    assert running.dump().count("check.judged") == (0 if response.status_code == 422 else 1)


def test_a_missing_answer_and_a_missing_corpus(running: Running) -> None:
    assert problem(running.client.post("/v1/check", json={"references": []}), 422) == ("answer", "Field required")
    body = {"answer": "a", "corpus": "coast"}
    assert problem(running.client.post("/v1/check", json=body), 404) == ("corpus", "no corpus is called 'coast'")


@pytest.mark.parametrize(
    ("content", "status", "field"),
    [
        (b"", 422, "body"),
        (b"{", 422, "body"),
        (b"[]", 422, "body"),
        (b'{"answer": "\xff"}', 400, None),
        (b'{"answer": "\\ud800", "references": []}', 422, "answer"),
        (b'{"answer": "a", "references": [], "\\ud800": 1}', 422, "body"),
        (b'{"answer": "a", "references": NaN}', 422, "references"),
    ],
)
def test_what_is_not_json_is_refused(running: Running, content: bytes, status: int, field: str | None) -> None:
    response = running.client.post("/v1/check", content=content, headers={"Content-Type": "application/json"})
    assert problem(response, status)[0] == field


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None])
def test_only_json_is_taken_for_json(running: Running, kind: str | None) -> None:
    """A form of another site can send text without asking first; it must not be taken for a request."""
    headers = {"Content-Type": kind} if kind else {}
    response = running.client.post("/v1/check", content=b'{"answer": "a", "references": []}', headers=headers)
    assert problem(response, 415) == (None, f"the body must be application/json, got {kind or 'no Content-Type'}")
    assert n_checks(running) == 0


def test_no_body_at_all_is_said_so(running: Running) -> None:
    assert problem(running.client.post("/v1/check"), 422) == ("body", "Field required")


# Size, load and time.


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_that_is_too_large_is_refused(start: Any, declared: bool) -> None:
    running = start(max_body_bytes=2000)
    body = b'{"references": [], "answer": "' + b"x" * 2000 + b'"}'
    content: Any = body if declared else iter([body[:1500], body[1500:]])
    response = running.client.post("/v1/check", content=content, headers={"Content-Type": "application/json"})
    detail = "the body is larger than the 2,000 bytes that are taken here; send less at once"
    assert problem(response, 413) == (None, detail)
    assert problem(running.client.request("GET", "/healthz", content=body), 413)
    assert problem(running.client.post("/nowhere", content=body), 413)
    assert running.client.post("/v1/check", json=GROUNDED).status_code == 200


def test_more_answers_than_a_batch_may_have_are_refused(start: Any) -> None:
    running = start(max_batch=2)
    response = running.client.post("/v1/check/batch", json={"checks": [GROUNDED] * 3})
    assert problem(response, 422) == ("checks", "must be 2 at most, got 3")
    assert problem(running.client.post("/v1/check/batch", json={"checks": []}), 422)[0] == "checks"


def failing(monkeypatch: pytest.MonkeyPatch, running: Running, error: Exception) -> None:
    async def judge(*_: Any, **__: Any) -> Report:
        raise error

    monkeypatch.setattr(running.service.judges, "judge", judge)


def test_a_full_queue_says_when_to_come_again(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, running, Busy(2.4, "full"))
    response = running.client.post("/v1/check", json=GROUNDED)
    assert problem(response, 429) == (None, "the service is at its limit; try again in 3 s")
    assert response.headers["retry-after"] == "3"
    (item,) = running.client.post("/v1/check/batch", json={"checks": [GROUNDED]}).json()["items"]
    assert item["problem"]["status"] == 429


def test_what_takes_too_long_is_given_up(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, running, TimeoutError())
    response = running.client.post("/v1/check", json=GROUNDED)
    assert problem(response, 504)[1].startswith("the answer was not judged in time")


def test_a_real_queue_that_is_full_and_a_wait_that_is_too_long(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    running = start(timeout_seconds=0.3)
    lane = running.service.judges._lanes["geometry"]
    held, go = threading.Event(), threading.Event()

    def hold() -> None:
        held.set()
        go.wait(20)

    with ThreadPoolExecutor(1) as pool:
        holding = pool.submit(lane._call, hold)  # the lane's thread is busy with something else
        holding.result(5)
        assert held.wait(5)
        try:
            assert problem(running.client.post("/v1/check", json=GROUNDED), 504)
            monkeypatch.setattr(lane, "queue_size", 0)
            response = running.client.post("/v1/check", json=GROUNDED)
            assert problem(response, 429)
            assert int(response.headers["retry-after"]) >= 1
        finally:
            go.set()
    monkeypatch.undo()
    deadline = time.monotonic() + 10
    while lane._working and time.monotonic() < deadline:
        time.sleep(0.01)
    assert running.check(GROUNDED)["action"] == "pass"
    assert n_checks(running) == 1


def test_failures_are_counted_by_their_kind(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, running, TimeoutError())
    running.client.post("/v1/check", json=GROUNDED)
    shown = running.client.get("/metrics").text
    assert 'ragcortex_check_failures_total{kind="TimeoutError",witness="geometry"} 1.0' in shown


def test_an_error_nobody_expected_says_nothing_of_itself(
    running: Running, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    failing(monkeypatch, running, ValueError("secretword in /some/folder"))
    response = running.client.post("/v1/check", json=GROUNDED)
    assert problem(response, 500) == (None, "an internal error; the service's log says more")
    assert "secretword" not in response.text + caplog.text
    assert "unexpected ValueError" in caplog.text
    assert "in judge" in caplog.text, "the log says where"
    assert 'route="/v1/check",status="500"' in running.client.get("/metrics").text
    batch = running.client.post("/v1/check/batch", json={"checks": [GROUNDED]})
    assert batch.json()["items"][0]["problem"]["detail"] == "an internal error; the service's log says more"


# Batches.


def test_every_answer_of_a_batch_has_its_own_fate(running: Running) -> None:
    rows = [GROUNDED, {"answer": "a"}, WRONG | {"policy": "mine"}, WRONG | {"id": "last"}]
    response = running.client.post("/v1/check/batch", json={"checks": rows})
    assert response.status_code == 200
    found = response.json()
    assert found["n_failed"] == 2
    assert [item["index"] for item in found["items"]] == [0, 1, 2, 3]
    assert [(item["check"] is None) for item in found["items"]] == [False, True, True, False]
    assert [(item["problem"] is None) for item in found["items"]] == [True, False, False, True]
    assert [found["items"][n]["problem"]["field"] for n in (1, 2)] == ["checks[1].references", "checks[2].policy"]
    assert found["items"][3]["check"]["report"]["id"] == "last"
    kept = {check["id"] for check in running.client.get("/v1/checks").json()["checks"]}
    assert kept == {found["items"][n]["check"]["id"] for n in (0, 3)}


def test_a_batch_says_what_single_requests_say(running: Running) -> None:
    rows = [WRONG | {"answer": f"It stands {n} metres above the sea.", "id": str(n)} for n in range(38, 46)]
    together = running.client.post("/v1/check/batch", json={"checks": rows}).json()["items"]
    alone = [running.check(row) for row in rows]
    assert [item["check"]["report"] for item in together] == [one["report"] for one in alone]


def test_a_batch_does_not_crowd_out_its_own_answers(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be as large as the queue is long, and another answer may wait at the same time."""
    lane = running.service.judges._lanes["geometry"]
    monkeypatch.setattr(lane, "queue_size", 8)
    running.app.state.service.settings = running.service.settings.model_copy(update={"queue_size": 8})
    found = running.client.post("/v1/check/batch", json={"checks": [GROUNDED] * 40}).json()
    assert found["n_failed"] == 0


# Requests sent twice.


def test_a_request_sent_again_makes_nothing_twice(running: Running) -> None:
    first = running.client.post("/v1/check", json=WRONG, headers=KEY)
    again = running.client.post("/v1/check", json=WRONG, headers=KEY)
    assert first.json() == again.json()
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert n_checks(running) == 1
    spelled = {"answer": WRONG["answer"], "question": WRONG["question"], "witness": None,
               "references": [{"text": text} for text in REFERENCES]}  # fmt: skip
    assert running.client.post("/v1/check", json=spelled, headers=KEY).json() == first.json()


def test_a_batch_sent_again_makes_nothing_twice(running: Running) -> None:
    rows = {"checks": [WRONG, {"answer": "a"}, GROUNDED]}
    first = running.client.post("/v1/check/batch", json=rows, headers=KEY)
    again = running.client.post("/v1/check/batch", json=rows, headers=KEY)
    assert first.json() == again.json()
    assert again.headers["idempotency-replayed"] == "true"
    assert n_checks(running) == 2


def test_a_name_is_of_one_request(running: Running) -> None:
    running.client.post("/v1/check", json=WRONG, headers=KEY)
    detail = "'order 7' was used for another request; give each request its own"
    for path, body in (("/v1/check", GROUNDED), ("/v1/check/batch", {"checks": [WRONG]})):
        assert problem(running.client.post(path, json=body, headers=KEY), 422) == ("Idempotency-Key", detail)
    assert n_checks(running) == 1


@pytest.mark.parametrize("name", ["", "x" * 256])
def test_a_name_has_a_length_within_limits(running: Running, name: str) -> None:
    response = running.client.post("/v1/check", json=WRONG, headers={"Idempotency-Key": name})
    assert problem(response, 422)[0] == "Idempotency-Key"


def test_a_request_whose_texts_are_deleted_is_gone(running: Running) -> None:
    first = running.client.post("/v1/check", json=WRONG, headers=KEY).json()
    running.client.delete(f"/v1/checks/{first['id']}/text")
    response = running.client.post("/v1/check", json=WRONG, headers=KEY)
    assert problem(response, 410) == (None, "this request was answered, and its texts are deleted or not kept")
    assert n_checks(running) == 1
    rows = {"checks": [WRONG, GROUNDED]}
    items = running.client.post("/v1/check/batch", json=rows, headers={"Idempotency-Key": "b"}).json()["items"]
    running.client.delete(f"/v1/checks/{items[0]['check']['id']}/text")
    again = running.client.post("/v1/check/batch", json=rows, headers={"Idempotency-Key": "b"}).json()
    assert [item["problem"] and item["problem"]["status"] for item in again["items"]] == [410, None]
    assert again["items"][1] == items[1]


def test_names_of_other_callers_are_others(guarded: Running) -> None:
    found = []
    for name in ("ada", "ben"):
        headers = guarded.key("check", name=name) | KEY
        found.append(guarded.client.post("/v1/check", json=WRONG, headers=headers))
    assert [response.status_code for response in found] == [200, 200]
    assert found[0].json()["id"] != found[1].json()["id"]


@pytest.mark.parametrize("kind_of_database", ["sqlite", "postgresql"])
def test_the_same_request_twice_at_once_makes_one_check(
    start: Any, kind_of_database: str, request: pytest.FixtureRequest
) -> None:
    url = str(request.getfixturevalue(f"{kind_of_database}_url"))
    running = start(database=url)
    together = threading.Barrier(4, timeout=20)
    judge = running.service.judges.judge

    async def judge_together(example: Example, witness: str, **given: Any) -> Report:
        report = await judge(example, witness, **given)
        await asyncio.to_thread(together.wait)  # all are judged before any is kept
        return report

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running.service.judges, "judge", judge_together)
        with ThreadPoolExecutor(4) as pool:
            sent = [pool.submit(running.client.post, "/v1/check", json=WRONG, headers=KEY) for _ in range(4)]
            found = [one.result(30) for one in sent]
    assert [response.status_code for response in found] == [200] * 4
    assert len({response.json()["id"] for response in found}) == 1
    assert sum("idempotency-replayed" in response.headers for response in found) == 3
    assert n_checks(running) == 1
    other = Database(url)
    assert other.run(lambda session: session.query(Idempotent).count()) == 1
    other.close()
