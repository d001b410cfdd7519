"""Typed figures to JSON values and back, strictly: what is written can be read again, and nothing else is.

It knows the types that figures are made of: dataclasses, tuples of one kind, optional values, numbers, words of a
Literal. A results folder that was edited by hand or written by another version is refused by the name of the field.
"""

import dataclasses
import math
import types
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from ragcortex.checks import is_finite
from ragcortex.errors import InputError, StoreError

Figures = TypeVar("Figures")


def encoded(value: object) -> Any:
    """Return the JSON value of figures: dataclasses as objects with their fields, tuples as lists.

    Raises:
        StoreError: it holds a number that is not finite, or something else that is no figure.
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: encoded(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [encoded(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        raise StoreError(
            f"cannot write {value}: expected finite numbers only; the figure should carry a reason instead"
        )
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise StoreError(
        f"cannot write a {type(value).__name__} as a figure; expected dataclasses, tuples and plain values"
    )


def decoded(kind: type[Figures], data: object, where: str) -> Figures:
    """Return the figures of this class that `encoded` wrote.

    Args:
        kind: a dataclass.
        data: the JSON value.
        where: what to call it in an error, such as the name of its file.

    Raises:
        StoreError: a field is missing, unknown, of the wrong type or refused by its class; the message names it.
    """
    return _object(kind, data, where)  # type: ignore[no-any-return]


def _value(kind: Any, data: object, where: str) -> Any:
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        if data is None and type(None) in get_args(kind):
            return None
        (inner,) = (option for option in get_args(kind) if option is not type(None))
        return _value(inner, data, where)
    if origin is tuple:
        if not isinstance(data, list):
            raise _unreadable(where, "a list", data)
        return tuple(_value(get_args(kind)[0], part, f"{where}[{index}]") for index, part in enumerate(data))
    if origin is Literal:
        if data not in get_args(kind):
            raise _unreadable(where, f"one of {', '.join(map(str, get_args(kind)))}", data)
        return data
    if dataclasses.is_dataclass(kind):
        return _object(kind, data, where)
    return _plain(kind, data, where)


def _plain(kind: Any, data: object, where: str) -> Any:
    if kind is float and is_finite(data):
        return float(data)
    if kind is not float and isinstance(data, kind) and not (kind is int and isinstance(data, bool)):
        return data
    raise _unreadable(where, {float: "a finite number", int: "a whole number", str: "a string"}[kind], data)


def _object(kind: Any, data: object, where: str) -> Any:
    if not isinstance(data, dict):
        raise _unreadable(where, "an object", data)
    hints = _hints(kind)
    names = [field.name for field in dataclasses.fields(kind)]
    for name in [*names, *data]:
        if name not in data or name not in names:
            state = "is missing" if name not in data else "is not a known field"
            raise StoreError(f"{where}.{name}: {state}; the results are damaged or of another version, run them again")
    values = {name: _value(hints[name], data[name], f"{where}.{name}") for name in names}
    try:
        return kind(**values)
    except InputError as error:
        raise StoreError(f"{where}.{error}") from error


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _unreadable(where: str, expected: str, data: object) -> StoreError:
    return StoreError(
        f"{where}: expected {expected}, got {data!r}; the results are damaged or of another version, run them again"
    )
