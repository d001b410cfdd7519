"""What happens in a stream of text that a guard watches."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ragcortex.detectors.sentence_judgement import SentenceJudgement
from ragcortex.report import Note, Report

Action = Literal["shown", "stopped", "marked", "rewritten", "left_out"]


@dataclass(frozen=True, slots=True)
class TextShown:
    """Text that may be shown; all of them together are the answer as far as it may be shown."""

    text: str


@dataclass(frozen=True, slots=True)
class SentenceJudged:
    """A sentence has ended and was judged; it comes before the text of the sentence where text is held back.

    Attributes:
        sentence: what is said of it now, or of what stands in its place.
        unsupported: whether it counts as unsupported, by the guard's threshold or the detector's marks.
        action: what becomes of it: `shown` as it is, `stopped` before it (or behind it, where nothing is held back),
            shown but `marked`, `rewritten` or `left_out`.
        replaced: the judgement on what the model wrote, where that was rewritten or left out.
    """

    sentence: SentenceJudgement
    unsupported: bool
    action: Action
    replaced: SentenceJudgement | None = None


@dataclass(frozen=True, slots=True)
class Noted:
    """Something to know about how the answer is judged: see `Progress.notes`."""

    note: Note


@dataclass(frozen=True, slots=True)
class GuardStopped:
    """The stream was stopped at a sentence; no more text comes, and the model's stream is closed."""

    sentence: SentenceJudgement


@dataclass(frozen=True, slots=True)
class AnswerJudged:
    """The last event: the report on the answer, with the final scores.

    It is on all text that was shown; where the stream was stopped, on the sentence that did it as well.
    """

    report: Report


GuardEvent = TextShown | SentenceJudged | Noted | GuardStopped | AnswerJudged


class Marks:
    """Writes a marker behind sentences that are marked."""

    def __init__(self, marker: str, *, held: bool) -> None:
        """Take the marker, and whether a sentence's text comes after its judgement."""
        self._marker = marker
        self._held = held
        self._is_due = False

    def texts(self, event: GuardEvent) -> Iterator[str]:
        """Yield the text of an event, and markers where they are due."""
        if isinstance(event, TextShown):
            yield event.text
        marked = isinstance(event, SentenceJudged) and event.action == "marked"
        if self._is_due or (marked and not self._held):
            yield self._marker
        self._is_due = marked and self._held
