"""JSON values → typed objects, by the types that their dataclasses declare."""

import datetime
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, Final, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from ragcortex.errors import InputError
from ragcortex.report_document import Report

T = TypeVar("T")


def decoded(kind: type[T], value: object, place: str = "answer") -> T:
    """Return a decoded JSON value as an object of a dataclass or another type.

    Fields that a later service added are ignored; one that is missing and has no default is an error.

    Args:
        kind: a dataclass whose fields have the types that are understood here: text, numbers, moments, None, literals,
            unions, tuples of one type, mappings of any values, dataclasses, and reports.
        value: what was decoded.
        place: where it stands, for the message.

    Raises:
        ValueError: the value is of another form; says where, what was expected and what was found.
    """
    found: T = _decoded(kind, value, place)
    return found


def _decoded(kind: Any, value: object, place: str) -> Any:
    if kind is Any:
        return value
    read = _GENERIC.get(get_origin(kind))
    if read is None:
        read = _report if kind is Report else _object if is_dataclass(kind) else _plain
    return read(kind, value, place)


def _one_of(kind: Any, value: object, place: str) -> Any:
    """Return the value as the one kind beside None; unions of several kinds are not used."""
    kinds = get_args(kind)
    if value is None and type(None) in kinds:
        return None
    (other,) = (one for one in kinds if one is not type(None))
    return _decoded(other, value, place)


def _literal(kind: Any, value: object, place: str) -> Any:
    if value not in get_args(kind):
        raise ValueError(f"{place} must be one of {', '.join(map(repr, get_args(kind)))}, got {value!r}")
    return value


def _mapping(_kind: Any, value: object, place: str) -> Any:
    return _expected(Mapping, value, place, "an object")


def _report(_kind: Any, value: object, place: str) -> Any:
    values = _expected(Mapping, value, place, "an object")
    return _built(lambda: Report.from_dict(values), place)


def _tuple(kind: Any, value: object, place: str) -> tuple[Any, ...]:
    items = _expected(list, value, place, "a list")
    return tuple(_decoded(get_args(kind)[0], item, f"{place}[{index}]") for index, item in enumerate(items))


def _object(kind: Any, value: object, place: str) -> Any:
    values = _expected(Mapping, value, place, "an object")
    given: dict[str, Any] = {}
    for name, hint, required in _declared(kind):
        if name in values:
            given[name] = _decoded(hint, values[name], f"{place}.{name}")
        elif required:
            raise ValueError(f"{place}.{name} is missing")
    return _built(lambda: kind(**given), place)


@cache
def _declared(kind: Any) -> tuple[tuple[str, Any, bool], ...]:
    """Return name, type, and whether it must be given, of each field."""
    hints = get_type_hints(kind)
    return tuple(
        (field.name, hints[field.name], field.default is MISSING and field.default_factory is MISSING)
        for field in fields(kind)
    )


def _built(build: Any, place: str) -> Any:
    try:
        return build()
    except InputError as error:
        raise ValueError(f"{place}.{error.field} {error.message}") from error


def _plain(kind: Any, value: object, place: str) -> Any:
    if kind is datetime.datetime:
        text: str = _expected(str, value, place, "a moment")
        try:
            return datetime.datetime.fromisoformat(text)
        except ValueError:
            raise ValueError(f"{place} must be a moment as ISO 8601 writes it, got {value!r}") from None
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    names = {str: "a string", int: "a whole number", float: "a number", bool: "true or false"}
    if isinstance(value, bool) and kind is not bool:
        raise ValueError(f"{place} must be {names[kind]}, got {value!r}")
    return _expected(kind, value, place, names[kind])


def _expected(kind: Any, value: object, place: str, name: str) -> Any:
    if not isinstance(value, kind):
        raise ValueError(f"{place} must be {name}, got {type(value).__name__}")
    return value


_GENERIC: Final[dict[Any, Callable[[Any, object, str], Any]]] = {
    Union: _one_of,
    types.UnionType: _one_of,
    tuple: _tuple,
    Literal: _literal,
    Mapping: _mapping,
}
