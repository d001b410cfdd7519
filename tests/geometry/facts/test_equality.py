"""Amounts that are equal or follow from one another, by example and by property."""

from decimal import Decimal
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.geometry.facts.equality import comparable, follows_from, rounds_to, same_amount, satisfies, unit_differs
from ragcortex.geometry.facts.extract import fact_sheet
from ragcortex.geometry.facts.fact import Amount

NUMBERS = st.decimals(min_value=0, max_value=10**9, places=2, allow_nan=False)
UNITS = st.sampled_from(
    [
        (None, None, Decimal(1)),
        ("metre", "length", Decimal(1)),
        ("kilometre", "length", Decimal(1000)),
        ("USD", "currency", Decimal(1)),
        ("percent", "share", Decimal("0.01")),
        ("day", "time", Decimal(86400)),
    ]
)


def amount(low, high=None, unit=(None, None, Decimal(1)), bound="exact"):
    low = Decimal(low)
    return Amount(low, low if high is None else Decimal(high), *unit, bound)


AMOUNTS = st.builds(lambda value, unit: amount(value, unit=unit), NUMBERS, UNITS)


def read(text, language="en"):
    (fact,) = [fact for fact in fact_sheet(text, language).facts if isinstance(fact.value, Amount)]
    return fact.value


@given(AMOUNTS)
def test_an_amount_is_itself(value):
    assert same_amount(value, value)


@given(AMOUNTS, st.integers(min_value=0, max_value=4))
def test_trailing_zeros_change_nothing(value, places):
    padded = Amount(
        value.low.quantize(Decimal(1).scaleb(-places - 2)), value.high, value.unit, value.dimension, value.factor
    )
    assert same_amount(value, padded)
    assert same_amount(padded, value)


@given(AMOUNTS, AMOUNTS)
def test_comparable_and_another_unit_are_symmetric(first, second):
    assert comparable(first, second) == comparable(second, first)
    assert unit_differs(first, second) == unit_differs(second, first)


@given(AMOUNTS, AMOUNTS)
def test_equal_amounts_are_comparable_and_in_no_other_unit(first, second):
    if same_amount(first, second):
        assert comparable(first, second)
        assert not unit_differs(first, second)


@given(NUMBERS, st.integers(min_value=2, max_value=6))
def test_rounding_keeps_the_number_and_is_never_undone(value, digits):
    if not value:
        return
    rounded = Decimal(f"{value:.{digits - 1}e}")
    few = len(rounded.normalize().as_tuple().digits) < 2
    assert few or rounds_to(rounded, value, amount(rounded))
    # A number with more digits than the stated one is no rounding of it.
    if rounded != value and not few:
        assert not rounds_to(value, rounded, amount(value))


@given(
    st.lists(st.integers(min_value=1, max_value=500), min_size=2, max_size=8), st.integers(min_value=1, max_value=1000)
)
def test_totals_agree_with_trying_them_all(values, claimed):
    sums = {one + other for one, other in combinations(values, 2)}
    differences = {abs(one - other) for one, other in combinations(values, 2)}
    whole = {sum(values), sum(values) / len(values)} if len(values) > 2 else set()
    expected = claimed in sums | differences | whole
    assert follows_from(amount(claimed), [amount(value) for value in values]) == expected


@given(st.lists(NUMBERS, min_size=1, max_size=6), NUMBERS, NUMBERS)
def test_a_range_spans_one_or_with_every_all(values, one, other):
    low, high = min(one, other), max(one, other)
    stated = [amount(value) for value in values]
    if low == high:
        return
    inside = [low <= value <= high for value in values]
    assert follows_from(amount(low, high), stated) == any(inside)
    assert follows_from(amount(low, high), stated, every=True) == (all(inside) if len(values) > 1 else inside[0])


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=4), NUMBERS, NUMBERS)
def test_a_range_is_the_hull_of_stated_ranges_and_never_widens_one(pairs, one, other):
    low, high = min(one, other), max(one, other)
    ranges = [(min(pair), max(pair)) for pair in pairs if min(pair) < max(pair)]
    if low == high or not ranges:
        return
    inside = [(first, last) for first, last in ranges if low <= first and last <= high]
    hull = (min(first for first, _ in inside), max(last for _, last in inside)) if inside else None
    assert follows_from(amount(low, high), [amount(*pair) for pair in ranges]) == (hull == (low, high))


@pytest.mark.parametrize(
    ("claimed", "stated"),
    [
        ("5.9 million", "5,872,341"),
        ("5.9 million", "5,900,000"),
        ("1,200", "$1,200.00"),
        ("95 minutes", "1 hour 35 minutes"),
        ("5 miles", "8 km"),
        ("3.2 km²", "320 hectares"),
        ("85 percent", "85 %"),
        ("about 100 m", "103 m"),
    ],
)
def test_the_same_amount_in_another_form(claimed, stated):
    assert same_amount(read(claimed), read(stated))


@pytest.mark.parametrize(
    ("claimed", "stated"),
    [
        ("5.9 million", "9.5 million"),
        ("3 weeks", "3 days"),
        ("€5", "$5"),
        ("at least 15 minutes", "at most 15 minutes"),
        ("6,000,000", "5,872,341"),
        ("5 working days", "5 days"),
        ("30 m", "30 kg"),
    ],
)
def test_another_amount(claimed, stated):
    assert not same_amount(read(claimed), read(stated))


def test_pounds_of_money_are_pounds_where_only_the_figure_says_which():
    assert same_amount(read("55 Pfund", "de"), read("£55"))


@pytest.mark.parametrize(
    ("claimed", "stated", "follows"),
    [
        ("4 days", ["3-5 days"], True),
        ("more than 30 tonnes", ["31 tonnes", "28 tonnes"], True),
        ("at least 50 %", ["at least 60 %"], False),
        ("between 223 and 273", ["250-300", "27"], True),
        ("between 223 and 283", ["250-300", "27"], False),
        ("86 °F", ["30 °C"], True),
        ("96 °F", ["30 °C"], False),
        ("50 m", ["20 m", "30 kg"], False),
    ],
)
def test_what_follows(claimed, stated, follows):
    assert follows_from(read(claimed), [read(text) for text in stated]) is follows


def test_a_bound_of_every_one_needs_all():
    stated = [read(text) for text in ("31 tonnes", "38 tonnes")]
    assert follows_from(read("more than 35 tonnes"), stated)
    assert not follows_from(read("more than 35 tonnes"), stated, every=True)


def test_nothing_follows_from_nothing():
    assert not follows_from(amount(5), [])


@pytest.mark.parametrize(
    ("value", "bound", "keeps"),
    [("8 years", "under 10 years", True), ("12 years", "under 10 years", False), ("70 %", "at least 60 %", True)],
)
def test_keeping_a_bound(value, bound, keeps):
    assert satisfies(read(value), read(bound)) is keeps
