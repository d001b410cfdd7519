"""A client of the soak test: it sends politely, waits as long as it is told, and notes what came of each request."""

import asyncio
import json
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, Final

import httpx

from soak_bodies import Bodies, Body
from soak_record import Begun, Record

# Where an answer that has begun says that the service is at its limit, no header says until when.
RETRY_SECONDS: Final = 5.0
# Shorter than the service keeps an idle connection, so that none is used while it ends.
_IDLE_SECONDS: Final = 2.0
_ANSWER_SECONDS: Final = 300.0


def connected(url: str, clients: int) -> httpx.AsyncClient:
    """Return connections for so many clients, a streaming one of which uses two, that wait long for an answer."""
    limits = httpx.Limits(
        max_connections=3 * clients, max_keepalive_connections=clients, keepalive_expiry=_IDLE_SECONDS
    )
    return httpx.AsyncClient(base_url=url, timeout=_ANSWER_SECONDS, limits=limits, trust_env=False)


class SoakClient:
    """One client, with what it draws and where it notes."""

    def __init__(self, session: httpx.AsyncClient, record: Record, bodies: Bodies, stopping: asyncio.Event) -> None:
        self.session = session
        self.record = record
        self.bodies = bodies
        self.draw = bodies.draw
        self.stopping = stopping

    async def send(
        self,
        kind: str,
        method: str,
        path: str,
        *,
        expected: Collection[int] = (200,),
        names: Iterable[str] = (),
        counts_as: Callable[[httpx.Response], int] = lambda response: response.status_code,
        **request: Any,
    ) -> httpx.Response | None:
        """Return an expected answer, once the service is not at its limit any more; None where there is none.

        Args:
            kind: which of the mix.
            method, path, request: what to send.
            expected: the statuses that are right.
            names: of the checks that may be kept although no answer came.
            counts_as: the status that an answer is noted as.
        """
        while True:
            begun = self.record.begin(kind)
            try:
                response = await self.session.request(method, path, **request)
            except httpx.TransportError as error:
                self.record.uncertain.update(names)
                self.record.break_off(begun, error)
                return None
            self.record.end(begun, counts_as(response), expected, response.text)
            if response.status_code == 429:
                if await self.pause(self._told(response)):
                    return None
                continue
            if response.is_server_error:
                self.record.uncertain.update(names)
            return response if response.status_code in expected else None

    async def check(self, kind: str, body: Body, key: str | None = None) -> dict[str, Any] | None:
        """Return the answer to one check, None where there is none."""
        headers = {} if key is None else {"Idempotency-Key": key}
        response = await self.send(kind, "POST", "/v1/check", names=[body["id"]], json=body, headers=headers)
        return None if response is None else self.accepted(body, response)

    def accepted(self, body: Body, response: httpx.Response) -> dict[str, Any]:
        """Return the answer to a check, and note it."""
        check: dict[str, Any] = response.json()
        self.record.accept(body["id"], check)
        return check

    async def stream(self, kind: str, body: Body, pieces: Sequence[str]) -> None:
        """Have an answer judged while it arrives; with pieces, these are sent one after the other."""
        given = body | {"answer": "", "open": True} if pieces else body
        while True:
            begun = self.record.begin(kind)
            sending: asyncio.Task[None] | None = None
            event, values = "", {}
            try:
                async with self.session.stream("POST", "/v1/check/stream", json=given) as response:
                    if response.status_code != 200:
                        await response.aread()
                        event, values = "problem", {"status": response.status_code, "detail": response.text}
                    async for event, values in events(response):
                        if event == "stream" and pieces:
                            sending = asyncio.create_task(self._more(f"{kind}, a piece", values["id"], pieces))
            except httpx.TransportError as error:
                self.record.uncertain.add(body["id"])
                self.record.break_off(begun, error)
                return
            finally:
                if sending is not None:
                    await sending
            status = self._streamed(begun, body, event, values)
            if status != 429 or await self.pause(RETRY_SECONDS):
                return

    def _streamed(self, begun: Begun, body: Body, event: str, values: Body) -> int:
        status = {"report": 200, "problem": values.get("status", 500)}.get(event, 500)
        self.record.end(begun, status, (200,), f"ended with {event!r}: {values.get('detail', '')}")
        if event == "report":
            self.record.accept(body["id"], values)
        elif status >= 500:
            self.record.uncertain.add(body["id"])
        return status

    async def _more(self, kind: str, stream_id: str, pieces: Sequence[str]) -> None:
        path = f"/v1/check/stream/{stream_id}"
        for more in (*({"text": piece} for piece in pieces), {"end": True}):
            # A stream that was refused in the middle, as the service was at its limit, is not there any more.
            response = await self.send(kind, "POST", path, expected=(202, 404, 409), json=more)
            if response is None or response.status_code != 202:
                return

    async def pause(self, seconds: float) -> bool:
        """Wait, and return whether the service is told to end meanwhile."""
        try:
            await asyncio.wait_for(self.stopping.wait(), seconds)
        except TimeoutError:
            return False
        return True

    def _told(self, response: httpx.Response) -> float:
        told: str = response.headers.get("Retry-After", "")
        if not told.isdecimal():
            self.record.blame(f"429 with Retry-After {told!r}")
            return 1.0
        return float(told)


async def events(response: httpx.Response) -> Any:
    """Yield the name and the values of each server-sent event."""
    name = ""
    async for line in response.aiter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
