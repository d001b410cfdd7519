"""What judges an answer while it grows.

What is said before the end is provisional: the report on a stretch of the answer that ends where a sentence does. What
is said at the end is what `Detector.check_example` says.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

from ragcortex.example import Example
from ragcortex.report import Note, Report

Reads = Literal["incremental", "again", "at_end", "never"]


@dataclass(frozen=True, slots=True)
class Look:
    """A provisional report on a stretch of an answer, which begins at character `start` of it."""

    report: Report
    start: int


class Provisional(ABC):
    """Judges one answer while it grows."""

    def __init__(self, base: Example) -> None:
        """Take what the answer is checked against; the answer of `base` does not count."""
        self.base = base

    @property
    @abstractmethod
    def reads(self) -> Reads:
        """How a reader reads the answer: as it grows, anew at each sentence end, at its end only, or not at all."""

    @property
    def n_tokens(self) -> int:
        """How many of the answer's tokens have been read as it grew."""
        return 0

    @property
    def notes(self) -> tuple[Note, ...]:
        """What whoever uses provisional scores should know."""
        return ()

    def prepare(self) -> None:
        """Do what can be done before the answer begins."""
        return

    def ahead(self, _text: str, /) -> None:
        """Do what can be done of the answer so far although no sentence has ended."""
        return

    @abstractmethod
    def look(self, text: str, start: int, end: int, /) -> Look | None:
        """Return the report on about the characters `start..end` of the answer so far; None if nothing can be said.

        Raises:
            RagcortexError: as `Detector.check_example`.
        """

    @abstractmethod
    def finish(self, example: Example) -> Report:
        """Return the report on the whole answer.

        Raises:
            RagcortexError: as `Detector.check_example`.
        """
