"""A real HTTP server on the loopback interface that answers chat requests as a test tells it to."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from loopback import Reply, loopback


def said(text: str, first_token: dict[str, float] | None = None, finish: str = "stop") -> Reply:
    """Return the reply of a healthy endpoint whose model writes this."""
    choice: dict[str, Any] = {"message": {"role": "assistant", "content": text}, "finish_reason": finish}
    if first_token is not None:
        top = [{"token": token, "logprob": value} for token, value in first_token.items()]
        choice["logprobs"] = {"content": [{"token": "x", "logprob": -1.0, "top_logprobs": top}]}
    return 200, json.dumps({"choices": [choice]}).encode(), {}


@dataclass
class ChatServer:
    """What it was asked, and what it answers: each of `replies` once, then what `usual` says of the message."""

    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    replies: list[Reply] = field(default_factory=list)
    usual: Callable[[str], Reply] = lambda _: said("Yes")
    delay: float = 0.0

    @property
    def messages(self) -> list[str]:
        """The user messages, in the order they came."""
        return [request["messages"][0]["content"] for request in self.requests]


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """Run a server while the block runs."""
    server = ChatServer()
    lock = threading.Lock()

    def answer(path: str, headers: dict[str, str], payload: dict[str, Any], released: threading.Event) -> Reply:
        with lock:
            server.requests.append({"path": path, **payload})
            server.headers.append(headers)
            told = server.replies.pop(0) if server.replies else None
        if server.delay:
            released.wait(server.delay)
        return told or server.usual(payload["messages"][0]["content"])

    with loopback(answer) as server.url:
        yield server
