"""Where the official files of a data set lie under the folder that a caller names."""

from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from ragcortex.errors import InputError


def found_files(path: Path, pattern: str, *, in_own_folder: bool = False) -> tuple[Path, ...]:
    """Return the files that a pattern, as in the official download, names under a folder; sorted.

    `path` may be the download's root or any folder on the way to the files: for `data/qa_data.json` both the folder
    that holds `data` and `data` itself will do. Hidden files do not count.

    Args:
        path: the folder.
        pattern: path and name of the file in the download; `*` where the name varies.
        in_own_folder: a folder on the way must have the name it has in the download, since other folders of it hold
            files of the same name; otherwise a folder of any name may hold the file.
    """
    parts = PurePosixPath(pattern).parts
    for skipped in range(len(parts)):
        if skipped and in_own_folder and path.resolve().name != parts[skipped - 1]:
            continue
        found = sorted(file for file in path.glob("/".join(parts[skipped:])) if _counts(file))
        if found:
            return tuple(found)
    return ()


def one_file(path: Path, pattern: str) -> Path | None:
    """Return the file that a pattern without wildcards names, None where it is not there."""
    found = found_files(path, pattern)
    return found[0] if found else None


def needed_file(path: Path, pattern: str) -> Path:
    """Return the file that a pattern without wildcards names.

    Raises:
        InputError: it is not there.
    """
    found = one_file(path, pattern)
    if found is None:
        raise missing(path, [pattern])
    return found


def missing(path: Path, patterns: Iterable[str]) -> InputError:
    """Return the error for files that are not there."""
    names = " or ".join(patterns)
    if not path.exists():
        return InputError("path", f"{path} does not exist; give the folder of the download, which holds {names}")
    return InputError("path", f"{path} holds no {names}; give the folder of the download")


def _counts(file: Path) -> bool:
    return file.is_file() and not file.name.startswith(".")
