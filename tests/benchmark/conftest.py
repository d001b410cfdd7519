"""Shared by tests of methods that ask a model: a tiny reader, and a chat endpoint that answers as told."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from chat_server import ChatServer, chat_server

from ragcortex.readers.reader import Reader


@pytest.fixture(scope="module")
def reader(tiny_reader_folder: Path) -> Reader:
    """Return the tiny reader, on the CPU in float32."""
    return Reader.load(str(tiny_reader_folder), device="cpu", dtype="float32")


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """Run a chat endpoint that no proxy and no key of the environment comes between."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy", "RAGCORTEX_CHAT_KEY"):
        monkeypatch.delenv(name, raising=False)
    with chat_server() as running:
        yield running
