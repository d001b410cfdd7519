"""Calibration, dashboard and audit trail by pages, without any script."""

import json

import pytest
from fastapi.testclient import TestClient
from made_pages import GROUNDED, WRONG, judged, page, send

from ragcortex.service import audit


@pytest.fixture(scope="module")
def reviewed(service: TestClient) -> TestClient:
    """Return the client of a service where 24 wrong and 22 grounded answers were reviewed, and some others not."""
    for index in range(46):
        wrong = index < 24
        own = judged(service, WRONG if wrong else GROUNDED, generator=f"gen-{index % 3}", group=f"source-{index % 8}")
        # Two grounded ones and two wrong ones are labelled otherwise than the detector judges.
        label = int(wrong) if index not in (0, 1, 44, 45) else int(not wrong)
        body = {"label": label, "spans": [{"start": 0, "end": 3}] if label else []}
        assert service.post(f"/v1/checks/{own}/reviews", json=body).status_code == 201
    for answer in (WRONG, GROUNDED, GROUNDED):
        judged(service, answer, generator="gen-0")
    return service


@pytest.fixture
def calibrated(reviewed: TestClient) -> TestClient:
    reviewed.cookies.clear()
    return reviewed


def test_nothing_reviewed_says_what_to_do(client: TestClient) -> None:
    shown = page(client, "/calibration")
    assert "Review some in the queue first" in shown.text(".empty")
    assert page(client, "/dashboard").text("main").startswith("Dashboard")


def test_thresholds_are_tried_by_numbers(calibrated: TestClient) -> None:
    shown = page(calibrated, "/calibration?review=0.005&hallucinated=0.5")
    # 24 wrong answers score 0.99, two of them are labelled grounded; 22 grounded ones 0.007, two labelled otherwise.
    cells = {str(one.attributes["data-value"]): one.text() for one in shown.all("[data-value]")}
    assert cells == {
        "true_positives": "22", "n_review_hallucinated": "2", "passed_hallucinated": "0",
        "false_positives": "2", "n_review_grounded": "20", "passed_grounded": "0",
        "precision": "0.917", "recall": "0.917", "f1": "0.917",
    }  # fmt: skip
    data = json.loads(shown.one("#data").text())
    assert (len(data["scores"]), sum(label for _, label in data["scores"])) == (46, 24)
    said = shown.text("main")
    assert "Reviewed answers are those that the policy sent to people" in said
    assert "drawn at random" in said


def test_the_best_f1_is_proposed_with_its_interval(calibrated: TestClient) -> None:
    shown = page(calibrated, "/calibration")
    proposed = shown.text("section[aria-labelledby=best-name]")
    assert "0.917" in proposed
    assert "95 %" in proposed
    assert "only 24 answers are hallucinated" in proposed


def test_thresholds_are_kept_put_in_force_and_switched_off(calibrated: TestClient) -> None:
    form = {"witness": "geometry", "name": "<b>strict</b>", "hallucinated": "0.3", "review": "0.2", "method": "manual"}
    shown = send(calibrated, "/calibration", form | {"activate": "1"}, at="/calibration")
    assert "is in force for answers judged from now on" in shown.text("#said")
    assert "review from 0.20, hallucinated from 0.30 (calibration “<b>strict</b>”)" in shown.text("main")
    own = judged(calibrated, GROUNDED)
    assert "calibration “<b>strict</b>”" in page(calibrated, f"/checks/{own}").text(".facts")
    shown = send(calibrated, "/calibration/deactivate", {"witness": "geometry"}, at="/calibration")
    assert shown.text("#said") == "The detector’s own thresholds are in force again."
    (action,) = {
        str(one.attributes["action"]) for one in shown.all("td form") if "activate" in str(one.attributes["action"])
    }
    shown = send(calibrated, action, {"witness": "geometry"}, at="/calibration")
    assert "is in force" in shown.text("#said")
    best = {"witness": "geometry", "name": "best", "method": "f1", "hallucinated": "0.1", "review": "0.1"}
    shown = send(calibrated, "/calibration", best, at="/calibration")
    assert "is kept. It is not in force." in shown.text("#said")
    assert "best F1 · on 46 answers" in shown.text("main")


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"name": "", "hallucinated": "0.5"}, "at least 1 character"),
        ({"name": "x", "hallucinated": "2"}, "less than or equal to 1"),
        ({"name": "x", "hallucinated": "much"}, "valid number"),
        ({"name": "x", "hallucinated": "0.2", "review": "0.5"}, "must be at most hallucinated_threshold 0.2, got 0.5"),
    ],
)
def test_thresholds_that_cannot_be_come_back(calibrated: TestClient, form: dict[str, str], message: str) -> None:
    shown = send(calibrated, "/calibration", form | {"method": "manual"}, 422)
    assert message in shown.text("[role=alert]")


def test_the_dashboard_counts(calibrated: TestClient) -> None:
    shown = page(calibrated, "/dashboard?days=7")
    figures = dict(zip(shown.texts(".figures dt"), shown.texts(".figures dd"), strict=True))
    assert int(figures["Answers"]) >= 49
    assert figures["Decided by people"] == "46"
    assert figures["of these hallucinated"] == "24"
    assert [one.attributes["role"] for one in shown.all("svg.chart")] == ["img"] * 3
    for chart in shown.all("svg.chart"):
        title, desc = str(chart.attributes["aria-labelledby"]).split()
        assert shown.text(f"#{title}")
        assert shown.text(f"#{desc}")
    assert len(shown.all("section[aria-labelledby=over-time] tbody tr")) == 7
    assert shown.texts("section[aria-labelledby=by-generator] tbody th") == ["gen-0", "gen-1", "gen-2"]
    assert shown.texts("section[aria-labelledby=speed-name] tbody th") == ["Geometry"]
    assert page(calibrated, "/dashboard?days=12").one(".switch [aria-current]").text() == "30 days"


def test_the_trail_is_shown_exported_and_verified(calibrated: TestClient) -> None:
    shown = page(calibrated, "/audit")
    head = shown.text("section[aria-labelledby=head-name] .digest")
    lines = calibrated.get("/v1/audit/export").text.splitlines()
    verdict = audit.verify(lines, noted=head)
    assert (verdict.unbroken, verdict.last_digest) == (True, head)
    assert len(shown.all("tbody tr")) == 50
    older = page(calibrated, str(shown.one("a[rel=next]").attributes["href"]))
    assert int(older.texts("td.number")[0]) == int(shown.texts("td.number")[-1]) - 1
    right = send(calibrated, "/audit", {"noted": head})
    assert right.text("#chain").startswith(f"The trail is unbroken. {len(lines)} entries were looked at.")
    wrong = send(calibrated, "/audit", {"noted": "0" * 63 + "1"})
    assert "The trail is broken: 1 problem." in wrong.text("#chain")
    assert "must be a digest" in send(calibrated, "/audit", {"noted": "abc"}, 422).text("[role=alert]")
    assert page(calibrated, "/audit?before=<b>").one("tbody")
