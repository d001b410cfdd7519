"""Who may call what: scopes of every route, keys that end, limits, sessions, and requests of other sites."""

import base64
import datetime
import json
import re
from typing import Any

import itsdangerous
import pytest
from route_scopes import ROUTES
from running import GROUNDED, WRONG, Headers, Running, problem

from ragcortex.service.keys import SCOPES

BODIES: dict[str, Any] = {
    "/v1/check": GROUNDED,
    "/v1/check/batch": {"checks": [GROUNDED]},
    "/v1/check/stream": GROUNDED,
    "/v1/check/stream/{stream_id}": {},
    "/v1/checks/{check_id}/feedback": {"rating": "right"},
    "/v1/checks/{check_id}/reviews": {"label": 0},
    "/v1/calibrations": {"name": "a", "hallucinated_threshold": 0.5},
    "/v1/corpora": {"name": "a"},
    "/v1/keys": {"name": "a", "scopes": ["read"]},
}


def call(running: Running, method: str, path: str, headers: Headers | None) -> Any:
    address = re.sub(r"\{\w+\}", "0" * 32, path)
    return running.client.request(method, address, json=BODIES.get(path), headers=headers)


def test_every_route_is_open_to_the_scopes_of_the_table_and_to_no_other(guarded: Running) -> None:
    paths = guarded.client.get("/v1/openapi.json").json()["paths"]
    found = {(method.upper(), path) for path, operations in paths.items() for method in operations}
    assert found == set(ROUTES), "a route is new or gone; say here who may call it"
    keys: dict[str | None, Headers] = {scope: guarded.key(scope, name=scope) for scope in SCOPES}
    keys[None] = {}
    for (method, path), scopes in ROUTES.items():
        for scope, headers in keys.items():
            status = call(guarded, method, path, headers).status_code
            if scopes is None or scope == "admin" or scope in scopes:
                assert status not in (401, 403), (method, path, scope)
                assert status < 500, (method, path, scope)
            else:
                assert status == (401 if scope is None else 403), (method, path, scope)


def test_what_the_document_says_of_keys_is_so(guarded: Running) -> None:
    document = guarded.client.get("/v1/openapi.json").json()
    schemes = document["components"]["securitySchemes"]
    assert (schemes["key"]["type"], schemes["key"]["scheme"]) == ("http", "bearer")
    assert (schemes["keyHeader"]["in"], schemes["keyHeader"]["name"]) == ("header", "X-API-Key")
    for (method, path), scopes in ROUTES.items():
        said = document["paths"][path][method.lower()].get("security")
        assert said == (None if scopes is None else [{"key": []}, {"keyHeader": []}]), (method, path)


def test_both_headers_carry_a_key(guarded: Running) -> None:
    token = guarded.key("read")["Authorization"].removeprefix("Bearer ")
    for headers in ({"Authorization": f"Bearer {token}"}, {"authorization": f"bearer  {token} "}, {"X-API-Key": token}):
        assert guarded.client.get("/v1/checks", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": "Basic YTpi"},
        {"Authorization": "Bearer rck_0000000000000000_" + "a" * 43},
        {"Authorization": "Bearer rck_x"},
        {"Authorization": "Bearer \xe9".encode("latin-1")},
        {"X-API-Key": "' OR 1=1"},
        {"X-API-Key": ""},
    ],
)
def test_without_a_valid_key_nothing_is_given(guarded: Running, headers: Any) -> None:
    response = guarded.client.get("/v1/checks", headers=headers)
    assert problem(response, 401)[1] in (
        "a key is needed: send it as `Authorization: Bearer rck_…`", "the key is not valid, expired or revoked",
    )  # fmt: skip
    assert response.headers["www-authenticate"] == "Bearer"


def test_a_key_with_another_ones_secret_is_refused(guarded: Running) -> None:
    first, second = (guarded.key("read")["Authorization"] for _ in range(2))
    mixed = first[: len("Bearer rck_") + 17] + second[len("Bearer rck_") + 17 :]
    assert problem(guarded.client.get("/v1/checks", headers={"Authorization": mixed}), 401)


def test_a_refusal_names_the_scope(guarded: Running) -> None:
    headers = guarded.key("check", name="the shop")
    detail = "the key 'the shop' needs the scope read or review"
    assert problem(guarded.client.get("/v1/checks", headers=headers), 403) == (None, detail)


# The life of a key.


def test_a_key_from_its_making_to_its_end(guarded: Running) -> None:
    admin, client = guarded.key("admin", name="root"), guarded.client
    made = client.post("/v1/keys", json={"name": "shop", "scopes": ["check", "read"]}, headers=admin)
    assert made.status_code == 201
    secret, key_id = made.json()["secret"], made.json()["id"]
    assert secret.startswith(f"rck_{key_id}_")
    own = {"Authorization": f"Bearer {secret}"}
    assert client.get("/v1/checks", headers=own).status_code == 200
    listed = client.get("/v1/keys", headers=admin)
    assert [one["name"] for one in listed.json()] == ["root", "shop"]
    assert secret not in listed.text
    assert "secret" not in listed.json()[0]

    rotated = client.post(f"/v1/keys/{key_id}/rotate", params={"overlap_minutes": 5}, headers=admin)
    assert rotated.status_code == 201
    new = {"Authorization": f"Bearer {rotated.json()['secret']}"}
    assert client.get("/v1/checks", headers=own).status_code == 200, "the old one goes on for a while"
    assert client.get("/v1/checks", headers=new).status_code == 200
    assert problem(client.post(f"/v1/keys/{key_id}/rotate", headers=admin), 422)[0] == "id"

    revoked = client.post(f"/v1/keys/{rotated.json()['id']}/revoke", headers=admin)
    assert (revoked.status_code, revoked.json()["revoked_at"] is not None) == (200, True)
    assert problem(client.get("/v1/checks", headers=new), 401)
    trail = client.get("/v1/audit/export", headers=admin).text
    assert [kind in trail for kind in ("key.created", "key.rotated", "key.revoked")] == [True] * 3
    assert secret.removeprefix(f"rck_{key_id}_") not in trail + guarded.dump()


def test_without_overlap_the_old_key_ends_at_once(guarded: Running) -> None:
    admin, own = guarded.key("admin"), guarded.key("read")
    key_id = own["Authorization"].split("_")[1]
    assert guarded.client.get("/v1/checks", headers=own).status_code == 200
    guarded.client.post(f"/v1/keys/{key_id}/rotate", params={"overlap_minutes": 0}, headers=admin)
    assert problem(guarded.client.get("/v1/checks", headers=own), 401)


def test_an_expired_key_is_refused(guarded: Running) -> None:
    now = datetime.datetime.now(datetime.UTC)
    own = guarded.key("read", now=now - datetime.timedelta(days=2), expires_at=now - datetime.timedelta(seconds=1))
    assert problem(guarded.client.get("/v1/checks", headers=own), 401)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": ""}, "name"),
        ({"name": "a\nb"}, "name"),
        ({"scopes": []}, "scopes"),
        ({"scopes": ["root"]}, "scopes"),
        ({"scopes": "admin"}, "scopes"),
        ({"rate_per_minute": 0}, "rate_per_minute"),
        ({"rate_per_minute": 2**31}, "rate_per_minute"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
        ({"expires_at": 4102444800}, "expires_at"),
        ({"expires_at": "2099-01-01T00:00:00"}, "expires_at"),
        ({"expires_at": "9999-12-31T23:59:59-12:00"}, "expires_at"),
        ({"id": "1"}, "id"),
    ],
)
def test_what_is_wrong_with_a_key_names_its_field(running: Running, change: dict[str, Any], field: str) -> None:
    body = {"name": "a", "scopes": ["read"]} | change
    assert problem(running.client.post("/v1/keys", json=body), 422)[0] == field
    assert running.client.get("/v1/keys").json() == []


# Limits.


def test_a_key_that_asks_too_often_waits(guarded: Running) -> None:
    own, other = guarded.key("read", name="busy", rate_per_minute=2), guarded.key("read", rate_per_minute=2)
    for _ in range(2):
        assert guarded.client.get("/v1/checks", headers=own).status_code == 200
    response = guarded.client.get("/v1/checks", headers=own)
    assert problem(response, 429)[1].startswith("the key 'busy' may make 2 requests a minute; try again in ")
    assert 1 <= int(response.headers["retry-after"]) <= 31
    assert guarded.client.get("/v1/checks", headers=other).status_code == 200
    guarded.service.clock = lambda: 10**9  # the future
    assert guarded.client.get("/v1/checks", headers=own).status_code == 200


def test_the_services_limit_holds_for_keys_without_their_own(start: Any) -> None:
    running = start(auth="keys", rate_per_minute=1)
    plain, own = running.key("read"), running.key("read", rate_per_minute=3)
    assert [running.client.get("/v1/checks", headers=plain).status_code for _ in range(2)] == [200, 429]
    assert [running.client.get("/v1/checks", headers=own).status_code for _ in range(3)] == [200] * 3


def test_who_needs_no_key_has_no_limit(start: Any) -> None:
    running = start(rate_per_minute=1)
    assert [running.client.get("/v1/checks").status_code for _ in range(3)] == [200] * 3


# Where keys are needed.


@pytest.mark.parametrize(
    ("settings", "status"),
    [({}, 200), ({"host": "0.0.0.0"}, 401), ({"host": "192.0.2.1"}, 401), ({"host": "::1"}, 200),
     ({"host": "0.0.0.0", "auth": "none"}, 200), ({"auth": "keys"}, 401)],
)  # fmt: skip
def test_keys_are_needed_unless_only_this_machine_can_call(start: Any, settings: dict[str, Any], status: int) -> None:
    assert start(**settings).client.get("/v1/checks").status_code == status


def test_a_key_counts_also_where_none_is_needed(running: Running) -> None:
    own = running.key("check", name="ada")
    assert problem(running.client.get("/v1/checks", headers=own), 403)
    check_id = running.check(WRONG, own)["id"]
    assert '"actor":"ada"' in running.client.get("/v1/audit/export").text.replace("\\", "")
    assert running.client.get(f"/v1/checks/{check_id}").status_code == 200
    assert problem(running.client.get("/v1/checks", headers={"X-API-Key": "wrong"}), 401)


# Other sites.

FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://localhost.evil.example"},
    {"Origin": "http://localhost:9999"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
]


@pytest.mark.parametrize("headers", FOREIGN)
def test_a_page_of_another_site_can_make_a_browser_do_nothing(running: Running, headers: Headers) -> None:
    check_id = running.check()["id"]
    for method, path, body in (
        ("POST", "/v1/check", GROUNDED),
        ("POST", f"/v1/checks/{check_id}/reviews", {"label": 0}),
        ("DELETE", f"/v1/checks/{check_id}/text", None),
        ("POST", "/v1/keys", {"name": "a", "scopes": ["admin"]}),
        ("POST", "/v1/corpora", {"name": "a", "documents": [{"text": "a"}]}),
    ):
        response = running.client.request(method, path, json=body, headers=headers)
        assert problem(response, 403) == (None, "a request from another site is refused")
    response = running.client.get("/v1/checks", headers=headers)
    assert response.status_code == 200, "it is sent, but the browser gives that page nothing of it"
    assert not any(name.startswith("access-control") for name in response.headers)


@pytest.mark.parametrize("headers", [{}, {"Origin": "http://localhost"}, {"Sec-Fetch-Site": "same-origin"},
                                     {"Sec-Fetch-Site": "none"}])  # fmt: skip
def test_a_page_of_this_site_and_a_script_may(running: Running, headers: Headers) -> None:
    assert running.client.post("/v1/check", json=GROUNDED, headers=headers).status_code == 200


def test_with_a_key_it_does_not_matter_where_a_request_is_from(guarded: Running) -> None:
    headers = guarded.key("check") | {"Origin": "https://other.example", "Sec-Fetch-Site": "cross-site"}
    assert guarded.client.post("/v1/check", json=GROUNDED, headers=headers).status_code == 200


def test_scripts_of_other_origins_are_asked_for_by_name(start: Any) -> None:
    origin = "https://app.example"
    preflight = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    preflight["Access-Control-Request-Headers"] = "content-type,idempotency-key"
    closed = start("closed").client.options("/v1/check", headers=preflight)
    assert not any(name.startswith("access-control") for name in closed.headers)
    running = start("open", cors_origins=origin)
    allowed = running.client.options("/v1/check", headers=preflight)
    assert (allowed.status_code, allowed.headers["access-control-allow-origin"]) == (200, origin)
    assert "access-control-allow-credentials" not in allowed.headers
    headers = {"Origin": origin, "Sec-Fetch-Site": "cross-site"}
    sent = running.client.post("/v1/check", json=GROUNDED, headers=headers)
    assert (sent.status_code, sent.headers["access-control-allow-origin"]) == (200, origin)
    assert "Idempotency-Replayed" in sent.headers["access-control-expose-headers"]
    headers["Origin"] = "https://app.example.evil"
    refused = running.client.post("/v1/check", json=GROUNDED, headers=headers)
    assert refused.status_code == 403
    assert "access-control-allow-origin" not in refused.headers


# Sessions of pages.


def session(**values: Any) -> dict[str, str]:
    """Return the cookie of a session of the service, whose secret the tests know."""
    signer = itsdangerous.TimestampSigner("x" * 32)
    return {"ragcortex_session": signer.sign(base64.b64encode(json.dumps(values).encode())).decode()}


def test_a_session_reads_and_needs_its_token_to_write(guarded: Running) -> None:
    key_id = guarded.key("check", "read")["Authorization"].split("_")[1]
    client = guarded.client
    client.cookies.update(session(key=key_id, csrf="token"))
    assert client.get("/v1/checks").status_code == 200
    detail = "a call with a page's session needs its X-CSRF-Token; scripts send a key instead"
    for headers in ({}, {"X-CSRF-Token": "other"}, {"X-CSRF-Token": b"token\xff"}):
        assert problem(client.post("/v1/check", json=GROUNDED, headers=headers), 403) == (None, detail)
    right = {"X-CSRF-Token": "token"}
    assert client.post("/v1/check", json=GROUNDED, headers=right).status_code == 200
    for foreign in FOREIGN:
        assert problem(client.post("/v1/check", json=GROUNDED, headers=right | foreign), 403)


def test_a_session_without_a_token_writes_nothing(guarded: Running) -> None:
    key_id = guarded.key("check")["Authorization"].split("_")[1]
    guarded.client.cookies.update(session(key=key_id))
    for given in ("", "None", "null"):
        response = guarded.client.post("/v1/check", json=GROUNDED, headers={"X-CSRF-Token": given})
        assert problem(response, 403)


def test_a_session_ends_with_its_key(guarded: Running) -> None:
    admin = guarded.key("admin")
    key_id = guarded.key("read")["Authorization"].split("_")[1]
    guarded.client.cookies.update(session(key=key_id))
    assert guarded.client.get("/v1/checks").status_code == 200
    guarded.client.post(f"/v1/keys/{key_id}/revoke", headers=admin)
    assert problem(guarded.client.get("/v1/checks"), 401)


@pytest.mark.parametrize("values", [{}, {"key": None}, {"key": 3}, {"key": ["a"]}, {"key": "0" * 16}, {"key": "x"}])
def test_a_session_of_nobody_is_none(guarded: Running, values: dict[str, Any]) -> None:
    guarded.client.cookies.update(session(**values))
    assert problem(guarded.client.get("/v1/checks"), 401)


def test_a_forged_session_is_none(guarded: Running) -> None:
    key_id = guarded.key("read")["Authorization"].split("_")[1]
    cookie = session(key=key_id)["ragcortex_session"]
    for forged in (cookie[:-1] + ("A" if cookie[-1] != "A" else "B"), cookie.split(".")[0], ""):
        guarded.client.cookies.clear()
        guarded.client.cookies.update({"ragcortex_session": forged})
        assert problem(guarded.client.get("/v1/checks"), 401)
