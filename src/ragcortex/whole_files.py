"""Files that are written whole or not at all, whatever happens meanwhile."""

import contextlib
import os
from pathlib import Path

from ragcortex.errors import StoreError


def write_whole(path: Path, content: bytes, failure: str, advice: str = "") -> Path:
    """Write a file and return its path; an older one there is replaced only by the whole new one.

    Args:
        path: where; its folder is there.
        content: of the file.
        failure: begins the message where it cannot be written; why follows.
        advice: ends the message.

    Raises:
        StoreError: the file cannot be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise StoreError(f"{failure}: {error.strerror or error}{advice}") from error
    return path
