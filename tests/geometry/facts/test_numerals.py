"""Numbers in digits, words and number signs, against babel's formatting and plain spelled-out references."""

from decimal import Decimal

import pytest
from babel.numbers import format_decimal
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ragcortex.geometry.facts.amount_masks import folded, masked
from ragcortex.geometry.facts.fact import LANGUAGES
from ragcortex.geometry.facts.numerals import numerals


def values(text, language):
    return [numeral.value for numeral in numerals(masked(text, ()), language)]


def ordinals(text, language):
    return [int(numeral.value) for numeral in numerals(masked(text, ()), language) if numeral.ordinal]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("5.9 million", "en", "5900000"),
        ("5,900,000", "en", "5900000"),
        ("5,9 Mio.", "de", "5900000"),
        ("5,9 Millionen", "de", "5900000"),
        ("5,9 millions", "fr", "5900000"),
        ("5,9 millones", "es", "5900000"),
        ("590万", "zh", "5900000"),
        ("590万", "ja", "5900000"),
        ("11.5万", "zh", "115000"),
        ("1'200", "de", "1200"),
        ("1\u202f200,5", "fr", "1200.5"),
        ("1\u00a0200", "es", "1200"),
        ("12 000", "en", "12000"),
        ("1,20,000", "en", "120000"),
        ("1e2", "en", "100"),
        ("2×10^6", "en", "2000000"),
        ("2,5 · 10⁶", "de", "2500000"),
        ("10⁻²", "en", "0.01"),
        ("１，２００", "ja", "1200"),
        ("½", "en", "0.5"),
        ("2½", "en", "2.5"),
        ("2 1/2", "en", "2.5"),
        ("−5", "en", "-5"),
        ("minus 5", "de", "-5"),
        ("零下5", "zh", "-5"),
        ("3,5 Milliarden", "de", "3500000000"),
        ("2 Billionen", "de", "2000000000000"),
        ("2 billion", "en", "2000000000"),
        ("500 mil millones", "es", "500000000000"),
        ("12 Md€", "fr", "12000000000"),
        ("5 crore", "en", "50000000"),
        ("1億2000万", "ja", "120000000"),
        ("1.2万亿", "zh", "1200000000000"),
    ],
)
def test_digits_with_their_magnitudes(text, language, expected):
    assert values(text, language) == [Decimal(expected)]


@pytest.mark.parametrize(
    ("text", "en", "de"),
    [
        ("1.200", "1.2", "1200"),
        ("1,200", "1200", "1.2"),
        # From here on the shape decides.
        ("1.200.000", "1200000", "1200000"),
        ("1,200,000", "1200000", "1200000"),
        ("1,200.50", "1200.5", "1200.5"),
        ("1.200,50", "1200.5", "1200.5"),
        ("0.125", "0.125", "0.125"),
        ("0,125", "0.125", "0.125"),
        ("12,5", "12.5", "12.5"),
    ],
)
def test_a_separator_follows_its_shape_and_else_the_language(text, en, de):
    assert values(text, "en") == values(text, "zh") == values(text, "ja") == [Decimal(en)]
    assert values(text, "de") == values(text, "fr") == values(text, "es") == [Decimal(de)]


@given(
    st.decimals(min_value=0, max_value=10**12, places=3, allow_nan=False) | st.integers(0, 10**12).map(Decimal),
    st.sampled_from(LANGUAGES),
)
@settings(max_examples=300, deadline=None)
def test_every_number_babel_formats_is_read_back(value, language):
    text = format_decimal(value, format="#,##0.####", locale=language)
    # Four groups up to 255 are an internet address in every language.
    assume(not (text.count(".") == 3 and "," not in text and all(int(part) < 256 for part in text.split("."))))
    assert values(text, language) == [value]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("three", "en", "3"),
        ("drei", "de", "3"),
        ("trois", "fr", "3"),
        ("tres", "es", "3"),
        ("三", "zh", "3"),
        ("三", "ja", "3"),
        ("twenty-three", "en", "23"),
        ("three hundred and five thousand", "en", "305000"),
        ("two million three hundred thousand", "en", "2300000"),
        ("five point two million", "en", "5200000"),
        ("two and a half million", "en", "2500000"),
        ("half a million", "en", "500000"),
        ("a hundred", "en", "100"),
        ("a dozen", "en", "12"),
        ("two-thirds", "en", "0.6666666666666666666666666667"),
        ("a quarter", "en", "0.25"),
        ("einundzwanzig", "de", "21"),
        ("zweihundertfünfzig Millionen", "de", "250000000"),
        ("eine Million", "de", "1000000"),
        ("zweieinhalb", "de", "2.5"),
        ("ein Drittel", "de", "0.3333333333333333333333333333"),
        ("die Hälfte", "de", "0.5"),
        ("dreissig", "de", "30"),
        ("quatre-vingt-dix-sept", "fr", "97"),
        ("soixante et onze", "fr", "71"),
        ("mille deux cents", "fr", "1200"),
        ("une vingtaine", "fr", "20"),
        ("trois quarts", "fr", "0.75"),
        ("dos mil quinientos", "es", "2500"),
        ("treinta y cinco", "es", "35"),
        ("veintiún mil", "es", "21000"),
        ("una docena", "es", "12"),
        ("un tercio", "es", "0.3333333333333333333333333333"),
        ("三十五", "zh", "35"),
        ("百二十", "ja", "120"),
        ("十一", "zh", "11"),
        ("二〇二二", "zh", "2022"),
        ("两千零五", "zh", "2005"),
        ("三千五", "zh", "3500"),
        ("三千五", "ja", "3005"),
        ("一万亿", "zh", "1000000000000"),
        ("三分之二", "zh", "0.6666666666666666666666666667"),
        ("3分の2", "ja", "0.6666666666666666666666666667"),
        ("一半", "zh", "0.5"),
    ],
)
def test_words_and_signs(text, language, expected):
    assert values(text, language) == [Decimal(expected)]


ONES = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen
"""
TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety"


def english(number):
    """Spell a whole number below a million in the plainest way."""
    ones, tens = ONES.split(), TENS.split()
    if number >= 1000:
        rest = number % 1000
        tail = f" {'and ' if rest < 100 else ''}{english(rest)}" if rest else ""
        return f"{english(number // 1000)} thousand{tail}"
    if number >= 100:
        return f"{ones[number // 100]} hundred" + (f" and {english(number % 100)}" if number % 100 else "")
    if number >= 20:
        return tens[number // 10] + (f"-{ones[number % 10]}" if number % 10 else "")
    return ones[number]


def signs(number, *, ones):
    """Spell a whole number below 10^8 with number signs; `ones`: whether 一 stands before 十, 百 and 千 (Chinese)."""
    if number >= 10**4:
        head, tail = divmod(number, 10**4)
        gap = "零" if ones and 0 < tail < 1000 else ""
        return signs(head, ones=ones) + "万" + gap + (signs(tail, ones=ones) if tail else "")
    text, gap = "", False
    for unit, sign in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = number // unit % 10
        if digit == 0:
            gap = gap or bool(text)
            continue
        text += "零" if gap and ones else ""
        text += ("" if digit == 1 and sign and not ones else "〇一二三四五六七八九"[digit]) + sign
        gap = False
    return text


@given(st.integers(2, 999_999))
@settings(max_examples=200, deadline=None)
def test_english_words_are_read_back(number):
    assert values(english(number), "en") == [number]


@given(st.integers(11, 10**8 - 1))
@settings(max_examples=300, deadline=None)
def test_number_signs_are_read_back(number):
    assert values(signs(number, ones=True) + "人", "zh") == [number]
    assert values(signs(number, ones=False) + "人", "ja") == [number]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("the 3rd day and the twenty-first", "en", [3, 21]),
        ("der 3. Platz, die dritte Stufe, am 1. und 2. Tag", "de", [3, 3, 1, 2]),
        ("au 3e étage, la troisième, le 1er", "fr", [3, 3, 1]),
        ("el 3.º piso, el tercer día, la tercera, la segunda vez", "es", [3, 3, 3, 2]),
        ("第三章第12名", "zh", [3, 12]),
        ("第3回、五番目", "ja", [3, 5]),
        ("20世纪", "zh", [20]),
        ("first of all; at first; a second; wait 5 seconds", "en", []),
        ("im Jahr 3. Danach", "de", []),
    ],
)
def test_ordinals(text, language, expected):
    assert ordinals(text, language) == expected


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("hundreds of people and thousands of cats", "en"),
        ("twofold, tense, often, weight, tenable", "en"),
        ("Unterachtung und Zweifel, beachten", "de"),
        ("un vélo neuf", "fr"),
        ("miles de personas", "es"),
        ("一般来说一些人一起，十分好，万一", "zh"),
        ("数百人、十几个、几十万、十五五规划", "zh"),
        ("一緒に六本木、九州の三井", "ja"),
    ],
)
def test_words_that_are_no_numbers(text, language):
    found = [text[numeral.start : numeral.end] for numeral in numerals(text, language) if not numeral.needs_unit]
    assert found == []


def test_one_is_a_number_only_with_a_unit():
    for text, language in (("one of them", "en"), ("ein Haus", "de"), ("un livre", "fr"), ("una mesa", "es")):
        assert [numeral.needs_unit for numeral in numerals(text, language)] == [True], text


def test_and_joins_a_number_but_not_two():
    assert values("one hundred and two", "en") == [102]
    assert values("between one hundred and two hundred", "en") == [100, 200]


def test_folding_keeps_every_position():
    text = "高さ３３０ｍ、約５％、1\u2009200～"
    assert len(folded(text)) == len(text)
    assert folded(text) == "高さ330m、約5%、1\u00a0200~"
