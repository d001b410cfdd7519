"""Disks of a child process's own: small, or read-only. They need no rights where users may make namespaces."""

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

_SMALL = 'mount -t tmpfs -o size="$1" tmpfs "$2"'
_READ_ONLY = 'mount --bind "$2" "$2" && mount -o remount,bind,ro "$2"'
_UNSHARE = ("unshare", "--user", "--map-root-user", "--mount")


@functools.cache
def _obstacle() -> str | None:
    """Return why there can be no such disks here, None if there can."""
    if shutil.which("unshare") is None:
        return "needs `unshare`, of util-linux"
    tried = subprocess.run([*_UNSHARE, "sh", "-c", "mount -t tmpfs tmpfs /mnt"], capture_output=True, check=False)
    return None if tried.returncode == 0 else "this system lets its users make no mounts of their own"


def on_small_disk(folder: Path, size: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run Python with arguments where a folder is an empty disk of that size (as `2m`); it is gone afterwards."""
    return _run(_SMALL, size, folder, arguments)


def on_read_only_disk(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run Python with arguments where nothing below a folder can be written."""
    return _run(_READ_ONLY, "", folder, arguments)


def _run(setup: str, size: str, folder: Path, arguments: tuple[object, ...]) -> subprocess.CompletedProcess[str]:
    obstacle = _obstacle()
    if obstacle is not None:
        pytest.skip(obstacle)
    program = [sys.executable, *map(str, arguments)]
    return subprocess.run(
        [*_UNSHARE, "sh", "-c", f'{setup} && shift 2 && exec "$@"', "sh", size, str(folder), *program],
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )
