"""What ambiguous dates and times may mean, and how two dates relate, against an enumeration of days."""

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.errors import InputError
from ragcortex.geometry.facts.calendar import calendar_facts, clock_readings, contradicts, covers, date_readings
from ragcortex.geometry.facts.fact import CalendarDate, ClockTime, Fact, Language, Name


def day(year=None, month=None, day=None, weekday=None, **last) -> CalendarDate:
    return CalendarDate(year, month, day, weekday, **{f"last_{name}": value for name, value in last.items()})


def at(first: int | float, last: int | float | None = None) -> ClockTime:
    """The time of day in hours: 9.5 is 9:30."""
    return ClockTime(round(first * 60), round((first if last is None else last) * 60))


MARCH_31 = day(1889, 3, 31)
WORKDAYS = CalendarDate(weekday=0, last_weekday=4)


def values(text: str, language: Language) -> list[CalendarDate | ClockTime]:
    facts = calendar_facts(text, language)
    assert all(text[fact.start : fact.end] == fact.text for fact in facts)
    return [fact.value for fact in facts]  # type: ignore[misc]


def readings(text: str, language: Language) -> set[CalendarDate]:
    (fact,) = calendar_facts(text, language)
    found = date_readings(fact)
    assert found[0] == fact.value
    return set(found)


def test_readings_of_ambiguous_dates():
    assert values("03/04/2020", "en") == [day(2020, 3, 4)]
    assert values("03/04/2020", "fr") == [day(2020, 4, 3)]
    assert readings("03/04/2020", "en") == {day(2020, 3, 4), day(2020, 4, 3)}
    assert readings("13/04/2020", "en") == {day(2020, 4, 13)}
    assert readings("2020-03-04", "en") == {day(2020, 3, 4)}
    assert readings("31.03.89", "de") == {day(1989, 3, 31), day(2089, 3, 31)}
    assert readings("2001-02", "en") == {day(2001, 2), CalendarDate(2001, last_year=2002)}
    assert readings("the 1900s", "en") == {CalendarDate(1900, last_year=1999), CalendarDate(1900, last_year=1909)}
    assert readings("werktags", "de") == {WORKDAYS, CalendarDate(weekday=0, last_weekday=5)}


def test_readings_of_ambiguous_times():
    def all_of(text: str, language: Language) -> set[ClockTime]:
        (fact,) = calendar_facts(text, language)
        return set(clock_readings(fact))

    assert all_of("at 5:30", "en") == {at(5.5), at(17.5)}
    assert all_of("five o'clock", "en") == {at(5), at(17)}
    assert all_of("5 pm", "en") == {at(17)}
    assert all_of("at 17:00", "en") == {at(17)}
    assert all_of("at 05:30", "en") == {at(5.5)}
    assert all_of("上午9点", "zh") == {at(9)}
    assert all_of("midnight", "en") == {at(0), at(24)}


def test_readings_refuse_other_facts():
    name = Fact("name", 0, 5, "Paris", Name(("paris",)))
    with pytest.raises(InputError) as raised:
        date_readings(name)
    assert str(raised.value) == "fact: must be of kind date to have date readings, got name"
    with pytest.raises(InputError) as raised:
        clock_readings(name)
    assert str(raised.value) == "fact: must be of kind time to have clock readings, got name"


def test_covers_and_contradicts_as_people_say():
    year = CalendarDate(1889)
    assert covers(year, MARCH_31)
    assert not covers(MARCH_31, year)
    assert covers(CalendarDate(1880, last_year=1889), year)
    assert covers(WORKDAYS, day(weekday=1))
    assert not covers(WORKDAYS, day(weekday=6))
    assert covers(day(1889, 3, 31, 6), MARCH_31)  # it was a Sunday
    assert not covers(day(1889, 3, 31, 0), MARCH_31)
    assert not covers(year, day(month=3))
    assert contradicts(MARCH_31, day(1898, 3, 31))
    assert not contradicts(year, day(month=3, day=31))
    assert not contradicts(day(weekday=0), MARCH_31)
    assert contradicts(WORKDAYS, day(weekday=6))
    assert covers(CalendarDate(2019, 2, 1, last_day=28), CalendarDate(2019, 2))
    assert not covers(CalendarDate(2020, 2, 1, last_day=28), CalendarDate(2020, 2))


# ---- The same, day by day: slow, and obviously right inside the window.
WINDOW = [date(2018, 1, 1) + timedelta(days=step) for step in range(365 * 5 + 1)]


def given_parts(value: CalendarDate) -> list[str]:
    return [name for name in ("year", "month", "day") if getattr(value, name) is not None]


def fits_stretch(value: CalendarDate, one: date) -> bool:
    """Whether the day lies between the first and the last year, month and day, compared part by part."""
    parts = given_parts(value)
    if parts == ["year", "day"]:  # no month: the day of every month of these years
        last = value.last_year or value.year
        return value.year <= one.year <= last and fits_stretch(
            CalendarDate(day=value.day, last_day=value.last_day), one
        )
    first = tuple(getattr(value, name) for name in parts)
    last = tuple(getattr(value, f"last_{name}") or getattr(value, name) for name in parts)
    key = tuple(getattr(one, name) for name in parts)
    if value.year is not None or first <= last:
        return first <= key <= last
    return key >= first or key <= last


def fits_weekday(value: CalendarDate, one: date) -> bool:
    if value.weekday is None:
        return True
    last = value.weekday if value.last_weekday is None else value.last_weekday
    return (one.weekday() - value.weekday) % 7 <= (last - value.weekday) % 7


def last_of(values: dict[str, int]) -> tuple[int, ...]:
    return tuple(values.get(f"last_{name}", values[name]) for name in ("year", "month", "day") if name in values)


@st.composite
def dates_of_the_window(draw) -> CalendarDate:
    parts = draw(st.sampled_from(["y", "ym", "ymd", "m", "md", "d", "w", "yw", "mw", "ymdw", "mdw"]))
    limits = {"year": (2019, 2021), "month": (1, 12), "day": (1, 28), "weekday": (0, 6)}
    values: dict[str, int] = {}
    for name, (low, high) in limits.items():
        if name[0] in parts:
            values[name] = draw(st.integers(low, high))
            if draw(st.booleans()):
                values[f"last_{name}"] = draw(st.integers(values[name] if name == "year" else low, high))
    if "y" in parts and last_of(values) < tuple(values[name] for name in ("year", "month", "day") if name in values):
        values = {name: value for name, value in values.items() if not name.startswith("last_")}  # it would turn back
    return CalendarDate(**values)


@settings(max_examples=150, deadline=None)
@given(dates_of_the_window(), dates_of_the_window())
def test_covers_is_that_every_day_of_one_is_a_day_of_the_other(wide, narrow):
    days = [one for one in WINDOW if fits_stretch(narrow, one)]
    stated = [one for one in WINDOW if fits_weekday(narrow, one)] if narrow.weekday is not None else days
    single_days = {"year", "month", "day"} <= set(given_parts(narrow)) and len(days) <= 6
    on_weekdays = stated if narrow.weekday is not None or single_days else WINDOW
    expected = all(fits_stretch(wide, one) for one in days) and all(fits_weekday(wide, one) for one in on_weekdays)
    assert covers(wide, narrow) == expected


@settings(max_examples=150, deadline=None)
@given(dates_of_the_window(), dates_of_the_window())
def test_contradicts_is_that_no_day_is_of_both(a, b):
    apart = not any(fits_stretch(a, one) and fits_stretch(b, one) for one in WINDOW)
    weekdays = a.weekday is not None and b.weekday is not None
    apart = apart or (weekdays and not any(fits_weekday(a, one) and fits_weekday(b, one) for one in WINDOW))
    assert contradicts(a, b) == contradicts(b, a) == apart


@settings(max_examples=60, deadline=None)
@given(dates_of_the_window())
def test_a_date_covers_itself_and_does_not_contradict_itself(value):
    if value.weekday is None or set(given_parts(value)) == set():
        assert covers(value, value)
    assert not contradicts(value, value)
