"""Requests to a running service: made-up answers, clients that send them at the same time, and what came of it."""

import asyncio
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx

from made_up_texts import answers, passages

Payload = dict[str, Any]
_PAUSE = 0.2


def source_checks(n: int, *, seed: int, per_source: int, reference_words: int, witness: str) -> list[Payload]:
    """Return n checks of answers of 60 words against three references each, `per_source` answers to the same ones.

    The answers to one source do not follow each other: a round of all sources comes after another.
    """
    n_sources = -(-n // per_source)
    rounds: list[list[Payload]] = [[] for _ in range(per_source)]
    for source in range(n_sources):
        made = passages(reference_words, seed=seed * 10_000 + source)
        for place, answer in enumerate(answers(made, per_source, 60, seed=seed * 10_000 + source)):
            rounds[place].append({
                "id": f"{seed}-{source}-{place}",
                "question": f"What is said of {made[0].scene.town}?",
                "references": [one.text for one in made],
                "answer": answer,
                "witness": witness,
            })  # fmt: skip
    return [payload for one in rounds for payload in one][:n]


@dataclass
class Outcome:
    """What came of many requests.

    Attributes:
        seconds: of each request that was answered with 200, in the order of the answers.
        statuses: how often each status was answered; `lost` where the connection broke.
        wall_seconds: from the first request to the last answer.
        answered: the ids of the checks by the ids of the requests.
    """

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    wall_seconds: float = 0.0
    answered: dict[str, list[str]] = field(default_factory=dict)

    def figures(self) -> dict[str, Any]:
        """Return throughput and quantiles, in requests a second and milliseconds."""
        ordered = sorted(self.seconds)
        cuts = {f"p{q}_ms": quantile(ordered, q / 100) * 1e3 for q in (50, 95, 99)}
        return {
            "n": len(ordered),
            "per_second": len(ordered) / self.wall_seconds,
            **cuts,
            "statuses": dict(self.statuses),
        }

    def include(self, other: "Outcome") -> None:
        """Add a later round."""
        self.seconds += other.seconds
        self.statuses.update(other.statuses)
        self.wall_seconds += other.wall_seconds


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the smallest of sorted numbers that so large a share of them does not exceed."""
    if not ordered:
        return float("nan")
    return statistics.median(ordered) if share == 0.5 else ordered[min(len(ordered) - 1, int(share * len(ordered)))]


async def send_all(url: str, payloads: Sequence[Payload], *, clients: int, seconds: float) -> Outcome:
    """Return what came of checks sent by so many clients at once, each one after the other, within a time limit."""
    outcome, waiting = Outcome(), list(reversed(payloads))

    async def client(session: httpx.AsyncClient) -> None:
        while waiting:
            payload = waiting.pop()
            started = time.perf_counter()
            response = await session.post("/v1/check", json=payload)
            outcome.statuses[str(response.status_code)] += 1
            if response.status_code == httpx.codes.OK:
                outcome.seconds.append(time.perf_counter() - started)

    async with asyncio.timeout(seconds), connected(url, clients) as session:
        begun = time.perf_counter()
        await asyncio.gather(*(client(session) for _ in range(clients)))
        outcome.wall_seconds = time.perf_counter() - begun
    return outcome


async def send_until_answered(
    url: str, payloads: Sequence[Payload], *, clients: int, seconds: float, outcome: Outcome
) -> None:
    """Send checks, each with a name of its own, again and again until each is answered with 200, within a time limit.

    What comes of them is added to `outcome` as it comes.
    """
    waiting = list(reversed(payloads))

    async def once(session: httpx.AsyncClient, payload: Payload) -> bool:
        headers = {"Idempotency-Key": f"load-{payload['id']}"}
        try:
            response = await session.post("/v1/check", json=payload, headers=headers)
        except httpx.TransportError:
            outcome.statuses["lost"] += 1
            return False
        outcome.statuses[str(response.status_code)] += 1
        if response.status_code != httpx.codes.OK:
            return False
        outcome.answered.setdefault(payload["id"], []).append(response.json()["id"])
        return True

    async def client(session: httpx.AsyncClient) -> None:
        while waiting:
            payload = waiting.pop()
            while not await once(session, payload):
                await asyncio.sleep(_PAUSE)

    async with asyncio.timeout(seconds), connected(url, clients) as session:
        begun = time.perf_counter()
        await asyncio.gather(*(client(session) for _ in range(clients)))
        outcome.wall_seconds = time.perf_counter() - begun


def connected(url: str, clients: int) -> httpx.AsyncClient:
    """Return a client that keeps so many connections, and waits a minute for an answer."""
    limits = httpx.Limits(max_connections=clients, max_keepalive_connections=clients)
    return httpx.AsyncClient(base_url=url, timeout=60, limits=limits, trust_env=False)
