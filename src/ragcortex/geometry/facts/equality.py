"""When two amounts say the same, follow from one another, or could not both hold."""

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from itertools import combinations
from typing import Final

from ragcortex.geometry.facts.fact import Amount

# One figure in two of these units is two facts, although the units are of one length.
_KINDS_OF_DAY: Final = frozenset(("day", "working_day", "night"))
# Used for one another in ordinary text.
_SYNONYMS: Final = (frozenset(("ton", "tonne")), frozenset(("pound", "GBP")))
# «30 degrees» leaves open which scale; plain degrees are read as an angle.
_DEGREES: Final = frozenset(("angle", "temperature_celsius", "temperature_fahrenheit"))
# A converted figure is rounded: «5 miles (8 km)».
_CONVERTED: Final = Decimal("0.03")
_MOST_ADDENDS: Final = 16


def same_amount(claimed: Amount, stated: Amount) -> bool:
    """Return whether a claimed amount is the stated one, in another form or rounded to the digits it gives.

    A bare number equals the same number with a unit («1200» and «$1,200.00»), as a unit that a sentence leaves out is
    no other fact. A claimed number of two or more significant digits may be rounded («5.9 million» for 5,872,341).

    >>> same_amount(Amount(Decimal(5), Decimal(5)), Amount(Decimal("5.0"), Decimal("5.0")))
    True
    """
    if not comparable(claimed, stated) or _opposed_bounds(claimed, stated) or unit_differs(claimed, stated):
        return False
    here, there = _on_one_scale(claimed, stated)
    slack = _CONVERTED if claimed.unit != stated.unit and here == claimed.base else Decimal(0)
    pairs = zip(here, there, strict=True)
    return all(rounds_to(one, other, claimed) or abs(one - other) <= abs(other) * slack for one, other in pairs)


def comparable(first: Amount, second: Amount) -> bool:
    """Return whether two amounts measure the same: one dimension, or at least one of them is a bare number."""
    if first.unit is None or second.unit is None or are_synonyms(first, second):
        return True
    if first.dimension == "currency":
        return first.unit == second.unit
    dimensions = {first.dimension, second.dimension}
    return len(dimensions) == 1 or ("angle" in dimensions and dimensions <= _DEGREES)


def follows_from(claimed: Amount, stated: Sequence[Amount], *, every: bool = False) -> bool:
    """Return whether a claimed amount follows from stated ones without being any of them.

    A range holds if it spans one or more stated amounts («between 80 and 90 %» of 82, 85 and 88 %), or is the hull of
    several stated ranges; one that only widens a stated range does not («7 to 14 days» of «7 to 10 days»). A single
    amount holds if it lies in a stated range, or is the sum or the difference of two, the sum or the mean of all; a
    bound if it admits one; a temperature if it is a stated one on another scale; a range also if it is a stated one
    plus or minus a stated amount.

    Args:
        claimed: the amount in question.
        stated: the amounts it may follow from; those of another dimension are left out.
        every: whether a range or a bound is claimed of each of them («every orchard yielded more than 35 tonnes»).
    """
    if _is_converted_temperature(claimed, stated):
        return True
    alike = [amount for amount in stated if _one_dimension(claimed, amount)]
    needed = all if every and len(alike) > 1 else any
    low, high = claimed.base
    if low < high:
        inside = [amount for amount in alike if low <= amount.base[0] and amount.base[1] <= high]
        spanned = bool(inside) and needed(amount in inside for amount in alike)
        return (spanned and _is_summary(claimed, inside)) or _is_shifted_range(claimed, alike)
    if claimed.bound in ("at_least", "at_most"):
        return bool(alike) and needed(_admits(claimed, amount) for amount in alike)
    if any(_admits(claimed, amount) for amount in alike):
        return True
    return _is_total(low, [amount.base[0] for amount in alike if amount.low == amount.high][:_MOST_ADDENDS])


def unit_differs(claimed: Amount, stated: Amount) -> bool:
    """Return whether the figures are the same and only the unit is another one («3 weeks» for «3 days», «€5», «$5»)."""
    units = {claimed.unit, stated.unit}
    if None in units or len(units) == 1 or claimed.dimension != stated.dimension or are_synonyms(claimed, stated):
        return False
    alike = claimed.factor == stated.factor and not units <= _KINDS_OF_DAY
    return (claimed.low, claimed.high) == (stated.low, stated.high) and (claimed.dimension == "currency" or not alike)


def are_synonyms(first: Amount, second: Amount) -> bool:
    """Return whether the two units are used for one another: ton and tonne, pound and pound sterling."""
    units = {first.unit, second.unit}
    return len(units) == 2 and any(units == pair for pair in _SYNONYMS)


def satisfies(value: Amount, bound: Amount) -> bool:
    """Return whether an amount keeps a bound: 8 years keep «under 10 years»."""
    if bound.bound == "at_least":
        return value.base[0] >= bound.base[0]
    return bound.bound != "at_most" or value.base[1] <= bound.base[1]


def rounds_to(claimed: Decimal, stated: Decimal, amount: Amount) -> bool:
    """Return whether a claimed number is the stated one, rounded to its digits, or about it if the amount says so."""
    if claimed == stated:
        return True
    if amount.bound == "about" and stated and abs(claimed - stated) <= abs(stated) / 20:
        return True
    digits = _significant_digits(claimed)
    if digits < 2 or digits >= _significant_digits(stated) or not stated:
        return False
    exponent = stated.adjusted() - digits + 1
    step = Decimal(1).scaleb(exponent)
    return any((stated / step).to_integral_value(mode) * step == claimed for mode in (ROUND_HALF_UP, ROUND_HALF_EVEN))


def _is_total(value: Decimal, singles: Sequence[Decimal]) -> bool:
    if len(singles) < 2:
        return False
    if any(value in (one + other, abs(one - other)) for one, other in combinations(singles, 2)):
        return True
    total = sum(singles)
    return len(singles) > 2 and value in (total, total / len(singles))


def _is_summary(claimed: Amount, inside: Sequence[Amount]) -> bool:
    """Return whether a range sums up the amounts in it: single ones, or several ranges from end to end."""
    if any(amount.low == amount.high for amount in inside):
        return True
    low, high = min(amount.base[0] for amount in inside), max(amount.base[1] for amount in inside)
    return (low, high) == claimed.base


def _is_shifted_range(claimed: Amount, alike: Sequence[Amount]) -> bool:
    """Return whether a range is a stated one plus or minus a stated amount: 223–273 of 250–300, less 27."""
    low, high = claimed.base
    ranges = [amount.base for amount in alike if amount.low < amount.high]
    steps = [amount.base[0] for amount in alike if amount.low == amount.high]
    return any({low - first, high - last} in ({step}, {-step}) for first, last in ranges for step in steps)


def _is_converted_temperature(claimed: Amount, stated: Sequence[Amount]) -> bool:
    degrees = [amount for amount in stated if amount.dimension in _DEGREES]
    if claimed.dimension == "temperature_celsius":
        expected = [(amount.low - 32) * 5 / 9 for amount in degrees if amount.dimension != claimed.dimension]
    elif claimed.dimension == "temperature_fahrenheit":
        expected = [amount.low * 9 / 5 + 32 for amount in degrees if amount.dimension != claimed.dimension]
    else:
        return False
    return any(abs(claimed.low - value) <= 3 for value in expected)


def _one_dimension(first: Amount, second: Amount) -> bool:
    return first.dimension == second.dimension and comparable(first, second)


def _on_one_scale(first: Amount, second: Amount) -> tuple[tuple[Decimal, Decimal], tuple[Decimal, Decimal]]:
    units = {first.unit, second.unit}
    if None in units or len(units) == 1 or first.dimension != second.dimension or are_synonyms(first, second):
        return (first.low, first.high), (second.low, second.high)
    return first.base, second.base


def _opposed_bounds(first: Amount, second: Amount) -> bool:
    return {first.bound, second.bound} == {"at_least", "at_most"}


def _significant_digits(value: Decimal) -> int:
    return len(value.normalize().as_tuple().digits)


def _admits(claimed: Amount, stated: Amount) -> bool:
    """Return whether a single claimed amount is a bound that the stated one keeps, or lies within a stated range.

    Two bounds of one kind have to be equal: «at least 50 %» does not follow from «at least 60 %».
    """
    (low, high), value = stated.base, claimed.base[0]
    if claimed.bound == "at_least":
        return stated.bound not in ("at_most", "at_least") and low >= value
    if claimed.bound == "at_most":
        return stated.bound not in ("at_least", "at_most") and high <= value
    return low < high and low <= value <= high
