"""Dates and times of Chinese and Japanese text."""

from collections.abc import Iterator
from typing import Final

import regex

from ragcortex.geometry.facts.calendar_clock import DAY, NOON
from ragcortex.geometry.facts.calendar_compare import days_in_month
from ragcortex.geometry.facts.calendar_words import Piece, word_set
from ragcortex.geometry.facts.calendar_years import century_date, decade_date
from ragcortex.geometry.facts.fact import CalendarDate, ClockTime

_NUMERALS: Final = "〇零一二三四五六七八九"
_ERAS: Final = {"明治": 1868, "大正": 1912, "昭和": 1926, "平成": 1989, "令和": 2019}
_UNTIL: Final = r"\s*(?:至|到|から|～|〜|~|[–—-])\s*"
_FREE: Final = rf"(?<![\d.,{_NUMERALS}十百千万第])"
_SMALL: Final = r"(?:\d{1,2}|[一二三四五六七八九]?十[一二三四五六七八九]?|[一二三四五六七八九])"
_ERA_YEAR: Final = rf"(?P<era>{'|'.join(_ERAS)})(?P<era_year>元|{_SMALL})"
_YEAR: Final = (
    rf"(?:(?P<bc>公元前|西元前|紀元前|前)?(?:公元|西元|西暦|紀元)?"
    rf"{_FREE}(?P<year>\d{{4}}|[{_NUMERALS}]{{4}})|{_ERA_YEAR})\s?年"
)
_MONTH: Final = rf"(?P<month>{_SMALL})\s?月"
_DAY: Final = rf"(?P<day>{_SMALL})\s?[日号號]"
_WEEKDAYS: Final = {**{sign: n for n, sign in enumerate("一二三四五六日")}, "天": 6}
_JAPANESE: Final = {sign: n for n, sign in enumerate("月火水木金土日")}
_WEEKDAY: Final = r"(?:(?:周|星期|礼拜|週|禮拜)(?P<weekday>[一二三四五六日天])|(?P<weekday>[月火水木金土日])曜日?)"
_IN_BRACKETS: Final = rf"(?:\s*[(（](?:{_WEEKDAY}|(?P<weekday>[月火水木金土日]))[)）]|\s?{_WEEKDAY})?"
_NOT_LENGTH: Final = r"(?!间|間|[前来來]|以上|以下|以内|历史|的历史|の歴史|未満|余|多)"

_DATE: Final = regex.compile(
    rf"(?:{_YEAR}(?:度|の)?\s?)?{_MONTH}\s?(?:(?P<earlier>{_SMALL})[日号號]?{_UNTIL})?(?:的|の)?{_DAY}(?![间間])"
    rf"(?:{_UNTIL}(?P<later>{_SMALL})\s?[日号號])?{_IN_BRACKETS}"
)
_MONTH_OF_YEAR: Final = regex.compile(rf"{_YEAR}\s?{_MONTH}(?!间|間)")
_MONTHS: Final = regex.compile(
    rf"(?<![个個])(?:(?:{_YEAR}\s?)?{_FREE}(?P<first>{_SMALL})月?{_UNTIL})?{_FREE}(?P<month>{_SMALL})月(?![个個间間球亮光曜経]|\s*[～~]?\s*\d{{1,2}}[日号])"
)
_YEARS: Final = regex.compile(
    rf"{_FREE}(?P<first>\d{{4}}|[{_NUMERALS}]{{4}})年?{_UNTIL}(?P<last>\d{{4}}|[{_NUMERALS}]{{4}})\s?年{_NOT_LENGTH}"
)
_YEAR_ALONE: Final = regex.compile(rf"{_YEAR}{_NOT_LENGTH}")
_EARLY_YEAR: Final = regex.compile(
    r"(?:(?P<bc>公元前|西元前|紀元前|前(?=\d+年))|公元|西元|西暦|紀元)(?P<year>\d{1,4})\s?年"
)
_CENTURY: Final = regex.compile(
    rf"(?P<bc>公元前|西元前|紀元前|前)?{_FREE}(?P<number>{_SMALL})\s?(?:世纪|世紀)(?:(?P<decade>[2-9]0|[二三四五六七八九]十)年代)?"
)
_DECADE: Final = regex.compile(rf"{_FREE}(?P<number>1\d\d0|20\d0|[1-9]0|[二三四五六七八九]十)\s?年代")
_QUARTER: Final = regex.compile(rf"(?:{_YEAR})?第(?P<part>[一二三四1-4])(?:季度|四半期)")
_COUNT_AFTER: Final = r"(?![次个個天回年期间間号層层楼名人])"
_WEEKDAY_CHINESE: Final = regex.compile(
    rf"(?<![{_NUMERALS}十\d两几數数])(?:周|星期|礼拜|週|禮拜)(?P<first>[一二三四五六日天])"
    rf"(?:{_UNTIL}(?:周|星期|礼拜|週|禮拜)?(?P<last>[一二三四五六日天])|(?P<last>日)(?!常))?{_COUNT_AFTER}"
)
_WEEKDAY_JAPANESE: Final = regex.compile(
    rf"(?P<first>[月火水木金土日])(?:曜日?)?{_UNTIL}(?P<last>[月火水木金土日])(?:曜日?|(?!\p{{Han}}))"
    r"|(?P<first>[月火水木金土日])曜日?"
)
_STRETCHES: Final = (
    (regex.compile(r"(?<![个個\d日])平日|(?<![个個\d日])工作日(?!内)"), 0, 4),
    (regex.compile(r"周末|週末|(?<!\p{Han})土日(?=祝|[^\p{Han}]|$)"), 5, 6),
)
_PERIOD: Final = (
    r"(?:(?P<period>凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|夜間|夜间|今晚|午前"
    r"|午後|深夜|夕方|朝|昼|夜|晚)の?\s?)"
)
_LATE: Final = word_set("下午 傍晚 晚上 夜里 夜間 夜间 今晚 午後 夕方 昼 夜 晚 中午")
_NIGHTLY: Final = word_set("晚上 夜里 夜間 夜间 今晚 深夜 夜 晚")
_CLOCK: Final = regex.compile(
    rf"{_PERIOD}?{_FREE}(?P<hour>{_SMALL})\s?(?:(?P<sign>[点點])|[时時])(?![间間代期])"
    rf"(?P<rest>半|整|[钟鐘]|[一三]刻|(?P<minute>{_SMALL}|[零〇]{_SMALL})分?)?"
)
_COLON: Final = regex.compile(rf"{_PERIOD}(?P<hour>[01]?\d|2[0-4])[:：](?P<minute>[0-5]\d)(?!\d)")
_CLOCK_RANGE: Final = regex.compile(
    rf"{_PERIOD}?{_FREE}(?P<hour>\d{{1,2}}){_UNTIL}(?P<last>\d{{1,2}})\s?(?:[点點]|[时時](?![间間]))"
)
_NOON: Final = regex.compile(r"正午|(?<!凌)午夜|零[点點时時](?!\p{N})|(?:中午|昼の)?12(?:[点點]|[时時])整?")
# «9点» also counts points of a list, so without a part of the day it must stand where a time does.
_POINT_OF_TIME: Final = regex.compile(
    rf"(?:$|[\p{{P}}\s]|[～~至到开開起关關结結闭閉以之前后後左准準钟鐘出上下打营營发發的就在]|{_UNTIL}|为止|から|まで|に)"
)


def date_pieces(text: str) -> Iterator[Piece]:
    """Yield days, months and years: 1889年3月31日, 令和4年3月, 3月3日至5日, 二〇二二年, 公元前221年, 19世纪, 80年代."""
    for match in _DATE.finditer(text):
        piece = _day_piece(match)
        if piece is not None:
            yield piece
    for match in _MONTH_OF_YEAR.finditer(text):
        month = number(match["month"])
        if 1 <= month <= 12:
            yield Piece(*match.span(), CalendarDate(_year(match), month), weak=False)
    yield from _months(text)
    for match in _CENTURY.finditer(text):
        century = number(match["number"])
        if match["decade"]:
            first = (century - 1) * 100 + number(match["decade"])
            yield Piece(*match.span(), CalendarDate(first, last_year=first + 9))
        elif 1 <= century <= 30:
            yield Piece(*match.span(), century_date(century, before_era=match["bc"] is not None))
    for match in _DECADE.finditer(text):
        yield Piece(*match.span(), decade_date(number(match["number"])))
    yield from _years(text)


def weekday_pieces(text: str) -> Iterator[Piece]:
    """Yield weekdays: 周一至周五, 星期天, 月曜から金曜, 月〜金, 平日, 周末, 土日."""
    for pattern, signs in ((_WEEKDAY_CHINESE, _WEEKDAYS), (_WEEKDAY_JAPANESE, _JAPANESE)):
        for match in pattern.finditer(text):
            last = None if match["last"] is None else signs[match["last"]]
            yield Piece(*match.span(), CalendarDate(weekday=signs[match["first"]], last_weekday=last))
    for stretch, first, last_day in _STRETCHES:
        for match in stretch.finditer(text):
            yield Piece(*match.span(), CalendarDate(weekday=first, last_weekday=last_day))


def clock_pieces(text: str) -> Iterator[Piece]:
    """Yield times of day: 上午9点, 下午5点半, 午後6時, 9时30分, 10〜18時, 下午2:30, 正午."""
    for match in _CLOCK_RANGE.finditer(text):
        first, last = (_minutes(int(match[name]), 0, match["period"]) for name in ("hour", "last"))
        if first is not None and last is not None and max(int(match["hour"]), int(match["last"])) <= 24:
            yield Piece(*match.span(), ClockTime(first, last))
    for match in _COLON.finditer(text):
        minutes = _minutes(int(match["hour"]), int(match["minute"]), match["period"])
        if minutes is not None:
            yield Piece(*match.span(), ClockTime(minutes, minutes))
    for match in _CLOCK.finditer(text):
        minutes = _clock_minutes(text, match)
        if minutes is not None:
            yield Piece(*match.span(), ClockTime(minutes, minutes))
    for match in _NOON.finditer(text):
        value = 0 if match[0][0] in "午零" else NOON
        yield Piece(*match.span(), ClockTime(value, value))


def period_of(text: str) -> str | None:
    """Return the part of the day that a Chinese or Japanese time begins with, None where it gives none."""
    match = regex.match(_PERIOD, text)
    return match["period"] if match else None


def number(digits: str) -> int:
    """Return the value of digits or of Chinese numerals below 100, or of numerals one a digit («二〇二二»).

    >>> number("三十一"), number("二〇二二")
    (31, 2022)
    """
    if digits.isdecimal():
        return int(digits)
    plain = "".join(
        str(_NUMERALS.index(sign) - 1 if sign != "〇" else 0) if sign in _NUMERALS else sign for sign in digits
    )
    if "十" not in plain:
        return int(plain)
    tens, ones = plain.split("十", 1)
    return int(tens or 1) * 10 + int(ones or 0)


def _year(match: regex.Match[str]) -> int | None:
    if match["era"]:
        within = 1 if match["era_year"] == "元" else number(match["era_year"])
        return _ERAS[match["era"]] + within - 1
    if match["year"] is None:
        return None
    year = number(match["year"])
    return -year if match["bc"] else year


def _day_piece(match: regex.Match[str]) -> Piece | None:
    month, day = number(match["month"]), number(match["day"])
    last = None
    if match["earlier"]:
        day, last = number(match["earlier"]), day
    elif match["later"]:
        last = number(match["later"])
    if (
        not 1 <= month <= 12
        or not 1 <= day <= days_in_month(month)
        or (last and not day < last <= days_in_month(month))
    ):
        return None
    sign = match["weekday"]
    weekday = None if sign is None or last else (_JAPANESE | _WEEKDAYS)[sign]
    return Piece(*match.span(), CalendarDate(_year(match), month, day, weekday, last_day=last))


def _months(text: str) -> Iterator[Piece]:
    for match in _MONTHS.finditer(text):
        month = number(match["month"])
        first = number(match["first"]) if match["first"] else None
        if not 1 <= month <= 12 or (first is not None and not 1 <= first <= 12):
            continue
        if first is None:
            yield Piece(*match.span(), CalendarDate(month=month))
        else:
            yield Piece(*match.span(), CalendarDate(_year(match), first, last_month=month))


def _years(text: str) -> Iterator[Piece]:
    for match in _YEARS.finditer(text):
        first, last = number(match["first"]), number(match["last"])
        if first < last:
            yield Piece(*match.span(), CalendarDate(first, last_year=last))
    for match in _QUARTER.finditer(text):
        part = number(match["part"])
        yield Piece(*match.span(), CalendarDate(_year(match), 3 * part - 2, last_month=3 * part))
    for match in _YEAR_ALONE.finditer(text):
        year = _year(match)
        if year is not None and (match["era"] or match["bc"] or 1000 <= year <= 2199):
            yield Piece(*match.span(), CalendarDate(year))
    for match in _EARLY_YEAR.finditer(text):
        year = int(match["year"])
        if year:
            yield Piece(*match.span(), CalendarDate(-year if match["bc"] else year))


def _clock_minutes(text: str, match: regex.Match[str]) -> int | None:
    hour, rest = number(match["hour"]), match["rest"] or ""
    if hour > 24:
        return None
    plain = not match["period"] and not rest
    if plain and match["sign"] and (not match["hour"].isdecimal() or not _POINT_OF_TIME.match(text, match.end())):
        return None
    if match["minute"]:
        minute = number(match["minute"].lstrip("零〇"))
    else:
        minute = {"半": 30, "一刻": 15, "三刻": 45}.get(rest, 0)
    return _minutes(hour, minute, match["period"]) if minute < 60 else None


def _minutes(hour: int, minute: int, period: str | None) -> int | None:
    late = period in _LATE
    if late and hour == 12 and period in _NIGHTLY:
        hour = 0
    elif late and hour < 12 and not (period == "中午" and hour in (10, 11)):
        hour += 12
    elif period is not None and not late and hour == 12:
        hour = 0
    minutes = hour * 60 + minute
    return minutes if minutes <= DAY else None
