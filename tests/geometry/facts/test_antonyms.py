"""Opposites by table and by prefix, and where they stand in two texts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.geometry.facts.antonym_words import PAIRS
from ragcortex.geometry.facts.antonyms import opposed, opposites_in
from ragcortex.geometry.facts.fact import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_listed_pair_is_opposed_both_ways_and_no_word_to_itself(language):
    for first, second in PAIRS[language]:
        assert opposed(first, second, language), (first, second)
        assert opposed(second, first, language), (first, second)
        assert not opposed(first, first, language), first


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_pair_is_listed_twice(language):
    pairs = [frozenset(pair) for pair in PAIRS[language]]
    assert len(pairs) == len(set(pairs))


def test_the_tables_are_large_enough():
    assert len(PAIRS["en"]) >= 150
    assert all(len(PAIRS[language]) >= 50 for language in LANGUAGES)


INFLECTED = [
    ("en", "Opened", "closing"), ("en", "allows", "forbidden"), ("en", "increased", "decreases"),
    ("en", "bought", "sell"),
    ("en", "won", "loses"), ("en", "rejected", "accepts"), ("en", "in stock", "out of stock"), ("en", "men", "women"),
    ("de", "geöffnet", "geschlossene"), ("de", "verkaufte", "kaufen"), ("de", "erlaubt", "verboten"),
    ("fr", "ouverte", "fermés"), ("fr", "interdite", "autorisé"), ("es", "abiertas", "cerrado"),
    ("es", "prohíben", "permite"), ("zh", "闭馆", "开放"), ("ja", "休業", "営業"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "a", "b"), INFLECTED)
def test_inflected_words_are_opposed(language, a, b):
    assert opposed(a, b, language)
    assert opposed(b, a, language)


PREFIXED = [
    ("en", "legal", "illegal"), ("en", "possible", "impossible"), ("en", "valid", "invalid"),
    ("en", "usual", "unusual"),
    ("en", "regular", "irregular"), ("en", "unopened", "opened"), ("en", "refundable", "non-refundable"),
    ("en", "agree", "disagree"), ("en", "harmful", "harmless"), ("de", "zulässig", "unzulässig"),
    ("de", "Raucher", "Nichtraucher"), ("fr", "utile", "inutile"), ("fr", "lisible", "illisible"),
    ("es", "útil", "inútil"), ("es", "regular", "irregular"), ("es", "activar", "desactivar"),
]  # fmt: skip
NOT_OPPOSED = [
    ("en", "inside", "side"), ("en", "important", "portant"), ("en", "unit", "it"), ("en", "under", "der"),
    ("en", "discover", "cover"), ("en", "disclose", "close"), ("en", "income", "come"), ("en", "invest", "vest"),
    ("en", "open", "opened"), ("en", "several", "mild"), ("en", "imusual", "usual"),
    ("de", "unter", "Tor"), ("de", "sich", "gefährlich"), ("de", "Inhalt", "Halt"), ("fr", "important", "portant"),
    ("fr", "sur", "dangereux"), ("es", "es", "dentro"), ("es", "informar", "formar"), ("zh", "开放", "开馆"),
    ("ja", "対象", "営業"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "a", "b"), PREFIXED)
def test_a_prefix_or_suffix_of_negation_makes_an_opposite(language, a, b):
    assert opposed(a, b, language)
    assert opposed(b, a, language)


@pytest.mark.parametrize(("language", "a", "b"), NOT_OPPOSED)
def test_what_only_looks_like_an_opposite(language, a, b):
    assert not opposed(a, b, language)
    assert not opposed(b, a, language)


def pieces(a, b, language):
    return [(a[i:j], b[k:m]) for i, j, k, m in opposites_in(a, b, language)]


FOUND = [
    ("en", "The pool is open.", "The pool is closed.", [("open", "closed")]),
    ("en", "Unopened items go back.", "Opened items go back.", [("Unopened", "Opened")]),
    ("en", "Before noon it is free.", "After noon it is paid.", [("Before", "After"), ("free", "paid")]),
    ("en", "It is out of stock.", "It is in stock.", [("out of stock", "in stock")]),
    ("en", "It is not open.", "It is not closed.", [("open", "closed")]),
    ("de", "Montags geschlossen.", "Montags ist geöffnet.", [("geschlossen", "geöffnet")]),
    ("fr", "Fermé le lundi.", "Ouvert le lundi.", [("Fermé", "Ouvert")]),
    ("es", "Está prohibido fumar.", "Se permite fumar.", [("prohibido", "permite")]),
    ("zh", "周一闭馆。", "东馆周一照常开放。", [("闭馆", "开放")]),
    ("ja", "保証の対象外です。", "保証の対象です。", [("対象外", "対象")]),
    ("ja", "平日は営業します。", "平日は休業します。", [("営業", "休業")]),
]
AGREEING = [
    ("en", "Smoking is not allowed.", "Smoking is prohibited."),
    ("en", "The shop is open, closed on Sunday.", "The shop is closed."),
    ("en", "It is open.", "It opens."),
    ("en", "It is open [3].", "It is open (Close, 2020)."),
    ("de", "Rauchen ist nicht erlaubt.", "Rauchen ist verboten."),
    ("zh", "不允许吸烟。", "禁止吸烟。"),
    ("zh", "周一闭馆，其余日期开放。", "周一开放。"),
    ("ja", "保証の対象外です。", "保証の対象になりません。"),
]


@pytest.mark.parametrize(("language", "a", "b", "expected"), FOUND)
def test_opposites_of_two_texts(language, a, b, expected):
    assert pieces(a, b, language) == expected
    assert sorted(pieces(b, a, language)) == sorted((other, one) for one, other in expected)


@pytest.mark.parametrize(("language", "a", "b"), AGREEING)
def test_texts_that_hold_both_or_negate_one_do_not_oppose(language, a, b):
    assert opposites_in(a, b, language) == ()


WORDS = st.sampled_from([word for pair in PAIRS["en"] for word in pair if " " not in word] + ["lamp", "not", "tower,"])


@given(a=st.lists(WORDS, max_size=8).map(" ".join), b=st.lists(WORDS, max_size=8).map(" ".join))
def test_ranges_are_opposed_words_and_turn_with_the_texts(a, b):
    found = opposites_in(a, b, "en")
    assert all(opposed(a[i:j], b[k:m], "en") for i, j, k, m in found)
    assert sorted((k, m, i, j) for i, j, k, m in found) == list(opposites_in(b, a, "en"))
    assert opposites_in(a, a, "en") == ()
