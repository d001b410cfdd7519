"""Days, months and weekdays of English, German, French and Spanish text, and dates in digits of any."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

import regex

from ragcortex.geometry.facts.calendar_compare import days_in_month
from ragcortex.geometry.facts.calendar_context import ERA, YEAR, is_counted, year_of
from ragcortex.geometry.facts.calendar_words import (
    Piece,
    is_doubtful_month,
    month_of,
    month_pattern,
    weekday_of,
    weekday_pattern,
)
from ragcortex.geometry.facts.fact import CalendarDate, Language

_DIGITS: Final = r"(?:[12]\d|3[01]|0?[1-9])(?!\d)"
_FREE: Final = r"(?<![\p{Latin}\p{M}\d.,:/$€£#])"


@dataclass(frozen=True, slots=True)
class _Grammar:
    """How a language writes a day: its ending, the word for the first, and what joins day, month and year."""

    ordinal: str
    first: str
    to_month: str
    to_year: str
    after_weekday: str
    until: str
    between: str
    conjunction: str
    month_before: str


_GRAMMAR: Final[dict[Language, _Grammar]] = {
    "en": _Grammar(
        ordinal=r"(?:st|nd|rd|th)",
        first=r"[Ff]irst",
        to_month=r"(?:\s+(?:day\s+)?of\s+|\s*-\s*|\s+)",
        to_year=r"(?:,?\s+(?:of\s+)?|-)",
        after_weekday=r",?\s+(?:the\s+)?",
        until=r"\s*[–—-]\s*|\s+(?:to|until|till|through)\s+(?:the\s+)?",
        between=r"between\s+(?:the\s+)?",
        conjunction=r"\s+and\s+(?:the\s+)?",
        month_before=r"in|since|until|till|by|from|of|during|before|after|between|through|this|last|next|early|mid|late"
        r"|every|each|throughout|through|past|previous|following|beginning|end|month|to",
    ),
    "de": _Grammar(
        ordinal=r"\.",
        first=r"[Ee]rste[nr]?",
        to_month=r"(?:\s*)",
        to_year=r"(?:,?\s+(?:des\s+Jahres\s+)?|-)",
        after_weekday=r",?\s+(?:de[nmr]\s+)?",
        until=r"\s*[–—-]\s*|\s+bis\s+(?:zum\s+)?",
        between=r"zwischen\s+(?:dem\s+)?",
        conjunction=r"\s+und\s+(?:dem\s+)?",
        month_before=r"im|seit|bis|ab|von|vom|zum|Anfang|Mitte|Ende|nächsten|letzten|jeden|dieses|diesen|Monat",
    ),
    "fr": _Grammar(
        ordinal=r"(?:er)",
        first=r"[Pp]remier",
        to_month=r"(?:\s*-\s*|\s+)",
        to_year=r"(?:,?\s+(?:de\s+)?|-)",
        after_weekday=r",?\s+(?:le\s+)?",
        until=r"\s*[–—-]\s*|\s+(?:au|à|jusqu['’]au)\s+",
        between=r"entre\s+(?:le\s+)?",
        conjunction=r"\s+et\s+(?:le\s+)?",
        month_before=r"en|de|depuis|dès|fin|début|mi|courant|mois|à|jusqu['’]en|jusqu['’]à|avant|après|entre|du|au",
    ),
    "es": _Grammar(
        ordinal=r"(?:\.?[ºo°]|ro)",
        first=r"[Pp]rimero",
        to_month=r"(?:\s*-\s*|\s+(?:de\s+)?)",
        to_year=r"(?:,?\s+(?:del?\s+)?(?:año\s+)?|-)",
        after_weekday=r",?\s+(?:el\s+)?",
        until=r"\s*[–—-]\s*|\s+(?:al|a|hasta\s+el)\s+",
        between=r"entre\s+(?:el\s+)?",
        conjunction=r"\s+y\s+(?:el\s+)?",
        month_before=r"en|de|desde|hasta|fines|finales|principios|mediados|mes|antes|después|entre|a|del|este|cada",
    ),
}
_WEEKDAY_BEFORE: Final = regex.compile(
    r"(?<![\p{L}])(?:on|every|each|until|from|to|by|am|an|jeden|bis|von|le|les|du|au|chaque|el|los|cada|al|del)\s+$",
    regex.IGNORECASE,
)
_STRETCHES: Final[dict[Language, tuple[tuple[str, int, int], ...]]] = {
    "en": ((r"[Ww]eekdays?", 0, 4), (r"[Ww]eek-?ends?", 5, 6)),
    "de": ((r"[Ww]erktags?|[Ww]ochentags|Werktagen?|Wochentagen", 0, 4), (r"[Ww]ochenenden?s?", 5, 6)),
    "fr": ((r"[Jj]ours de semaine|[Jj]ours ouvrés", 0, 4), (r"[Ww]eek-?ends?", 5, 6)),
    "es": ((r"[Dd]ías laborables|[Ee]ntre semana", 0, 4), (r"[Ff]in(?:es)? de semana", 5, 6)),
}
_NUMERIC: Final = regex.compile(
    rf"(?<![\p{{Latin}}\d.,:/-])(?:(?P<year>1\d{{3}}|2[01]\d{{2}})(?P<by>[-/.])(?P<month>0?[1-9]|1[0-2])(?P=by)(?P<day>{_DIGITS})"
    r"(?![./-]?\d)"
    r"|(?P<first>0?[1-9]|[12]\d|3[01])(?P<by>[-/.])(?P<by2> ?)(?P<second>0?[1-9]|[12]\d|3[01])(?P=by)(?P=by2)"
    r"(?P<year>1\d{3}|2[01]\d{2}|(?<!-)\d{2})(?!\d|[./-]\d)"
    r"|(?P<year>1\d{3}|20\d{2})-(?P<month>0[1-9]|1[0-2])(?![\d.,-]|/\d))"
)
_WITHOUT_YEAR: Final = regex.compile(
    r"(?<![\d.,:/-])(?P<day>0?[1-9]|[12]\d|3[01])(?:\.\s?(?P<month>0?[1-9]|1[0-2])\.|/(?P<month>0[1-9]|1[0-2]))(?![\d/])"
)
_DATE_BEFORE: Final = regex.compile(
    r"(?<!\p{L})(?:am|vom|zum|ab dem|bis zum|seit dem|den|le|du|au|el|al|del)\s+$", regex.IGNORECASE
)


def numeric_date(match: regex.Match[str], *, month_first: bool) -> CalendarDate | None:
    """Return the date of a match of digits and separators, None where no order of day and month fits."""
    year = match["year"]
    if match["first"] is None:
        value = CalendarDate(int(year), int(match["month"]), int(match["day"]) if match["day"] else None)
        return value if _is_day(value) else None
    full_year = int(year) if len(year) == 4 else int(year) + (1900 if int(year) >= 70 else 2000)
    pair = int(match["first"]), int(match["second"])
    for month, day in (pair, pair[::-1]) if month_first else (pair[::-1], pair):
        if month <= 12:
            value = CalendarDate(full_year, month, day)
            if _is_day(value):
                return value
    return None


def numeric_match(text: str) -> regex.Match[str] | None:
    """Return the match of a text that is one date in digits, else None."""
    return _NUMERIC.fullmatch(text)


def numeric_pieces(text: str, language: Language) -> Iterator[Piece]:
    """Yield the dates in digits: 31/03/1889, 31.3.1889, 1889-03-31, 2022-09; in German, French and Spanish «31.3.»."""
    for match in _NUMERIC.finditer(text):
        if match["by"] == "." and len(match["year"]) == 2 and language != "de":
            continue  # a version or a section number
        value = numeric_date(match, month_first=language == "en" and match["by"] == "/")
        if value is not None:
            yield Piece(*match.span(), value)
    if language in ("de", "fr", "es"):
        for match in _WITHOUT_YEAR.finditer(text):
            value = CalendarDate(month=int(match["month"]), day=int(match["day"]))
            said = _DATE_BEFORE.search(text[max(0, match.start() - 12) : match.start()])
            if ("." in match[0]) == (language == "de") and _is_day(value):
                yield Piece(*match.span(), value, weak=said is None)


def day_pieces(text: str, language: Language) -> Iterator[Piece]:
    """Yield days of a month with or without weekday and year, and months with a year."""
    if not _month(language).search(text):
        return
    for pattern in _day_patterns(language):
        for match in pattern.finditer(text):
            piece = _piece_of(text, match, language)
            if piece is not None:
                yield piece


def month_and_weekday_pieces(text: str, language: Language) -> Iterator[Piece]:
    """Yield months and weekdays that stand alone; doubtful ones and abbreviations as weak."""
    months, weekdays, stretches = _single_patterns(language)
    for match in months.finditer(text):
        month = month_of(language, match[0])
        yield Piece(*match.span(), CalendarDate(month=month), weak=_month_is_weak(text, match, language))
    for match in weekdays.finditer(text):
        weekday = weekday_of(language, match["weekday"])
        yield Piece(*match.span(), CalendarDate(weekday=weekday), weak=_weekday_is_weak(text, match, language))
    for pattern, first, last in stretches:
        for match in pattern.finditer(text):
            yield Piece(*match.span(), CalendarDate(weekday=first, last_weekday=last))


@cache
def _month(language: Language) -> regex.Pattern[str]:
    return regex.compile(month_pattern(language))


@cache
def _day_patterns(language: Language) -> tuple[regex.Pattern[str], ...]:
    words = _GRAMMAR[language]
    month = rf"(?P<month>{month_pattern(language)})"
    year = rf"(?:{words.to_year}(?:(?P<year>{YEAR}){ERA}?|(?P<year>\d{{1,4}}){ERA}))"
    weekday = rf"(?:(?P<weekday>{weekday_pattern(language, short=True)}){words.after_weekday})?"
    earlier = rf"(?P<earlier>{_DIGITS}){words.ordinal}?"
    stretch = rf"(?:{earlier}(?:{words.until})|(?<={words.between}){earlier}{words.conjunction})?"
    day = rf"(?P<day>{_DIGITS}|{words.first})"
    day_first = rf"{_FREE}{weekday}{stretch}{day}(?P<said>{words.ordinal})?{words.to_month}{month}{year}?"
    month_year = rf"(?<![\p{{L}}\p{{M}}\d]){month}{year}"
    if language != "en":
        return regex.compile(day_first), regex.compile(month_year)
    clock = r"(?!\d|[:.,]\d|%|\s?(?:[ap]\.?m\b|percent|o['’]clock))"
    later = rf"(?:(?:{words.until})(?P<later>{_DIGITS}){words.ordinal}?{clock})?"
    month_first = (
        rf"(?<![\p{{L}}\p{{M}}\d]){weekday}{month}\s+(?:the\s+)?{day}(?P<said>{words.ordinal})?{clock}{later}{year}?"
    )
    return regex.compile(month_first), regex.compile(day_first), regex.compile(month_year)


@cache
def _single_patterns(
    language: Language,
) -> tuple[regex.Pattern[str], regex.Pattern[str], tuple[tuple[regex.Pattern[str], int, int], ...]]:
    months = regex.compile(rf"(?<![\p{{L}}\p{{M}}\d'’]){month_pattern(language)}")
    weekdays = regex.compile(rf"(?<![\p{{L}}\p{{M}}\d'’])(?P<weekday>{weekday_pattern(language, short=True)})")
    stretches = tuple(
        (regex.compile(rf"(?<![\p{{L}}\p{{M}}-])(?:{words})(?![\p{{L}}\p{{M}}])"), first, last)
        for words, first, last in _STRETCHES[language]
    )
    return months, weekdays, stretches


def _piece_of(text: str, match: regex.Match[str], language: Language) -> Piece | None:
    groups = match.groupdict()
    month = month_of(language, match["month"])
    year = year_of(match["year"], match) if match["year"] else None
    end = match.end()
    if is_counted(text, end, language):  # «in May 1500 people», «in March 12 people»
        if year is None and groups.get("day") and not groups.get("said") and match.start("month") < match.start("day"):
            return None
        if year is not None and not groups.get("bc"):
            year, end = None, match.end("month")
            if groups.get("day"):
                end = max(end, match.end("day"), match.end("said"), match.end("later") if groups.get("later") else 0)
            else:
                return None
    if not groups.get("day"):
        return Piece(match.start(), end, CalendarDate(year, month))
    day, last_day = _day(match["day"]), None
    if groups.get("earlier"):
        day, last_day = int(match["earlier"]), day
    elif groups.get("later"):
        last_day = int(match["later"])
    weekday = weekday_of(language, match["weekday"]) if match["weekday"] and last_day is None else None
    value = CalendarDate(year, month, day, weekday, last_day=last_day)
    return Piece(match.start(), end, value) if _is_day(value) else None


def _day(word: str) -> int:
    return int(word) if word.isdecimal() else 1


def _is_day(value: CalendarDate) -> bool:
    """Whether the days exist in their month; 29 February in any year, since «year» may be one that is misread."""
    if value.month is None or value.day is None:
        return True
    if value.last_day is not None and value.last_day <= value.day:
        return False
    return max(value.day, value.last_day or 0) <= days_in_month(value.month)


def _month_is_weak(text: str, match: regex.Match[str], language: Language) -> bool:
    word = match[0]
    if word.endswith(".") or (len(word) < 4 and not (word.casefold() == "may" or word.casefold() == "mai")):
        return True
    if language == "en" and not is_doubtful_month(word):
        return False
    if language == "de" or (language in ("fr", "es") and word.islower()):
        return False
    return _month_word(language).search(text[max(0, match.start() - 24) : match.start()]) is None


@cache
def _month_word(language: Language) -> regex.Pattern[str]:
    words = _GRAMMAR[language].month_before
    chain = rf"(?:{month_pattern(language, short=False)}(?:\s*,\s*|\s*,?\s+(?:and|or|et|ou|y|o)\s+))"
    return regex.compile(rf"(?:(?<!\p{{L}})(?i:{words})[\s-]+(?:the\s+)?|{chain})$")


def _weekday_is_weak(text: str, match: regex.Match[str], language: Language) -> bool:
    word = match["weekday"].rstrip(".")
    if word != match["weekday"] or len(word) < 5:
        return True
    if language in ("en", "de") or word.islower():
        return False
    return _WEEKDAY_BEFORE.search(text[max(0, match.start() - 12) : match.start()]) is None
