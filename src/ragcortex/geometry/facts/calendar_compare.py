"""Whether one date contains or contradicts another, decided on the sets of days that they stand for.

A date stands for all days that fit the parts it gives: «1889» for 365 days, «March» for 31 days of every year,
«Monday–Friday» for five days of every week. Years, months and days together make one stretch; weekdays are a second,
independent condition.
"""

from calendar import isleap
from datetime import date, timedelta
from functools import lru_cache
from typing import Final, NamedTuple

from ragcortex.geometry.facts.fact import CalendarDate

# A set of days of the year is an integer with one bit a day of a leap year: 31 slots a month, some of them unused.
_DAYS_IN: Final[tuple[int, ...]] = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_ENDLESS: Final = 10**9
_FIRST_GREGORIAN_YEAR: Final = 1583
_ALL_WEEKDAYS: Final = frozenset(range(7))


class _Piece(NamedTuple):
    """The same set of days in each year of a stretch of years."""

    first_year: int
    last_year: int
    days: int


def covers(wide: CalendarDate, narrow: CalendarDate) -> bool:
    """Return whether every day that `narrow` may mean is a day of `wide`: «1889» covers «31 March 1889».

    Where `wide` gives weekdays, those of `narrow` must be among them: the ones it gives, else those its days fall on
    (from 1583, when the calendar became the present one).

    >>> covers(CalendarDate(weekday=0, last_weekday=4), CalendarDate(weekday=1))
    True
    """
    if wide.weekday is not None and not _weekdays(narrow) <= _cycle(wide.weekday, wide.last_weekday, 0, 6):
        return False
    around = _pieces(wide)
    return all(_covered(piece, around) for piece in _pieces(narrow))


def contradicts(a: CalendarDate, b: CalendarDate) -> bool:
    """Return whether no day fits what both give: another year, month, day or weekday, or stretches that do not meet.

    A weekday of one is not compared with the year, month and day of the other.

    >>> contradicts(CalendarDate(year=1889), CalendarDate(year=1898)), contradicts(
    ...     CalendarDate(year=1889), CalendarDate(month=3)
    ... )
    (True, False)
    """
    if a.weekday is not None and b.weekday is not None:
        here = _cycle(a.weekday, a.last_weekday, 0, 6)
        if not here & _cycle(b.weekday, b.last_weekday, 0, 6):
            return True
    return not any(
        one.days & other.days and one.first_year <= other.last_year and other.first_year <= one.last_year
        for one in _pieces(a)
        for other in _pieces(b)
    )


def days_in_month(month: int) -> int:
    """Return the number of days of a month, 1 to 12, in a leap year."""
    return _DAYS_IN[month - 1]


def _covered(piece: _Piece, around: tuple[_Piece, ...]) -> bool:
    """Whether every day of `piece` is in one of the pieces `around`, which have no year in common."""
    days = piece.days
    if piece.first_year == piece.last_year and not isleap(piece.first_year):
        days &= ~_bit(2, 29)
    reached = piece.first_year
    for other in around:
        if other.first_year > piece.last_year or other.last_year < piece.first_year:
            continue
        if other.first_year > reached or days & ~other.days:
            return False
        reached = other.last_year + 1
    return reached > piece.last_year


@lru_cache(maxsize=4096)
def _pieces(value: CalendarDate) -> tuple[_Piece, ...]:
    """The days of a date's years, months and days as pieces in order of their years; weekdays are left out."""
    if value.year is None:
        return (_Piece(-_ENDLESS, _ENDLESS, _days_of_any_year(value)),)
    last_year = value.year if value.last_year is None else value.last_year
    if value.month is None or last_year < value.year:
        return (_Piece(value.year, max(value.year, last_year), _days_of_any_year(value)),)
    first = (value.month, value.day or 1)
    last = (value.last_month or value.month, value.last_day or value.day or 31)
    if last_year == value.year:
        return (_Piece(value.year, value.year, _between(first, last)),)
    pieces = [_Piece(value.year, value.year, _between(first, (12, 31)))]
    if last_year - value.year > 1:
        pieces.append(_Piece(value.year + 1, last_year - 1, _between((1, 1), (12, 31))))
    return (*pieces, _Piece(last_year, last_year, _between((1, 1), last)))


def _days_of_any_year(value: CalendarDate) -> int:
    if value.month is not None:
        first = (value.month, value.day or 1)
        return _between(first, (value.last_month or value.month, value.last_day or value.day or 31))
    if value.day is not None:
        days = _cycle(value.day, value.last_day, 1, 31)
        return sum(_bit(month, day) for month in range(1, 13) for day in days if day <= _DAYS_IN[month - 1])
    return _between((1, 1), (12, 31))


def _between(first: tuple[int, int], last: tuple[int, int]) -> int:
    """The days from `first` to `last` (month, day), through the turn of the year where `last` comes before `first`."""
    every = [(month, day) for month in range(1, 13) for day in range(1, _DAYS_IN[month - 1] + 1)]
    wraps = last < first
    return sum(_bit(*day) for day in every if (day >= first or day <= last if wraps else first <= day <= last))


def _bit(month: int, day: int) -> int:
    return 1 << ((month - 1) * 31 + day - 1)


def _cycle(first: int, last: int | None, lowest: int, highest: int) -> frozenset[int]:
    """The values from `first` to `last`, going on at `lowest` after `highest`."""
    if last is None:
        return frozenset((first,))
    if first <= last:
        return frozenset(range(first, last + 1))
    return frozenset(range(first, highest + 1)) | frozenset(range(lowest, last + 1))


@lru_cache(maxsize=4096)
def _weekdays(value: CalendarDate) -> frozenset[int]:
    """The weekdays a date gives, else those its days fall on, all seven where that cannot be told."""
    if value.weekday is not None:
        return _cycle(value.weekday, value.last_weekday, 0, 6)
    if value.year is None or value.month is None or value.day is None or value.year < _FIRST_GREGORIAN_YEAR:
        return _ALL_WEEKDAYS
    try:
        day = date(value.year, value.month, value.day)
        last = date(value.last_year or value.year, value.last_month or value.month, value.last_day or value.day)
    except ValueError:  # 31 February: the class does not know the lengths of months
        return _ALL_WEEKDAYS
    if not 0 <= (last - day).days < 6:
        return _ALL_WEEKDAYS
    return frozenset((day + timedelta(days=step)).weekday() for step in range((last - day).days + 1))
