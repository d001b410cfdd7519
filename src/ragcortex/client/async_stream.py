"""A streamed check for the client that does not wait."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import aclosing
from types import TracebackType
from typing import Any, Self

import httpx

from ragcortex.client.call import Call
from ragcortex.client.check_calls import push
from ragcortex.client.events import Events, Lines, StreamEvent, StreamOpened, not_opened
from ragcortex.client.transport import broke_off

Event = StreamOpened | StreamEvent


class AsyncAnswerStream:
    """An answer that is judged while it arrives: push its text, iterate over what is found.

    Attributes:
        id: the service's name for the stream; known within `async with`.
    """

    def __init__(
        self, send: Callable[[Call[None]], Awaitable[Any]], respond: Callable[[], Awaitable[httpx.Response]]
    ) -> None:
        """Take what sends more of the answer, and what begins the stream of events."""
        self.id = ""
        self._send = send
        self._respond = respond
        self._response: httpx.Response | None = None
        self._events: AsyncIterator[Event] | None = None

    async def __aenter__(self) -> Self:
        self._response = await self._respond()
        self._events = _events(self._response)
        try:
            opened = await anext(self._events)
        except BaseException:
            await self.aclose()
            raise
        if not isinstance(opened, StreamOpened):
            await self.aclose()
            raise not_opened()
        self.id = opened.id
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def __aiter__(self) -> AsyncIterator[StreamEvent]:
        if self._events is None:
            raise RuntimeError("the stream is not open; use it within `async with`")
        async for event in self._events:
            if not isinstance(event, StreamOpened):
                yield event

    async def push(self, text: str) -> None:
        """Send more of the answer.

        Raises:
            ClientError: the answer has ended or is too long, or the service does not answer.
        """
        await self._send(push(self.id, text, end=False))

    async def end(self) -> None:
        """Say that the answer is whole; the check is the last event.

        Raises:
            ClientError: as `push`.
        """
        await self._send(push(self.id, "", end=True))

    async def push_all(self, texts: Iterable[str] | AsyncIterable[str]) -> None:
        """Send pieces of the answer as they come, and its end after them.

        Raises:
            ClientError: as `push`.
            Exception: whatever the pieces raise.
        """
        if isinstance(texts, AsyncIterable):
            async for text in texts:
                await self.push(text)
        else:
            for text in texts:
                await self.push(text)
        await self.end()

    async def aclose(self) -> None:
        """Give up the stream; an answer that has not ended is not kept."""
        if self._response is not None:
            await self._response.aclose()


async def while_pushing(
    stream: AsyncAnswerStream, texts: Iterable[str] | AsyncIterable[str]
) -> AsyncIterator[StreamEvent]:
    """Yield the events of a stream to which pieces of the answer are pushed meanwhile.

    Raises:
        ClientError: the service stops, or refuses a piece.
        Exception: whatever the pieces raise, at once.
    """
    pushing = asyncio.ensure_future(stream.push_all(texts))
    events = aiter(stream)
    coming: asyncio.Future[StreamEvent] | None = None
    try:
        while True:
            coming = coming or asyncio.ensure_future(anext(events))
            waited = (coming,) if pushing.done() else (coming, pushing)
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if not coming.done():
                pushing.result()
                continue
            try:
                event = coming.result()
            except StopAsyncIteration:
                return
            coming = None
            yield event
    finally:
        for task in (pushing, coming):
            if task is not None:
                task.cancel()
        await asyncio.gather(*(task for task in (pushing, coming) if task is not None), return_exceptions=True)


async def async_lines_of(response: httpx.Response) -> AsyncGenerator[str, None]:
    """Yield the lines of an answer as they arrive, and close it.

    Raises:
        ClientError: the connection is lost.
    """
    lines = Lines()
    try:
        async for chunk in response.aiter_bytes():
            for line in lines.feed(chunk):
                yield line
        yield lines.rest()
    except httpx.RequestError as error:
        raise broke_off(error) from error
    finally:
        await response.aclose()


async def _events(response: httpx.Response) -> AsyncIterator[Event]:
    events = Events()
    async with aclosing(async_lines_of(response)) as lines:
        async for line in lines:
            event = events.feed(line)
            if event is not None:
                yield event
    events.check_ended()
