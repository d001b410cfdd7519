"""The names of the units of one language, in tables built once, when the language is first needed.

They come from CLDR (through babel) and from `unit_names`, `unit_names_cjk` and `unit_currencies`; the hand-written
one wins where both know a name.
"""

from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Final

import regex

from ragcortex.geometry.facts.fact import LANGUAGES, Language
from ragcortex.geometry.facts.unit_currencies import (
    MINOR_NAMES,
    SHORT_NAMES,
    SIGNS,
    TENTH_NAMES,
    WORDLIKE_CODES,
    YEN_SIGN,
)
from ragcortex.geometry.facts.unit_names import UNIT_NAMES
from ragcortex.geometry.facts.unit_names_cjk import CJK_UNIT_NAMES
from ragcortex.geometry.facts.unit_table import UNIT_ROWS

if TYPE_CHECKING:
    from babel import Locale


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measurement or currency.

    Attributes:
        name: canonical name, or ISO 4217 code.
        dimension: what it measures.
        factor: base units of the dimension in one unit.
        times: what a number before this name has to be multiplied with («50 cents»: 0.01 USD; «3割»: 10 percent).
    """

    name: str
    dimension: str
    factor: Decimal = Decimal(1)
    times: Decimal = Decimal(1)


# No name of a unit is longer.
LONGEST: Final = 34
# Shorter names than this differ by capitals alone (Mb and MB), unless written in Han or Kana.
_FOLDABLE: Final = regex.compile(r"[\p{L}\p{M}]{3}|\s|[\u3040-\u30ff\u4e00-\u9fff]")
# In CLDR these names are numbers or other words in their language.
_NOT_NAMES: Final = {"fr": frozenset({"mille", "milles", "livre", "livres"})}


@dataclass(frozen=True, slots=True)
class UnitNames:
    """The units of a language by name as written, by `name_key`, and those that stand before the number."""

    exact: dict[str, Unit]
    folded: dict[str, Unit]
    before: dict[str, Unit]

    def add(self, name: str, unit: Unit) -> None:
        """Add a name that is not there yet."""
        if 0 < len(name) <= LONGEST:
            self.exact.setdefault(name, unit)
            if _FOLDABLE.search(name) or len(name) > 3:
                self.folded.setdefault(name_key(name), unit)


def name_key(name: str) -> str:
    """Return a name in small letters, with plain spaces and apostrophes and without hyphens."""
    return name.casefold().replace("-", " ").replace("\u00a0", " ").replace("’", "'")


@cache
def unit_named(name: str) -> Unit:
    """Return the unit of a canonical name."""
    return _units()[name]


def unit_spellings(name: str) -> frozenset[str]:
    """Return every name and sign of a unit or currency in all languages, case-folded, hyphens as spaces."""
    return _spellings().get(name, frozenset())


@cache
def _spellings() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {"inch": {"in"}, "GBP": {"pounds", "pound", "ポンド", "libras"}, "percent": {"百分之"}}
    found |= {"permille": {"千分之"}, "basis_point": {"万分之"}}
    for language in LANGUAGES:
        names = unit_names(language)
        for table in (names.exact, names.folded, names.before):
            for piece, unit in table.items():
                found.setdefault(unit.name, set()).add(name_key(piece))
    # The rest of such a unit stands before the number: «時速120キロ», «摄氏30度».
    for whole, part in (("kilometre_per_hour", "kilometre"), ("metre_per_second", "metre"), ("celsius", "degree")):
        found[whole] |= found[part]
    for whole, part in (("mile_per_hour", "mile"), ("kilometre_per_second", "kilometre"), ("fahrenheit", "degree")):
        found[whole] |= found[part]
    found["kilogram"] |= {"キロ"}
    found["HKD"] |= {"元"}
    found["TWD"] |= {"元"}
    found["foot"] |= {"'", "′"}
    found["inch"] |= {'"', "″", "”"}
    return {name: frozenset(pieces) for name, pieces in found.items()}


@cache
def _units() -> dict[str, Unit]:
    return {name: Unit(name, dimension, Decimal(factor)) for _, name, dimension, factor, _ in _rows()}


@cache
def _rows() -> tuple[tuple[str, str, str, str, str], ...]:
    rows = []
    for line in UNIT_ROWS.strip().splitlines():
        cldr, name, dimension, factor, signs = (cell.strip() for cell in line.split("|"))
        rows.append((cldr, name, dimension, factor, signs))
    return tuple(rows)


@cache
def unit_names(language: Language) -> UnitNames:
    """Return the tables of one language."""
    from babel import Locale

    locale = Locale.parse(language)
    names = UnitNames({}, {}, {})
    for line in (UNIT_NAMES | CJK_UNIT_NAMES)[language].strip().splitlines():
        name, _, pieces = line.partition(":")
        for piece in pieces.split(","):
            names.add(piece.strip(), unit_named(name))
    for cldr, name, _, _, signs in _rows():
        for sign in signs.split():
            names.exact.setdefault(sign, unit_named(name))
        for piece in _cldr_names(locale, cldr, language):
            names.add(piece, unit_named(name))
    _add_currencies(names, locale, language)
    if language in ("zh", "ja"):
        names.exact["成" if language == "zh" else "割"] = Unit("percent", "share", Decimal("0.01"), Decimal(10))
    return names


@cache
def unit_beginnings(language: Language) -> tuple[frozenset[str], frozenset[str]]:
    """Return the first two letters (or the only one) of all names, as written and of their keys."""
    names = unit_names(language)
    exact, folded = (frozenset(name[:2] for name in table) for table in (names.exact, names.folded))
    return exact, folded


def _cldr_names(locale: "Locale", cldr: str, language: Language) -> list[str]:
    """Return CLDR's long names of a unit, in English in both spellings, in German also in the dative and genitive."""
    from babel.units import format_unit

    if cldr == "-":
        return []
    found: list[str] = []
    for count in (1, 2):
        phrase = format_unit(count, cldr, length="long", locale=locale).replace("\u00a0", " ").replace("\u202f", " ")
        name = phrase.removeprefix(str(count)).strip()
        # A name around the number («時速 {0} キロメートル») is read by its prefix instead.
        if name == phrase or name in _NOT_NAMES.get(language, ()):
            continue
        found.append(name)
        if language == "en":
            found.append(regex.sub(r"(met|lit)er", r"\1re", name))
        elif language == "de":
            found.extend((name + "n", name + "s") if name.endswith("er") else (name + "n", name))
    return found


def _add_currencies(names: UnitNames, locale: "Locale", language: Language) -> None:
    from babel.numbers import get_currency_name

    for code, full in locale.currencies.items():
        if regex.search(r"\(|[0-9]", full):  # historical currencies
            continue
        unit = Unit(code, "currency")
        names.exact.setdefault(code, unit)
        if code not in WORDLIKE_CODES:
            names.before.setdefault(code, unit)
        for name in (full, *(get_currency_name(code, count, locale) for count in (1, 2))):
            names.add(name.replace(" ", "") if language == "ja" else name, unit)
    for sign, code in {**SIGNS, "¥": YEN_SIGN[language], "人民币": "CNY"}.items():
        names.exact[sign] = names.before[sign] = Unit(code, "currency")
    for table, times in ((SHORT_NAMES, "1"), (MINOR_NAMES, "0.01"), (TENTH_NAMES, "0.1")):
        for code, pieces in table.get(language, {}).items():
            for piece in pieces.split(","):
                names.add(piece.strip(), Unit(code, "currency", times=Decimal(times)))
