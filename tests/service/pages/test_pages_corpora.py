"""Corpora by pages: made, searched, added to, mapped and deleted."""

import re

import pytest
from fastapi.testclient import TestClient
from made_pages import REFERENCES, Shown, page, send

from ragcortex.geometry.corpus_manifest import MANIFEST


@pytest.fixture
def coast(client: TestClient) -> TestClient:
    """Return the client of a service with the corpus `the coast`."""
    if client.get("/corpora/the%20coast").status_code == 404:
        form = {"name": "the coast", "text": REFERENCES[0], "document_id": "light<b>", "source": "guide"}
        assert send(client, "/corpora", form).text("#said") == "Corpus “the coast” is made."
    return client


def test_a_corpus_is_shown_with_its_documents(coast: TestClient) -> None:
    shown = page(coast, "/corpora/the%20coast")
    assert shown.text("h1") == "the coast"
    assert shown.texts("tbody td")[:2] == ["light<b>", "guide"]
    listed = page(coast, "/corpora")
    assert listed.one("tbody a").attributes["href"] == "/corpora/the%20coast"
    assert "the coast" in page(coast, "/").texts("select[name=corpus] option")


def test_an_answer_is_checked_against_a_corpus(coast: TestClient) -> None:
    shown = send(coast, "/", {"answer": "The lighthouse at Cape Arden was built in 1974.", "corpus": "the coast"})
    assert shown.texts(".answer a.mark") == ["1974"]
    assert "1874" in shown.text(".references")
    assert "guide" in shown.text(".references")


def test_documents_are_searched_added_and_deleted(coast: TestClient) -> None:
    added = send(
        coast,
        "/corpora/the%20coast/documents",
        {"text": REFERENCES[1], "document_id": "tower"},
        at="/corpora/the%20coast",
    )
    assert added.text("#said") == "The document is added."
    found = page(coast, "/corpora/the%20coast?q=dogs+inside")
    assert "Dogs are not allowed" in found.all(".found li")[0].text()
    again = send(
        coast,
        "/corpora/the%20coast/documents",
        {"text": "x y z", "document_id": "tower"},
        422,
        at="/corpora/the%20coast",
    )
    assert "tower" in again.text("[role=alert]")
    assert again.one("textarea").text() == "x y z"
    asked = send(coast, "/corpora/the%20coast/documents/delete", {"document": "tower"}, at="/corpora/the%20coast")
    assert asked.text("h1") == "Delete this document?"
    form = {"document": "tower", "confirmed": "1"}
    after = send(coast, "/corpora/the%20coast/documents/delete", form, at="/corpora/the%20coast")
    assert after.text("#said") == "The document is deleted."
    assert "tower" not in after.text("tbody")


def test_the_map_is_nobodys_origin_and_framed_by_our_pages_only(coast: TestClient) -> None:
    shown = Shown(coast.get("/corpora/the%20coast/map"))
    policy = shown.response.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert policy.endswith("; frame-ancestors 'self'; sandbox allow-scripts")
    corpus = page(coast, "/corpora/the%20coast")
    assert corpus.one("iframe").attributes["src"] == "/corpora/the%20coast/map"
    assert corpus.response.headers["content-security-policy"].endswith("frame-ancestors 'none'; frame-src 'self'")


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"name": "../x", "text": "a b"}, "should match pattern"),
        ({"name": "x", "text": " "}, "is empty; paste the text of a document"),
        ({"name": "the coast", "text": "a b"}, "there is a corpus 'the coast' already"),
    ],
)
def test_a_corpus_that_cannot_be_comes_back(coast: TestClient, form: dict[str, str], message: str) -> None:
    response = coast.post(
        "/corpora", data=form | {"csrf": page(coast, "/corpora").all("[name=csrf]")[0].attributes["value"]}
    )
    assert response.status_code in (409, 422)
    shown = Shown(response, response.status_code)
    assert re.search(message, shown.text("[role=alert]"))
    assert shown.one("[name=name]").attributes["value"] == form["name"]


def test_a_corpus_whose_files_are_damaged_can_still_be_deleted(coast: TestClient) -> None:
    send(coast, "/corpora", {"name": "damaged", "text": "a b c"})
    corpora = coast.app.state.service.corpora  # type: ignore[attr-defined]
    stored = coast.app.state.service.database.run(  # type: ignore[attr-defined]
        lambda session: corpora.find(session, "damaged")
    )
    corpora._folders.of(stored.state).joinpath(MANIFEST).write_text("{}")
    shown = page(coast, "/corpora/damaged?q=a", 503)
    assert "delete" in shown.text("[role=alert]")
    shown.one("a[href='/corpora/damaged/delete']")
    send(coast, "/corpora/damaged/delete", {})
    page(coast, "/corpora/damaged", 404)


def test_a_corpus_is_deleted_once_that_is_confirmed(coast: TestClient) -> None:
    send(coast, "/corpora", {"name": "gone", "text": "a b c"})
    assert page(coast, "/corpora/gone/delete").text("h1") == "Delete this corpus?"
    assert send(coast, "/corpora/gone/delete", {}).text("#said") == "Corpus “gone” is deleted."
    page(coast, "/corpora/gone", 404)
    page(coast, "/corpora/gone/delete", 404)
    page(coast, "/corpora/gone/map", 404)
