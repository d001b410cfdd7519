"""Judgements in traces, read back from an exporter in memory."""

from typing import Any

import pytest
from made_chain import GROUNDED, INVENTED, QUESTION
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

import made_detectors as made
from made_embedder import WordEmbedder
from made_geometry import made_model
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.errors import InputError
from ragcortex.example import Example, Reference
from ragcortex.geometry.corpus import Corpus
from ragcortex.integrations.opentelemetry import EVENT, TracedDetector, record_report

WRONG = f"{GROUNDED} {INVENTED}"
DETECTOR = made.geometric()


class Traces:
    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.detector = TracedDetector(DETECTOR, tracer_provider=self.provider)

    @property
    def spans(self) -> tuple[ReadableSpan, ...]:
        return self.exporter.get_finished_spans()


def event(span: ReadableSpan, number: int = 0) -> dict[str, Any]:
    assert span.events[number].name == EVENT
    return dict(span.events[number].attributes or {})


def test_each_check_is_a_span_with_its_judgement() -> None:
    traces = Traces()
    with traces.provider.get_tracer("program").start_as_current_span("answering"):
        report = traces.detector.check(QUESTION, [GROUNDED], WRONG)
    check, answering = traces.spans
    assert (check.name, answering.name) == ("ragcortex.check", "answering")
    assert check.parent is not None
    assert check.parent.span_id == answering.get_span_context().span_id
    assert dict(check.attributes or {}) == {
        "ragcortex.verdict": "hallucinated",
        "ragcortex.score": report.score,
        "ragcortex.witness": "geometry",
        "ragcortex.spans": 1,
    }
    assert event(check) == {
        "gen_ai.evaluation.name": "hallucination",
        "gen_ai.evaluation.score.value": report.score,
        "gen_ai.evaluation.score.label": "hallucinated",
    }
    assert report == DETECTOR.check(QUESTION, [GROUNDED], WRONG)
    assert traces.detector.info == DETECTOR.info


def test_an_answer_that_was_not_judged_has_no_score() -> None:
    traces = Traces()
    traces.detector.check(QUESTION, [], GROUNDED)
    (check,) = traces.spans
    assert event(check) == {
        "gen_ai.evaluation.name": "hallucination",
        "gen_ai.evaluation.score.label": "not_verifiable",
    }


def test_many_checks_are_events_of_the_open_span() -> None:
    traces = Traces()
    examples = [Example.of(QUESTION, [GROUNDED], answer) for answer in (GROUNDED, WRONG)]
    with traces.provider.get_tracer("program").start_as_current_span("evaluating"):
        outcomes = list(traces.detector.check_many(examples))
    assert [outcome.report for outcome in outcomes] == [DETECTOR.check_example(one) for one in examples]
    (evaluating,) = traces.spans
    labels = [event(evaluating, number)["gen_ai.evaluation.score.label"] for number in range(2)]
    assert labels == ["grounded", "hallucinated"]


def test_a_guards_action_is_recorded_and_no_text_ever() -> None:
    traces = Traces()
    report = DETECTOR.check(QUESTION, [GROUNDED], WRONG)
    with traces.provider.get_tracer("program").start_as_current_span("guarding"):
        record_report(report, action="block")
    (span,) = traces.spans
    assert (span.attributes or {})["ragcortex.action"] == "block"
    assert "lighthouse" not in span.to_json()
    assert INVENTED not in span.to_json()
    record_report(report)  # no span is open: nothing happens
    assert len(traces.spans) == 1


def test_an_error_is_its_kind_without_its_message() -> None:
    corpus = Corpus.in_memory([Reference(GROUNDED)], WordEmbedder())
    detector = GeometricDetector(made_model(), WordEmbedder(), corpus=corpus)
    traces = Traces()
    with pytest.raises(InputError):
        TracedDetector(detector, tracer_provider=traces.provider).check(QUESTION, [GROUNDED], WRONG)
    (span,) = traces.spans
    assert span.status.status_code is StatusCode.ERROR
    assert span.status.description is None
    assert dict(span.attributes or {}) == {"error.type": "InputError"}
    assert span.events == ()
