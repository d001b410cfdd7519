"""A real HTTP server on the loopback interface that answers chat requests as a test tells it to."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, bytes, dict[str, str]]


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
    lock, released = threading.Lock(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with lock:
                server.requests.append({"path": self.path, **payload})
                server.headers.append(dict(self.headers))
                told = server.replies.pop(0) if server.replies else None
            if server.delay:
                released.wait(server.delay)
            status, body, headers = told or server.usual(payload["messages"][0]["content"])
            try:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            except OSError:  # the client went away, as a test of its patience wants
                pass

        def log_message(self, format: str, *args: object) -> None:
            """Keep the test's output clean."""

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.daemon_threads = True
    server.url = f"http://127.0.0.1:{running.server_address[1]}/v1"
    thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        released.set()
        running.shutdown()
        running.server_close()
        thread.join()
