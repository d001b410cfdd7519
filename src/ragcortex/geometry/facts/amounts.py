"""The amounts of a text: numbers, quantities, money, percentages, durations and ordinals, in one normal form.

«5.9 million», «5,900,000», «5,9 Mio.» and «590万» give equal amounts, as do «85 %», «85 percent» and «百分之八十五».
"""

from collections.abc import Sequence
from typing import Final

from ragcortex.errors import InputError
from ragcortex.geometry.facts.amount_bounds import bound_of
from ragcortex.geometry.facts.amount_masks import folded, masked
from ragcortex.geometry.facts.amount_measures import Measure, measures
from ragcortex.geometry.facts.amount_ranges import joined
from ragcortex.geometry.facts.fact import Amount, Fact, FactKind, Language
from ragcortex.geometry.facts.unit_lexicon import LONGEST, name_key, unit_spellings

Range = tuple[int, int]

_KINDS: Final[dict[str, FactKind]] = {"currency": "money", "share": "percentage", "time": "duration"}
_SPACE: Final = " \u00a0\u202f\u2009-*_"


def amounts(text: str, language: Language, taken: Sequence[Range] = ()) -> tuple[Fact, ...]:
    """Return the amounts of a text by position, none overlapping another.

    Where a separator could group or point («1.200»), the language decides, unless the shape does («1.200.000»).

    Args:
        text: any text; the facts' positions count its characters.
        language: whose digits, words and units to read.
        taken: half-open ranges that other facts hold, such as dates; no amount touches them.

    Returns:
        Facts of the kinds number, quantity, money, percentage, duration and ordinal, each with an `Amount`.

    Raises:
        InputError: a range of `taken` lies outside the text.

    >>> [(fact.kind, fact.text, str(fact.value.low)) for fact in amounts("about 5.9 million people in 3-5 days", "en")]
    [('number', '5.9 million', '5900000'), ('duration', '3-5 days', '3')]
    """
    for index, (start, end) in enumerate(taken):
        if not 0 <= start <= end <= len(text):
            raise InputError(f"taken[{index}]", f"must lie within 0..{len(text)}, got {start}..{end}")
    shown = masked(text, taken)
    found = joined(shown, measures(shown, language), language)
    return tuple(
        _fact(text, shown, measure, language) for measure in found if not (measure.needs_unit and measure.unit is None)
    )


def _fact(text: str, shown: str, measure: Measure, language: Language) -> Fact:
    unit = measure.unit
    bound = measure.bound
    if bound == "exact" and not measure.ordinal:
        money = unit is not None and unit.dimension == "currency"
        bound = bound_of(shown, measure.start, measure.end, language, money=money)
    if unit is None:
        value = Amount(measure.low, measure.high, bound=bound)
        kind: FactKind = "ordinal" if measure.ordinal else "number"
    else:
        value = Amount(measure.low, measure.high, unit.name, unit.dimension, unit.factor, bound)
        kind = _KINDS.get(unit.dimension, "quantity")
    return Fact(kind, measure.start, measure.end, text[measure.start : measure.end], value)


def number_range(fact: Fact) -> Range:
    """Return where the number alone stands, in the text the fact was found in: «430» of «430 metres».

    Where the unit stands within («6 ft 2 in», «2時間半»), the number is the whole fact but for a unit at its edge.

    Raises:
        InputError: the fact is no amount.
    """
    start, end = _inner(fact)
    return fact.start + start, fact.start + end


def unit_range(fact: Fact) -> Range | None:
    """Return where the unit stands, in the text the fact was found in; None for a number without a unit of its own.

    Raises:
        InputError: the fact is no amount.
    """
    start, end = _inner(fact)
    if end < len(fact.text):
        head = len(fact.text) - len(fact.text[end:].lstrip(_SPACE))
        return fact.start + head, fact.end
    if start > 0:
        return fact.start, fact.start + len(fact.text[:start].rstrip(_SPACE))
    return None


def _inner(fact: Fact) -> Range:
    """Return the part of the fact's text that is left without a unit at its end or start."""
    if not isinstance(fact.value, Amount):
        raise InputError("fact", f"must be an amount, got a {fact.kind}")
    text, unit = folded(fact.text), fact.value.unit
    if unit is None:
        return 0, len(text)
    spellings = unit_spellings(unit)
    for start in range(max(1, len(text) - LONGEST), len(text)):
        if name_key(text[start:]) in spellings:
            return 0, len(text[:start].rstrip(_SPACE))
    for end in range(min(6, len(text) - 1), 0, -1):
        if name_key(text[:end].lstrip("-−–")) in spellings:
            return end + len(text[end:]) - len(text[end:].lstrip(_SPACE)), len(text)
    return 0, len(text)
