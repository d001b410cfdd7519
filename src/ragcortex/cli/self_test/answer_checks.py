"""Two answers whose verdict by the default detector is known."""

from collections.abc import Iterator
from typing import Final

from ragcortex.cli.finding import Finding
from ragcortex.cli.self_test.texts import SUPPORTED, UNSUPPORTED
from ragcortex.detectors.detector import Detector

NAMES: Final = ("known hallucination", "known support")


def answer_findings(detector: Detector) -> Iterator[Finding]:
    """Yield the findings on the answer that is hallucinated and on the one that is grounded.

    Raises:
        RagcortexError: one of them cannot be judged.
    """
    for name, example, expected in zip(NAMES, (UNSUPPORTED, SUPPORTED), ("hallucinated", "grounded"), strict=True):
        report = detector.check_example(example)
        ok = report.verdict == expected
        score = "no score" if report.score is None else f"score {report.score:.2f}"
        remedy = "" if ok else "the checks before this one say what differs; where none does, install ragcortex again"
        yield Finding(name, ok, f"{report.verdict}, {score}, by {detector.info.name}; expected {expected}", remedy)
