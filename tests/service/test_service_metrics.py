"""What Prometheus is told: parsed back by its own parser, named and labelled by its rules."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from ragcortex.errors import ReadingError
from ragcortex.service.batching import BatchSeen
from ragcortex.service.drift import Drift
from ragcortex.service.metrics import CONTENT_TYPE, Metrics


def told(metrics: Metrics) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Return all samples by name and sorted labels."""
    families = text_string_to_metric_families(metrics.render().decode())
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in families
        for sample in family.samples
    }


def value(metrics: Metrics, name: str, **labels: str) -> float | None:
    return told(metrics).get((name, tuple(sorted(labels.items()))))


def test_a_judged_answer() -> None:
    metrics = Metrics()
    metrics.observe_check("both", "hallucinated", "review", 0.83, 0.4)
    metrics.observe_check("both", "no_claim", "pass", None, 0.001)
    counted = {"witness": "both"}
    assert value(metrics, "ragcortex_checks_total", verdict="hallucinated", action="review", **counted) == 1
    assert value(metrics, "ragcortex_checks_total", verdict="no_claim", action="pass", **counted) == 1
    assert value(metrics, "ragcortex_check_duration_seconds_count", **counted) == 2
    assert value(metrics, "ragcortex_check_duration_seconds_sum", **counted) == pytest.approx(0.401)
    assert value(metrics, "ragcortex_answer_score_ratio_count", **counted) == 1, "an unjudged answer has no score"
    assert value(metrics, "ragcortex_answer_score_ratio_bucket", le="0.8", **counted) == 0
    assert value(metrics, "ragcortex_answer_score_ratio_bucket", le="0.85", **counted) == 1


def test_failures_are_counted_by_kind_and_never_by_text() -> None:
    metrics = Metrics()
    metrics.observe_failure("geometry", ReadingError("of the answer «secret»"))
    assert value(metrics, "ragcortex_check_failures_total", witness="geometry", kind="ReadingError") == 1
    assert b"secret" not in metrics.render()


def test_batches_and_the_queue() -> None:
    metrics = Metrics()
    metrics.observe_batch(BatchSeen("reading", 3, (0.0, 0.1, 0.2), 0.7))
    metrics.set_queue("reading", 5)
    metrics.set_queue("reading", 2)
    assert value(metrics, "ragcortex_batch_answers_sum", lane="reading") == 3
    assert value(metrics, "ragcortex_batch_answers_bucket", lane="reading", le="2.0") == 0
    assert value(metrics, "ragcortex_batch_duration_seconds_sum", lane="reading") == pytest.approx(0.7)
    assert value(metrics, "ragcortex_queue_wait_seconds_count", lane="reading") == 3
    assert value(metrics, "ragcortex_queue_answers", lane="reading") == 2


def test_requests_by_the_template_of_their_route() -> None:
    metrics = Metrics()
    metrics.request("/v1/checks/{id}", "GET", 200, 0.01)
    for number in range(50):
        metrics.request(None, f"MADE-UP-{number}", 404, 0.001)
    got = {"route": "/v1/checks/{id}", "method": "GET"}
    assert value(metrics, "ragcortex_http_requests_total", status="200", **got) == 1
    assert value(metrics, "ragcortex_http_request_duration_seconds_count", **got) == 1
    assert value(metrics, "ragcortex_http_requests_total", route="unmatched", method="other", status="404") == 50


def test_drift_is_shown_while_it_is_known() -> None:
    metrics = Metrics()
    metrics.set_drift("both", None)
    metrics.set_drift("both", Drift(0.31, 0.2, 0.001, 400, 300))
    assert value(metrics, "ragcortex_drift_population_stability_index", witness="both") == 0.31
    assert value(metrics, "ragcortex_drift_kolmogorov_smirnov_ratio", witness="both") == 0.2
    assert value(metrics, "ragcortex_drift_p_value_ratio", witness="both") == 0.001
    assert value(metrics, "ragcortex_drift_answers", witness="both") == 300
    metrics.set_drift("both", None)
    assert value(metrics, "ragcortex_drift_answers", witness="both") is None


def test_what_runs() -> None:
    metrics = Metrics()
    metrics.set_build({"version": "0.1.0", "detector": "fusion"})
    assert value(metrics, "ragcortex_build_info", version="0.1.0", detector="fusion") == 1


def test_registries_are_apart_and_the_type_is_that_of_the_text() -> None:
    one, other = Metrics(), Metrics()
    one.set_queue("reading", 7)
    assert value(other, "ragcortex_queue_answers", lane="reading") is None
    assert CONTENT_TYPE.startswith("text/plain; version=0.0.4")


def test_names_follow_the_rules() -> None:
    metrics = Metrics()
    metrics.observe_check("both", "grounded", "pass", 0.1, 0.1)
    for family in text_string_to_metric_families(metrics.render().decode()):
        if not family.name.startswith("ragcortex_"):
            assert family.name.startswith("process_")
            continue
        assert family.documentation.endswith("."), family.name
        assert "milli" not in family.name
        if "duration" in family.name or "wait" in family.name:
            assert family.name.removesuffix("_created").endswith("_seconds"), family.name
