"""Languages by script and by letter sequences, and when the other side decides."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.geometry.facts.fact import LANGUAGES
from ragcortex.geometry.language import covered, language_of

TEXTS = {
    "en": ["The Eiffel Tower is in Paris.", "It is open.", "Orders above $50 ship free.", "Shipping costs $49.90.",
           "Smoking is not allowed.", "Barack Obama was born in Honolulu.", "SMOKING IS NOT ALLOWED HERE",
           "The word 世界 means world.", "Penguins are flightless birds."],
    "de": ["Der Eiffelturm steht in Paris.", "Rauchen ist nicht erlaubt.", "Montags geschlossen.",
           "Sie ist seit 1999 geöffnet."],
    "fr": ["La tour Eiffel se trouve à Paris.", "Fermé le lundi.", "Il est interdit de fumer."],
    "es": ["La Torre Eiffel está en París.", "No se permite fumar.", "El envío es gratis.", "Fue inaugurado en 1999."],
    "it": ["Il museo è aperto ogni giorno."], "nl": ["Het museum is open op zondag."],
    "sv": ["Museet är öppet varje dag."], "pl": ["Muzeum jest otwarte codziennie."],
    "zh": ["埃菲尔铁塔位于巴黎，高330米。", "iPhone 15 Pro 电池容量", "東京都港區"],
    "ja": ["保証期間は1年間です。", "営業時間", "カスタマーサポート"],
    "ko": ["한국어 문장입니다."], "ru": ["Москва — столица России."], "uk": ["Київ — столиця України."],
    "ar": ["هذا كتاب"], "fa": ["این یک کتاب است چون"], "hi": ["यह एक किताब है"], "el": ["Η Αθήνα"], "th": ["สวัสดี"],
    "he": ["שלום עולם"],
}  # fmt: skip
UNSURE = ["", "  ", "1889", "https://example.org/a-b", "me@example.org", "Gustave Eiffel", "University of Oxford",
          "41 %", "NASA", "Return Policy", "😀"]  # fmt: skip


@pytest.mark.parametrize(("code", "text"), [(code, text) for code, texts in TEXTS.items() for text in texts])
def test_the_text_decides_where_it_can(code, text):
    assert language_of(text) == code
    assert language_of(text, "fr") == code


@pytest.mark.parametrize("text", UNSURE)
def test_the_other_side_decides_about_names_numbers_and_addresses(text):
    assert language_of(text) is None
    assert language_of(text, "de") == "de"


def test_han_without_kana_is_japanese_next_to_japanese_unless_its_forms_are_chinese():
    assert language_of("東京都港区") == "zh"
    assert language_of("東京都港区", "ja") == "ja"
    assert language_of("开放时间", "ja") == "zh"


def test_covered_narrows_a_code():
    assert [covered(code) for code in ("en", "ja", "sv", None, "")] == ["en", "ja", None, None, None]


@given(text=st.text(max_size=80), fallback=st.sampled_from((None, *LANGUAGES)))
def test_any_text_has_a_code_or_the_fallback(text, fallback):
    code = language_of(text, fallback)
    assert code is None or (code.isascii() and code.islower() and len(code) == 2)
    if language_of(text) is None:
        assert code == fallback


def test_a_long_text_costs_no_more_than_a_short_one():
    language_of("warm the model up")
    started = time.perf_counter()
    for number in range(20):
        language_of(f"{number} " + "The museum is open on every day of the week. " * 200)
    assert (time.perf_counter() - started) / 20 < 0.01  # a tenfold of what it takes on a busy machine
