"""Runs that take turns, so that a machine that slows down for a while slows down all of them."""

import statistics
import time
from collections.abc import Callable, Mapping


def medians(
    runs: Mapping[str, Callable[[], None]], repeats: int, clock: Callable[[], float] = time.perf_counter
) -> dict[str, float]:
    """Return the median seconds of each run by the clock, after one uncounted turn."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for turn in range(repeats + 1):
        for name, run in runs.items():
            start = clock()
            run()
            if turn:
                seconds[name].append(clock() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}
