"""A streamed check for the client that waits."""

import threading
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Any, Self

import httpx

from ragcortex.client.call import Call
from ragcortex.client.check_calls import push
from ragcortex.client.events import Events, Lines, StreamEvent, StreamOpened, not_opened
from ragcortex.client.transport import broke_off


class AnswerStream:
    """An answer that is judged while it arrives: push its text, iterate over what is found.

    Attributes:
        id: the service's name for the stream.
    """

    def __init__(self, send: Callable[[Call[None]], Any], response: httpx.Response) -> None:
        """Take what sends more of the answer and the stream of events, and wait for the first.

        Raises:
            ClientError: the first event is a problem, or does not come.
        """
        self._send = send
        self._response = response
        self._failure: BaseException | None = None
        self._closed = threading.Event()
        self._events = self._read()
        try:
            opened = next(self._events)
        except BaseException:
            self.close()
            raise
        if not isinstance(opened, StreamOpened):
            self.close()
            raise not_opened()
        self.id = opened.id

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[StreamEvent]:
        for event in self._events:
            if not isinstance(event, StreamOpened):
                yield event

    def push(self, text: str) -> None:
        """Send more of the answer.

        Raises:
            ClientError: the answer has ended or is too long, or the service does not answer.
        """
        self._send(push(self.id, text, end=False))

    def end(self) -> None:
        """Say that the answer is whole; the check is the last event.

        Raises:
            ClientError: as `push`.
        """
        self._send(push(self.id, "", end=True))

    def push_all(self, texts: Iterable[str]) -> None:
        """Send pieces of the answer from another thread as they come, and its end after them.

        What they raise is raised again where the events are read.
        """
        threading.Thread(target=self._push_all, args=(texts,), name="ragcortex-stream", daemon=True).start()

    def close(self) -> None:
        """Give up the stream; an answer that has not ended is not kept."""
        self._closed.set()
        self._response.close()

    def _push_all(self, texts: Iterable[str]) -> None:
        try:
            for text in texts:
                if self._closed.is_set():
                    return
                self.push(text)
            self.end()
        except BaseException as error:  # raised again by whoever reads the events
            self._failure = error

    def _read(self) -> Iterator[StreamOpened | StreamEvent]:
        """Yield the events; a service without any to tell sends a comment now and then, so failures are seen soon."""
        events = Events()
        for line in lines_of(self._response):
            event = events.feed(line)
            if event is not None:
                yield event
            self._raise_failure(events)
        self._raise_failure(events)
        events.check_ended()

    def _raise_failure(self, events: Events) -> None:
        if self._failure is not None and not events.ended:
            raise self._failure


def lines_of(response: httpx.Response) -> Iterator[str]:
    """Yield the lines of an answer as they arrive, and close it.

    Raises:
        ClientError: the connection is lost.
    """
    lines = Lines()
    try:
        for chunk in response.iter_bytes():
            yield from lines.feed(chunk)
        yield lines.rest()
    except httpx.RequestError as error:
        raise broke_off(error) from error
    finally:
        response.close()
