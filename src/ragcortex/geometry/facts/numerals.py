"""The numbers of a text, in digits, words or number signs, with magnitudes: «5.9 million», «5,9 Mio.», «590万»."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Final

import regex

from ragcortex.geometry.facts.amount_cjk import sign_numerals
from ragcortex.geometry.facts.amount_digits import EXACT, digit_numerals
from ragcortex.geometry.facts.amount_numeral import Numeral
from ragcortex.geometry.facts.amount_words import word_numerals
from ragcortex.geometry.facts.fact import Language

_THOUSAND, _MILLION, _BILLION, _TRILLION = (Decimal(10**power) for power in (3, 6, 9, 12))
_MAGNITUDES: Final[dict[Language, dict[str, Decimal]]] = {
    "en": {
        "hundred": Decimal(100),
        "thousand": _THOUSAND,
        "thousands": _THOUSAND,
        "million": _MILLION,
        "millions": _MILLION,
        "mn": _MILLION,
        "mln": _MILLION,
        "mio": _MILLION,
        "billion": _BILLION,
        "billions": _BILLION,
        "bn": _BILLION,
        "trillion": _TRILLION,
        "trillions": _TRILLION,
        "tn": _TRILLION,
        "trn": _TRILLION,
        "quadrillion": _TRILLION * 1000,
        "lakh": Decimal(10**5),
        "lakhs": Decimal(10**5),
        "crore": Decimal(10**7),
        "crores": Decimal(10**7),
        "dozen": Decimal(12),
    },
    "de": {
        "hundert": Decimal(100),
        "tausend": _THOUSAND,
        "tsd.": _THOUSAND,
        "tsd": _THOUSAND,
        "million": _MILLION,
        "millionen": _MILLION,
        "mio.": _MILLION,
        "mio": _MILLION,
        "mill.": _MILLION,
        "milliarde": _BILLION,
        "milliarden": _BILLION,
        "mrd.": _BILLION,
        "mrd": _BILLION,
        "mia.": _BILLION,
        "billion": _TRILLION,
        "billionen": _TRILLION,
        "bio.": _TRILLION,
        "billiarde": _TRILLION * 1000,
        "billiarden": _TRILLION * 1000,
        "trillion": _TRILLION * _MILLION,
        "trillionen": _TRILLION * _MILLION,
        "dutzend": Decimal(12),
    },
    "fr": {
        "cent": Decimal(100),
        "mille": _THOUSAND,
        "millier": _THOUSAND,
        "milliers": _THOUSAND,
        "million": _MILLION,
        "millions": _MILLION,
        "mio": _MILLION,
        "milliard": _BILLION,
        "milliards": _BILLION,
        "md": _BILLION,
        "mds": _BILLION,
        "mrd": _BILLION,
        "billion": _TRILLION,
        "billions": _TRILLION,
        "douzaines": Decimal(12),
    },
    "es": {
        "mil": _THOUSAND,
        "millón": _MILLION,
        "millon": _MILLION,
        "millones": _MILLION,
        "mill.": _MILLION,
        "mm": _MILLION,
        "millardo": _BILLION,
        "millardos": _BILLION,
        "billón": _TRILLION,
        "billones": _TRILLION,
        "trillón": _TRILLION * _MILLION,
        "trillones": _TRILLION * _MILLION,
        "docenas": Decimal(12),
    },
    "zh": {"million": _MILLION, "billion": _BILLION},
    "ja": {"million": _MILLION, "billion": _BILLION, "ダース": Decimal(12)},
}
# «mm» is a million only of money; lest 5 mm become five million, it needs a currency sign before the number.
_AFTER_CURRENCY: Final = {"k": _THOUSAND, "m": _MILLION, "mm": _MILLION, "b": _BILLION, "bn": _BILLION, "t": _TRILLION}
_BEFORE_CURRENCY: Final = regex.compile(r"[ \u00a0]?(?P<letter>k|K|M|Md|Mds|B)(?=[ \u00a0]?[€$£¥])")
_GLUED: Final = regex.compile(r"(?P<letter>[kKMB])(?![\p{L}0-9²³/])")
_GLUED_VALUES: Final = {
    "k": _THOUSAND,
    "K": _THOUSAND,
    "M": _MILLION,
    "B": _BILLION,
    "Md": _BILLION,
    "Mds": _BILLION,
}
_SIGN_BEFORE: Final = regex.compile(r"[$€£¥₹] ?$")
_MONEY_LETTER: Final = regex.compile(r" ?(?P<letter>k|m|mm|b|bn|t)\b", regex.IGNORECASE)
_AND_A_HALF: Final = regex.compile(
    r"[ \u00a0]and a half\b(?= \p{L})|[ \u00a0]et demie?\b(?= \p{L})|[ \u00a0]y medi[oa]\b(?= \p{L})"
)
_MORE: Final = regex.compile(r"[ \u00a0]+(?:(?:and|und|et|y)[ \u00a0]+)?")


def numerals(text: str, language: Language) -> tuple[Numeral, ...]:
    """Return the numbers of a text by position, none overlapping another.

    Args:
        text: a text with folded full-width forms, in which what is no number has been masked (`amount_masks.masked`).
        language: whose digits, words and magnitudes to read.

    >>> [str(numeral.value) for numeral in numerals("5.9 million and three", "en")]
    ['5900000', '3']
    """
    scaled: list[Numeral] = []
    for numeral in _found(text, language):
        # A magnitude that the number before has taken is no number of its own («500 mil millones»).
        if not scaled or numeral.start >= scaled[-1].end:
            scaled.append(_scaled(text, numeral, language))
    return tuple(replace(numeral, value=plain_value(numeral.value)) for numeral in _summed(text, scaled))


def _found(text: str, language: Language) -> Iterator[Numeral]:
    """Yield the plain numbers, number signs before digits and digits before words where they overlap."""
    found = [*sign_numerals(text, language)]
    for more in (digit_numerals(text, language), word_numerals(text, language)):
        held = list(found)
        found.extend(new for new in more if not any(new.start < old.end and old.start < new.end for old in held))
    reached = 0
    for numeral in sorted(found, key=lambda numeral: numeral.start):
        if numeral.start >= reached:
            yield numeral
            reached = numeral.end


def _scaled(text: str, numeral: Numeral, language: Language) -> Numeral:
    """Return the number with the magnitude words after it («500 mil millones»)."""
    if numeral.ordinal or numeral.unit is not None:
        return numeral
    end, scale = numeral.end, Decimal(1)
    while (step := _magnitude(text, numeral.start, end, language)) is not None:
        scale, end = scale * step[0], step[1]
    if end > numeral.end:
        value = plain_value(EXACT.multiply(numeral.value, scale))
        numeral = replace(numeral, end=end, value=value, scale=scale * numeral.scale, needs_unit=False)
    half = _AND_A_HALF.match(text, numeral.end)
    if half:
        # «Two and a half million»: the half belongs to what is counted, so before its magnitude.
        value = plain_value(numeral.value + Decimal("0.5") * scale)
        numeral = replace(numeral, end=half.end(), value=value, needs_unit=numeral.needs_unit)
        return _scaled(text, numeral, language) if scale == 1 else numeral
    return numeral


def _magnitude(text: str, start: int, end: int, language: Language) -> tuple[Decimal, int] | None:
    words = _MAGNITUDE_PATTERNS[language].match(text, end)
    if words:
        return _MAGNITUDES[language][words["word"].casefold()], words.end()
    if not text[end - 1 : end].isdigit():
        return None
    letter = _BEFORE_CURRENCY.match(text, end) or _GLUED.match(text, end)
    if letter:
        return _GLUED_VALUES[letter["letter"]], letter.end()
    money = _MONEY_LETTER.match(text, end)
    if money and _SIGN_BEFORE.search(text, max(0, start - 2), start):
        return _AFTER_CURRENCY[money["letter"].casefold()], money.end()
    return None


def _pattern(words: dict[str, Decimal]) -> regex.Pattern[str]:
    names = "|".join(regex.escape(word) for word in sorted(words, key=len, reverse=True) if word != "mm")
    return regex.compile(rf"[ \u00a0-]?(?P<word>{names})(?![\p{{L}}\p{{M}}0-9])", regex.IGNORECASE)


_MAGNITUDE_PATTERNS: Final = {language: _pattern(words) for language, words in _MAGNITUDES.items()}


def _summed(text: str, found: list[Numeral]) -> Iterator[Numeral]:
    """Join what is one number of several parts: «two million three hundred thousand», «1 millón 200 mil»."""
    held: Numeral | None = None
    for numeral in found:
        if held is not None and _continues(text, held, numeral):
            held = replace(held, end=numeral.end, value=held.value + numeral.value, scale=numeral.scale)
            continue
        if held is not None:
            yield held
        held = numeral
    if held is not None:
        yield held


def _continues(text: str, first: Numeral, second: Numeral) -> bool:
    gap = _MORE.fullmatch(text, first.end, second.start)
    return (
        gap is not None
        and first.scale >= 1000
        and 0 < second.value < first.scale
        and first.form == second.form == ("words" if second.scale == 1 else first.form)
        and not (first.ordinal or second.ordinal or second.needs_unit)
        and (gap[0].isspace() or (second.value < 100 and first.form == "words"))
    )


def plain_value(value: Decimal) -> Decimal:
    """Return a whole value without zeros after the point, so that 5.90 million prints as 5900000."""
    whole = value == value.to_integral_value() and abs(value) < 10**30
    return value.quantize(Decimal(1), context=EXACT) if whole else value
