"""Checks that refuse a value with an InputError naming its field; the typed objects run them when they are built."""

import datetime
import difflib
import math
from collections.abc import Mapping, Sequence
from typing import NoReturn, Protocol, TypeGuard

from ragcortex.errors import InputError


class Part(Protocol):
    """A stretch of a text."""

    @property
    def start(self) -> int:
        """First character."""

    @property
    def end(self) -> int:
        """One past the last character."""

    @property
    def text(self) -> str:
        """The characters themselves."""


def check_text(field: str, value: object, *, optional: bool = False, filled: bool = False) -> None:
    """Refuse what is not a string of encodable characters (or None where optional), or blank where filled."""
    if value is None and optional:
        return
    if not isinstance(value, str):
        raise InputError(field, f"must be a string{' or null' if optional else ''}, got {type(value).__name__}")
    if filled and not value.strip():
        raise InputError(field, "must not be blank")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InputError(field, f"has a lone surrogate at character {error.start}, which is not text") from None


def is_text(value: str) -> bool:
    """Return whether all characters of a string can be written down, as halves of one, which JSON may hold, cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_finite(value: object) -> TypeGuard[float]:
    """Return whether a value is a number (no truth value) that a float can hold; JSON may have any number of digits.

    >>> [is_finite(value) for value in (2, 0.5, float("inf"), 10**400, True, "2")]
    [True, True, False, False, False, False]
    """
    if not isinstance(value, int | float) or isinstance(value, bool):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def check_known(field: str, value: object, known: Sequence[str]) -> None:
    """Refuse a word that is not one of `known`."""
    if value not in known:
        raise InputError(field, f"must be one of {', '.join(known)}, got {value!r}")


def nearest_hint(value: str, known: Sequence[str]) -> str:
    """Return the end of a message about an unknown word: the nearest known one, or all of them.

    >>> nearest_hint("linaer", ["linear", "mlp"])
    "did you mean 'linear'?"
    """
    near = difflib.get_close_matches(value, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"


def check_score(field: str, value: object, *, optional: bool = False) -> None:
    """Refuse what is not a finite number in [0, 1] (or None where optional)."""
    if value is None and optional:
        return
    if not is_finite(value) or not 0 <= value <= 1:
        raise InputError(field, f"must be a number in [0, 1]{' or null' if optional else ''}, got {value!r}")


def check_numbers(field: str, values: object) -> None:
    """Refuse what is not a mapping of filled names to finite numbers."""
    if not isinstance(values, Mapping):
        raise InputError(field, f"must be an object of names and numbers, got {type(values).__name__}")
    for name, value in values.items():
        check_text(field, name, filled=True)
        if not is_finite(value):
            raise InputError(f"{field}.{name}", f"must be a finite number, got {value!r}")


def check_position(field: str, value: object) -> None:
    """Refuse what is not a whole number from 0 on."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InputError(field, f"must be a whole number from 0 on, got {value!r}")


def check_day(field: str, value: object) -> None:
    """Refuse what is not a day written as YYYY-MM-DD."""
    try:
        well_formed = isinstance(value, str) and datetime.date.fromisoformat(value).isoformat() == value
    except ValueError:
        well_formed = False
    if not well_formed:
        raise InputError(field, f"must be a day as YYYY-MM-DD, got {value!r}")


def check_range(start: object, end: object, text: object) -> None:
    """Refuse a range that is empty or whose length is not that of its text."""
    check_position("start", start)
    check_position("end", end)
    if not isinstance(text, str):
        raise InputError("text", f"must be a string, got {type(text).__name__}")
    length = end - start  # type: ignore[operator]
    if length <= 0:
        raise InputError("end", f"must be greater than start={start}, got {end}")
    if length != len(text):
        raise InputError("text", f"must have the {length} characters of the range {start}..{end}, got {len(text)}")


def check_parts(field: str, values: object, kind: type) -> None:
    """Refuse what is not a tuple of `kind`."""
    if not isinstance(values, tuple):
        raise InputError(field, f"must be a tuple of {kind.__name__}, got {type(values).__name__}")
    for index, value in enumerate(values):
        if not isinstance(value, kind):
            raise InputError(f"{field}[{index}]", f"must be {kind.__name__}, got {type(value).__name__}")


def check_places(field: str, parts: Sequence[Part], whole: str) -> None:
    """Refuse parts that are not the text at their range, or that are out of order or overlap."""
    reached = 0
    for index, part in enumerate(parts):
        if part.end > len(whole):
            raise InputError(
                f"{field}[{index}].end", f"must be at most the answer's length {len(whole)}, got {part.end}"
            )
        if part.start < reached:
            raise InputError(
                f"{field}[{index}].start", f"must be at least {reached}, where the one before ends, got {part.start}"
            )
        if whole[part.start : part.end] != part.text:
            raise InputError(f"{field}[{index}].text", f"is not the answer's text at {part.start}..{part.end}")
        reached = part.end


def no_number(constant: str) -> NoReturn:
    """Refuse NaN and Infinity, which are not JSON; for `json.loads(parse_constant=…)`."""
    raise ValueError(f"{constant} is not a JSON number")
