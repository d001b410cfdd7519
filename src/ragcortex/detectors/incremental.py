"""An answer judged while it arrives: provisional scores at sentence ends, and at the end those of the whole answer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ragcortex.align import Range
from ragcortex.checks import check_text
from ragcortex.detectors.detector import Detector
from ragcortex.detectors.finished_sentences import finished_sentences
from ragcortex.detectors.provisional.choose import provisional
from ragcortex.detectors.provisional.judge import Look, Reads
from ragcortex.detectors.sentence_judgement import SentenceJudgement, sentence_judgement
from ragcortex.errors import InputError
from ragcortex.example import Example, Reference
from ragcortex.report import Note, Report

# Provisional reports look back at most so far, so that a sentence costs the same however long the answer has become …
_LOOK_BACK_CHARS: Final = 2_400
# … and when they would have to look further, they begin anew with the sentences of about the last so many characters.
_CONTEXT_CHARS: Final = 600
# Where a sentence is long, its end is looked for at every this share of it only.
_SEARCH_SHARE: Final = 64
_BYTES_PER_TOKEN: Final = 4
# No less is read while a sentence has not ended: a pass over few tokens costs as much as one over many.
_LEAST_AHEAD: Final = 64


@dataclass(frozen=True, slots=True)
class Progress:
    """What is new since text was added.

    Attributes:
        n_chars: how long the answer is so far.
        n_tokens: how many of its tokens the reader has read as it grew.
        sentences: those judged since, in order, each with its provisional scores; none comes twice.
        reads: how the reader reads: `incremental` as the answer grows, `again` the whole at each sentence end, `at_end`
            only when it has ended, `never` where no reader takes part.
        notes: why it does not read as the answer grows, or which witness fails; each is said once.
    """

    n_chars: int
    n_tokens: int
    sentences: tuple[SentenceJudgement, ...]
    reads: Reads
    notes: tuple[Note, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; sentences as `SentenceJudgement.to_dict` gives them."""
        return {
            "n_chars": self.n_chars,
            "n_tokens": self.n_tokens,
            "sentences": [one.to_dict() for one in self.sentences],
            "reads": self.reads,
            "notes": [{"code": note.code, "text": note.text} for note in self.notes],
        }


class IncrementalCheck:
    """Judges one answer while it arrives; for one caller at a time.

    Detectors that read hidden states alone (those that ship do) read each token once, in passes over many; heads,
    smoothing and the geometric witness look at what is there when sentences have ended. What is said then is
    provisional: what comes later may change it a little. `finish` gives the report that `Detector.check` gives.
    """

    def __init__(
        self,
        detector: Detector,
        question: str | None,
        references: Sequence[str | Mapping[str, Any] | Reference],
        *,
        id: str | None = None,
        tokens_at_once: int = 1,
        read_again: bool = False,
    ) -> None:
        """Prepare; nothing is read before there is text.

        Args:
            detector: who judges.
            question, references: as of `Detector.check`.
            id: carried through to the report.
            tokens_at_once: sentences that have ended wait until about so many tokens are new and are judged together,
                so that an answer of short sentences costs no more than one of long ones; 1 judges each at its end.
                Text that comes faster than it is judged had better be added together anyway.
            read_again: where the reader cannot go on behind what it has read (it reads attention or likelihoods, or
                references or answer exceed its window), read everything anew at each sentence end. By default it waits
                for the end, and only the geometric witness, if there is one, judges before.

        Raises:
            InputError: a value has the wrong type or is out of range.
        """
        if tokens_at_once < 1:
            raise InputError("tokens_at_once", f"must be a whole number from 1 on, got {tokens_at_once!r}")
        self._base = replace(Example.of(question, references, ""), id=id)
        ahead = max(_LEAST_AHEAD, 2 * tokens_at_once)
        self._judge = provisional(detector, self._base, tokens_at_once=ahead, read_again=read_again)
        self._least_bytes = tokens_at_once * _BYTES_PER_TOKEN if tokens_at_once > 1 else 0
        self._text = ""
        self._reached = 0
        self._n_sentences = 0
        self._look_from = 0
        self._searched = 0
        self._noted: set[str] = set()
        self._report: Report | None = None

    @property
    def text(self) -> str:
        """The answer so far."""
        return self._text

    def prepare(self) -> None:
        """Read question and references now, so that the first sentence does not wait for them.

        By default they are read with the first words, which costs a little less in all.

        Raises:
            ReadingError: the model failed.
        """
        self._judge.prepare()

    def add(self, text: str) -> Progress:
        """Take more of the answer, and return what is new.

        Raises:
            InputError: it is no text, or the check is finished.
            RagcortexError: as `Detector.check_example`; the text is taken nevertheless.
        """
        self._check_open()
        check_text("text", text)
        self._text += text
        return self._progress(self._ended_sentences())

    def end(self) -> Progress:
        """Return what is new when no more text comes: the last sentences. `finish` does not need it.

        Raises:
            InputError: the check is finished.
            RagcortexError: as `add`.
        """
        self._check_open()
        return self._progress(finished_sentences(self._text, self._reached, ended=True))

    def replace(self, sentence: SentenceJudgement, text: str) -> SentenceJudgement | None:
        """Put another text in a sentence's place and judge that; what follows it has to be judged anew.

        Sentences that came after it in the same progress come again, with the next one.

        Args:
            sentence: one of those returned, as it still stands in the answer.
            text: what stands there instead, without white space at its edges. If it is blank, the white space before
                the sentence goes as well.

        Returns:
            The judgement on the new text, as one sentence; None if it is blank.

        Raises:
            InputError: the sentence does not stand there, or the check is finished.
            RagcortexError: as `add`.
        """
        self._check_open()
        check_text("text", text)
        start, end = sentence.start, sentence.end
        if self._text[start:end] != sentence.text:
            raise InputError("sentence", f"does not stand at {start}..{end} of the answer any more")
        self._n_sentences, text = sentence.number, text.strip()
        if not text:
            start = len(self._text[:start].rstrip())
        self._text = self._text[:start] + text + self._text[end:]
        self._reached = self._searched = start + len(text)
        self._look_from = min(self._look_from, start)
        if not text:
            return None
        (judged,) = self._judged([(start, start + len(text))])
        return judged

    def cut(self, end: int) -> None:
        """Forget what follows a character of the answer.

        Raises:
            InputError: there are not so many characters, or the check is finished.
        """
        self._check_open()
        if not 0 <= end <= len(self._text):
            raise InputError("end", f"must be a character of the answer, 0..{len(self._text)}, got {end!r}")
        self._text = self._text[:end]
        self._reached, self._look_from = min(self._reached, end), min(self._look_from, end)
        self._searched = min(self._searched, end)

    def finish(self) -> Report:
        """Return the report on the answer as it is now: that of `Detector.check`, in float32 within 1e-4.

        Raises:
            RagcortexError: as `Detector.check_example`.
        """
        if self._report is None:
            self._report = self._judge.finish(replace(self._base, answer=self._text))
        return self._report

    def _check_open(self) -> None:
        if self._report is not None:
            raise InputError("text", "cannot be added or changed, since the check is finished; begin another one")

    def _ended_sentences(self) -> tuple[Range, ...]:
        n_new, n_waiting = len(self._text) - self._searched, len(self._text) - self._reached
        if n_new * _SEARCH_SHARE < n_waiting:
            return ()
        self._searched = len(self._text)
        ended = finished_sentences(self._text, self._reached)
        if not ended or len(self._text[self._reached : ended[-1][1]].encode()) < self._least_bytes:
            return ()
        return ended

    def _progress(self, ended: Sequence[Range]) -> Progress:
        if ended:
            judged = self._judged(ended)
        else:
            judged = ()
            self._judge.ahead(self._text)
        notes = tuple(note for note in self._judge.notes if note.text not in self._noted)
        self._noted.update(note.text for note in notes)
        return Progress(len(self._text), self._judge.n_tokens, judged, self._judge.reads, notes)

    def _judged(self, places: Sequence[Range]) -> tuple[SentenceJudgement, ...]:
        """Return the judgements on sentences that are new, from one look at what there is up to the last of them."""
        found = []
        for group in _groups(places):
            look = self._look(group[0][0], group[-1][1])
            found += [
                sentence_judgement(self._n_sentences + number, self._text, place, look)
                for number, place in enumerate(group)
            ]
            self._n_sentences += len(group)
            self._reached = group[-1][1]
        return tuple(found)

    def _look(self, start: int, end: int) -> Look | None:
        """Look at sentences that are new, and at what was before them as far as it goes back."""
        if end - self._look_from > _LOOK_BACK_CHARS:
            low = max(self._look_from, start - _CONTEXT_CHARS)
            ends = (last for _, last in finished_sentences(self._text[:start], self._look_from, ended=True))
            self._look_from = next((last for last in ends if last >= low), start)
        return self._judge.look(self._text, self._look_from, end)


def _groups(places: Sequence[Range]) -> list[list[Range]]:
    """Return sentences in groups to be looked at together, none longer than how far a look goes back."""
    groups: list[list[Range]] = []
    for place in places:
        if groups and place[1] - groups[-1][0][0] <= _LOOK_BACK_CHARS - _CONTEXT_CHARS:
            groups[-1].append(place)
        else:
            groups.append([place])
    return groups
