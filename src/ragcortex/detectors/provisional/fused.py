"""Both witnesses on an answer that grows."""

import copy
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from ragcortex.detectors.fused import Examined, FusedDetector
from ragcortex.detectors.provisional.geometric import Seen
from ragcortex.detectors.provisional.internal import ReadingSoFar
from ragcortex.detectors.provisional.judge import Look
from ragcortex.errors import ModelError, RagcortexError, ReadingError
from ragcortex.example import Example
from ragcortex.readers.growing_answer import Stretch
from ragcortex.report import Note, Report

_Read = TypeVar("_Read")


class FusedSoFar(ReadingSoFar):
    """Both witnesses, or in a cascade the reader from where the geometric one leaves the answer undecided.

    Where the reader has to wait for the end, the geometric witness alone says what is provisional; where it cannot
    look and the detector is not strict, the reader alone.
    """

    def __init__(self, detector: FusedDetector, base: Example, *, tokens_at_once: int, read_again: bool) -> None:
        self.detector = detector
        # What is judged on the way does not count in how much the detector has judged and read.
        self._trial = copy.copy(detector)
        self._seen = Seen(detector.geometric)
        self._failures: list[Note] = []
        super().__init__(detector.internal, base, tokens_at_once=tokens_at_once, read_again=read_again)

    @property
    def obstacle(self) -> str | None:
        """Why the answer is not read as it grows, None where it is."""
        if self.detector.geometric.corpus is not None:
            return "the passages that the reader gets from the corpus depend on the whole answer"
        return super().obstacle

    @property
    def notes(self) -> tuple[Note, ...]:
        """Why the answer is not read as it grows, and which witness fails."""
        return (*super().notes, *self._failures)

    def prepare(self) -> None:
        """Read question and references; a cascade does not know yet whether it has to read."""
        if not self.detector.cascade and self.obstacle is None:
            self._tried(super().prepare)

    def ahead(self, text: str, /) -> None:
        """Read what later text can hardly change; a cascade does not know yet whether it has to."""
        if not self.detector.cascade:
            self._tried(partial(super().ahead, text))

    def look(self, text: str, start: int, end: int, /) -> Look | None:
        """Return what is said of a stretch; see `Provisional.look`."""
        geometric = self.detector.geometric
        example = replace(self.base, answer=text[start:end])
        if geometric.nothing_to_check(example) is not None:
            return Look(self._trial.check_example(example), start)
        if geometric.corpus is not None:
            evidence = self._seen.examine(example, start)
            return Look(geometric.report(example, geometric.corpus, evidence), start)
        stretch = None if self.detector.cascade else self._stretch(text, start, end)
        one = self._examined(stretch, example, start)
        if isinstance(one, Examined) and self.detector.cascade:
            stretch = self._stretch(text, start, end)
            if stretch is not None and stretch.reading.tokens.text != example.answer:
                one = self._examined(stretch, example, start)
        first = start if stretch is None else stretch.start
        if one is None:
            return None if stretch is None else self.alone(stretch)
        if isinstance(one, Report):
            return Look(one, first)
        if stretch is None:
            return Look(geometric.report(one.example, one.corpus, one.evidence), first)
        return Look(self._trial.finished(one, stretch.reading), first)

    def finish(self, example: Example) -> Report:
        """Return the report on the whole answer."""
        one = self.detector.examined(example)
        if isinstance(one, Report) or self.obstacle is not None or self.growing is None:
            return self.detector.finished(one, None)
        try:
            reading = self.growing.whole(example)
        except RagcortexError:  # the detector tries for itself, and says what the reader cannot do
            reading = None
        return self.detector.finished(one, reading)

    def _stretch(self, text: str, start: int, end: int) -> Stretch | None:
        return self._tried(lambda: self.stretch(text, start, end))

    def _tried(self, read: Callable[[], _Read]) -> _Read | None:
        """Return what the reader gives; None where it fails, which a note says unless all has to work."""
        try:
            return read()
        except RagcortexError as error:
            if self.detector.strict:
                raise
            self._fail("The reader could not read", error)
            return None

    def _examined(self, stretch: Stretch | None, example: Example, start: int) -> Examined | Report | None:
        """Return what the geometric witness sees of a stretch, or says of it; None where it fails, as `_stretch`."""
        if stretch is not None:
            example, start = replace(example, answer=stretch.reading.tokens.text), stretch.start
        try:
            return self._trial.examined(example, self._seen.examine(example, start))
        except (ModelError, ReadingError) as error:
            if self.detector.strict:
                raise
            self._fail("The geometric witness could not look", error)
            return None

    def _fail(self, failure: str, error: RagcortexError) -> None:
        """Keep a witness's first failure; how much of the answer the next ones are of says nothing new."""
        note = Note("witness_missing", f"{failure}: {error}. The other witness judged alone, by its own thresholds.")
        if not any(one.text.startswith(failure) for one in self._failures):
            self._failures.append(note)
