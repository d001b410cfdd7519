"""The files of HalluRAG: pickled lists, of which only plain data are taken; nothing in them can run.

A pickle may name any function and have it called while it is read. Here every name is refused but those that numpy
writes for its scalars and arrays, and these are answered with stand-ins of our own.
"""

import io
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ragcortex.datasets.official_rows import OfficialRow, json_rows, read_bytes
from ragcortex.errors import InputError

_NUMBER = re.compile(r"[biuf][1248]")


def answer_rows(path: Path) -> Iterator[OfficialRow]:
    """Yield the entries of one file, a pickled list or the same list as JSON.

    A pickle is held in memory as a whole, hidden states included: some gigabytes for the official training files.

    Raises:
        InputError: the file cannot be read, holds something else than plain data, or is no list of objects.
    """
    if path.suffix != ".pickle":
        yield from json_rows(path)
        return
    entries = _unpickled(path)
    if not isinstance(entries, list):
        raise InputError("file", f"{path} must hold a list of answers, got {type(entries).__name__}")
    for number in range(len(entries)):
        entry, entries[number] = entries[number], None  # its hidden states go when the next entry is asked for
        place = f"{path}, row {number + 1}"
        if not isinstance(entry, dict):
            raise InputError("row", f"must be an object, got {type(entry).__name__} ({place})")
        yield OfficialRow(entry, place)


def _unpickled(path: Path) -> Any:
    try:
        return _PlainData(io.BytesIO(read_bytes(path))).load()
    except InputError as error:
        raise InputError(error.field, f"{path} {error.message}") from None
    except Exception as error:  # a damaged pickle raises whatever its last instruction happens to
        raise InputError(
            "file", f"{path} is no pickle that can be read ({type(error).__name__}); download it again"
        ) from error


class _PlainData(pickle.Unpickler):
    """Reads lists, dicts, strings and numbers; numpy's scalars become numbers, its arrays empty stand-ins."""

    def find_class(self, module: str, name: str) -> Any:
        """Return the stand-in for a name of numpy's; anything else is refused."""
        match module.replace("numpy._core", "numpy.core"), name:
            case "numpy.core.multiarray", "scalar":
                return _scalar
            case "numpy", "dtype":
                return _Dtype
            case (
                ("numpy.core.multiarray", "_reconstruct") | ("numpy.core.numeric", "_frombuffer") | ("numpy", "ndarray")
            ):
                return _Array
        raise InputError("file", f"holds {module}.{name}, which is not plain data; it was not read")


class _Dtype:
    """Stands in for a numpy dtype: its code and byte order."""

    def __init__(self, code: object, *_: object) -> None:
        self.code = str(code)
        self.order = "<"

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.order = {">": ">"}.get(state[1], "<")


class _Array:
    """Stands in for a numpy array; hidden states are not read."""

    def __init__(self, *_: object) -> None:
        pass

    def __setstate__(self, state: object) -> None:
        pass


def _scalar(dtype: object, raw: object = b"") -> bool | int | float:
    if not isinstance(dtype, _Dtype) or not isinstance(raw, bytes) or not _NUMBER.fullmatch(dtype.code):
        raise InputError("file", "holds a numpy scalar that is no number; it was not read")
    value: bool | int | float = np.frombuffer(raw, np.dtype(dtype.order + dtype.code))[0].item()
    return value
