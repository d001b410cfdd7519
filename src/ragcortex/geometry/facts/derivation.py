"""Values that follow from what the references state by a step of arithmetic: three times a rent, the days of a fair."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import combinations
from typing import Final, cast

import regex

from ragcortex.geometry.facts.context import AMOUNT_KINDS, Context, amount_of, years_of
from ragcortex.geometry.facts.equality import follows_from, rounds_to
from ragcortex.geometry.facts.fact import Amount, CalendarDate, ClockTime, Fact, Marker
from ragcortex.geometry.facts.finding import PlacedSheet

_MOST_PAIRED: Final = 12
_MOST_FACTOR: Final = 100
_DOUBLING: Final = regex.compile(
    r"round[- ]trip|both|each way|there and back|doubl|doppel|hin und zurück|beide|aller[- ]retour|les deux|doble"
    r"|ida y vuelta|ambos|往返|两|両|往復|倍",
    flags=regex.IGNORECASE,
)
_HALVING: Final = regex.compile(r"\bhal(?:f|ve|b)|hälfte|moitié|demi|mitad|medi[oa]\b|一半|半", flags=regex.IGNORECASE)
_AGE: Final = regex.compile(
    r"\b(?:aged?|old|years?|alter|alt|jahre?n?|âge|ans|edad|años)\b|[歳岁年]", flags=regex.IGNORECASE
)
# How many of the first period make the second, where the claim speaks of one and the sentence of the other.
_DAY, _WEEK, _MONTH, _YEAR = (
    regex.compile(pattern)
    for pattern in (
        r"\bday|daily|tag|täglich|jour|día|diari|天|日",
        r"week|woche|semaine|semana|周|週",
        r"month|monat|mois|mes\b|mensual|mensuel|月",
        r"year|annual|jahr|jähr|\ban\b|año|anual|年",
    )
)
_PERIODS: Final = ((_MONTH, _YEAR, 12), (_WEEK, _YEAR, 52), (_DAY, _WEEK, 7))


@dataclass(frozen=True, slots=True)
class Basis:
    """What a claimed value may follow from.

    Attributes:
        claim: the sentence of the answer.
        places: the sentences of the references that share a content word with the claim; all of them where it has
            hardly any.
        given: the sentences of the question.
        accepted: the claim's own amounts that the references state or that follow from them.
    """

    claim: PlacedSheet
    places: tuple[PlacedSheet, ...]
    given: tuple[PlacedSheet, ...]
    accepted: tuple[Amount, ...]


def basis_of(
    claim: PlacedSheet, context: Context, given: Sequence[PlacedSheet], accepted: Iterable[Amount] = ()
) -> Basis:
    """Return what the values of a claim may follow from."""
    near = [place for place in context.places if len(claim.stems) < 2 or claim.stems & context.stems(place)]
    return Basis(claim, tuple(near), tuple(given), tuple(accepted))


def is_derived(fact: Fact, basis: Basis) -> bool:
    """Return whether an amount follows from the basis by one step.

    A step is what `equality.follows_from` allows, a product with a number that the claim, its question or the
    sentence itself gives, a share of a total or the share that one number is of another, the length of a stretch of
    days or hours, the time between two dates.
    """
    value = amount_of(fact)
    stated = [
        amount_of(other) for place in basis.places for other in place.facts(AMOUNT_KINDS) if _one_kind(fact, other)
    ]
    if follows_from(value, [*stated, *basis.accepted], every=_says_every(basis.claim)):
        return True
    if value.low != value.high or fact.kind == "ordinal":
        return False
    return _is_product(value, basis) or _is_share(value, basis) or _is_length(value, basis)


def _says_every(claim: PlacedSheet) -> bool:
    return any(cast(Marker, fact.value).sense in ("all", "both") for fact in claim.facts(("quantifier",)))


def _one_kind(first: Fact, second: Fact) -> bool:
    return (first.kind == "ordinal") == (second.kind == "ordinal")


def _is_product(value: Amount, basis: Basis) -> bool:
    """Whether it is a stated amount of its dimension, or a count, times a number that stands nearby."""
    common = _factors(basis.claim) - {value.low} | {factor for place in basis.given for factor in _factors(place)}
    for place in basis.places:
        factors = common | _factors(place) | _period_factors(basis.claim, place)
        bases = [amount_of(other) for other in place.facts(AMOUNT_KINDS) if other.kind != "ordinal"]
        for amount in (*bases, *basis.accepted):
            alike = amount.low == amount.high and amount.dimension == value.dimension and amount.unit == value.unit
            if not alike or amount.low <= 1:  # nothing follows from one
                continue
            if any(rounds_to(value.low, amount.low * factor, value) for factor in factors if factor != amount.low):
                return True
    return False


def _factors(place: PlacedSheet) -> frozenset[Decimal]:
    """The numbers of a sentence that may multiply: counts, and fractions such as «a quarter»."""
    found = {
        amount.low
        for fact in place.facts(("number", "duration", "quantity"))
        if (amount := amount_of(fact)).low == amount.high and 0 < amount.low <= _MOST_FACTOR and amount.low != 1
    }
    text = place.sheet.text
    if _DOUBLING.search(text):
        found.add(Decimal(2))
    if _HALVING.search(text):
        found.add(Decimal("0.5"))
    return frozenset(found)


def _period_factors(claim: PlacedSheet, place: PlacedSheet) -> frozenset[Decimal]:
    here, there = claim.sheet.text.casefold(), place.sheet.text.casefold()
    found: set[Decimal] = set()
    for short, long, count in _PERIODS:
        if short.search(there) and long.search(here):
            found.add(Decimal(count))
        if long.search(there) and short.search(here):
            found.add(1 / Decimal(count))
    return frozenset(found)


def _is_share(value: Amount, basis: Basis) -> bool:
    if value.dimension == "share":
        return _is_share_of(value, basis)
    for place in basis.places:
        shares = [amount_of(fact).low / 100 for fact in place.facts(("percentage",))]
        totals = [amount_of(fact) for fact in place.facts(("number", "money", "quantity"))]
        for total in totals:
            if total.unit != value.unit or total.low != total.high:
                continue
            for share in shares:
                wanted = [total.low * share, total.low * (1 + share), total.low * (1 - share), total.low / (1 + share)]
                if any(_about(value, one) for one in wanted):
                    return True
    return False


def _is_share_of(value: Amount, basis: Basis) -> bool:
    """Whether it is what is left of 100 percent, or what one stated number is of another."""
    claimed = value.low
    shares = {amount_of(fact).low for place in basis.places for fact in place.facts(("percentage",))}
    if 100 - claimed in shares:
        return True
    for place in basis.places:
        amounts = [amount_of(fact) for fact in place.facts(("number", "money", "quantity"))][:_MOST_PAIRED]
        for one, other in combinations(amounts, 2):
            if one.unit != other.unit or not one.low or not other.low:
                continue
            for part, whole in ((one.low, other.low), (other.low, one.low)):
                if any(_about(value, abs(share) * 100) for share in (part / whole, (part - whole) / whole)):
                    return True
    return False


def _about(value: Amount, wanted: Decimal) -> bool:
    """Whether a claimed value is the wanted one at the digits it gives."""
    exponent = cast(int, value.low.as_tuple().exponent)
    step = Decimal(1).scaleb(max(min(exponent, 0), -4))
    return abs(value.low - wanted) <= step / 2 or rounds_to(value.low, wanted, value)


def _is_length(value: Amount, basis: Basis) -> bool:
    """Whether it is the length of a stated stretch of days or hours, the time between two dates, or an age."""
    places = (*basis.places, basis.claim, *basis.given)
    years = years_of(places)
    apart = {abs(first - second) for first, second in combinations(years, 2)}
    if value.unit == "year" and (value.low in apart or value.low - 1 in apart):
        return True
    if value.unit == "year" or (value.unit is None and _AGE.search(basis.claim.sheet.text)):
        return value.low in apart or value.low + 1 in apart
    if value.unit in ("day", "night", "week", "month"):
        return value.low in {length for place in places for length in _day_lengths(place, value.unit)}
    if value.unit in ("hour", "minute"):
        minutes = value.base[0] / Decimal(60)
        return any(minutes == length for place in places for length in _minute_lengths(place))
    return False


def _day_lengths(place: PlacedSheet, unit: str) -> set[int]:
    dates = [cast(CalendarDate, fact.value) for fact in place.facts(("date",))]
    found: set[int] = set()
    for one in dates:
        ends = _ends(one)
        if ends is not None:
            found |= _lengths(*ends, unit)
        if unit == "day" and one.weekday is not None and one.last_weekday is not None:
            found.add((one.last_weekday - one.weekday) % 7 + 1)
    for one, other in combinations(dates, 2):
        first, last = _day(one), _day(other)
        if first is not None and last is not None:
            found |= _lengths(min(first, last), max(first, last), unit)
    return found


def _lengths(first: date, last: date, unit: str) -> set[int]:
    days = (last - first).days
    if unit == "week":
        return {round(days / 7)}
    if unit == "month":
        months = (last.year - first.year) * 12 + last.month - first.month
        return {months, months + 1}
    return {days, days + 1}


def _ends(value: CalendarDate) -> tuple[date, date] | None:
    """The first and the last day of a stretch of days or months, in any year where it gives none."""
    if value.month is None or (value.last_day is None and value.last_month is None):
        return None
    year = value.year or 2001
    last_month = value.last_month or value.month
    last_year = value.last_year or (year if last_month >= value.month else year + 1)
    first = _valid(year, value.month, value.day or 1)
    last = _valid(last_year, last_month, value.last_day or value.day or 28)
    return (first, last) if first is not None and last is not None and first <= last else None


def _day(value: CalendarDate) -> date | None:
    if value.month is None or value.day is None or value.last_day is not None or value.last_month is not None:
        return None
    return _valid(value.year or 2001, value.month, value.day)


def _valid(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:  # 31 February, or a year before the common era
        return None


def _minute_lengths(place: PlacedSheet) -> set[int]:
    times = [cast(ClockTime, fact.value) for fact in place.facts(("time",))]
    found = {time.last - time.first for time in times if time.first < time.last}
    singles = [time.first for time in times if time.first == time.last]
    return found | {abs(first - second) for first, second in combinations(singles, 2)}


def time_follows(value: ClockTime, basis: Basis) -> bool:
    """Return whether a time of day is a stated one plus or minus a stated duration: 8:42 and 1 h 35 min, 10:17."""
    places = (*basis.places, basis.claim)
    minutes = {
        int(amount.base[0] / 60)
        for place in places
        for fact in place.facts(("duration",))
        if (amount := amount_of(fact)).low == amount.high and amount.unit in ("hour", "minute", "second")
    }
    times = {
        edge
        for place in places
        for fact in place.facts(("time",))
        for edge in (cast(ClockTime, fact.value).first, cast(ClockTime, fact.value).last)
        if edge != value.first or place is not basis.claim
    }
    wanted = {(time + sign * length) % 1440 for time in times for length in minutes for sign in (1, -1)}
    return value.first == value.last and value.first % 1440 in wanted
