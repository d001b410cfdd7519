"""Charts as numbers: where their lines and bars lie on a drawing, y down. Templates draw them as SVG."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ragcortex.service.dashboard import Counts, ScoreHistogram

WIDTH: Final = 720
HEIGHT: Final = 220
LEFT: Final = 56
RIGHT: Final = 24
TOP: Final = 12
BOTTOM: Final = 32
_MOST_LABELS: Final = 8
_LEAST_TOP: Final = 0.1
# Half of each is a round number too.
_STEPS: Final = (1, 2, 4, 6, 8, 10)


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar, or a part of one that stands on others; `kind` says what it counts."""

    kind: str
    x: str
    y: str
    width: str
    height: str


@dataclass(frozen=True, slots=True)
class Label:
    """A label at an axis: where along it, and what it says."""

    at: str
    value: float


@dataclass(frozen=True, slots=True)
class DayLabel:
    """The label of a day."""

    at: str
    day: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines as SVG paths (one a stretch of days with answers), their points, bars, and labels of both axes."""

    paths: tuple[str, ...]
    points: tuple[tuple[str, str, str], ...]
    bars: tuple[Bar, ...]
    rows: tuple[Label, ...]
    days: tuple[DayLabel, ...]


@dataclass(frozen=True, slots=True)
class Distribution:
    """Stacked bars of scores from 0 to 1, thresholds as places, and labels of the counts."""

    bars: tuple[Bar, ...]
    thresholds: tuple[tuple[str, str], ...]
    rows: tuple[Label, ...]
    marks: tuple[Label, ...]


def shares_by_day(days: Sequence[Counts]) -> Chart:
    """Return the share of hallucinated answers a day as a line, broken where a day has no judged answer."""
    highest = max((one.share_hallucinated or 0.0 for one in days), default=0.0)
    top = min(1.0, ceiling(max(highest, _LEAST_TOP)))
    places = _places(len(days))
    points = [
        (x, _y(one.share_hallucinated / top), one.name)
        for x, one in zip(places, days, strict=True)
        if one.share_hallucinated is not None
    ]
    runs: list[list[str]] = [[]]
    for x, one in zip(places, days, strict=True):
        if one.share_hallucinated is None:
            runs.append([])
        else:
            runs[-1].append(f"{x:.1f} {_y(one.share_hallucinated / top):.1f}")
    return Chart(
        paths=tuple(f"M {' L '.join(run)}" for run in runs if len(run) > 1),
        points=tuple((f"{x:.1f}", f"{y:.1f}", name) for x, y, name in points),
        bars=(),
        rows=_rows(top),
        days=_days(days, places),
    )


def answers_by_day(days: Sequence[Counts]) -> Chart:
    """Return how many answers there were a day, as bars by verdict that stand on each other."""
    top = ceiling(max([2, *(one.n for one in days)]))
    places = _places(len(days))
    width = (WIDTH - LEFT - RIGHT) / max(1, len(days)) * 0.7
    bars: list[Bar] = []
    for x, one in zip(places, days, strict=True):
        counts = (
            ("good", one.n_grounded), ("warn", one.n_review), ("bad", one.n_hallucinated), ("none", one.n_unjudged),
        )  # fmt: skip
        bars += _stacked(counts, x - width / 2, width, top)
    return Chart((), (), tuple(bars), _rows(top), _days(days, places))


def distribution(histogram: ScoreHistogram, thresholds: Sequence[tuple[str, float]]) -> Distribution:
    """Return how scores lie: decided answers apart from others, with lines at the thresholds, named `review`, …"""
    kinds = (
        ("good", histogram.grounded), ("bad", histogram.hallucinated), ("none", histogram.undecided),
    )  # fmt: skip
    n_bins = len(histogram.undecided)
    totals = [sum(counts[place] for _, counts in kinds) for place in range(n_bins)]
    top = ceiling(max([2, *totals]))
    width = (WIDTH - LEFT - RIGHT) / n_bins
    bars: list[Bar] = []
    for place in range(n_bins):
        bars += _stacked([(kind, counts[place]) for kind, counts in kinds], LEFT + place * width + 1, width - 2, top)
    return Distribution(
        bars=tuple(bars),
        thresholds=tuple((name, f"{_x(value):.1f}") for name, value in thresholds),
        rows=_rows(top),
        marks=tuple(Label(f"{_x(tenth / 10):.1f}", tenth / 10) for tenth in range(0, 11, 2)),
    )


def ceiling(value: float) -> float:
    """Return a round number at or above a value, 1 for 0: the end of an axis.

    >>> [ceiling(value) for value in (0, 0.12, 7, 21, 130)]
    [1, 0.2, 8.0, 40.0, 200.0]
    """
    if value <= 0:
        return 1
    power = 1.0
    while power > value:
        power /= 10
    while power * 10 < value:
        power *= 10
    return next(round(step * power, 10) for step in _STEPS if step * power >= value - 1e-12)


def _stacked(counts: Sequence[tuple[str, int]], x: float, width: float, top: float) -> list[Bar]:
    bars, below = [], 0
    for kind, n in counts:
        if n:
            low, high = _y(below / top), _y((below + n) / top)
            bars.append(Bar(kind, f"{x:.1f}", f"{high:.1f}", f"{width:.1f}", f"{low - high:.1f}"))
        below += n
    return bars


def _places(n: int) -> list[float]:
    """Return the middles of n equal parts of the horizontal axis."""
    part = (WIDTH - LEFT - RIGHT) / max(1, n)
    return [LEFT + part * (index + 0.5) for index in range(n)]


def _x(share: float) -> float:
    return LEFT + (WIDTH - LEFT - RIGHT) * share


def _y(share: float) -> float:
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share


def _rows(top: float) -> tuple[Label, ...]:
    return tuple(Label(f"{_y(part / 4):.1f}", top * part / 4) for part in (0, 2, 4))


def _days(days: Sequence[Counts], places: Sequence[float]) -> tuple[DayLabel, ...]:
    step = max(1, -(-len(days) // _MOST_LABELS))
    return tuple(DayLabel(f"{places[index]:.1f}", days[index].name) for index in range(0, len(days), step))
