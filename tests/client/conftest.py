"""A running service and both clients of it."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from service_thread import RunningService

KINDS = ("sync", "async")


# Of one module: while it runs, this process has a made embedder instead of the shipped one.
@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> "Iterator[RunningService]":
    """Return a running service."""
    from service_thread import service_in_thread

    limits = {"timeout_seconds": 20, "max_body_bytes": 1_000_000, "max_upload_bytes": 1_000_000}
    with service_in_thread(tmp_path_factory.mktemp("service"), **limits) as running:
        yield running


@pytest.fixture(params=KINDS)
def make_client(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Return what makes a client of one of both kinds, closed at the end; the test runs with each."""
    from driven import Driven

    from ragcortex.client import Client

    made: list[Any] = []

    def make(*args: Any, **options: Any) -> Any:
        made.append(Client(*args, **options) if request.param == "sync" else Driven.client(*args, **options))
        return made[-1]

    yield make
    for client in made:
        client.close()


@pytest.fixture
def client(service: "RunningService", make_client: Callable[..., Any]) -> Any:
    """Return a client of the running service that may do everything."""
    return make_client(service.url, service.key("admin"))
