"""Rows for tests of the database, and work that keeps them and may be done again."""

import datetime
from collections.abc import Callable

import psycopg
from sqlalchemy import select
from sqlalchemy.orm import Session

from ragcortex.service.audit import append
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.tables import ApiKey, AuditEntry, Corpus

NOW = datetime.datetime(2025, 3, 1, 12, 30, 15, 123456, tzinfo=datetime.UTC)


def a_key(number: int = 0) -> ApiKey:
    return ApiKey(
        id=f"key-{number}", name="a name", secret_digest="0" * 64, scopes=["check"], rate_per_minute=None,
        created_at=NOW, expires_at=None, revoked_at=None, replaced_by=None,
    )  # fmt: skip


def keep(number: int = 0) -> Callable[[Session], None]:
    """Return repeatable work: a key that is added unless it is there."""

    def work(session: Session) -> None:
        if session.get(ApiKey, f"key-{number}") is None:
            session.add(a_key(number))

    return work


def ids(database: Database) -> list[str]:
    return database.run(lambda session: list(session.scalars(select(ApiKey.id).order_by(ApiKey.id))))


def end_connections(url: str) -> int:
    """End all connections to a PostgreSQL database but our own, and return how many there were."""
    with psycopg.connect(url, autocommit=True) as connection:
        ended = connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchall()
    return len(ended)


def a_corpus(name: str) -> Corpus:
    return Corpus(
        id=name, name="mine", created_at=NOW, changed_at=NOW, fingerprint="f", embedder="e", n_documents=0, n_chunks=0,
        n_merged=0, n_conflicts=0,
    )  # fmt: skip


def report(subject: str) -> Callable[[Session], None]:
    """Return repeatable work: an audit entry that is added unless it is there."""

    def work(session: Session) -> None:
        there = select(AuditEntry.number).where(AuditEntry.body.contains(f'"subject":"{subject}"'))
        if session.scalar(there) is None:
            append(session, "check.judged", actor="a", subject=subject, data={}, at=NOW)

    return work
