"""A corpus on disk: a folder of JSON, JSON lines and .npy files that is replaced as a whole, and read strictly.

`corpus.json` names the other files by their digests and is written last, in one step. So at every moment the folder
holds one complete corpus, the old or the new; whoever has the old one open keeps it.
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import IO, Any, Final

import numpy as np

from ragcortex.errors import InputError, StoreError
from ragcortex.geometry.corpus_manifest import MANIFEST, Manifest, StoredFile, counts_of, damaged
from ragcortex.geometry.corpus_state import CorpusState, RowPair, SourceText, array_digest, fingerprint
from ragcortex.geometry.documents import Document

_ARRAYS: Final = {"places": "chunks", "unit": "vectors", "norms": "norms"}
_OURS: Final = re.compile(r"(documents|duplicates|chunks|vectors|norms)-[0-9a-f]{16}\.(jsonl|json|npy)|\.[^/]+\.tmp")
_READ_TRIES: Final = 3


def partial_folder(folder: Path) -> Path:
    """Return where vectors of an unfinished build of this corpus are kept."""
    return _beside(folder, "{}.partial")


@contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Let one process alone write a corpus while the block runs; readers are not held up.

    Raises:
        StoreError: another process is writing it, or its parent folder cannot be written.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(_beside(folder, ".{}.lock"), timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise StoreError(
            f"the corpus {str(folder)!r} is being written by another process; wait until that is done"
        ) from None
    except OSError as error:
        raise StoreError(f"the corpus {str(folder)!r} cannot be written: {error.strerror or error}") from error
    try:
        yield
    finally:
        lock.release()


def write_corpus(state: CorpusState, folder: Path) -> Manifest:
    """Write a corpus, replacing the one that is there; call it within `writing`.

    A new folder is filled beside its place and renamed, so it is there whole or not at all.

    Raises:
        StoreError: it cannot be written; what was there before is still there.
    """
    new = not (folder / MANIFEST).is_file()
    target = _beside(folder, ".{}.new") if new else folder
    try:
        if new:
            shutil.rmtree(target, ignore_errors=True)
            target.mkdir(parents=True)
        manifest = _write_files(state, target)
        if new:
            if folder.is_dir():
                folder.rmdir()
            target.rename(folder)
            sync_folder(target.parent)
    except OSError as error:
        if new:
            shutil.rmtree(target, ignore_errors=True)
        raise StoreError(
            f"the corpus {str(folder)!r} cannot be written: {error.strerror or error}; make room or choose another "
            "place, and run the command again"
        ) from error
    _remove_others(folder, manifest)
    return manifest


def read_corpus(folder: Path) -> tuple[CorpusState, Manifest]:
    """Return the corpus in a folder, its vectors memory-mapped and read-only.

    All files but the vectors are compared with their digests, the vectors with their size and shape; `verify_vectors`
    does the rest.

    Raises:
        InputError: the folder holds no corpus.
        StoreError: a file is missing, truncated, altered, or of another format version.
    """
    for _ in range(_READ_TRIES - 1):
        manifest = Manifest.read(folder)
        try:
            return _read_state(folder, manifest), manifest
        except StoreError as error:
            # Between reading corpus.json and the files that it names, a writer may have replaced them all.
            if not isinstance(error.__cause__, FileNotFoundError) or Manifest.read(folder) == manifest:
                raise
    manifest = Manifest.read(folder)
    return _read_state(folder, manifest), manifest


def verify_vectors(state: CorpusState, manifest: Manifest, folder: Path) -> None:
    """Read all vectors and compare them with their digest.

    Raises:
        StoreError: they are not those that were written, or one is not finite or not of length 1.
    """
    stored = manifest.files["vectors"]
    if array_digest(state.unit) != stored.sha256:
        raise damaged(folder, stored.name, "was altered: its digest is not the one in corpus.json")
    if not np.allclose(np.linalg.norm(state.unit, axis=1), 1, atol=1e-3):
        raise damaged(folder, stored.name, "holds a vector that is not of length 1")


def _beside(folder: Path, pattern: str) -> Path:
    """Return a path next to a folder, the same one by whatever path the folder is named."""
    place = folder.resolve()
    return place.with_name(pattern.format(place.name))


def _write_files(state: CorpusState, folder: Path) -> Manifest:
    files: dict[str, StoredFile] = {}
    digests = {name: array_digest(getattr(state, name)) for name in _ARRAYS}
    for name, part in _ARRAYS.items():
        stored = StoredFile(f"{part}-{digests[name][:16]}.npy", digests[name], 0)
        n_bytes = _write(folder / stored.name, lambda file, name=name: _save(file, getattr(state, name)))  # type: ignore[misc]
        files[part] = StoredFile(stored.name, stored.sha256, n_bytes)
    for part, ending, content in (
        ("documents", "jsonl", "".join(map(_document_line, state.documents))),
        ("duplicates", "json", _duplicates(state)),
    ):
        encoded = content.encode()
        digest = hashlib.sha256(encoded).hexdigest()
        stored = StoredFile(f"{part}-{digest[:16]}.{ending}", digest, len(encoded))
        _write(folder / stored.name, lambda file, encoded=encoded: file.write(encoded))  # type: ignore[misc]
        files[part] = stored
    manifest = Manifest.of(state, fingerprint(state, digests), files)
    _write(folder / MANIFEST, lambda file: file.write(manifest.to_json().encode()))
    sync_folder(folder)
    return manifest


def _save(file: IO[bytes], array: Any) -> None:
    """Write an array as .npy through the file's `write`, whose errors say why; those of `tofile` only say how much."""
    np.save(SimpleNamespace(write=file.write), array)


def _write(path: Path, fill: Callable[[IO[bytes]], object]) -> int:
    """Write a file in one step, on the disk when this returns, and return its size."""
    temporary = path.with_name(f".{path.name}.tmp")
    with temporary.open("wb") as file:
        fill(file)
        file.flush()
        os.fsync(file.fileno())
        n_bytes = file.tell()
    temporary.replace(path)
    return n_bytes


def sync_folder(folder: Path) -> None:
    """Put a rename on the disk, where the system can open a folder for that."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _remove_others(folder: Path, manifest: Manifest) -> None:
    """Delete the files of earlier states; one that is still open elsewhere may stay until the next time."""
    current = {stored.name for stored in manifest.files.values()}
    for path in folder.iterdir():
        if _OURS.fullmatch(path.name) and path.name not in current:
            with contextlib.suppress(OSError):
                path.unlink()


def _read_state(folder: Path, manifest: Manifest) -> CorpusState:
    arrays = {name: _read_array(folder, manifest.files[part], part) for name, part in _ARRAYS.items()}
    documents = _read_documents(folder, manifest.files["documents"])
    duplicates = _read_duplicates(folder, manifest.files["duplicates"])
    try:
        state = CorpusState(
            documents=documents,
            chunking=manifest.chunking,
            identity=manifest.identity,
            merge_above=manifest.merge_above,
            **arrays,
            **duplicates,
        )
    except InputError as error:
        raise damaged(folder, MANIFEST, f"and the other files do not fit together: {error}") from error
    digests = {name: manifest.files[part].sha256 for name, part in _ARRAYS.items()}
    if manifest.counts != counts_of(state):
        raise damaged(folder, MANIFEST, f"counts {dict(manifest.counts)}, the other files hold {counts_of(state)}")
    if fingerprint(state, digests) != manifest.fingerprint:
        raise damaged(folder, MANIFEST, "was altered: its fingerprint is not that of what it describes")
    return state


def _read_array(folder: Path, stored: StoredFile, part: str) -> Any:
    """Return an array, the vectors memory-mapped; the others, which are small, are compared with their digest."""
    path = folder / stored.name
    _check_size(folder, stored)
    try:
        # Mapped, so that a header which says more than the file holds takes no memory.
        array = np.lib.format.open_memmap(path, mode="r")
    except Exception as error:  # whatever a damaged header makes of numpy's parser
        raise damaged(folder, stored.name, f"is no array of numbers: {' '.join(str(error).split())[:200]}") from error
    if not array.flags.c_contiguous:
        raise damaged(folder, stored.name, "is no array of numbers in row order")
    if part == "vectors":
        return array
    if array_digest(array) != stored.sha256:
        raise damaged(folder, stored.name, "was altered: its digest is not the one in corpus.json")
    return np.array(array)


def _read_text(folder: Path, stored: StoredFile) -> str:
    _check_size(folder, stored)
    try:
        content = (folder / stored.name).read_bytes()
        if hashlib.sha256(content).hexdigest() != stored.sha256:
            raise damaged(folder, stored.name, "was altered: its digest is not the one in corpus.json")
        return content.decode()
    except OSError as error:
        raise damaged(folder, stored.name, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise damaged(folder, stored.name, f"is not UTF-8: {error}") from error


def _check_size(folder: Path, stored: StoredFile) -> None:
    try:
        status = (folder / stored.name).stat()
    except FileNotFoundError as error:
        raise damaged(folder, stored.name, "is missing") from error
    except OSError as error:
        raise damaged(folder, stored.name, f"cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(status.st_mode):
        raise damaged(folder, stored.name, "is no plain file")
    if status.st_size != stored.n_bytes:
        raise damaged(folder, stored.name, f"has {status.st_size:,} bytes instead of {stored.n_bytes:,}")


def _read_documents(folder: Path, stored: StoredFile) -> tuple[Document, ...]:
    lines = _read_text(folder, stored).split("\n")[:-1]
    try:
        return tuple(_document(json.loads(line)) for line in lines)
    except (ValueError, TypeError, KeyError, RecursionError, InputError) as error:
        raise damaged(folder, stored.name, f"holds a line that is no document: {error}") from error


def _document_line(document: SourceText) -> str:
    values = {name: getattr(document, name) for name in Document.__dataclass_fields__}
    return json.dumps(values, ensure_ascii=False) + "\n"


def _document(values: dict[str, Any]) -> Document:
    lists = {name: tuple(values[name]) for name in ("notes", "page_starts")}
    return Document(**{**values, **lists})


def _duplicates(state: CorpusState) -> str:
    return json.dumps(
        {
            "merges": [[pair.first, pair.second, pair.similarity] for pair in state.merges],
            "conflicts": [[pair.first, pair.second, pair.similarity] for pair in state.conflicts],
            "unasked": state.n_unasked,
        }
    )


def _read_duplicates(folder: Path, stored: StoredFile) -> dict[str, Any]:
    """Return what `_duplicates` wrote, as arguments of the state."""
    try:
        values = json.loads(_read_text(folder, stored))
        pairs: dict[str, Any] = {
            name: tuple(RowPair(*pair) for pair in values[name]) for name in ("merges", "conflicts")
        }
        return pairs | {"n_unasked": values["unasked"]}
    except (ValueError, TypeError, KeyError, RecursionError, InputError) as error:
        raise damaged(folder, stored.name, f"holds no list of merged chunks: {error}") from error
