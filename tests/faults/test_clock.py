"""A clock that is set while the service runs: durations do not notice, the trail stays whole, nothing is lost."""

import datetime
import importlib
import pkgutil
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi.testclient import TestClient

import ragcortex.service
from made_detectors import geometric
from made_embedder import WordEmbedder
from ragcortex.service.app import clock_ahead, create_app, take_care_once
from ragcortex.service.audit import export_lines
from ragcortex.service.audit_chain import verify
from ragcortex.service.judges import Judges
from ragcortex.service.keys import create_key, new_token
from ragcortex.service.lane_detectors import LaneDetectors
from ragcortex.service.settings import ServiceSettings
from ragcortex.service.state import Service
from ragcortex.service.storage.tables import Check

BODY = {"references": ["It was built in 1874."], "answer": "It was built in 1902."}
DAY = 86_400.0


class Wall:
    """The clock on the wall, that may be set."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def module(self) -> Any:
        """Return a stand-in for the module `datetime` whose `now` follows this clock."""
        wall = self

        class Set(datetime.datetime):
            @classmethod
            def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:  # type: ignore[override]
                return datetime.datetime.now(tz) + datetime.timedelta(seconds=wall.ahead)

        return SimpleNamespace(**{**vars(datetime), "datetime": Set})


@pytest.fixture
def wall(monkeypatch: pytest.MonkeyPatch) -> Wall:
    """Return the clock that every module of the service sees."""
    wall, real = Wall(), time.time
    module = wall.module()
    for found in pkgutil.walk_packages(ragcortex.service.__path__, "ragcortex.service."):
        if "migrations" in found.name or "tables" in found.name or "schemas" in found.name:
            continue
        one = importlib.import_module(found.name)
        if getattr(one, "datetime", None) is datetime:
            monkeypatch.setattr(one, "datetime", module)
    monkeypatch.setattr(time, "time", lambda: real() + wall.ahead)
    return wall


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """Return a client of a service that needs keys and keeps texts for 30 days."""
    monkeypatch.setattr("ragcortex.service.corpora.load_embedder", lambda *_, **__: WordEmbedder())
    settings = ServiceSettings(data_dir=tmp_path, load_reader=False, auth="keys", retention_days=30)
    judges = Judges(LaneDetectors({"geometry": geometric()}, WordEmbedder()), None, settings)
    with TestClient(create_app(settings, judges=judges), base_url="http://localhost") as client:
        yield client
    judges.close()


def service_behind(client: TestClient) -> Service:
    service: Service = client.app.state.service  # type: ignore[attr-defined]
    return service


def key(client: TestClient, **limits: Any) -> dict[str, str]:
    """Return the header with a new key of all scopes."""
    token, now = new_token(), datetime.datetime.now(datetime.UTC)
    values: dict[str, Any] = {"name": f"key-{token.id}", "scopes": ["admin"], "rate_per_minute": None} | limits
    service_behind(client).database.run(
        lambda session: create_key(session, token=token, expires_at=None, now=now, **values)
    )
    return {"Authorization": f"Bearer {token.text}"}


def test_a_clock_that_jumps_breaks_no_trail_and_no_duration(client: TestClient, wall: Wall) -> None:
    own = key(client)
    made = []
    for ahead in (0.0, 400 * DAY, -400 * DAY, 3600.0, -3600.0):
        wall.ahead = ahead
        response = client.post("/v1/check", json=BODY, headers=own)
        assert response.status_code == 200, response.text
        made.append(response.json())
    verdict = verify(export_lines(service_behind(client).database))
    assert verdict.unbroken, verdict.problems
    assert len({one["id"] for one in made}) == 5
    listed = client.get("/v1/checks", headers=own)
    assert {one["id"] for one in listed.json()["checks"]} == {one["id"] for one in made}
    text = client.get("/metrics", headers=own).text
    (total,) = [float(line.split()[1]) for line in text.splitlines() if "check_duration_seconds_sum" in line]
    assert 0 <= total < 60, "five checks took milliseconds each, whatever the clock said"


@pytest.mark.parametrize("ahead", [400 * DAY, -400 * DAY])
def test_limits_a_minute_do_not_follow_the_clock(client: TestClient, wall: Wall, ahead: float) -> None:
    own = key(client, rate_per_minute=2)
    assert [client.get("/v1/checks", headers=own).status_code for _ in range(2)] == [200, 200]
    wall.ahead = ahead
    refused = client.get("/v1/checks", headers=own)
    assert refused.status_code == 429
    assert 1 <= int(refused.headers["retry-after"]) <= 31


@pytest.mark.parametrize("ahead", [400 * DAY, -400 * DAY])
def test_a_named_request_is_answered_once_whatever_the_clock_says(client: TestClient, wall: Wall, ahead: float) -> None:
    own = key(client) | {"Idempotency-Key": "order-4711"}
    first = client.post("/v1/check", json=BODY, headers=own).json()
    wall.ahead = ahead
    again = client.post("/v1/check", json=BODY, headers=own)
    assert again.headers["idempotency-replayed"] == "true"
    assert again.json()["id"] == first["id"]


def test_a_clock_set_forward_deletes_nothing_for_an_hour(
    client: TestClient, wall: Wall, caplog: pytest.LogCaptureFixture
) -> None:
    own, service = key(client), service_behind(client)
    made = client.post("/v1/check", json=BODY, headers=own).json()

    def kept() -> bool:
        return service.database.run(lambda session: session.get_one(Check, made["id"]).answer is not None)

    ahead = take_care_once(service, clock_ahead(service))
    wall.ahead = 400 * DAY
    ahead = take_care_once(service, ahead)
    assert caplog.messages == ["the clock went forward by 34560000 s: nothing is deleted by age for an hour"]
    assert kept(), "the clock may still be set right"
    wall.ahead = 0.0
    ahead = take_care_once(service, ahead)
    assert kept()
    for _ in range(2):
        wall.ahead = 40 * DAY
        ahead = take_care_once(service, ahead)
    assert not kept(), "a clock that stays where it was set is believed"
