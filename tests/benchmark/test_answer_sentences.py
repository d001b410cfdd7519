"""Sentences that say something, and their scores given to tokens."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.align import AnswerTokens, sentences
from ragcortex.benchmark.answer_sentences import scored_sentences, spread, word_list
from ragcortex.errors import InputError, ReadingError


def tokens_of(text: str, size: int = 3) -> AnswerTokens:
    ranges = tuple((start, min(start + size, len(text))) for start in range(0, len(text), size))
    return AnswerTokens(text, tuple(range(len(ranges))), ranges)


def test_a_score_goes_to_the_tokens_of_its_sentence() -> None:
    text = "It is old.\n---\nIt is high."
    ranges = scored_sentences(text)
    assert [text[start:end] for start, end in ranges] == ["It is old.", "It is high."]
    assert spread(tokens_of(text, 1), ranges, [0.25, 0.75]).tolist() == [0.25] * 15 + [0.75] * 11
    words = AnswerTokens("It was. We go.", (1, 2, 3, 4), ((0, 2), (2, 7), (7, 10), (10, 14)))
    assert spread(words, scored_sentences(words.text), [0, 1]).tolist() == [0, 0, 1, 1]


def test_an_answer_without_words_is_one_sentence() -> None:
    assert scored_sentences(" !!!\n??? ") == ((1, 8),)
    assert word_list("?!") == ["?!"]
    assert word_list(" ") == []


@given(st.text(alphabet="ab .!?\n世。\t", min_size=1, max_size=40).filter(lambda text: text.strip() != ""))
def test_every_token_has_the_score_of_a_sentence_and_none_of_a_later_one(text: str) -> None:
    """Against a slow rule: the last sentence that begins at or before the token's first visible character."""
    ranges = scored_sentences(text)
    assert set(ranges) <= set(sentences(text)) or len(ranges) == 1
    tokens = tokens_of(text)
    got = spread(tokens, ranges, np.arange(len(ranges), dtype=float).tolist())
    for score, (start, end) in zip(got, tokens.ranges, strict=True):
        visible = [place for place in range(start, end) if not text[place].isspace()]
        place = visible[0] if visible else start
        expected = 0
        for number, (first, _) in enumerate(ranges):
            if first <= place:
                expected = number
        assert score == expected


def test_what_cannot_be_scored_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        scored_sentences(" \n")
    assert str(caught.value) == "answer: is blank, so there is nothing to score"
    with pytest.raises(ReadingError) as raised:
        spread(tokens_of("a b"), [(0, 3)], [])
    assert str(raised.value) == "expected one score for each of at least one sentence, got 0 for 1"
