"""A service with a detector that counts words, and its pages as a person without scripts sees them."""

import datetime
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from made_judges import use_words
from selectolax.lexbor import LexborHTMLParser, LexborNode

from made_embedder import WordEmbedder
from ragcortex.service.app import create_app
from ragcortex.service.checks import new_id
from ragcortex.service.keys import create_key
from ragcortex.service.settings import ServiceSettings

QUESTION = "What is known of the lighthouse?"
REFERENCES = (
    "The lighthouse at Cape Arden was built in 1874. It stands 41 metres above the sea.",
    "Visitors may climb the tower in summer. Dogs are not allowed inside.",
)
GROUNDED = "The lighthouse at Cape Arden was built in 1874."
WRONG = "The lighthouse at Cape Arden was built in 1974. It stands 52 metres above the sea."
HTML = {"Accept": "text/html", "Accept-Language": "en"}


@contextmanager
def made_app(folder: Path, **values: Any) -> Iterator[FastAPI]:
    """Return the application of a service whose embedder counts words; models load when it starts."""
    with pytest.MonkeyPatch.context() as patch:
        model = folder / "model"
        model.mkdir()
        use_words(patch, model)
        patch.setattr("ragcortex.service.corpora.load_embedder", lambda *_, **__: WordEmbedder())
        yield create_app(ServiceSettings(data_dir=folder / "data", load_reader=False, **values))


@contextmanager
def made_client(folder: Path, **values: Any) -> Iterator[TestClient]:
    """Return a client of such a service that asks for pages in English."""
    with made_app(folder, **values) as app, TestClient(app, base_url="http://localhost", headers=HTML) as client:
        yield client


def made_key(client: TestClient, *scopes: str, name: str | None = None) -> str:
    """Return the token of a new key."""
    now = datetime.datetime.now(datetime.UTC)
    return str(
        database(client).run(
            lambda session: create_key(
                session, name=name or f"key {new_id()}", scopes=scopes, rate_per_minute=None, expires_at=None, now=now
            )[1]
        )
    )


def database(client: TestClient) -> Any:
    """Return the database of a client's service."""
    return client.app.state.service.database  # type: ignore[attr-defined]


def judged(client: TestClient, answer: str = WRONG, references: Sequence[str] = REFERENCES, **values: Any) -> str:
    """Return the id of an answer that was judged by the API."""
    body = {"question": QUESTION, "references": list(references), "answer": answer} | values
    response = client.post("/v1/check", json=body)
    assert response.status_code == 200, response.text
    return str(response.json()["id"])


class Shown:
    """A page that was answered with, and its parts by CSS selectors."""

    def __init__(self, response: Any, status: int = 200) -> None:
        assert response.status_code == status, response.text
        assert response.headers["content-type"] == "text/html; charset=utf-8"
        self.response = response
        self.tree = LexborHTMLParser(response.text)

    def all(self, selector: str) -> list[LexborNode]:
        return self.tree.css(selector)

    def one(self, selector: str) -> LexborNode:
        found = self.tree.css(selector)
        assert len(found) == 1, f"{selector}: {len(found)}"
        return found[0]

    def text(self, selector: str) -> str:
        return " ".join(self.one(selector).text().split())

    def texts(self, selector: str) -> list[str]:
        return [" ".join(node.text().split()) for node in self.tree.css(selector)]

    def value(self, name: str) -> str:
        return self.one(f"[name={name}]").attributes.get("value") or ""


def page(client: TestClient, path: str, status: int = 200, **headers: str) -> Shown:
    """Return a page."""
    return Shown(client.get(path, headers=headers), status)


def send(client: TestClient, path: str, form: dict[str, Any], status: int = 200, *, at: str | None = None) -> Shown:
    """Return the page that sending a form leads to; `at` is the page that the form is on, for its token."""
    token = Shown(client.get(at or path)).all("[name=csrf]")[0].attributes["value"]
    return Shown(client.post(path, data=form | {"csrf": token}), status)
