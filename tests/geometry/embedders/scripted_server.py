"""What a test's server was asked, and what it answers."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Scripted:
    """What a server was asked, and what it answers: each answer once, then `usual` for all further requests."""

    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    answers: list[tuple[int, bytes, dict[str, str]]] = field(default_factory=list)
    usual: Callable[[dict[str, Any]], tuple[int, bytes, dict[str, str]]] | None = None
    delay: float = 0.0

    def next(self, status: int, body: object, **headers: str) -> None:
        """Answer the next unanswered request with this; a body that is no bytes is sent as JSON."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.answers.append((status, content, {name.replace("_", "-"): value for name, value in headers.items()}))


WIDTH = 12
KEY = "sk-very-secret-0123456789"


def vector(text: str, seed: str = "") -> list[float]:
    """Return what the fake model makes of a text."""
    digest = hashlib.sha256((seed + text).encode()).digest()
    values: list[float] = np.random.default_rng(list(digest)).normal(size=WIDTH).tolist()
    return values


def answer(texts: list[str], **fields: Any) -> dict[str, Any]:
    """Return the endpoint's answer to texts."""
    return {"data": [{"index": place, "embedding": vector(text)} for place, text in enumerate(texts)], **fields}


def usual(payload: dict[str, Any]) -> tuple[int, bytes, dict[str, str]]:
    """Answer a request as a healthy endpoint does."""
    return 200, json.dumps(answer(payload["input"])).encode(), {}


def raw_vectors(made: Any) -> np.ndarray:
    """Return vectors before normalisation."""
    raw: np.ndarray = made.unit * made.norms[:, None]
    return raw
