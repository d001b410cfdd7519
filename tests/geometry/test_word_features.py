"""The features of words: a two-sentence answer by hand, neighbourhoods against a plain loop, and odd texts."""

import re
from math import log1p

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from made_embedder import WordEmbedder
from ragcortex.align import claim_words
from ragcortex.errors import ReadingError
from ragcortex.example import Reference
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.witness import examine
from ragcortex.geometry.word_features import FEATURES, WordFeatures, word_features

REFERENCES = ("The lighthouse stands on a rock. Mary Holt painted the lamps.", "It was built in 1874.")
EMBEDDER = WordEmbedder()


def seen(answer: str, *texts: str, question: str | None = None) -> GeometricEvidence:
    corpus = Corpus.in_memory(tuple(map(Reference, texts or REFERENCES)), EMBEDDER)
    return examine(answer, corpus, question=question)


def column(features: WordFeatures, answer: str, name: str) -> dict[str, float]:
    values = features.values[:, FEATURES.index(name)].tolist()
    return {answer[start:end]: value for (start, end), value in zip(features.ranges, values, strict=True)}


def test_two_sentences_by_hand() -> None:
    answer = "The lighthouse was built with lamps. Its keeper collected stamps in 1901."
    evidence = seen(answer, question="Who was the keeper?")
    features = word_features(evidence)
    words = answer.replace(".", "").split()
    assert [answer[start:end] for start, end in features.ranges] == words

    content = {"lighthouse", "built", "lamps", "keeper", "collected", "stamps"}
    assert column(features, answer, "content") == {word: float(word in content) for word in words}
    # No sentence of the references has the three words of the second statement.
    novel = {"keeper", "collected", "stamps"}
    assert column(features, answer, "novel") == {word: float(word in novel) for word in words}
    assert column(features, answer, "given") == {word: float(word == "keeper") for word in words}
    # lighthouse + build and build + lamp are known words that stand in different sentences.
    assert column(features, answer, "new_pair") == {word: float(word in ("built", "lamps")) for word in words}
    # 1901 is a year that no reference has.
    assert column(features, answer, "absent_figure") == {word: float(word == "1901") for word in words}
    assert not any(column(features, answer, "similar_form").values())
    first, second = evidence.claims
    assert column(features, answer, "novel_words") == {
        word: log1p(0 if index < 6 else 3) for index, word in enumerate(words)
    }
    for one, word in ((first, "lighthouse"), (second, "keeper")):
        assert one.similarity is not None
        assert column(features, answer, "distance")[word] == 1 - one.similarity.max_similarity
        assert column(features, answer, "uncovered")[word] == 1 - one.covered
        assert column(features, answer, "uncovered_anywhere")[word] == 1 - one.covered_anywhere
    distance = column(features, answer, "distance")["keeper"]
    assert column(features, answer, "novel_and_distant") == {word: distance if word in novel else 0.0 for word in words}
    # Within 3 words of «was» lie lighthouse, built, lamps: known. Within 3 of «Its» lie built and lamps, which are, and
    # keeper, collected, stamps, which are not.
    assert column(features, answer, "novel_near")["was"] == 0
    assert column(features, answer, "novel_near")["Its"] == 3 / 5
    # Within 10 words of «Its» are all six content words.
    assert column(features, answer, "novel_around")["Its"] == 3 / 6


def plain_neighbourhood(content: list[float], novel: list[float], reach: int) -> list[float]:
    shares = []
    for index in range(len(content)):
        around = range(max(0, index - reach), min(len(content), index + reach + 1))
        n_content = sum(content[other] for other in around)
        shares.append(sum(novel[other] for other in around) / n_content if n_content else 0.0)
    return shares


WORDS = st.sampled_from(
    ["lighthouse", "rock", "lamps", "keeper", "stamps", "Mary Holt", "1874", "the", "was", "ice-cold", "not"]
)


@settings(deadline=None)  # the first call loads dictionaries
@given(st.lists(st.lists(WORDS, min_size=1, max_size=9).map(" ".join), min_size=1, max_size=4).map(". ".join))
def test_neighbourhoods_are_those_of_the_plain_loop(answer: str) -> None:
    features = word_features(seen(answer))
    content, novel = (features.values[:, FEATURES.index(name)].tolist() for name in ("content", "novel"))
    for name, reach in (("novel_near", 3), ("novel_around", 10)):
        expected = plain_neighbourhood(content, novel, reach)
        np.testing.assert_allclose(features.values[:, FEATURES.index(name)], expected, atol=1e-12)


@settings(deadline=None)  # the first call loads dictionaries
@given(st.text(max_size=60))
def test_words_are_those_of_the_answer_in_order_whatever_the_text(answer: str) -> None:
    evidence = seen(answer)
    features = word_features(evidence)
    claimed = [(one.start, one.end) for one in evidence.claims]
    expected = [word for word in claim_words(answer) if any(start <= word[0] < end for start, end in claimed)]
    assert list(features.ranges) == expected
    assert np.isfinite(features.values).all()


def test_a_word_of_several_content_words_is_novel_if_one_of_them_is() -> None:
    answer = "The lamp-lit lighthouse and the rock-candy shop."
    features = word_features(seen(answer))
    novel = column(features, answer, "novel")
    assert novel["rock-candy"] == 1
    assert column(features, answer, "content")["rock-candy"] == 1


def test_an_elided_article_does_not_hide_its_noun() -> None:
    answer = "Le gardien de l'hôpital dort."
    features = word_features(seen(answer, "Le gardien du phare dort."))
    assert column(features, answer, "content")["l'hôpital"] == 1
    assert column(features, answer, "novel")["l'hôpital"] == 1


def test_a_word_that_only_starts_like_a_known_one_is_similar() -> None:
    answer = "The lightning struck."
    assert column(word_features(seen(answer)), answer, "similar_form")["lightning"] == 1


def test_characters_of_unspaced_scripts_are_words() -> None:
    answer = "灯台は岩の上に立つ。"
    features = word_features(seen(answer, "灯台は海の上に立つ。"))
    novel = column(features, answer, "novel")
    assert (novel["灯"], novel["岩"]) == (0, 1)


def test_citation_markers_are_no_words() -> None:
    answer = "The lighthouse stands on a rock [3] (Holt, 2020; Arden, 2018)."
    features = word_features(seen(answer))
    assert [answer[start:end] for start, end in features.ranges] == ["The", "lighthouse", "stands", "on", "a", "rock"]


def test_what_claims_nothing_has_no_words() -> None:
    features = word_features(seen("Hello! How can I help you?"))
    assert (len(features), features.values.shape) == (0, (0, len(FEATURES)))


def test_stems_of_the_question_may_be_given() -> None:
    answer = "The lighthouse stands on a rock."
    features = word_features(seen(answer), frozenset({"rock"}))
    assert column(features, answer, "given")["rock"] == 1


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (np.zeros((1, 3)), f"word features must have shape (1, {len(FEATURES)}), got (1, 3)"),
        (np.full((1, len(FEATURES)), np.nan), "word features must be finite"),
    ],
)
def test_unusable_features_are_refused(values: np.ndarray, message: str) -> None:
    with pytest.raises(ReadingError, match=f"^{re.escape(message)}$"):
        WordFeatures(((0, 1),), values)
