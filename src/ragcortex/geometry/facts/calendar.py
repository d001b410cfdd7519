"""Dates and times of day in one normal form: «31. März 1889», «March 31st, 1889» and «1889年3月31日» are equal.

The names of months and weekdays are CLDR's, through babel. `covers` and `contradicts` say how two dates relate;
`date_readings` and `clock_readings` what else an ambiguous one may mean.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final

import regex

from ragcortex.geometry.facts import calendar_cjk, calendar_clock
from ragcortex.geometry.facts.calendar_compare import contradicts, covers
from ragcortex.geometry.facts.calendar_days import day_pieces, month_and_weekday_pieces, numeric_pieces
from ragcortex.geometry.facts.calendar_readings import PLAIN, clock_readings, date_readings
from ragcortex.geometry.facts.calendar_words import Piece
from ragcortex.geometry.facts.calendar_years import stretch_pieces, year_pieces
from ragcortex.geometry.facts.fact import CalendarDate, ClockTime, Fact, Language

__all__ = ["calendar_facts", "clock_readings", "contradicts", "covers", "date_readings"]

_CJK: Final = regex.compile(r"[\p{Han}]")
_DIGIT: Final = regex.compile(r"\d")
_MAYBE: Final = regex.compile(r"[\d\p{Han}]|\p{L}{2}")
_UNTIL: Final = regex.compile(
    r"\s*[–—~～〜-]\s*|\s+(?:to|until|till|through|thru|bis(?:\s+(?:zum|einschließlich))?|à|au|jusqu['’](?:à|au|en)|a|al"
    r"|hasta(?:\s+(?:el|las?))?)\s+(?:the\s+|las?\s+)?|\s*(?:から|至|到)\s*",
    regex.IGNORECASE,
)
_AND: Final = regex.compile(r"\s+(?:and|und|et|y|e)\s+(?:the\s+|dem\s+|le\s+|el\s+|las?\s+)?", regex.IGNORECASE)
_BETWEEN: Final = regex.compile(
    r"(?<!\p{L})(?:between|zwischen|entre)\s+(?:the\s+|dem\s+|le\s+|el\s+|las?\s+)?$", regex.IGNORECASE
)


def calendar_facts(text: str, language: Language) -> tuple[Fact, ...]:
    """Return the dates and times of day of the text, of kinds «date» and «time», in order and without overlap.

    A stretch («Monday to Friday», «1914–1918», «9:00–17:00») is one fact. Chinese and Japanese forms are read in any
    text that has Chinese characters, English ones also in Chinese and Japanese text.

    >>> [fact.value for fact in calendar_facts("Opened on 31 March 1889.", "en")] == [CalendarDate(1889, 3, 31)]
    True
    """
    if not _MAYBE.search(text):
        return ()
    pieces = _joined(text, _apart(text, _pieces(text.translate(PLAIN), language)))
    return tuple(
        Fact(
            "time" if isinstance(piece.value, ClockTime) else "date",
            piece.start,
            piece.end,
            text[piece.start : piece.end],
            piece.value,
        )
        for piece in pieces
        if not piece.weak
    )


def _pieces(text: str, language: Language) -> Iterator[Piece]:
    """All candidates, the most specific first."""
    european: Language = "en" if language in ("zh", "ja") else language
    latin = european == language or _has_latin(text)
    unspaced = _CJK.search(text) is not None
    has_digits = _DIGIT.search(text) is not None
    if has_digits:
        yield from numeric_pieces(text, language)
    if unspaced:
        yield from calendar_cjk.date_pieces(text)
        yield from calendar_cjk.clock_pieces(text)
        yield from calendar_cjk.weekday_pieces(text)
    if latin:
        yield from day_pieces(text, european)
    yield from calendar_clock.clock_pieces(text, european)
    if latin:
        yield from stretch_pieces(text, european)
        if has_digits:
            yield from year_pieces(text, european)
        yield from month_and_weekday_pieces(text, european)


@cache
def _latin() -> regex.Pattern[str]:
    return regex.compile(r"[A-Za-z]{2}|[(]\d{4}|\d{4}\s?[–-]\s?\d")


def _has_latin(text: str) -> bool:
    return _latin().search(text) is not None


def _apart(text: str, pieces: Iterable[Piece]) -> list[Piece]:
    """The pieces in order of the text, without those that overlap an earlier candidate."""
    taken = bytearray(len(text))
    kept = []
    for piece in pieces:
        if not any(taken[piece.start : piece.end]):
            taken[piece.start : piece.end] = b"\x01" * (piece.end - piece.start)
            kept.append(piece)
    return sorted(kept, key=lambda piece: piece.start)


def _joined(text: str, pieces: list[Piece]) -> list[Piece]:
    """Make one piece of two with «to» or a dash between them."""
    joined: list[Piece] = []
    for piece in pieces:
        previous = joined[-1] if joined else None
        value = _stretch(text, previous, piece) if previous is not None else None
        if previous is not None and value is not None:
            joined[-1] = Piece(previous.start, piece.end, value)
        else:
            joined.append(piece)
    return joined


def _stretch(text: str, first: Piece, last: Piece) -> CalendarDate | ClockTime | None:
    """The stretch from one piece to the next, None where they are not joined or not of one kind."""
    between = text[first.end : last.start]
    until = len(between) <= 24 and _UNTIL.fullmatch(between) is not None
    both = (
        len(between) <= 12 and _AND.fullmatch(between) and _BETWEEN.search(text[max(0, first.start - 24) : first.start])
    )
    if not until and not both:
        return None
    if isinstance(first.value, ClockTime) and isinstance(last.value, ClockTime):
        return _hours(text, first, last)
    if isinstance(first.value, CalendarDate) and isinstance(last.value, CalendarDate):
        return _days(first.value, last.value)
    return None


def _hours(text: str, first: Piece, last: Piece) -> ClockTime | None:
    start, end = first.value, last.value
    if not isinstance(start, ClockTime) or not isinstance(end, ClockTime):
        return None
    if start.first != start.last or end.first != end.last:
        return None
    close = end.last or calendar_clock.DAY
    said = calendar_cjk.period_of(text[first.start : first.end])
    # «下午2点至5点»: the part of the day is said once.
    once = said is not None and calendar_cjk.period_of(text[last.start : last.end]) is None
    if once and close <= calendar_clock.NOON <= start.first < close + calendar_clock.NOON:
        close += calendar_clock.NOON
    return ClockTime(start.first, close)


def _days(first: CalendarDate, last: CalendarDate) -> CalendarDate | None:
    """The stretch between two single dates of one grain; the first takes from the last what it does not say."""
    if any((first.last_year, first.last_month, first.last_day, first.last_weekday)):
        return None
    if any((last.last_year, last.last_month, last.last_day, last.last_weekday)):
        return None
    if _grain(first) != _grain(last):
        return None
    if first.year is first.month is None and first.weekday is not None:
        return CalendarDate(weekday=first.weekday, last_weekday=last.weekday)
    start, end = (first.month or 0, first.day or 0), (last.month or 0, last.day or 0)
    year, last_year = first.year, last.year
    if year is None and last_year is not None:
        year = last_year - (start > end)
    elif year is not None and last_year is None:
        last_year = year + (start > end)
    if year is not None and last_year is not None and (year, *start) >= (last_year, *end):
        return None
    return CalendarDate(
        year,
        first.month,
        first.day,
        last_year=last_year if last_year != year else None,
        last_month=last.month if (last.month, last_year) != (first.month, year) else None,
        last_day=last.day if end != start or last_year != year else None,
    )


def _grain(date: CalendarDate) -> str:
    if date.day is not None:
        return "day"
    if date.month is not None:
        return "month"
    return "year" if date.year is not None else "weekday"
