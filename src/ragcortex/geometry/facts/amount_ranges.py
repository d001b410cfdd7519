"""Joins neighbouring measures: «6 ft 2 in» to one amount, «3 to 5 days» to a range; «80 and 90 %» share a unit."""

from collections.abc import Iterable
from dataclasses import replace
from decimal import Decimal
from typing import Final

import regex

from ragcortex.geometry.facts.amount_cjk import two_ends
from ragcortex.geometry.facts.amount_measures import Measure
from ragcortex.geometry.facts.fact import Language
from ragcortex.geometry.facts.numerals import plain_value

_DASH: Final = r"[ \u00a0]?(?:–|—|-|~|−)[ \u00a0]?|[ \u00a0]?(?:\.\.\.?|…)[ \u00a0]?"
_TO: Final[dict[Language, regex.Pattern[str]]] = {
    "en": regex.compile(rf"{_DASH}|[ -](?:to|through)[ -](?:about |around |over |more than )?"),
    "de": regex.compile(rf"{_DASH}| bis(?: zu)? "),
    "fr": regex.compile(rf"{_DASH}| à | jusqu['’]à "),
    "es": regex.compile(rf"{_DASH}| a | hasta "),
    "zh": regex.compile(rf"{_DASH}|[ ]?(?:至|到)[ ]?"),
    "ja": regex.compile(rf"{_DASH}|[ ]?(?:から|至)[ ]?"),
}
_BETWEEN: Final[dict[Language, regex.Pattern[str]]] = {
    "en": regex.compile(r"\bbetween (?:about |around |roughly |the )?$", regex.IGNORECASE),
    "de": regex.compile(r"\bzwischen (?:etwa |rund |ca\. )?$", regex.IGNORECASE),
    "fr": regex.compile(r"\bentre (?:environ )?$", regex.IGNORECASE),
    "es": regex.compile(r"\bentre (?:los |las |unos |unas )?$", regex.IGNORECASE),
    "zh": regex.compile(r"(?:介于|在|处于)$"),
    "ja": regex.compile(r"(?!)"),
}
_BETWEEN_AFTER: Final = regex.compile("[ ]?(?:之间|之間|の間|间)")
_AND: Final[dict[Language, regex.Pattern[str]]] = {
    "en": regex.compile(r" (?:and|&) (?:about |around )?"), "de": regex.compile(" und "), "fr": regex.compile(" et "),
    "es": regex.compile(" [ye] "), "zh": regex.compile("[ ]?[和与與跟][ ]?"), "ja": regex.compile("[ ]?(?:と|、)[ ]?"),
}  # fmt: skip
_OR: Final[dict[Language, regex.Pattern[str]]] = {
    "en": regex.compile(" or "),
    "de": regex.compile(" oder "),
    "fr": regex.compile(" ou "),
    "es": regex.compile(" [ou] "),
    "zh": regex.compile("[ ]?(?:或|或者|、)[ ]?"),
    "ja": regex.compile("[ ]?(?:または|か|、)[ ]?"),
}
_LISTED: Final = regex.compile(r",[ \u00a0]|、")
_JOINED: Final = regex.compile(r"[ \u00a0]?|,? (?:and|und|et|y) |零|と|又")
_NAME_BEFORE: Final = regex.compile(r"(?<![.!?:;] |^)\b\p{Lu}\p{L}+ $")
_CHANGE: Final = regex.compile(
    r"\b(?:increas\w*|r[oi]se[sn]?|rising|grew|grow[ns]?|f[ea]ll(?:s|en)?|drop\w*|declin\w*|decreas\w*|rais\w+"
    r"|cut|reduc\w+|went"
    r"|jump\w*|climb\w*|chang\w+|mov\w+|expand\w*|up|down|surg\w+|soar\w*"
    r"|improv\w+) (?:\w+ ){0,3}from (?:about |around )?$"
    r"|\b(?:pass\w+|augment\w*|baiss\w+|diminu\w+|chut\w+|grimp\w+|recul\w+|aument\w+|sub[ei]\w*|subió|baj\w+"
    r"|pas[óa]\w*"
    r"|cay\w+|crec\w+|disminu\w+|reduj\w+) (?:\w+ ){0,3}de $",
    regex.IGNORECASE,
)
_DATA_DASH: Final = frozenset({"-", "–"})


def joined(text: str, found: Iterable[Measure], language: Language) -> list[Measure]:
    """Return the measures of a text with compounds, ranges and shared units resolved, still by position."""
    ends = [_opened(text, measure) for measure in found]
    return _shared(text, _ranged(text, _compounded(text, ends), language), language)


def _opened(text: str, measure: Measure) -> Measure:
    """Return 两三天 as the stretch from two to three days."""
    both = two_ends(text, *measure.number) if measure.form == "signs" and not measure.ordinal else None
    if both is None or (measure.unit is None and measure.needs_unit):
        return measure
    return replace(measure, low=both[0], high=both[1])


def _compounded(text: str, found: list[Measure]) -> list[Measure]:
    joined_up: list[Measure] = []
    for measure in found:
        whole = _sum(text, joined_up[-1], measure) if joined_up else None
        if whole is None:
            joined_up.append(measure)
        else:
            joined_up[-1] = whole
    return joined_up


def _sum(text: str, first: Measure, second: Measure) -> Measure | None:
    """Return «6 ft 2 in» as 74 inches: the smaller unit keeps the sum exact."""
    if first.unit is None or second.unit is None or first.unit.dimension != second.unit.dimension:
        return None
    gap = _JOINED.fullmatch(text, first.end, second.start)
    single = first.low == first.high and second.low == second.high and second.low >= 0
    if gap is None or not single or first.low != first.low.to_integral_value():
        return None
    if first.unit.dimension == "currency":
        return _with_cents(first, second)
    ratio = first.unit.factor / second.unit.factor
    largest = Decimal(100) if len(gap[0]) > 1 else Decimal(1000)
    if not 1 < ratio <= largest or second.low >= ratio:
        return None
    total = first.low * ratio + second.low
    if abs(total - round(total)) < Decimal("1e-12"):
        total = Decimal(round(total))
    return replace(
        second,
        start=first.start,
        low=total,
        high=total,
        number=(first.number[0], second.number[1]),
    )


def _with_cents(first: Measure, second: Measure) -> Measure | None:
    if first.unit != second.unit or not second.low < 1 or first.unit_at is None:
        return None
    total = first.low + second.low
    return replace(first, end=second.end, low=total, high=total, number=(first.number[0], second.number[1]))


def _ranged(text: str, found: list[Measure], language: Language) -> list[Measure]:
    ranges: list[Measure] = []
    for index, measure in enumerate(found):
        following = found[index + 1] if index + 1 < len(found) else None
        whole = _range(text, ranges[-1], measure, following, language) if ranges else None
        if whole is None:
            ranges.append(measure)
        else:
            ranges[-1] = whole
    return ranges


def _range(text: str, first: Measure, second: Measure, following: Measure | None, language: Language) -> Measure | None:
    if first.ordinal or second.ordinal or first.low != first.high or second.low != second.high:
        return None
    gap = text[first.end : second.start].removesuffix("+")
    if not _is_range(text, first, second, gap, language) or _goes_on(text, second, following, gap):
        return None
    both = _on_one_unit(first, second)
    if both is None or not both[0].low < both[1].low:
        return None
    low, high = both
    unit_at = second.unit_at or first.unit_at
    end = second.number[1] if second.number[1] > (first.unit_at or (0, 0))[0] else first.number[1]
    return replace(
        high,
        start=first.start,
        end=second.end,
        low=low.low,
        high=high.low,
        number=(first.number[0], end),
        unit_at=unit_at,
        needs_unit=first.needs_unit and second.needs_unit and high.unit is None,
    )


def _is_range(text: str, first: Measure, second: Measure, gap: str, language: Language) -> bool:
    if _TO[language].fullmatch(gap):
        if _is_change(text, first):
            return False
        if gap in _DATA_DASH and first.form != second.form:
            return False
        # «Boeing 737-800»: digits with a bare hyphen after a name are a model, not a stretch.
        bare = (
            gap in _DATA_DASH and first.unit is None and second.unit is None and len(text[first.start : first.end]) > 2
        )
        return not (bare and language != "de" and _NAME_BEFORE.search(text[max(0, first.start - 24) : first.start]))
    if _AND[language].fullmatch(gap):
        before = _BETWEEN[language].search(text[max(0, first.start - 24) : first.start])
        return before is not None or _BETWEEN_AFTER.match(text, second.end) is not None
    # «Two or three days» is a stretch, «10 or 20 days» a choice.
    return _OR[language].fullmatch(gap) is not None and second.low == first.low + 1 and not gap.startswith("、")


def _is_change(text: str, first: Measure) -> bool:
    """Whether a verb of change stands before: «rose from 10 to 15 %» names two amounts and no range."""
    return _CHANGE.search(text[max(0, first.start - 40) : first.start]) is not None


def _goes_on(text: str, second: Measure, following: Measure | None, gap: str) -> bool:
    """Whether this is a longer row of numbers, such as «3-5-2»."""
    return following is not None and gap in _DATA_DASH and text[second.end : following.start] == gap


def _on_one_unit(first: Measure, second: Measure) -> tuple[Measure, Measure] | None:
    """Return both ends in the unit of the second; the first takes its unit and magnitude where it has none."""
    own = first.unit_at is not None and not _sign_first(first)
    if first.scale == 1 and second.scale > 1 and not own and first.low <= second.low / second.scale:
        scaled = plain_value(first.low * second.scale)
        first = replace(first, low=scaled, high=scaled)
    if first.unit is None or first.unit == second.unit:
        return first, second
    if second.unit is None:
        # «$10–20»; but «5 km to 7» only where the sign came first, else the 7 is something else.
        return (first, replace(second, unit=first.unit)) if _sign_first(first) else None
    if first.unit.dimension != second.unit.dimension or first.unit.dimension == "currency":
        return None
    low = first.low * first.unit.factor / second.unit.factor
    return replace(first, low=low, high=low, unit=second.unit), second


def _sign_first(measure: Measure) -> bool:
    return measure.unit_at is not None and measure.unit_at[0] < measure.number[0]


def _shared(text: str, found: list[Measure], language: Language) -> list[Measure]:
    """Give a bare number before «and» or «or» the unit of the number after it: «80 and 90 %», «10, 20 or 30 days»."""
    shared = list(found)
    in_list = False
    for index in range(len(shared) - 2, -1, -1):
        first, second = shared[index], shared[index + 1]
        gap = text[first.end : second.start]
        if _TO[language].fullmatch(gap) or gap == " auf ":
            ends = _on_one_unit(first, second)
            if first.unit is None and ends is not None and (gap == " auf " or _is_change(text, first)):
                shared[index] = replace(ends[0], unit=second.unit, needs_unit=first.needs_unit and second.unit is None)
            continue
        pair = _AND[language].fullmatch(gap) or _OR[language].fullmatch(gap)
        lists = pair is not None or (in_list and _LISTED.fullmatch(gap) is not None)
        takes = first.unit is None and second.unit is not None and not first.ordinal and not _sign_first(second)
        in_list = lists and takes and first.form == second.form
        if in_list:
            shared[index] = replace(first, unit=second.unit, needs_unit=False)
    return shared
