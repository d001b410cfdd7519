"""Units: factors against pint, names against CLDR, and what is no unit although it is spelled like one."""

from decimal import Decimal

import pint
import pytest

from ragcortex.geometry.facts.fact import LANGUAGES
from ragcortex.geometry.facts.unit_lexicon import unit_named, unit_names, unit_spellings
from ragcortex.geometry.facts.unit_table import UNIT_ROWS
from ragcortex.geometry.facts.units import unit_after, unit_before

BASES = {
    "length": "metre",
    "area": "metre**2",
    "volume": "metre**3",
    "mass": "kilogram",
    "time": "second",
    "speed": "metre/second",
    "energy": "joule",
    "power": "watt",
    "data": "byte",
    "data_rate": "byte/second",
    "pressure": "pascal",
    "frequency": "hertz",
    "angle": "degree",
    "force": "newton",
    "voltage": "volt",
    "current": "ampere",
    "charge": "coulomb",
    "resistance": "ohm",
    "share": "dimensionless",
    "density": "kilogram/metre**3",
}
# Where pint has another name, or (acre) the survey unit that the United States gave up in 2022.
PINT_NAMES = {
    "working_day": "day",
    "decade": "10*year",
    "night": "day",
    "quarter": "year/4",
    "jin": "0.5*kilogram",
    "stone": "stone",
    "fluid_ounce": "floz",
    "barrel": "oil_bbl",
    "pound_per_square_inch": "psi",
    "kilogram_per_cubic_metre": "kilogram/metre**3",
    "gram_per_cubic_centimetre": "gram/centimetre**3",
    "microgram_per_cubic_metre": "microgram/metre**3",
    "millimetre_of_mercury": "mmHg",
    "arc_minute": "arcminute",
    "arc_second": "arcsecond",
    "astronomical_unit": "au",
    "electronvolt": "eV",
    "percentage_point": "percent",
    "permille": "0.001",
    "basis_point": "0.0001",
    "part_per_million": "ppm",
    "kilowatt_hour": "kWh",
    "watt_hour": "watt*hour",
    "megawatt_hour": "MW*hour",
    "gigawatt_hour": "GW*hour",
    "terawatt_hour": "TW*hour",
    "milliampere_hour": "mA*hour",
    "horsepower": "hp",
    "carat": "carat",
    "gallon": "gallon",
    "pint": "pint",
    "ton": "short_ton",
    "tonne": "metric_ton",
    "knot": "knot",
    "kilometre_per_second": "km/s",
    "nautical_mile": "nautical_mile",
    "light_year": "light_year",
    "cubic_centimetre": "cm**3",
    "mile_per_hour": "mph",
    "acre": "4840*yard**2",
    "calorie": "calorie",
    "month": "year/12",
}
WITHOUT_PINT = {"rotation", "luminous_flux", "illuminance", "level", "pixels"}


def rows():
    return [[cell.strip() for cell in line.split("|")] for line in UNIT_ROWS.strip().splitlines()]


@pytest.fixture(scope="module")
def registry():
    return pint.UnitRegistry()


def pint_expression(name):
    if name in PINT_NAMES:
        return PINT_NAMES[name]
    for word, power in (("square_", 2), ("cubic_", 3)):
        if name.startswith(word):
            return f"{name.removeprefix(word)}**{power}"
    return name.replace("_per_", "/")


def test_every_factor_is_pints(registry):
    compared = 0
    for _, name, dimension, factor, _ in rows():
        if dimension.startswith("temperature") or dimension in WITHOUT_PINT:
            continue
        expected = float(registry.Quantity(registry(pint_expression(name))).to(BASES[dimension]).magnitude)
        assert float(factor) == pytest.approx(expected, rel=1e-8), name
        compared += 1
    assert compared > 110


def test_names_of_units_are_unique():
    names = [name for _, name, *_ in rows()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("name", "spellings"),
    [
        (
            "metre",
            {
                "en": "metres meters m metre",
                "de": "Meter Metern m",
                "fr": "mètre mètres",
                "es": "metro metros",
                "zh": "米 公尺",
                "ja": "メートル m",
            },
        ),
        (
            "square_metre",
            {"en": "m² sqm", "de": "Quadratmeter Quadratmetern", "zh": "平方米 ㎡ 平米", "ja": "平方メートル"},
        ),
        ("square_kilometre", {"en": "km²", "de": "Quadratkilometer qkm", "zh": "平方公里", "ja": "平方キロメートル"}),
        (
            "kilogram",
            {
                "en": "kg kilogram kilograms",
                "de": "Kilogramm",
                "fr": "kilogrammes",
                "zh": "公斤 千克",
                "ja": "キログラム",
            },
        ),
        (
            "year",
            {
                "en": "year years yr",
                "de": "Jahr Jahre Jahren Jahres",
                "fr": "an ans années",
                "es": "año años",
                "zh": "年",
                "ja": "年間 年",
            },
        ),
        (
            "hour",
            {
                "en": "hours h hr",
                "de": "Stunde Stunden Std.",
                "fr": "heures",
                "es": "horas",
                "zh": "小时 个小时",
                "ja": "時間",
            },
        ),
        (
            "month",
            {"en": "months", "de": "Monate Monaten", "fr": "mois", "es": "meses", "zh": "个月", "ja": "ヶ月 か月 カ月"},
        ),
        (
            "working_day",
            {"en": "workdays", "de": "Werktage Werktagen Arbeitstage", "zh": "工作日 个工作日", "ja": "営業日"},
        ),
        ("percent", {"en": "% percent", "de": "Prozent", "zh": "%", "ja": "パーセント"}),
        ("kilometre_per_hour", {"en": "km/h kph", "de": "Stundenkilometer", "zh": "公里每小时"}),
        (
            "USD",
            {
                "en": "dollars USD",
                "de": "Dollar US-Dollar",
                "fr": "dollars",
                "es": "dólares",
                "zh": "美元",
                "ja": "ドル",
            },
        ),
        ("EUR", {"en": "euros €", "de": "Euro", "fr": "euros", "es": "euros", "zh": "欧元", "ja": "ユーロ"}),
        ("CHF", {"en": "CHF francs", "de": "Franken Fr.", "zh": "瑞士法郎"}),
        ("JPY", {"en": "yen", "zh": "日元", "ja": "円 ¥"}),
        ("CNY", {"zh": "元 人民币 ¥", "ja": "元 人民元", "en": "yuan"}),
    ],
)
def test_spellings(name, spellings):
    for language, words in spellings.items():
        for word in words.split():
            found = unit_after(f"5 {word}", 2, language)
            assert found is not None, (language, word)
            assert (found[0].name, found[1]) == (name, 2 + len(word)), (language, word)


@pytest.mark.parametrize(
    ("text", "language", "name"),
    [
        ("5 square metres", "en", "square_metre"),
        ("5 kilometres per hour", "en", "kilometre_per_hour"),
        ("5 sq. ft.", "en", "square_foot"),
        ("5 business days", "en", "working_day"),
        ("5 per cent", "en", "percent"),
        ("5 percentage points", "en", "percentage_point"),
        ("5 degrees Celsius", "en", "celsius"),
        ("5 Australian dollars", "en", "AUD"),
        ("5 Schweizer Franken", "de", "CHF"),
        ("5 Grad Celsius", "de", "celsius"),
        ("5 mètres carrés", "fr", "square_metre"),
        ("5 jours ouvrables", "fr", "working_day"),
        ("5 pour cent", "fr", "percent"),
        ("5 francs suisses", "fr", "CHF"),
        ("5 días hábiles", "es", "working_day"),
        ("5 kilómetros cuadrados", "es", "square_kilometre"),
        ("5 por ciento", "es", "percent"),
    ],
)
def test_names_of_several_words(text, language, name):
    found = unit_after(text, 2, language)
    assert found is not None
    assert (found[0].name, found[1]) == (name, len(text))


@pytest.mark.parametrize(
    "text",
    [
        "5 in the room",
        "5 a day",
        "5 metals",
        "5 men",
        "5 minutiae",
        "5 m people",
        "5 hats",
        "5 Generations",
        "5 C's",
        "5 won",
    ],
)
def test_ordinary_words_are_no_units(text):
    assert unit_after(text, 2, "en") is None


def test_case_tells_bits_from_bytes():
    assert unit_after("5 MB", 2, "en")[0].name == "megabyte"
    assert unit_after("5 Mb", 2, "en")[0].name == "megabit"


def test_pounds_weigh_unless_they_cost():
    assert unit_after("5 pounds of sugar", 2, "en")[0].name == "pound"
    assert unit_after("it costs 5 pounds", 11, "en")[0].name == "GBP"
    assert unit_after("5 million pounds", 10, "en", scale=Decimal(10**6))[0].name == "GBP"


@pytest.mark.parametrize(
    ("text", "language", "name", "start"),
    [
        ("$5", "en", "USD", 0),
        ("costs US$5", "en", "USD", 6),
        ("A$5", "en", "AUD", 0),
        ("€ 5", "de", "EUR", 0),
        ("CHF 5", "de", "CHF", 0),
        ("¥5", "ja", "JPY", 0),
        ("¥5", "zh", "CNY", 0),
        ("人民币5", "zh", "CNY", 0),
        ("₹5", "en", "INR", 0),
    ],
)
def test_currencies_before_a_number(text, language, name, start):
    found = unit_before(text, text.index("5"), language)
    assert found is not None
    assert (found[0].name, found[1]) == (name, start)


@pytest.mark.parametrize("text", ["TOP 5", "ALL 5", "PEN 5", "xUSD 5"])
def test_capitals_before_a_number_are_not_always_a_currency(text):
    assert unit_before(text, text.index("5"), "en") is None


def test_no_unit_is_known_by_its_name_alone_in_one_language():
    for language in LANGUAGES:
        assert unit_names(language).exact["km"] == unit_named("kilometre")
    assert {"metres", "meter", "米", "メートル"} <= unit_spellings("metre")
