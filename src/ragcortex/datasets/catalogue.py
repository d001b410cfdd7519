"""The data sets by name: what is known of each, and how to load it."""

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from ragcortex.datasets import (
    cards,
    hallurag,
    halueval,
    mushroom,
    own_rows,
    ragtruth,
    summedits,
    true_grounding,
    uhgeval,
    wice,
)
from ragcortex.datasets.cards import DatasetCard
from ragcortex.datasets.loaded import LoadedDataset
from ragcortex.errors import InputError

# Reads the official files of one data set: a path and the options of its module's `load`, a LoadedDataset out.
Loader = Callable[..., LoadedDataset]


_KINDS: Final[Mapping[type, str]] = {int: "N", float: "NUMBER"}


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a loader.

    Attributes:
        name: its name.
        default: its value where none is given.
        kinds: the types it may have, without None.
        words: the words it may be, () where it is no choice of words.
    """

    name: str
    default: object
    kinds: tuple[type, ...]
    words: tuple[str, ...]

    def describe(self) -> str:
        """Return the option as a person gives it, with its default."""
        kind = "|".join(self.words) or ("true|false" if bool in self.kinds else _KINDS.get(self.kinds[0], "TEXT"))
        default = "" if self.default is None else f" (default {self._shown()})"
        return f"{self.name}={kind}{default}"

    def parse(self, text: str) -> object:
        """Return the value that a text stands for.

        Raises:
            InputError: it is none of the option's values.
        """
        if self.words:
            if text not in self.words:
                raise InputError(self.name, f"must be one of {', '.join(self.words)}, got {text!r}")
            return text
        if bool in self.kinds:
            if text not in ("true", "false"):
                raise InputError(self.name, f"must be true or false, got {text!r}")
            return text == "true"
        number = next((kind for kind in (int, float) if kind in self.kinds), None)
        if number is None:
            return text
        try:
            return number(text)
        except ValueError:
            words = "a whole number" if number is int else "a number"
            raise InputError(self.name, f"must be {words}, got {text!r}") from None

    def _shown(self) -> str:
        return str(self.default).lower() if isinstance(self.default, bool) else str(self.default)


_REGISTRY: Final[Mapping[str, tuple[DatasetCard, Loader]]] = {
    card.name: (card, loader)
    for card, loader in (
        (cards.RAGTRUTH, ragtruth.load),
        (cards.HALLURAG, hallurag.load),
        (cards.HALUEVAL, halueval.load),
        (cards.TRUE, true_grounding.load),
        (cards.SUMMEDITS, summedits.load),
        (cards.WICE, wice.load),
        (cards.MUSHROOM, mushroom.load),
        (cards.UHGEVAL, uhgeval.load),
        (cards.OWN, own_rows.load),
    )
}


def names() -> tuple[str, ...]:
    """Return the names of all data sets."""
    return tuple(_REGISTRY)


def card(name: str) -> DatasetCard:
    """Return what is known of a data set.

    Raises:
        InputError: there is none of this name; the message gives the nearest that there is.
    """
    return _entry(name)[0]


def load_dataset(name: str, path: str | Path, **options: Any) -> LoadedDataset:
    """Return the data set of this name from its official files.

    Args:
        name: one of `names()`.
        path: the folder of the download, or one file of it.
        **options: those of the loader, which `options_of` lists.

    Raises:
        InputError: name, path or an option is unknown, a file is missing or damaged, or nothing is left.
    """
    _, loader = _entry(name)
    known = [option.name for option in options_of(name)]
    for given in options:
        if given not in known:
            raise InputError(given, f"is no option of {name}; {_nearest(given, known)}")
    return loader(Path(path).expanduser(), **options)


def options_of(name: str) -> tuple[Option, ...]:
    """Return the options of a data set's loader.

    Raises:
        InputError: there is no data set of this name.
    """
    loader = _entry(name)[1]
    hints = get_type_hints(loader)
    parameters = inspect.signature(loader).parameters.values()
    return tuple(
        Option(parameter.name, parameter.default, *_kinds(hints[parameter.name]))
        for parameter in parameters
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    )


def parse_options(name: str, given: Sequence[str]) -> dict[str, object]:
    """Return options written as NAME=VALUE.

    Raises:
        InputError: one is malformed or unknown, or its value is not possible.
    """
    known = {option.name: option for option in options_of(name)}
    parsed: dict[str, object] = {}
    for text in given:
        key, found, value = text.partition("=")
        if not found or not value:
            raise InputError("option", f"must be NAME=VALUE, got {text!r}")
        if key not in known:
            raise InputError("option", f"{name} has no option {key!r}; {_nearest(key, list(known))}")
        parsed[key] = known[key].parse(value)
    return parsed


def _entry(name: str) -> tuple[DatasetCard, Loader]:
    try:
        return _REGISTRY[name]
    except KeyError:
        raise InputError("name", f"there is no data set {name!r}; {_nearest(name, names())}") from None


def _nearest(word: str, known: Sequence[str]) -> str:
    if not known:
        return "it has none"
    close = difflib.get_close_matches(word.lower(), known, n=1)
    return f"did you mean {close[0]!r}?" if close else f"known are {', '.join(known)}"


def _kinds(hint: Any) -> tuple[tuple[type, ...], tuple[str, ...]]:
    parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    words = tuple(word for part in parts if get_origin(part) is Literal for word in get_args(part))
    kinds = tuple(str if get_origin(part) is Literal else part for part in parts if part is not NoneType)
    return kinds, words
