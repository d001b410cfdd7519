"""Is a download whole? Its files against the card, and what the loader makes of them."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ragcortex.datasets.cards import DatasetCard, ExpectedFile
from ragcortex.datasets.catalogue import card as card_of
from ragcortex.datasets.catalogue import load_dataset
from ragcortex.datasets.loaded import LoadedDataset
from ragcortex.datasets.official_files import found_files
from ragcortex.datasets.official_rows import csv_rows, json_rows
from ragcortex.errors import InputError

_BLOCK: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class FileState:
    """A file of the download as it was found.

    Attributes:
        name: as the card has it where it is not there, else its path.
        found: whether it is there.
        n_rows: how many rows it has, None where they were not counted (pickled files, or the file is damaged).
        expected_rows: how many it should have, None where that is not published.
        checksum: "right", "wrong", "none published", or "not checked" where there is nothing to check.
        problem: what is wrong with it and what to do, None if nothing is.
    """

    name: str
    found: bool
    n_rows: int | None
    expected_rows: int | None
    checksum: str
    problem: str | None

    @property
    def needed_but_missing(self) -> bool:
        """Whether the loader cannot do without it."""
        return not self.found and self.problem is not None


@dataclass(frozen=True, slots=True)
class DownloadCheck:
    """What a check found: the files, the data set (None if it could not be loaded), and every problem as a sentence."""

    card: DatasetCard
    files: tuple[FileState, ...]
    loaded: LoadedDataset | None
    problems: tuple[str, ...]


def check_download(name: str, path: str | Path, options: Mapping[str, Any] | None = None) -> DownloadCheck:
    """Return what is there of a data set and what is wrong with it.

    Args:
        name: the data set's name in the catalogue.
        path: the folder of the download, or one file of it.
        options: those of the loader.

    Raises:
        InputError: the data set or an option is unknown.
    """
    card, path = card_of(name), Path(path).expanduser()
    states = tuple(state for expected in card.files for state in _states(expected, path, card))
    problems = [state.problem for state in states if state.problem is not None]
    loaded = None
    try:
        loaded = load_dataset(name, path, **(options or {}))
    except InputError as error:
        if error.field in (options or {}):
            raise
        told = f"{error.message}; get it from {card.url}" if error.field == "path" else str(error)
        problems += [] if told in problems or any(state.needed_but_missing for state in states) else [told]
    return DownloadCheck(card, states, loaded, tuple(problems))


def git_blob(path: Path) -> str:
    """Return the id of a file's content in git: SHA-1 of "blob", its size, a zero byte, and the content."""
    digest = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _states(expected: ExpectedFile, path: Path, card: DatasetCard) -> list[FileState]:
    files: tuple[Path, ...] = found_files(path, expected.pattern, in_own_folder=expected.in_own_folder)
    if path.is_file():
        files = (path,) if path.match(f"**/{expected.name}") else ()
    if files:
        return [_state(file, expected, card) for file in files]
    problem = f"{expected.pattern} is not in {path}; get it from {card.url}" if expected.needed else None
    return [FileState(expected.pattern, False, None, expected.n_rows, "not checked", problem)]


def _state(file: Path, expected: ExpectedFile, card: DatasetCard) -> FileState:
    try:
        n_rows = _n_rows(file)
        checksum = _checksum(expected, file)
    except (InputError, OSError) as error:
        return FileState(str(file), True, None, expected.n_rows, "not checked", str(error))
    problem = None
    if expected.n_rows is not None and n_rows != expected.n_rows:
        problem = f"{file} has {n_rows:,} rows where {expected.n_rows:,} are published; get it again from {card.url}"
    elif checksum == "wrong":
        problem = (
            f"{file} is not the published one (its git id is not {expected.git_blob}), although its number of rows is "
            f"right; changed line ends do this too; get it again from {card.url}"
        )
    return FileState(str(file), True, n_rows, expected.n_rows, checksum, problem)


def _checksum(expected: ExpectedFile, file: Path) -> str:
    if expected.git_blob is None:
        return "none published"
    return "right" if git_blob(file) == expected.git_blob else "wrong"


def _n_rows(file: Path) -> int | None:
    if file.suffix == ".pickle":
        return None
    return sum(1 for _ in (csv_rows if file.suffix == ".csv" else json_rows)(file))
