"""Years that stand alone, stretches of years, decades, centuries and quarters of European text."""

from collections.abc import Iterator
from functools import cache
from typing import Final

import regex

from ragcortex.geometry.facts.calendar_context import ERA, YEAR, is_amount, is_counted, year_of
from ragcortex.geometry.facts.calendar_words import Piece
from ragcortex.geometry.facts.fact import CalendarDate, Language

_FREE: Final = r"(?<![\p{Latin}\p{M}\d.,:/$€£¥#-])"
# Words that make the number after them a year, and words that do so only for years from 1800 on.
_STRONG: Final[dict[Language, str]] = {
    "en": r"in(?:\sthe\syear)?|since|until|till|before|after|during|circa|ca\.|c\.|(?:the\s)?years?|early|mid|late"
    r"|in\s(?:early|mid|late)|spring|summer|autumn|fall|winter|season|fiscal|FY|between|throughout|of\sthe\syear"
    r"|(?:born|died|founded|established|built|released|published)\sin",
    "de": r"im\sJahre?|Jahre?n?|des\sJahres|seit|anno|Frühling|Frühjahr|Sommer|Herbst|Winter|Saison|Anfang|Mitte|Ende"
    r"|seit\sdem\sJahr|zwischen",
    "fr": r"en|depuis|dès|avant|après|jusqu['’]en|années?|l['’]an|vers|fin|début|printemps|été|automne|hiver|saison"
    r"|à\spartir\sde|entre|mi",
    "es": r"en|desde|hasta|años?|antes\sde|después\sde|hacia|a\spartir\sde|entre|durante|primavera|verano|otoño"
    r"|invierno|(?:a\s)?(?:finales|fines|principios|mediados|comienzos)\sde|temporada",
}
_MODERN: Final[dict[Language, str]] = {
    "en": r"by|of|from|for|around|to|through",
    "de": r"in|ab|bis|vor|nach|um|von",
    "fr": r"de",
    "es": r"de|del",
}
_DETERMINER: Final[dict[Language, str]] = {
    "en": r"the|this|its|their|our|his|her|an?|['’]s",
    "de": r"de[rsmn]|die|das",
    "fr": r"du|des|l[ae]s?",
    "es": r"del|l[ao]s?|el",
}
_AND: Final = r"(?:\s*,\s*|\s*,?\s+(?:and|or|&|und|oder|bzw\.|et|ou|y|o)\s+)"
_RANGE: Final = regex.compile(
    rf"{_FREE}(?P<first>{YEAR}|1\d{{3}}|20\d{{2}})\s?(?:[–—-]|/)\s?(?P<last>{YEAR}|\d{{2}}(?!\d|[.,:]\d|[-–/%]))(?![\p{{L}}\d]){ERA}?"
)
_FROM_TO: Final = regex.compile(
    rf"(?<![\p{{L}}])(?i:from|between|von|zwischen|de|entre|desde)\s+(?:the\s+)?(?P<first>(?:{YEAR}))\s+"
    rf"(?i:to|until|till|through|and|bis|und|à|et|a|hasta|y)\s+(?P<last>{YEAR})(?![\p{{L}}\d])"
)
_WITH_ERA: Final = regex.compile(
    rf"{_FREE}(?:(?P<first>\d{{1,4}})\s?[–—-]\s?)?(?P<year>\d{{1,4}}){ERA}"
    r"|(?<!\p{L})(?:AD|A\.D\.|CE)\s(?P<year>\d{1,4})(?!\d)|(?<!\p{L})(?:in the year|im Jahre?|en l['’]an|l['’]an"
    r"|en el año)\s(?P<year>\d{3})(?!\d)"
)
_IN_BRACKETS: Final = regex.compile(
    rf"[(（]\s*(?:(?:born|b\.|d\.|died|geb\.|gest\.|née?|nacido|in|en|seit|since|est\.|c\.|ca\.|[*†])\s*)*"
    rf"(?P<year>{YEAR})\s*(?:[–—-]\s*(?:present|heute|hoy)?)?\s*[)）,;]"
)
_SUBJECT: Final = regex.compile(
    rf"(?:^|[.!?]\s|\n)(?P<year>{YEAR})(?=\s+(?:was|is|saw|marked|brought|will|had|war|wurde|ist|kam|begann|fiel|erschien|gab)\b)"
)
# German needs no preposition: «wurde 1950 eröffnet», «Der Turm ist 1889 fertig geworden».
_GERMAN_BARE: Final = regex.compile(
    r"(?<=\p{Ll}\s)(?P<year>1[89]\d\d|20\d\d)(?=\s+(?:\p{Ll}{3,}|in|im|am|an|zu|so)\b|\s*[.!?]?(?:$|\n))(?!\d|[.,]\d)"
)
_DECADE: Final[dict[Language, str]] = {
    "en": r"(?P<decade>1\d\d0|20\d0)['’]?s"
    r"|(?:(?<=\b(?:[Tt]he|[Ee]arly|[Ll]ate|[Mm]id)[ -])['’]?|['’])(?P<decade>[2-9]0)s",
    "de": r"(?P<decade>1\d\d0|20\d0)er(?:[ -]?[Jj]ahren?)?|(?P<decade>[2-9]0)er[ -]?[Jj]ahren?",
    "fr": r"[Aa]nnées\s(?P<decade>1\d\d0|20\d0|[2-9]0)",
    "es": r"(?:[Aa]ños|[Dd]écadas?\sde(?:\slos)?|los)\s(?P<decade>1\d\d0|20\d0|[2-9]0)",
}
_ORDINALS: Final = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "twentieth", "twenty-first",
)  # fmt: skip
_ROMAN: Final = r"(?:X{0,2}(?:IX|IV|V?I{0,3}))"
_CENTURY: Final[dict[Language, str]] = {
    "en": rf"(?:(?P<number>\d{{1,2}})(?:st|nd|rd|th)|(?P<word>(?i:{'|'.join(_ORDINALS)})))[ -][Cc]entur(?:y|ies)",
    "de": r"(?P<number>\d{1,2})\.\s?(?:Jahrhunderte?n?s?|Jhd?\.?|Jh\.)",
    "fr": rf"(?:(?P<roman>{_ROMAN})|(?P<number>\d{{1,2}}))(?:er|ère|ème|e)?\ssiècles?",
    "es": rf"[Ss]iglos?\s(?:(?P<roman>{_ROMAN})|(?P<number>\d{{1,2}}))",
}
_CAPITALISED: Final = regex.compile(r"\s\p{Lu}\p{Ll}")
_QUARTER: Final = regex.compile(
    rf"(?<![\p{{L}}\d])(?:[QT](?P<part>[1-4])|(?P<part>[1-4])\. Quartal"
    rf"|(?P<word>(?i:first|second|third|fourth)) quarter)"
    rf"(?:(?:,? of|,| des Jahres| de)?[\s/]?(?P<year>{YEAR}))?(?![\p{{L}}\d])"
)


def stretch_pieces(text: str, language: Language) -> Iterator[Piece]:
    """Yield «1914–1918», «from 1990 to 1995», «2019/20», decades, centuries, quarters, and years with an era."""
    for match in _QUARTER.finditer(text):
        part = int(match["part"]) if match["part"] else _ORDINALS.index(match["word"].lower()) + 1
        year = int(match["year"]) if match["year"] else None
        yield Piece(*match.span(), CalendarDate(year, month=3 * part - 2, last_month=3 * part))
    decades, centuries = _patterns(language)[:2]
    for match in centuries.finditer(text):
        century = _century(match)
        if 1 <= century <= 30:
            yield Piece(*match.span(), century_date(century, before_era=match["bc"] is not None))
    for match in decades.finditer(text):
        yield Piece(*match.span(), decade_date(int(match["decade"])))
    for match in _WITH_ERA.finditer(text):
        year = year_of(match["year"], match)
        first = year_of(match["first"], match) if match["first"] else None
        if first is not None and first < year:
            yield Piece(*match.span(), CalendarDate(first, last_year=year))
        elif year:
            yield Piece(match.start("year"), match.end(), CalendarDate(year))
    yield from _ranges(text, language)


def year_pieces(text: str, language: Language) -> Iterator[Piece]:
    """Yield years that stand alone where the words around them make them years."""
    strong, *others = _patterns(language)[2:]
    for match in strong.finditer(text):
        yield from _chain(text, match, language)
    for pattern in others:
        for match in pattern.finditer(text):
            if not is_amount(text, match.start()):
                yield from _chain(text, match, language)
    for pattern in (_IN_BRACKETS, _SUBJECT, *((_GERMAN_BARE,) if language == "de" else ())):
        for match in pattern.finditer(text):
            if not is_counted(text, match.end("year"), language) and not is_amount(text, match.start("year")):
                yield Piece(match.start("year"), match.end("year"), CalendarDate(int(match["year"])))


def decade_date(number: int) -> CalendarDate:
    """Return the years of «the 1880s» (1880), «the 80s» (80) or «the 1900s» (1900, a century)."""
    if number < 100:
        number += 1900
    return CalendarDate(number, last_year=number + (99 if number % 100 == 0 else 9))


def century_date(number: int, *, before_era: bool) -> CalendarDate:
    """Return the years of a century: the 19th is 1801–1900, the 5th before the common era 500–401 before it."""
    if before_era:
        return CalendarDate(-100 * number, last_year=-100 * number + 99)
    return CalendarDate(100 * number - 99, last_year=100 * number)


def _ranges(text: str, language: Language) -> Iterator[Piece]:
    for pattern in (_FROM_TO, _RANGE):
        for match in pattern.finditer(text):
            first, digits = int(match["first"]), match["last"]
            last = int(digits) if len(digits) == 4 else first - first % 100 + int(digits)
            if ("/" in match[0] and last != first + 1) or is_counted(text, match.end(), language):
                continue
            if pattern is _RANGE and match["bc"]:
                first, last = -first, -last
            if first < last and not is_amount(text, match.start()) and not _is_priced(text, match.end(), language):
                start = match.start("first")
                yield Piece(start, match.end(), CalendarDate(first, last_year=last))


def _chain(text: str, match: regex.Match[str], language: Language) -> Iterator[Piece]:
    """The years of «in 1998, 2002 and 2006», up to the first that counts something."""
    for start, end in match.spans("year"):
        if is_counted(text, end, language) or _is_priced(text, end, language, match["said"]):
            return
        yield Piece(start, end, CalendarDate(int(text[start:end])))


def _is_priced(text: str, end: int, language: Language, said: str = "") -> bool:
    """Whether a German noun follows, which the number counts unless «Jahr» was said: «in 1500 Fällen»."""
    if language != "de" or "Jahr" in said:
        return False
    return _CAPITALISED.match(text[end : end + 3]) is not None


def _century(match: regex.Match[str]) -> int:
    groups = match.groupdict()
    if groups.get("number"):
        return int(match["number"])
    if groups.get("word"):
        return _ORDINALS.index(match["word"].lower()) + 1
    values = [{"I": 1, "V": 5, "X": 10}[letter] for letter in match["roman"]]
    following = [*values[1:], 0]
    return sum(-value if value < after else value for value, after in zip(values, following, strict=False))


@cache
def _patterns(language: Language) -> tuple[regex.Pattern[str], ...]:
    years = rf"(?P<year>{YEAR})(?:{_AND}(?P<year>{YEAR}))*(?![\p{{L}}\d]|[-–/]\d)"
    modern = years.replace(YEAR, rf"(?!1[0-7]){YEAR}")
    described = r"(?P<year>19\d\d(?!\d)|20\d\d(?!\d))(?=\s\p{L})"
    before = r"(?<![\p{L}\p{M}])"
    return (
        regex.compile(rf"(?<![\p{{L}}\p{{M}}\d.,]){_group(_DECADE[language])}(?![\p{{L}}\d])"),
        regex.compile(rf"(?<![\p{{L}}\p{{M}}\d.,]){_group(_CENTURY[language])}(?![\p{{L}}\d]){ERA}?"),
        regex.compile(rf"{before}(?P<said>(?i:{_STRONG[language]}))[\s-]{{1,2}}{years}"),
        regex.compile(rf"{before}(?P<said>(?i:{_MODERN[language]}))[\s-]{{1,2}}{modern}"),
        regex.compile(rf"(?:{before}|(?<=\p{{L}}))(?P<said>(?i:{_DETERMINER[language]}))\s{described}"),
    )


def _group(pattern: str) -> str:
    return f"(?:{pattern})"
