"""A real service on the loopback interface, in a thread, whose embedder counts words and that has no reader."""

import datetime
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from made_embedder import WordEmbedder
from made_geometry import made_model
from ragcortex.service.app import create_app
from ragcortex.service.checks import new_id
from ragcortex.service.keys import create_key
from ragcortex.service.settings import ServiceSettings


class RunningService:
    """A service that answers, and how to get keys for it."""

    def __init__(self, app: Any, url: str) -> None:
        self.url = url
        self._app = app

    def key(self, *scopes: str, rate_per_minute: int | None = None) -> str:
        """Return a new key with these scopes."""
        now = datetime.datetime.now(datetime.UTC)

        def made(session: Any) -> str:
            return create_key(
                session,
                name=f"tests {new_id()}",
                scopes=scopes,
                rate_per_minute=rate_per_minute,
                expires_at=None,
                now=now,
            )[1]

        token: str = self._app.state.service.database.run(made)
        return token


@contextmanager
def service_in_thread(folder: Path, **settings: Any) -> Iterator[RunningService]:
    """Run a service with keys while the block runs."""
    with pytest.MonkeyPatch.context() as patch:
        made_model().save(folder / "model")
        patch.setattr("ragcortex.geometry.model.DEFAULT", folder / "model" / "geometry.json")
        for module in (
            "ragcortex.detectors.geometric", "ragcortex.service.lane_detectors", "ragcortex.service.corpora",
        ):  # fmt: skip
            patch.setattr(f"{module}.load_embedder", lambda *_, **__: WordEmbedder())
        patch.setattr("ragcortex.service.api.stream._KEEP_ALIVE_SECONDS", 0.5)
        app = create_app(ServiceSettings(data_dir=folder / "data", load_reader=False, auth="keys", **settings))
        server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning", ws="none"))
        thread = threading.Thread(target=server.run, name="service", daemon=True)
        thread.start()
        try:
            yield RunningService(app, f"http://127.0.0.1:{_port(server, thread)}")
        finally:
            server.should_exit = True
            thread.join(30)


def _port(server: uvicorn.Server, thread: threading.Thread) -> int:
    ends = time.monotonic() + 60
    while not server.started:
        assert thread.is_alive(), "the service did not start"
        assert time.monotonic() < ends, "the service did not start in time"
        time.sleep(0.01)
    sockets: Sequence[Any] = server.servers[0].sockets
    port: int = sockets[0].getsockname()[1]
    return port
