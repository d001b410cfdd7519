"""A virtual environment for each peer, made on first use from pinned requirements, away from the project's own."""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from peer_catalogue import Peer

from ragcortex.errors import ModelError, StoreError
from ragcortex.settings import settings


def environment(peer: Peer) -> Path:
    """Return the Python of the peer's environment, made now if it is not there.

    It lies in the cache under a name with the hash of the requirements and of this Python's version, so a changed pin
    makes a new one. It appears whole or not at all.

    Raises:
        ModelError: pip cannot install the requirements.
        StoreError: the cache cannot be written.
    """
    assert peer.requirements is not None
    version = ".".join(map(str, sys.version_info[:2]))
    digest = hashlib.sha256(peer.requirements.read_bytes() + version.encode()).hexdigest()[:12]
    folder = settings().cache_dir / "peers" / f"{peer.requirements.stem}-{digest}"
    python = folder / "bin" / "python"
    if (folder / "installed").is_file():
        return python
    print(f"making the environment of {peer.name} in {folder}", file=sys.stderr)
    try:
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        _install(peer.requirements, folder, python)
        (folder / "installed").write_text("whole\n", encoding="utf-8")
    except OSError as error:
        raise StoreError(f"the environment {str(folder)!r} cannot be written: {error.strerror}") from error
    return python


def _install(requirements: Path, folder: Path, python: Path) -> None:
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as log:
        for command in (
            [sys.executable, "-m", "venv", str(folder)],
            [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--requirement", str(requirements)],
        ):
            ended = subprocess.run(command, stdout=log, stderr=subprocess.STDOUT, check=False)
            if ended.returncode:
                log.seek(0)
                lines = [line.strip() for line in log if line.startswith("ERROR")] or [f"exit code {ended.returncode}"]
                raise ModelError(f"the requirements {requirements.name} cannot be installed: {lines[-1]}")
