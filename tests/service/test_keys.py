"""API keys: what is kept of them, who is let in, and how they end."""

import datetime
import hashlib
import json
import re
from typing import Any

import pytest
from sqlalchemy import text

from ragcortex.errors import InputError
from ragcortex.service import keys
from ragcortex.service.audit import export_lines, verify
from ragcortex.service.checks import NotFoundError
from ragcortex.service.keys import SCOPES, Caller, NewToken
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.tables import ApiKey

NOW = datetime.datetime(2025, 3, 1, 12, 0, tzinfo=datetime.UTC)
HOUR = datetime.timedelta(hours=1)


def _make(database: Database, **values: Any) -> tuple[ApiKey, str]:
    given = {"name": "a script", "scopes": ["check"], "rate_per_minute": None, "expires_at": None, "now": NOW} | values
    return database.run(lambda session: keys.create_key(session, **given))


def _caller(database: Database, token: str, now: datetime.datetime = NOW) -> Caller | None:
    return database.run(lambda session: keys.find_caller(session, token, now))


def _audited(database: Database) -> list[tuple[str, str, str, Any]]:
    lines = list(export_lines(database))
    assert verify(lines).unbroken
    bodies = [json.loads(json.loads(line)["body"]) for line in lines]
    return [(body["kind"], body["actor"], body["subject"], body["data"]) for body in bodies]


def test_a_key_opens_what_its_scopes_say(database: Database) -> None:
    key, token = _make(database, scopes=["read", "check"], rate_per_minute=30)
    assert re.fullmatch(r"rck_[0-9a-f]{16}_[A-Za-z0-9_-]{43}", token)
    caller = _caller(database, token)
    assert caller == Caller("a script", key.id, frozenset({"check", "read"}), 30)
    assert [scope for scope in SCOPES if caller.may(scope)] == ["check", "read"]
    _, of_all = _make(database, name="another", scopes=["admin"])
    administrator = _caller(database, of_all)
    assert administrator is not None
    assert all(administrator.may(scope) for scope in SCOPES)


def test_of_the_secret_only_the_digest_is_kept(database: Database) -> None:
    key, token = _make(database)
    secret = token.split("_", 2)[2]
    assert key.secret_digest == hashlib.sha256(secret.encode()).hexdigest()
    row = database.run(lambda session: str(session.execute(text("SELECT * FROM api_keys")).all()))
    assert key.id in row
    assert secret not in row
    assert secret not in "".join(export_lines(database))
    assert secret not in repr(NewToken(key.id, secret))


def test_two_keys_are_not_alike(database: Database) -> None:
    (first, first_token), (second, second_token) = _make(database), _make(database, name="another")
    assert first.id != second.id
    assert first_token != second_token
    mixed = first_token[:21] + second_token[21:]
    assert _caller(database, mixed) is None


def test_an_active_keys_name_is_taken_until_it_ends(database: Database) -> None:
    first, _ = _make(database, expires_at=NOW + HOUR)
    with pytest.raises(InputError, match=r"^name: 'a script' is that of an active key; rotate that one, or give"):
        _make(database)
    assert database.run(lambda session: keys.rotate_key(session, first.id, NOW, overlap=HOUR))[0].name == "a script"
    for key in database.run(keys.list_keys):
        database.run(lambda session, key=key: keys.revoke_key(session, key.id, NOW))
    assert _make(database)[0].name == "a script"


def test_what_is_no_token_finds_nobody(database: Database) -> None:
    key, token = _make(database)
    for wrong in (
        "", "rck_", token[:-1], token + "A", token.upper(), token[:-1] + ("A" if token[-1] != "A" else "B"),
        token.replace("rck_", "rck-"), f"rck_{key.id}_{'A' * 43}", f"rck_{'0' * 16}_{'A' * 43}", "\x00" * 64,
        f"rck_{key.id}_{'é' * 43}", f"{token}\n", f" {token}", "\ud800",
    ):  # fmt: skip
        assert _caller(database, wrong) is None, wrong
    assert _caller(database, token) is not None


def test_a_key_expires(database: Database) -> None:
    key, token = _make(database, expires_at=NOW + HOUR)
    assert _caller(database, token, NOW + HOUR - datetime.timedelta(microseconds=1)) is not None
    assert _caller(database, token, NOW + HOUR) is None
    assert keys.state_of(key, NOW) == "active"
    assert keys.state_of(key, NOW + HOUR) == "expired"


def test_a_key_is_revoked_at_once_and_once(database: Database) -> None:
    key, token = _make(database)
    for minutes in (1, 2):
        at = NOW + datetime.timedelta(minutes=minutes)
        revoked = database.run(lambda session, at=at: keys.revoke_key(session, key.id, at, actor="Zoë"))
        assert revoked.revoked_at == NOW + datetime.timedelta(minutes=1)
    assert _caller(database, token) is None
    assert database.run(lambda session: keys.find_caller_by_id(session, key.id, NOW)) is None
    assert keys.state_of(revoked, NOW) == "revoked"
    made = {"name": "a script", "scopes": ["check"], "rate_per_minute": None, "expires_at": None}
    assert _audited(database) == [
        ("key.created", "operator", key.id, made),
        ("key.revoked", "Zoë", key.id, {"name": "a script"}),
    ]


def test_a_session_is_found_by_its_key(database: Database) -> None:
    key, _ = _make(database, expires_at=NOW + HOUR)
    found = database.run(lambda session: keys.find_caller_by_id(session, key.id, NOW))
    assert found == Caller("a script", key.id, frozenset({"check"}), None)
    assert database.run(lambda session: keys.find_caller_by_id(session, key.id, NOW + HOUR)) is None
    for wrong in ("", "0" * 16, "\x00"):
        assert database.run(lambda session, wrong=wrong: keys.find_caller_by_id(session, wrong, NOW)) is None


def test_rotation_overlaps(database: Database) -> None:
    old, old_token = _make(database, scopes=["check", "read"], rate_per_minute=7)
    later = NOW + 10 * HOUR
    new, new_token = database.run(lambda session: keys.rotate_key(session, old.id, later, overlap=2 * HOUR))
    assert (new.name, new.scopes, new.rate_per_minute, new.expires_at) == ("a script", ["check", "read"], 7, None)
    assert _caller(database, new_token, later) is not None
    assert _caller(database, old_token, later + 2 * HOUR - datetime.timedelta(seconds=1)) is not None
    assert _caller(database, old_token, later + 2 * HOUR) is None
    listed = database.run(keys.list_keys)
    assert [(key.id, key.replaced_by) for key in listed] == [(old.id, new.id), (new.id, None)]
    assert _audited(database)[1] == (
        "key.rotated",
        "operator",
        old.id,
        {
            "replaced_by": new.id,
            "valid_until": "2025-03-02T00:00:00+00:00",
            "new": {"name": "a script", "scopes": ["check", "read"], "rate_per_minute": 7, "expires_at": None},
        },
    )


def test_rotation_without_overlap_and_of_a_key_that_ends(database: Database) -> None:
    old, old_token = _make(database, expires_at=NOW + 10 * HOUR)
    later = NOW + 9 * HOUR
    new, _ = database.run(lambda session: keys.rotate_key(session, old.id, later, overlap=5 * HOUR))
    assert new.expires_at == later + 10 * HOUR  # as long as the old one was to live
    assert _caller(database, old_token, NOW + 10 * HOUR) is None  # the overlap makes no key live longer
    third, _ = database.run(lambda session: keys.rotate_key(session, new.id, later, overlap=0 * HOUR))
    assert database.run(lambda session: keys.find_caller_by_id(session, new.id, later)) is None
    assert database.run(lambda session: keys.find_caller_by_id(session, third.id, later)) is not None


def test_keys_that_cannot_be_rotated(database: Database) -> None:
    revoked, _ = _make(database)
    database.run(lambda session: keys.revoke_key(session, revoked.id, NOW))
    expired, _ = _make(database, expires_at=NOW + HOUR)
    replaced, _ = _make(database, name="another")
    by, _ = database.run(lambda session: keys.rotate_key(session, replaced.id, NOW, overlap=HOUR))
    later = NOW + HOUR
    for key_id, overlap, message in (
        (revoked.id, HOUR, f"id: key '{revoked.id}' is revoked; make a new key instead"),
        (expired.id, HOUR, f"id: key '{expired.id}' is expired; make a new key instead"),
        (replaced.id, HOUR, f"id: key '{replaced.id}' was replaced by '{by.id}' already; rotate that one"),
        (by.id, -HOUR, "overlap: must not be negative, got -1 day, 23:00:00"),
    ):
        with pytest.raises(InputError) as caught:
            database.run(
                lambda session, key_id=key_id, overlap=overlap: keys.rotate_key(session, key_id, later, overlap=overlap)
            )
        assert str(caught.value) == message
    for unknown in ("0" * 16, "nonsense", "\x00"):
        with pytest.raises(NotFoundError, match=r"^id: there is no key "):
            database.run(lambda session, unknown=unknown: keys.revoke_key(session, unknown, NOW))


def test_work_that_is_done_again_makes_the_same_key(database: Database) -> None:
    token = keys.new_token()
    first, text_of_first = _make(database, token=token)
    second, text_of_second = _make(database, token=token)
    assert (first.id, text_of_first) == (second.id, text_of_second) == (token.id, token.text)

    other = keys.new_token()
    for _ in range(2):
        new, _ = database.run(lambda session: keys.rotate_key(session, first.id, NOW, overlap=HOUR, token=other))
        assert new.id == other.id
    assert [entry[0] for entry in _audited(database)] == ["key.created", "key.rotated"]
    assert len(database.run(keys.list_keys)) == 2


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"name": " "}, "name: must not be blank"),
        ({"name": "a\nb"}, "name: must be one line of at most 200 characters, got 'a\\nb'"),
        ({"name": "a" * 201}, f"name: must be one line of at most 200 characters, got '{'a' * 40}'"),
        ({"name": "a\x00"}, "name: must be one line of at most 200 characters, got 'a\\x00'"),
        (
            {"scopes": []},
            "scopes: must not be empty; there are check, corpora, review, calibrate, read, admin",
        ),
        ({"scopes": ["check", "reviews"]}, "scopes: there is no scope 'reviews'; did you mean 'review'?"),
        ({"rate_per_minute": 0}, "rate_per_minute: must be from 1 to 2147483647, got 0"),
        ({"rate_per_minute": 2**31}, "rate_per_minute: must be from 1 to 2147483647, got 2147483648"),
        ({"expires_at": NOW}, "expires_at: must be in the future, got 2025-03-01T12:00:00+00:00"),
        (
            {"expires_at": datetime.datetime(2026, 1, 1)},
            "expires_at: needs its time zone, got 2026-01-01T00:00:00",
        ),
    ],
)
def test_values_that_no_key_can_have(sqlite_url: str, values: dict[str, Any], message: str) -> None:
    database = Database(sqlite_url)
    with pytest.raises(InputError) as caught:
        _make(database, **values)
    assert str(caught.value) == message
    assert database.run(keys.list_keys) == []
    database.close()
