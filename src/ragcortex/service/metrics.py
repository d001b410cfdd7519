"""What the service tells Prometheus: names, units and labels follow its rules, and no label has unbounded values."""

import contextlib
from collections.abc import Mapping
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, ProcessCollector, generate_latest

from ragcortex.service.batching import BatchSeen
from ragcortex.service.drift import Drift

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
UNMATCHED: Final = "unmatched"
"""The route of requests that no route matches, so that made-up paths make no new labels."""
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_SIZES: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256)
_SCORES: Final = tuple(step / 20 for step in range(1, 21))


class Metrics:
    """All metrics of one service, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._build = Info("ragcortex_build", "Versions of what runs.", registry=self.registry)
        self._requests = Counter(
            "ragcortex_http_requests", "Requests answered.", ["route", "method", "status"], registry=self.registry
        )
        self._request_seconds = self._histogram(
            "ragcortex_http_request_duration_seconds", "From a request to its answer.", ["route", "method"], _SECONDS
        )
        self._checks = Counter(
            "ragcortex_checks", "Answers judged.", ["witness", "verdict", "action"], registry=self.registry
        )
        self._failures = Counter(
            "ragcortex_check_failures", "Answers that could not be judged.", ["witness", "kind"], registry=self.registry
        )
        self._check_seconds = self._histogram(
            "ragcortex_check_duration_seconds", "From an accepted answer to its verdict.", ["witness"], _SECONDS
        )
        self._scores = self._histogram(
            "ragcortex_answer_score_ratio", "Scores of answers, 1 = hallucinated.", ["witness"], _SCORES
        )
        self._batch_answers = self._histogram("ragcortex_batch_answers", "Answers judged together.", ["lane"], _SIZES)
        self._batch_seconds = self._histogram(
            "ragcortex_batch_duration_seconds", "How long judging a batch took.", ["lane"], _SECONDS
        )
        self._wait_seconds = self._histogram(
            "ragcortex_queue_wait_seconds", "How long an answer waited to be judged.", ["lane"], _SECONDS
        )
        self._queue = self._gauge("ragcortex_queue_answers", "Answers that wait to be judged.", ["lane"])
        self._drift = {
            "stability_index": self._gauge(
                "ragcortex_drift_population_stability_index",
                "How far recent scores lie from those that thresholds were chosen on; above 0.25 is much.",
                ["witness"],
            ),
            "distance": self._gauge(
                "ragcortex_drift_kolmogorov_smirnov_ratio",
                "The largest difference of their distributions.",
                ["witness"],
            ),
            "p_value": self._gauge(
                "ragcortex_drift_p_value_ratio", "How probable a difference as large is by chance.", ["witness"]
            ),
            "n_recent": self._gauge("ragcortex_drift_answers", "Recent scores that were compared.", ["witness"]),
        }

    def set_build(self, versions: Mapping[str, str]) -> None:
        """Say what runs: `version` of the package, `detector` and so on; label names of letters and underscores."""
        self._build.info(dict(versions))

    def request(self, route: str | None, method: str, status: int, seconds: float) -> None:
        """Count a request by its route's template (`/v1/checks/{id}`), never by its path; None where none matches."""
        route, method = route or UNMATCHED, method if method in _METHODS else "other"
        self._requests.labels(route, method, str(status)).inc()
        self._request_seconds.labels(route, method).observe(seconds)

    def observe_check(self, witness: str, verdict: str, action: str, score: float | None, seconds: float) -> None:
        """Count a judged answer; `score` is None where it claims nothing or cannot be verified."""
        self._checks.labels(witness, verdict, action).inc()
        self._check_seconds.labels(witness).observe(seconds)
        if score is not None:
            self._scores.labels(witness).observe(score)

    def observe_failure(self, witness: str, error: BaseException) -> None:
        """Count an answer that could not be judged, by the kind of error and never by its text."""
        self._failures.labels(witness, type(error).__name__).inc()

    def observe_batch(self, seen: BatchSeen) -> None:
        """Count a batch of a lane."""
        self._batch_answers.labels(seen.name).observe(seen.n_items)
        self._batch_seconds.labels(seen.name).observe(seen.seconds)
        for wait in seen.waits:
            self._wait_seconds.labels(seen.name).observe(wait)

    def set_queue(self, lane: str, n_answers: int) -> None:
        """Say how many answers wait in a lane now."""
        self._queue.labels(lane).set(n_answers)

    def set_drift(self, witness: str, found: Drift | None) -> None:
        """Say how far recent scores have drifted; nothing is shown where that is not known."""
        for name, gauge in self._drift.items():
            if found is not None:
                gauge.labels(witness).set(getattr(found, name))
            else:
                with contextlib.suppress(KeyError):  # older libraries mind that nothing was shown before
                    gauge.remove(witness)

    def render(self) -> bytes:
        """Return all metrics in Prometheus' text format, of the type `CONTENT_TYPE`."""
        return generate_latest(self.registry)

    def _histogram(self, name: str, help_text: str, labels: list[str], buckets: tuple[float, ...]) -> Histogram:
        return Histogram(name, help_text, labels, buckets=buckets, registry=self.registry)

    def _gauge(self, name: str, help_text: str, labels: list[str]) -> Gauge:
        return Gauge(name, help_text, labels, registry=self.registry)
