"""Times of day of European text: 9:00, 5:30 p.m., noon, 17 Uhr, 17h30, las 5 de la tarde; ranges with a bare start."""

from collections.abc import Iterator
from functools import cache
from typing import Final

import regex

from ragcortex.geometry.facts.calendar_words import Piece, word_set
from ragcortex.geometry.facts.fact import ClockTime, Language

NOON: Final = 12 * 60
DAY: Final = 24 * 60

_FREE: Final = r"(?<![\p{Latin}\p{M}\d.,:/$€£¥#])"
_MERIDIEM: Final = r"(?P<half>[AaPp])(?:\.\s?[Mm]\.|[Mm](?![\p{L}\d]))"
_COLON: Final = (
    rf"{_FREE}(?P<hour>[01]?\d|2[0-4])[:：](?P<minute>[0-5]\d)"
    rf"(?::[0-5]\d(?:\.\d+)?)?(?!\d|[:：.]\d|%|/)(?:\s?{_MERIDIEM})?"
)
_HOUR: Final = r"(?P<hour>[01]?\d|2[0-4])"
_UNTIL: Final[dict[Language, str]] = {
    "en": r"\s*[–—-]\s*|\s+(?:to|until|till|through|and)\s+",
    "de": r"\s*[–—-]\s*|\s+(?:bis|und)\s+",
    "fr": r"\s*[–—-]\s*|\s+(?:à|jusqu['’]à|et)\s+",
    "es": r"\s*[–—-]\s*|\s+(?:a|hasta|y)\s+(?:las\s+)?",
}
_TWELVE: Final[dict[Language, str]] = {
    "en": "one two three four five six seven eight nine ten eleven twelve",
    "de": "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "fr": "une deux trois quatre cinq six sept huit neuf dix onze douze",
    "es": "una dos tres cuatro cinco seis siete ocho nueve diez once doce",
}
# Hours on the clock; the words of «half past», minutes after or before the hour; and the part of the day.
_AFTER: Final = {"half": 30, "quarter": 15, "viertel": 15, "demie": 30, "quart": 15, "media": 30, "cuarto": 15}
_PART_OF_DAY: Final[dict[Language, str]] = {
    "en": r"(?:\s+(?:in\s+the\s+(?P<part>morning|afternoon|evening)|(?:at\s+)(?P<part>night)))?",
    "de": r"(?:\s+(?P<part>morgens|früh|vormittags|mittags|nachmittags|abends|nachts))?",
    "fr": r"(?:\s+(?:du|de\s+l['’])\s?(?P<part>matin|après-midi|soir))?",
    "es": r"(?:\s+(?:de|por)\s+la\s+(?P<part>mañana|tarde|noche|madrugada))?",
}
_LATE: Final = word_set("afternoon evening night nachmittags abends mittags après-midi soir tarde noche")
_NIGHT: Final = word_set("night nachts noche")
_NOON: Final[dict[Language, str]] = {
    "en": r"(?:12\s)?(?i:noon|midday)(?![\p{L}])",
    "de": r"zwölf\sUhr\smittags",
    "fr": r"(?<=\b(?:à|de|avant|après|dès|vers|jusqu['’]à|entre|et|ou)\s)midi(?![\p{L}-])",
    "es": r"(?i:mediod[ií]a)(?![\p{L}])",
}
_MIDNIGHT: Final[dict[Language, str]] = {
    "en": r"(?:12\s)?(?i:midnight)(?![\p{L}])",
    "de": r"Mitternacht(?![\p{L}])",
    "fr": r"minuit(?![\p{L}])",
    "es": r"(?i:medianoche)(?![\p{L}])",
}


def clock_pieces(text: str, language: Language) -> Iterator[Piece]:
    """Yield the times of day, and ranges whose first end is a bare number («9–17 Uhr», «9 to 5 pm»)."""
    for pattern in _patterns(language):
        for match in pattern.finditer(text):
            value = _time(match)
            if value is not None:
                yield Piece(*match.span(), value)
    yield from (Piece(*match.span(), ClockTime(NOON, NOON)) for match in _fixed(language)[0].finditer(text))
    yield from (Piece(*match.span(), ClockTime(0, 0)) for match in _fixed(language)[1].finditer(text))


@cache
def _fixed(language: Language) -> tuple[regex.Pattern[str], regex.Pattern[str]]:
    before = r"(?<![\p{L}\p{M}\d-])"
    return regex.compile(before + _NOON[language]), regex.compile(before + _MIDNIGHT[language])


@cache
def _patterns(language: Language) -> tuple[regex.Pattern[str], ...]:
    start = rf"{_FREE}(?:(?P<from>[01]?\d|2[0-4])(?:[:.](?P<from_minute>[0-5]\d))?(?:{_UNTIL[language]}))?"
    words = "|".join(_TWELVE[language].split())
    part = _PART_OF_DAY[language]
    minute = r"(?:[:.](?P<minute>[0-5]\d))?"
    forms = {
        "en": (
            rf"{start}{_HOUR}{minute}\s?{_MERIDIEM}",
            rf"{_FREE}(?:{_HOUR}|(?P<word>{words}))\so['’]clock{part}",
            rf"(?<!\p{{L}})(?P<shift>(?i:half|quarter))\s(?P<sign>past|to)\s(?:{_HOUR}|(?P<word>{words}))(?![\p{{L}}\d]){part}",
            rf"{_FREE}(?P<word>{words})\s?{_MERIDIEM}",
        ),
        "de": (
            rf"{start}(?:{_HOUR}{minute}|(?P<word>{words}))\sUhr(?!\p{{L}})(?:\s(?P<minute>[0-5]\d)(?![\d.,:]|\s?\p{{L}}))?{part}",
            rf"(?<!\p{{L}})(?P<before_half>halb)\s(?:{_HOUR}|(?P<word>{words}))(?![\p{{L}}\d]){part}",
        ),
        "fr": (
            rf"{start}{_HOUR}\s?[hH]\s?(?P<minute>[0-5]\d)(?!\d){part}",
            rf"{start}{_HOUR}\s?h(?![\p{{L}}\d])(?!\sde\s(?!l['’])\p{{L}}){part}",
            rf"{start}(?<=(?i:\bà|\bdès|\bvers|\bjusqu['’]à|\bavant|\baprès|\bde|\bentre|\bet|[–-])\s?(?:\d+\sà\s)?)(?:{_HOUR}|(?P<word>{words}))"
            rf"\sheures?(?!\p{{L}})(?!\sde\s(?!l['’])\p{{L}})(?:\set\s(?P<shift>demie|quart))?(?:\s(?P<minute>[0-5]\d)(?![\d.,:]))?{part}",
            rf"{_FREE}(?:{_HOUR}|(?P<word>{words}))\sheures?(?:\s(?P<minute>[0-5]\d))?{part.removesuffix('?')}",
        ),
        "es": (
            rf"{start}{_HOUR}{minute}\s?{_MERIDIEM}",
            rf"{start}{_HOUR}{minute}\s?h(?:rs?\b\.?)?(?![\p{{L}}\d])",
            rf"(?<!\p{{L}})las?\s(?:{_HOUR}{minute}|(?P<word>{words}))(?:\s(?P<sign>y|menos)\s(?P<shift>media|cuarto))?(?:\shoras)?{part}"
            r"(?=\s*(?:$|[.,;:)–-])|\s(?:a|y|hasta|en|los|el|del|todos|,)\b)",
            rf"(?<!\p{{L}})las?\s(?:{_HOUR}{minute}|(?P<word>{words})){part.removesuffix('?')}",
        ),
    }
    colon = rf"{_COLON}{part}" + (r"(?:\s(?:Uhr|[Hh](?:eures|oras|rs?)?)(?!\p{L}))?" if language != "en" else "")
    before_colon = rf"{_FREE}(?P<from>[01]?\d|2[0-4])(?:\s*[–—]\s*){_COLON.removeprefix(_FREE)}"
    return tuple(regex.compile(pattern) for pattern in (*forms[language], before_colon, colon))


def _time(match: regex.Match[str]) -> ClockTime | None:
    groups = {name: value for name, value in match.groupdict().items() if value is not None}
    hour = _hour(groups)
    late = groups.get("half", "").lower() == "p" or groups.get("part") in _LATE
    early = groups.get("half", "").lower() == "a" or ("part" in groups and not late)
    if "half" in groups and not 1 <= hour <= 12:
        return None
    minutes = hour * 60 + int(groups.get("minute", 0)) + _shift(groups)
    if late and hour == 12 and groups.get("part") in _NIGHT:
        minutes -= NOON
    elif late and hour < 12:
        minutes += NOON
    elif early and hour == 12:
        minutes -= NOON
    if not 0 <= minutes <= DAY:
        return None
    if "from" not in groups:
        return ClockTime(minutes, minutes)
    first = int(groups["from"]) * 60 + int(groups.get("from_minute", 0))
    if late and first < NOON and first + NOON < minutes and hour < 12:
        first += NOON  # «1–5 pm», but «9–5 pm» starts in the morning
    return ClockTime(first, minutes) if first <= DAY else None


def _hour(groups: dict[str, str]) -> int:
    if "hour" in groups:
        return int(groups["hour"])
    for words in _TWELVE.values():
        if groups["word"] in words.split():
            return words.split().index(groups["word"]) + 1
    raise AssertionError(f"the pattern matched an hour that no language knows: {groups['word']}")


def _shift(groups: dict[str, str]) -> int:
    if "before_half" in groups:
        return -30
    minutes = _AFTER[groups["shift"].casefold()] if "shift" in groups else 0
    return -minutes if groups.get("sign") in ("to", "menos") else minutes
