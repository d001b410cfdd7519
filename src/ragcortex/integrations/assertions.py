"""`assert_grounded`: fails a test with the marked answer and the evidence, and keeps the report for the report file."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from ragcortex.checks import check_known, check_score
from ragcortex.example import Reference

if TYPE_CHECKING:  # a plugin is imported with every run of pytest, so nothing heavy is before it is needed
    from ragcortex.detectors.detector import Detector
    from ragcortex.report import Report

PASSING: Final = ("grounded", "no_claim")
_WIDTH: Final = 100
# What the tests that run now have checked, the innermost last: a test may run tests of its own.
_running: "list[list[tuple[Report, bool]]]" = []


def assert_grounded(
    answer: str,
    references: Sequence[str | Mapping[str, Any] | Reference],
    question: str | None = None,
    *,
    detector: "Detector | None" = None,
    verdicts: Sequence[str] = PASSING,
    max_score: float | None = None,
) -> "Report":
    """Return the report on an answer that the references support; fail the test if they do not.

    Args:
        answer, references, question: as of `Detector.check`.
        detector: who judges; by default the default detector, loaded once. The fixture of the same name takes that of
            the fixture `groundedness_detector`.
        verdicts: which verdicts pass; `review` may be added.
        max_score: the highest score that passes; by default the verdict alone decides.

    Raises:
        AssertionError: the answer does not pass; the message shows it with the unsupported passages marked, why, and
            what the references say.
        InputError: an argument is not of its kind.
        RagcortexError: as `Detector.check`.
    """
    __tracebackhide__ = True
    from ragcortex.report_parts import VERDICTS

    for verdict in verdicts:
        check_known("verdicts", verdict, VERDICTS)
    check_score("max_score", max_score, optional=True)
    from ragcortex.check import detector_or_default

    report = detector_or_default(detector).check(question, references, answer)
    reason = _refusal(report, verdicts, max_score)
    if _running:
        _running[-1].append((report, reason is None))
    if reason is not None:
        raise AssertionError(f"{reason}\n\n{report.to_text(width=_WIDTH)}")
    return report


@contextmanager
def kept_checks() -> "Iterator[list[tuple[Report, bool]]]":
    """Give the list to which each check adds its report, and whether it passed, while the block runs."""
    checks: list[tuple[Report, bool]] = []
    _running.append(checks)
    try:
        yield checks
    finally:
        _running.remove(checks)


def _refusal(report: "Report", verdicts: Sequence[str], max_score: float | None) -> str | None:
    """Return why a report does not pass; None if it does."""
    if report.verdict not in verdicts:
        return f"the answer is {report.verdict}, and must be {' or '.join(verdicts)}"
    if max_score is not None and report.score is not None and report.score > max_score:
        return f"the answer's score is {report.score:.4g}, and must be at most {max_score:g}"
    return None
