"""The shortest way in: one call with the default detector, loaded on first use and kept."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ragcortex.detectors.detector import Detector
from ragcortex.example import Reference
from ragcortex.report import Report


def check(question: str | None, references: Sequence[str | Mapping[str, Any] | Reference], answer: str) -> Report:
    """Return the default detector's report on one answer; see `Detector.check`."""
    return default_detector().check(question, references, answer)


@cache
def default_detector() -> Detector:
    """Return the default detector, loaded once in a process."""
    return Detector.load()
