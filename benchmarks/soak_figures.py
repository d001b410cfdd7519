"""The figures of a soak test: what happened in each stretch of time, whether memory grows and latencies drift."""

import itertools
import math
import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from service_requests import quantile
from soak_process import Sample
from soak_record import OUTCOMES, Attempt

Figures = dict[str, Any]
WINDOW_SECONDS: Final = 300.0
SETTLING_SECONDS: Final = 600.0
# Plain checks of usual size, whose latencies are compared over time.
TIMED: Final = {"geometry": ("geometry", "geometry, same source"), "both": ("both", "both, same source")}
_DRAWS: Final = 2_000
_BLOCK_SECONDS: Final = 300.0


def latencies(attempts: Sequence[Attempt], kinds: Sequence[str]) -> Figures:
    """Return how many attempts of some kinds were answered with success, and quantiles of their milliseconds."""
    ordered = sorted(one.seconds for one in attempts if one.outcome == "2xx" and one.kind in kinds)
    cuts = {f"p{q}_ms": quantile(ordered, q / 100) * 1e3 if ordered else None for q in (50, 95, 99)}
    return {"n": len(ordered), **cuts}


def windows(attempts: Sequence[Attempt], samples: Sequence[Sample], seconds: float) -> list[Figures]:
    """Return the figures of each stretch of time; what comes after the whole ones, the end, is a row of its own."""
    length = min(WINDOW_SECONDS, seconds / 3)
    bounds = [*(number * length for number in range(math.ceil(seconds / length))), seconds, math.inf]
    rows = []
    for begin, end in itertools.pairwise(bounds):
        own = [one for one in attempts if begin <= one.at < end]
        held = [one for one in samples if begin <= one.at < end]
        counts = Counter(one.outcome for one in own)
        rows.append({
            "minutes": [begin / 60, None if end == math.inf else end / 60],
            "requests": len(own),
            "outcomes": {name: counts[name] for name in OUTCOMES},
            "latency": {name: latencies(own, kinds) for name, kinds in TIMED.items()},
            "held": {
                name: statistics.median(getattr(one, name) for one in held) for name in Sample._fields[1:]
            } if held else None,
        })  # fmt: skip
    return rows


def settled(seconds: float) -> float:
    """Return after how many seconds memory is looked at: ten minutes, or a third of a short run."""
    return min(SETTLING_SECONDS, seconds / 3)


def slope(hours: np.ndarray, values: np.ndarray, *, block: int, seed: int) -> tuple[float, float, float]:
    """Return by how much values grow an hour, by least squares, with a 95 % interval.

    Neighbouring samples are alike, so the interval is that of a bootstrap of the residuals in blocks, which follow each
    other in a circle.

    Args:
        hours: when each value was sampled, one dimension.
        values: as many.
        block: how many neighbours are drawn together.
        seed: of the draws.
    """
    centred = hours - hours.mean()
    weights = centred / (centred**2).sum()
    found = float(weights @ values)
    residuals = values - values.mean() - found * centred
    n = len(values)
    draw = np.random.default_rng(seed)
    starts = draw.integers(0, n, size=(_DRAWS, -(-n // block)))
    places = (starts[:, :, None] + np.arange(block)) % n
    drawn = found + residuals[places.reshape(_DRAWS, -1)[:, :n]] @ weights
    low, high = np.quantile(drawn, (0.025, 0.975))
    return found, float(low), float(high)


def memory(samples: Sequence[Sample], seconds: float, seed: int) -> Figures | None:
    """Return how memory changes once the service has settled; None where there are too few samples."""
    used = [one for one in samples if settled(seconds) <= one.at < seconds]
    if len(used) < 4:
        return None
    hours = np.array([one.at for one in used]) / 3_600
    values = np.array([one.memory_mb for one in used])
    apart = (used[-1].at - used[0].at) / (len(used) - 1)
    block = max(1, min(len(used) // 4, round(_BLOCK_SECONDS / apart)))
    found, low, high = slope(hours, values, block=block, seed=seed)
    return {
        "mb_per_hour": found,
        "interval": [low, high],
        "median_mb": float(np.median(values)),
        "n": len(used),
        "block": block,
    }


def drift(attempts: Sequence[Attempt], seconds: float) -> dict[str, float | None]:
    """Return the median latency in the last third of the time by that in the second one, for each timed kind."""
    thirds = [[one for one in attempts if number <= 3 * one.at / seconds < number + 1] for number in (1, 2)]
    found: dict[str, float | None] = {}
    for name, kinds in TIMED.items():
        before, after = (latencies(part, kinds)["p50_ms"] for part in thirds)
        found[name] = None if before is None or after is None else after / before
    return found


def by_kind(attempts: Sequence[Attempt]) -> list[Figures]:
    """Return the counts and latencies of each kind of request over the whole time."""
    rows = []
    for kind in sorted({one.kind for one in attempts}):
        counts = Counter(one.outcome for one in attempts if one.kind == kind)
        outcomes = {name: counts[name] for name in OUTCOMES if counts[name]}
        rows.append({"kind": kind, "outcomes": outcomes, **latencies(attempts, (kind,))})
    return rows


def figures(attempts: Sequence[Attempt], samples: Sequence[Sample], seconds: float, seed: int) -> Figures:
    """Return all figures that do not need the database."""
    return {
        "windows": windows(attempts, samples, seconds),
        "kinds": by_kind(attempts),
        "memory": memory(samples, seconds, seed),
        "drift": drift(attempts, seconds),
    }
