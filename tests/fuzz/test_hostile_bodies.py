"""Bodies that no client of ours sends: nested, damaged, packed, cut off; each is refused as a problem that says so."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from fuzz_service import FORM, JSON, ROUTES, running_service
from time_limits import limited

CHECK = {"references": ["Built in 1874."], "answer": "Built in 1875."}
PART = b'--b\r\nContent-Disposition: form-data; name="files"; filename="%s.txt"\r\n\r\nText.\r\n'


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with running_service(tmp_path_factory.mktemp("service")) as client:
        yield client


def refused(client: TestClient, path: str, kind: str, content: bytes, **headers: str) -> tuple[int, dict[str, Any]]:
    """Return status and problem of a body that must not be taken."""
    with limited(30, f"for {content[:100]!r}"):
        response = client.post(path, content=content, headers={"Content-Type": kind, **headers})
    assert 400 <= response.status_code < 500, response.text
    assert response.headers["content-type"] == "application/problem+json"
    return response.status_code, response.json()


@pytest.mark.parametrize("path", [path for _, path, kind in ROUTES if kind == JSON])
@pytest.mark.parametrize(
    "content",
    [
        b"[" * 500_000, b'{"a":' * 500_000, b"1" + b"0" * 10_000, b"\xff\xfe{\x00}\x00", b"\0", b"{}\0",
        b"\xef\xbb\xbf", b"NaN", b'{"answer": "\xed\xa0\x80"}', b'{"answer": "\\ud800"}', b'{"\\ud800": 1}',
        b'{"text": 1e999, "label": 1e999}', json.dumps(dict.fromkeys(map(str, range(20_000)))).encode(),
        b'{"spans": [' + b"{}," * 50_000 + b"{}]}",
    ],
    ids=lambda content: repr(content[:12]),
)  # fmt: skip
def test_bodies_of_json_that_is_none_or_hostile(service: TestClient, path: str, content: bytes) -> None:
    status, problem = refused(service, path, JSON, content)
    assert status in (400, 404, 413, 422), problem
    assert len(problem["detail"]) < 1000


def test_packed_bodies_are_not_unpacked(service: TestClient) -> None:
    import gzip

    packed = gzip.compress(json.dumps(CHECK | {"answer": "a" * 3_000_000}).encode())
    headers = {"Content-Encoding": "gzip"}
    assert refused(service, "/v1/check", JSON, packed, **headers)[0] in (400, 415, 422)


@pytest.mark.parametrize("length", range(1, len(PART % b"a" * 2), 7))
def test_a_form_that_stops_before_its_end_is_refused_as_a_whole(service: TestClient, length: int) -> None:
    """Its last file would be left out, and nobody would know."""
    whole = PART % b"a" + PART % b"b"
    status, problem = refused(service, "/v1/corpora/made/files", FORM, whole[:length])
    assert status == 400
    assert problem["detail"].startswith("the form cannot be read: ")
    corpus = service.get("/v1/corpora/made").json()["corpus"]
    assert corpus["n_documents"] == 1


def test_a_whole_form_is_taken(service: TestClient) -> None:
    body = PART % b"a" + PART % b"b" + b"--b--\r\n"
    response = service.post("/v1/corpora/made/files", content=body, headers={"Content-Type": FORM})
    assert response.status_code == 200, response.text
    with limited(30):
        for name in ("a.txt", "b.txt"):
            assert service.delete(f"/v1/corpora/made/documents/{name}").status_code < 300


def test_files_of_a_form_may_be_anything(service: TestClient, tmp_path: Path) -> None:
    for name, content in (
        ("a.txt", b""), ("a.txt", b"\0" * 1000), ("a.txt", b"PK\x03\x04" + bytes(50)), ("a.pdf", b"PK\x03\x04"),
        ("a.pdf", b"%PDF-1.7\n" + b"<<" * 10_000), ("a.jsonl", b"[" * 500_000), ("a.md", b"\xff\xfe\x00"),
        ("a.html", b"<div>" * 20_000 + b"x"), ("../../a", b"x"), ("a\0.txt", b"x\0"), (".txt", b"x"),
    ):  # fmt: skip
        part = PART.replace(b"%s.txt", name.encode()).replace(b"Text.", content) + b"--b--\r\n"
        status, problem = refused(service, "/v1/corpora/made/files", FORM, part)
        assert status in (400, 422), problem
