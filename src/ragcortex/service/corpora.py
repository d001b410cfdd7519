"""The service's corpora: made of documents, changed, searched and deleted; the database says which state counts.

A change builds a new state beside the old one, and a transaction then makes it the one that counts. So a crash leaves
either the old or the new corpus, and checks that began before go on with the state they opened.
"""

import datetime
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from ragcortex.errors import InputError, StoreError
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.corpus_report import BuildReport
from ragcortex.geometry.documents import Document
from ragcortex.geometry.embedders.embedder import FLOAT32, Embedder
from ragcortex.geometry.embedders.load import load_embedder
from ragcortex.service import corpus_rows
from ragcortex.service.checks import NotFoundError, new_id
from ragcortex.service.corpus_folders import CorpusFolders, CorpusState, Swept
from ragcortex.service.corpus_limits import CorpusLimits
from ragcortex.service.corpus_reading import Found, StoredDocument, map_page, nearest, stored_documents
from ragcortex.service.corpus_rows import StoredCorpus
from ragcortex.service.one_at_a_time import OneAtATime
from ragcortex.service.open_corpora import MissingStateError, OpenCorpora
from ragcortex.service.storage.database import Database
from ragcortex.service.storage.tables import Corpus as CorpusRow
from ragcortex.service.turns import Turns

T = TypeVar("T")
_log = logging.getLogger("ragcortex.service")
_OPEN_TRIES: Final = 5


@dataclass(frozen=True, slots=True)
class CorpusChange:
    """A corpus after a change, and what building it found."""

    corpus: StoredCorpus
    report: BuildReport


class Corpora:
    """All corpora of a service. Its methods block; `in_turn` runs those that build in a thread of their own.

    Attributes:
        limits: how much is kept.
        forget: is given the fingerprint of each state that counts no longer; set it to drop what was derived from it.
    """

    def __init__(
        self,
        database: Database,
        data_dir: Path,
        embedder: Embedder | str | None = None,
        limits: CorpusLimits | None = None,
        *,
        forget: Callable[[str], None] | None = None,
    ) -> None:
        """Take the database and the folder; nothing is read or loaded yet.

        Args:
            database: has the rows.
            data_dir: of the service; corpora lie in a folder of it.
            embedder: the embedding model, or what `load_embedder` takes, loaded in float32 when it is first needed.
            limits: how much is kept.
            forget: see the class.
        """
        self.limits = limits or CorpusLimits()
        self.forget = forget
        self._database = database
        self._folders = CorpusFolders(data_dir)
        self._embedder = OneAtATime(
            lambda: (
                load_embedder(embedder, dtype=FLOAT32) if embedder is None or isinstance(embedder, str) else embedder
            )
        )
        self._open = OpenCorpora(self.limits.n_open, self._embedder)
        self._changing = threading.Lock()
        self._turns = Turns(self.limits.n_waiting, "corpora")

    def sweep(self) -> Swept:
        """Delete what crashes have left, at the start; corpora whose files are missing are logged."""
        swept = self._folders.sweep(lambda: self._database.run(corpus_rows.states))
        for state in swept.missing:
            _log.warning("the files of corpus %s are missing in the data folder", state.id)
        return swept

    def list(self, session: Session) -> tuple[StoredCorpus, ...]:
        """Return all corpora, by name."""
        rows = session.scalars(select(CorpusRow).order_by(CorpusRow.name))
        return tuple(StoredCorpus.of(row) for row in rows)

    def find(self, session: Session, name: str, *, field: str = "corpus") -> StoredCorpus:
        """Return a corpus by name.

        Raises:
            NotFoundError: there is none; of that field of the request.
        """
        return corpus_rows.find(session, name, field)

    def open(self, stored: StoredCorpus) -> Corpus:
        """Return an open corpus, in its newest state if it was changed meanwhile.

        Raises:
            NotFoundError: it was deleted meanwhile.
            StoreError: its files are missing, damaged, or changed by something else than the service.
            ModelError: the embedding model is missing, or the corpus was made with another one.
        """
        for _ in range(_OPEN_TRIES):
            try:
                return self._open.get(self._folders.of(stored.state), stored.state, stored.name)
            except MissingStateError:
                newest = self._database.run(partial(corpus_rows.newest, stored=stored))
                if newest == stored:
                    break
                stored = newest
        raise StoreError(f"the files of the corpus {stored.name!r} are missing; delete it and make it anew")

    def create(self, name: str, documents: Sequence[Document], *, actor: str, now: datetime.datetime) -> CorpusChange:
        """Make a corpus of documents.

        Raises:
            InputError: the name is taken, there are too many corpora, or the documents cannot be used.
            Busy: another process builds a corpus.
            ModelError, ReadingError: from the embedding model.
            StoreError: the corpus cannot be written.
        """
        self.limits.check(documents)
        with self._changes():
            self._database.run(lambda session: corpus_rows.refuse_new(session, name, self.limits.n_corpora))
            corpus_id = new_id()
            with self._folders.building() as built:
                with _own_words():
                    corpus = Corpus.build(documents, out=built, embedder=self._embedder)
                insert = corpus_rows.Insert(corpus_id, name, corpus.fingerprint, corpus.state, actor, now)
                return self._kept(corpus, built, insert.state, insert)

    def add(self, name: str, documents: Sequence[Document], *, actor: str, now: datetime.datetime) -> CorpusChange:
        """Add documents to a corpus; only they are embedded.

        Raises:
            NotFoundError: there is no such corpus.
            InputError: a document is in it already, or the documents cannot be used.
            Busy, ModelError, ReadingError, StoreError: as `create`.
        """
        self.limits.check(documents)

        def added(corpus: Corpus) -> Corpus:
            self.limits.check([*corpus.documents, *documents])
            return corpus.add(documents)

        return self._changed(name, added, actor, now)

    def remove(self, name: str, document_id: str, *, actor: str, now: datetime.datetime) -> CorpusChange:
        """Remove a document from a corpus, its text from the disk; nothing is embedded.

        Raises:
            NotFoundError: there is no such corpus or document.
            InputError: no text would be left.
            Busy, StoreError: as `create`.
        """

        def removed(corpus: Corpus) -> Corpus:
            if document_id not in {document.id for document in corpus.documents}:
                raise NotFoundError("id", f"no document of the corpus {name!r} has the id {document_id!r}")
            try:
                return corpus.remove([document_id])
            except InputError:
                raise InputError("id", "is the last document with text; delete the whole corpus instead") from None

        return self._changed(name, removed, actor, now)

    def delete(self, name: str, *, actor: str, now: datetime.datetime) -> None:
        """Delete a corpus and its files. Checks that are being judged against it go on with what they opened.

        Raises:
            NotFoundError: there is no such corpus.
            StoreError: a file cannot be deleted; the corpus is gone all the same, and the next start tries again.
        """
        stored = self._database.run(lambda session: corpus_rows.find(session, name, "name"))
        self._database.run(lambda session: corpus_rows.delete(session, stored, actor, now))
        self._dropped(stored.state)
        self._folders.remove(stored.id)

    def documents(self, name: str) -> tuple[StoredDocument, ...]:
        """Return the documents of a corpus, in the order they were added.

        Raises:
            NotFoundError, StoreError, ModelError: as `open`.
        """
        return stored_documents(self._named(name))

    def search(self, name: str, text: str, k: int) -> tuple[Found, ...]:
        """Return the k chunks of a corpus nearest to a text, the nearest first.

        Raises:
            InputError: the text is blank.
            NotFoundError, StoreError, ModelError: as `open`.
        """
        return nearest(self._named(name), text, k)

    def map_html(self, name: str) -> str:
        """Return the map of a corpus as an HTML page.

        Raises:
            NotFoundError, StoreError, ModelError: as `open`.
        """
        return map_page(self._named(name))

    async def in_turn(self, change: Callable[[], T]) -> T:
        """Return what a change gives, worked on in the thread for changes, one after the other; see `Turns.run`."""
        return await self._turns.run(change)

    def close(self) -> None:
        """Give up changes that wait, and return once the one that is worked on is finished."""
        self._turns.close()

    def _named(self, name: str) -> Corpus:
        return self.open(self._database.run(lambda session: corpus_rows.find(session, name, "name")))

    @contextmanager
    def _changes(self) -> Iterator[None]:
        """Let one change alone be worked on."""
        with self._changing, self._folders.writing(self.limits.lock_seconds):
            yield

    def _changed(
        self, name: str, change: Callable[[Corpus], Corpus], actor: str, now: datetime.datetime
    ) -> CorpusChange:
        """Build the state that a change gives of a copy, and make it the one that counts."""
        with self._changes():
            before = self._database.run(lambda session: corpus_rows.find(session, name, "name"))
            self.open(before)  # refuses files that are missing, damaged or of another model, by the corpus's name
            with self._folders.building() as built:
                self._copied(before, built)
                with _own_words():
                    corpus = change(Corpus.open(built, embedder=self._embedder))
                update = corpus_rows.Update(before, corpus.fingerprint, corpus.state, actor, now)
                kept = self._kept(corpus, built, update.state, update)
            self._dropped(before.state)
            self._folders.remove(before.id, but=kept.corpus.fingerprint)
            return kept

    def _copied(self, stored: StoredCorpus, built: Path) -> None:
        try:
            self._folders.copy(stored.state, built)
        except StoreError:
            self._database.run(partial(corpus_rows.newest, stored=stored))  # deleted meanwhile: says so
            raise

    def _kept(
        self, corpus: Corpus, built: Path, state: CorpusState, work: Callable[[Session], StoredCorpus]
    ) -> CorpusChange:
        """Put a built state in its folder and let the database name it."""
        if corpus.report is None:
            raise AssertionError("a corpus that was just written has a report")
        self._folders.place(built, state)
        try:
            stored = self._database.run(work)
        except InputError:  # refused for certain; after any other error it may be named, and a sweep will tell
            self._folders.remove_state(state)
            raise
        return CorpusChange(stored, corpus.report)

    def _dropped(self, state: CorpusState) -> None:
        self._open.drop(self._folders.of(state))
        if self.forget is not None:
            self.forget(state.fingerprint)


@contextmanager
def _own_words() -> Iterator[None]:
    """Say what goes wrong as a caller of the service knows it: documents for sources, and no folders of the server."""
    try:
        yield
    except InputError as error:
        if error.field != "sources":
            raise
        raise InputError("documents", error.message) from error
    except StoreError as error:
        _log.error("%s", error)
        raise StoreError("the corpus cannot be written in the service's data folder; its log says why") from error
