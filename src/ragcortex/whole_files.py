"""Files and folders that are written whole or not at all, whatever happens meanwhile."""

import contextlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ragcortex.errors import StoreError


def write_whole(path: Path, content: bytes, failure: str, advice: str = "") -> Path:
    """Write a file and return its path; an older one there is replaced only by the whole new one, under its mode.

    Args:
        path: where; its folder is there.
        content: of the file.
        failure: begins the message where it cannot be written; why follows.
        advice: ends the message.

    Raises:
        StoreError: the file cannot be written.
    """
    try:
        with replacing(path) as file:
            file.write(content)
    except OSError as error:
        raise StoreError(f"{failure}: {error.strerror or error}{advice}") from error
    return path


@contextmanager
def replacing(path: Path) -> Iterator[BinaryIO]:
    """Give a file to be filled, which takes its place on disk where the block ends well, and else is deleted.

    Raises:
        OSError: it cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            shutil.copymode(path, temporary)
        temporary.replace(path)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def take_place(new: Path, folder: Path) -> None:
    """Rename a filled folder to `folder`; an older one there is deleted only when the new one has taken its place.

    Killed in between, the older one is left whole beside, as `.NAME.older`, until the next call.

    Raises:
        OSError: that is not possible; an older folder is where it was.
    """
    older = folder.with_name(f".{folder.name}.older")
    replaced = folder.exists()
    if replaced:
        shutil.rmtree(older, ignore_errors=True)
        folder.rename(older)
    try:
        new.rename(folder)
    except OSError:
        if replaced:
            older.rename(folder)
        raise
    shutil.rmtree(older, ignore_errors=True)
