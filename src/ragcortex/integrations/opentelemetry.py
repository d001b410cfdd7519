"""OpenTelemetry: judgements in the traces of the program that asks for them.

    detector = TracedDetector(Detector.load())    # a span for each check
    record_report(report)                         # or: an event of the span that is open now

The event is the conventions' `gen_ai.evaluation.result`, named `hallucination`: higher is worse. No text of a question,
a reference or an answer becomes part of a trace. Spans go where the program's own go; nothing is set up here.
"""

from collections.abc import Iterator
from typing import Any, Final

from ragcortex.detectors.detector import Detector, Outcome
from ragcortex.errors import RagcortexError
from ragcortex.example import Example
from ragcortex.integrations.extras import missing
from ragcortex.report import DetectorInfo, Report

try:
    from opentelemetry import trace
    from opentelemetry.trace import Span, Status, StatusCode
except ImportError as error:
    raise missing("opentelemetry-api", "otel") from error

EVENT: Final = "gen_ai.evaluation.result"
_NAME: Final = "hallucination"


def record_report(report: Report, *, span: Span | None = None, action: str | None = None) -> None:
    """Add a judgement to a span: an event with verdict and score, and the same as attributes of the span.

    Args:
        report: the judgement.
        span: where; by default the span that is open now, and nothing happens where none is.
        action: what was done with the answer (`GuardedAnswer.action`).
    """
    where = trace.get_current_span() if span is None else span
    where.set_attributes(_attributes(report, action))
    where.add_event(EVENT, _event(report))


class TracedDetector(Detector):
    """Another detector whose checks are spans named `ragcortex.check`, children of the span that is open.

    Of `check_many`, which reads in groups, each judgement is an event of the span that is open when it comes.
    """

    def __init__(self, detector: Detector, *, tracer_provider: trace.TracerProvider | None = None) -> None:
        """Wrap a detector; by default spans go to the program's own provider."""
        self.detector = detector
        self._tracer = trace.get_tracer("ragcortex", tracer_provider=tracer_provider)

    def check_example(self, example: Example) -> Report:
        """Return the detector's report on one example.

        Raises:
            RagcortexError: as the detector; the span then has the kind of error, without its message.
        """
        # The library would write an error's message and traceback into the span, which may quote an answer.
        with self._tracer.start_as_current_span(
            "ragcortex.check", record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                report = self.detector.check_example(example)
            except RagcortexError as error:
                span.set_status(Status(StatusCode.ERROR))
                span.set_attribute("error.type", type(error).__name__)
                raise
            record_report(report, span=span)
            return report

    @property
    def info(self) -> DetectorInfo:
        """Who judges: the detector within."""
        return self.detector.info

    def _outcomes(self, examples: Iterator[Example]) -> Iterator[Outcome]:
        for outcome in self.detector.check_many(examples):
            if outcome.report is not None:
                record_report(outcome.report)
            yield outcome


def _attributes(report: Report, action: str | None) -> dict[str, Any]:
    values = {
        "ragcortex.verdict": report.verdict,
        "ragcortex.score": report.score,
        "ragcortex.witness": report.detector.witness,
        "ragcortex.spans": len(report.spans),
        "ragcortex.action": action,
    }
    return {name: value for name, value in values.items() if value is not None}


def _event(report: Report) -> dict[str, Any]:
    values = {
        "gen_ai.evaluation.name": _NAME,
        "gen_ai.evaluation.score.value": report.score,
        "gen_ai.evaluation.score.label": report.verdict,
    }
    return {name: value for name, value in values.items() if value is not None}
