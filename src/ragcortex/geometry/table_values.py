"""What the cells of a table say in normal form, and the units that headers such as «price (EUR)» give them."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from functools import lru_cache
from typing import Final, Literal

import regex

from ragcortex.errors import InputError
from ragcortex.geometry.facts.fact import Amount, CalendarDate, ClockTime, Fact, FactValue

FactsOf = Callable[[str], tuple[Fact, ...]]
DecimalMark = Literal[".", ","]

_PLAIN: Final = {
    ".": regex.compile(r"[+\-−]?(?:\d{1,3}(?:[,'’\u00a0\u202f ]\d{3})+|\d+)(?:\.\d+)?"),
    ",": regex.compile(r"[+\-−]?(?:\d{1,3}(?:[.'’\u00a0\u202f ]\d{3})+|\d+)(?:,\d+)?"),
}
_SEPARATED: Final = regex.compile(r"\d+(?:[.,]\d+)+")
_ISO: Final = regex.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?")
_CLOCK: Final = regex.compile(r"(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?")
_BRACKETED: Final = regex.compile(r"[(\[（［]([^)\]）］]+)[)\]）］]")
_IN_UNIT: Final = regex.compile(r"\b(?:in|en)\s+(\S+)\s*$", regex.IGNORECASE)
_LAST_WORD: Final = regex.compile(r"(_|[\s\-/])([^\s_\-/]+)$")
_WORDS: Final = regex.compile(r"\p{Lu}?[\p{Ll}\p{M}]+|\p{Lu}+|\p{Lo}+")
# Headers that speak of money without naming a currency, by their words.
_MONEY: Final = regex.compile(
    r"(?i)^(?:prices?|costs?|fees?|amounts?|totals?|charges?|preise?|kosten|betrag|gebühr(?:en)?|summe|prix|coûts?"
    r"|montants?|tarifs?|precios?|costes?|costos?|importes?|tarifas?|价格|单价|价|费用|金额|価格|料金|金額|値段)$"
)
_SAMPLE: Final = 7
_MIDNIGHT: Final = time(0, 0)


@dataclass(frozen=True, slots=True)
class ColumnUnit:
    """What the numbers of a column measure.

    Attributes:
        unit, dimension, factor: as in Amount; the unit is None where the header says «price» and no currency.
        scale: what a number in a cell is multiplied with («revenue (million EUR)»: 1,000,000).
    """

    unit: str | None
    dimension: str
    factor: Decimal = Decimal(1)
    scale: Decimal = Decimal(1)


def unit_called(text: str, facts_of: FactsOf) -> ColumnUnit | None:
    """Return the unit a word or sign stands for, read as it would be in an answer; None if it is none."""
    for sample in (f"{_SAMPLE} {text}", f"{text} {_SAMPLE}"):
        for fact in facts_of(sample):
            value = fact.value
            whole = (fact.start, fact.end) == (0, len(sample))
            if whole and isinstance(value, Amount) and value.dimension is not None and value.low == value.high:
                return ColumnUnit(value.unit, value.dimension, value.factor, value.low / _SAMPLE)
    return None


def header_unit(header: str, facts_of: FactsOf) -> ColumnUnit | None:
    """Return the unit a header names: in brackets, after «in», or as its last word; or money by a word such as price.

    A single letter counts only after an underscore («weight_g»), since «Vitamin C» and «Plan B» name no unit.
    """
    candidates = [match.strip() for match in _BRACKETED.findall(header)]
    if match := _IN_UNIT.search(header):
        candidates.append(match[1])
    last = _LAST_WORD.search(header)
    if last and last[2].casefold() not in ("in", "no", "id") and (last[1] == "_" or len(last[2]) > 1):
        candidates.append(last[2])
    # «price_usd»: currency codes are upper-case in a text, and seldom in a header.
    candidates += [each.upper() for each in candidates if len(each) == 3 and each.isalpha() and each.islower()]
    for candidate in candidates:
        if (unit := unit_called(candidate, facts_of)) is not None:
            return unit
    if any(_MONEY.match(word) for word in header_words(header)):
        return ColumnUnit(None, "currency")
    return None


def header_words(header: str) -> tuple[str, ...]:
    """Return the words of a header, case-folded: of «deliveryDate», «delivery_date» and «Delivery date (CET)» alike.

    What stands in brackets is no word of it.
    """
    return tuple(word.casefold() for word in _WORDS.findall(_BRACKETED.sub(" ", header)))


def plain_number(text: str, mark: DecimalMark) -> Decimal | None:
    """Return the value of a cell that is nothing but a number, exactly; None if it is something else.

    >>> plain_number("1.234,50", ",")
    Decimal('1234.50')
    """
    text = text.strip()
    if _PLAIN[mark].fullmatch(text) is None:
        return None
    digits = "".join(character for character in text if character.isdecimal() or character == mark)
    value = Decimal(digits.replace(",", "."))
    return -value if text[0] in "-−" else value


def cell_values(
    text: str, unit: ColumnUnit | None, mark: DecimalMark, date_format: str | None, facts_of: FactsOf
) -> tuple[FactValue, ...]:
    """Return the amounts, dates and times of a cell in normal form; none of a blank cell or one without any."""
    text = text.strip()
    number = plain_number(text, mark)
    if number is not None:
        return (_amount(number, unit),)
    moment = _moment(text, date_format)
    if moment is not None:
        return moment
    if not any(character.isalnum() for character in text):
        return ()
    facts = facts_of(_SEPARATED.sub(lambda match: _neutral(match[0], mark), text))
    return tuple(fact.value for fact in facts if isinstance(fact.value, (Amount, CalendarDate, ClockTime)))


def is_value(text: str, mark: DecimalMark, date_format: str | None, facts_of: FactsOf) -> bool:
    """Return whether a cell is an amount, a date or a time and nothing else, so that it names no row."""
    text = text.strip()
    if plain_number(text, mark) is not None or _moment(text, date_format) is not None:
        return True
    if not any(character.isdecimal() for character in text):
        return False
    covered = sum(
        fact.end - fact.start
        for fact in facts_of(text)
        if isinstance(fact.value, (Amount, CalendarDate, ClockTime)) and fact.kind != "ordinal"
    )
    return covered >= len(text)


def _amount(number: Decimal, unit: ColumnUnit | None) -> Amount:
    if unit is None or unit.unit is None:
        return Amount(number, number)
    value = number * unit.scale
    return Amount(value, value, unit.unit, unit.dimension, unit.factor)


def _neutral(number: str, mark: DecimalMark) -> str:
    """Return a number inside a text without thousands separators and with a decimal point; other figures as they are.

    >>> _neutral("1.234,50", ",")
    '1234.50'
    """
    value = plain_number(number, mark)
    return number if value is None else str(value)


def _moment(text: str, date_format: str | None) -> tuple[FactValue, ...] | None:
    """Return the date and time of an ISO 8601 cell, or of one in the table's own format; None if it is no such cell."""
    if _ISO.fullmatch(text):
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:  # the 31st of February: no date, and nothing else either
            return ()
        return (calendar_date(moment),) if len(text) == 10 else _both(moment)
    if _CLOCK.fullmatch(text):
        hour, minute = (int(part) for part in text.split(":")[:2])
        return (ClockTime(60 * hour + minute, 60 * hour + minute),)
    if date_format is None:
        return None
    return _formatted(text, date_format)


@lru_cache(maxsize=4096)
def _formatted(text: str, date_format: str) -> tuple[FactValue, ...] | None:
    try:
        return _both(datetime.strptime(text, date_format))
    except ValueError:  # it is written in another way
        return None


def check_date_format(date_format: str | None) -> None:
    """Refuse a format that `strptime` does not know, or that leaves out the year, the month or the day.

    Raises:
        InputError: naming the field.
    """
    if date_format is None:
        return
    directives = set(regex.findall(r"%([A-Za-z])", date_format.replace("%%", "")))
    if not (directives & set("Yy") and directives & set("mbB") and "d" in directives):
        raise InputError("date_format", f"must have year, month and day, such as %d/%m/%Y, got {date_format!r}")
    try:
        datetime.strptime("", date_format)
    except ValueError as error:
        if "does not match" not in str(error):
            raise InputError("date_format", f"{date_format!r} is no strptime format: {error}") from None


def _both(moment: datetime) -> tuple[FactValue, ...]:
    if moment.time() == _MIDNIGHT:
        return (calendar_date(moment),)
    minutes = 60 * moment.hour + moment.minute
    return calendar_date(moment), ClockTime(minutes, minutes)


def calendar_date(day: date) -> CalendarDate:
    """Return a date with its weekday, which a sentence may name."""
    return CalendarDate(year=day.year, month=day.month, day=day.day, weekday=day.weekday())
