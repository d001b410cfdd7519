"""A detector that takes the whole answer at once: nothing is said before the end."""

from ragcortex.detectors.detector import Detector
from ragcortex.detectors.provisional.judge import Look, Provisional, Reads
from ragcortex.example import Example
from ragcortex.report import Note, Report


class AtEnd(Provisional):
    """Nothing before the end."""

    def __init__(self, detector: Detector, base: Example) -> None:
        super().__init__(base)
        self.detector = detector

    @property
    def reads(self) -> Reads:
        """How the reader reads it."""
        return "at_end"

    @property
    def notes(self) -> tuple[Note, ...]:
        """Why the answer is not read as it grows."""
        return (read_at_end("this detector takes the whole answer at once"),)

    def look(self, *_: object) -> Look | None:
        """Say nothing."""
        return None

    def finish(self, example: Example) -> Report:
        """Return the report on the whole answer."""
        return self.detector.check_example(example)


def read_at_end(obstacle: str) -> Note:
    """Return the note that says why nothing is read before the end."""
    return Note("read_at_end", f"The reader reads the answer only when it has ended, since {obstacle}.")
