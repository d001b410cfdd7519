"""Corpora in the database: which there are, and which state of each counts. All of it can be done twice."""

import datetime
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from ragcortex.checks import check_text
from ragcortex.errors import InputError, StoreError
from ragcortex.geometry.corpus_manifest import counts_of
from ragcortex.geometry.corpus_state import CorpusState as BuiltState
from ragcortex.service import audit
from ragcortex.service.checks import NotFoundError
from ragcortex.service.corpus_folders import CorpusState
from ragcortex.service.storage.tables import Corpus

_LONGEST_NAME = 200


class NameTakenError(InputError):
    """There is something of that name already."""


@dataclass(frozen=True, slots=True)
class StoredCorpus:
    """A corpus as the database has it; see `tables.Corpus`."""

    id: str
    name: str
    created_at: datetime.datetime
    changed_at: datetime.datetime
    fingerprint: str
    embedder: str
    n_documents: int
    n_chunks: int
    n_merged: int
    n_conflicts: int

    @classmethod
    def of(cls, row: Corpus) -> "StoredCorpus":
        """Return what a row says."""
        return cls(**{name: getattr(row, name) for name in cls.__dataclass_fields__})

    @property
    def state(self) -> CorpusState:
        """The state that counts."""
        return CorpusState(self.id, self.fingerprint)


@dataclass(frozen=True, slots=True, eq=False)
class Insert:
    """Makes the row of a new corpus, with its audit entry.

    Raises:
        NameTakenError: the name was taken meanwhile.
    """

    id: str
    name: str
    fingerprint: str
    built: BuiltState
    actor: str
    now: datetime.datetime

    @property
    def state(self) -> CorpusState:
        """The state that will count."""
        return CorpusState(self.id, self.fingerprint)

    def __call__(self, session: Session) -> StoredCorpus:
        """Do it in a transaction, and return the corpus."""
        row = session.get(Corpus, self.id)
        if row is not None:  # done before, by a commit whose answer was lost
            return StoredCorpus.of(row)
        _refuse_taken(session, self.name)
        row = Corpus(id=self.id, name=self.name, created_at=self.now)
        _describe(row, self.fingerprint, self.built, self.now)
        session.add(row)
        session.flush()
        _audit(session, "corpus.created", row, self.actor, self.now)
        return StoredCorpus.of(row)


@dataclass(frozen=True, slots=True, eq=False)
class Update:
    """Makes a new state of a corpus the one that counts, with its audit entry.

    Raises:
        NotFoundError: the corpus was deleted meanwhile.
        StoreError: it was changed meanwhile, by a service with another data folder.
    """

    before: StoredCorpus
    fingerprint: str
    built: BuiltState
    actor: str
    now: datetime.datetime

    @property
    def state(self) -> CorpusState:
        """The state that will count."""
        return CorpusState(self.before.id, self.fingerprint)

    def __call__(self, session: Session) -> StoredCorpus:
        """Do it in a transaction, and return the corpus."""
        row = session.get(Corpus, self.before.id, with_for_update=True)
        if row is None:
            raise NotFoundError("name", f"the corpus {self.before.name!r} was deleted meanwhile")
        if row.fingerprint == self.fingerprint:  # done before, by a commit whose answer was lost
            return StoredCorpus.of(row)
        if row.fingerprint != self.before.fingerprint:
            raise StoreError(
                f"the corpus {row.name!r} was changed by a service with another data folder; let all services of one "
                "database use one data folder"
            )
        _describe(row, self.fingerprint, self.built, self.now)
        n_added = row.n_documents - self.before.n_documents
        _audit(session, "corpus.changed", row, self.actor, self.now, n_added=n_added, before=self.before.fingerprint)
        return StoredCorpus.of(row)


def find(session: Session, name: str, field: str) -> StoredCorpus:
    """Return a corpus by name.

    Raises:
        NotFoundError: there is none; of that field of the request.
    """
    row = session.scalars(select(Corpus).where(Corpus.name == name)).first()
    if row is None:
        raise NotFoundError(field, f"no corpus is called {name!r}")
    return StoredCorpus.of(row)


def newest(session: Session, stored: StoredCorpus) -> StoredCorpus:
    """Return a corpus as it is now.

    Raises:
        NotFoundError: it was deleted.
    """
    row = session.get(Corpus, stored.id)
    if row is None:
        raise NotFoundError("corpus", f"the corpus {stored.name!r} was deleted meanwhile")
    return StoredCorpus.of(row)


def states(session: Session) -> list[CorpusState]:
    """Return the states that count, of all corpora."""
    found = session.execute(select(Corpus.id, Corpus.fingerprint))
    return [CorpusState(corpus_id, fingerprint) for corpus_id, fingerprint in found]


def refuse_new(session: Session, name: str, most: int) -> None:
    """Refuse a corpus before it is built.

    Raises:
        NameTakenError: there is one of that name.
        InputError: the name cannot be used, or there are too many corpora.
    """
    check_text("name", name, filled=True)
    if len(name) > _LONGEST_NAME:
        raise InputError("name", f"must have {_LONGEST_NAME} characters at most, got {len(name)}")
    _refuse_taken(session, name)
    n_corpora = session.scalar(select(func.count()).select_from(Corpus)) or 0
    if n_corpora >= most:
        raise InputError("name", f"there are {n_corpora} corpora, as many as this service keeps; delete one first")


def delete(session: Session, stored: StoredCorpus, actor: str, now: datetime.datetime) -> None:
    """Delete a corpus's row, with its audit entry; nothing happens where it is gone already."""
    row = session.get(Corpus, stored.id, with_for_update=True)
    if row is None:
        return
    session.delete(row)
    session.flush()
    _audit(session, "corpus.deleted", row, actor, now)


def _refuse_taken(session: Session, name: str) -> None:
    if session.scalars(select(Corpus.id).where(Corpus.name == name)).first() is not None:
        raise NameTakenError("name", f"there is a corpus {name!r} already; add to it, delete it, or take another name")


def _describe(row: Corpus, fingerprint: str, built: BuiltState, now: datetime.datetime) -> None:
    counts = counts_of(built)
    row.changed_at = now
    row.fingerprint = fingerprint
    row.embedder = built.identity.id[:_LONGEST_NAME]
    row.n_documents, row.n_chunks = counts["documents"], counts["chunks"]
    row.n_merged, row.n_conflicts = counts["merged"], counts["conflicts"]


def _audit(session: Session, kind: str, row: Corpus, actor: str, now: datetime.datetime, **more: Any) -> None:
    """Write the entry: names and figures, no texts and no names of documents."""
    data = {"name": row.name, "fingerprint": row.fingerprint, "n_documents": row.n_documents, "n_chunks": row.n_chunks}
    audit.append(session, kind, actor=actor, subject=row.id, data=data | more, at=now)
