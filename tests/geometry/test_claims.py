"""Sentences that claim nothing, by kind and language, and their look-alikes that do claim something.

They lie in `claim_sentences`: one a line, those of a kind behind a line «@ kind»; `*_claims.txt` holds the look-alikes.
"""

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.geometry.claim_grammar import CLAIMLESS_LANGUAGES
from ragcortex.geometry.claims import CLAIMLESS_KINDS, claims_nothing
from ragcortex.geometry.facts.fact import LANGUAGES

FOLDER = Path(__file__).parent / "claim_sentences"


def claimless(code):
    kind = None
    for line in (FOLDER / f"{code}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("@ "):
            kind = line.removeprefix("@ ")
        else:
            yield asked(code), kind, line


def claiming(code):
    return (FOLDER / f"{code}_claims.txt").read_text(encoding="utf-8").splitlines()


def asked(code):
    """The language as a caller would name it: one whose facts cannot be read has no name."""
    return code if code in LANGUAGES else None


ALL_CLAIMLESS = [row for code in CLAIMLESS_LANGUAGES for row in claimless(code)]
ALL_CLAIMING = [(asked(code), text) for code in CLAIMLESS_LANGUAGES for text in claiming(code)]


@pytest.mark.parametrize(("language", "kind", "text"), ALL_CLAIMLESS)
def test_a_claimless_sentence_is_of_its_kind(language, kind, text):
    assert claims_nothing(text, language) == kind


@pytest.mark.parametrize(("language", "text"), ALL_CLAIMING)
def test_a_claim_is_never_hidden(language, text):
    assert claims_nothing(text, language) is None
    assert claims_nothing(text, None) is None


def test_every_kind_is_known_in_every_language():
    known = {(language, kind) for language, kind, _ in ALL_CLAIMLESS}
    assert known == {(language, kind) for language in (*LANGUAGES, None) for kind in CLAIMLESS_KINDS}


@pytest.mark.parametrize(("language", "kind", "text"), [row for row in ALL_CLAIMLESS if row[0] in ("en", "zh")])
def test_without_a_language_all_are_tried(language, kind, text):
    assert claims_nothing(text, None) is not None


@pytest.mark.parametrize("text", ["", "   ", "---", "**", "[3]", "😀"])
def test_what_has_no_word_claims_nothing(text):
    assert claims_nothing(text, "en") == "meta"


@pytest.mark.parametrize("wrapped", ["- {}", "1. {}", "**{}**", "> {}", "{} [3]", "  {}\n"])
def test_markdown_and_citations_change_nothing(wrapped):
    assert claims_nothing(wrapped.format("I don’t know."), "en") == "refusal"
    assert claims_nothing(wrapped.format("The tower is in Paris."), "en") is None


CLAIMS = {
    "en": " The tower is 330 m tall.", "de": " Der Turm ist 330 m hoch.", "fr": " La tour mesure 330 m.",
    "es": " La torre mide 330 m.", "zh": "塔高330米。", "ja": "塔の高さは330メートルです。",
}  # fmt: skip


@given(row=st.sampled_from(ALL_CLAIMLESS), after=st.booleans())
def test_a_claim_beside_a_phrase_is_a_claim(row, after):
    language, _, text = row
    claim = CLAIMS[language or "en"]
    assert claims_nothing(f"{text}{claim}" if after else f"{claim.strip()} {text}", language) is None


ENDED = [row for row in ALL_CLAIMLESS if row[0] == "en" and row[2][-1] in ".!?"]


@given(rows=st.lists(st.sampled_from(ENDED), min_size=1, max_size=3))
def test_claimless_sentences_together_claim_nothing(rows):
    text = " ".join(text for _, _, text in rows)
    assert len(text) > 300 or claims_nothing(text, "en") == rows[0][1]


@given(text=st.text(max_size=80), language=st.sampled_from((None, *LANGUAGES)))
def test_any_text_gets_a_kind_or_none(text, language):
    assert claims_nothing(text, language) in (None, *CLAIMLESS_KINDS)


def test_a_long_sentence_costs_little():
    claims_nothing("warm up", "en")
    text = "The museum, which is old, and the pool, which is new, are not open, and " * 4
    started = time.perf_counter()
    assert claims_nothing(text, "en") is None
    assert time.perf_counter() - started < 0.1  # a hundredfold of what it takes
