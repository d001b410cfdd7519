"""A tiny BERT with random weights, saved by sentence-transformers, and a real HTTP server that answers as told."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from scripted_server import Scripted, usual

from tiny_bert import save_tiny_bert

LIMIT = 24
SENTENCES = (
    "The lighthouse at Cape Arden was built in 1874 and stands 41 metres above the sea.",
    "It was designed by the engineer Mary Holt.",
    "Who built it?",
    "Der Leuchtturm wurde 1874 gebaut. Le phare se trouve à l'ouest du port.",
    "灯台は海の上に立っている。灯台は古い。",
)


@pytest.fixture(scope="session")
def tiny_embedder_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a BERT of 2 layers and width 32 that reads 24 word pieces, with mean pooling and normalisation."""
    folder = tmp_path_factory.mktemp("embedders") / "tiny-bert"
    return save_tiny_bert(folder, SENTENCES, seed=7, layers=2, heads=4, hidden=48, limit=LIMIT, unit=True)


@pytest.fixture
def server() -> Iterator[Scripted]:
    """Run a server on the loopback interface."""
    script = Scripted()
    released = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            script.requests.append({"path": self.path, **payload})
            script.headers.append(dict(self.headers))
            if script.delay:
                released.wait(script.delay)
            assert script.usual is not None
            status, body, headers = script.answers.pop(0) if script.answers else script.usual(payload)
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
    script.url = f"http://127.0.0.1:{running.server_address[1]}/v1"
    thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield script
    released.set()
    running.shutdown()
    running.server_close()
    thread.join()


@pytest.fixture
def http_embedder(server: Scripted, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Return a function that makes an embedder for the server, which waits a millisecond before it tries again."""
    from ragcortex.geometry.embedders.http import HttpEmbedder

    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "RAGCORTEX_EMBEDDINGS_KEY"):
        monkeypatch.delenv(name, raising=False)
    server.usual = usual
    made: list[HttpEmbedder] = []

    def build(**options: Any) -> HttpEmbedder:
        made.append(HttpEmbedder(server.url, "m", **{"first_wait": 0.001, **options}))
        return made[-1]

    yield build
    for each in made:
        each.close()
