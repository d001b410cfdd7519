"""Checks of score and label arrays, and of JSON objects, shared by smoothing, calibration and evaluation."""

import difflib
from collections.abc import Collection, Mapping

import numpy as np
import numpy.typing as npt

from ragcortex.errors import BundleError, InputError, ReadingError

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int8]


def finite_scores(scores: npt.ArrayLike, name: str = "scores") -> Floats:
    """Return a copy of scores of any scale as float64, shape (T,).

    Raises:
        ReadingError: they are not one row of numbers, or one of them is not finite.
    """
    array = np.asarray(scores)
    if array.ndim != 1 or array.dtype.kind not in "fiub":
        raise ReadingError(f"{name}: expected one row of numbers, got shape {array.shape} of {array.dtype}")
    array = array.astype(np.float64)
    _refuse(array, ~np.isfinite(array), "finite numbers", name)
    return array


def probability_scores(scores: npt.ArrayLike, name: str = "scores") -> Floats:
    """Return a copy of scores as float64, shape (T,), every one in [0, 1].

    Raises:
        ReadingError: they are not one row of numbers, or one of them is not finite or lies outside [0, 1].
    """
    array = finite_scores(scores, name)
    _refuse(array, (array < 0) | (array > 1), "numbers in [0, 1]", name)
    return array


def _refuse(array: Floats, wrong: npt.NDArray[np.bool_], expected: str, name: str) -> None:
    if wrong.any():
        first = int(np.argmax(wrong))
        raise ReadingError(
            f"{name}: expected {expected}, got {array[first]} at position {first}; "
            "whatever made these scores is at fault, and nothing was computed from them"
        )


def binary_labels(labels: npt.ArrayLike, n: int, name: str = "labels") -> Labels:
    """Return a copy of labels as int8, shape (n,), every one 0 (grounded) or 1 (hallucinated).

    Raises:
        InputError: there are not n of them, or one is neither 0 nor 1.
    """
    array = np.asarray(labels)
    if array.shape != (n,):
        raise InputError(name, f"must be one label a score, expected shape ({n},), got {array.shape}")
    if n and (array.dtype.kind not in "fiub" or not np.isin(array, (0, 1)).all()):
        raise InputError(name, "must each be 0 (grounded) or 1 (hallucinated)")
    return array.astype(np.int8)


def exact_fields(data: object, names: Collection[str], what: str) -> dict[str, object]:
    """Return a copy of a JSON object that has exactly the named fields.

    Raises:
        BundleError: it is not an object, or a field is missing or unknown; the message names it.
    """
    if not isinstance(data, Mapping):
        raise BundleError(f"{what}: expected an object, got {type(data).__name__}; the bundle is damaged, fit it again")
    for name in names:
        if name not in data:
            raise BundleError(f"{what}.{name}: is missing; the bundle is damaged or of another version, fit it again")
    for name in data:
        if name not in names:
            nearest = difflib.get_close_matches(str(name), names, n=1)
            hint = f"the nearest known field is {nearest[0]!r}" if nearest else f"known are {', '.join(names)}"
            raise BundleError(f"{what}.{name}: is not a known field; {hint}")
    return dict(data)
