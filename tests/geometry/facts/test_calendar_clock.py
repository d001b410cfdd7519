"""Times of day in six languages."""

import pytest

from ragcortex.geometry.facts.calendar import calendar_facts
from ragcortex.geometry.facts.fact import ClockTime, Language


def at(first: int | float, last: int | float | None = None) -> ClockTime:
    """The time of day in hours: 9.5 is 9:30."""
    return ClockTime(round(first * 60), round((first if last is None else last) * 60))


def values(text: str, language: Language) -> list[object]:
    facts = calendar_facts(text, language)
    assert all(text[fact.start : fact.end] == fact.text and fact.kind == "time" for fact in facts)
    return [fact.value for fact in facts]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "at 9:00", at(9)),
        ("en", "at 5 pm", at(17)),
        ("en", "at 5:30 p.m.", at(17.5)),
        ("en", "12 am", at(0)),
        ("en", "12 pm", at(12)),
        ("en", "at noon", at(12)),
        ("en", "at midnight", at(0)),
        ("en", "half past five", at(5.5)),
        ("en", "five o'clock in the afternoon", at(17)),
        ("en", "9:00–17:00", at(9, 17)),
        ("en", "9:00-17:00", at(9, 17)),
        ("en", "from 9 am to 5 pm", at(9, 17)),
        ("en", "9–5 pm", at(9, 17)),
        ("en", "1-5pm", at(13, 17)),
        ("en", "10 pm to midnight", at(22, 24)),
        ("de", "um 17 Uhr", at(17)),
        ("de", "9.30 Uhr", at(9.5)),
        ("de", "8 Uhr abends", at(20)),
        ("de", "halb sechs", at(5.5)),
        ("de", "von 9 bis 17 Uhr", at(9, 17)),
        ("fr", "à 17h30", at(17.5)),
        ("fr", "à 9 heures", at(9)),
        ("fr", "à midi", at(12)),
        ("fr", "de 9h à 18h", at(9, 18)),
        ("fr", "de 9 à 18 heures", at(9, 18)),
        ("es", "a las 5 de la tarde", at(17)),
        ("es", "a las 5 y media de la tarde", at(17.5)),
        ("es", "de 9:00 a 17:00", at(9, 17)),
        ("es", "de las 9 a las 17 horas", at(9, 17)),
        ("zh", "上午9点", at(9)),
        ("zh", "下午5点半", at(17.5)),
        ("zh", "9时30分", at(9.5)),
        ("zh", "晚上12点", at(0)),
        ("zh", "中午十二点", at(12)),
        ("zh", "8:30至20:30开放", at(8.5, 20.5)),
        ("zh", "下午2点至5点", at(14, 17)),
        ("ja", "午後6時", at(18)),
        ("ja", "午前9時半", at(9.5)),
        ("ja", "10時から18時まで", at(10, 18)),
        ("ja", "10〜18時", at(10, 18)),
        ("ja", "９：００〜１７：００", at(9, 17)),
    ],
)
def test_times_of_day(language, text, expected):
    assert values(text, language) == [expected]
