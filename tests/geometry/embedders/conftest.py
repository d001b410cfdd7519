"""A tiny BERT with random weights, saved by sentence-transformers, and a real HTTP server that answers as told."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from scripted_server import Scripted, usual

from loopback import Reply, loopback
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

    def answer(path: str, headers: dict[str, str], payload: dict[str, Any], released: threading.Event) -> Reply:
        script.requests.append({"path": path, **payload})
        script.headers.append(headers)
        if script.delay:
            released.wait(script.delay)
        assert script.usual is not None
        return script.answers.pop(0) if script.answers else script.usual(payload)

    with loopback(answer) as script.url:
        yield script


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
