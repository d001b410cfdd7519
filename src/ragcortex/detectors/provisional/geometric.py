"""The geometric witness on an answer that grows: each statement is looked at once, and all of them at the end."""

from dataclasses import replace

from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.detectors.provisional.judge import Look, Provisional, Reads
from ragcortex.example import Example
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.report import Report


class GeometricSoFar(Provisional):
    """The geometric witness alone."""

    def __init__(self, detector: GeometricDetector, base: Example) -> None:
        super().__init__(base)
        self.detector = detector
        self._seen = Seen(detector)

    @property
    def reads(self) -> Reads:
        """How the reader reads it."""
        return "never"

    def look(self, text: str, start: int, end: int, /) -> Look | None:
        """Return what is said of a stretch; see `Provisional.look`."""
        example = replace(self.base, answer=text[start:end])
        if self.detector.nothing_to_check(example) is not None:
            return Look(self.detector.check_example(example), start)
        evidence = self._seen.examine(example, start)
        return Look(self.detector.report(example, self.detector.corpus_of(example), evidence), start)

    def finish(self, example: Example) -> Report:
        """Return the report on the whole answer."""
        return self.detector.check_example(example)


class Seen:
    """What the geometric witness saw of the stretch looked at last; more of it costs its new statements only."""

    def __init__(self, detector: GeometricDetector) -> None:
        self._detector = detector
        self._evidence: GeometricEvidence | None = None
        self._start = 0

    def examine(self, example: Example, start: int) -> GeometricEvidence:
        """Return what it sees of a stretch that begins at a character of the answer, which is the example's answer.

        Raises:
            InputError, ModelError, ReadingError: as `GeometricDetector.examine`.
        """
        before = self._evidence if start == self._start else None
        self._evidence, self._start = self._detector.examine(example, before), start
        return self._evidence
