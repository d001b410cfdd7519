"""Numbers with their units, one by one, as they stand in a text."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

import regex

from ragcortex.geometry.facts.amount_bounds import INFIX, infix_bound
from ragcortex.geometry.facts.amount_cjk import after_point
from ragcortex.geometry.facts.amount_numeral import Form, Numeral
from ragcortex.geometry.facts.fact import Bound, Language
from ragcortex.geometry.facts.numerals import numerals
from ragcortex.geometry.facts.unit_lexicon import Unit, unit_named
from ragcortex.geometry.facts.unit_names import NOT_WITH_ONE
from ragcortex.geometry.facts.units import unit_after, unit_before

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Measure:
    """A number or stretch of numbers with its unit, at `text[start:end]`.

    Attributes:
        low, high: both ends, in `unit`.
        number: where the number alone stands; `unit_at` where the unit stands, None without one of its own.
        scale: magnitude of the last number («million»: 10⁶), which an end before it may share.
        bound: what words between number and unit say («10+ years»), else exact.
    """

    start: int
    end: int
    low: Decimal
    high: Decimal
    number: Range
    unit: Unit | None = None
    unit_at: Range | None = None
    scale: Decimal = Decimal(1)
    ordinal: bool = False
    form: Form = "digits"
    needs_unit: bool = False
    bound: Bound = "exact"


# Markdown around a number, and the space or hyphen before its unit: «**330** metres», «5-day», «90 % of».
_GAP: Final = regex.compile(r"(?:\*\*|__|\*|_)?[ \u00a0]?-?")
# «Dos millones de dólares», «5 millions d’euros»: magnitudes are nouns there.
_GAP_OF: Final = regex.compile(r"[ \u00a0]d(?:e |['’])")
_LETTER: Final = regex.compile(r"[\p{Latin}\p{Greek}\p{Cyrillic}]")
_METRE_TAIL: Final = regex.compile("[一二三四五六七八九]{1,2}(?![十百千万个米])")
_TIMES: Final = regex.compile(r"x\b")
_YEAR_SIGN: Final = regex.compile("年(?![间間])")
_HALF_AFTER: Final = regex.compile(r"半|[ \u00a0](?:and a half|et demie?|y medi[oa])\b")


def measures(text: str, language: Language) -> Iterator[Measure]:
    """Yield the measures of a text by position; `text` is masked (see `amount_masks.masked`)."""
    reached = 0
    for numeral in numerals(text, language):
        if numeral.start < reached:
            continue
        measure = _measured(text, numeral, language)
        # «5G», «3D»: digits glued to letters that are neither unit nor ending.
        if measure.unit_at is None and _is_glued(text, measure):
            continue
        # A sign or code before this number is not the unit of the one before: «3 $5».
        if measure.start < reached:
            measure = replace(measure, start=numeral.start, unit=None, unit_at=None)
        yield measure
        reached = measure.end


def _is_glued(text: str, measure: Measure) -> bool:
    end = measure.end
    if measure.form != "digits" or measure.ordinal or _TIMES.match(text, end):
        return False
    return end < len(text) and _LETTER.match(text[end]) is not None


def _measured(text: str, numeral: Numeral, language: Language) -> Measure:
    plain = Measure(
        numeral.start, numeral.end, numeral.value, numeral.value, (numeral.start, numeral.end), scale=numeral.scale,
        ordinal=numeral.ordinal, form=numeral.form, needs_unit=numeral.needs_unit,
    )  # fmt: skip
    if numeral.unit is not None:
        # 百分之五: the first three signs are the unit.
        inner = (numeral.start + 3, numeral.end)
        return replace(plain, unit=unit_named(numeral.unit), unit_at=(numeral.start, numeral.start + 3), number=inner)
    if numeral.ordinal:
        return plain
    return _with_unit_after(text, plain, language) or _with_currency_before(text, plain, language) or plain


def _with_unit_after(text: str, plain: Measure, language: Language) -> Measure | None:
    infix = INFIX[language].match(text, plain.end)
    for skipped in (infix, None) if infix else (None,):
        reached = skipped.end() if skipped else plain.end
        gap = (_GAP_OF if plain.scale >= 1000 else _GAP).match(text, reached) or _GAP.match(text, reached)
        for start in dict.fromkeys((gap.end() if gap else reached, reached)):
            found = unit_after(text, start, language, plain.scale)
            if found is None or not _fits(plain, found[0]) or _is_calendar_year(text, plain, start):
                continue
            bound = infix_bound(skipped[0]) if skipped else plain.bound
            measure = _in_unit(replace(plain, bound=bound), found[0], (start, found[1]))
            return _with_half(text, replace(measure, end=found[1]))
    return None


def _fits(plain: Measure, unit: Unit) -> bool:
    """Whether a unit may follow: «one foot in the door» and «a second chance» are no measures."""
    if plain.needs_unit and plain.low == 1:
        return unit.name not in NOT_WITH_ONE
    return True


def _is_calendar_year(text: str, plain: Measure, position: int) -> bool:
    """Whether a number before 年 names a year («2022年») that no date finder took, and no two thousand years."""
    return (
        _YEAR_SIGN.match(text, position) is not None
        and plain.scale == 1
        and 1000 <= plain.low < 3000
        and "," not in text[plain.start : plain.end]
    )


def _in_unit(measure: Measure, unit: Unit, place: Range) -> Measure:
    """Return a measure in this unit; a number of cents becomes one of dollars."""
    whole = replace(unit, times=Decimal(1))
    return replace(
        measure,
        unit=whole,
        unit_at=place,
        needs_unit=False,
        low=measure.low * unit.times,
        high=measure.high * unit.times,
    )


def _with_half(text: str, measure: Measure) -> Measure:
    """Return the measure with a half after its unit added: «2時間半», 一米八, «two years and a half»."""
    tail = _METRE_TAIL.match(text, measure.end)
    if tail and measure.form == "signs" and measure.unit == unit_named("metre"):
        low = measure.low + after_point(tail[0])
        return replace(measure, end=tail.end(), low=low, high=low, number=(measure.number[0], tail.end()))
    half = _HALF_AFTER.match(text, measure.end)
    if half is None or measure.low != measure.low.to_integral_value():
        return measure
    low = measure.low + Decimal("0.5")
    return replace(measure, end=half.end(), low=low, high=low, number=(measure.number[0], half.end()))


def _with_currency_before(text: str, plain: Measure, language: Language) -> Measure | None:
    found = unit_before(text, plain.start, language)
    if found is None:
        return None
    unit, start = found
    sign_end = start + len(text[start : plain.start].rstrip(" \u00a0"))
    minus = start > 0 and text[start - 1] in "-−–" and plain.low < 0
    return replace(_in_unit(plain, unit, (start, sign_end)), start=start - minus)
