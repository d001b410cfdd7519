"""Reads the locks: pinned versions of what is installed, each with the SHA-256 of every file that the index has."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from packaging.utils import canonicalize_name

ROOT: Final = Path(__file__).parents[1]
CONSTRAINTS: Final = ROOT / "constraints.txt"
LOCKS: Final = ROOT / "locks"
PACKAGES: Final = LOCKS / "packages.txt"
ELSEWHERE: Final = LOCKS / "elsewhere.txt"
TORCH_CPU: Final = LOCKS / "torch-cpu.txt"
TOOLS: Final = LOCKS / "tools.txt"

_ENTRY = re.compile(r"([\w.-]+)==([^\s;]+)(?:\s*;\s*(.*?))?((?:\s+--hash=sha256:[0-9a-f]{64})*)")


@dataclass(frozen=True, slots=True)
class Pinned:
    """One package at one version.

    Attributes:
        name: as the index normalises it.
        version: with a build's local part, if it names one.
        marker: on which machines it is needed, empty for all.
        hashes: SHA-256 of the files that are accepted, in hexadecimal digits, sorted; empty in `constraints.txt`.
    """

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]


def read_pins(path: Path) -> dict[str, Pinned]:
    """Return the packages of a lock or of `constraints.txt`, by name, in the order of the file.

    Raises:
        ValueError: a line is no pinned package, or a package is there twice.
    """
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    pins: dict[str, Pinned] = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        found = _ENTRY.fullmatch(line.strip())
        if found is None:
            raise ValueError(f"{path.name} has a line that is no pinned package: {line[:80]!r}")
        name = canonicalize_name(found[1])
        if name in pins:
            raise ValueError(f"{path.name} has {name} twice")
        hashes = tuple(sorted(re.findall(r"[0-9a-f]{64}", found[4])))
        pins[name] = Pinned(name, found[2], found[3] or "", hashes)
    return pins
