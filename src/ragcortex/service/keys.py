"""API keys: who may do what. Only digests of their secrets are kept; each change is in the audit trail."""

import datetime
import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from ragcortex.checks import check_text, nearest_hint
from ragcortex.errors import InputError
from ragcortex.service import audit
from ragcortex.service.checks import NotFoundError
from ragcortex.service.storage.tables import ApiKey

SCOPES: Final = ("check", "corpora", "review", "calibrate", "read", "admin")
# Who acts where nobody signed in: whoever has the database's URL, by the command line.
OPERATOR: Final = "operator"
State = Literal["active", "expired", "revoked"]

_PREFIX: Final = "rck"
_ID: Final = re.compile("[0-9a-f]{16}")
# 32 random bytes in URL-safe Base64 are 43 characters.
_TOKEN: Final = re.compile(f"{_PREFIX}_(?P<id>[0-9a-f]{{16}})_(?P<secret>[A-Za-z0-9_-]{{43}})")
_LONGEST_NAME: Final = 200
_HIGHEST_RATE: Final = 2**31 - 1
# Compared with where there is no such key, so that an unknown id takes as long as a wrong secret.
_NO_DIGEST: Final = "0" * 64


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: the name of a key, what it may do, and how often.

    Attributes:
        name: of the key, or of a person where no key is needed.
        key_id: None where no key is needed.
        scopes: of `SCOPES`.
        rate_per_minute: the key's own limit, None if it has none.
    """

    name: str
    key_id: str | None
    scopes: frozenset[str]
    rate_per_minute: int | None

    def may(self, scope: str) -> bool:
        """Return whether the caller may do what needs this scope; `admin` includes all."""
        return scope in self.scopes or "admin" in self.scopes


@dataclass(frozen=True, slots=True)
class NewToken:
    """The token of a key that is yet to be made: made before the work, so that work done again makes the same key."""

    id: str
    secret: str = field(repr=False)

    @property
    def text(self) -> str:
        """The token as a caller sends it."""
        return f"{_PREFIX}_{self.id}_{self.secret}"


def new_token() -> NewToken:
    """Return a token made at random: an id that may be shown, and a secret of 32 bytes."""
    return NewToken(secrets.token_hex(8), secrets.token_urlsafe(32))


def create_key(
    session: Session,
    *,
    name: str,
    scopes: Sequence[str],
    rate_per_minute: int | None,
    expires_at: datetime.datetime | None,
    now: datetime.datetime,
    actor: str = OPERATOR,
    token: NewToken | None = None,
) -> tuple[ApiKey, str]:
    """Make a key, and return it with its token, which is nowhere else.

    Args:
        session: of the transaction.
        name: who calls by it, in the trail and as a reviewer; of one active key only.
        scopes: of `SCOPES`, one at least.
        rate_per_minute: requests a minute; the service's own limit if None.
        expires_at: when it stops being valid; never if None.
        now: the time.
        actor: who makes it, for the audit trail.
        token: made before by `new_token` where the work may be done again; else one is made here.

    Raises:
        InputError: names the value that cannot be used.
    """
    token = token or new_token()
    made = session.get(ApiKey, token.id)
    if made is not None:  # an earlier try was committed after all
        return made, token.text
    _check_key(name, scopes, rate_per_minute, expires_at, now)
    _refuse_taken(session, name, now)
    known = [scope for scope in SCOPES if scope in scopes]
    key = _add(session, token, now, name=name, scopes=known, rate_per_minute=rate_per_minute, expires_at=expires_at)
    audit.append(session, "key.created", actor=actor, subject=key.id, data=_audited(key), at=now)
    return key, token.text


def find_caller(session: Session, token: str, now: datetime.datetime) -> Caller | None:
    """Return who sent a token, None if it is no token, unknown, expired or revoked."""
    parts = _TOKEN.fullmatch(token)
    if parts is None:
        return None
    key = session.get(ApiKey, parts["id"])
    right = hmac.compare_digest(_digest(parts["secret"]), _NO_DIGEST if key is None else key.secret_digest)
    return _caller(key, now) if key is not None and right else None


def find_caller_by_id(session: Session, key_id: str, now: datetime.datetime) -> Caller | None:
    """Return the caller of a key whose secret was seen before, None if it is unknown, expired or revoked."""
    key = session.get(ApiKey, key_id) if _ID.fullmatch(key_id) else None
    return None if key is None else _caller(key, now)


def list_keys(session: Session) -> list[ApiKey]:
    """Return all keys, the oldest first."""
    return list(session.scalars(select(ApiKey).order_by(ApiKey.created_at, ApiKey.id)))


def state_of(key: ApiKey, now: datetime.datetime) -> State:
    """Return whether a key is valid now, and why not."""
    if key.revoked_at is not None:
        return "revoked"
    return "expired" if key.expires_at is not None and key.expires_at <= now else "active"


def revoke_key(session: Session, key_id: str, now: datetime.datetime, *, actor: str = OPERATOR) -> ApiKey:
    """Make a key invalid at once, and return it; one that was revoked before stays as it is.

    Raises:
        NotFoundError: there is no such key.
    """
    key = _locked(session, key_id)
    if key.revoked_at is None:
        key.revoked_at = now
        audit.append(session, "key.revoked", actor=actor, subject=key.id, data={"name": key.name}, at=now)
    return key


def rotate_key(
    session: Session,
    key_id: str,
    now: datetime.datetime,
    *,
    overlap: datetime.timedelta,
    actor: str = OPERATOR,
    token: NewToken | None = None,
) -> tuple[ApiKey, str]:
    """Replace a key by one of the same name, scopes and limit, and return that one with its token.

    The old key is valid for `overlap` more, or until its own end if that is sooner. The new one lives as long as the
    old one was to live from its making.

    Raises:
        NotFoundError: there is no such key.
        InputError: it is revoked, expired or replaced already, or the overlap is negative.
    """
    token = token or new_token()
    if overlap < datetime.timedelta():
        raise InputError("overlap", f"must not be negative, got {overlap}")
    old = _locked(session, key_id)
    if old.replaced_by == token.id:  # an earlier try was committed after all
        return session.get_one(ApiKey, token.id), token.text
    if old.replaced_by is not None:
        raise InputError("id", f"key {old.id!r} was replaced by {old.replaced_by!r} already; rotate that one")
    state = state_of(old, now)
    if state != "active":
        raise InputError("id", f"key {old.id!r} is {state}; make a new key instead")
    expires_at = None if old.expires_at is None else now + (old.expires_at - old.created_at)
    key = _add(
        session,
        token,
        now,
        name=old.name,
        scopes=old.scopes,
        rate_per_minute=old.rate_per_minute,
        expires_at=expires_at,
    )
    old.replaced_by = key.id
    old.expires_at = now + overlap if old.expires_at is None else min(old.expires_at, now + overlap)
    data = {"replaced_by": key.id, "valid_until": _text(old.expires_at), "new": _audited(key)}
    audit.append(session, "key.rotated", actor=actor, subject=old.id, data=data, at=now)
    return key, token.text


def _check_key(
    name: str,
    scopes: Sequence[str],
    rate_per_minute: int | None,
    expires_at: datetime.datetime | None,
    now: datetime.datetime,
) -> None:
    """Refuse values that no key can have."""
    check_text("name", name, filled=True)
    if len(name) > _LONGEST_NAME or not name.isprintable():
        raise InputError("name", f"must be one line of at most {_LONGEST_NAME} characters, got {name[:40]!r}")
    if not scopes:
        raise InputError("scopes", f"must not be empty; there are {', '.join(SCOPES)}")
    for scope in scopes:
        if scope not in SCOPES:
            raise InputError("scopes", f"there is no scope {scope!r}; {nearest_hint(scope, SCOPES)}")
    if rate_per_minute is not None and not 1 <= rate_per_minute <= _HIGHEST_RATE:
        raise InputError("rate_per_minute", f"must be from 1 to {_HIGHEST_RATE}, got {rate_per_minute}")
    if expires_at is not None and expires_at.tzinfo is None:
        raise InputError("expires_at", f"needs its time zone, got {expires_at.isoformat()}")
    if expires_at is not None and expires_at <= now:
        raise InputError("expires_at", f"must be in the future, got {expires_at.isoformat()}")


def _refuse_taken(session: Session, name: str, now: datetime.datetime) -> None:
    """Refuse the name of an active key: reviews, streams and named requests tell callers apart by it."""
    if any(state_of(key, now) == "active" for key in session.scalars(select(ApiKey).where(ApiKey.name == name))):
        raise InputError("name", f"{name!r} is that of an active key; rotate that one, or give another name")


def _add(
    session: Session,
    token: NewToken,
    now: datetime.datetime,
    *,
    name: str,
    scopes: list[str],
    rate_per_minute: int | None,
    expires_at: datetime.datetime | None,
) -> ApiKey:
    key = ApiKey(
        id=token.id,
        name=name,
        secret_digest=_digest(token.secret),
        scopes=scopes,
        rate_per_minute=rate_per_minute,
        created_at=now,
        expires_at=expires_at,
        revoked_at=None,
        replaced_by=None,
    )
    session.add(key)
    session.flush()
    return key


def _locked(session: Session, key_id: str) -> ApiKey:
    """Return a key that nobody else changes until the transaction ends."""
    key = session.get(ApiKey, key_id, with_for_update=True) if _ID.fullmatch(key_id) else None
    if key is None:
        raise NotFoundError("id", f"there is no key {key_id!r}")
    return key


def _caller(key: ApiKey, now: datetime.datetime) -> Caller | None:
    if state_of(key, now) != "active":
        return None
    return Caller(key.name, key.id, frozenset(key.scopes), key.rate_per_minute)


def _digest(secret: str) -> str:
    """Return what is kept of a secret; 32 random bytes need neither salt nor a slow function."""
    return hashlib.sha256(secret.encode("ascii")).hexdigest()


def _audited(key: ApiKey) -> dict[str, object]:
    return {
        "name": key.name,
        "scopes": key.scopes,
        "rate_per_minute": key.rate_per_minute,
        "expires_at": _text(key.expires_at),
    }


def _text(moment: datetime.datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(datetime.UTC).isoformat()
