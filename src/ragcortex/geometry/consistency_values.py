"""Whether two values of facts can be compared, and whether they say the same. Both questions are symmetric."""

from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final, TypeVar

from ragcortex.geometry.facts.fact import Amount, CalendarDate, ClockTime, FactValue, Name

_LEAST_STEM: Final = 5
# Lasts as long as a day, and five of them are a week: no factor converts it.
_WORKING_DAY: Final = "working_day"
_Number = TypeVar("_Number", int, Decimal)


def comparable(first: FactValue, second: FactValue) -> bool:
    """Return whether two values are of one kind, so that they can contradict each other.

    Amounts need one dimension (or both none), dates a part that both give, times and names nothing more.
    """
    match first, second:
        case Amount(), Amount():
            return first.dimension == second.dimension
        case CalendarDate(), CalendarDate():
            return bool(_shared_parts(first, second))
        case (ClockTime(), ClockTime()) | (Name(), Name()):
            return True
        case _:
            return False


def agree(first: FactValue, second: FactValue, tolerance: Decimal = Decimal(0)) -> bool:
    """Return whether two values say the same, as far as both say something.

    Amounts are equal in base units (currencies and working days never convert); a single value agrees with a range or
    bound that holds it; two ranges or two bounds of one direction must be equal; «about» agrees with what rounds to it
    at its own digits. A bare number agrees with an amount of the same figure. Dates agree if all parts that both give
    do: «March 1889» and «1889». A name agrees with a part of it («Gustave Eiffel», «Eiffel»), its inflection, or its
    initials.

    Args:
        first, second: the values.
        tolerance: by how much two single amounts of one unit may differ, in that unit.
    """
    match first, second:
        case Amount(), Amount():
            return _amounts_agree(first, second, tolerance)
        case CalendarDate(), CalendarDate():
            shared = _shared_parts(first, second)
            return bool(shared) and all(_part_agrees(name, first, second) for name in shared)
        case ClockTime(), ClockTime():
            return _stretches_agree((first.first, first.last), (second.first, second.last))
        case Name(), Name():
            return _names_agree(first.words, second.words)
        case (Amount() as amount, CalendarDate() as date) | (CalendarDate() as date, Amount() as amount):
            return _is_year(amount, date)
        case _:
            return False


def _amounts_agree(first: Amount, second: Amount, tolerance: Decimal) -> bool:
    if first.dimension != second.dimension:
        bare = first.dimension is None or second.dimension is None
        return bare and (first.low, first.high) == (second.low, second.high)
    if first.unit != second.unit and (first.dimension == "currency" or _WORKING_DAY in (first.unit, second.unit)):
        return False
    if first.unit == second.unit and first.low == first.high and second.low == second.high and tolerance:
        return abs(first.low - second.low) <= tolerance
    if "about" in (first.bound, second.bound):
        return _rounds_to(first, second) or _rounds_to(second, first)
    one, two = _extent(first), _extent(second)
    if first.bound == second.bound and first.bound != "exact":
        return one == two
    return _stretches_agree(one, two)


def _extent(amount: Amount) -> tuple[Decimal, Decimal]:
    low, high = amount.base
    if amount.bound == "at_least":
        return low, Decimal("Infinity")
    if amount.bound == "at_most":
        return Decimal("-Infinity"), high
    return low, high


def _rounds_to(about: Amount, other: Amount) -> bool:
    """Return whether `other`, in the unit of `about`, is `about` when rounded to as many digits."""
    if about.bound != "about":
        return False
    return all(
        _rounded(value * other.factor / about.factor, given) == given
        for value, given in ((other.low, about.low), (other.high, about.high))
    )


def _rounded(value: Decimal, like: Decimal) -> Decimal:
    """Return the value rounded to as many significant digits as `like` shows, zeros at its end aside."""
    digits = len(like.normalize().as_tuple().digits) if like else 1
    return Context(prec=max(digits, 1), rounding=ROUND_HALF_UP).create_decimal(value)


def _stretches_agree(one: tuple[_Number, _Number], two: tuple[_Number, _Number]) -> bool:
    """Return whether two stretches are equal, or one is a single value within the other."""
    if one == two:
        return True
    return any(first == last and low <= first <= high for (low, high), (first, last) in ((one, two), (two, one)))


_PARTS: Final = ("year", "month", "day", "weekday")
_CYCLES: Final = {"month": (1, 12), "day": (1, 31), "weekday": (0, 6)}


def _shared_parts(first: CalendarDate, second: CalendarDate) -> tuple[str, ...]:
    return tuple(name for name in _PARTS if getattr(first, name) is not None and getattr(second, name) is not None)


def _part_agrees(name: str, first: CalendarDate, second: CalendarDate) -> bool:
    one, two = _stretch(name, first), _stretch(name, second)
    if name == "year":
        return _stretches_agree(one, two)
    if one == two:
        return True
    single, stretch = (one, two) if one[0] == one[1] else (two, one)
    return single[0] == single[1] and single[0] in _cycle(stretch, *_CYCLES[name])


def _stretch(name: str, date: CalendarDate) -> tuple[int, int]:
    first = getattr(date, name)
    last = getattr(date, f"last_{name}")
    return first, first if last is None else last


def _cycle(stretch: tuple[int, int], lowest: int, highest: int) -> set[int]:
    """Return what a stretch holds, which may run over the end: Friday to Monday, 28 March to 3 April."""
    first, last = stretch
    return set(range(first, last + 1)) if first <= last else {*range(first, highest + 1), *range(lowest, last + 1)}


def _is_year(amount: Amount, date: CalendarDate) -> bool:
    bare = amount.unit is None and amount.low == amount.high
    return bare and date.month is None and date.year is not None and amount.low == date.year


def _names_agree(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    shorter, longer = sorted((first, second), key=len)
    if all(any(_words_agree(word, other) for other in longer) for word in shorter):
        return True
    initials = "".join(word[0] for word in longer)
    return len(shorter) == 1 and len(longer) > 1 and shorter[0].replace(".", "") == initials


def _words_agree(first: str, second: str) -> bool:
    """Return whether two words are equal up to an ending of at most two letters."""
    if first == second:
        return True
    shorter, longer = sorted((first, second), key=len)
    return len(shorter) >= _LEAST_STEM and longer.startswith(shorter) and len(longer) - len(shorter) <= 2
