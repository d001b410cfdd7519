"""The guard in a stream: what is shown, stopped, marked and written anew, here and asynchronously."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import made_detectors as made
from ragcortex.detectors.detector import Detector
from ragcortex.errors import InputError
from ragcortex.readers.reader import Reader
from ragcortex.report import FlaggedSpan
from ragcortex.stream_guard import (
    AnswerJudged,
    GuardEvent,
    GuardStopped,
    Noted,
    SentenceJudged,
    StreamGuard,
    TextShown,
)
from same_reports import assert_same_reports

QUESTION = "What is known of the lighthouse?"
REFERENCES = ["The lighthouse at Cape Arden was built in 1874.", "It stands 41 metres above the sea."]
GOOD = "The lighthouse at Cape Arden was built in 1874."
BAD = "It stands 52 metres above the sea."
LAST = "It stands 41 metres above the sea."
ANSWER = f"{GOOD} {BAD} {LAST}"
DETECTOR = made.geometric()


def guard(**options: Any) -> StreamGuard:
    """Return a guard that judges each sentence at its end."""
    return StreamGuard(DETECTOR, QUESTION, REFERENCES, **({"tokens_at_once": 1} | options))


def pieces(text: str, size: int = 5) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


def shown(events: list[GuardEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextShown))


def judged(events: list[GuardEvent]) -> list[tuple[str, str]]:
    return [(event.action, event.sentence.text) for event in events if isinstance(event, SentenceJudged)]


class Source:
    """A model's stream that notes how far it was asked and whether it was closed."""

    def __init__(self, text: str = ANSWER, size: int = 5) -> None:
        self.text, self.size = text, size
        self.given = ""
        self.is_closed = False

    def __iter__(self) -> Iterator[str]:
        try:
            for piece in pieces(self.text, self.size):
                self.given += piece
                yield piece
        finally:
            self.is_closed = True

    async def __aiter__(self) -> AsyncIterator[str]:
        try:
            for piece in pieces(self.text, self.size):
                await asyncio.sleep(0)
                self.given += piece
                yield piece
        finally:
            self.is_closed = True


@pytest.mark.parametrize("size", [1, 5, 500])
def test_nothing_of_an_unsupported_sentence_is_shown_and_the_stream_is_closed(size: int) -> None:
    source, own = Source(size=size), guard()
    events = list(own.watch(source))
    assert shown(events) == GOOD
    assert judged(events) == [("shown", GOOD), ("stopped", BAD)]
    assert isinstance(events[-2], GuardStopped)
    assert isinstance(events[-1], AnswerJudged)
    assert own.stopped is not None
    assert (own.stopped.text, [span.text for span in own.stopped.spans]) == (BAD, ["52"])
    assert source.is_closed
    if size == 1:
        assert source.given == f"{GOOD} {BAD} It ", "the next word tells that the sentence has ended"
    assert own.report == events[-1].report
    assert_same_reports(events[-1].report, DETECTOR.check(QUESTION, REFERENCES, f"{GOOD} {BAD}"))


def test_text_that_is_not_held_back_is_shown_as_it_comes() -> None:
    own = guard(hold=False)
    events = list(own.watch(pieces(ANSWER)))
    assert shown(events) == ANSWER[: len(shown(events))]
    assert len(f"{GOOD} {BAD}") < len(shown(events)) < len(ANSWER)
    assert judged(events) == [("shown", GOOD), ("stopped", BAD)]
    assert own.report is not None
    assert own.report.answer == shown(events), "the report is on everything that was seen"
    assert isinstance(events[0], TextShown)


def test_sentences_that_wait_for_each_other_are_decided_one_by_one() -> None:
    source = Source()
    events = list(guard(tokens_at_once=20).watch(source))
    assert judged(events) == [("shown", GOOD), ("stopped", BAD)]
    assert shown(events) == GOOD
    assert source.given.startswith(f"{GOOD} {BAD} It ")
    events = list(guard(tokens_at_once=500, on_unsupported="mark").watch(pieces(ANSWER)))
    assert judged(events) == [("shown", GOOD), ("marked", BAD), ("shown", LAST)]


def test_marked_sentences_are_shown_and_said() -> None:
    own = guard(on_unsupported="mark")
    events = list(own.watch(pieces(ANSWER)))
    assert shown(events) == ANSWER
    assert judged(events) == [("shown", GOOD), ("marked", BAD), ("shown", LAST)]
    places = [type(event) for event in events]
    assert places == [SentenceJudged, TextShown] * 3 + [AnswerJudged]
    assert own.stopped is None
    assert_same_reports(events[-1].report, DETECTOR.check(QUESTION, REFERENCES, ANSWER))  # type: ignore[union-attr]


def test_texts_have_a_marker_behind_what_is_marked() -> None:
    assert "".join(guard(on_unsupported="mark").texts(pieces(ANSWER))) == f"{GOOD} {BAD} [unsupported] {LAST}"
    assert "".join(guard(on_unsupported="mark").texts(pieces(ANSWER), marker=" (?)")) == f"{GOOD} {BAD} (?) {LAST}"
    unheld = "".join(guard(on_unsupported="mark", hold=False).texts(pieces(ANSWER, 1)))
    assert unheld == f"{GOOD} {BAD} It  [unsupported]stands 41 metres above the sea."
    assert "".join(guard().texts(pieces(ANSWER))) == GOOD


def test_a_sentence_is_written_anew() -> None:
    asked: list[tuple[str, tuple[FlaggedSpan, ...]]] = []

    def rewrite(sentence: str, reasons: tuple[FlaggedSpan, ...]) -> str:
        asked.append((sentence, reasons))
        return LAST

    own = guard(on_unsupported="rewrite", rewrite=rewrite)
    events = list(own.watch(pieces(f"{GOOD} {BAD} And so on")))
    ((sentence, (span,)),) = asked
    assert sentence == BAD
    assert (span.text, span.reasons, span.differences[0].evidence.text) == ("52", ("number",), "41 metres")
    assert shown(events) == f"{GOOD} {LAST} And so on"
    (again,) = [event for event in events if isinstance(event, SentenceJudged) and event.replaced is not None]
    assert (again.action, again.sentence.text, again.replaced.text) == ("rewritten", LAST, BAD)  # type: ignore[union-attr]
    assert own.report is not None
    assert_same_reports(own.report, DETECTOR.check(QUESTION, REFERENCES, f"{GOOD} {LAST} And so on"))


@pytest.mark.parametrize("size", [5, 500])
@pytest.mark.parametrize("text", [f"{BAD} {GOOD} {BAD}", f"{BAD} {BAD} {GOOD}", f"{GOOD} {BAD}\n\n{BAD}", BAD])
def test_every_unsupported_sentence_is_asked_for_once(text: str, size: int) -> None:
    asked = []

    def rewrite(sentence: str, _: tuple[FlaggedSpan, ...]) -> str:
        asked.append(sentence)
        return LAST

    own = guard(on_unsupported="rewrite", rewrite=rewrite)
    assert shown(list(own.watch(pieces(text, size)))) == text.replace(BAD, LAST)
    assert asked == [BAD] * text.count(BAD)


def test_what_cannot_be_written_better_is_marked() -> None:
    own = guard(on_unsupported="rewrite", rewrite=lambda *_: "It stands 63 metres above the sea.")
    events = list(own.watch(pieces(ANSWER)))
    assert judged(events)[1] == ("marked", "It stands 63 metres above the sea.")
    assert shown(events) == f"{GOOD} It stands 63 metres above the sea. {LAST}"
    own = guard(on_unsupported="rewrite", rewrite=lambda *_: "It stands 63 metres above the sea.")
    assert "".join(own.texts(pieces(ANSWER))) == f"{GOOD} It stands 63 metres above the sea. [unsupported] {LAST}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [(ANSWER, f"{GOOD} {LAST}"), (f"{BAD} {GOOD}", f" {GOOD}"), (BAD, ""), (f"{GOOD}\n{BAD}", GOOD)],
)
def test_a_sentence_is_left_out(text: str, expected: str) -> None:
    own = guard(on_unsupported="rewrite", rewrite=lambda *_: " ")
    events = list(own.watch(pieces(text)))
    assert shown(events) == expected
    assert ("left_out", BAD) in judged(events)
    assert own.report is not None
    assert own.report.answer == expected


def test_a_threshold_of_the_callers_own() -> None:
    lowest = guard(threshold=0.0)
    assert shown(list(lowest.watch(pieces(ANSWER)))) == ""
    assert lowest.stopped is not None
    assert lowest.stopped.text == GOOD
    highest = guard(threshold=1.0)
    assert shown(list(highest.watch(pieces(ANSWER)))) == ANSWER


@pytest.mark.parametrize("text", ["", " \n ", "   It is"])
@pytest.mark.parametrize("options", [{}, {"hold": False}, {"on_unsupported": "mark"}])
def test_text_without_a_sentence_is_shown_whole(text: str, options: dict[str, Any]) -> None:
    own = guard(**options)
    assert shown(list(own.watch(["", *pieces(text), ""]))) == text
    assert own.report is not None
    assert own.report.answer == text


@given(
    st.lists(st.sampled_from([GOOD, BAD, LAST, "\n", " ", "👩‍👧. ", "灯台。", "I hope that helps! ", "שלום."])),
    st.data(),
)
@settings(max_examples=60, deadline=None)
def test_what_is_marked_is_all_of_the_text_however_it_comes(parts: list[str], data: st.DataObject) -> None:
    text = " ".join(parts)
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=8).map(sorted))
    deltas = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    for hold in (True, False):
        own = guard(on_unsupported="mark", hold=hold)
        assert shown(list(own.watch(deltas))) == text
        assert own.report is not None
        assert_same_reports(own.report, DETECTOR.check(QUESTION, REFERENCES, text))


def test_closing_the_guard_closes_the_stream() -> None:
    source = Source()
    events = guard().watch(source)
    next(events)
    assert not source.is_closed
    events.close()  # type: ignore[attr-defined]
    assert source.is_closed
    assert source.given != ANSWER


def test_an_error_of_the_stream_reaches_the_caller() -> None:
    def broken() -> Iterator[str]:
        yield GOOD
        raise ConnectionError("the model went away")

    own = guard()
    with pytest.raises(ConnectionError, match="the model went away"):
        list(own.watch(broken()))
    assert own.report is None


def test_misuse_is_refused() -> None:
    for options, message in (
        ({"on_unsupported": "halt"}, "on_unsupported: must be one of stop, mark, rewrite, got 'halt'"),
        ({"threshold": 2}, r"threshold: must be a number in \[0, 1\] or null, got 2"),
        ({"on_unsupported": "rewrite"}, "rewrite: must be given exactly where on_unsupported is 'rewrite'"),
        ({"rewrite": lambda *_: ""}, "rewrite: must be given exactly where on_unsupported is 'rewrite'"),
        (
            {"on_unsupported": "rewrite", "rewrite": lambda *_: "", "hold": False},
            "hold: must be True where sentences are rewritten: text that was shown stays as it is",
        ),
    ):
        with pytest.raises(InputError, match=message):
            guard(**options)
    own = guard()
    list(own.watch(pieces(ANSWER)))
    with pytest.raises(InputError, match="deltas: must be the only answer of a guard; make another guard for the next"):
        list(own.watch(pieces(ANSWER)))
    with pytest.raises(InputError, match="deltas: must be a string, got int"):
        list(guard().watch([7]))  # type: ignore[list-item]
    with pytest.raises(InputError, match="references: must be a list of passages, got str"):
        StreamGuard(DETECTOR, QUESTION, "text")
    with pytest.raises(InputError, match="rewrite: must return text, got NoneType"):
        list(guard(on_unsupported="rewrite", rewrite=lambda *_: None).watch([BAD]))  # type: ignore[arg-type,return-value]

    async def rewrite(*_: object) -> str:
        return LAST

    with pytest.raises(InputError, match="rewrite: must return text here; a coroutine function needs an asynchronous"):
        list(guard(on_unsupported="rewrite", rewrite=rewrite).watch([BAD]))


def test_what_keeps_sentences_from_being_judged_is_said(tiny_reader_folder: Path) -> None:
    detector = made.attentive(Reader.load(str(tiny_reader_folder)))
    own = StreamGuard(detector, QUESTION, REFERENCES)
    events = list(own.watch(pieces(ANSWER)))
    assert isinstance(events[0], Noted)
    assert events[0].note.code == "read_at_end"
    assert [event.sentence.state for event in events if isinstance(event, SentenceJudged)] == [None] * 3
    assert shown(events) == ANSWER


async def gathered(own: StreamGuard, source: Source) -> list[GuardEvent]:
    return [event async for event in own.watch_async(source)]


@pytest.mark.parametrize("options", [{}, {"hold": False}, {"on_unsupported": "mark"}])
def test_asynchronously_the_same_happens(options: dict[str, Any]) -> None:
    source = Source()
    events = asyncio.run(gathered(guard(**options), source))
    assert events == list(guard(**options).watch(Source()))
    assert source.is_closed


def test_texts_and_rewriting_are_asynchronous_too() -> None:
    async def rewrite(sentence: str, _: tuple[FlaggedSpan, ...]) -> str:
        await asyncio.sleep(0)
        return sentence.replace("52", "41")

    async def run(how: Callable[..., Any]) -> str:
        own = guard(on_unsupported="rewrite", rewrite=how)
        return "".join([text async for text in own.texts_async(Source())])

    assert asyncio.run(run(rewrite)) == f"{GOOD} {LAST} {LAST}"
    assert asyncio.run(run(lambda sentence, _: sentence.replace("52", "41"))) == f"{GOOD} {LAST} {LAST}"


def test_reading_does_not_hold_up_the_loop() -> None:
    """While a guard waits for its thread, which another task has taken, the loop goes on."""
    free, beats = threading.Event(), 0

    async def run() -> list[GuardEvent]:
        nonlocal beats
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(1) as executor:
            executor.submit(free.wait)
            task = asyncio.create_task(gathered(guard(executor=executor), Source()))
            for _ in range(20):
                await asyncio.sleep(0.001)
                beats += 1
            assert not task.done()
            free.set()
            return await task

    events = asyncio.run(run())
    assert beats == 20
    assert shown(events) == GOOD


def test_cancelling_closes_the_stream() -> None:
    source = Source(text=f"{LAST} " * 500)

    async def run() -> None:
        task = asyncio.create_task(gathered(guard(), source))
        while not source.given:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert source.is_closed
    assert source.given != source.text


def test_several_guards_share_a_reader(tiny_reader_folder: Path) -> None:
    """Streams in several threads on one reader have the scores that each has alone."""
    detector = made.fused(made.internal(Reader.load(str(tiny_reader_folder))))
    answers = [f"{LAST} {GOOD} {BAD}", f"{BAD} {GOOD}", ANSWER, f"{GOOD} {GOOD} {LAST}"]
    reports: dict[str, Any] = {}

    def run(answer: str) -> None:
        own = StreamGuard(detector, QUESTION, REFERENCES, on_unsupported="mark")
        list(own.watch(pieces(answer, 3)))
        reports[answer] = own.report

    threads = [threading.Thread(target=run, args=(answer,)) for answer in answers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for answer in answers:
        assert_same_reports(reports[answer], detector.check(QUESTION, REFERENCES, answer))


@pytest.mark.weights
def test_the_shipped_detector_stops_at_a_wrong_year() -> None:
    detector = Detector.load()
    text = "The lighthouse at Cape Arden stands 41 metres above the sea. It was built in 1974. It is white."
    own = StreamGuard(detector, QUESTION, REFERENCES, tokens_at_once=1)
    assert "".join(own.texts(pieces(text))) == "The lighthouse at Cape Arden stands 41 metres above the sea."
    assert own.stopped is not None
    assert [span.text.rstrip(".") for span in own.stopped.spans] == ["1974"]
    assert own.report is not None
    assert_same_reports(own.report, detector.check(QUESTION, REFERENCES, own.report.answer))
