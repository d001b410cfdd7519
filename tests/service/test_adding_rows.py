"""Rows that are added by one statement each, on both databases."""

import datetime

import pytest
from kept_rows import a_key, ids
from sqlalchemy import select
from sqlalchemy.orm import Session

from ragcortex.errors import StoreError
from ragcortex.service.storage.adding import add, add_if_new
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.tables import ApiKey, AuditEntry, Corpus

NOW = datetime.datetime(2025, 3, 1, 12, 30, 15, 123456, tzinfo=datetime.UTC)


def a_corpus(id: str, name: str) -> Corpus:
    return Corpus(
        id=id, name=name, created_at=NOW, changed_at=NOW, fingerprint="f", embedder="e", n_documents=1, n_chunks=2,
        n_merged=0, n_conflicts=0,
    )  # fmt: skip


def test_a_row_comes_back_as_it_was_added(database: Database) -> None:
    row = a_key()
    database.run(lambda session: add(session, row))
    found = database.run(lambda session: session.scalars(select(ApiKey)).one())
    names = [column.key for column in ApiKey.__mapper__.column_attrs]
    assert {name: getattr(found, name) for name in names} == {name: getattr(row, name) for name in names}
    assert found.created_at.tzinfo is not None


def test_a_taken_primary_key_is_said_and_nothing_is_changed(database: Database) -> None:
    first, second = a_corpus("1", "a name"), a_corpus("1", "another name")

    def work(session: Session) -> list[bool]:
        return [add_if_new(session, first), add_if_new(session, second), add_if_new(session, a_corpus("2", "b"))]

    assert database.run(work) == [True, False, True]
    names = database.run(lambda session: list(session.scalars(select(Corpus.name).order_by(Corpus.id))))
    assert names == ["a name", "b"]


def test_another_taken_key_is_an_error_and_nothing_is_kept(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragcortex.service.storage.retrying.time.sleep", lambda _: None)

    def work(session: Session) -> None:
        add(session, a_key(7))
        for id in ("1", "2"):
            add_if_new(session, a_corpus(id, "the same name"))

    with pytest.raises(StoreError):
        database.run(work)
    assert ids(database) == []


def test_a_number_of_the_trail_is_never_skipped_silently(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragcortex.service.storage.retrying.time.sleep", lambda _: None)
    entry = {"number": 1, "body": "{}", "previous": "0" * 64}
    database.run(lambda session: add(session, AuditEntry(digest="a" * 64, **entry)))
    with pytest.raises(StoreError):
        database.run(lambda session: add(session, AuditEntry(digest="b" * 64, **entry)))
