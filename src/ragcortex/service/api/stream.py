"""`POST /v1/check/stream`: token scores as an answer arrives, as server-sent events, and the report at its end."""

import asyncio
import datetime
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent

from ragcortex.errors import InputError
from ragcortex.service.api.views import check_out
from ragcortex.service.checks import NotFoundError, new_id
from ragcortex.service.keys import Caller
from ragcortex.service.problems import RefusedError, problem_of
from ragcortex.service.schemas import CheckIn, StreamIn, StreamMore
from ragcortex.service.security import require
from ragcortex.service.state import Judged, Service, service_of
from ragcortex.service.streaming import StreamedCheck, open_stream

router = APIRouter(prefix="/v1/check/stream", tags=["check"])
CurrentService = Annotated[Service, Depends(service_of)]
CheckCaller = Annotated[Caller, Depends(require("check"))]
_KEEP_ALIVE_SECONDS: Final = 15.0
MOST_STREAMS: Final = 32
"""So many answers may be open at once; each keeps its source's keys and values in memory."""


@dataclass(slots=True)
class OpenStream:
    """An answer that is arriving: who sends it, and what has come and is not judged yet; None ends it.

    `stopped` where the service ended it, and not who sends it.
    """

    actor: str
    waiting: asyncio.Queue[str | None] = field(default_factory=asyncio.Queue)
    n_characters: int = 0
    ended: bool = False
    stopped: bool = False

    def put(self, text: str, *, end: bool, most: int) -> None:
        """Take more of the answer.

        Raises:
            RefusedError: the answer has ended.
            InputError: it gets too long.
        """
        if self.ended:
            raise RefusedError(409, "this answer has ended; open another stream")
        if self.n_characters + len(text) > most:
            raise InputError("text", f"makes the answer longer than the {most:,} characters that this service takes")
        self.n_characters += len(text)
        if text:
            self.waiting.put_nowait(text)
        if end:
            self.ended = True
            self.waiting.put_nowait(None)

    def stop(self) -> None:
        """Take no more of an answer that has not ended; one that has is judged to its end."""
        if not self.ended:
            self.ended = self.stopped = True
            self.waiting.put_nowait(None)


def streams_of(request: Request) -> dict[str, OpenStream]:
    """Return the answers that are arriving, by id."""
    streams: dict[str, OpenStream] = request.app.state.streams
    return streams


Streams = Annotated[dict[str, OpenStream], Depends(streams_of)]


async def opened(
    values: StreamIn, request: Request, caller: CheckCaller, service: CurrentService
) -> AsyncIterator["_Session"]:
    """Give a new stream before the response begins, so that what is wrong with it is an ordinary problem.

    It is forgotten when the response has ended, however it did, and even if none of it was ever asked for.
    """
    streams = streams_of(request)
    if len(streams) >= MOST_STREAMS:
        raise RefusedError(429, f"{MOST_STREAMS} answers are being streamed; try again later", {"Retry-After": "5"})
    given = CheckIn(**values.model_dump(exclude={"open"}))
    witness, policy = service.witness(values.witness), service.policy(values.policy)
    if values.corpus is not None:
        raise InputError("corpus", "cannot be streamed against; give the references, or use /v1/check")
    example = service.example(given)
    stream, stream_id = OpenStream(caller.name), secrets.token_hex(16)
    stream.put(values.answer, end=not values.open, most=service.settings.max_answer_chars)
    streams[stream_id] = stream
    try:
        checker = await open_stream(service.judges, example, witness, timeout=service.settings.timeout_seconds)
        try:
            yield _Session(stream_id, stream, checker, given, witness, policy, caller, service)
        finally:
            checker.close()
    finally:
        stream.ended = True
        del streams[stream_id]


@router.post("", response_class=EventSourceResponse)
async def check_stream(session: Annotated["_Session", Depends(opened)]) -> AsyncIterator[ServerSentEvent]:
    """Judge an answer while it arrives.

    Events: `stream` with the id that more of the answer is sent to, `tokens` with provisional scores, `report` with the
    check as `/v1/check` gives it, once the answer has ended, or `problem`. In the end it is what an ordinary check of
    the whole answer gives.
    """
    async for event in session.events():
        yield event


@router.post("/{stream_id}", status_code=202)
async def more(
    stream_id: str, values: StreamMore, caller: CheckCaller, service: CurrentService, streams: Streams
) -> dict[str, int]:
    """Send more of an answer that is being streamed, or its end."""
    stream = streams.get(stream_id)
    if stream is None or stream.actor != caller.name:
        raise NotFoundError("stream_id", f"no answer is being streamed under {stream_id!r}")
    stream.put(values.text, end=values.end, most=service.settings.max_answer_chars)
    return {"n_characters": stream.n_characters}


@dataclass(slots=True)
class _Session:
    """One stream from its first event to its last."""

    id: str
    stream: OpenStream
    checker: StreamedCheck
    values: CheckIn
    witness: str
    policy: Any
    caller: Caller
    service: Service

    async def events(self) -> AsyncIterator[ServerSentEvent]:
        try:
            yield ServerSentEvent(event="stream", data={"id": self.id})
            async for event in self._scores():
                yield event
            yield ServerSentEvent(event="report", data=await self._report())
        except Exception as error:  # the response has begun: what goes wrong can only be an event
            problem = problem_of(error)[0]
            yield ServerSentEvent(event="problem", data=problem.model_dump(exclude_none=True))
        finally:
            self.stream.ended = True

    async def _scores(self) -> AsyncIterator[ServerSentEvent]:
        limit = self.service.settings.timeout_seconds
        silent = 0.0
        while True:
            wait = min(_KEEP_ALIVE_SECONDS, limit - silent)
            try:
                text = await asyncio.wait_for(self.stream.waiting.get(), wait)
            except TimeoutError:
                silent += wait
                if silent >= limit:
                    detail = f"no more of the answer has come for {limit:g} s; stream it again"
                    raise RefusedError(504, detail) from None
                yield ServerSentEvent(comment="waiting for more of the answer")
                continue
            if self.stream.stopped:
                raise RefusedError(503, "the service is being stopped; stream the answer again")
            silent = 0.0
            ended = text is None
            parts = [] if text is None else [text]
            while not self.stream.waiting.empty():
                following = self.stream.waiting.get_nowait()
                ended |= following is None
                parts += [] if following is None else [following]
            progress = await self.checker.add("".join(parts))
            if progress is not None:
                yield ServerSentEvent(event="tokens", data=progress)
            if ended:
                return

    async def _report(self) -> dict[str, Any]:
        started, at = self.service.clock(), datetime.datetime.now(datetime.UTC)
        report = replace(await self.checker.finish(), id=self.values.id)
        example = self.service.example(self.values.model_copy(update={"answer": report.answer}))
        judged = Judged(new_id(), at, example, report, self.witness, self.policy, None, self.service.clock() - started)
        ((check, final),) = await self.service.keep([judged], self.caller)
        return check_out(check, final).model_dump(mode="json")
