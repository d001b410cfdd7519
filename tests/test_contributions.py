"""Contributions of signals: what is refused, and which token speaks for a stretch of the answer."""

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.align import AnswerTokens, claim_words
from ragcortex.contributions import StretchContributions, TokenContributions
from ragcortex.errors import InputError, ReadingError

VALUES = np.array([[1.0, -2.0], [0.5, 0.25]])


@pytest.mark.parametrize(
    ("names", "values", "message"),
    [
        (["a", "b"], VALUES, "names: must be a tuple of str, got list"),
        (("a", " "), VALUES, "names[1]: must not be blank"),
        (("a", "a"), VALUES, "names[1]: must be given once, got 'a' again"),
        (("a", "b"), VALUES.tolist(), "values: must be an array of float64, got list"),
        (("a", "b"), VALUES.astype(np.float32), "values: must be an array of float64, got float32"),
        (("a",), VALUES, "values: must have shape (tokens, 1), got (2, 2)"),
        (("a", "b"), VALUES[0], "values: must have shape (tokens, 2), got (2,)"),
        (("a", "b"), np.array([[0.0, -np.inf]]), "values: must be finite, got -inf for b at token 0"),
    ],
)
def test_what_is_refused(names: Any, values: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        TokenContributions(names, values)


def test_one_row_a_token() -> None:
    tokens = AnswerTokens("a b c", (0, 1, 2), ((0, 1), (1, 3), (3, 5)))
    with pytest.raises(ReadingError, match=r"^the contributions must have 3 rows, one a token, got 2$"):
        StretchContributions(TokenContributions(("a", "b"), VALUES), tokens, np.zeros(3), np.zeros(5))


@st.composite
def scored_texts(draw: Any) -> tuple[AnswerTokens, list[float], list[float]]:
    """Texts of one token a character, two for some; scores from few values, so that there are ties."""
    text = draw(st.text(st.sampled_from("ab ,世"), min_size=1, max_size=12))
    counts = draw(st.lists(st.integers(1, 2), min_size=len(text), max_size=len(text)))
    ranges = tuple((at, at + 1) for at, count in enumerate(counts) for _ in range(count))
    scores = draw(st.lists(st.sampled_from([0.1, 0.5, 0.9]), min_size=len(ranges), max_size=len(ranges)))
    unjudged = draw(st.sets(st.integers(0, len(text) - 1)))
    by_character = [-1.0] * len(text)
    for start, end in claim_words(text):
        for at in set(range(start, end)) - unjudged:
            by_character[at] = max(s for s, (low, _) in zip(scores, ranges, strict=True) if low == at)
    return AnswerTokens(text, tuple(range(len(ranges))), ranges), scores, by_character


@given(scored_texts(), st.integers(0, 11), st.integers(1, 12))
def test_the_highest_scored_word_speaks(case: Any, start: int, length: int) -> None:
    tokens, scores, by_character = case
    end = min(len(tokens.text), start + length)
    values = np.arange(len(tokens), dtype=np.float64)[:, None]
    parts = StretchContributions(
        TokenContributions(("token",), values), tokens, np.array(scores), np.array(by_character)
    )
    # Plainly: of all tokens on a judged character of a word, the first one with the highest score.
    found = [
        (score, -index)
        for index, (score, (low, high)) in enumerate(zip(scores, tokens.ranges, strict=True))
        if low < end and start < high and by_character[low] >= 0
    ]
    assert parts.within(start, end) == ({"token": float(-max(found)[1])} if found else {})
