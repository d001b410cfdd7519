"""Units as they stand in a text: what unit, if any, follows or precedes a number."""

from decimal import Decimal
from typing import Final

import regex

from ragcortex.geometry.facts.fact import Language
from ragcortex.geometry.facts.unit_currencies import MONEY_WORDS, WORDLIKE_CODES
from ragcortex.geometry.facts.unit_lexicon import LONGEST, Unit, name_key, unit_beginnings, unit_named, unit_names

_LETTER: Final = regex.compile(r"[\p{Latin}\p{Greek}\p{Cyrillic}]")
_INCHES_FOLLOW: Final = regex.compile(
    r"in(?:\b(?=[.,;)×]|$|\s*(?:[x×]|by|long|wide|tall|high|thick|deep|diameter|in diameter|of (?:rain|snow))\b))"
)
_FEET_AND_INCHES: Final = regex.compile(r"(?P<foot>['’′])(?= ?[0-9]{1,2} ?[\"″”])|(?<=[0-9]['’′] ?[0-9]{1,2} ?)[\"″”]")
_MILLION_FOLLOWS: Final = regex.compile(
    r"m (?:people|users|visitors|customers|inhabitants|subscribers|viewers|copies|jobs|barrels|members|residents|homes"
    r"|passengers|households|shares|downloads|euros|dollars|pounds|views|tourists|children|women|men|tonnes|units)\b"
)
_DECADE_BEFORE: Final = regex.compile(r"\b(?:his|her|their|my|your|our|its|the|mid|early|late)[ -]$", regex.IGNORECASE)
_POUND: Final = regex.compile(r"(?i:pounds?|libras?)\b|ポンド")
_STOP_BEFORE: Final = regex.compile(r"[.;!?\n](?: |$)")
_STOP_AFTER: Final = regex.compile(r"[.;!?\n]")
_LAST_DIGITS: Final = regex.compile(r"[0-9]+$")
_LAST_NUMBER: Final = regex.compile(r"[0-9.,〇零一二三四五六七八九十百千万億亿两 ]+$")
_MONEY: Final = regex.compile(MONEY_WORDS, regex.IGNORECASE)
_AFTER_DIGITS_ONLY: Final = frozenset({"C", "F", "K", "A", "V", "N", "J", "W", "o"})
# 時速120キロ, 摄氏30度: the unit stands half before the number.
_PREFIXED: Final[tuple[tuple[regex.Pattern[str], dict[str, str]], ...]] = (
    (
        regex.compile("(?:时速|時速|每小时|毎時)[约約为達达]?$"),
        {"kilometre": "kilometre_per_hour", "mile": "mile_per_hour"},
    ),
    (regex.compile("(?:秒速|每秒|毎秒)[约約为]?$"), {"metre": "metre_per_second", "kilometre": "kilometre_per_second"}),
    (regex.compile("(?:摄氏|攝氏|摂氏)(?:零下)?$"), {"degree": "celsius"}),
    (regex.compile("(?:华氏|華氏)(?:零下)?$"), {"degree": "fahrenheit"}),
    (regex.compile("(?:重さ|体重|重量)(?:は|が|約|およそ)*$"), {"kilometre": "kilogram"}),
    (regex.compile("(?:港币|港幣|港元)$"), {"CNY": "HKD"}),
    (regex.compile("(?:新台币|新臺幣|台币)$"), {"CNY": "TWD"}),
)


def unit_after(text: str, position: int, language: Language, scale: Decimal = Decimal(1)) -> tuple[Unit, int] | None:
    """Return the unit whose name starts at `text[position]` and where the name ends, or None.

    Args:
        text: a text with folded full-width forms (see `amount_masks.masked`).
        position: where the number, and the space or hyphen after it, has ended.
        language: the text's language; signs and ISO codes are the same in all.
        scale: product of the number's magnitude words: millions of pounds are money.

    >>> unit_after("330 metres", 4, "en")
    (Unit(name='metre', dimension='length', factor=Decimal('1'), times=Decimal('1')), 10)
    """
    names = unit_names(language)
    limit = min(len(text), position + LONGEST) if _may_begin(text, position, language) else position
    for end in range(limit, position, -1):
        piece = text[position:end]
        found = names.exact.get(piece) or names.folded.get(name_key(piece))
        if found is None or not _ends_word(text, end, piece) or _is_other_word(text, position, end, found, language):
            continue
        if _POUND.fullmatch(piece) and (scale > 1000 or _MONEY.search(_clause(text, position, end))):
            return Unit("GBP", "currency"), end
        return _with_prefix(text, position, found), end
    mark = _FEET_AND_INCHES.match(text, position)
    if mark:
        return unit_named("foot" if mark["foot"] else "inch"), position + 1
    if text.startswith("in", position) and _INCHES_FOLLOW.match(text, position) and language == "en":
        return unit_named("inch"), position + 2
    return None


def _may_begin(text: str, position: int, language: Language) -> bool:
    """Return whether a name may start at `text[position]`; that none does is certain."""
    exact, folded = unit_beginnings(language)
    one, two = text[position : position + 1], text[position : position + 2]
    return two in exact or one in exact or name_key(two)[:2] in folded or name_key(one) in folded


def unit_before(text: str, position: int, language: Language) -> tuple[Unit, int] | None:
    """Return the currency whose sign or code ends at `text[position]` and where it starts, or None.

    >>> unit_before("costs US$1,200", 9, "en")
    (Unit(name='USD', dimension='currency', factor=Decimal('1'), times=Decimal('1')), 6)
    """
    before = unit_names(language).before
    stop = position
    while stop > 0 and position - stop < 1 and text[stop - 1] in " \u00a0":
        stop -= 1
    for start in range(max(0, stop - 5), stop):
        found = before.get(text[start:stop])
        if found is None or (stop < position and text[start:stop] == "Fr"):
            continue
        if start == 0 or not (_LETTER.match(text[start]) and _LETTER.match(text[start - 1])):
            return found, start
    return None


def _clause(text: str, start: int, end: int) -> str:
    """Return the words around a range, up to the nearest stop."""
    before = _STOP_BEFORE.split(text[max(0, start - 60) : start])[-1]
    after = _STOP_AFTER.split(text[end : end + 40])[0]
    return before + text[start:end] + after


def _ends_word(text: str, end: int, piece: str) -> bool:
    """Whether a name does not run on: «m» in «metal», «年» before nothing special; Han and Kana need no space."""
    if end == len(text) or not (_LETTER.match(piece[-1]) or piece[-1].isdigit()):
        return end == len(text) or piece[-1] not in "²³" or text[end] not in "²³"
    return not (
        _LETTER.match(text[end]) or text[end].isdigit() or text[end] in "²³^_" or text[end : end + 1] == "\u0301"
    )


def _is_other_word(text: str, start: int, end: int, unit: Unit, language: Language) -> bool:
    """Whether these letters, though they spell a unit, are something else here."""
    piece, glued = text[start:end], start > 0 and text[start - 1].isdigit()
    if piece == "m":
        return _MILLION_FOLLOWS.match(text, start) is not None
    if piece == "s":
        return glued and _ends_decade(text[:start])
    if piece in _AFTER_DIGITS_ONLY:
        # «Section 5 C» and «4 A batteries»: apart from the number, such a letter follows two digits.
        digits = r"[0-9]$|[0-9.,][0-9][ \u00a0]$" if piece != "A" or language != "en" else r"[0-9]$"
        return text[end : end + 1] in ("'", "’") or not regex.search(digits, text[max(0, start - 3) : start])
    if piece == "分" and language == "zh":
        return not regex.search("(?:[时時]|小时|小時)[0-9一二三四五六七八九十]+ ?$", text[max(0, start - 8) : start])
    if piece == "日":
        return text.startswith("日本", start)
    return unit.name in WORDLIKE_CODES and glued


def _ends_decade(before: str) -> bool:
    """Whether an s right after this names a decade («the 1990s», «his 30s») and no seconds."""
    digits = _LAST_DIGITS.search(before)
    return digits is not None and (len(digits[0]) > 3 or _DECADE_BEFORE.search(before[: digits.start()]) is not None)


def _with_prefix(text: str, position: int, unit: Unit) -> Unit:
    """Return the unit that «時速», «摄氏» and the like before the number make of this one."""
    for _, changes in _PREFIXED:
        if unit.name in changes:
            break
    else:
        return unit
    number = _LAST_NUMBER.search(text[max(0, position - 24) : position])
    if number is None:
        return unit
    before = text[max(0, position - len(number[0]) - 8) : position - len(number[0])]
    for pattern, changes in _PREFIXED:
        if unit.name in changes and pattern.search(before):
            name = changes[unit.name]
            return Unit(name, "currency") if unit.dimension == "currency" else unit_named(name)
    return unit
