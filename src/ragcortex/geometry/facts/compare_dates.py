"""Dates and times of day of a claim against those of the references."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final, cast

import regex

from ragcortex.geometry.facts.calendar import clock_readings, contradicts, covers, date_readings
from ragcortex.geometry.facts.context import Context, amount_of
from ragcortex.geometry.facts.derivation import Basis, time_follows
from ragcortex.geometry.facts.fact import CalendarDate, ClockTime, Fact
from ragcortex.geometry.facts.finding import Finding, PlacedSheet, span_of

_PARTS: Final = (("year", "last_year"), ("month", "last_month", "day", "last_day"), ("weekday", "last_weekday"))
# A year before or after one that the sentence gives.
_NEXT_YEAR: Final = regex.compile(
    r"(?:following|next|previous|preceding) year|year (?:before|after|later|earlier)|(?:folgenden?|nächsten?|vorigen"
    r"|letzten) Jahr|Jahr (?:davor|danach|später|zuvor|darauf)|Vorjahr|Folgejahr|année (?:suivante|précédente)"
    r"|an plus tard|año (?:siguiente|anterior|después)|翌年|前年|次年|去年|上一年|第二年|上年",
    flags=regex.IGNORECASE,
)
# Where a stretch of hours has one of its ends: «closes at 8 pm».
_EDGE: Final = regex.compile(
    r"\b(?:open(?:s|ed)?|clos(?:es|ed|ing)|start|begin|end|finish|until|till|from)|öffnet|schließt|beginnt|endet|\bbis\b|\bab\b"
    r"|ouvre|ferme|commence|jusqu|à partir|abre|cierra|empieza|termina|hasta|desde|开门|關門|关门|开始|结束|开放到"
    r"|から|まで|開店|閉店|開館|閉館|始ま|終わ",
    flags=regex.IGNORECASE,
)


def date_findings(claim: PlacedSheet, context: Context, given: Sequence[PlacedSheet] = ()) -> Iterator[Finding]:
    """Yield the dates and times of a claim that the references contradict or lack; see `amount_findings`."""
    if claim.by_kind.get("date"):
        yield from _date_findings(claim, context, given)
    if claim.by_kind.get("time"):
        yield from _time_findings(claim, context, given)


def _date_findings(claim: PlacedSheet, context: Context, given: Sequence[PlacedSheet]) -> Iterator[Finding]:
    stated = _Stated(context.places)
    asked = _Stated(given)
    for fact in claim.by_kind["date"]:
        readings = date_readings(fact)
        if any(stated.has(reading) for reading in readings) or _is_counted(claim, fact, context):
            continue
        only_given = any(asked.has(reading) for reading in readings)
        found = _against(claim, fact, context, surely=only_given)
        if found is not None or not only_given:
            yield found or claim.found("date", span_of(fact))


class _Stated:
    """The dates that sentences give, with the ends of stretches, and the bare numbers that may be years."""

    def __init__(self, places: Iterable[PlacedSheet]) -> None:
        self.dates: list[CalendarDate] = []
        self.numbers: set[int] = set()
        for place in places:
            for fact in place.by_kind.get("date", ()):
                self.dates += _with_ends(fact)
            for fact in place.by_kind.get("number", ()):
                value = amount_of(fact)
                self.numbers |= {int(end) for end in (value.low, value.high) if end == int(end) and value.unit is None}

    def has(self, value: CalendarDate) -> bool:
        """Return whether each part of a date (year; month and day; weekday) is given, in one place or in several."""
        if any(covers(value, other) for other in self.dates):
            return True
        ends = _ends(value)
        if len(ends) > 1:
            return all(self.has(end) for end in ends)
        parts = [part for names in _PARTS if (part := _only(value, names)) is not None]
        return all(self._has_part(part) for part in parts)

    def _has_part(self, part: CalendarDate) -> bool:
        if part.year is not None and part.year in self.numbers:
            return True
        return any(covers(part, other) or _is_within(part, other) for other in self.dates)


def _is_within(part: CalendarDate, other: CalendarDate) -> bool:
    """Return whether a weekday lies in a stretch of weekdays, or a month or day in a stretch of days."""
    names = _PARTS[2] if part.weekday is not None else _PARTS[1] if part.month is not None else None
    around = _only(other, names) if names is not None else None
    if around is None or (part.weekday is None and around.last_month is None and around.last_day is None):
        return False
    return covers(around, part)


@lru_cache(maxsize=16384)
def _with_ends(fact: Fact) -> tuple[CalendarDate, ...]:
    readings = date_readings(fact)
    return tuple(dict.fromkeys((*readings, *(end for one in readings for end in _ends(one)))))


def _ends(value: CalendarDate) -> tuple[CalendarDate, ...]:
    """Return the first and the last date of a stretch; the date alone where it is none."""
    last = value.last_year, value.last_month, value.last_day, value.last_weekday
    if all(part is None for part in last):
        return (value,)
    first = CalendarDate(value.year, value.month, value.day, value.weekday)
    month = value.last_month or value.month
    day = value.last_day if value.last_day is not None else value.day if value.last_month is None else None
    weekday = value.last_weekday if value.last_weekday is not None else value.weekday
    return first, CalendarDate(value.last_year or value.year, month, day, weekday)


def _only(date: CalendarDate, names: Sequence[str]) -> CalendarDate | None:
    """Return a date with only these parts, None where it gives none of them."""
    kept = {name: getattr(date, name) for name in names}
    return CalendarDate(**kept) if kept[names[0]] is not None or kept.get("day") is not None else None


def _is_counted(claim: PlacedSheet, fact: Fact, context: Context) -> bool:
    """Return whether a year follows from a stated one and a number of years, or from «the following year»."""
    value = cast(CalendarDate, fact.value)
    if value.year is None or value.last_year is not None:
        return False
    near = [place for place in context.places if claim.stems & context.stems(place)]
    steps = {
        int(amount.low)
        for place in (*near, claim)
        for other in place.by_kind.get("duration", ())
        if (amount := amount_of(other)).unit == "year" and amount.low == int(amount.low)
    }
    if any(_NEXT_YEAR.search(place.sheet.text) for place in (*near, claim)):
        steps.add(1)
    return any(abs(value.year - year) in steps for year in context.years)


def _against(claim: PlacedSheet, fact: Fact, context: Context, *, surely: bool) -> Finding | None:
    date = cast(CalendarDate, fact.value)
    for rival in context.rivals(claim, fact, ("date",)):
        other = cast(CalendarDate, rival.fact.value)
        about = rival.is_surely_about_the_same if surely else rival.is_about_the_same
        if about and _gives_alike(date, other) and all(contradicts(one, other) for one in date_readings(fact)):
            return claim.found("date", _differing(fact, date, other), rival.place, span_of(rival.fact))
    return None


def _gives_alike(date: CalendarDate, other: CalendarDate) -> bool:
    """Return whether both give a year, or a month or day, or a weekday: else they cannot contradict each other."""
    return any(_only(date, names) is not None and _only(other, names) is not None for names in _PARTS)


def _differing(fact: Fact, date: CalendarDate, other: CalendarDate) -> tuple[int, int]:
    """Return the year's place where only the year differs and stands in digits, else the whole date's."""
    if date.year is not None and other.year is not None and date.month is not None and other.month is not None:
        without_year = replace(date, year=None, last_year=None), replace(other, year=None, last_year=None)
        at = fact.text.find(str(date.year))
        if at >= 0 and not contradicts(*without_year):
            return fact.start + at, fact.start + at + len(str(date.year))
    return span_of(fact)


def _time_findings(claim: PlacedSheet, context: Context, given: Sequence[PlacedSheet]) -> Iterator[Finding]:
    times = _times(context.places)
    edges = _edges(times)
    asked = _edges(_times(given))
    basis = Basis(claim, context.places, tuple(given), ())
    for fact in claim.by_kind["time"]:
        readings = clock_readings(fact)
        if any(_is_time_stated(claim, one, times, edges) or time_follows(one, basis) for one in readings):
            continue
        only_given = any({one.first, one.last} <= asked for one in readings)
        rivals = context.rivals(claim, fact, ("time",))
        rival = next(
            (one for one in rivals if (one.is_surely_about_the_same if only_given else one.is_about_the_same)), None
        )
        if rival is not None:
            yield claim.found("date", span_of(fact), rival.place, span_of(rival.fact))
        elif not only_given:
            yield claim.found("date", span_of(fact))


def _is_time_stated(claim: PlacedSheet, time: ClockTime, times: Sequence[ClockTime], edges: frozenset[int]) -> bool:
    """Return whether the ends of a time are stated; a single time may also lie in a stretch, unless it ends one."""
    if {time.first, time.last} <= edges:
        return True
    within = any(other.first < time.first and time.last < other.last for other in times)
    return time.first == time.last and within and not _EDGE.search(claim.sheet.text)


def _times(places: Iterable[PlacedSheet]) -> list[ClockTime]:
    return [one for place in places for fact in place.by_kind.get("time", ()) for one in clock_readings(fact)]


def _edges(times: Iterable[ClockTime]) -> frozenset[int]:
    return frozenset(edge for time in times for edge in (time.first, time.last))
