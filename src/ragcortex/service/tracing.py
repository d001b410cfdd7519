"""Spans of requests and of their steps for OpenTelemetry; nothing where no endpoint is set.

No text of an answer, a question or a reference ever becomes part of a span: attributes have fixed names, an error is
its kind without its message.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from ragcortex.errors import InputError

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace.export import SpanExporter

Value = str | int | float | bool
WAIT: Final = "wait"
JUDGE: Final = "judge"
STORE: Final = "store"
ATTRIBUTES: Final = {
    name: f"ragcortex.{name}" for name in ("witness", "verdict", "action", "score", "answers", "corpus_used")
}
"""The only attributes of steps, with the names that they have in spans."""


class Traced:
    """A span that is being recorded, or nothing."""

    def __init__(self, span: Any = None) -> None:
        self._span = span

    def set(self, **values: Value) -> None:
        """Add attributes.

        Raises:
            InputError: a name is not one of `ATTRIBUTES`.
        """
        for name, value in _named(values).items():
            if self._span is not None:
                self._span.set_attribute(name, value)

    def fail(self, error: BaseException) -> None:
        """Mark the span as failed, with the kind of error."""
        if self._span is not None:
            from opentelemetry.trace import Status, StatusCode

            self._span.set_status(Status(StatusCode.ERROR))
            self._span.set_attribute("error.type", type(error).__name__)

    def answered(self, method: str, route: str | None, status: int) -> None:
        """Name a request by its method and its route's template, never by its path, and say its status."""
        if self._span is None:
            return
        self._span.set_attribute("http.response.status_code", status)
        if route is not None:
            self._span.set_attribute("http.route", route)
            self._span.update_name(f"{method} {route}")

    def end(self) -> None:
        """End the span now."""
        if self._span is not None:
            self._span.end()


class Steps:
    """Spans under one parent that follow each other without a gap, such as waiting and being judged."""

    def __init__(self, tracing: "Tracing", name: str, attributes: Mapping[str, Value]) -> None:
        self._tracing = tracing
        self._attributes = attributes
        self._parent = tracing.here()
        self.current = tracing.begin(name, self._parent, attributes)

    def next(self, name: str) -> None:
        """End the step and begin another one; may be called outside of the request's context."""
        self.current.end()
        self.current = self._tracing.begin(name, self._parent, self._attributes)


class Tracing:
    """Makes spans, of a provider of its own; does nothing without one."""

    def __init__(self, provider: Any = None) -> None:
        """Take an OpenTelemetry `TracerProvider`, or None to trace nothing."""
        self._provider = provider
        self._tracer = None if provider is None else provider.get_tracer("ragcortex", version("ragcortex"))

    @classmethod
    def load(cls, endpoint: str | None) -> "Tracing":
        """Return tracing to an endpoint that takes OTLP over HTTP; none if there is no endpoint.

        Args:
            endpoint: `http://host:4318`, to which `/v1/traces` is added, or a whole address.

        Raises:
            InputError: the endpoint is no address, or OpenTelemetry is not installed.
        """
        if endpoint is None:
            return cls()
        parts = urlsplit(endpoint)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise InputError(
                "trace_endpoint", f"must be an http or https address, got one that begins with {parts.scheme!r}"
            )
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        except ImportError as error:
            raise InputError(
                "trace_endpoint",
                f"is set, but OpenTelemetry is not installed ({error}); run `pip install 'ragcortex[otel]'`, or leave "
                "the endpoint out",
            ) from error
        whole = endpoint if parts.path not in ("", "/") else f"{endpoint.rstrip('/')}/v1/traces"
        return cls.to(OTLPSpanExporter(endpoint=whole))

    @classmethod
    def to(cls, exporter: "SpanExporter", *, at_once: bool = False) -> "Tracing":
        """Return tracing to an exporter, in batches of its own thread, or `at_once`."""
        from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor

        resource = Resource.create({SERVICE_NAME: "ragcortex", SERVICE_VERSION: version("ragcortex")})
        provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        provider.add_span_processor(SimpleSpanProcessor(exporter) if at_once else BatchSpanProcessor(exporter))
        return cls(provider)

    @contextmanager
    def request(self, method: str, headers: Mapping[str, str]) -> Iterator[Traced]:
        """Record a request while the block runs, as part of the caller's trace where its headers name one.

        The block says by `Traced.answered` what it was.

        Args:
            method: of the request.
            headers: of the request, with names in lower case.
        """
        parent = None
        if self._tracer is not None:
            from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

            parent = TraceContextTextMapPropagator().extract(headers)
        with self._entered(method, parent, {"http.request.method": method}, server=True) as traced:
            yield traced

    @contextmanager
    def span(self, name: str, **attributes: Value) -> Iterator[Traced]:
        """Record a step while the block runs; attributes as of `Traced.set`."""
        with self._entered(name, None, _named(attributes)) as traced:
            yield traced

    @contextmanager
    def steps(self, name: str, **attributes: Value) -> Iterator[Steps]:
        """Record steps that follow each other while the block runs, the first one by this name."""
        steps = Steps(self, name, _named(attributes))
        try:
            yield steps
        except BaseException as error:
            steps.current.fail(error)
            raise
        finally:
            steps.current.end()

    def here(self) -> "Context | None":
        """Return the context that spans begun now belong to."""
        if self._tracer is None:
            return None
        from opentelemetry.context import get_current

        return get_current()

    def begin(self, name: str, parent: "Context | None", attributes: Mapping[str, Value]) -> Traced:
        """Return a span that was begun, and that must be ended."""
        if self._tracer is None:
            return Traced()
        return Traced(self._tracer.start_span(name, context=parent, attributes=dict(attributes)))

    def shutdown(self) -> None:
        """Send what is left; blocks for some seconds at most."""
        if self._provider is not None:
            self._provider.shutdown()

    @contextmanager
    def _entered(
        self, name: str, parent: "Context | None", attributes: Mapping[str, Value], *, server: bool = False
    ) -> Iterator[Traced]:
        if self._tracer is None:
            yield Traced()
            return
        from opentelemetry.trace import SpanKind

        kind = SpanKind.SERVER if server else SpanKind.INTERNAL
        # The library would write an error's message and traceback into the span, which may quote an answer.
        with self._tracer.start_as_current_span(
            name, context=parent, kind=kind, attributes=dict(attributes),
            record_exception=False, set_status_on_exception=False,
        ) as span:  # fmt: skip
            traced = Traced(span)
            try:
                yield traced
            except BaseException as error:
                traced.fail(error)
                raise


def _named(values: Mapping[str, Value]) -> dict[str, Value]:
    """Return attributes by their names in spans."""
    for name in values:
        if name not in ATTRIBUTES:
            raise InputError(name, f"is no attribute of a span; there are {', '.join(ATTRIBUTES)}")
    return {ATTRIBUTES[name]: value for name, value in values.items()}
