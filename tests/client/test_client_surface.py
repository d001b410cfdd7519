"""The client from outside: what importing it costs, its public names, and that both clients have the same calls."""

import inspect
import subprocess
import sys

import ragcortex.client
from ragcortex.client import AsyncClient, Client

HEAVY = ("torch", "transformers", "fastapi", "starlette", "pydantic", "sqlalchemy", "sklearn")
PARTS = ("checks", "corpora", "calibrations", "keys")


def test_importing_loads_nothing_of_the_service() -> None:
    code = f"import sys, ragcortex.client; print(sorted(set(sys.modules) & set({HEAVY!r})))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_public_names_are_there() -> None:
    assert sorted(ragcortex.client.__all__) == sorted(set(ragcortex.client.__all__))
    for name in ragcortex.client.__all__:
        assert getattr(ragcortex.client, name) is not None


def test_both_clients_have_the_same_calls() -> None:
    calls, same = (public(kind("http://service.test")) for kind in (Client, AsyncClient))
    assert same - {"aclose"} == calls - {"close"}
    assert {"check", "check_batch", "check_stream", "open_stream", "export_labels", "corpora.upload"} <= calls


def test_calls_have_the_parameters_and_docstrings_of_their_descriptions() -> None:
    assert str(inspect.signature(Client.queue)) == "(self, /, *, reviewer: str | None = None, limit: int | None = None)"
    assert inspect.getdoc(Client.queue).startswith("List the answers that wait for a person")
    client = Client("http://service.test")
    for name in public(client):
        owner, _, part = name.rpartition(".")
        assert getattr(getattr(client, owner) if owner else client, part).__doc__, name


def public(client: object) -> set[str]:
    own = {name for name in dir(client) if not name.startswith("_") and callable(getattr(client, name))}
    return own | {f"{part}.{name}" for part in PARTS for name in dir(getattr(client, part)) if not name.startswith("_")}
