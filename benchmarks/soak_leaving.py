"""Clients of the soak test that go away: before their body is whole, while they wait, or in the middle of events."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

import httpx

from soak_bodies import Body
from soak_client import SoakClient, events


def hung_up(witness: str) -> Callable[[SoakClient, str], Awaitable[None]]:
    """Return what goes away while its request is sent, judged or streamed, and perhaps comes back under its name."""

    async def send(client: SoakClient, kind: str) -> None:
        body = client.bodies.check(witness)
        way = client.draw.choice((_half_sent, _left_waiting, _left_waiting, _left_stream))
        key = await way(client, kind, body)
        if key is not None and client.draw.random() < 0.5 and not client.stopping.is_set():
            await client.check(kind, body, key)

    return send


async def _left_waiting(client: SoakClient, kind: str, body: Body) -> str:
    key = client.bodies.name()
    begun = client.record.begin(kind)
    try:
        async with asyncio.timeout(client.draw.uniform(0.002, 0.5)):
            response = await client.session.post("/v1/check", json=body, headers={"Idempotency-Key": key})
    except TimeoutError:
        client.record.uncertain.add(body["id"])
        client.record.hang_up(begun)
    except httpx.TransportError as error:
        client.record.uncertain.add(body["id"])
        client.record.break_off(begun, error)
    else:
        client.record.end(begun, response.status_code, (200,), response.text)
        if response.status_code == 200:
            client.accepted(body, response)
    return key


async def _half_sent(client: SoakClient, kind: str, body: Body) -> None:
    """Send half a body, which must not be kept."""
    content = json.dumps(body).encode()
    address = urlsplit(str(client.session.base_url))
    head = f"POST /v1/check HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Type: application/json\r\n"
    begun = client.record.begin(kind)
    try:
        _, writer = await asyncio.open_connection(address.hostname, address.port)
        writer.write(f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content[: len(content) // 2])
        await writer.drain()
        writer.close()
        await writer.wait_closed()
    except OSError as error:
        client.record.break_off(begun, error)
        return
    client.record.hang_up(begun)


async def _left_stream(client: SoakClient, kind: str, body: Body) -> None:
    begun = client.record.begin(kind)
    client.record.uncertain.add(body["id"])
    try:
        async with client.session.stream("POST", "/v1/check/stream", json=body) as response:
            if response.status_code == 200:
                await anext(events(response), None)
    except httpx.TransportError as error:
        client.record.break_off(begun, error)
        return
    if response.status_code == 200:
        client.record.hang_up(begun)
    else:
        client.record.end(begun, response.status_code, (200,))
