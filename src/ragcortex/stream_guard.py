"""A guard in a stream of text: sentences are judged when they have ended, and stopped, marked or rewritten if need be.

    guard = StreamGuard(detector, question, passages, on_unsupported="stop")
    for text in guard.texts(model.stream(prompt)):
        print(text, end="")
    print(guard.report.verdict)

Cost: question and references are read once, each token of the answer once, in passes over 40 to 80 tokens; an answer of
300 tokens takes in all little more than one check of the whole (docs/results/stream.md has the figures).
"""

from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import aclosing
from typing import Any, Final, Literal, get_args

from ragcortex.checks import check_known, check_score, check_text
from ragcortex.detectors.detector import Detector
from ragcortex.detectors.incremental import IncrementalCheck, Progress
from ragcortex.detectors.sentence_judgement import SentenceJudgement
from ragcortex.errors import InputError
from ragcortex.example import Reference
from ragcortex.report import Report
from ragcortex.stream_events import (
    AnswerJudged,
    GuardEvent,
    GuardStopped,
    Marks,
    Noted,
    SentenceJudged,
    TextShown,
)
from ragcortex.stream_steps import Asked, Rewrite, Steps, answered, answered_async

__all__ = [
    "MARKER",
    "AnswerJudged",
    "GuardEvent",
    "GuardStopped",
    "Noted",
    "SentenceJudged",
    "StreamGuard",
    "TextShown",
]

OnUnsupported = Literal["stop", "mark", "rewrite"]
MARKER: Final = " [unsupported]"
"""What `StreamGuard.texts` writes behind a marked sentence."""


class StreamGuard:
    """Judges one answer while a model writes it, and decides at each sentence end whether it goes on.

    Attributes:
        stopped: at which sentence the stream was stopped; None where it was not.
        report: on the answer, with the final scores: those of `Detector.check`; None until the stream has ended.
    """

    def __init__(
        self,
        detector: Detector,
        question: str | None,
        references: Sequence[str | Mapping[str, Any] | Reference],
        *,
        on_unsupported: OnUnsupported = "stop",
        threshold: float | None = None,
        hold: bool = True,
        rewrite: Rewrite | None = None,
        executor: Executor | None = None,
        tokens_at_once: int = 40,
        read_again: bool = False,
    ) -> None:
        """Prepare for one answer; nothing is read before there is text.

        Args:
            detector: who judges.
            question, references: as of `Detector.check`.
            on_unsupported: what to do at the end of a sentence that is unsupported. `stop`: show no more, and close the
                model's stream. `mark`: show it, and say so. `rewrite`: show what `rewrite` makes of it; if that is
                unsupported too it is shown and marked, and if it is blank the sentence is left out.
            threshold: from which score on a sentence is unsupported; by default it is where the detector marks
                something in it.
            hold: show a sentence only when it has been judged; without, text is shown as it comes, and a sentence that
                stops the stream has been seen already. What is rewritten has to be held back.
            rewrite: called with a sentence and what is marked in it; each span says why, and what the references say.
                Where the guard is asynchronous it may be a coroutine function.
            executor: where an asynchronous guard reads; by default one thread that all guards share.
            tokens_at_once: sentences wait to be judged until about so many tokens are new, short ones together; with 1
                each is judged at its end, which is sooner and dearer.
            read_again: as of `IncrementalCheck`.

        Raises:
            InputError: a value is unknown, out of range or of the wrong type, or `rewrite` is missing or not used.
        """
        check_known("on_unsupported", on_unsupported, get_args(OnUnsupported))
        check_score("threshold", threshold, optional=True)
        if (rewrite is not None) != (on_unsupported == "rewrite"):
            raise InputError("rewrite", "must be given exactly where on_unsupported is 'rewrite'")
        if on_unsupported == "rewrite" and not hold:
            raise InputError("hold", "must be True where sentences are rewritten: text that was shown stays as it is")
        self._check = IncrementalCheck(
            detector, question, references, tokens_at_once=tokens_at_once, read_again=read_again
        )
        self._on_unsupported = on_unsupported
        self._threshold = threshold
        self._hold = hold
        self._rewrite = rewrite
        self._executor = executor
        self._shown = 0
        self.stopped: SentenceJudgement | None = None
        self.report: Report | None = None

    def watch(self, deltas: Iterable[str]) -> Iterator[GuardEvent]:
        """Yield what happens while text comes in pieces of any size: see the events; the last is `AnswerJudged`.

        Where the stream is stopped, or this iterator is closed, `deltas` is closed if it is a generator.

        Raises:
            InputError: the guard was used before, or `rewrite` is asynchronous.
            RagcortexError: as `Detector.check_example`.
        """
        self._check_unused()
        source = iter(deltas)
        try:
            for delta in source:
                yield from answered(self._taken(delta), self._rewrite)
                if self.stopped is not None:
                    return
            yield from answered(self._last(), self._rewrite)
        finally:
            close = getattr(source, "close", None)
            if callable(close):
                close()

    def texts(self, deltas: Iterable[str], *, marker: str = MARKER) -> Iterator[str]:
        """Yield the text that may be shown, as `watch` does, and a marker when a sentence is marked.

        The marker stands right behind the sentence, unless text is not held back: then where the text had come to.
        """
        marks = Marks(marker, held=self._hold)
        for event in self.watch(deltas):
            yield from marks.texts(event)

    async def watch_async(self, deltas: AsyncIterable[str]) -> AsyncGenerator[GuardEvent, None]:
        """Yield what `watch` does; reading happens in another thread, and cancelling takes effect at once.

        Raises:
            InputError: the guard was used before.
            RagcortexError: as `Detector.check_example`.
        """
        self._check_unused()
        source, given = aiter(deltas), (self._rewrite, self._executor)
        try:
            async for delta in source:
                async with aclosing(answered_async(self._taken(delta), *given)) as events:
                    async for event in events:
                        yield event
                if self.stopped is not None:
                    return
            async with aclosing(answered_async(self._last(), *given)) as events:
                async for event in events:
                    yield event
        finally:
            close = getattr(source, "aclose", None)
            if callable(close):
                await close()

    async def texts_async(self, deltas: AsyncIterable[str], *, marker: str = MARKER) -> AsyncGenerator[str, None]:
        """Yield what `texts` does; as `watch_async`."""
        marks = Marks(marker, held=self._hold)
        async with aclosing(self.watch_async(deltas)) as events:
            async for event in events:
                for text in marks.texts(event):
                    yield text

    def _check_unused(self) -> None:
        if self._check.text or self.report is not None:
            raise InputError("deltas", "must be the only answer of a guard; make another guard for the next one")

    def _taken(self, delta: str) -> Steps:
        check_text("deltas", delta)
        if delta and not self._hold:
            self._shown += len(delta)
            yield TextShown(delta)
        yield from self._judged(self._check.add(delta), lambda: self._check.add(""))

    def _last(self) -> Steps:
        yield from self._judged(self._check.end(), self._check.end)
        if self.stopped is None:
            yield from self._show(len(self._check.text))
            yield self._finish()

    def _judged(self, progress: Progress, again: Callable[[], Progress]) -> Steps:
        """Decide on the sentences of a progress; behind a rewritten one, on those that are found again."""
        yield from map(Noted, progress.notes)
        waiting = list(progress.sentences)
        while waiting:
            sentence = waiting.pop(0)
            unsupported = self._is_unsupported(sentence)
            if not unsupported or self._on_unsupported == "mark":
                yield SentenceJudged(sentence, unsupported, "marked" if unsupported else "shown")
                yield from self._show(sentence.end)
            elif self._on_unsupported == "stop":
                yield SentenceJudged(sentence, unsupported, "stopped")
                yield from self._stop(sentence)
                return
            else:
                yield from self._rewritten(sentence)
                progress = again()
                yield from map(Noted, progress.notes)
                waiting = list(progress.sentences)

    def _stop(self, sentence: SentenceJudgement) -> Steps:
        self.stopped = sentence
        if self._hold:
            self._check.cut(sentence.end)
        yield GuardStopped(sentence)
        yield self._finish()

    def _rewritten(self, sentence: SentenceJudgement) -> Steps:
        text = yield Asked(sentence)
        new = self._check.replace(sentence, text or "")
        if new is None:
            yield SentenceJudged(sentence, True, "left_out", sentence)
            return
        unsupported = self._is_unsupported(new)
        yield SentenceJudged(new, unsupported, "marked" if unsupported else "rewritten", sentence)
        yield from self._show(new.end)

    def _is_unsupported(self, sentence: SentenceJudgement) -> bool:
        if self._threshold is None:
            return sentence.is_unsupported
        return sentence.score is not None and sentence.score >= self._threshold

    def _show(self, end: int) -> Iterator[TextShown]:
        if end > self._shown:
            text, self._shown = self._check.text[self._shown : end], end
            yield TextShown(text)

    def _finish(self) -> AnswerJudged:
        self.report = self._check.finish()
        return AnswerJudged(self.report)
