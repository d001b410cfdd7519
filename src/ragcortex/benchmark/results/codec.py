"""Frozen dataclasses as JSON values and back, by their type hints; what does not fit is an error naming its place."""

import dataclasses
import difflib
import math
import types
import typing
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, TypeVar, Union, cast

from ragcortex.checks import check_known, check_text
from ragcortex.errors import InputError

T = TypeVar("T")


def to_values(value: Any) -> Any:
    """Return the JSON values of a dataclass: objects, lists, strings, numbers, booleans and null."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_values(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {name: to_values(one) for name, one in value.items()}
    if isinstance(value, tuple | list):
        return [to_values(one) for one in value]
    return value


def from_values(kind: type[T], values: object, place: str) -> T:
    """Return the dataclass whose `to_values` these are.

    Raises:
        InputError: naming the field that is missing, unknown, of the wrong type, or contradicts the others.
    """
    return cast(T, _dataclass(kind, values, place))


def from_document(kind: type[T], values: object, *, schema: str, place: str, what: str) -> T:
    """Return the dataclass of a document that names its schema beside the fields of the dataclass.

    Args:
        kind: the dataclass.
        values: the document's JSON values.
        schema: that it must name.
        place: what errors call it.
        what: the end of the message where another version wrote it.

    Raises:
        InputError: it names another schema, or as `from_values`.
    """
    if not isinstance(values, Mapping):
        raise InputError(place, f"must be a JSON object, got {type(values).__name__}")
    if values.get("schema") != schema:
        raise InputError("schema", f"must be {schema!r}, got {values.get('schema')!r}; another version wrote {what}")
    return from_values(kind, {name: value for name, value in values.items() if name != "schema"}, place)


def json_object(field: str, value: object) -> dict[str, Any]:
    """Return a copy of an object of JSON values, tuples as lists, so that it equals itself after a round trip.

    Raises:
        InputError: naming what is no JSON value; NaN and infinities are none.
    """
    copy = _json_value(field, value)
    if not isinstance(copy, dict):
        raise InputError(field, f"must be an object, got {type(value).__name__}")
    return copy


def _json_value(field: str, value: object) -> Any:
    if isinstance(value, Mapping):
        for name in value:
            check_text(f"{field}, a name in it", name)
        return {name: _json_value(f"{field}.{name}", one) for name, one in value.items()}
    if isinstance(value, tuple | list):
        return [_json_value(f"{field}[{index}]", one) for index, one in enumerate(value)]
    if isinstance(value, str):
        check_text(field, value)
    elif isinstance(value, float) and not math.isfinite(value):
        raise InputError(field, f"must be a finite number, got {value!r}")
    elif value is not None and type(value) not in (bool, int, float):
        raise InputError(field, f"must be a JSON value, got {type(value).__name__}; give its text instead")
    return value


def _dataclass(kind: Any, values: object, place: str) -> Any:
    if not isinstance(values, Mapping):
        raise InputError(place, f"must be a JSON object, got {type(values).__name__}")
    hints = _hints(kind)
    for name in values:
        if name not in hints:
            near = difflib.get_close_matches(str(name), hints, n=1)
            hint = f"the nearest known one is {near[0]!r}" if near else f"known are {', '.join(hints)}"
            raise InputError(f"{place}.{name}", f"is not a known field; {hint}")
    for name in hints:
        if name not in values:
            raise InputError(f"{place}.{name}", "is missing")
    built = {name: _value(hint, values[name], f"{place}.{name}") for name, hint in hints.items()}
    try:
        return kind(**built)
    except InputError as error:
        raise InputError(f"{place}.{error.field}", error.message) from error


@cache
def _hints(kind: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    return {field.name: hints[field.name] for field in dataclasses.fields(kind)}


def _value(hint: Any, value: object, place: str) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return value
    if origin in (Union, types.UnionType):
        kinds = [one for one in arguments if one is not type(None)]
        return None if value is None and len(kinds) < len(arguments) else _value(kinds[0], value, place)
    if origin is tuple:
        return _tuple(arguments, value, place)
    if origin is not None and origin is not Literal:
        return _mapping(arguments[1], value, place)
    return _dataclass(hint, value, place) if dataclasses.is_dataclass(hint) else _plain(hint, value, place)


def _mapping(hint: Any, value: object, place: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise InputError(place, f"must be a JSON object, got {type(value).__name__}")
    return {name: _value(hint, one, f"{place}.{name}") for name, one in value.items()}


def _tuple(arguments: tuple[Any, ...], value: object, place: str) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise InputError(place, f"must be a list, got {type(value).__name__}")
    if arguments[-1] is Ellipsis:
        arguments = (arguments[0],) * len(value)
    if len(value) != len(arguments):
        raise InputError(place, f"must be a list of {len(arguments)}, got {len(value)}")
    pairs = zip(arguments, value, strict=True)
    return tuple(_value(hint, one, f"{place}[{index}]") for index, (hint, one) in enumerate(pairs))


def _plain(hint: Any, value: object, place: str) -> Any:
    if typing.get_origin(hint) is Literal:
        check_known(place, value, typing.get_args(hint))
        return value
    accepted = (int, float) if hint is float else (hint,)
    if type(value) not in accepted:
        raise InputError(place, f"must be {_NAMES[hint]}, got {type(value).__name__}")
    return float(cast(float, value)) if hint is float else value


_NAMES = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}
