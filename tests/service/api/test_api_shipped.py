"""The service with the models that ship: every witness judges, together and alone, whole and as an answer arrives."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from running import Running, events

from ragcortex.service.app import create_app
from ragcortex.service.settings import ServiceSettings

pytestmark = pytest.mark.weights

WITNESSES = ("both", "internal", "cascade", "geometry")
REFERENCES = ["The tram museum opened on 3 May 1986 in the old depot of Halmbridge. A ticket costs 12 euros."]
RIGHT = {"question": "What does a ticket cost?", "references": REFERENCES, "answer": "A ticket costs 12 euros."}
WRONG = RIGHT | {"answer": "A ticket costs 14 euros. The museum opened in 1997."}


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """Return a service with all witnesses; the reader is loaded once for all tests here."""
    app = create_app(ServiceSettings(data_dir=tmp_path_factory.mktemp("service")))
    with TestClient(app, base_url="http://localhost") as client:
        yield Running(app, client)


@pytest.mark.parametrize("witness", WITNESSES)
def test_every_witness_tells_right_from_wrong(shipped: Running, witness: str) -> None:
    right, wrong = shipped.check(RIGHT, witness=witness), shipped.check(WRONG, witness=witness)
    assert right["report"]["detector"]["witness"] == wrong["report"]["detector"]["witness"] == witness
    assert right["report"]["score"] < wrong["report"]["score"]
    if witness != "internal":
        assert wrong["report"]["verdict"] == "hallucinated"
        assert any("14" in span["text"] for span in wrong["report"]["spans"])


def test_the_services_own_choice_is_both(shipped: Running) -> None:
    assert shipped.check(WRONG)["report"]["detector"]["witness"] == "both"
    assert shipped.client.get("/readyz").json()["status"] == "ready"


def test_a_batch_may_ask_each_witness(shipped: Running) -> None:
    rows = [WRONG | {"witness": witness} for witness in WITNESSES]
    items = shipped.client.post("/v1/check/batch", json={"checks": rows}).json()["items"]
    assert [item["check"]["report"]["detector"]["witness"] for item in items] == list(WITNESSES)
    assert items[0]["check"]["report"]["score"] == pytest.approx(shipped.check(WRONG)["report"]["score"], abs=1e-4)


@pytest.mark.parametrize("witness", ["both", "geometry"])
def test_a_streamed_answer_ends_with_the_report_of_an_ordinary_check(shipped: Running, witness: str) -> None:
    found = events(shipped.client.post("/v1/check/stream", json=WRONG | {"witness": witness}).text)
    assert [kind for kind, _ in found] == ["stream", "tokens", "report"]
    report, check = found[-1][1]["report"], shipped.check(WRONG, witness=witness)["report"]
    assert report["score"] == pytest.approx(check["score"], abs=1e-4)
    assert [span["text"] for span in report["spans"]] == [span["text"] for span in check["spans"]]
    assert report["verdict"] == check["verdict"]
