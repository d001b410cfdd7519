"""Files from elsewhere, read within bounds: pipes are not waited for, and neither files nor lines may be endless."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final

# A row holds one answer with its references; this is what a whole document may have.
MOST_LINE_BYTES: Final = 200_000_000
_AT_ONCE: Final = 1_000_000


def plain_bytes(path: Path, most: int) -> bytes:
    """Return what a file holds.

    Args:
        path: of the file, or of a link to it.
        most: how many bytes it may have.

    Raises:
        OSError: it cannot be read, is a folder, a pipe or a device, or has more than `most` bytes.
    """
    with open_plain(path) as file:
        n_bytes = os.fstat(file.fileno()).st_size
        if n_bytes > most:
            raise OSError(errno.EFBIG, f"has {n_bytes:,} bytes, more than the {most:,} that are read", str(path))
        return file.read(most)


def open_plain(path: Path) -> BinaryIO:
    """Return a file opened for reading; whoever calls closes it.

    A pipe in its place, which nobody may ever write to, is not waited for.

    Raises:
        OSError: it cannot be opened, or is a folder, a pipe or a device.
    """
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    file = os.fdopen(descriptor, "rb")  # refuses a folder
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        file.close()
        raise OSError(errno.EINVAL, "is a pipe or a device and no file", str(path))
    return file


def bounded_lines(
    stream: BinaryIO, taken: Callable[[bytes], object] | None = None, *, most: int = MOST_LINE_BYTES
) -> Iterator[bytes]:
    """Yield the lines of a file with their ends; of one longer than `most` bytes the first `most` + 1, to be refused.

    Args:
        stream: the file.
        taken: called with every stretch of the file, in order, as it is read: all of a line that is too long as well.
        most: how long a line may be.
    """
    while line := stream.readline(most + 1):
        if taken is not None:
            taken(line)
        rest = line
        while len(line) > most and not rest.endswith(b"\n") and (rest := stream.readline(_AT_ONCE)):
            if taken is not None:
                taken(rest)
        yield line
