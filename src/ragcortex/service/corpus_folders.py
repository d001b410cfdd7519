"""Where the service keeps corpora: a folder for each state of each, all under names made here.

A state is built elsewhere in the same place and put in its folder in one step; the database then says which states
count. A folder that no row of the database names is what a crash has left, and is swept away.
"""

import contextlib
import re
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragcortex.errors import StoreError
from ragcortex.geometry.corpus_files import sync_folder
from ragcortex.geometry.corpus_manifest import MANIFEST
from ragcortex.service.batching import Busy

_LOCK: Final = ".lock"
_BUILDING: Final = ".building-"
_BUILT: Final = "corpus"
_STATE: Final = re.compile(r"[0-9a-f]{32}-[0-9a-f]{32}")
_DIGITS: Final = 32
_BUSY_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True)
class CorpusState:
    """Which state of which corpus: the corpus's id, made by the service, and the state's fingerprint."""

    id: str
    fingerprint: str

    @property
    def folder_name(self) -> str:
        """The name of its folder."""
        return f"{self.id}-{self.fingerprint[:_DIGITS]}"


@dataclass(frozen=True, slots=True)
class Swept:
    """What was found at the start.

    Attributes:
        n_removed: folders that no row names and that were deleted.
        missing: states that the database names and that are not here.
        complete: whether folders could be looked through; not while another process builds a corpus.
    """

    n_removed: int
    missing: tuple[CorpusState, ...]
    complete: bool


class CorpusFolders:
    """The folders of all corpora below a data folder; nothing that a caller of the service sends becomes a path."""

    def __init__(self, data_dir: Path) -> None:
        self.root = data_dir / "corpora"

    def of(self, state: CorpusState) -> Path:
        """Return the folder of a state, there or not."""
        return self.root / state.folder_name

    @contextmanager
    def writing(self, seconds: float) -> Iterator[None]:
        """Let one thread of one process alone change corpora while the block runs; readers are not held up.

        Raises:
            Busy: another one is at it for longer than so many seconds.
            StoreError: the data folder cannot be written.
        """
        from filelock import FileLock, Timeout

        with _store_errors("written"):
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = FileLock(self.root / _LOCK, timeout=seconds)
            try:
                lock.acquire()
            except Timeout:
                raise Busy(_BUSY_SECONDS, "another process builds a corpus") from None
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def building(self) -> Iterator[Path]:
        """Give the place of a corpus to be built, within `writing`; what is still there at the end is deleted.

        Raises:
            StoreError: the data folder cannot be written.
        """
        with _store_errors("written"):
            parent = Path(tempfile.mkdtemp(prefix=_BUILDING, dir=self.root))
        try:
            yield parent / _BUILT
        finally:
            shutil.rmtree(parent, ignore_errors=True)

    def copy(self, state: CorpusState, target: Path) -> None:
        """Copy the files of a state, to change them there.

        Raises:
            StoreError: they cannot be copied.
        """
        with _store_errors("copied"):
            shutil.copytree(self.of(state), target)

    def place(self, built: Path, state: CorpusState) -> None:
        """Move a corpus that was built into the folder of its state, whole or not at all.

        Raises:
            StoreError: it cannot be moved.
        """
        folder = self.of(state)
        with _store_errors("written"):
            if folder.exists():  # left by a crash, or kept open by a reader when it was to be removed
                shutil.rmtree(folder)
            built.rename(folder)
            sync_folder(self.root)

    def remove(self, corpus_id: str, *, but: str | None = None) -> None:
        """Delete the states of a corpus, all but the one with a fingerprint, if that is given.

        Raises:
            StoreError: a file cannot be deleted.
        """
        kept = None if but is None else CorpusState(corpus_id, but).folder_name
        with _store_errors("deleted"):
            for folder in self._states():
                if folder.name.startswith(f"{corpus_id}-") and folder.name != kept:
                    _removed(folder)

    def remove_state(self, state: CorpusState) -> None:
        """Delete the folder of one state.

        Raises:
            StoreError: a file cannot be deleted.
        """
        with _store_errors("deleted"):
            _removed(self.of(state))

    def sweep(self, states: Callable[[], Collection[CorpusState]]) -> Swept:
        """Delete what no row names, and say what is named and not here.

        While another process builds a corpus nothing is deleted: what looks abandoned may be its own.

        Args:
            states: gives the states that the database names, asked once nobody can change them.

        Raises:
            StoreError: a file cannot be deleted.
        """
        try:
            with self.writing(0):
                named = states()
                n_removed = self._swept({state.folder_name for state in named})
        except Busy:
            return Swept(0, self._missing(states()), complete=False)
        return Swept(n_removed, self._missing(named), complete=True)

    def _swept(self, names: Collection[str]) -> int:
        n_removed = 0
        with _store_errors("deleted"):
            abandoned = [folder for folder in self._states() if folder.name not in names]
            for folder in (*abandoned, *self.root.glob(f"{_BUILDING}*")):
                _removed(folder)
                n_removed += 1
        return n_removed

    def _missing(self, states: Collection[CorpusState]) -> tuple[CorpusState, ...]:
        return tuple(state for state in states if not (self.of(state) / MANIFEST).is_file())

    def _states(self) -> list[Path]:
        return [path for path in self.root.glob("*") if _STATE.fullmatch(path.name) and path.is_dir()]


def _removed(folder: Path) -> None:
    """Delete a folder; it may be gone already, as two may delete it at the same time."""
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(folder)


@contextmanager
def _store_errors(done: str) -> Iterator[None]:
    """Say what failed without the names of files, which are nobody's business who calls the service."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise StoreError(f"a corpus in the service's data folder cannot be {done}: {reason}") from error
