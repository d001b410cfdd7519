"""The audit trail: entries chained by digests, so that nobody changes, removes or reorders one without a trace.

What the digests are made of, and how an export is verified, is in `audit_chain`.
"""

import datetime
import functools
from collections.abc import Iterator, Mapping
from typing import Any, Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ragcortex.errors import InputError
from ragcortex.service.audit_chain import GENESIS, AuditProblem, AuditVerdict, canonical, digest_of, verify
from ragcortex.service.storage.adding import add
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.tables import AuditEntry

__all__ = ["AuditProblem", "AuditVerdict", "append", "export_lines", "verify"]

# The number of PostgreSQL's advisory lock, of no other meaning.
_LOCK_NUMBER: Final = int.from_bytes(b"ragaudit")
_PORTION: Final = 1000
_NEWEST: Final = select(AuditEntry.number, AuditEntry.digest).order_by(AuditEntry.number.desc()).limit(1)


def append(
    session: Session, kind: str, *, actor: str, subject: str, data: Mapping[str, Any], at: datetime.datetime
) -> AuditEntry:
    """Add an entry to the trail within a transaction, and return it.

    Other writers wait from here to the transaction's end, so this comes last in a piece of work. Work that is done
    again must look whether what it reports was done already.

    Args:
        session: of the transaction.
        kind: what happened, such as `key.created`.
        actor: who did it.
        subject: the identifier of what it was done to.
        data: more about it, of JSON's types; never a text that may be deleted later.
        at: when, with its time zone.

    Raises:
        InputError: something of it is no text or number that JSON holds.
    """
    if at.tzinfo is None:
        raise ValueError(f"a moment needs its time zone, got {at!r}")
    session.flush()
    if session.get_bind().dialect.name == "postgresql":  # SQLite has one writer at a time anyway
        session.execute(select(func.pg_advisory_xact_lock(_LOCK_NUMBER)))
    last = session.connection().execute(_NEWEST).first()
    number, previous = (1, GENESIS) if last is None else (last.number + 1, last.digest)
    moment = at.astimezone(datetime.UTC).isoformat(timespec="microseconds")
    said = {"number": number, "at": moment, "kind": kind, "actor": actor, "subject": subject, "data": dict(data)}
    try:
        body = canonical(said)
        digest = digest_of(previous, body)
    except ValueError as error:  # a number that is not finite, or half a character
        raise InputError("audit", f"an entry of kind {kind!r} holds what JSON cannot: {error}") from error
    entry = AuditEntry(number=number, body=body, previous=previous, digest=digest)
    add(session, entry)
    return entry


def export_lines(database: Database) -> Iterator[str]:
    """Yield the trail from its beginning, one JSON object a line without its line feed, in portions.

    Raises:
        StoreError: the database does not answer.
    """
    after = 0
    while portion := database.run(functools.partial(_portion, after=after)):
        yield from (
            canonical({"body": body, "previous": previous, "digest": own}) for _, body, previous, own in portion
        )
        after = portion[-1][0]


def _portion(session: Session, after: int) -> list[tuple[int, str, str, str]]:
    columns = select(AuditEntry.number, AuditEntry.body, AuditEntry.previous, AuditEntry.digest)
    query = columns.where(AuditEntry.number > after).order_by(AuditEntry.number).limit(_PORTION)
    return [(row.number, row.body, row.previous, row.digest) for row in session.execute(query)]
