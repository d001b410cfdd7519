"""The shortest way in: one call with the default detector, loaded on first use and kept."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ragcortex.detectors.detector import Detector
from ragcortex.detectors.registry import DEFAULT_DETECTOR
from ragcortex.example import Reference
from ragcortex.report import Report


def check(question: str | None, references: Sequence[str | Mapping[str, Any] | Reference], answer: str) -> Report:
    """Return the default detector's report on one answer; see `Detector.check`."""
    return default_detector().check(question, references, answer)


@cache
def default_detector() -> Detector:
    """Return the default detector, loaded once in a process."""
    return Detector.load()


def detector_or_default(detector: Detector | None) -> Detector:
    """Return the detector that was given, else the default one."""
    return default_detector() if detector is None else detector


def named_detector(name: str, **options: Any) -> Detector:
    """Return the detector of a name or folder, see `Detector.load`; the default one as it is is loaded only once."""
    if name == DEFAULT_DETECTOR and not any(options.values()):
        return default_detector()
    return Detector.load(name, **options)
