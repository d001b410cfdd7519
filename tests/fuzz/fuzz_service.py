"""A whole service for fuzzing: a database of its own, no reader, an embedder that counts words, no keys."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from fastapi.testclient import TestClient

from made_embedder import WordEmbedder

JSON: Final = "application/json"
FORM: Final = "multipart/form-data; boundary=b"
# Method, path and kind of body; the corpus `made` is there from the start.
ROUTES: Final = (
    ("POST", "/v1/check", JSON),
    ("POST", "/v1/check/batch", JSON),
    ("POST", "/v1/check/stream", JSON),
    ("POST", "/v1/check/stream/none", JSON),
    ("POST", "/v1/checks/none/feedback", JSON),
    ("POST", "/v1/checks/none/reviews", JSON),
    ("POST", "/v1/calibrations", JSON),
    ("POST", "/v1/corpora", JSON),
    ("POST", "/v1/corpora/made/documents", JSON),
    ("POST", "/v1/corpora/made/files", FORM),
    ("POST", "/v1/keys", JSON),
    ("POST", "/sign-in", "application/x-www-form-urlencoded"),
)


@contextmanager
def running_service(folder: Path) -> Iterator[TestClient]:
    """Give a client of a service that keeps its data in a folder, while the block runs."""
    from ragcortex.geometry.model import GeometryModel
    from ragcortex.service.app import create_app
    from ragcortex.service.judges import Judges
    from ragcortex.service.settings import ServiceSettings
    from ragcortex.service.storage.database import Database

    embedder = WordEmbedder()
    model = replace(GeometryModel.load(), embedder_fingerprint=embedder.identity.fingerprint)
    model.save(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ragcortex.geometry.model.DEFAULT", folder / "geometry.json")
        for module in ("detectors.geometric", "service.lane_detectors", "service.corpora"):
            patch.setattr(f"ragcortex.{module}.load_embedder", lambda *_, **__: embedder)
        settings = ServiceSettings(
            data_dir=folder, load_reader=False, session_secret="x" * 32, timeout_seconds=5, max_batch=8
        )  # type: ignore[arg-type]
        database = Database(settings.database_url)
        database.migrate()
        database.close()
        logging.getLogger("httpx").setLevel(logging.WARNING)
        judges = Judges.load(settings)
        try:
            app = create_app(settings, judges=judges)
            with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:
                documents = [{"text": "The lighthouse was built in 1874.", "id": "a"}]
                client.post("/v1/corpora", json={"name": "made", "documents": documents}).raise_for_status()
                yield client
        finally:
            judges.close()
