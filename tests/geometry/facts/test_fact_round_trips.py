"""What a language's own formatter writes is read back as the value it was written from (CLDR, by Babel).

Numbers and days are written and read in `test_numerals` and `test_calendar`.
"""

from datetime import date, time
from decimal import Decimal

import pytest
from babel.dates import format_date, format_time
from babel.numbers import format_compact_decimal, format_currency, format_percent, format_scientific
from babel.units import format_unit
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ragcortex.geometry.facts.amounts import amounts
from ragcortex.geometry.facts.calendar import calendar_facts
from ragcortex.geometry.facts.fact import LANGUAGES, CalendarDate, ClockTime

MONEY = st.decimals(min_value=1, max_value=10**9, places=2, allow_nan=False)
CURRENCIES = ("USD", "EUR", "GBP", "CHF", "INR", "SEK", "NOK", "DKK", "PLN", "BRL", "AUD", "CAD")
# CLDR's names of units, and ours.
UNITS = {
    "length-kilometer": "kilometre", "length-meter": "metre", "mass-kilogram": "kilogram", "mass-gram": "gram",
    "volume-liter": "litre", "duration-day": "day", "duration-hour": "hour", "duration-minute": "minute",
    "area-square-meter": "square_metre", "temperature-celsius": "celsius",
}  # fmt: skip


def only(text, language):
    found = amounts(text, language)
    assert len(found) == 1, (text, found)
    return found[0]


@settings(max_examples=60, deadline=None)
@given(MONEY, st.sampled_from(CURRENCIES), st.sampled_from(LANGUAGES))
def test_money(value, currency, language):
    written = [
        format_currency(value, currency, locale=language),
        format_currency(value, currency, "#,##0.00 ¤¤", locale=language),
        format_currency(value, currency, "¤¤ #,##0.00", locale=language),
        format_currency(value, currency, "¤¤#,##0.00", locale=language),
    ]
    for text in written:
        fact = only(text, language)
        assert (fact.kind, fact.value.low, fact.value.unit) == ("money", value, currency), text


@settings(max_examples=60, deadline=None)
@given(st.decimals(min_value=0, max_value=500, places=1, allow_nan=False), st.sampled_from(LANGUAGES))
def test_percentages(value, language):
    text = format_percent(value / 100, locale=language, decimal_quantization=False)
    fact = only(text, language)
    assert (fact.kind, fact.value.low) == ("percentage", value), text


@settings(max_examples=60, deadline=None)
@given(
    st.integers(2, 10**6) | st.decimals(min_value=2, max_value=10**4, places=1, allow_nan=False),
    st.sampled_from(sorted(UNITS)),
    st.sampled_from(("long", "short")),
    st.sampled_from(LANGUAGES),
)
def test_quantities(value, unit, length, language):
    # «2 j» and «2 d» are no days: the letter alone begins other words («le 2 j'arrive»).
    assume(not (unit == "duration-day" and length == "short" and language in ("fr", "es")))
    fact = only(format_unit(value, unit, length, locale=language), language)
    assert (fact.value.low, fact.value.unit) == (Decimal(value), UNITS[unit]), fact


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("value", [5_900_000, 12_000, 7_000_000_000, 350_000])
def test_magnitude_words(language, value):
    text = format_compact_decimal(value, format_type="long", locale=language, fraction_digits=1)
    assert only(text, language).value.low == value, text


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 99999), st.sampled_from(("en", "zh", "ja", "de", "fr", "es")))
def test_powers_of_ten(value, language):
    assert only(format_scientific(value, locale=language, decimal_quantization=False), language).value.low == value


@settings(max_examples=40, deadline=None)
@given(
    st.dates(date(1000, 1, 1), date(2099, 12, 31)), st.sampled_from(("full", "long", "medium")),
    st.sampled_from(LANGUAGES),
)  # fmt: skip
def test_days_in_every_length(day, length, language):
    (fact,) = calendar_facts(format_date(day, length, locale=language), language)
    assert isinstance(fact.value, CalendarDate)
    assert (fact.value.year, fact.value.month, fact.value.day) == (day.year, day.month, day.day)
    assert fact.value.weekday in (None, day.weekday())


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 23), st.integers(0, 59), st.sampled_from(("short", "medium")), st.sampled_from(LANGUAGES))
def test_times_of_day(hour, minute, length, language):
    (fact,) = calendar_facts(format_time(time(hour, minute), length, locale=language), language)
    assert fact.value == ClockTime(hour * 60 + minute, hour * 60 + minute)
