"""Proper names in six languages, with more weight on what is no name, and which names are the same."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.geometry.facts.fact import LANGUAGES, Language, Name
from ragcortex.geometry.facts.name_places import is_place, name_words, places_of
from ragcortex.geometry.facts.names import names, same_name


def found(text: str, language: Language, known: frozenset[str] = frozenset()) -> list[str]:
    facts = names(text, language, known)
    assert all(text[fact.start : fact.end] == fact.text for fact in facts)
    return [fact.text for fact in facts]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "The Eiffel Tower is located in Paris, France.", ["Eiffel Tower", "Paris", "France"]),
        ("en", "It was designed by Gustave Eiffel's company.", ["Gustave Eiffel"]),
        ("en", "Dr. J. Smith of the University of Oxford met him.", ["J. Smith", "University of Oxford"]),
        ("en", "She joined the Bank of England.", ["Bank of England"]),
        ("en", "Ludwig van Beethoven was born in Bonn.", ["Ludwig van Beethoven", "Bonn"]),
        ("en", "They fly the Boeing 747, use an iPhone 15 and had COVID-19.", ["Boeing 747", "iPhone 15", "COVID-19"]),
        ("en", "He lives in the U.S. and works for the EU.", ["U.S.", "EU"]),
        ("en", "President Macron met Chancellor Angela Merkel.", ["Macron", "Angela Merkel"]),
        ("en", "Mr. Brown moved to St. Louis in May.", ["Brown", "St. Louis"]),
        ("en", "Lyon hosts a festival.", ["Lyon"]),
        ("en", "Einstein developed the theory.", ["Einstein"]),
        ("en", "Zolder is small. We like Zolder.", ["Zolder", "Zolder"]),
        ("en", "We drink French wine and Chinese tea.", ["French", "Chinese"]),
        ("en", "Acme's parcels come by AT&T.", ["Acme", "AT&T"]),
        ("fr", "La tour Eiffel se trouve à Paris, en France.", ["Eiffel", "Paris", "France"]),
        ("fr", "L'Allemagne et l'Union européenne", ["Allemagne", "Union européenne"]),
        ("fr", "M. Dupont habite à Lyon.", ["Dupont", "Lyon"]),
        ("fr", "Le président français Emmanuel Macron", ["français", "Emmanuel Macron"]),
        ("es", "La torre Eiffel está en París.", ["Eiffel", "París"]),
        ("es", "Estudió en la Universidad de Salamanca.", ["Universidad de Salamanca"]),
        ("es", "Estados Unidos y la UE firmaron.", ["Estados Unidos", "UE"]),
        ("es", "El Sr. García vive en Múnich.", ["García", "Múnich"]),
        ("de", "Der Eiffelturm steht in Berlin.", ["Berlin"]),
        ("de", "Angela Merkel war Bundeskanzlerin von Deutschland.", ["Angela Merkel", "Deutschland"]),
        ("de", "Herr Müller wohnt in Tübingen.", ["Müller", "Tübingen"]),
        ("de", "Prof. Max Planck arbeitete in Göttingen.", ["Max Planck", "Göttingen"]),
        ("de", "Ludwig van Beethoven wurde in Bonn geboren.", ["Ludwig van Beethoven", "Bonn"]),
        ("de", "Die EU unterstützt die Deutsche Bank.", ["EU", "Deutsche Bank"]),
        ("de", "Die Lieferung nach Österreich ist frei.", ["Österreich"]),
        ("zh", "埃菲尔铁塔位于巴黎，由古斯塔夫·埃菲尔设计。", ["巴黎", "古斯塔夫·埃菲尔"]),
        ("zh", "上海图书馆东馆开馆", ["上海图书馆"]),
        ("zh", "他毕业于北京大学，在法国工作。", ["北京大学", "法国"]),
        ("zh", "由华美科技有限公司生产", ["华美科技有限公司"]),
        ("zh", "苹果公司发布了iPhone 15。", ["iPhone 15"]),
        ("ja", "ギュスターヴ・エッフェルがパリで設計しました。", ["ギュスターヴ・エッフェル", "パリ"]),
        ("ja", "東京都に住み、京都大学を卒業。", ["東京都", "京都大学"]),
        ("ja", "トヨタ社とソニー株式会社", ["トヨタ", "ソニー株式会社"]),
        ("ja", "フランス語とドイツ人", ["フランス", "ドイツ"]),
    ],
)
def test_names(language, text, expected):
    assert found(text, language) == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "Smoking is not allowed inside the tower. Penguins are flightless birds."),
        ("en", "Delivery within the country takes three days. Orders above $50 ship free."),
        ("en", "Returns are free because we send you a label. Support answers on Monday in March."),
        ("en", "It boils at 212° F. Once it boils, read 100 degrees Celsius. Unable to go on."),
        ("en", "I think I'm right; I'll say so. Yes. Don't!"),
        ("en", "You must NOT use 16 GB at 5 GHz."),
        ("en", "# Return Policy\n**Key Features:**\n- Fast Charging\n1. Easy Setup"),
        ("en", "Note: Section 3 applies, see Table 4 and Chapter IV."),
        ("de", "Bei Fragen wenden Sie sich an unseren Kundendienst."),
        ("de", "Die Rückgabe ist in Form eines Gutscheins möglich, nach Ablauf der Frist in Rente."),
        ("de", "Sie erhalten 30 Prozent Rabatt ab Kaufdatum von Montag bis Freitag. Ende März beginnt der Verkauf."),
        ("de", "Das Haus besteht aus Holz. Dann ging er nach Hause. Unser Support antwortet."),
        ("fr", "Les retours sont gratuits. Il vient lundi, en mars. Livraison en trois jours."),
        ("fr", "Au XVIIe et au XXème siècle, sous le IIe empire."),
        ("es", "Las devoluciones son gratuitas. Los lunes cerramos. Envío gratis."),
        ("zh", "该市有三座图书馆。城市里的公司和大学，亏损公司。容量16GB，马里奥。"),
        ("ja", "本製品の保証期間は一年間です。サービスのサポートデータ。お客様の会社と大学。"),
    ],
)
def test_no_names(language, text):
    assert found(text, language) == []


def test_a_word_known_in_lower_case_is_no_name():
    assert found("We wrote to the Company.", "en") == ["Company"]
    assert found("We wrote to the Company.", "en", frozenset({"company"})) == []
    assert found("The company is old; we like the Company.", "en") == []


def test_words_are_folded_without_titles_accents_and_possessives():
    (fact,) = names("It is Dr. José Müller-Straße's house.", "en")
    assert fact.value == Name(("jose", "muller", "strasse"))
    assert fact.text == "José Müller-Straße"


def test_name_words():
    assert name_words("U.S.") == ("us",)
    assert name_words("ドイツ") == ("ドイツ",)  # the voicing marks of kana are letters, not accents
    assert name_words("…") == ()


SAME = [
    ("european union", "eu"),
    ("bank of england", "boe"),
    ("united states of america", "usa"),
    ("john smith", "smith"),
    ("john smith", "j smith"),
    ("gustave eiffel", "eiffel"),
    ("france", "french"),
    ("france", "法国"),
    ("germany", "german"),
    ("germany", "deutschland"),
    ("allemagne", "ドイツ"),
    ("deutsch", "德国"),
    ("alemania", "allemand"),
    ("china", "chinois"),
    ("paris", "巴黎"),
    ("paris", "パリ"),
    ("munich", "munchen"),
    ("londres", "london"),
    ("moskau", "莫斯科"),
    ("上海市", "上海"),
    ("フランス人", "france"),
    ("ギュスターヴ エッフェル", "エッフェル"),
    ("eiffel", "eiffels"),
    ("boeing 747", "boeing"),
]
DIFFERENT = [
    ("paris", "lyon"),
    ("france", "germany"),
    ("paris", "france"),
    ("guinea", "papua new guinea"),
    ("john smith", "jane smith"),
    ("boeing 747", "boeing 737"),
    ("eu", "united nations"),
    ("bank of england", "of"),
    ("东京", "京都"),
    ("東京", "京都"),
    ("法国", "德国"),
    ("smith john", "john smith"),
]


@pytest.mark.parametrize(("a", "b"), SAME)
def test_same_names(a, b):
    assert same_name(Name(tuple(a.split())), Name(tuple(b.split())))
    assert same_name(Name(tuple(b.split())), Name(tuple(a.split())))


@pytest.mark.parametrize(("a", "b"), DIFFERENT)
def test_different_names(a, b):
    assert not same_name(Name(tuple(a.split())), Name(tuple(b.split())))
    assert not same_name(Name(tuple(b.split())), Name(tuple(a.split())))


def test_every_territory_is_one_place_in_six_languages():
    from babel import Locale

    for code in ("FR", "DE", "JP", "BR", "EG", "IN", "CH", "GB", "US", "ZA"):
        for language in LANGUAGES:
            assert f"territory:{code}" in places_of(name_words(Locale.parse(language).territories[code]))


def test_a_short_word_is_a_place_only_where_that_is_clear():
    assert [word for word in ("Paris", "UN", "Un", "Dann", "Oman", "Nice", "Turkey", "German") if is_place(word)] == [
        "Paris",
        "UN",
        "Oman",
        "German",
    ]


CROWDED = """
Paris the of de EU Dr. J. Smith's L'Allemagne Boeing 747 in Berlin Frau Müller März Monday 巴黎 · 埃菲尔 大学 パリ ・ 社
株式会社 iPhone # ** : . ! - ' ’ ß İ ǅ é
"""
PIECES = st.sampled_from([*CROWDED.split(), "\n"])
TEXTS = st.one_of(
    st.text(max_size=60), st.lists(PIECES, max_size=16).map(" ".join), st.lists(PIECES, max_size=16).map("".join)
)


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(
        st.text(max_size=60), st.lists(PIECES, max_size=14).map(" ".join), st.lists(PIECES, max_size=14).map("".join)
    ),
    st.sampled_from(LANGUAGES),
)
def test_names_of_any_text_are_in_order_and_apart(text, language):
    reached = 0
    for fact in names(text, language):
        assert fact.kind == "name"
        assert reached <= fact.start < fact.end <= len(text)
        assert text[fact.start : fact.end] == fact.text
        assert isinstance(fact.value, Name)
        assert same_name(fact.value, fact.value)
        reached = fact.end


WORDS = st.lists(
    st.sampled_from(["j", "john", "smith", "of", "eu", "european", "union", "paris", "法国", "us"]),
    min_size=1,
    max_size=4,
)


@given(WORDS, WORDS)
def test_same_name_is_symmetric(a, b):
    one, other = Name(tuple(a)), Name(tuple(b))
    assert same_name(one, other) == same_name(other, one)
