"""Which sentences are usable, and which are near."""

import pytest

from ragcortex.datasets.text_pool import (
    PoolSentence,
    SentencePool,
    content_words,
    coverage,
    is_prose,
    leans_back,
    split_glued,
    starts_with_pronoun,
)
from ragcortex.errors import InputError


@pytest.mark.parametrize(
    "sentence",
    [
        "The town was founded in 1274 by monks.",
        "In 2019, it had 12,400 inhabitants (3 % more than before).",
        '"This is the end of it," said the mayor.',
    ],
)
def test_usable(sentence):
    assert is_prose(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Too short a one.",
        "it starts with a small letter and goes on.",
        "It has no stop at the end of the line",
        "I went to the market in the old town.",
        "Does the market open on Thursday in the morning?",
        "Read it at https://example.org in the old town.",
        "Home | News | Sport | Weather | Contact | More of it.",
        "The bracket (of the old town is never closed again.",
        'The quote "of the old town is never closed again.',
        '"Everything in quotes, and nobody who says it here."',
        "The market.It was held in the old town square.",
        "The question asks where the old town can be found.",
        "3. The third point of the old list of points.",
        "Mayor Abel Bron Of Velmora Ostrin Tarrow Merrow Lunt Hall.",
    ],
)
def test_not_usable(sentence):
    assert not is_prose(sentence)


def test_leaning_sentences():
    assert starts_with_pronoun("He was born there.")
    assert leans_back("The village has a church.")
    assert not leans_back("The Hague has a court.")
    assert not starts_with_pronoun("")


def test_coverage_counts_content_words_only():
    known = content_words("The old towns traded wool.")
    assert coverage("A town traded in wool.", known) == 1.0
    assert coverage("A town traded in salt.", known) == pytest.approx(2 / 3)
    assert coverage("It was of the.", known) == 1.0


def test_glued_sentences_are_set_apart():
    assert split_glued("in the 19th century.First it was (so).Then it was not.") == (
        "in the 19th century. First it was (so). Then it was not."
    )
    assert split_glued("the U.S.A. and 3.5 km") == "the U.S.A. and 3.5 km"


def test_near_sentences_come_first_and_excluded_sources_never():
    pool = SentencePool(
        [
            PoolSentence("The river carries cold water.", "a"),
            PoolSentence("The river is deep.", "b"),
            PoolSentence("Bread is baked daily.", "c"),
        ]
    )
    found = pool.near("How deep is the river?", excluded_groups=frozenset())
    assert [item.group for item in found] == ["b", "a"]
    assert [item.group for item in pool.near("deep river", excluded_groups={"b"})] == ["a"]
    assert pool.near("nothing of it", excluded_groups=frozenset()) == []
    assert len(pool.near("deep river", excluded_groups=frozenset(), limit=1)) == 1


def test_an_empty_pool_is_refused():
    with pytest.raises(InputError) as caught:
        SentencePool([])
    assert str(caught.value) == "examples: have no usable sentence to build synthetic answers from"
