"""What holds for every answer: its headers and ids; host names; logs without secrets; and faults of our own."""

import logging
import threading
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from made_judges import use_words
from running import GROUNDED, WRONG, Running, check_headers, problem
from sqlalchemy import text
from sqlalchemy.engine import make_url

from made_embedder import WordEmbedder
from ragcortex.errors import InputError
from ragcortex.service.app import create_app
from ragcortex.service.batching import Busy
from ragcortex.service.judges import Judges
from ragcortex.service.settings import ServiceSettings

SECRET = "secret" + "word"  # in no line of source that a traceback shows

# Headers and ids.


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/healthz", 200), ("GET", "/readyz", 200), ("GET", "/metrics", 200), ("GET", "/v1/openapi.json", 200),
     ("GET", "/v1/audit/export", 200), ("GET", "/v1/reviews/export", 200), ("GET", "/nowhere", 404),
     ("POST", "/healthz", 405), ("POST", "/v1/calibrations/deactivate", 204), ("GET", "/", 200)],
)  # fmt: skip
def test_every_answer_has_careful_headers(running: Running, method: str, path: str, status: int) -> None:
    response = running.client.request(method, path)
    assert response.status_code == status
    check_headers(response)
    assert "server" not in response.headers
    assert "strict-transport-security" not in response.headers, "that is the proxy's to say, who has the certificate"


def test_files_of_the_pages_may_be_kept_by_browsers(running: Running) -> None:
    response = running.client.get("/static/style.css")
    assert response.status_code == 200
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cache-control"] == "no-cache"
    assert running.client.get("/static/../settings.py").status_code == 404
    assert running.client.get("/static/%2e%2e/%2e%2e/settings.py").status_code == 404


def test_requests_have_ids_of_their_own_or_those_they_bring(running: Running) -> None:
    ids = {running.client.get("/healthz").headers["x-request-id"] for _ in range(20)}
    assert len(ids) == 20
    brought = running.client.get("/nowhere", headers={"X-Request-ID": "trace-7.a_B"})
    assert brought.headers["x-request-id"] == brought.json()["request_id"] == "trace-7.a_B"
    for bad in ("", "a b", "a\tb", "x" * 65, "<script>", "é".encode("latin-1")):
        given = running.client.get("/healthz", headers={"X-Request-ID": bad}).headers["x-request-id"]
        assert len(given) == 16


def test_an_error_is_a_page_where_a_browser_asks_for_one(running: Running) -> None:
    browser = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
    response = running.client.get("/nowhere", headers=browser)
    assert (response.status_code, response.headers["content-type"]) == (404, "text/html; charset=utf-8")
    check_headers(response)
    assert response.headers["x-request-id"] in response.text
    assert problem(running.client.get("/v1/nowhere", headers=browser), 404), "the API answers as the API"


# Host names.


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost", 200), ("LOCALHOST:8765", 200), ("127.0.0.1", 200), ("127.0.0.1:80", 200), ("[::1]:8765", 200),
     ("[::1]", 200), ("evil.example", 400), ("localhost.evil.example", 400), ("evil.example:8765", 400), ("", 400),
     ("localhost@evil.example", 400), ("evil@localhost", 400), ("localhost:80:80", 400), ("[::1", 400),
     ("localhost/", 400), ("127.0.0.1.evil.example", 400), ("169.254.169.254", 400)],
)  # fmt: skip
def test_only_names_of_this_machine_are_answered(running: Running, host: str, status: int) -> None:
    """Another site's name can be made to lead here; its pages would then count as ours."""
    for path in ("/healthz", "/v1/checks", "/static/style.css"):
        response = running.client.get(path, headers={"Host": host})
        assert response.status_code == status, path
        if status == 400:
            assert problem(response, 400)[1].startswith("requests for this host name are refused")


@pytest.mark.parametrize(
    ("allowed", "host", "status"),
    [
        ("a.example", "a.example", 200),
        ("a.example", "localhost", 200),
        ("a.example", "b.example", 400),
        ("a.example, B.example", "b.example:1", 200),
        ("*.example", "a.b.example", 200),
        ("*.example", "example", 400),
        ("*.example", "a.example.evil", 400),
        ("*", "anything", 200),
        ("*", "any thing", 400),
        ("[::2]", "[::2]:8765", 200),
    ],
)
@pytest.mark.parametrize("auth", ["none", "keys"])
def test_other_names_are_answered_where_they_are_allowed(
    start: Any, auth: str, allowed: str, host: str, status: int
) -> None:
    running = start(allowed_hosts=allowed, auth=auth)
    assert running.client.get("/healthz", headers={"Host": host}).status_code == status


def test_where_keys_are_needed_every_name_is_answered(guarded: Running) -> None:
    assert guarded.client.get("/healthz", headers={"Host": "any.example"}).status_code == 200
    assert problem(guarded.client.get("/v1/checks", headers={"Host": "any.example"}), 401)


# Logs.


def test_no_log_ever_holds_a_secret_or_a_text(
    start: Any, postgresql_url: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole run, with everything that may go wrong, at the finest level of every logger."""
    caplog.set_level(logging.DEBUG)
    url = make_url(postgresql_url).set(password=SECRET).render_as_string(hide_password=False)
    running = start(auth="keys", database=url, session_secret="session-" + SECRET)
    client, admin = running.client, running.key("admin", name="root")
    made = client.post("/v1/keys", json={"name": "shop", "scopes": ["check", "read", "review"]}, headers=admin).json()
    own = {"Authorization": f"Bearer {made['secret']}"}
    answer = "A walrus stands 52 metres above the zebras."
    body = WRONG | {
        "answer": answer,
        "references": ["A quokka stands 41 metres above."],
        "id": "okapi",
        "group": "tapir",
    }
    check_id = client.post("/v1/check", json=body, headers=own | {"Idempotency-Key": "numbat"}).json()["id"]
    client.post("/v1/check", json=body, headers=own | {"Idempotency-Key": "numbat"})
    client.post("/v1/check", json=body | {"policy": "dugong"}, headers=own)
    client.post("/v1/check", content=b'{"answer": "axolotl', headers=own | {"Content-Type": "application/json"})
    client.post("/v1/check/stream", json=body, headers=own)
    client.post("/v1/check", json=body, headers={"Authorization": f"Bearer {made['secret']}x"})
    client.get("/v1/checks", params={"text": "walrus"}, headers=own)
    review = {"label": 1, "spans": [{"start": 0, "end": 3, "type": "kakapo"}], "comment": "a kakapo"}
    client.post(f"/v1/checks/{check_id}/reviews", json=review, headers=own)
    client.post(f"/v1/checks/{check_id}/feedback", json={"rating": "wrong", "comment": "kakapo"}, headers=own)
    client.get("/v1/reviews/export", headers=own)
    client.delete(f"/v1/checks/{check_id}/text", headers=own)

    async def fail(*_: Any, **__: Any) -> None:
        raise ValueError(answer) from KeyError(answer)

    with monkeypatch.context() as patch:
        patch.setattr(running.service.judges, "judge", fail)
        assert client.post("/v1/check", json=body, headers=own).status_code == 500
    with running.service.database._engine.begin() as connection:
        connection.execute(text("DROP TABLE checks CASCADE"))
    assert client.post("/v1/check", json=body, headers=own).status_code == 503

    # The client's own loggers name the addresses that it asks for.
    records = [record for record in caplog.records if not record.name.startswith(("httpx", "httpcore"))]
    logged = "\n".join(f"{record.getMessage()} {record.exc_text or ''} {record.args!r}" for record in records)
    assert "POST /v1/check 200" in logged
    assert "unexpected ValueError" in logged
    words = [SECRET, made["secret"], made["secret"].split("_", 2)[2], own["Authorization"], admin["Authorization"]]
    words += ["walrus", "zebra", "quokka", "okapi", "tapir", "numbat", "dugong", "axolotl", "kakapo", "How high"]
    assert [word for word in words if word in logged] == []


def test_the_access_log_has_routes_and_not_addresses(running: Running, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "ragcortex.service.access")
    running.client.get("/v1/checks/" + SECRET, headers={"X-Request-ID": "abc"})
    running.client.get("/" + SECRET)
    lines = [record.getMessage() for record in caplog.records if record.name == "ragcortex.service.access"]
    assert lines[0].startswith("GET /v1/checks/{check_id} 404 ")
    assert lines[0].endswith(" ms abc")
    assert lines[1].startswith("GET - 404 ")
    assert SECRET not in running.client.get("/metrics").text


# Faults of our own.


def broken(running: Running, when: str) -> TestClient:
    """Return a client of the service with a route that fails before or after its answer has begun."""
    from fastapi.responses import StreamingResponse

    async def fails() -> Any:
        if when == "before":
            raise RuntimeError(SECRET)

        async def parts() -> Any:
            yield b"begun"
            raise RuntimeError(SECRET)

        return StreamingResponse(parts())

    for path in ("/v1/fails", "/fails"):
        running.app.add_api_route(path, fails)
    return running.client


def test_a_fault_before_the_answer_has_begun_is_a_problem(running: Running, caplog: pytest.LogCaptureFixture) -> None:
    client = broken(running, "before")
    response = client.get("/v1/fails")
    assert problem(response, 500) == (None, "an internal error; the service's log says more")
    assert SECRET not in response.text + caplog.text
    assert "unexpected RuntimeError" in caplog.text
    assert 'ragcortex_http_requests_total{method="GET",route="/v1/fails",status="500"}' in client.get("/metrics").text
    page = client.get("/fails", headers={"Accept": "text/html"})
    assert (page.status_code, page.headers["content-type"]) == (500, "text/html; charset=utf-8")
    check_headers(page)


def test_a_fault_after_the_answer_has_begun_leaves_it_unfinished(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    client = broken(running, "after")
    sent: list[Any] = []

    async def call() -> None:
        scope = {"type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1",
                 "method": "GET", "path": "/v1/fails", "raw_path": b"/v1/fails", "root_path": "", "scheme": "http",
                 "query_string": b"", "headers": [(b"host", b"localhost")], "client": ("test", 1),
                 "server": ("localhost", 80)}  # fmt: skip

        async def receive() -> Any:
            import anyio

            await anyio.sleep(10)

        async def send(message: Any) -> None:
            sent.append(message)

        await running.app(scope, receive, send)

    client.portal.call(call)  # type: ignore[union-attr]
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    assert sent[-1]["more_body"], "it is not ended, so that nobody takes it for whole"
    assert "unexpected RuntimeError" in caplog.text
    assert SECRET not in caplog.text
    assert "GET /v1/fails 500" in caplog.text


def test_a_database_that_fails_is_a_503(running: Running, caplog: pytest.LogCaptureFixture) -> None:
    with running.service.database._engine.begin() as connection:
        connection.execute(text("DROP TABLE checks"))
    response = running.client.post("/v1/check", json=GROUNDED)
    assert problem(response, 503)[1].startswith("the SQLite database lacks tables of this version")
    assert "StoreError" in caplog.text


def test_readiness_tells_of_the_database_and_of_stopping(start: Any, postgresql_server: Any) -> None:
    name = postgresql_server.create()
    running = start(database=postgresql_server.url_of(name))
    assert running.client.get("/readyz").json() == {"status": "ready", "problems": []}
    postgresql_server.drop(name)
    response = running.client.get("/readyz")
    assert (response.status_code, response.json()["problems"]) == (503, ["the database does not answer"])
    assert running.client.get("/healthz").status_code == 200
    check_headers(response)


# Beginning and end.


def test_judges_that_are_given_stay_their_owners(judges: Judges, start: Any, tmp_path: Path) -> None:
    for name in ("a", "b"):
        settings = ServiceSettings(data_dir=tmp_path / name, load_reader=False)
        with TestClient(create_app(settings, judges=judges), base_url="http://localhost") as client:
            assert client.post("/v1/check", json=GROUNDED).status_code == 200


def test_judges_of_the_service_end_with_it(tmp_path: Path) -> None:
    before = threading.enumerate()
    with pytest.MonkeyPatch.context() as patch:
        use_words(patch, tmp_path / "model")
        patch.setattr("ragcortex.service.corpora.load_embedder", lambda *_, **__: WordEmbedder())
        app = create_app(ServiceSettings(data_dir=tmp_path / "own", load_reader=False))
        with TestClient(app, base_url="http://localhost") as client:
            assert client.post("/v1/check", json=GROUNDED).status_code == 200
            shown = client.get("/metrics").text
            assert 'ragcortex_batch_answers_count{lane="geometry"} 1.0' in shown
    with pytest.raises(Busy, match="it is being stopped"):
        app.state.service.judges.warm()
    assert not app.state.service.ready
    left = [thread.name for thread in threading.enumerate() if thread not in before]
    assert not [name for name in left if name.startswith("ragcortex-corpora")]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"policy": "mine"}, "policy: must be one of observe, review-only, strict, triage, got 'mine'"),
        ({"policies": Path("/nowhere.json")}, "policies: '/nowhere.json' cannot be read as JSON"),
    ],
)
def test_settings_that_do_not_go_together_are_refused_at_once(
    tmp_path: Path, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        create_app(ServiceSettings(data_dir=tmp_path, load_reader=False, **settings))
    assert str(caught.value).startswith(message)


def test_a_start_that_fails_closes_what_it_opened(tmp_path: Path) -> None:
    settings = ServiceSettings(data_dir=tmp_path, load_reader=False, calibration=tmp_path / "none.json")
    with (
        pytest.raises(Exception, match="does not exist; run `ragcortex calibrate` to make one"),
        TestClient(create_app(settings), base_url="http://localhost"),
    ):
        pass
    assert not any(path.name.endswith("-wal") for path in tmp_path.iterdir()), "the database was closed"
