"""Pages of a service with keys: signing in and out, what each scope shows, and keys made, replaced and revoked."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from made_pages import GROUNDED, WRONG, Shown, made_client, made_key, page, send

ALL = {
    "check": {"/", "/corpora"},
    "corpora": {"/corpora"},
    "review": {"/queue", "/history"},
    "calibrate": {"/calibration"},
    "read": {"/history", "/dashboard", "/corpora", "/calibration", "/audit"},
    "admin": {"/", "/queue", "/history", "/dashboard", "/corpora", "/calibration", "/audit", "/keys"},
}


@pytest.fixture(scope="module")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with made_client(tmp_path_factory.mktemp("keyed"), auth="keys") as client:
        yield client


@pytest.fixture
def client(keyed: TestClient) -> TestClient:
    keyed.cookies.clear()
    return keyed


def signed_in(client: TestClient, *scopes: str, name: str | None = None) -> TestClient:
    client.cookies.clear()
    shown = send(client, "/login", {"token": made_key(client, *scopes, name=name), "next": "/login"})
    assert shown.response.url.path == "/login"
    return client


def test_nobody_sees_a_page_without_signing_in(client: TestClient) -> None:
    for path in sorted(ALL["admin"] | {"/checks/x", "/review/next", "/corpora/x/map", "/history/labels.csv"}):
        response = client.get(path, follow_redirects=False)
        assert (response.status_code, response.headers["location"]) == (303, f"/login?next={path}")
    shown = page(client, "/queue")
    assert (shown.text("h1"), shown.value("next"), shown.all("header nav")) == ("Sign in", "/queue", [])


def test_a_wrong_key_is_refused(client: TestClient) -> None:
    shown = send(client, "/login", {"token": "rck_0123456789abcdef_" + "x" * 43, "next": "/queue"}, 422)
    assert "not valid, expired or revoked" in shown.text("[role=alert]")
    assert shown.value("next") == "/queue"
    assert shown.one("[name=token]").attributes.get("value") is None


@pytest.mark.parametrize("scope", ALL)
def test_each_scope_has_its_pages(client: TestClient, scope: str) -> None:
    signed_in(client, scope)
    for path in ALL["admin"]:
        response = client.get(path)
        assert response.status_code == (200 if path in ALL[scope] else 403), path
        if response.status_code == 200:
            links = {str(one.attributes["href"]) for one in Shown(response).all("header nav a")}
            assert links == ALL[scope]


def test_one_signs_out(client: TestClient) -> None:
    signed_in(client, "admin")
    token = page(client, "/keys").all("[name=csrf]")[0].attributes["value"]
    assert client.post("/logout", data={"csrf": token}).url.path == "/login"
    assert client.get("/keys", follow_redirects=False).status_code == 303


def test_who_may_only_check_sees_the_own_results_and_no_others(client: TestClient) -> None:
    signed_in(client, "check", name="first")
    shown = send(client, "/", {"answer": WRONG, "reference": GROUNDED})
    path = str(shown.one("form.feedback").attributes["action"]).removesuffix("/feedback")
    assert page(client, path).texts(".answer a.mark")
    signed_in(client, "check", name="second")
    page(client, path, 403)
    send(client, f"{path}/feedback", {"rating": "right"}, 403, at="/")
    page(client, f"{path}/delete", 403)


def test_keys_are_made_shown_once_replaced_and_revoked(client: TestClient) -> None:
    signed_in(client, "admin", name="boss")
    form = {"name": "reader <b>", "scope": ["read", "check"], "rate": "60", "expires": "2100-12-31"}
    made = send(client, "/keys", form)
    token = made.text("#token")
    assert token.startswith("rck_")
    listed = page(client, "/keys")
    assert token not in listed.response.text
    (row,) = [one for one in listed.texts("tbody tr") if one.startswith("reader <b>")]
    assert "check read 60 1 Jan 2101" in row
    key_id = token.split("_")[1]
    renewed = send(client, f"/keys/{key_id}/rotate", {"overlap": "0"}, at="/keys")
    assert (renewed.text("#token") != token, key_id in renewed.text("main")) == (True, True)
    assert client.get("/v1/checks", headers={"Authorization": f"Bearer {token}"}).status_code == 401
    assert send(client, f"/keys/{key_id}/rotate", {"overlap": "0"}, 422, at="/keys").text("[role=alert]")
    other = renewed.text("#token").split("_")[1]
    assert page(client, f"/keys/{other}/revoke").text("h1") == "Revoke this key?"
    assert send(client, f"/keys/{other}/revoke", {}).text("#said") == "Key “reader <b>” is revoked."
    assert client.get("/v1/checks", headers={"Authorization": f"Bearer {renewed.text('#token')}"}).status_code == 401
    page(client, "/keys/0123456789abcdef/revoke")
    send(client, "/keys/0123456789abcdef/revoke", {}, 404)


@pytest.mark.parametrize(
    ("form", "field"),
    [
        ({"name": "x"}, ""),
        ({"name": "x\x1b", "scope": "read"}, "name"),
        ({"name": "x", "scope": "read", "rate": "many"}, "rate"),
        ({"name": "x", "scope": "read", "expires": "2001-01-01"}, "expires"),
        ({"name": "x", "scope": "all"}, ""),
    ],
)
def test_a_key_that_cannot_be_comes_back(client: TestClient, form: dict[str, str], field: str) -> None:
    signed_in(client, "admin")
    shown = send(client, "/keys", form, 422)
    assert [one.attributes["name"] for one in shown.all("[aria-invalid=true]")] == ([field] if field else [])
    assert shown.text("[role=alert]")


def test_a_revoked_key_ends_its_session(client: TestClient) -> None:
    signed_in(client, "admin", name="short")
    (key_id,) = [
        str(one.attributes["href"]).split("/")[2]
        for one in page(client, "/keys").all("tbody tr a")
        if "short" in str(one.parent.parent.text() if one.parent and one.parent.parent else "")
    ]
    send(client, f"/keys/{key_id}/revoke", {})
    assert client.get("/keys", follow_redirects=False).status_code == 303
