"""The files of a bundle: JSON objects written whole, read with exactly their fields; tensors proved by their hash."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np

from ragcortex.checks import no_number
from ragcortex.errors import BundleError, StoreError
from ragcortex.plain_files import plain_bytes
from ragcortex.readers.reading import Floats
from ragcortex.whole_files import write_whole

JSON_NAME: Final = "detector.json"
TENSORS_NAME: Final = "heads.safetensors"
# Far more than any detector has, and no more than a machine can hold.
_MOST_JSON_BYTES: Final = 100_000_000
_MOST_TENSOR_BYTES: Final = 8_000_000_000


def read_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file.

    Raises:
        BundleError: the file is missing, is no plain file or too large, is not JSON (NaN and Infinity are not), or
            holds something else.
    """
    try:
        document = json.loads(plain_bytes(path, _MOST_JSON_BYTES).decode("utf-8"), parse_constant=no_number)
    except (FileNotFoundError, NotADirectoryError):
        raise BundleError(f"folder {str(path.parent)!r} is no detector: it has no {path.name}") from None
    except OSError as error:
        raise BundleError(f"{path.name} in {str(path.parent)!r} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise BundleError(f"{path.name} in {str(path.parent)!r} cannot be read as JSON: {error}") from error
    if not isinstance(document, dict):
        raise BundleError(f"{path.name} in {str(path.parent)!r} must hold a JSON object, got {type(document).__name__}")
    return document


def write_json(path: Path, values: Mapping[str, Any], failure: str, *, indent: int) -> None:
    """Write a JSON object (NaN and Infinity are none), whole or not at all; an older file there is replaced.

    Raises:
        StoreError: the file cannot be written; the message is `failure` and why.
    """
    text = json.dumps(values, ensure_ascii=False, allow_nan=False, indent=indent) + "\n"
    write_whole(path, text.encode(), failure)


def make_folder(folder: Path, failure: str) -> None:
    """Make a folder and those above it where they are missing.

    Raises:
        StoreError: it cannot be made; the message is `failure` and why.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"{failure}: {error.strerror or error}") from error


def read_tensors(folder: Path, described: Any) -> dict[str, Floats]:
    """Return the tensors of a bundle by name, given the field `tensors` of its JSON file.

    Raises:
        BundleError: the file is missing, is not the one described, or holds anything but finite float32 numbers.
    """
    from safetensors import SafetensorError
    from safetensors.numpy import load

    require_fields(described, {"file", "sha256"}, f"{JSON_NAME} field tensors")
    if described["file"] != TENSORS_NAME:
        raise BundleError(f"{JSON_NAME} field tensors.file must be {TENSORS_NAME!r}, got {described['file']!r}")
    try:
        content = plain_bytes(folder / TENSORS_NAME, _MOST_TENSOR_BYTES)
    except OSError as error:
        raise BundleError(f"{TENSORS_NAME} in {str(folder)!r} cannot be read: {error.strerror}") from error
    digest = hashlib.sha256(content).hexdigest()
    if digest != described["sha256"]:
        raise BundleError(
            f"{TENSORS_NAME} in {str(folder)!r} is damaged or was exchanged: its SHA-256 is {digest[:16]}…, "
            f"{JSON_NAME} says {str(described['sha256'])[:16]}…"
        )
    try:
        arrays: dict[str, Floats] = load(content)
    except (SafetensorError, ValueError, KeyError, TypeError, OverflowError, MemoryError) as error:
        raise BundleError(f"{TENSORS_NAME} in {str(folder)!r} is damaged: {error}") from error
    for name, array in arrays.items():
        if array.dtype != np.float32 or not np.isfinite(array).all():
            raise BundleError(f"{TENSORS_NAME} in {str(folder)!r}: {name} must hold finite float32 numbers")
    return arrays


def require_fields(values: Any, expected: set[str], place: str) -> None:
    """Raise BundleError unless `values` is an object with exactly the expected fields; `place` says where it is."""
    if not isinstance(values, dict):
        raise BundleError(f"{place} must be an object, got {type(values).__name__}")
    missing, unknown = sorted(expected - set(values)), sorted(set(values) - expected)
    if missing:
        raise BundleError(f"{place} lacks {', '.join(missing)}")
    if unknown:
        raise BundleError(f"{place} has unknown fields: {', '.join(unknown)}; it was made by another version")


def text(values: Mapping[str, Any], name: str, place: str = f"{JSON_NAME} field ") -> str:
    """Return the non-empty string in a field; raises BundleError if it is something else."""
    value = values[name]
    if not isinstance(value, str) or not value:
        raise BundleError(f"{place}{name} must be a non-empty string, got {value!r}")
    return value


def object_of(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the JSON object in a field; raises BundleError if it is something else."""
    value = values[name]
    if not isinstance(value, dict):
        raise BundleError(f"{JSON_NAME} field {name} must be an object, got {type(value).__name__}")
    return value
