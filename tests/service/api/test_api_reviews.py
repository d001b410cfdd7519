"""From the queue to labels and thresholds over HTTP: claims, reviews, feedback, lists, exports, calibrations."""

import json
from pathlib import Path
from typing import Any

import pytest
from running import GROUNDED, WRONG, Headers, Running, problem

from ragcortex.datasets.jsonl import read_rows
from ragcortex.service import audit
from ragcortex.service.calibrations import FEW

SPAN = {"start": 10, "end": 12, "type": "number"}


def say(
    running: Running, check_id: str, label: int, *spans: dict[str, Any], who: str | None = None, **more: Any
) -> Any:
    body = {"label": label, "spans": list(spans), "reviewer": who} | more
    return running.client.post(f"/v1/checks/{check_id}/reviews", json=body)


def lines(response: Any) -> list[dict[str, Any]]:
    assert response.status_code == 200
    assert response.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in response.text.splitlines()]


@pytest.mark.parametrize("kind_of_database", ["sqlite", "postgresql"])
def test_from_a_check_to_its_label(
    start: Any, kind_of_database: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """The whole way, on both databases."""
    running = start(database=str(request.getfixturevalue(f"{kind_of_database}_url")), reviewers=2)
    client = running.client
    wrong, right = running.check(WRONG), running.check(GROUNDED)
    waiting = client.get("/v1/queue", params={"reviewer": "ada"}).json()
    assert [one["id"] for one in waiting["checks"]] == [wrong["id"]]
    assert waiting["checks"][0]["answer"] == WRONG["answer"]

    claimed = client.post(f"/v1/checks/{wrong['id']}/claim", params={"reviewer": "ada"})
    assert (claimed.status_code, claimed.json()["queue"]) == (200, "open")
    assert client.get("/v1/queue", params={"reviewer": "ben"}).json()["checks"] == []
    refused = client.post(f"/v1/checks/{wrong['id']}/claim", params={"reviewer": "ben"})
    assert problem(refused, 409)[0] == "id"
    assert problem(say(running, wrong["id"], 1, who="ben"), 409)[1].startswith("ada is at check")

    made = say(running, wrong["id"], 1, SPAN, who="ada", comment="41, not 52")
    assert made.status_code == 201
    assert (made.json()["reviewer"], made.json()["spans"], made.json()["comment"]) == ("ada", [SPAN], "41, not 52")
    assert say(running, wrong["id"], 1, SPAN, who="ben").status_code == 201
    detail = client.get(f"/v1/checks/{wrong['id']}").json()
    assert (detail["summary"]["queue"], detail["summary"]["label"]) == ("decided", 1)
    assert {one["reviewer"] for one in detail["reviews"]} == {"ada", "ben"}
    assert client.get("/v1/queue").json() == {"checks": [], "next": None}

    called = client.post(f"/v1/checks/{right['id']}/feedback", json={"rating": "wrong", "comment": "no"})
    assert (called.status_code, called.json()["queue"]) == (201, "open")
    assert client.get(f"/v1/checks/{right['id']}").json()["n_feedback_wrong"] == 1

    found = client.get("/v1/reviews/agreement").json()
    assert found == {"n": 1, "same": 1.0, "kappa": None, "span_f1": 1.0, "n_spans": 1}
    response = client.get("/v1/reviews/export")
    assert response.headers["content-disposition"] == 'attachment; filename="labels.jsonl"'
    (row,) = lines(response)
    assert (row["check"], row["label"], row["spans"]) == (wrong["id"], 1, [{"start": 10, "end": 12}])
    file = tmp_path / "labels.jsonl"
    file.write_text(response.text, encoding="utf-8")
    (read,) = read_rows(file)
    assert read.example is not None
    assert [(span.start, span.end) for span in read.example.spans or ()] == [(10, 12)]

    trail = client.get("/v1/audit/export")
    assert trail.headers["content-disposition"] == 'attachment; filename="audit.jsonl"'
    verdict = audit.verify(trail.text.splitlines())
    assert (verdict.unbroken, verdict.n_entries) == (True, len(lines(trail)))
    kinds = [json.loads(line["body"])["kind"] for line in lines(trail)]
    assert kinds == ["check.judged"] * 2 + ["review.saved"] * 2 + ["check.decided", "feedback.given"]
    assert not any(word in trail.text for word in ("lighthouse", "metres", "not 52"))


def test_a_reviewer_is_who_holds_the_key(guarded: Running) -> None:
    checker, ada = guarded.key("check"), guarded.key("review", name="ada")
    check_id = guarded.check(WRONG, checker)["id"]
    path = f"/v1/checks/{check_id}/reviews"
    refused = guarded.client.post(path, json={"label": 0, "reviewer": "ben"}, headers=ada)
    assert problem(refused, 422) == ("reviewer", "must be that of the key, 'ada', or left out")
    refused = guarded.client.post(f"/v1/checks/{check_id}/claim", params={"reviewer": "ben"}, headers=ada)
    assert problem(refused, 422)[0] == "reviewer"
    for body in ({"label": 0}, {"label": 1, "reviewer": "ada"}):
        assert guarded.client.post(path, json=body, headers=ada).json()["reviewer"] == "ada"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "label"),
        ({"label": 2}, "label"),
        ({"label": 0, "spans": [SPAN]}, "spans"),
        ({"label": 1, "spans": [{"start": 5, "end": 900}]}, "spans[0]"),
        ({"label": 1, "spans": [{"start": 5, "end": 5}]}, "spans[0]"),
        ({"label": 1, "spans": [{"start": -1, "end": 5}]}, "spans[0].start"),
        ({"label": 1, "spans": [{"start": 1.5, "end": 5}]}, "spans[0].start"),
        ({"label": 1, "spans": [{"end": 5}]}, "spans[0].start"),
        ({"label": 1, "spans": [SPAN] * 1001}, "spans"),
        ({"label": 1, "comment": "x" * 5001}, "comment"),
        ({"label": 1, "reviewer": "x" * 201}, "reviewer"),
        ({"label": 1, "comment": "a\0b"}, "comment"),
    ],
)
def test_what_is_wrong_with_a_review_names_its_field(running: Running, body: dict[str, Any], field: str) -> None:
    check_id = running.check()["id"]
    assert problem(running.client.post(f"/v1/checks/{check_id}/reviews", json=body), 422)[0] == field


def test_what_is_not_there_is_not_found(running: Running) -> None:
    client, nobody = running.client, "0" * 32
    for response in (
        client.get(f"/v1/checks/{nobody}"),
        client.delete(f"/v1/checks/{nobody}/text"),
        client.post(f"/v1/checks/{nobody}/claim"),
        client.post(f"/v1/checks/{nobody}/reviews", json={"label": 0}),
        client.post(f"/v1/checks/{nobody}/feedback", json={"rating": "wrong"}),
        client.post(f"/v1/calibrations/{nobody}/activate"),
        client.post(f"/v1/keys/{nobody}/revoke"),
        client.post(f"/v1/keys/{nobody}/rotate"),
    ):
        assert problem(response, 404)[0] == "id"
    assert problem(client.get("/v1/nothing"), 404) == (None, "Not Found")
    assert problem(client.get("/nothing"), 404)
    response = client.put("/v1/check", json={})
    assert problem(response, 405)
    assert response.headers["allow"] == "POST"


@pytest.mark.parametrize("address", ["/v1/checks/%00", "/v1/checks?text=%00", "/v1/checks?group=a&group=%00",
                                     "/v1/queue?reviewer=%00"])  # fmt: skip
def test_what_no_database_keeps_is_refused_before_it_gets_there(running: Running, address: str) -> None:
    assert problem(running.client.get(address), 422)[1] == "must not hold a null character"


# Lists.


def test_lists_are_filtered_and_turned_page_by_page(running: Running) -> None:
    ids = [running.check(WRONG if n % 2 else GROUNDED, generator=f"g{n % 3}", id=str(n))["id"] for n in range(7)]
    newest_first = ids[::-1]

    def pages(**params: Any) -> list[str]:
        found, cursor = [], None
        while True:
            query = params | ({"cursor": cursor} if cursor else {})
            page = running.client.get("/v1/checks", params=query).json()
            found += [one["id"] for one in page["checks"]]
            cursor = page["next"]
            if cursor is None:
                return found

    assert pages() == pages(limit=2) == pages(limit=7) == newest_first
    wrong = [one for n, one in enumerate(ids) if n % 2][::-1]
    for params in ({"verdict": "hallucinated"}, {"action": "block"}, {"queue": "open"}, {"text": "52 METRES"}):
        assert pages(limit=2, **params) == wrong
    assert pages(generator="g1") == [ids[4], ids[1]]
    assert pages(external_id="3") == [ids[3]]
    moment = running.client.get(f"/v1/checks/{ids[3]}").json()["summary"]["created_at"]
    assert pages(since=moment) == newest_first[:4]
    assert pages(until=moment) == newest_first[4:]
    assert pages(since=moment.removesuffix("Z")) == newest_first[:4], "a moment without a zone is one of UTC"
    say(running, ids[1], 1)
    assert pages(label=1) == [ids[1]]
    # A cursor can be put into an address as it is.
    cursor = running.client.get("/v1/checks", params={"limit": 2}).json()["next"]
    assert len(running.client.get(f"/v1/checks?limit=5&cursor={cursor}").json()["checks"]) == 5


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 201}, "limit"),
        ({"limit": "many"}, "limit"),
        ({"verdict": "wrong"}, "verdict"),
        ({"label": 2}, "label"),
        ({"since": "yesterday"}, "since"),
        ({"since": "1767605400"}, "since"),
        ({"since": "0001-01-01T00:00:00+14:00"}, "since"),
        ({"until": "9999-12-31T23:59:59-14:00"}, "until"),
        ({"cursor": "x"}, "cursor"),
        ({"cursor": "x" * 101}, "cursor"),
        ({"text": "x" * 201}, "text"),
    ],
)
def test_what_is_wrong_with_a_list_names_its_field(running: Running, params: dict[str, Any], field: str) -> None:
    assert problem(running.client.get("/v1/checks", params=params), 422)[0] == field


# Who may see what.


def test_a_key_for_checks_alone_sees_and_rates_its_own(guarded: Running) -> None:
    own, other, reader = guarded.key("check", name="ada"), guarded.key("check", name="ben"), guarded.key("read")
    check_id = guarded.check(WRONG, own)["id"]
    path = f"/v1/checks/{check_id}"
    assert guarded.client.get(path, headers=own).json()["report"]["answer"] == WRONG["answer"]
    assert guarded.client.get(path, headers=reader).status_code == 200
    detail = f"no check has the id '{check_id}'"
    assert problem(guarded.client.get(path, headers=other), 404) == ("id", detail)
    rating = {"rating": "wrong"}
    assert problem(guarded.client.post(f"{path}/feedback", json=rating, headers=other), 404) == ("id", detail)
    assert guarded.client.post(f"{path}/feedback", json=rating, headers=own).status_code == 201


# Calibrations.


def decided(running: Running, headers: Headers | None = None) -> None:
    """Let a reviewer decide enough answers of both classes for a threshold."""
    rows = []
    for n in range(FEW):
        rows += [GROUNDED | {"group": f"s{n}"}]
        rows += [WRONG | {"group": f"s{n}", "answer": f"It stands {n + 43} metres above the sea."}]
    items = running.client.post("/v1/check/batch", json={"checks": rows}, headers=headers).json()["items"]
    for n, item in enumerate(items):
        assert say(running, item["check"]["id"], n % 2).status_code == 201


def test_thresholds_from_reviews_change_verdicts_once_they_are_in_force(running: Running) -> None:
    client = running.client
    before = running.check(WRONG)["report"]
    early = client.post("/v1/calibrations", json={"name": "early"})
    assert problem(early, 422)[0] == "reviews"
    decided(running)
    made = client.post("/v1/calibrations", json={"name": "spring"})
    assert made.status_code == 201
    values = made.json()
    assert (values["method"], values["active"], values["stale"]) == ("f1", False, False)
    assert (values["n_answers"], values["n_hallucinated"]) == (2 * FEW, FEW)
    assert values["figures"]["confusion"]["f1"] == 1.0
    assert running.check(WRONG)["report"]["thresholds"] == before["thresholds"]

    put = client.post(f"/v1/calibrations/{values['id']}/activate")
    assert (put.status_code, put.json()["active"]) == (200, True)
    after = running.check(WRONG)
    assert after["report"]["thresholds"]["hallucinated"] == pytest.approx(values["hallucinated_threshold"], abs=1e-6)
    assert after["report"]["detector"]["calibration"] == f"calibration 'spring', {2 * FEW} reviewed answers"

    strict = {"name": "strict", "hallucinated_threshold": 0.0, "review_threshold": 0.0, "activate": True}
    assert client.post("/v1/calibrations", json=strict).json()["active"]
    assert running.check(GROUNDED)["report"]["verdict"] == "review"
    listed = client.get("/v1/calibrations").json()
    assert [(one["name"], one["active"]) for one in listed] == [("strict", True), ("spring", False)]

    assert client.post("/v1/calibrations/deactivate").status_code == 204
    assert running.check(GROUNDED)["report"]["thresholds"] == before["thresholds"]
    kinds = [json.loads(line["body"])["kind"] for line in lines(client.get("/v1/audit/export"))]
    assert [kind for kind in kinds if "calibration" in kind] == [
        "calibration.created", "calibration.activated", "calibration.created", "calibration.activated",
        "calibration.deactivated",
    ]  # fmt: skip


def test_a_calibration_of_another_detector_is_stale(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    made = running.client.post("/v1/calibrations", json={"name": "a", "hallucinated_threshold": 0.5}).json()
    monkeypatch.setattr(running.service.judges, "_fingerprints", {"geometry": "ef" * 32})
    (listed,) = running.client.get("/v1/calibrations").json()
    assert listed["stale"]
    assert problem(running.client.post(f"/v1/calibrations/{made['id']}/activate"), 422)[0] == "id"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "x" * 201}, "name"),
        ({"name": "a", "hallucinated_threshold": 1.5}, "hallucinated_threshold"),
        ({"name": "a", "hallucinated_threshold": 0.5, "review_threshold": 0.6}, "review_threshold"),
        ({"name": "a", "hallucinated_threshold": 0.5, "witness": "both"}, "witness"),
    ],
)
def test_what_is_wrong_with_a_calibration_names_its_field(running: Running, body: dict[str, Any], field: str) -> None:
    assert problem(running.client.post("/v1/calibrations", json=body), 422)[0] == field
    assert running.client.get("/v1/calibrations").json() == []


def test_figures_say_how_scores_drift(running: Running) -> None:
    running.check(WRONG)
    shown = running.client.get("/metrics")
    assert shown.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert 'ragcortex_checks_total{action="block",verdict="hallucinated",witness="geometry"} 1.0' in shown.text
    assert 'ragcortex_queue_answers{lane="geometry"} 0.0' in shown.text
    assert "ragcortex_drift_answers{" not in shown.text, "too few were reviewed"
    rows = {"checks": [WRONG | {"answer": f"It stands {n} metres above the sea."} for n in range(42, 102)]}
    for item in running.client.post("/v1/check/batch", json=rows).json()["items"]:
        say(running, item["check"]["id"], 1)
    assert 'ragcortex_drift_answers{witness="geometry"} 61.0' in running.client.get("/metrics").text
