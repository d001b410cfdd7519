"""Answers cut into tokens in awkward ways, for the tests of levels and of characters."""

import itertools

import numpy as np
from hypothesis import strategies as st

from ragcortex.align import AnswerTokens, snap_to_graphemes
from ragcortex.example import Example, Span

_PIECES = (
    "Ü",
    "e\u0301",
    "灯台",
    "👩‍🚀",
    "word",
    "it's",
    "3.5",
    " ",
    "  ",
    "\n",
    ". ",
    "!",
    ", ",
    "Die Stadt. ",
    "a",
    "न्",
)


def cut(text: str, cuts, repeats=()) -> AnswerTokens:
    """Return tokens of a text cut at these places (moved to the next grapheme), some shared by several tokens."""
    edges = sorted({0, len(text), *(snap_to_graphemes(text, 0, min(place, len(text)))[1] for place in cuts)})
    ranges = []
    for position, pair in enumerate(itertools.pairwise(edges)):
        ranges += [pair] * (2 if position in repeats else 1)
    return AnswerTokens(text, tuple(range(len(ranges))), tuple(ranges))


@st.composite
def labelled_answers(draw, n_groups: int = 3):
    """Draw an example with Unicode text, spans that may overlap or none that are known, and its tokens."""
    text = "".join(draw(st.lists(st.sampled_from(_PIECES), max_size=12)))
    places = st.integers(0, max(len(text), 1))
    tokens = cut(text, draw(st.lists(places, max_size=12)), draw(st.sets(st.integers(0, 5), max_size=2)))
    spans = None
    if draw(st.integers(0, 3)) > 0:
        pairs = draw(st.lists(st.tuples(places, places, st.sampled_from([None, "A", "B"])), max_size=3))
        spans = tuple(Span(min(a, b), max(a, b), kind) for a, b, kind in pairs if a != b and max(a, b) <= len(text))
    label = draw(st.sampled_from([None, 0, 1])) if spans is None else None
    group = draw(st.sampled_from([None, *(f"group {number}" for number in range(n_groups))]))
    return Example(None, (), text, spans=spans, label=label, group=group), tokens


@st.composite
def scored_answers(draw, min_size: int = 1, max_size: int = 5):
    """Draw (examples, tokens, token scores, answer scores); scores have ties."""
    pairs = draw(st.lists(labelled_answers(), min_size=min_size, max_size=max_size))
    examples, tokens = [one for one, _ in pairs], [other for _, other in pairs]
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    scores = [rng.integers(0, 9, len(own)) / 8 for own in tokens]
    return examples, tokens, scores, rng.integers(0, 9, len(tokens)) / 8
