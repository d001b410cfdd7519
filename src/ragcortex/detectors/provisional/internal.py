"""The internal witness on an answer that grows: it reads on, or has to wait for sentence ends or for the end."""

from dataclasses import replace

from ragcortex.detectors.internal import InternalDetector
from ragcortex.detectors.provisional.at_end import read_at_end
from ragcortex.detectors.provisional.judge import Look, Provisional, Reads
from ragcortex.errors import ReadingError
from ragcortex.example import Example
from ragcortex.readers.growing_answer import GrowingAnswer, Stretch
from ragcortex.report import Note, Report


class ReadingSoFar(Provisional):
    """What reads, as the answer grows if it can."""

    def __init__(self, internal: InternalDetector, base: Example, *, tokens_at_once: int, read_again: bool) -> None:
        super().__init__(base)
        self.internal = internal
        self.again = read_again
        self.growing: GrowingAnswer | None = None
        self._unwritable: str | None = None
        if not any(reference.text.strip() for reference in base.references):
            return  # there is nothing to check, which the detector itself says
        given = internal.reader, base.question, base.references, internal.bundle.spec()
        try:
            self.growing = GrowingAnswer(*given, tokens_at_once=tokens_at_once)
        except ReadingError as error:  # at the end the detector tries for itself, and says so as ever
            self._unwritable = f"there is no prompt to read it behind: {error}"

    @property
    def obstacle(self) -> str | None:
        """Why the answer is not read as it grows, None where it is."""
        return self._unwritable if self.growing is None else self.growing.obstacle

    @property
    def reads(self) -> Reads:
        """How the reader reads it."""
        if self.obstacle is None:
            return "incremental"
        return "again" if self.again else "at_end"

    @property
    def n_tokens(self) -> int:
        """How many of the answer's tokens have been read as it grew."""
        return 0 if self.growing is None else self.growing.n_tokens

    @property
    def notes(self) -> tuple[Note, ...]:
        """Why the answer is not read as it grows."""
        obstacle = self.obstacle
        if obstacle is None:
            return ()
        return (_read_again(obstacle) if self.again else read_at_end(obstacle),)

    def prepare(self) -> None:
        """Read question and references."""
        if self.growing is not None:
            self.growing.prepare()

    def ahead(self, text: str, /) -> None:
        """Read what later text can hardly change, if it is worth a pass."""
        if self.growing is not None:
            self.growing.read_ahead(text)

    def stretch(self, text: str, start: int, end: int) -> Stretch | None:
        """Return the reading of about the characters `start..end` of the answer so far; None if it has to wait."""
        if self.growing is None:
            return None
        found = self.growing.stretch(text, start, end)
        if found is not None or not self.again:
            return found
        example = replace(self.base, answer=text[start:end])
        return Stretch(self.internal.reader.read_one(example, self.internal.bundle.spec()), start)

    def alone(self, stretch: Stretch) -> Look:
        """Return what the reader alone says of a stretch."""
        example = replace(self.base, answer=stretch.reading.tokens.text)
        return Look(self.internal.report(example, stretch.reading), stretch.start)


class InternalSoFar(ReadingSoFar):
    """The reader alone."""

    def look(self, text: str, start: int, end: int, /) -> Look | None:
        """Return what is said of a stretch; see `Provisional.look`."""
        example = replace(self.base, answer=text[start:end])
        if self.internal.nothing_to_check(example) is not None:
            return Look(self.internal.check_example(example), start)
        stretch = self.stretch(text, start, end)
        return None if stretch is None else self.alone(stretch)

    def finish(self, example: Example) -> Report:
        """Return the report on the whole answer."""
        if self.internal.nothing_to_check(example) is not None or self.growing is None:
            return self.internal.check_example(example)
        reading = self.growing.whole(example)
        return self.internal.check_example(example) if reading is None else self.internal.report(example, reading)


def _read_again(obstacle: str) -> Note:
    return Note("read_again", f"The reader reads the answer anew at the end of each sentence, since {obstacle}.")
