"""The corpora that were asked last, opened once and shared by all threads."""

import logging
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from ragcortex.errors import InputError, ModelError, StoreError
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.corpus_manifest import MANIFEST
from ragcortex.geometry.embedders.embedder import Embedder
from ragcortex.service.corpus_folders import CorpusState

_log = logging.getLogger("ragcortex.service")


class MissingStateError(StoreError):
    """The folder of a state is not there: it was changed or deleted meanwhile, or lost."""


@dataclass(frozen=True, slots=True)
class _Opened:
    """A corpus and what tells whether its files are still those that were read."""

    corpus: Corpus
    written: tuple[int, int, int]


class OpenCorpora:
    """At most so many open corpora; one whose files were changed is opened anew."""

    def __init__(self, most: int, embedder: Embedder) -> None:
        self._most = most
        self._embedder = embedder
        self._opened: OrderedDict[Path, _Opened] = OrderedDict()
        self._lock = threading.Lock()
        self._opening = threading.Lock()

    def get(self, folder: Path, state: CorpusState, name: str) -> Corpus:
        """Return the corpus in a folder.

        Raises:
            MissingStateError: the folder is not there.
            StoreError: it is damaged, or holds another state than the one that is asked for.
            ModelError: it was built with another embedding model than the service's.
        """
        found = self._current(folder)
        if found is not None:
            return found
        with self._opening:  # one reads it, and who asked at the same time gets the same object
            found = self._current(folder)
            if found is None:
                written = _written(folder)
                found = self._read(folder, state, name)
                self._keep(folder, _Opened(found, written))
        return found

    def drop(self, folder: Path) -> None:
        """Forget the corpus in a folder; who uses it goes on with it."""
        with self._lock:
            self._opened.pop(folder, None)

    def _current(self, folder: Path) -> Corpus | None:
        written = _written(folder)
        with self._lock:
            found = self._opened.get(folder)
            if found is None or found.written != written:
                return None
            self._opened.move_to_end(folder)
            return found.corpus

    def _keep(self, folder: Path, opened: _Opened) -> None:
        with self._lock:
            self._opened[folder] = opened
            self._opened.move_to_end(folder)
            while len(self._opened) > self._most:
                self._opened.popitem(last=False)

    def _read(self, folder: Path, state: CorpusState, name: str) -> Corpus:
        """Open the corpus; its messages name the corpus as callers know it, and the log has the rest."""
        _ = self._embedder.identity  # a model that is not on this machine says so itself
        try:
            corpus = Corpus.open(folder, embedder=self._embedder)
        except ModelError as error:
            _log.error("corpus %s: %s", state.id, error)
            raise ModelError(
                f"the corpus {name!r} cannot be searched with the embedding model of this service; delete it and make "
                "it anew, or start the service with the model that it was made with"
            ) from error
        except (InputError, StoreError) as error:
            _written(folder)  # gone meanwhile
            _log.error("corpus %s: %s", state.id, error)
            raise StoreError(f"the files of the corpus {name!r} are damaged; delete it and make it anew") from error
        if corpus.fingerprint != state.fingerprint:
            _log.error("corpus %s: fingerprint %s, expected %s", state.id, corpus.fingerprint, state.fingerprint)
            raise StoreError(
                f"the files of the corpus {name!r} were changed by something else than this service; put the old ones "
                "back, or delete the corpus and make it anew"
            )
        return corpus


def _written(folder: Path) -> tuple[int, int, int]:
    """Return what changes whenever the corpus in a folder is written.

    Raises:
        MissingStateError: there is none.
    """
    try:
        status = (folder / MANIFEST).stat()
    except (FileNotFoundError, NotADirectoryError) as error:
        raise MissingStateError("the files of a corpus are missing in the service's data folder") from error
    except OSError as error:
        raise StoreError(f"a corpus in the service's data folder cannot be read: {error.strerror}") from error
    return status.st_ino, status.st_size, status.st_mtime_ns
