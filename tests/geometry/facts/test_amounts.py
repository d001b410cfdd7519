"""Amounts: what is equal in every form and language, ranges, bounds, compounds, and what must not become an amount."""

import pytest
import regex
from babel.numbers import format_decimal
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.checks import check_places
from ragcortex.errors import InputError
from ragcortex.geometry.facts.amounts import amounts, number_range, unit_range
from ragcortex.geometry.facts.fact import LANGUAGES, Amount, Fact, Marker


def only(text, language="en"):
    """Return the one amount of a text."""
    found = amounts(text, language)
    assert len(found) == 1, found
    return found[0]


def brief(text, language="en"):
    """Return kind, text, low, high and unit of each amount."""
    return [(f.kind, f.text, str(f.value.low), str(f.value.high), f.value.unit) for f in amounts(text, language)]


# One amount a paragraph: its forms, each after its language.
EQUAL = """
en 5.9 million; en 5,900,000; de 5,9 Mio.; zh 590万; ja 590万; fr 5,9 millions; fr 5.9 millions; es 5,9 millones;
de 5.900.000; fr 5 900 000; en 5.9M

en $1,200.00; en 1200 dollars; en US$1200; de 1.200 Dollar; fr 1 200 dollars; en USD 1200; de 1200 USD; zh 1200美元;
ja 1,200ドル; fr 1,2 k$

en 1e2; en 100; en 10^2; de hundert; en a hundred; es cien; zh 一百

en 85 %; en 85%; en 85 percent; en 85 per cent; de 85 Prozent; fr 85 pour cent; es 85 por ciento; zh 百分之八十五;
ja 85％; ja 85パーセント; en eighty-five percent; de fünfundachtzig Prozent

en three; en 3; de drei; fr trois; es tres; zh 三; ja 三; ja ３

zh 11.5万平方米; en 115,000 m²; de 115.000 Quadratmeter; en 115,000 square meters; fr 115 000 mètres carrés;
ja 115,000平方メートル; es 115.000 metros cuadrados

en one year; en 1 year; de ein Jahr; fr un an; es un año; zh 一年; ja 1年間

en 3 to 5 working days; en 3-5 business days; en three to five business days; de 3 bis 5 Werktage;
fr 3 à 5 jours ouvrables; es 3 a 5 días hábiles; zh 3至5个工作日; ja 3～5営業日; zh 三到五个工作日

en 50 cents; en $0.50; zh 50美分

en half an hour; en 0.5 hours; de eine halbe Stunde; fr une demi-heure; es media hora; zh 半小时; ja 半時間

en 2.5 years; en two and a half years; de zweieinhalb Jahre; fr deux ans et demi; es dos años y medio; zh 两年半;
ja 2年半

en 30 °C; en 30 degrees Celsius; de 30 Grad Celsius; zh 摄氏30度; ja 30℃

en 120 km/h; en 120 kilometres per hour; de 120 Stundenkilometer; zh 时速120公里; ja 時速120キロ

en two thirds; de zwei Drittel; fr deux tiers; es dos tercios; zh 三分之二; ja 3分の2

en 3rd; en third; fr 3e; fr troisième; de dritte; es 3.º; zh 第三; ja 第3
"""


@pytest.mark.parametrize("forms", EQUAL.strip().split("\n\n"), ids=lambda forms: forms.split(";")[0])
def test_equal_amounts_in_every_form(forms):
    pairs = [form.split(" ", 1) for form in regex.split(r";\s", forms)]
    facts = [only(text, language) for language, text in pairs]
    assert len(facts) > 2
    assert {(fact.kind, fact.value) for fact in facts} == {(facts[0].kind, facts[0].value)}


def test_units_of_one_dimension_agree_in_their_base():
    assert only("0.33 km").value.base == only("330 metres").value.base
    assert only("2 weeks").value.base == only("14 days").value.base
    assert only("12 months").value.base == only("1 year").value.base


@given(
    st.decimals(min_value=2, max_value=10**9, places=2, allow_nan=False),
    st.sampled_from(LANGUAGES),
    st.sampled_from(["km", "%", "€", "kg", "kWh"]),
)
@settings(max_examples=200, deadline=None)
def test_a_number_in_each_languages_style_gives_the_same_amount(value, language, unit):
    text = f"{format_decimal(value, format='#,##0.##', locale=language)} {unit}"
    assert only(text, language).value == only(f"{value} {unit}", "en").value


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("It is 430 metres tall", "en", [("quantity", "430 metres", "430", "430", "metre")]),
        (
            "a 330-metre tower and a 5-day trip",
            "en",
            [("quantity", "330-metre", "330", "330", "metre"), ("duration", "5-day", "5", "5", "day")],
        ),
        ("It is **330** metres", "en", [("quantity", "330** metres", "330", "330", "metre")]),
        (
            "$10–20 or $5-10 million",
            "en",
            [("money", "$10–20", "10", "20", "USD"), ("money", "$5-10 million", "5000000", "10000000", "USD")],
        ),
        ("between 80 and 90 %", "en", [("percentage", "80 and 90 %", "80", "90", "percent")]),
        ("zwischen 80 und 90 %", "de", [("percentage", "80 und 90 %", "80", "90", "percent")]),
        ("entre 80 et 90 %", "fr", [("percentage", "80 et 90 %", "80", "90", "percent")]),
        ("entre 80 y 90 %", "es", [("percentage", "80 y 90 %", "80", "90", "percent")]),
        ("80%到90%之间", "zh", [("percentage", "80%到90%", "80", "90", "percent")]),
        (
            "80 and 90 %",
            "en",
            [("percentage", "80", "80", "80", "percent"), ("percentage", "90 %", "90", "90", "percent")],
        ),
        (
            "10, 20 or 40 days",
            "en",
            [
                ("duration", "10", "10", "10", "day"),
                ("duration", "20", "20", "20", "day"),
                ("duration", "40 days", "40", "40", "day"),
            ],
        ),
        ("two or three days", "en", [("duration", "two or three days", "2", "3", "day")]),
        ("两三天", "zh", [("duration", "两三天", "2", "3", "day")]),
        ("-10 to -5 °C", "en", [("quantity", "-10 to -5 °C", "-10", "-5", "celsius")]),
        (
            "rose from 10 to 15 million",
            "en",
            [("number", "10", "10000000", "10000000", None), ("number", "15 million", "15000000", "15000000", None)],
        ),
        ("won 3-2", "en", [("number", "3", "3", "3", None), ("number", "2", "2", "2", None)]),
        ("6 ft 2 in", "en", [("quantity", "6 ft 2 in", "74", "74", "inch")]),
        ("2 hours 30 minutes", "en", [("duration", "2 hours 30 minutes", "150", "150", "minute")]),
        ("1 年 6 个月", "zh", [("duration", "1 年 6 个月", "18", "18", "month")]),
        ("$5 and 50 cents", "en", [("money", "$5 and 50 cents", "5.50", "5.50", "USD")]),
        (
            "3 days and 2 nights",
            "en",
            [("duration", "3 days", "3", "3", "day"), ("duration", "2 nights", "2", "2", "night")],
        ),
        ("60 tonnes of paint", "en", [("quantity", "60 tonnes", "60", "60", "tonne")]),
        ("5 millones de dólares", "es", [("money", "5 millones de dólares", "5000000", "5000000", "USD")]),
        ("3成", "zh", [("percentage", "3成", "30", "30", "percent")]),
        ("twice a week", "en", [("number", "twice", "2", "2", None)]),
        ("20世纪", "zh", [("ordinal", "20", "20", "20", None)]),
        ("in 1889", "en", [("number", "1889", "1889", "1889", None)]),
        ("from -40°C to +50°C", "en", [("quantity", "-40°C to +50°C", "-40", "50", "celsius")]),
        ("$1.5-2 million", "en", [("money", "$1.5-2 million", "1500000", "2000000", "USD")]),
        ("身高一米八三", "zh", [("quantity", "一米八三", "1.83", "1.83", "metre")]),
        ("iPhone 15", "en", [("number", "15", "15", "15", None)]),
    ],
)
def test_amounts_in_their_place(text, language, expected):
    assert brief(text, language) == expected


@pytest.mark.parametrize(
    "text",
    [
        "call 1-800-555-1234 or +49 30 1234567 or (030) 555 1234, Tel.: 030 123456",
        "ISBN 978-3-16-148410-0",
        "version 1.2.3 at 192.168.0.1",
        "see https://x.org/12/30 or write to a.b12@c3.org or www.x4.com",
        "A4 B-52 COVID-19 F-16 5G 3D x86 4chan",
        "as shown [3] and [1, 2] and (Holt, 2020)",
        "in the 1990s and his 30s",
        "one of them, no one, the one",
        "2022-09-28 or 31/03/1889 or 31.03.1889, 9:30",
        "top-10, mid-90s, pre-2020",
    ],
)
def test_what_must_not_become_an_amount(text):
    assert brief(text) == []


def test_list_markers_are_no_amounts():
    assert brief("1. Take 2 eggs.\n2) Boil 5 minutes.\n- 3 spoons") == [
        ("number", "2", "2", "2", None),
        ("duration", "5 minutes", "5", "5", "minute"),
        ("number", "3", "3", "3", None),
    ]


def test_what_others_have_taken_is_left_out():
    text = "On 31 March 1889 it was 330 m"
    assert brief(text)[-1][1] == "330 m"
    taken = [(3, 16)]
    assert [fact.text for fact in amounts(text, "en", taken)] == ["330 m"]


@pytest.mark.parametrize(
    ("text", "language", "number", "unit"),
    [
        ("is 430 metres tall", "en", "430", "metres"),
        ("is 330** metres", "en", "330", "metres"),
        ("costs $10–20", "en", "10–20", "$"),
        ("costs US$ 1,200.00", "en", "1,200.00", "US$"),
        ("takes 3 to 5 working days", "en", "3 to 5", "working days"),
        ("hat 5,9 Mio. Euro", "de", "5,9 Mio.", "Euro"),
        ("约15.1万平方米", "zh", "15.1万", "平方米"),
        ("达百分之八十五", "zh", "八十五", "百分之"),
        ("￥50", "zh", "50", "￥"),
        ("時速１２０キロ", "ja", "１２０", "キロ"),
        ("3年間です", "ja", "3", "年間"),
        ("about 5.9 million people", "en", "5.9 million", None),
        ("the 3rd day", "en", "3rd", None),
    ],
)
def test_number_and_unit_have_ranges_of_their_own(text, language, number, unit):
    fact = only(text, language)
    start, end = number_range(fact)
    assert text[start:end] == number
    found = unit_range(fact)
    assert (text[slice(*found)] if found else None) == unit


PIECES = """
5 1,200 ½ 3/4 10^6 1e2 – - to and bis à 至 〜 万 亿 三 十 百 分之 半 個 个 年 % $ € km m °C m² six hundred
million Mio. a one half zwei und third 3rd 第 時速 约 more than + ( ) [3] 1. ３ ， 。 ' " ft in x 1e999 0/0
三分之零 点五 -5 − pounds par de mil neuf ¥
"""


@given(
    st.lists(st.sampled_from([*PIECES.split(), " ", "\n", "é", "👩‍👧"]), max_size=12),
    st.sampled_from(LANGUAGES),
    st.booleans(),
)
@settings(max_examples=400, deadline=None)
def test_any_text_gives_facts_in_order_with_their_parts_inside(pieces, language, spaced):
    text = (" " if spaced else "").join(pieces)
    facts = amounts(text, language)
    check_places("facts", facts, text)
    for fact in facts:
        assert isinstance(fact.value, Amount)
        start, end = number_range(fact)
        assert fact.start <= start < end <= fact.end
        unit = unit_range(fact)
        assert unit is None or (fact.start <= unit[0] < unit[1] <= fact.end and (unit[1] <= start or end <= unit[0]))


@given(st.text(max_size=40), st.sampled_from(LANGUAGES))
@settings(max_examples=200, deadline=None)
def test_no_text_is_too_odd(text, language):
    check_places("facts", amounts(text, language), text)


def test_errors():
    with pytest.raises(InputError) as outside:
        amounts("5 km", "en", taken=[(0, 1), (3, 9)])
    assert str(outside.value) == "taken[1]: must lie within 0..4, got 3..9"
    negation = Fact("negation", 0, 3, "not", Marker("not"))
    for part in (number_range, unit_range):
        with pytest.raises(InputError) as other:
            part(negation)
        assert str(other.value) == "fact: must be an amount, got a negation"
