"""Dates and times of day in six languages, and how two dates relate, against an enumeration of days."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.geometry.facts.calendar import (
    calendar_facts,
    clock_readings,
    date_readings,
)
from ragcortex.geometry.facts.fact import LANGUAGES, CalendarDate, ClockTime, Language


def day(year=None, month=None, day=None, weekday=None, **last) -> CalendarDate:
    return CalendarDate(year, month, day, weekday, **{f"last_{name}": value for name, value in last.items()})


MARCH_31 = day(1889, 3, 31)
WORKDAYS = CalendarDate(weekday=0, last_weekday=4)


def values(text: str, language: Language) -> list[CalendarDate | ClockTime]:
    facts = calendar_facts(text, language)
    assert all(text[fact.start : fact.end] == fact.text for fact in facts)
    return [fact.value for fact in facts]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "It was completed on 31 March 1889 and is tall."),
        ("en", "It was finished on March 31st, 1889."),
        ("en", "Mar. 31 1889"),
        ("en", "the 31st of March 1889"),
        ("en", "the 31st of March, 1889"),
        ("en", "on 31/03/1889"),
        ("en", "on 3/31/1889"),
        ("en", "31.03.1889"),
        ("en", "31.3.1889"),
        ("en", "(1889-03-31)"),
        ("en", "31-Mar-1889"),
        ("en", "MARCH 31, 1889"),
        ("de", "am 31. März 1889 fertiggestellt"),
        ("de", "31.03.1889"),
        ("de", "den 31. 3. 1889"),
        ("fr", "le 31 mars 1889"),
        ("fr", "le 31/03/1889"),
        ("es", "el 31 de marzo de 1889"),
        ("es", "31 de marzo del 1889"),
        ("zh", "于1889年3月31日竣工"),
        ("zh", "一八八九年三月三十一日"),
        ("zh", "1889/3/31"),
        ("zh", "March 31, 1889"),
        ("ja", "1889年3月31日に完成した"),
        ("ja", "明治22年3月31日"),
        ("ja", "１８８９年３月３１日"),
    ],
)
def test_one_day_in_all_forms(language, text):
    assert values(text, language) == [MARCH_31]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        # a day without year, a weekday with its date, months, the first
        ("en", "on March 31", day(month=3, day=31)),
        ("en", "Sunday, 31 March 1889", day(1889, 3, 31, 6)),
        ("de", "am Sonntag, den 31. März", day(month=3, day=31, weekday=6)),
        ("de", "am 3.5. geschlossen", day(month=5, day=3)),
        ("fr", "le 1er avril", day(month=4, day=1)),
        ("fr", "le premier mai", day(month=5, day=1)),
        ("fr", "lundi 3 mai 2021", day(2021, 5, 3, 0)),
        ("es", "el 1 de enero", day(month=1, day=1)),
        ("es", "primero de enero de 2020", day(2020, 1, 1)),
        ("zh", "3月31日", day(month=3, day=31)),
        ("zh", "2022年9月28日（周三）", day(2022, 9, 28, 2)),
        ("ja", "3月3日(水)", day(month=3, day=3, weekday=2)),
        ("en", "in May", day(month=5)),
        ("en", "In March we met", day(month=3)),
        ("en", "every October", day(month=10)),
        ("en", "March 2019", day(2019, 3)),
        ("en", "in May of 2019", day(2019, 5)),
        ("de", "im März des Jahres 1889", day(1889, 3)),
        ("de", "im Mai", day(month=5)),
        ("fr", "en mars", day(month=3)),
        ("es", "en mayo de 2020", day(2020, 5)),
        ("zh", "二〇二二年九月", day(2022, 9)),
        ("ja", "10月に", day(month=10)),
        ("en", "2019-08", day(2019, 8)),
        # years
        ("en", "in 1998", day(1998)),
        ("en", "since 2019", day(2019)),
        ("en", "the war (1998)", day(1998)),
        ("en", "the 2022 report", day(2022)),
        ("en", "2019 was good.", day(2019)),
        ("en", "the constitution of 1958", day(1958)),
        ("de", "wurde 1950 fertiggestellt", day(1950)),
        ("de", "im Jahr 1950", day(1950)),
        ("de", "1989 fiel die Mauer.", day(1989)),
        ("fr", "depuis 2019", day(2019)),
        ("es", "desde el año 2019", day(2019)),
        ("zh", "2022年", day(2022)),
        ("zh", "二〇二二年", day(2022)),
        ("zh", "令和4年", day(2022)),
        ("ja", "平成元年", day(1989)),
        ("ja", "昭和64年", day(1989)),
        ("en", "44 BC", day(-44)),
        ("en", "in 79 AD", day(79)),
        ("de", "44 v. Chr.", day(-44)),
        ("fr", "52 av. J.-C.", day(-52)),
        ("es", "44 a. C.", day(-44)),
        ("zh", "公元前221年", day(-221)),
        ("ja", "紀元前221年", day(-221)),
        ("zh", "公元800年", day(800)),
        # decades and centuries
        ("en", "in the 1880s", CalendarDate(1880, last_year=1889)),
        ("en", "the '80s", CalendarDate(1980, last_year=1989)),
        ("de", "in den 80er Jahren", CalendarDate(1980, last_year=1989)),
        ("fr", "les années 1880", CalendarDate(1880, last_year=1889)),
        ("es", "los años 80", CalendarDate(1980, last_year=1989)),
        ("zh", "20世纪80年代", CalendarDate(1980, last_year=1989)),
        ("ja", "1980年代", CalendarDate(1980, last_year=1989)),
        ("en", "the 19th century", CalendarDate(1801, last_year=1900)),
        ("en", "the nineteenth century", CalendarDate(1801, last_year=1900)),
        ("de", "im 19. Jahrhundert", CalendarDate(1801, last_year=1900)),
        ("fr", "au XIXe siècle", CalendarDate(1801, last_year=1900)),
        ("es", "el siglo XIX", CalendarDate(1801, last_year=1900)),
        ("zh", "19世纪", CalendarDate(1801, last_year=1900)),
        ("ja", "十九世紀", CalendarDate(1801, last_year=1900)),
        ("en", "5th century BC", CalendarDate(-500, last_year=-401)),
        ("zh", "公元前5世纪", CalendarDate(-500, last_year=-401)),
        # stretches
        ("en", "(1914–1918)", CalendarDate(1914, last_year=1918)),
        ("en", "the 2019/20 season", CalendarDate(2019, last_year=2020)),
        ("en", "between 1990 and 1995", CalendarDate(1990, last_year=1995)),
        ("de", "von 1990 bis 1995", CalendarDate(1990, last_year=1995)),
        ("fr", "entre 1990 et 1995", CalendarDate(1990, last_year=1995)),
        ("es", "de 1990 a 1995", CalendarDate(1990, last_year=1995)),
        ("zh", "1914年至1918年", CalendarDate(1914, last_year=1918)),
        ("ja", "2019年から2022年まで", CalendarDate(2019, last_year=2022)),
        ("en", "500–401 BC", CalendarDate(-500, last_year=-401)),
        ("en", "3–5 May 2020", CalendarDate(2020, 5, 3, last_day=5)),
        ("en", "from May 3 to 5", CalendarDate(month=5, day=3, last_day=5)),
        ("de", "vom 3. bis 5. Mai", CalendarDate(month=5, day=3, last_day=5)),
        ("de", "vom 3.5. bis 7.5.2020", CalendarDate(2020, 5, 3, last_day=7)),
        ("fr", "du 3 au 5 mai", CalendarDate(month=5, day=3, last_day=5)),
        ("es", "del 3 al 5 de mayo", CalendarDate(month=5, day=3, last_day=5)),
        ("zh", "3月3日至5日", CalendarDate(month=3, day=3, last_day=5)),
        ("en", "3 May – 5 June 2020", CalendarDate(2020, 5, 3, last_month=6, last_day=5)),
        ("en", "December 28, 2019 to January 3, 2020", CalendarDate(2019, 12, 28, None, 2020, 1, 3)),
        ("en", "November to February 2020", CalendarDate(2019, 11, last_year=2020, last_month=2)),
        ("en", "June to August", CalendarDate(month=6, last_month=8)),
        ("en", "between May and July", CalendarDate(month=5, last_month=7)),
        ("de", "Juni bis August", CalendarDate(month=6, last_month=8)),
        ("fr", "de juin à août", CalendarDate(month=6, last_month=8)),
        ("es", "de junio a agosto", CalendarDate(month=6, last_month=8)),
        ("zh", "6月至8月", CalendarDate(month=6, last_month=8)),
        ("ja", "6月から8月", CalendarDate(month=6, last_month=8)),
        ("en", "Q3 2022", CalendarDate(2022, 7, last_month=9)),
        ("zh", "2022年第三季度", CalendarDate(2022, 7, last_month=9)),
        # weekdays
        ("en", "from Monday to Friday", WORKDAYS),
        ("en", "Mon–Fri", WORKDAYS),
        ("en", "on weekdays", WORKDAYS),
        ("de", "von Montag bis Freitag", WORKDAYS),
        ("de", "Mo.–Fr.", WORKDAYS),
        ("de", "montags bis freitags", WORKDAYS),
        ("fr", "du lundi au vendredi", WORKDAYS),
        ("es", "de lunes a viernes", WORKDAYS),
        ("zh", "周一至周五", WORKDAYS),
        ("zh", "星期一到星期五", WORKDAYS),
        ("zh", "工作日开放", WORKDAYS),
        ("ja", "月曜から金曜", WORKDAYS),
        ("ja", "月〜金", WORKDAYS),
        ("ja", "平日に", WORKDAYS),
        ("en", "at weekends", CalendarDate(weekday=5, last_weekday=6)),
        ("ja", "土日祝", CalendarDate(weekday=5, last_weekday=6)),
        ("zh", "周末", CalendarDate(weekday=5, last_weekday=6)),
        ("zh", "周日休息", day(weekday=6)),
        ("zh", "星期天", day(weekday=6)),
        ("ja", "日曜日", day(weekday=6)),
        ("fr", "le dimanche", day(weekday=6)),
        ("es", "los sábados", day(weekday=5)),
    ],
)
def test_dates(language, text, expected):
    assert values(text, language) == [expected]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "1500 people came, in 1500 homes, within 2000 km."),
        ("en", "It rose to 1500 and rose from 1500 to 2000, a total of 2000."),
        ("en", "It costs $1999, room 2020, version 1.2.20, a ratio of 3:2, 12.345,50."),
        ("en", "You may march to the store in an august mood."),
        ("en", "May I go? March!"),
        ("en", "He sat in the sun; mar and wed are words."),
        ("en", "32 March, 25:00, 9:75, 31/02/2020"),
        ("de", "Es kostet 1500 Euro in 1500 Fällen für 2000 Menschen."),
        ("de", "So ist es, Di und Mi."),
        ("fr", "9h de route, pendant 9 heures, 1500 personnes, Mars est une planète"),
        ("es", "las 5 personas, 1500 habitantes, Plácido Domingo"),
        ("zh", "3个月，10年，1500年历史，3个工作日，每周一次，一周三次，5点建议，3.5点，9小时"),
        ("ja", "購入日から1年間、3ヶ月、3時間、日本、1か月"),
    ],
)
def test_no_dates(language, text):
    assert values(text, language) == []


def test_several_facts_stand_in_order_at_their_places():
    text = "Open Monday to Friday, 9:00–17:00, since 3 May 2020; closed in 1998, 2002 and 2006."
    assert [fact.text for fact in calendar_facts(text, "en")] == [
        "Monday to Friday",
        "9:00–17:00",
        "3 May 2020",
        "1998",
        "2002",
        "2006",
    ]
    assert [fact.kind for fact in calendar_facts(text, "en")][:3] == ["date", "time", "date"]


def test_a_counted_number_after_a_month_is_no_day_and_no_year():
    assert values("In March 12 people died.", "en") == [day(month=3)]
    assert values("In May 1500 people came.", "en") == [day(month=5)]


CROWDED = """
31 March May 1889 , . / - – – to bis à a 至 から 年 月 日 点 時 周一 月曜 Monday Montag lundi lunes pm 9:00 17h30 Uhr in
seit en desde ( ) 19th century 80s 令和 二〇 十 '
"""
PIECES = st.sampled_from([*CROWDED.split(), "\n"])
TEXTS = st.one_of(
    st.text(max_size=60), st.lists(PIECES, max_size=16).map(" ".join), st.lists(PIECES, max_size=16).map("".join)
)


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(
        st.text(max_size=60), st.lists(PIECES, max_size=16).map(" ".join), st.lists(PIECES, max_size=16).map("".join)
    ),
    st.sampled_from(LANGUAGES),
)
def test_facts_of_any_text_are_in_order_and_apart(text, language):
    reached = 0
    for fact in calendar_facts(text, language):
        assert reached <= fact.start < fact.end <= len(text)
        assert text[fact.start : fact.end] == fact.text
        assert isinstance(fact.value, CalendarDate if fact.kind == "date" else ClockTime)
        (date_readings if fact.kind == "date" else clock_readings)(fact)
        reached = fact.end


@settings(max_examples=40, deadline=None)
@given(st.dates(date(1000, 1, 1), date(2099, 12, 31)))
def test_every_day_is_read_alike_in_six_languages(one):
    from babel.dates import format_date

    patterns = {"en": "d MMMM y", "de": "d. MMMM y", "fr": "d MMMM y", "es": "d 'de' MMMM 'de' y"}
    expected = [CalendarDate(one.year, one.month, one.day)]
    for language, pattern in patterns.items():
        assert values(format_date(one, pattern, locale=language), language) == expected  # type: ignore[arg-type]
    for language in ("zh", "ja"):
        assert values(f"{one.year}年{one.month}月{one.day}日", language) == expected  # type: ignore[arg-type]
    assert values(one.isoformat(), "en") == expected
