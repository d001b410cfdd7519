"""Detectors that ship with the package, and where any detector's bundle is."""

import difflib
from pathlib import Path

from ragcortex.errors import InputError

DEFAULT_DETECTOR = "fusion"
# What is fitted where no recipe is named.
DEFAULT_RECIPE = "cortex-states"
_BUNDLES = Path(__file__).parent / "bundles"
_FUSION = "fusion.json"
_FILES = ("detector.json", _FUSION)


def shipped() -> tuple[str, ...]:
    """Return the names of the detectors that ship."""
    return tuple(sorted(path.parent.name for name in _FILES for path in _BUNDLES.glob(f"*/{name}")))


def has_both_witnesses(folder: Path) -> bool:
    """Return whether a detector's folder holds a fusion, and not a detector that reads only."""
    return (folder / _FUSION).is_file()


def find_bundle(source: str | Path) -> Path:
    """Return the folder of a shipped detector or of one given by its path.

    Raises:
        InputError: it is neither; the message names the nearest shipped detector.
    """
    name = str(source)
    if name in shipped():
        return _BUNDLES / name
    path = Path(source).expanduser()
    if path.is_dir():
        return path
    if path.is_file():
        raise InputError("detector", f"{name!r} is a file; give the folder that holds its detector.json")
    near = difflib.get_close_matches(name, shipped(), n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(shipped())}"
    raise InputError("detector", f"{name!r} is neither a shipped detector nor a folder; {hint}")
