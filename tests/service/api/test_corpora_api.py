"""`/v1/corpora` over HTTP: who may, what is taken, and how what is wrong is refused."""

import datetime
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from made_judges import use_words

from made_embedder import WordEmbedder
from made_pdf import made_pdf
from ragcortex.service.app import create_app
from ragcortex.service.checks import new_id
from ragcortex.service.keys import create_key
from ragcortex.service.settings import ServiceSettings

LIGHTHOUSE = "The lighthouse at Cape Arden was built in 1874 and it stands 41 metres above the sea."
HARBOUR = "The harbour of Port Lyle freezes every winter, so ferries stop there for several weeks."
MUSEUM = "The museum shows paintings of sailors, and old maps that were drawn by hand on board."
COAST = {"name": "coast", "documents": [{"id": "light/house", "text": LIGHTHOUSE, "source": "p. 3"}, {"text": HARBOUR}]}
MOST_BYTES = 60_000


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """Return a client of a service with keys whose embedder counts words."""
    with pytest.MonkeyPatch.context() as patch:
        use_words(patch, tmp_path_factory.mktemp("model"))
        patch.setattr("ragcortex.service.corpora.load_embedder", lambda *_, **__: WordEmbedder())
        settings = ServiceSettings(
            data_dir=tmp_path_factory.mktemp("service"),
            load_reader=False,
            auth="keys",
            max_body_bytes=2_000,
            max_upload_bytes=MOST_BYTES,
        )
        with TestClient(create_app(settings), base_url="http://localhost") as client:
            yield client


@pytest.fixture
def keeper(service: TestClient) -> Iterator[TestClient]:
    """Return the client with a key that may change corpora; they are gone at the end."""
    client = with_key(service, "corpora")
    yield client
    for corpus in client.get("/v1/corpora").json()["corpora"]:
        client.delete(f"/v1/corpora/{corpus['name']}")


def with_key(service: TestClient, *scopes: str) -> TestClient:
    database = service.app.state.service.database  # type: ignore[attr-defined]
    now = datetime.datetime.now(datetime.UTC)

    def made(session: Any) -> str:
        return create_key(
            session, name=f"key {new_id()}", scopes=scopes, rate_per_minute=None, expires_at=None, now=now
        )[1]

    service.headers["Authorization"] = f"Bearer {database.run(made)}"
    return service


def problem(response: Any, status: int) -> tuple[str | None, str]:
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    return response.json().get("field"), response.json()["detail"]


def test_a_corpus_from_its_making_to_its_end(keeper: TestClient) -> None:
    made = keeper.post("/v1/corpora", json=COAST)
    assert made.status_code == 201
    assert made.json()["n_embedded"] == 2
    assert {name: made.json()["corpus"][name] for name in ("name", "n_documents", "n_chunks", "embedder")} == {
        "name": "coast",
        "n_documents": 2,
        "n_chunks": 2,
        "embedder": "words",
    }
    assert "id" not in made.json()["corpus"]
    assert [one["name"] for one in keeper.get("/v1/corpora").json()["corpora"]] == ["coast"]

    added = keeper.post("/v1/corpora/coast/documents", json={"documents": [{"id": "museum", "text": MUSEUM}]})
    assert (added.status_code, added.json()["n_embedded"], added.json()["corpus"]["n_documents"]) == (200, 1, 3)
    first = keeper.get("/v1/corpora/coast", params={"limit": 2}).json()
    assert first["documents"][0] == {
        "id": "light/house", "source": "p. 3", "n_characters": len(LIGHTHOUSE), "n_chunks": 1, "notes": [],
    }  # fmt: skip
    assert first["next_offset"] == 2
    rest = keeper.get("/v1/corpora/coast", params={"offset": 2}).json()
    assert ([one["id"] for one in rest["documents"]], rest["next_offset"]) == (["museum"], None)

    found = keeper.get("/v1/corpora/coast/search", params={"text": "old maps of sailors", "k": 1}).json()["chunks"]
    assert [(one["document"], one["text"]) for one in found] == [("museum", MUSEUM)]

    removed = keeper.delete("/v1/corpora/coast/documents/light%2Fhouse")
    assert (removed.status_code, removed.json()["corpus"]["n_documents"]) == (200, 2)
    assert problem(keeper.delete("/v1/corpora/coast/documents/light%2Fhouse"), 404)[0] == "id"

    assert keeper.delete("/v1/corpora/coast").status_code == 204
    assert problem(keeper.get("/v1/corpora/coast"), 404) == ("name", "no corpus is called 'coast'")
    assert problem(keeper.delete("/v1/corpora/coast"), 404)[0] == "name"


def test_an_answer_is_checked_against_a_corpus(service: TestClient, keeper: TestClient) -> None:
    keeper.post("/v1/corpora", json=COAST)
    checker = with_key(service, "check", "corpora")
    body = {"answer": "The lighthouse at Cape Arden was built in 1902.", "corpus": "coast", "witness": "geometry"}
    response = checker.post("/v1/check", json=body)
    assert response.status_code == 200, response.text
    assert response.json()["report"]["spans"][0]["text"] == "1902"
    assert problem(checker.post("/v1/check", json=body | {"corpus": "coasts"}), 404)[0] == "corpus"


def test_the_map_is_a_page_with_its_own_policy(keeper: TestClient) -> None:
    keeper.post("/v1/corpora", json=COAST)
    response = keeper.get("/v1/corpora/coast/map")
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    policy = response.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert policy.endswith("; frame-ancestors 'self'")
    assert policy.removesuffix("; frame-ancestors 'self'") in response.text
    assert "Port Lyle" in response.text


def test_reading_and_changing_need_their_scopes(service: TestClient, keeper: TestClient) -> None:
    keeper.post("/v1/corpora", json=COAST)
    reader = with_key(service, "check")
    for path in ("", "/coast", "/coast/map", "/coast/search?text=sea"):
        assert reader.get(f"/v1/corpora{path}").status_code == 200
    attempts = [
        reader.post("/v1/corpora", json=COAST | {"name": "other"}),
        reader.post("/v1/corpora/coast/documents", json={"documents": [{"text": MUSEUM}]}),
        reader.post("/v1/corpora/coast/files", files={"files": ("a.txt", MUSEUM)}),
        reader.delete("/v1/corpora/coast"),
        reader.delete("/v1/corpora/coast/documents/light%2Fhouse"),
    ]
    for response in attempts:
        field, detail = problem(response, 403)
        assert field is None
        assert detail.endswith("' needs the scope corpora")
    nobody = with_key(service, "review")
    assert nobody.get("/v1/corpora").status_code == 403
    with_key(service, "corpora")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "coast"}, "documents"),
        ({"name": "coast", "documents": []}, "documents"),
        ({"name": "coast", "documents": [{"text": 3}]}, "documents[0].text"),
        ({"name": "coast", "documents": [{"text": "  "}]}, "documents[0].text"),
        ({"name": "coast", "documents": [{"text": "a", "id": "a\nb"}]}, "documents[0].id"),
        ({"name": "coast", "documents": [{"text": "a", "id": "x"}, {"text": "b", "id": "x"}]}, "documents"),
        ({"name": "../coast", "documents": [{"text": "a"}]}, "name"),
        ({"name": "coast\n", "documents": [{"text": "a"}]}, "name"),
        ({"name": "coast", "documents": [{"text": "a"}], "folder": "/tmp"}, "folder"),
        ([], "body"),
    ],
)
def test_what_is_wrong_with_a_corpus_names_its_field(keeper: TestClient, body: Any, field: str) -> None:
    assert problem(keeper.post("/v1/corpora", json=body), 422)[0] == field
    assert keeper.get("/v1/corpora").json() == {"corpora": []}


def test_a_name_that_is_taken_is_a_conflict(keeper: TestClient) -> None:
    keeper.post("/v1/corpora", json=COAST)
    field, detail = problem(keeper.post("/v1/corpora", json=COAST), 409)
    assert (field, detail) == ("name", "there is a corpus 'coast' already; add to it, delete it, or take another name")


@pytest.mark.parametrize("path", ["/v1/corpora/%00", "/v1/corpora/-/map", "/v1/corpora/a%5Cb/search?text=x"])
def test_names_that_no_corpus_can_have_are_refused(keeper: TestClient, path: str) -> None:
    assert problem(keeper.get(path), 422)[0] == "name"


def test_bodies_of_another_kind_or_damaged_ones_are_refused(keeper: TestClient) -> None:
    typed = {"Content-Type": "text/plain"}
    assert problem(keeper.post("/v1/corpora", content=b"{}", headers=typed), 415)
    json_type = {"Content-Type": "application/json"}
    assert problem(keeper.post("/v1/corpora", content=b'{"name"', headers=json_type), 422)[0] == "body"
    assert problem(keeper.post("/v1/corpora", content=b'{"name": "\\ud800"}', headers=json_type), 422)
    keeper.post("/v1/corpora", json=COAST)
    assert problem(keeper.post("/v1/corpora/coast/files", json={}), 415)
    form = {"Content-Type": "multipart/form-data; boundary=x"}
    assert problem(keeper.post("/v1/corpora/coast/files", content=b"--y\r\n", headers=form), 400)
    no_boundary = {"Content-Type": "multipart/form-data"}
    assert problem(keeper.post("/v1/corpora/coast/files", content=b"", headers=no_boundary), 400)
    other = keeper.post("/v1/corpora/coast/files", files={"other": ("a.txt", MUSEUM)})
    assert problem(other, 422) == ("files", "must be the only field, and each a file with its name, got 'other'")
    assert problem(keeper.post("/v1/corpora/coast/files", data={"files": "text"}, files=[]), 415)


@pytest.mark.parametrize("declared", [True, False])
def test_bodies_that_are_too_large_are_refused_while_they_are_read(keeper: TestClient, declared: bool) -> None:
    body = b'{"name": "coast", "documents": [{"text": "' + b"x" * MOST_BYTES + b'"}]}'

    def parts() -> Iterator[bytes]:
        yield from (body[start : start + 5_000] for start in range(0, len(body), 5_000))

    content: Any = body if declared else parts()
    response = keeper.post("/v1/corpora", content=content, headers={"Content-Type": "application/json"})
    assert problem(response, 413)[1] == f"the body is larger than the {MOST_BYTES:,} bytes that are taken here; send " \
        "less at once"  # fmt: skip
    large = keeper.post("/v1/corpora/coast/files?create=true", files={"files": ("a.txt", b"x" * MOST_BYTES)})
    assert problem(large, 413)
    assert keeper.get("/v1/corpora").json() == {"corpora": []}


def test_bodies_larger_than_those_of_other_routes_are_taken(keeper: TestClient) -> None:
    documents = [{"text": f"Text number {n} tells of boat {n}, and of nothing else than it."} for n in range(100)]
    response = keeper.post("/v1/corpora", json={"name": "coast", "documents": documents})
    assert response.status_code == 201, response.text


def test_files_are_added_under_their_names(keeper: TestClient) -> None:
    files = [
        ("files", ("../light house.txt", LIGHTHOUSE)),
        ("files", ("harbour.pdf", made_pdf([(HARBOUR,)]))),
        ("files", ("virus.exe", b"MZ")),
    ]
    assert problem(keeper.post("/v1/corpora/coast/files", files=files), 404)[0] == "name"
    response = keeper.post("/v1/corpora/coast/files", params={"create": True}, files=files)
    assert response.status_code == 200, response.text
    assert [(one["source"], one["reason"]) for one in response.json()["unreadable"]] == [
        ("files[2] 'virus.exe'", "damaged")
    ]
    documents = keeper.get("/v1/corpora/coast").json()["documents"]
    assert [one["id"] for one in documents] == ["light house.txt", "harbour.pdf"]
    again = keeper.post("/v1/corpora/coast/files", files=[("files", ("notes.md", MUSEUM))])
    assert again.json()["corpus"]["n_documents"] == 3
    only_bad = keeper.post("/v1/corpora/coast/files", files=[("files", ("a.pdf", b"<html>"))])
    field, detail = problem(only_bad, 422)
    assert field == "files"
    assert "does not begin with %PDF-" in detail


def test_contradictions_are_named(keeper: TestClient) -> None:
    documents = [{"id": "old", "text": LIGHTHOUSE}, {"id": "new", "text": LIGHTHOUSE.replace("1874", "1902")}]
    made = keeper.post("/v1/corpora", json={"name": "coast", "documents": documents}).json()
    (conflict,) = made["conflicts"]
    assert {conflict["first"]["document"], conflict["second"]["document"]} == {"old", "new"}
    assert made["corpus"]["n_conflicts"] == 1


def test_the_data_folder_holds_no_name_that_was_sent(service: TestClient, keeper: TestClient) -> None:
    keeper.post("/v1/corpora/secretname/files?create=true", files=[("files", ("filename.txt", LIGHTHOUSE))])
    folder: Path = service.app.state.service.settings.data_dir  # type: ignore[attr-defined]
    names = [path.name for path in folder.rglob("*")]
    assert not any("secretname" in name or "filename" in name for name in names)


def test_openapi_describes_the_bodies(service: TestClient) -> None:
    paths = service.get("/v1/openapi.json").json()["paths"]
    json_body = paths["/v1/corpora"]["post"]["requestBody"]["content"]["application/json"]
    assert json_body["examples"]["usual"]["value"]["name"] == "handbook"
    assert json_body["schema"]["properties"]["documents"]["items"] == {"$ref": "#/components/schemas/ReferenceIn"}
    form = paths["/v1/corpora/{name}/files"]["post"]["requestBody"]["content"]["multipart/form-data"]["schema"]
    assert form["properties"]["files"]["items"] == {"type": "string", "format": "binary"}
