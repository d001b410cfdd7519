"""A real HTTP server on the loopback interface that answers JSON requests as a function says."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, bytes, dict[str, str]]
"""Status, body, and headers."""


@contextmanager
def loopback(
    answer: Callable[[str, dict[str, str], dict[str, Any], threading.Event], Reply],
) -> Iterator[str]:
    """Run a server while the block runs, and give its address.

    Args:
        answer: what is replied to a path, headers and a JSON body; the event is set when the server stops, for answers
            that wait.
    """
    released = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            status, body, headers = answer(self.path, dict(self.headers), payload, released)
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
    thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{running.server_address[1]}/v1"
    finally:
        released.set()
        running.shutdown()
        running.server_close()
        thread.join()
