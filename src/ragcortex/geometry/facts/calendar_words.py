"""The words of dates: months and weekdays of each language from CLDR (through babel), and what stands around them."""

from dataclasses import dataclass
from functools import cache
from typing import Final

import regex

from ragcortex.geometry.facts.fact import CalendarDate, ClockTime, Language


@dataclass(frozen=True, slots=True)
class Piece:
    """A date or time found in a text; a `weak` one counts only as an end of a range («Mon» in «Mon–Fri»)."""

    start: int
    end: int
    value: CalendarDate | ClockTime
    weak: bool = False


EUROPEAN: Final[tuple[Language, ...]] = ("en", "de", "fr", "es")

# Beside CLDR's: usual variants, without dot.
_MORE_MONTHS: Final[dict[str, dict[str, int]]] = {
    "en": {"Sept": 9, "Sep": 9},
    "de": {"Jänner": 1, "Jän": 1, "Jan": 1, "Feber": 2, "Mrz": 3, "Mär": 3, "Jun": 6, "Jul": 7, "Sep": 9},
    "fr": {"jan": 1, "fév": 2, "aout": 8},
    "es": {"sep": 9, "set": 9, "setiembre": 9},
}
_MORE_WEEKDAYS: Final[dict[str, dict[str, int]]] = {
    "en": {"Tues": 1, "Weds": 2, "Thur": 3, "Thurs": 3},
    "de": {"Sonnabend": 5},
    "fr": {},
    "es": {"mie": 2, "sab": 5},
}
# English months that are also words or first names: alone, they need a word that makes them a month.
_DOUBTFUL_MONTHS: Final = frozenset({"march", "april", "may", "june", "august"})


def word_set(text: str) -> frozenset[str]:
    """Return the words of a list that is written as text, for lists too long to quote each word."""
    return frozenset(text.split())


def spellings(language: Language, name: str, *, doubtful: bool = False) -> tuple[str, ...]:
    """Return the ways to write a month or weekday: capitalised, in capitals, and in lower case where that is usual.

    English and German capitalise; English lower case («january») is common enough to be read unless `doubtful`.
    """
    capital = name[:1].upper() + name[1:]
    if language in ("fr", "es") or (language == "en" and len(name) > 5 and not doubtful):
        return capital, name.upper(), name.lower()
    return capital, name.upper()


@cache
def month_numbers(language: Language) -> dict[str, int]:
    """Return the month, 1 to 12, of each case-folded name or abbreviation (without dot) of the language."""
    wide, short = _cldr_months(language)
    return {name.casefold(): number for name, number in (wide | short).items()}


@cache
def weekday_numbers(language: Language) -> dict[str, int]:
    """Return the weekday, 0 Monday to 6 Sunday, of each case-folded name or abbreviation of the language."""
    wide, short = _cldr_weekdays(language)
    return {name.casefold(): number for name, number in (wide | short).items()}


@cache
def month_pattern(language: Language, *, short: bool = True) -> str:
    """Return an alternation of the spellings of the months, longest first; abbreviations may have a dot."""
    wide, abbreviated = _cldr_months(language)
    full = [way for name in wide for way in spellings(language, name, doubtful=name.casefold() in _DOUBTFUL_MONTHS)]
    if not short:
        return rf"(?:{_alternatives(full)})(?![\p{{L}}\p{{M}}])"
    brief = [way for name in abbreviated for way in spellings(language, name)]
    return rf"(?:(?:{_alternatives(full)})(?![\p{{L}}\p{{M}}])|(?:{_alternatives(brief)})(?:\.|(?![\p{{L}}\p{{M}}])))"


@cache
def weekday_pattern(language: Language, *, short: bool) -> str:
    """Return an alternation of the spellings of the weekdays, with their plurals; with abbreviations if `short`."""
    wide, abbreviated = _cldr_weekdays(language)
    full = [way for name in wide for way in spellings(language, name)]
    if language == "de":  # «montags» is an adverb
        full += [name.lower() + "s" for name in wide]
    pattern = rf"(?:{_alternatives(full)})s?(?![\p{{L}}\p{{M}}])"
    if not short:
        return pattern
    brief = [way for name in abbreviated for way in spellings(language, name)]
    return rf"(?:{pattern}|(?:{_alternatives(brief)})(?:\.|(?![\p{{L}}\p{{M}}])))"


def is_doubtful_month(name: str) -> bool:
    """Return whether an English month's name is also a word or a first name."""
    return name.casefold().rstrip(".") in _DOUBTFUL_MONTHS


def weekday_of(language: Language, word: str) -> int:
    """Return the weekday of a word that `weekday_pattern` matched."""
    known = weekday_numbers(language)
    plain = word.casefold().rstrip(".")
    return known[plain] if plain in known else known[plain.removesuffix("s")]


def month_of(language: Language, word: str) -> int:
    """Return the month of a word that `month_pattern` matched."""
    return month_numbers(language)[word.casefold().rstrip(".")]


def _alternatives(words: list[str]) -> str:
    return "|".join(regex.escape(word) for word in sorted(dict.fromkeys(words), key=lambda word: (-len(word), word)))


@cache
def _cldr_months(language: Language) -> tuple[dict[str, int], dict[str, int]]:
    from babel import Locale

    months = Locale.parse(language).months["format"]
    wide = {name: number for number, name in months["wide"].items()}
    extra = _MORE_MONTHS[language]
    wide |= {name: number for name, number in extra.items() if len(name) > 4}
    short = {name.rstrip("."): number for number, name in months["abbreviated"].items()}
    short |= {name: number for name, number in extra.items() if len(name) <= 4}
    return wide, {name: number for name, number in short.items() if name not in wide}


@cache
def _cldr_weekdays(language: Language) -> tuple[dict[str, int], dict[str, int]]:
    from babel import Locale

    days = Locale.parse(language).days["format"]
    wide = {name: number for number, name in days["wide"].items()}
    extra = _MORE_WEEKDAYS[language]
    wide |= {name: number for name, number in extra.items() if len(name) > 5}
    short = {name.rstrip("."): number for number, name in days["abbreviated"].items()}
    short |= {name: number for name, number in extra.items() if len(name) <= 5}
    return wide, short
