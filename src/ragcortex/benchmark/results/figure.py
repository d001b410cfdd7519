"""One measured number of a benchmark run, with its interval and what it was measured on."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from ragcortex.checks import check_known, check_parts, check_position, check_score, check_text
from ragcortex.errors import InputError

Level = Literal["token", "word", "character", "sentence", "answer"]
Smoothing = Literal["raw", "smoothed"]
MetricName = Literal[
    "average_precision", "auroc", "f1", "precision", "recall", "precision_at_recall_0.5", "precision_at_recall_0.8",
    "character_f1", "iou",
]  # fmt: skip

LEVELS: Final[tuple[Level, ...]] = get_args(Level)
SMOOTHINGS: Final[tuple[Smoothing, ...]] = get_args(Smoothing)
METRICS: Final[tuple[MetricName, ...]] = get_args(MetricName)


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured number, with its interval and what it was measured on.

    Attributes:
        level: what was ranked or marked.
        smoothing: whether token scores were smoothed first.
        metric: what was measured.
        value: in [0, 1]; None where it is not defined.
        n: how many tokens, words, characters, sentences or answers.
        base_rate: the share of them that is hallucinated; None where it is not known.
        low: lower end of the 95 % interval; None where there is none.
        high: upper end of the 95 % interval; None where there is none.
        reason: why there is no value; or, beside a value, why there is no interval.
    """

    level: Level
    smoothing: Smoothing
    metric: MetricName
    value: float | None
    n: int
    base_rate: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str | None = None

    def __post_init__(self) -> None:
        check_place(self.level, self.smoothing, self.metric)
        check_position("n", self.n)
        for name in ("value", "base_rate", "low", "high"):
            check_score(name, getattr(self, name), optional=True)
        check_text("reason", self.reason, optional=True, filled=self.reason is not None)
        check_interval(self.low, self.high)
        if self.value is None and self.reason is None:
            raise InputError("reason", "must say why there is no value")
        if self.low is not None and (self.value is None or self.reason is not None):
            raise InputError(
                "low", "must be null where there is no value, or where a reason says why there is no interval"
            )

    @property
    def place(self) -> tuple[Level, Smoothing, MetricName]:
        """What was measured, without the number."""
        return self.level, self.smoothing, self.metric


def find_figure(figures: Sequence[Figure], level: Level, smoothing: Smoothing, metric: MetricName) -> Figure | None:
    """Return the figure of this place, or None where there is none."""
    return next((one for one in figures if one.place == (level, smoothing, metric)), None)


def check_place(level: object, smoothing: object, metric: object) -> None:
    """Refuse an unknown level, smoothing or metric."""
    check_known("level", level, LEVELS)
    check_known("smoothing", smoothing, SMOOTHINGS)
    check_known("metric", metric, METRICS)


def check_interval(low: float | None, high: float | None) -> None:
    """Refuse one end without the other, and ends in the wrong order."""
    if (low is None) != (high is None):
        raise InputError("high", f"must be given exactly where low is, got low={low!r} and high={high!r}")
    if low is not None and high is not None and low > high:
        raise InputError("high", f"must be at least low={low!r}, got {high!r}")


def check_figures(figures: object) -> None:
    """Refuse what is not a tuple of figures of different places."""
    check_parts("figures", figures, Figure)
    seen: set[tuple[str, ...]] = set()
    for index, one in enumerate(figures):  # type: ignore[var-annotated,arg-type]
        if one.place in seen:
            raise InputError(f"figures[{index}]", f"is a second one of {', '.join(one.place)}")
        seen.add(one.place)
