"""Services for the tests of pages, one for each module."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from made_pages import made_client


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Return a client of a service without keys."""
    with made_client(tmp_path_factory.mktemp("service")) as client:
        yield client


@pytest.fixture
def client(service: TestClient) -> TestClient:
    """Return the client without a session."""
    service.cookies.clear()
    return service
