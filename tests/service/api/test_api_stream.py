"""`/v1/check/stream`: an answer that is judged while it arrives, from its first event to its end, whatever that is."""

import contextlib
import json
import queue
import threading
import time
from collections.abc import Iterator
from typing import Any

import anyio
import pytest
from running import GROUNDED, REFERENCES, WRONG, Headers, Running, check_headers, events, problem

from ragcortex.service.api.stream import MOST_STREAMS
from ragcortex.service.app import begin_stop

PATH = "/v1/check/stream"
PARTS = ("It stands 52 metres", " above the sea. A poet", " lived there.")
SECRET = "secret" + "word"  # in no line of source that a traceback shows
OPEN = {"references": REFERENCES, "open": True}


def scope_of(headers: Headers) -> dict[str, Any]:
    """Return what the server says of a request; by this version it tells in `receive` that the client has gone."""
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "path": PATH,
        "raw_path": PATH.encode(),
        "root_path": "",
        "scheme": "http",
        "query_string": b"",
        "headers": [(n.lower().encode(), v.encode()) for n, v in ({"host": "localhost"} | headers).items()],
        "client": ("test", 1),
        "server": ("localhost", 80),
    }


class Stream:
    """An open stream whose events are read in a thread, as a client on the network does."""

    def __init__(self, running: Running, body: dict[str, Any], headers: Headers | None = None) -> None:
        self.running = running
        self.headers = headers
        self.status = 0
        self._events: queue.Queue[tuple[str, Any]] = queue.Queue()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._read, args=(body,), daemon=True)
        self._thread.start()

    def _read(self, body: dict[str, Any]) -> None:
        # The test client gives a response once it is whole, so this speaks ASGI, in the loop of the application.
        self.running.client.portal.call(self._call, body)  # type: ignore[union-attr]
        self._done.set()

    async def _call(self, body: dict[str, Any]) -> None:
        content = json.dumps(body).encode()
        scope = scope_of({"content-type": "application/json"} | (self.headers or {}))
        messages = [{"type": "http.request", "body": content, "more_body": False}]
        self.leave = anyio.Event()
        text = ""

        async def receive() -> Any:
            if messages:
                return messages.pop()
            await self.leave.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            nonlocal text
            if message["type"] == "http.response.start":
                self.status = message["status"]
                return
            text += message.get("body", b"").decode()
            *whole, text = text.split("\n\n")
            for event in events("\n\n".join(whole)):
                self._events.put(event)

        await self.running.app(scope, receive, send)

    def next(self, seconds: float = 10) -> tuple[str, Any]:
        return self._events.get(timeout=seconds)

    def rest(self) -> list[tuple[str, Any]]:
        """Return the events that are left, once the stream has ended."""
        assert self._done.wait(10)
        found = []
        with contextlib.suppress(queue.Empty):
            while True:
                found.append(self._events.get_nowait())
        return found

    def more(self, text: str = "", *, end: bool = False, id: str | None = None, headers: Headers | None = None) -> Any:
        body = {"text": text, "end": end}
        path = f"{PATH}/{id or self.id}"
        return self.running.client.post(path, json=body, headers=headers or self.headers)

    def hang_up(self) -> None:
        self.running.client.portal.call(self._leave)  # type: ignore[union-attr]
        self._done.wait(10)

    async def _leave(self) -> None:
        self.leave.set()

    def opened(self) -> "Stream":
        kind, values = self.next()
        assert kind == "stream"
        self.id = values["id"]
        return self


@pytest.fixture
def stream(running: Running) -> Iterator[Stream]:
    opened = Stream(running, OPEN | {"answer": PARTS[0]}).opened()
    yield opened
    opened.hang_up()


def n_open(running: Running) -> int:
    return len(running.app.state.streams)


def test_a_whole_answer_ends_with_the_report_of_an_ordinary_check(running: Running) -> None:
    answer = "".join(PARTS)
    body = WRONG | {"answer": answer, "id": "7"}
    response = running.client.post(PATH, json=body)
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    check_headers(response)
    found = events(response.text)
    assert [kind for kind, _ in found] == ["stream", "tokens", "report"]
    report = found[-1][1]["report"]
    check = running.check(body)
    assert report == check["report"]
    kept = running.client.get(f"/v1/checks/{found[-1][1]['id']}").json()
    assert (kept["report"], kept["summary"]["answer"]) == (report, answer)
    assert n_open(running) == 0


def test_an_answer_arrives_in_parts(running: Running, stream: Stream) -> None:
    for number, part in enumerate(PARTS[1:], start=1):
        response = stream.more(part, end=number == 2)
        assert (response.status_code, response.json()) == (202, {"n_characters": len("".join(PARTS[: number + 1]))})
    rest = stream.rest()
    assert {kind for kind, _ in rest[:-1]} <= {"tokens"}
    kind, check = rest[-1]
    assert kind == "report"
    assert check["report"] == running.check(references=REFERENCES, answer="".join(PARTS), question=None)["report"]
    assert n_open(running) == 0
    assert problem(stream.more("x"), 404)[0] == "stream_id"


def test_tokens_come_before_the_answer_has_ended(running: Running, stream: Stream) -> None:
    stream.more(PARTS[1])
    kind, values = stream.next()
    assert (kind, values["final"]) == ("tokens", False)
    assert [span["text"] for span in values["spans"]] == ["52"]
    assert "".join(token["text"] for token in values["tokens"]) == "It stands 52 metres above the sea."
    stream.more(end=True)
    assert stream.rest()[-1][0] == "report"


def test_an_answer_that_has_ended_takes_no_more(running: Running, stream: Stream) -> None:
    lane = running.service.judges._lanes["geometry"]
    go = threading.Event()
    lane._call(lambda: go.wait(20))  # so that the stream is still there
    try:
        assert stream.more(end=True).status_code == 202
        assert problem(stream.more("x"), 409) == (None, "this answer has ended; open another stream")
    finally:
        go.set()
    assert stream.rest()[-1][0] == "report"


def test_an_empty_answer_is_one(running: Running) -> None:
    found = events(running.client.post(PATH, json={"references": REFERENCES}).text)
    assert [kind for kind, _ in found] == ["stream", "report"]
    assert found[-1][1]["report"]["verdict"] == "no_claim"


def test_an_answer_that_gets_too_long_is_refused(start: Any) -> None:
    running = start(max_answer_chars=30)
    assert problem(running.client.post(PATH, json=OPEN | {"answer": "x" * 31}), 422)[0] == "answer"
    stream = Stream(running, OPEN | {"answer": PARTS[0]}).opened()
    detail = "makes the answer longer than the 30 characters that this service takes"
    assert problem(stream.more("x" * 12), 422) == ("text", detail)
    assert stream.more("x" * 11, end=True).status_code == 202
    assert stream.rest()[-1][0] == "report"


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [
        ({"references": None}, 422, "references"),
        ({"witness": "both"}, 422, "witness"),
        ({"policy": "mine"}, 422, "policy"),
        ({"corpus": "coast", "references": None}, 422, "corpus"),
        ({"answer": 3}, 422, "answer"),
        ({"answer": "a\0"}, 422, "answer"),
    ],
)
def test_what_is_wrong_is_said_before_the_stream_begins(
    running: Running, change: dict[str, Any], status: int, field: str
) -> None:
    assert problem(running.client.post(PATH, json=OPEN | change), status)[0] == field
    assert n_open(running) == 0


def test_streams_of_nobody_and_of_others_are_not_found(guarded: Running) -> None:
    own, other = guarded.key("check", name="ada"), guarded.key("check", name="ben")
    stream = Stream(guarded, OPEN, own).opened()
    detail = f"no answer is being streamed under '{stream.id}'"
    assert problem(stream.more("x", headers=other), 404) == ("stream_id", detail)
    assert problem(stream.more("x", id="0" * 32), 404)[0] == "stream_id"
    assert problem(guarded.client.post(f"{PATH}/{stream.id}", json={"text": "x"}), 401)
    assert stream.more(WRONG["answer"], end=True).status_code == 202
    assert stream.rest()[-1][0] == "report"


def test_a_client_that_goes_away_is_forgotten(running: Running) -> None:
    stream = Stream(running, OPEN | {"answer": PARTS[0]}).opened()
    assert n_open(running) == 1
    stream.hang_up()
    assert n_open(running) == 0
    assert problem(stream.more("x"), 404)
    assert running.client.get("/v1/checks").json()["checks"] == []


def test_a_client_that_goes_away_at_once_is_forgotten_too(running: Running) -> None:
    """Before the first event was asked for, so that the generator of events never ran."""

    sent: list[str] = []

    async def gone() -> None:
        messages = [{"type": "http.request", "body": json.dumps(OPEN).encode(), "more_body": False}]

        async def receive() -> Any:
            return messages.pop() if messages else {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message["type"])

        await running.app(scope_of({"content-type": "application/json"}), receive, send)

    for _ in range(3):
        running.client.portal.call(gone)  # type: ignore[union-attr]
    assert n_open(running) == 0
    assert "http.response.body" not in sent


def test_no_more_streams_are_open_than_may(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_STREAMS == 32
    monkeypatch.setattr("ragcortex.service.api.stream.MOST_STREAMS", 2)
    streams = [Stream(running, OPEN).opened() for _ in range(2)]
    response = running.client.post(PATH, json=GROUNDED)
    assert problem(response, 429) == (None, "2 answers are being streamed; try again later")
    assert response.headers["retry-after"] == "5"
    for stream in streams:
        stream.hang_up()
    assert events(running.client.post(PATH, json=GROUNDED).text)[-1][0] == "report"


def test_no_more_are_open_either_when_all_come_at_once(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragcortex.service.api.stream.MOST_STREAMS", 2)
    lane = running.service.judges._lanes["geometry"]
    go = threading.Event()
    lane._call(lambda: go.wait(20))
    streams = [Stream(running, OPEN) for _ in range(4)]
    time.sleep(0.3)
    try:
        assert n_open(running) == 2
    finally:
        go.set()
    deadline = time.monotonic() + 10
    while [stream.status for stream in streams].count(200) < 2 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert sorted(stream.status for stream in streams) == [200, 200, 429, 429]
    for stream in streams:
        if stream.status == 200:
            stream.hang_up()
    assert n_open(running) == 0


def test_a_stream_that_says_nothing_any_more_is_ended(start: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragcortex.service.api.stream._KEEP_ALIVE_SECONDS", 0.1)
    running = start(timeout_seconds=0.35)
    began = time.monotonic()
    stream = Stream(running, OPEN).opened()
    ((kind, values),) = stream.rest()
    assert 0.3 < time.monotonic() - began < 5
    assert (kind, values["status"]) == ("problem", 504)
    assert values["detail"] == "no more of the answer has come for 0.35 s; stream it again"
    assert n_open(running) == 0


def test_an_error_in_the_middle_is_an_event(
    running: Running, stream: Stream, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def run(*_: Any, **__: Any) -> None:
        raise ValueError(SECRET)

    monkeypatch.setattr(running.service.judges, "run", run)
    stream.more("x", end=True)
    kind, values = stream.rest()[-1]
    assert (kind, values["status"]) == ("problem", 500)
    assert values["detail"] == "an internal error; the service's log says more"
    assert SECRET not in caplog.text
    assert n_open(running) == 0


def test_a_service_that_stops_ends_what_is_open_and_finishes_what_has_ended(running: Running) -> None:
    lane = running.service.judges._lanes["geometry"]
    waiting, whole = Stream(running, OPEN).opened(), Stream(running, OPEN).opened()
    go = threading.Event()
    lane._call(lambda: go.wait(20))
    try:
        assert whole.more(WRONG["answer"], end=True).status_code == 202
        begin_stop(running.app)
        running.client.portal.call(anyio.sleep, 0)  # type: ignore[union-attr]
        assert waiting.more("x").status_code in (404, 409)
        response = running.client.get("/readyz")
        assert (response.status_code, response.json()["status"]) == (503, "not ready")
    finally:
        go.set()
    assert [(kind, values.get("status")) for kind, values in waiting.rest()] == [("problem", 503)]
    assert whole.rest()[-1][0] == "report"
    assert n_open(running) == 0
