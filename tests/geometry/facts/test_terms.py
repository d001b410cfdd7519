"""Content words and their stems."""

import sys
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.errors import InputError
from ragcortex.geometry.facts.fact import LANGUAGES
from ragcortex.geometry.facts.function_words import FUNCTION_WORDS
from ragcortex.geometry.facts.terms import Term, base_form, stem, terms


def words(text, language):
    return [text[term.start : term.end] for term in terms(text, language)]


CONTENT = [
    ("en", "The museum's visitors were not paying 3.5 km in 1889 [3].", ["museum", "visitors", "paying", "km"]),
    ("en", "It was in the U.S. (Holt, 2020), says US law; ask us.", ["U.S", "says", "US", "law", "ask"]),
    ("en", "A well-known post-office box, B12 and e-mail", ["well", "known", "post", "office", "box", "B12", "mail"]),
    ("en", "GIVE IT TO US NOW", ["GIVE"]),
    ("de", "Die Öffnungszeiten des Hauses wurden geändert.", ["Öffnungszeiten", "Hauses", "geändert"]),
    ("fr", "L'eau n'est pas livrée aujourd’hui.", ["eau", "livrée"]),
    ("es", "Los artículos se pueden devolver.", ["artículos", "devolver"]),
    ("zh", "图书馆于2022年9月28日开馆[1]。", ["图书", "书馆", "开馆"]),
    ("zh", "我的iPhone很贵", ["iPhone", "贵"]),
    ("ja", "故障は保証の対象外です。", ["故障", "保証", "対象", "象外"]),
    ("ja", "ホテルのたばこ三十個", ["ホテ", "テル", "たば", "ばこ"]),
    ("en", "", []),
    ("en", "12,000 – 3", []),
]


@pytest.mark.parametrize(("language", "text", "expected"), CONTENT)
def test_content_words(language, text, expected):
    assert words(text, language) == expected


SAME = [
    ("en", "completed completion complete"), ("en", "building built builds"), ("en", "bought buys buying"),
    ("en", "Children child"), ("en", "refunded refunds"), ("en", "colour color colours"),
    ("en", "metres meters metre"),
    ("en", "organised organized organizing"), ("en", "organisation organization"), ("en", "travelled traveled"),
    ("en", "centre centers"), ("en", "catalogue catalogs"), ("en", "analysed analyze"), ("en", "grey gray"),
    ("en", "defence defense"), ("en", "haemoglobin hemoglobin"), ("de", "Häuser Haus Hauses"),
    ("de", "geöffnet öffnet öffnen"), ("de", "verkaufte verkauft verkaufen"), ("de", "fertiggestellt fertigstellen"),
    ("fr", "livrons livrée livrer"), ("fr", "chevaux cheval"), ("fr", "école École Ecole"),
    ("es", "abiertas abierto"), ("es", "cuesta costar"), ("es", "devoluciones devolución"), ("zh", "ＡＢ ab"),
]  # fmt: skip
DIFFERENT = [
    ("en", "hour our"), ("en", "four for"), ("en", "open close"), ("en", "advertise advertize"),
    ("en", "promise prize"),
    ("es", "año ano"), ("fr", "plus plu"), ("de", "Buch Bach"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "forms"), SAME)
def test_inflections_and_spellings_share_a_stem(language, forms):
    assert len({stem(form, language) for form in forms.split()}) == 1


@pytest.mark.parametrize(("language", "forms"), DIFFERENT)
def test_other_words_do_not(language, forms):
    assert len({stem(form, language) for form in forms.split()}) == len(forms.split())


def test_base_form_is_the_dictionary_form():
    assert [base_form(word, "en") for word in ("bought", "Colours", "qwertz")] == ["buy", "color", "qwertz"]


@pytest.mark.parametrize("language", sorted(FUNCTION_WORDS))
def test_function_words_are_no_terms_alone(language):
    assert [word for word in sorted(FUNCTION_WORDS[language]) if terms(word, language)] == []


@given(text=st.text(max_size=60), language=st.sampled_from(LANGUAGES))
def test_terms_are_in_order_inside_the_text(text, language):
    found = terms(text, language)
    assert list(found) == sorted(found, key=lambda term: (term.start, term.end))
    assert all(term.stem.strip() and text[term.start : term.end].strip() for term in found)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ((3, 3, "x"), "end: must be greater than start=3, got 3"),
        ((-1, 3, "x"), "start: must be a whole number from 0 on, got -1"),
        ((0, 3, " "), "stem: must not be blank"),
    ],
)
def test_a_term_checks_itself(fields, message):
    with pytest.raises(InputError) as caught:
        Term(*fields)
    assert str(caught.value) == message


def test_threads_get_the_stems_that_one_gets():
    """A stemmer holds the word that it works on; without a lock, a word gets the stem of another thread's word."""
    own = [f"{first}{last}" for first in ("zor", "blan", "quef", "drim") for last in ("ingly", "ations", "edness", "s")]
    expected = [stem.__wrapped__(word, "en") for word in own]
    found = {}

    def work(name):
        found[name] = [[stem.__wrapped__(word, "en") for word in own] for _ in range(40)]

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=work, args=(name,)) for name in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert all(stems == expected for rounds in found.values() for stems in rounds)
