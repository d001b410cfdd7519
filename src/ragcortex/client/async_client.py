"""The client that does not wait: the same calls as `Client` has, for asyncio."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from ragcortex.client import check_calls, corpus_calls, operation_calls
from ragcortex.client.async_stream import AsyncAnswerStream, async_lines_of, while_pushing
from ragcortex.client.call import Call
from ragcortex.client.check_calls import StreamedCall
from ragcortex.client.events import StreamEvent
from ragcortex.client.exchange import Exchange, Retries
from ragcortex.client.methods import begins, exports_async, sends_async
from ragcortex.client.transport import answer_of, line_of, options, request_of, shown

T = TypeVar("T")


class AsyncClient:
    """Calls of a ragcortex service; see `Client`, whose calls and arguments these are.

    >>> async with AsyncClient("http://127.0.0.1:8765") as client:  # doctest: +SKIP
    ...     checked = await client.check("Where?", ["It is in Paris."], "It is in Lyon.")

    Attributes:
        base_url: the service's address.
        checks, corpora, calibrations, keys: calls about each.
    """

    def __init__(
        self,
        base_url: str,
        key: str | None = None,
        *,
        timeout: float = 60.0,
        retries: Retries | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Describe the service; nothing is sent yet. See `Client`.

        Raises:
            InputError: the address is none, or the timeout is not above 0.
        """
        self.base_url = shown(base_url)
        self._retries = retries or Retries()
        self._http = httpx.AsyncClient(transport=transport, **options(base_url, key, timeout))
        self.checks = AsyncChecksCalls(self)
        self.corpora = AsyncCorporaCalls(self)
        self.calibrations = AsyncCalibrationsCalls(self)
        self.keys = AsyncKeysCalls(self)

    def __repr__(self) -> str:
        return f"AsyncClient({self.base_url!r})"

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def _send(self, call: Call[T]) -> T:
        return call.read(answer_of(await self._respond(call)))

    async def _export(self, call: Call[T]) -> AsyncIterator[T]:
        async with aclosing(async_lines_of(await self._respond(call, stream=True))) as lines:
            async for line in lines:
                if line:
                    yield call.read(line_of(line))

    def _opened(self, streamed: StreamedCall) -> AsyncAnswerStream:
        return AsyncAnswerStream(self._send, partial(self._respond, streamed.call, stream=True))

    async def _checked(self, streamed: StreamedCall) -> AsyncIterator[StreamEvent]:
        async with self._opened(streamed) as stream:
            events = aiter(stream) if streamed.pieces is None else while_pushing(stream, streamed.pieces)
            async for event in events:
                yield event

    async def _respond(self, call: Call[Any], *, stream: bool = False) -> httpx.Response:
        """Return the good answer to a call, its body not read yet if it streams."""
        exchange = Exchange(call, self._retries, self.base_url)
        while True:
            try:
                response = await self._http.send(request_of(self._http, call), stream=stream)
                if exchange.is_good(response.status_code):
                    return response
                await response.aread()
            except httpx.RequestError as error:
                wait = exchange.after_failure(error)
            else:
                wait = exchange.after_refusal(answer_of(response))
            await asyncio.sleep(wait)

    check = sends_async(check_calls.check)
    check_batch = sends_async(check_calls.check_batch)
    check_stream = begins(check_calls.check_stream, _checked)
    open_stream = begins(check_calls.open_stream, _opened)
    feedback = sends_async(check_calls.feedback)
    queue = sends_async(check_calls.queue)
    claim = sends_async(check_calls.claim)
    review = sends_async(check_calls.review)
    agreement = sends_async(check_calls.agreement)
    export_labels = exports_async(check_calls.export_labels)
    policies = sends_async(operation_calls.policies)
    audit_export = exports_async(operation_calls.export_audit)
    health = sends_async(operation_calls.health)
    ready = sends_async(operation_calls.ready)
    metrics = sends_async(operation_calls.metrics)


class _Calls:
    """Calls about one kind of thing."""

    def __init__(self, client: AsyncClient) -> None:
        self._send = client._send


class AsyncChecksCalls(_Calls):
    """Calls about what was judged."""

    list = sends_async(check_calls.list_checks)
    get = sends_async(check_calls.get_check)
    delete_text = sends_async(check_calls.delete_text)


class AsyncCorporaCalls(_Calls):
    """Calls about corpora."""

    list = sends_async(corpus_calls.list_corpora)
    create = sends_async(corpus_calls.create)
    add = sends_async(corpus_calls.add)
    upload = sends_async(corpus_calls.upload)
    get = sends_async(corpus_calls.get)
    delete = sends_async(corpus_calls.delete)
    remove = sends_async(corpus_calls.remove)
    search = sends_async(corpus_calls.search)
    map_html = sends_async(corpus_calls.map_html)


class AsyncCalibrationsCalls(_Calls):
    """Calls about thresholds."""

    list = sends_async(operation_calls.list_calibrations)
    create = sends_async(operation_calls.create_calibration)
    activate = sends_async(operation_calls.activate_calibration)
    deactivate = sends_async(operation_calls.deactivate_calibration)


class AsyncKeysCalls(_Calls):
    """Calls about keys."""

    list = sends_async(operation_calls.list_keys)
    create = sends_async(operation_calls.create_key)
    revoke = sends_async(operation_calls.revoke_key)
    rotate = sends_async(operation_calls.rotate_key)
