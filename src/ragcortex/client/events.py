"""The events of a streamed check: lines of text → typed events. Nothing here receives."""

import codecs
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ragcortex.client.answers import Checked
from ragcortex.client.call import Answer, unexpected
from ragcortex.client.decoding import decoded
from ragcortex.client.errors import ClientError
from ragcortex.client.exchange import error_of
from ragcortex.report_parts import Note


@dataclass(frozen=True, slots=True)
class StreamedToken:
    """A token of the answer so far, and its provisional score."""

    start: int
    end: int
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class StreamedSpan:
    """A stretch of the answer so far that its references do not support, as it looks now, and why."""

    start: int
    end: int
    text: str
    score: float
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StreamedSentence:
    """A sentence that has ended, as it looks now; state and score are None where nothing can be said yet."""

    number: int
    start: int
    end: int
    text: str
    state: str | None
    score: float | None


@dataclass(frozen=True, slots=True)
class StreamOpened:
    """The first event: the id that more of the answer is sent to."""

    id: str


@dataclass(frozen=True, slots=True)
class TokensScored:
    """Sentences have ended and were scored, each once; the scores are provisional unless `final`."""

    final: bool
    tokens: tuple[StreamedToken, ...]
    spans: tuple[StreamedSpan, ...]
    sentences: tuple[StreamedSentence, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class AnswerChecked:
    """The last event: the check, as `check` gives it."""

    check: Checked


StreamEvent = TokensScored | AnswerChecked
_STREAMED: Final = 200
_SERVER_ERROR: Final = 500


def not_opened() -> ClientError:
    """Return the error for a stream whose first event is another one than it should be."""
    detail = "the stream of events did not begin with its id; is the service of this version?"
    return ClientError("Unexpected answer", detail)


class Lines:
    """Bytes as they arrive → lines as they end. Only line feeds end one: JSON may hold all other separators."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        self._begun: list[str] = []

    def feed(self, chunk: bytes) -> Iterator[str]:
        """Yield the lines that a chunk ends."""
        first, *others = self._decoder.decode(chunk).split("\n")
        self._begun.append(first)
        for following in others:
            yield "".join(self._begun).removesuffix("\r")
            self._begun = [following]

    def rest(self) -> str:
        """Return what came after the last line feed."""
        return "".join(self._begun) + self._decoder.decode(b"", final=True)


class Events:
    """Lines of `text/event-stream` → events of a check.

    Attributes:
        ended: whether the report has come.
    """

    def __init__(self) -> None:
        self.ended = False
        self._name = ""
        self._data: list[str] = []

    def feed(self, line: str) -> StreamOpened | StreamEvent | None:
        """Return the event that a line ends, None where it ends none.

        Raises:
            ClientError: the event is a problem, or of another form.
        """
        if line:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "event":
                self._name = value
            elif name == "data":
                self._data.append(value)
            return None
        name, data = self._name, "\n".join(self._data)
        self._name, self._data = "", []
        return self._event(name, data) if data else None

    def check_ended(self) -> None:
        """Refuse a stream that ended before its report.

        Raises:
            ClientError: it did.
        """
        if not self.ended:
            raise ClientError(
                "The stream broke off", "it ended without a report; the answer was not kept: check it again"
            )

    def _event(self, name: str, data: str) -> StreamOpened | StreamEvent | None:
        """Return the event of a name; events that a later service added are passed over."""
        answer = Answer(_STREAMED, {}, data.encode())
        try:
            if name == "stream":
                return decoded(StreamOpened, json.loads(data))
            if name == "tokens":
                return decoded(TokensScored, json.loads(data))
            if name == "report":
                self.ended = True
                return AnswerChecked(decoded(Checked, json.loads(data)))
            if name == "problem":
                status = json.loads(data).get("status", _SERVER_ERROR)
                raise error_of(Answer(int(status), {}, data.encode()))
        except (ValueError, OverflowError, RecursionError, AttributeError, TypeError) as error:
            raise unexpected(answer, str(error)) from error
        return None
