"""Spans: a tree of request, wait, judge and store; no texts; nothing without an endpoint; a missing library is said."""

import asyncio
import sys
from collections.abc import Sequence

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from ragcortex.errors import InputError
from ragcortex.service.batching import Batcher
from ragcortex.service.tracing import JUDGE, STORE, WAIT, Tracing

SECRET = "the patient takes two tablets"


@pytest.fixture
def exporter() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def tracing(exporter: InMemorySpanExporter) -> Tracing:
    return Tracing.to(exporter, at_once=True)


def by_name(exporter: InMemorySpanExporter) -> dict[str, ReadableSpan]:
    return {span.name: span for span in exporter.get_finished_spans()}


def test_a_request_with_its_steps(tracing: Tracing, exporter: InMemorySpanExporter) -> None:
    def work(items: Sequence[str]) -> list[str]:
        return list(items)

    async def handled() -> None:
        lane: Batcher[str, str] = Batcher(work, batch_size=2, queue_size=2, name="traced")
        with tracing.request("POST", {}) as request:
            with tracing.steps(WAIT, witness="both", corpus_used=False) as steps:
                await lane.submit(SECRET, timeout=5, started=lambda: steps.next(JUDGE))
            with tracing.span(STORE) as store:
                store.set(verdict="grounded", action="pass", score=0.2)
            request.answered("POST", "/v1/check", 200)
        await lane.drain(5)

    asyncio.run(handled())
    spans = by_name(exporter)
    assert set(spans) == {"POST /v1/check", "wait", "judge", "store"}
    request = spans["POST /v1/check"]
    assert request.kind == SpanKind.SERVER
    assert dict(request.attributes or {}) == {
        "http.request.method": "POST", "http.route": "/v1/check", "http.response.status_code": 200,
    }  # fmt: skip
    for name in ("wait", "judge", "store"):
        parent = spans[name].parent
        assert parent is not None
        assert parent.span_id == request.context.span_id
    assert dict(spans["judge"].attributes or {}) == {"ragcortex.witness": "both", "ragcortex.corpus_used": False}
    assert dict(spans["store"].attributes or {}) == {
        "ragcortex.verdict": "grounded", "ragcortex.action": "pass", "ragcortex.score": 0.2,
    }  # fmt: skip
    assert spans["wait"].end_time is not None
    assert spans["judge"].start_time is not None
    assert spans["wait"].end_time <= spans["judge"].start_time


def test_a_caller_s_trace_goes_on(tracing: Tracing, exporter: InMemorySpanExporter) -> None:
    trace = "0af7651916cd43dd8448eb211c80319c"
    with tracing.request("GET", {"traceparent": f"00-{trace}-b7ad6b7169203331-01"}) as request:
        request.answered("GET", None, 404)
    (span,) = exporter.get_finished_spans()
    assert span.name == "GET"
    assert f"{span.context.trace_id:032x}" == trace
    assert span.parent is not None
    with tracing.request("GET", {"traceparent": "rubbish"}):
        pass
    assert exporter.get_finished_spans()[-1].parent is None


def test_an_error_is_its_kind_and_no_text(tracing: Tracing, exporter: InMemorySpanExporter) -> None:
    with pytest.raises(InputError), tracing.request("POST", {}), tracing.steps(WAIT, witness="both"):
        raise InputError("answer", SECRET)
    spans = exporter.get_finished_spans()
    assert [span.name for span in spans] == ["wait", "POST"]
    for span in spans:
        assert span.status.status_code == StatusCode.ERROR
        assert (span.attributes or {})["error.type"] == "InputError"
        assert span.events == ()
        assert SECRET not in span.to_json()


def test_a_cancelled_wait_ends_its_span(tracing: Tracing, exporter: InMemorySpanExporter) -> None:
    async def handled() -> None:
        with tracing.steps(WAIT, witness="both"):
            await asyncio.sleep(30)

    async def scenario() -> None:
        task = asyncio.create_task(handled())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
    assert [(span.name, (span.attributes or {})["error.type"]) for span in exporter.get_finished_spans()] == [
        ("wait", "CancelledError")
    ]


def test_attributes_have_fixed_names(tracing: Tracing) -> None:
    message = r"^answer: is no attribute of a span; there are witness, verdict, action"
    with pytest.raises(InputError, match=message), tracing.span(STORE, answer=SECRET):
        pass
    with pytest.raises(InputError, match=r"^answer: "), Tracing().span(STORE, answer=SECRET):
        pass


def test_without_an_endpoint_nothing_is_traced() -> None:
    off = Tracing.load(None)
    with off.request("POST", {}) as request, off.steps(WAIT, witness="both") as steps, off.span(STORE) as store:
        steps.next(JUDGE)
        store.set(score=0.1)
        store.fail(ValueError())
        request.answered("POST", "/v1/check", 200)
    off.shutdown()


def test_the_endpoint_and_the_library_are_asked_for_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(
        InputError, match=r"^trace_endpoint: must be an http or https address, got one that begins with"
    ):
        Tracing.load("collector:4318")
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(
        InputError, match=r"^trace_endpoint: is set, but OpenTelemetry is not installed .*ragcortex\[otel"
    ):
        Tracing.load("http://127.0.0.1:4318")


@pytest.mark.parametrize(
    ("endpoint", "path"),
    [("http://127.0.0.1:{port}", "/v1/traces"), ("http://127.0.0.1:{port}/own/traces", "/own/traces")],
)
def test_spans_reach_a_collector(endpoint: str, path: str) -> None:
    from http.server import BaseHTTPRequestHandler, HTTPServer
    from threading import Thread

    got: list[tuple[str, bytes]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Keep the test's output clean."""

    with HTTPServer(("127.0.0.1", 0), Handler) as collector:
        thread = Thread(target=collector.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        tracing = Tracing.load(endpoint.format(port=collector.server_address[1]))
        with tracing.request("POST", {}) as request:
            request.answered("POST", "/v1/check", 200)
        tracing.shutdown()
        collector.shutdown()
        thread.join()
    ((asked, body),) = got
    assert asked == path
    assert b"POST /v1/check" in body
