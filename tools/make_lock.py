"""Writes the locks from `constraints.txt` and `locks/tools.in`: `make lock`.

uv resolves for all platforms and all Pythons at once and names every file of the index by its hash. Only versions are
taken from `constraints.txt`; which index is asked is the machine's own setting and is written nowhere.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from lock_file import CONSTRAINTS, ELSEWHERE, LOCKS, PACKAGES, ROOT, TOOLS, TORCH_CPU, Pinned, read_pins

# The oldest Python that all pinned versions run on; the package itself also runs on 3.11.0 to 3.11.4.
OLDEST_PYTHON: Final = "3.11.5"
_HEADERS: Final = {
    PACKAGES: "What `make setup` installs: the versions of constraints.txt and the hashes of all their files.",
    ELSEWHERE: "What only other machines need, most of it because of the index's build of torch for Linux.",
    TOOLS: "Tools of `make lock`, `make audit` and `make sbom`, and what they need.",
}


def main() -> None:
    """Write `packages.txt`, `elsewhere.txt` and `tools.txt`."""
    constraints = read_pins(CONSTRAINTS)
    kept = [path for path in (PACKAGES, ELSEWHERE) if path.is_file()]
    found = _resolved(["pyproject.toml", "--extra", "dev", "--constraint", CONSTRAINTS.name], kept)
    missing = sorted(set(constraints) - set(found))
    if missing:
        sys.exit(f"constraints.txt pins what nothing needs: {', '.join(missing)}; take it out")
    expected, got = f"{found['torch'].version}+cpu", read_pins(TORCH_CPU)["torch"].version
    if got != expected:
        sys.exit(f"locks/{TORCH_CPU.name} has torch {got}, expected {expected}; renew it as it says there")
    _write(PACKAGES, (pin for name, pin in found.items() if name in constraints))
    _write(ELSEWHERE, (pin for name, pin in found.items() if name not in constraints))
    _write(TOOLS, _resolved([str((LOCKS / "tools.in").relative_to(ROOT))], [TOOLS] if TOOLS.is_file() else []).values())


def _resolved(source: list[str], kept: list[Path]) -> dict[str, Pinned]:
    """Return what uv resolves a source to; versions of `kept` locks stay where they fit."""
    uv = Path(sys.executable).with_name("uv")
    with tempfile.TemporaryDirectory() as temporary:
        lock = Path(temporary) / "lock.txt"
        # Without their hashes: uv would take those over instead of asking the index again.
        seeds = [f"{pin.name}=={pin.version}\n" for path in kept for pin in read_pins(path).values()]
        lock.write_text("".join(seeds), encoding="utf-8")
        command: list[str | Path] = [
            uv,
            "pip",
            "compile",
            *source,
            "--quiet",
            "--universal",
            "--python-version",
            OLDEST_PYTHON,
        ]
        command += ["--generate-hashes", "--no-build", "--no-header", "--no-annotate", "--output-file", str(lock)]
        environment = {**os.environ, "UV_PYTHON_DOWNLOADS": "never"}
        done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, check=False)
        if done.returncode:
            sys.exit("the locks are as they were: uv found no versions that fit; see above")
        return read_pins(lock)


def _write(path: Path, pins: Iterable[Pinned]) -> None:
    lines = [f"# {_HEADERS[path]} Written by `make lock`."]
    for pin in pins:
        entry = f"{pin.name}=={pin.version}" + (f" ; {pin.marker}" if pin.marker else "")
        lines.append(" \\\n    ".join([entry, *(f"--hash=sha256:{one}" for one in pin.hashes)]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
