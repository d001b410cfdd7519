"""The figures of one method as a run's document lists them."""

from collections.abc import Iterator

from ragcortex.benchmark.results.figure import Figure, Level, MetricName, Smoothing
from ragcortex.evaluation.benchmark_figures import LevelFigures, MethodFigures
from ragcortex.evaluation.breakdowns import Slice
from ragcortex.evaluation.resampling import Estimate
from ragcortex.evaluation.span_overlap import SpanOverlap


def figure_list(figures: MethodFigures) -> tuple[Figure, ...]:
    """Return every figure of a method: levels in order, raw before smoothed, then the overlap of characters."""
    found: list[Figure] = []
    for one in figures.levels:
        found += _of_level(one)
    for spans in figures.spans:
        found += _of_spans(spans.overlap, spans.smoothing)
    return tuple(found)


def slice_figures(part: Slice, level: Level, smoothing: Smoothing) -> tuple[Figure, ...]:
    """Return the figures of one part of a breakdown."""
    return (
        _figure(level, smoothing, "average_precision", part.average_precision),
        _figure(level, smoothing, "auroc", part.auroc),
        _figure(level, smoothing, "recall", part.recall),
    )


def _of_level(one: LevelFigures) -> Iterator[Figure]:
    named: dict[MetricName, Estimate] = {
        "average_precision": one.average_precision,
        "auroc": one.auroc,
        "f1": one.at_threshold.f1,
        "precision": one.at_threshold.precision,
        "recall": one.at_threshold.recall,
    }
    at: dict[float, MetricName] = {0.5: "precision_at_recall_0.5", 0.8: "precision_at_recall_0.8"}
    named |= {at[point.recall]: point.precision for point in one.precision_at_recall}
    for metric, estimate in named.items():
        yield _figure(one.level, one.smoothing, metric, estimate)


def _of_spans(overlap: SpanOverlap, smoothing: Smoothing) -> Iterator[Figure]:
    named: dict[MetricName, Estimate] = {
        "character_f1": overlap.f1, "precision": overlap.precision, "recall": overlap.recall, "iou": overlap.iou,
    }  # fmt: skip
    for metric, estimate in named.items():
        yield _figure("character", smoothing, metric, estimate)


def _figure(level: Level, smoothing: Smoothing, metric: MetricName, estimate: Estimate) -> Figure:
    value, interval = estimate.metric, estimate.interval
    has_interval = value.value is not None and interval.reason is None
    return Figure(
        level=level,
        smoothing=smoothing,
        metric=metric,
        value=value.value,
        n=value.n,
        base_rate=value.base_rate,
        low=interval.low if has_interval else None,
        high=interval.high if has_interval else None,
        reason=None if has_interval else estimate.reason,
    )
