"""The mix of a soak test: what its clients send, how often, and what must come of it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final

import httpx

from soak_bodies import LONG_WORDS, OVERSIZED, USUAL_WORDS, Body
from soak_client import RETRY_SECONDS, SoakClient
from soak_leaving import hung_up
from soak_record import Record

Sender = Callable[[SoakClient, str], Awaitable[None]]
_JSON: Final = {"Content-Type": "application/json"}
_PAGES: Final = ("/", "/history", "/queue", "/dashboard", "/corpora", "/history?verdict=hallucinated")
_MALFORMED: Final = (b"", b"{", b"[]", b'{"checks": []}', b'{"answer": "\xff"}')


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of request: how often it is drawn, whether it needs the reader, and what sends it."""

    name: str
    weight: float
    send: Sender
    reads: bool = False


def single(witness: str, *, words: int | None = None, again: bool = False) -> Sender:
    """Return what sends one check; `again` asks for another answer from the client's last source."""

    async def send(client: SoakClient, kind: str) -> None:
        usual = {} if words is None else {"words": words}
        await client.check(kind, client.bodies.check(witness, again=again, **usual))

    return send


def unicode(witness: str) -> Sender:
    """Return what sends a check in another script."""

    async def send(client: SoakClient, kind: str) -> None:
        await client.check(kind, client.bodies.unicode_check(witness))

    return send


def batch(witness: str) -> Sender:
    """Return what sends several answers, one of which cannot be judged; what was refused for now is sent again."""

    async def send(client: SoakClient, kind: str) -> None:
        rows, bad = client.bodies.batch(witness)
        invalid = rows[bad]["id"]
        while rows:
            headers = {"Idempotency-Key": client.bodies.name()} if client.draw.random() < 0.5 else {}
            names = [row["id"] for row in rows if row["id"] != invalid]
            request = {"json": {"checks": rows}, "headers": headers, "counts_as": _batch_status}
            response = await client.send(kind, "POST", "/v1/check/batch", names=names, **request)
            if response is None:
                return
            rows = _again(client.record, kind, rows, invalid, response.json())
            if rows and await client.pause(RETRY_SECONDS):
                return

    return send


def _batch_status(response: httpx.Response) -> int:
    """Return 429 where the service was too busy for a row, else the status itself."""
    if response.status_code != 200:
        return response.status_code
    problems = [item.get("problem") or {} for item in response.json()["items"]]
    return 429 if any(one.get("status") == 429 for one in problems) else 200


def _again(record: Record, kind: str, rows: list[Body], invalid: str, answer: Body) -> list[Body]:
    """Return the rows that the service was too busy for; the others are noted."""
    busy = []
    if len(answer["items"]) != len(rows):
        record.blame(f"{kind}: {len(answer['items'])} items for {len(rows)} rows")
    for row, item in zip(rows, answer["items"], strict=False):
        problem = item.get("problem")
        status = 200 if problem is None else problem["status"]
        if status == 429:
            busy.append(row)
        elif status != (422 if row["id"] == invalid else 200):
            record.blame(f"{kind}: {'the bad' if row['id'] == invalid else 'a good'} row was answered with {status}")
        elif status == 200:
            record.accept(row["id"], item["check"])
    return busy


def streamed(witness: str) -> Sender:
    """Return what streams an answer, whole or in pieces."""

    async def send(client: SoakClient, kind: str) -> None:
        body = client.bodies.check(witness)
        text, pieces = body["answer"], []
        if client.draw.random() < 0.5:
            cut = client.draw.randrange(1, len(text))
            pieces = [text[:cut], text[cut:]]
        await client.stream(kind, body, pieces)

    return send


async def invalid(client: SoakClient, kind: str) -> None:
    """Send a body that is refused."""
    if client.draw.random() < 0.25:
        content = client.draw.choice(_MALFORMED)
        path = client.draw.choice(("/v1/check", "/v1/check/batch", "/v1/check/stream"))
        await client.send(kind, "POST", path, expected=(400, 422), content=content, headers=_JSON)
    else:
        await client.send(kind, "POST", "/v1/check", expected=(422, 404), json=client.bodies.invalid())


async def oversized(client: SoakClient, kind: str) -> None:
    """Send a body that is too large, half of the time without saying so before."""

    async def portions() -> Any:
        for start in range(0, len(OVERSIZED), 65_536):
            yield OVERSIZED[start : start + 65_536]

    content = OVERSIZED if client.draw.random() < 0.5 else portions()
    begun = client.record.begin(kind)
    try:
        response = await client.session.post("/v1/check", content=content, headers=_JSON)
    except httpx.TransportError as error:
        client.record.break_off(begun, error)
        return
    client.record.end(begun, response.status_code, (413,), response.text)


async def repeated(client: SoakClient, kind: str) -> None:
    """Send a named check several times: each time it must be the same, and another one of its name is refused."""
    body, key = client.bodies.check("geometry"), client.bodies.name()
    if client.draw.random() < 0.3:
        first, _ = await asyncio.gather(client.check(kind, body, key), client.check(kind, body, key))
    else:
        first = await client.check(kind, body, key)
    headers = {"Idempotency-Key": key}
    response = await client.send(kind, "POST", "/v1/check", names=[body["id"]], json=body, headers=headers)
    if response is None or first is None:
        return
    if client.accepted(body, response)["report"] != first["report"]:
        client.record.blame(f"{body['id']}: another report under the same name")
    if response.headers.get("Idempotency-Replayed") != "true":
        client.record.blame(f"{body['id']}: made again under the same name")
    other = client.bodies.check("geometry", again=True)
    await client.send(kind, "POST", "/v1/check", expected=(422,), json=other, headers=headers)


async def corpus(client: SoakClient, kind: str) -> None:
    """Make a corpus, search it, check against it, change it and delete it."""
    name = client.bodies.name()
    path, found = f"/v1/corpora/{name}", {"params": {"text": "a day ticket", "k": 3}}
    first = client.bodies.documents(3)
    if await client.send(kind, "POST", "/v1/corpora", expected=(201,), json={"name": name, "documents": first}) is None:
        return
    await client.send(kind, "GET", f"{path}/search", **found)
    await client.check(kind, client.bodies.corpus_check(name))
    await client.send(kind, "POST", f"{path}/documents", json={"documents": client.bodies.documents(2)})
    await client.send(kind, "GET", path)
    await client.check(kind, client.bodies.corpus_check(name))
    await client.send(kind, "DELETE", f"{path}/documents/{first[0]['id']}")
    await client.send(kind, "DELETE", path, expected=(204,))
    await client.send(kind, "GET", f"{path}/search", expected=(404,), **found)


async def review(client: SoakClient, kind: str) -> None:
    """Decide one of the answers that wait; another client may be at the same one."""
    reviewer = f"reviewer-{client.draw.randrange(1_000)}"
    response = await client.send(kind, "GET", "/v1/queue", params={"limit": 50, "reviewer": reviewer})
    waiting = [] if response is None else response.json()["checks"]
    if not waiting:
        return
    check = client.draw.choice(waiting)
    path, may = f"/v1/checks/{check['id']}", (200, 404, 409)
    claimed = await client.send(kind, "POST", f"{path}/claim", expected=may, params={"reviewer": reviewer})
    if claimed is None or claimed.status_code != 200:
        return
    label = client.draw.randrange(2)
    spans = [{"start": 0, "end": 4}] if label else []
    said = {"label": label, "spans": spans, "comment": "as the passage says", "reviewer": reviewer}
    await client.send(kind, "POST", f"{path}/reviews", expected=(201,), json=said)


async def feedback(client: SoakClient, kind: str) -> None:
    """Look at a check that is kept, and say whether its verdict was right."""
    if not client.record.recent:
        return
    path = f"/v1/checks/{client.draw.choice(client.record.recent)}"
    await client.send(kind, "GET", path)
    said = {"rating": client.draw.choice(("right", "wrong")), "comment": "said by a user"}
    await client.send(kind, "POST", f"{path}/feedback", expected=(201,), json=said)


async def pages(client: SoakClient, kind: str) -> None:
    """Look at a page, or leaf through the list of checks."""
    if client.draw.random() < 0.5:
        await client.send(kind, "GET", client.draw.choice(_PAGES), headers={"Accept": "text/html"})
        return
    params: dict[str, Any] = {"limit": 50}
    for _ in range(3):
        response = await client.send(kind, "GET", "/v1/checks", params=params)
        following = None if response is None else response.json()["next"]
        if following is None:
            return
        params["cursor"] = following


async def metrics(client: SoakClient, kind: str) -> None:
    """Read the figures."""
    await client.send(kind, "GET", "/metrics")


MIX: Final = (
    Kind("geometry", 24, single("geometry")),
    Kind("geometry, same source", 12, single("geometry", again=True)),
    Kind("geometry, long references", 2, single("geometry", words=LONG_WORDS)),
    Kind("geometry, other scripts", 5, unicode("geometry")),
    Kind("geometry, batch", 3, batch("geometry")),
    Kind("geometry, streamed", 3, streamed("geometry")),
    Kind("both", 3, single("both", words=USUAL_WORDS), reads=True),
    Kind("both, same source", 3, single("both", words=USUAL_WORDS, again=True), reads=True),
    Kind("both, long references", 0.3, single("both", words=LONG_WORDS), reads=True),
    Kind("both, other scripts", 1, unicode("both"), reads=True),
    Kind("both, batch", 0.5, batch("both"), reads=True),
    Kind("both, streamed", 1, streamed("both"), reads=True),
    Kind("both, hung up", 1, hung_up("both"), reads=True),
    Kind("internal", 1, single("internal"), reads=True),
    Kind("hung up", 4, hung_up("geometry")),
    Kind("repeated under one name", 4, repeated),
    Kind("invalid", 5, invalid),
    Kind("oversized", 1, oversized),
    Kind("corpus", 1, corpus),
    Kind("review", 3, review),
    Kind("feedback", 3, feedback),
    Kind("pages", 3, pages),
    Kind("metrics", 2, metrics),
)


async def run(client: SoakClient, mix: tuple[Kind, ...]) -> None:
    """Send the mix without a pause until the service is told to end."""
    weights = [kind.weight for kind in mix]
    while not client.stopping.is_set():
        (kind,) = client.draw.choices(mix, weights)
        await kind.send(client, kind.name)
