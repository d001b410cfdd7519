"""Services to be called, all with one detector whose embedder counts words: it judges in a millisecond."""

import contextlib
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from made_judges import use_words
from running import Running

from made_embedder import WordEmbedder
from ragcortex.service.app import create_app
from ragcortex.service.judges import Judges
from ragcortex.service.settings import ServiceSettings
from ragcortex.service.triage import BUILT_IN

Start = Callable[..., Running]


@pytest.fixture(scope="session")
def judges(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judges]:
    """Return judges for all services of the session; they stay ours when a service ends."""
    with pytest.MonkeyPatch.context() as patch:
        use_words(patch, tmp_path_factory.mktemp("model"))
        loaded = Judges.load(ServiceSettings(data_dir=tmp_path_factory.mktemp("unused"), load_reader=False))
    yield loaded
    loaded.close()


@pytest.fixture
def start(judges: Judges, migrated_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Return a function that starts a service with settings; it is stopped at the end."""
    monkeypatch.setattr("ragcortex.service.corpora.load_embedder", lambda *_, **__: WordEmbedder())
    with contextlib.ExitStack() as running:
        # As the built-in one, but without samples: which answers these are depends on chance.
        triage = BUILT_IN["triage"].to_dict() | {"sample": 0.0}
        policies = tmp_path / "policies.json"
        policies.write_text(json.dumps([triage]), encoding="utf-8")

        def started(folder: str = "service", **settings: Any) -> Running:
            data_dir = tmp_path / folder
            data_dir.mkdir(exist_ok=True)
            if "database" not in settings and not (data_dir / "service.sqlite3").exists():
                shutil.copy(migrated_file, data_dir / "service.sqlite3")
            given = {"data_dir": data_dir, "load_reader": False, "session_secret": "x" * 32, "policies": policies}
            given |= settings
            app = create_app(ServiceSettings(**given), judges=judges)
            client = running.enter_context(TestClient(app, base_url="http://localhost"))
            return Running(app, client)

        yield started


@pytest.fixture
def running(start: Start) -> Running:
    """Return a service on this machine alone, which needs no keys."""
    return start()


@pytest.fixture
def guarded(start: Start) -> Running:
    """Return a service that needs keys."""
    return start(auth="keys")
