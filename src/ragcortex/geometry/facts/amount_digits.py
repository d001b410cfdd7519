"""Numbers written with digits, as each language groups and points them; powers of ten, fractions and ordinals."""

import unicodedata
from collections.abc import Iterator
from decimal import Context, Decimal
from typing import Final

import regex

from ragcortex.geometry.facts.amount_numeral import Numeral
from ragcortex.geometry.facts.fact import Language

# Wide enough for 10^999, and apart from the ambient context, which must not change a fact.
EXACT: Final = Context(prec=1200)

_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻−", "0123456789+--")
_VULGAR: Final = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
# In these languages a comma before exactly three digits groups; in the others a full stop does.
_COMMA_GROUPS: Final = frozenset({"en", "zh", "ja"})
# Currency codes that may touch the digits although they end in a letter.
_GLUED_BEFORE: Final = (
    r"(?<=\b(?:USD|EUR|GBP|CHF|JPY|CNY|RMB|INR|AUD|CAD|NZD|HKD|SGD|TWD|SEK|NOK|DKK|PLN|CZK|HUF|ZAR|BRL|MXN|KRW|THB|ILS"
    r"|AED|RUB|Rs|Fr|RM)\.?)"
)
_LETTER: Final = r"[\p{Latin}\p{Greek}\p{Cyrillic}]"
_BEFORE: Final = (
    rf"(?:(?<!{_LETTER}|[0-9\\])(?<!{_LETTER}[-_])(?<![0-9][.,])(?:(?<![0-9]['’])|(?=[0-9]{{1,2}} ?[\"″”]))"
    rf"|{_GLUED_BEFORE})"
)
_PLAIN: Final = (
    r"[0-9]{1,3}(?:(?P<group>[,.'’\u00a0 ])[0-9]{3})(?:(?P=group)[0-9]{3})*(?!(?P=group)?[0-9])(?:[.,][0-9]+)?"
    r"|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}(?![0-9])(?:\.[0-9]+)?"
    r"|[0-9]+(?:[.,][0-9]+)?"
    r"|(?<![\w.])\.[0-9]+"
)
_TIMES_POWER: Final = (
    r"(?:(?P<mantissa>[0-9]+(?:[.,][0-9]+)?)\s?[×x*·⋅]\s?)?10"
    r"(?:(?:\^|\*\*)\{?(?P<caret>[-−+]?[0-9]{1,3})\}?|(?P<raised>[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}))(?![0-9])"
)
_LITERAL: Final = regex.compile(
    rf"{_BEFORE}(?:(?P<power>{_TIMES_POWER})"
    r"|(?P<exponent>[0-9]+(?:[.,][0-9]+)?[eE][-−+]?[0-9]{1,3}(?![\w]))"
    rf"|(?P<mixed>(?:(?P<whole>[0-9]+)[ \u00a0]?)?(?P<vulgar>[{_VULGAR}]))"
    r"|(?P<ratio>(?:(?P<wholes>[0-9]{1,3})[ \u00a0])?"
    r"(?P<above>[0-9]{1,2})[/⁄](?P<below>[0-9]{1,3})(?![0-9/]|[.,][0-9]))"
    rf"|(?P<plain>{_PLAIN}))"
)
_FRACTION_FOLLOWS: Final = regex.compile(
    r"[ \u00a0-]?(?:of|der|des|del?|d['’]|du|von|de la|cup|tea|table|inch|mile|pint|hour|year|pound|的|の|以上)"
)
_ORDINAL_SUFFIX: Final[dict[str, regex.Pattern[str]]] = {
    "en": regex.compile(r"(?:st|nd|rd|th)\b", regex.IGNORECASE),
    "fr": regex.compile(r"(?:ers?|[eè]res?|nde?s?|i?[eè]mes?|es?|res?)\b"),
    "es": regex.compile(r"(?:\.?[ºªᵒᵃ°](?![CF0-9])|\.?(?:er|ra|ro|do|da|to|ta|mo|ma|vo|va|no|na)\b)"),
    "ja": regex.compile("番目"),
}
_GERMAN_ORDINAL: Final = regex.compile(r"\.(?= \p{Ll}{3}| \p{Lu}\p{Ll}{2})")
_GERMAN_BEFORE: Final = regex.compile(
    r"\b(?:de[rnms]|die|das|zu[mr]|am|im|vom|beim|jede[rnms]?|(?:ihr|sein|unser|ein)(?:e[rnms]?)?"
    r"|[0-9]\. (?:und|oder|bis)) $",
    regex.IGNORECASE,
)
_CENTURY: Final = regex.compile(r" ?世[纪紀]")
_EXPONENT_SIGN: Final = regex.compile("[eE]")
_GROUPING: Final = regex.compile(r"['’\u00a0 ]")
_POINTS: Final = regex.compile("[.,]")
_RANKED_BEFORE: Final = regex.compile(r"第 ?$")
_MINUS_SIGN: Final = regex.compile(r"(?:^|(?<=[\s(\[|:~≈<>=≤≥]))[-−–](?:[$€£¥])?$")
_MINUS_WORD: Final = regex.compile(
    r"(?:(?<![0-9] )(?<!\b(?:au|ou|du|al|lo|o|de) )\b(?:minus|negative|moins|menos|negativ)[ \u00a0]"
    r"|零下|[负負]|マイナス|氷点下)$",
    regex.IGNORECASE,
)


def digit_numerals(text: str, language: Language) -> Iterator[Numeral]:
    """Yield the numbers written with digits, in order; `text` has no full-width forms (see `amount_masks`)."""
    position = 0
    while match := _LITERAL.search(text, position):
        position = match.end()
        if match["ratio"] and not _is_fraction(match, text):
            # Two numbers side by side: «4/5 stars», «24/7».
            for group in ("above", "below"):
                yield Numeral(*match.span(group), Decimal(match[group]), form="digits")
            continue
        start, end, value = match.start(), match.end(), _value(match, language)
        if match["plain"] and match["group"] == " " and language in ("zh", "ja"):
            end = match.start() + match[0].index(" ")
            value, position = Decimal(text[start:end]), end
        yield _finished(text, language, start, end, value)


def _finished(text: str, language: Language, start: int, end: int, value: Decimal) -> Numeral:
    """Return the number with its sign, and as an ordinal where it is one."""
    whole = value == value.to_integral_value() and value >= 0
    if whole and (suffix := _ordinal_end(text, language, start, end)) is not None:
        return Numeral(start, suffix, value, ordinal=True, form="digits")
    before = text[max(0, start - 16) : start]
    minus = _MINUS_SIGN.search(before) or _MINUS_WORD.search(before)
    if minus:
        # A currency sign between minus and digits stays outside the number, so that the unit is found there.
        signed = start if minus[0][-1] in "$€£¥" else start - len(minus[0])
        return Numeral(signed, end, -value, form="digits")
    return Numeral(start, end, value, form="digits")


def _ordinal_end(text: str, language: Language, start: int, end: int) -> int | None:
    """Return where an ordinal ends whose digits are `text[start:end]`, or None for a cardinal."""
    if language in ("zh", "ja") and (
        _RANKED_BEFORE.search(text, max(0, start - 2), start) or _CENTURY.match(text, end)
    ):
        return end
    if language == "de":
        stop = _GERMAN_ORDINAL.match(text, end) if end - start <= 3 else None
        return stop.end() if stop and _GERMAN_BEFORE.search(text[max(0, start - 12) : start]) else None
    suffix = _ORDINAL_SUFFIX[language].match(text, end) if language in _ORDINAL_SUFFIX else None
    return suffix.end() if suffix else None


def _is_fraction(match: regex.Match[str], text: str) -> bool:
    above, below = int(match["above"]), int(match["below"])
    if not 0 < above < below or below > 16:
        return False
    return match["wholes"] is not None or _FRACTION_FOLLOWS.match(text, match.end()) is not None


def _value(match: regex.Match[str], language: Language) -> Decimal:
    if match["power"]:
        exponent = match["caret"] or match["raised"]
        mantissa = literal_value(match["mantissa"], language) if match["mantissa"] else Decimal(1)
        return _expanded(EXACT.scaleb(mantissa, int(exponent.translate(_SUPERSCRIPTS))))
    if match["exponent"]:
        mantissa_text, exponent = _EXPONENT_SIGN.split(match["exponent"])
        return _expanded(EXACT.scaleb(literal_value(mantissa_text, language), int(exponent.replace("−", "-"))))
    if match["mixed"]:
        return EXACT.add(Decimal(match["whole"] or 0), _vulgar_value(match["vulgar"]))
    if match["ratio"]:
        return EXACT.add(Decimal(match["wholes"] or 0), fraction(int(match["above"]), int(match["below"])))
    return literal_value(match["plain"], language)


def _expanded(value: Decimal) -> Decimal:
    """Return the same number without an exponent, so that 1e2 and 100 also print alike."""
    return value.quantize(Decimal(1), context=EXACT) if value == value.to_integral_value() else value


def _vulgar_value(sign: str) -> Decimal:
    above, below = unicodedata.normalize("NFKC", sign).split("⁄")
    return fraction(int(above), int(below))


def fraction(above: int, below: int) -> Decimal:
    """Return above / below to 28 digits, the same for every way to write it.

    >>> fraction(3, 4)
    Decimal('0.75')
    """
    return Context(prec=28).divide(Decimal(above), Decimal(below))


def literal_value(literal: str, language: Language) -> Decimal:
    """Return the value of a plain number; where its shape leaves the separator open, the language decides.

    >>> literal_value("1.200", "de"), literal_value("1.200", "en"), literal_value("1.200.000,5", "en")
    (Decimal('1200'), Decimal('1.200'), Decimal('1200000.5'))
    """
    compact = _GROUPING.sub("", literal)
    marks = [mark for mark in compact if mark in ".,"]
    if not marks:
        return Decimal(compact)
    last = marks[-1]
    head, _, tail = compact.rpartition(last)
    decimal = marks.count(last) == 1
    if len(marks) == 1 and compact == literal and len(tail) == 3 and 1 <= len(head) <= 3 and head[0] != "0":
        decimal = (last == ".") == (language in _COMMA_GROUPS)
    if decimal:
        return Decimal(f"{_POINTS.sub('', head) or '0'}.{tail}")
    return Decimal(_POINTS.sub("", compact))
