"""Other readings of dates and times that are written ambiguously: 03/04/2020, 31.03.89, the 1900s, 5 o'clock."""

from dataclasses import replace
from typing import Final

import regex

from ragcortex.errors import InputError
from ragcortex.geometry.facts.calendar_cjk import period_of
from ragcortex.geometry.facts.calendar_clock import DAY, NOON
from ragcortex.geometry.facts.calendar_days import numeric_date, numeric_match
from ragcortex.geometry.facts.fact import CalendarDate, ClockTime, Fact

_YEAR_AND_MONTH: Final = regex.compile(r"(?P<first>\d{4})-(?P<last>\d{2})")
_ROUND_HUNDRED: Final = regex.compile(r"\d\d00(?!\d)")
_GERMAN_WORKDAYS: Final = regex.compile(r"[Ww]erktag")
# What fixes the half of the day: a meridiem, a part of the day, noon, midnight, «0» before the hour.
_FIXED_HALF: Final = regex.compile(
    r"[ap]\.?\s?m\b|noon|midday|mid|mediod|medianoche|mitternacht|minuit|morning|afternoon|evening|night|morgens|früh"
    r"|mittag|abends|nachts|matin|soir|mañana|tarde|noche|madrugada|正午|午夜|零|(?<!\d)0\d",
    regex.IGNORECASE,
)


def date_readings(fact: Fact) -> tuple[CalendarDate, ...]:
    """Return every date that the fact may mean, its value first: «03/04/2020» is 4 March or 3 April.

    Two digits of a year may be of this century or the last, «2001-02» a month or two years, «the 1900s» a century or
    a decade, German «werktags» five days or six.

    Raises:
        InputError: the fact is not a date.
    """
    value = fact.value
    if not isinstance(value, CalendarDate):
        raise InputError("fact", f"must be of kind date to have date readings, got {fact.kind}")
    readings = [value]
    numeric = numeric_match(fact.text.translate(PLAIN))
    if numeric is not None:
        orders = (numeric_date(numeric, month_first=first) for first in (True, False))
        readings += [order for order in orders if order is not None]
        if len(numeric["year"]) == 2:
            readings += [
                replace(date, year=date.year + (100 if date.year < 2000 else -100)) for date in readings if date.year
            ]
    readings += _stretches(fact.text, value)
    return tuple(dict.fromkeys(readings))


def clock_readings(fact: Fact) -> tuple[ClockTime, ...]:
    """Return every time that the fact may mean, its value first: «5:30» without more may be of the afternoon.

    Raises:
        InputError: the fact is not a time.
    """
    value = fact.value
    if not isinstance(value, ClockTime):
        raise InputError("fact", f"must be of kind time to have clock readings, got {fact.kind}")
    if value.first == value.last and value.first in (0, DAY):
        return value, ClockTime(DAY - value.first, DAY - value.first)  # midnight begins a day and ends one
    hours = {value.first // 60, value.last // 60}
    if not all(1 <= hour <= 12 for hour in hours) or _FIXED_HALF.search(fact.text) or period_of(fact.text):
        return (value,)
    first, last = ((minutes + NOON) % DAY for minutes in (value.first, value.last))
    if value.first == value.last:
        return value, ClockTime(first, first)
    return value, ClockTime(first, last), ClockTime(value.first, last)


def _stretches(text: str, value: CalendarDate) -> list[CalendarDate]:
    match = _YEAR_AND_MONTH.fullmatch(text)
    if match is not None and value.month is not None:
        first = int(match["first"])
        last = first - first % 100 + int(match["last"])
        return [CalendarDate(first, last_year=last)] if first < last else []
    if value.year is not None and value.last_year == value.year + 99 and _ROUND_HUNDRED.search(text):
        return [CalendarDate(value.year, last_year=value.year + 9)]
    if value.weekday == 0 and value.last_weekday == 4 and _GERMAN_WORKDAYS.match(text):
        return [CalendarDate(weekday=0, last_weekday=5)]
    return []


# Full-width digits, letters and signs, one character for one, so that positions stay. The full-width comma parts
# clauses and never the digits of a date, so it is no decimal comma before «，18:00».
PLAIN: Final = {0xFF01 + step: 0x21 + step for step in range(94)} | {0x3000: 0x20, 0xFF0C: 0x3001}
