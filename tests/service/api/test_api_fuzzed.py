"""Requests that a machine makes up of the OpenAPI document: none finds a fault, and all are answered as it says."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from route_scopes import ROUTES
from schemathesis.generation import GenerationMode
from schemathesis.python import asgi
from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

from made_embedder import WordEmbedder
from ragcortex.service.app import create_app
from ragcortex.service.judges import Judges
from ragcortex.service.settings import ServiceSettings

EXAMPLES = 6
# Nobody needs a key here, and some rules are no schema's: that there are references or a corpus, say.
NOT_CHECKED = [ignored_auth, positive_data_acceptance]
WITHOUT_VALUES = {"/healthz", "/readyz"}
HERE = settings(
    max_examples=EXAMPLES, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def document(
    request: pytest.FixtureRequest, judges: Judges, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[schemathesis.BaseSchema]:
    """Return the document of a service with small limits, whose streams end soon; on both databases."""
    folder = tmp_path_factory.mktemp("service")
    if request.param == "sqlite":
        migrated: Path = request.getfixturevalue("migrated_file")
        shutil.copy(migrated, folder / "service.sqlite3")
        url = ""
    else:
        server = request.getfixturevalue("postgresql_server")
        url = server.url_of(server.create(request.getfixturevalue("migrated_template")))
    own = ServiceSettings(
        data_dir=folder, database=url, load_reader=False, allowed_hosts=(asgi.HOST,), timeout_seconds=0.5, max_batch=8
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ragcortex.service.corpora.load_embedder", lambda *_, **__: WordEmbedder())
        yield schemathesis.openapi.from_asgi("/v1/openapi.json", create_app(own, judges=judges))
        asgi.shutdown_lifespans()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["valid", "invalid"])
@pytest.mark.parametrize(("method", "path"), list(ROUTES))
def test_no_request_finds_a_fault(
    document: schemathesis.BaseSchema, method: str, path: str, mode: GenerationMode
) -> None:
    if path in WITHOUT_VALUES and mode is GenerationMode.NEGATIVE:
        return  # there is nothing to get wrong

    @HERE
    @given(case=document[path][method].as_strategy(generation_mode=mode))
    def check(case: schemathesis.Case) -> None:
        case.call_and_validate(excluded_checks=NOT_CHECKED)

    check()
