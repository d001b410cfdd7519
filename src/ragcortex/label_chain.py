"""Label persistence: the marginals of a two-state chain over the tokens of an answer, by forward–backward.

Source: Furumai et al., CORTEX (arXiv 2606.31033), written in odds instead of pairs of probabilities. Let
o_i = φ_i(1) / φ_i(0) be the odds of token i's own score, and a_i those of its label given the tokens before it,
a_1 = 1 for π = (½, ½). Dividing the paper's F_i(1) by F_i(0), and both by F_{i−1}(0), leaves one number a step:

    a_{i+1} = (p · a_i o_i + (1 − p)) / ((1 − p) · a_i o_i + p)

On log-odds x = log(a_i o_i) that is 2 artanh((2p − 1) tanh(x/2)). The scale of F has cancelled, so nothing can
underflow; all terms are positive, so no digits are lost; and a stays between (1 − p)/p and p/(1 − p), so nothing
overflows. The message b_i from the tokens after i obeys the same recursion from the end, as ρ is symmetric. The odds of
the marginal are a_i b_i o_i.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np

from ragcortex.score_arrays import Floats

SCORE_MARGIN: Final = 1e-6
"""Scores are clipped to [SCORE_MARGIN, 1 − SCORE_MARGIN]: one certain token must not silence its neighbours."""
_LONGEST_ALONE: Final = 8


def label_persistence(sequences: Sequence[Floats], p_stay: float) -> list[Floats]:
    """Return P(label = 1 | all scores) for each token of each answer: as many float64 arrays, in [0, 1].

    An answer's values are bit-equal whatever other answers come with it.

    Args:
        sequences: the token scores of each answer, in [0, 1]; clipped by SCORE_MARGIN.
        p_stay: the probability that two neighbours share a label, between 1e-12 and 1 − 1e-12.
    """
    odds = [clipped / (1 - clipped) for clipped in (np.clip(s, SCORE_MARGIN, 1 - SCORE_MARGIN) for s in sequences)]
    # The few longest run alone and the others together, so that no long run of steps serves few answers.
    longest_first = sorted(range(len(odds)), key=lambda index: -len(odds[index]))
    messages: dict[int, Floats] = {}
    for index in longest_first[:_LONGEST_ALONE]:
        own = odds[index].tolist()
        forward = np.array(_messages(own, p_stay), dtype=np.float64)
        backward = np.array(_messages(own[::-1], p_stay), dtype=np.float64)[::-1]
        messages[index] = forward * backward
    together = longest_first[_LONGEST_ALONE:]
    messages.update(zip(together, _messages_of_many([odds[index] for index in together], p_stay), strict=True))
    marginal = [messages[index] * own for index, own in enumerate(odds)]
    return [value / (1 + value) for value in marginal]


def _messages(odds: Sequence[float], p_stay: float) -> list[float]:
    """Return for each token the odds of its label given the tokens before it. Plain floats: 100,000 take 10 ms."""
    p_leave = 1 - p_stay
    message = 1.0
    messages = []
    for own in odds:
        messages.append(message)
        both = message * own
        message = (p_stay * both + p_leave) / (p_leave * both + p_stay)
    return messages


def _messages_of_many(odds: Sequence[Floats], p_stay: float) -> list[Floats]:
    """Return the product of both messages for each token of several answers, ordered from longest to shortest.

    The tokens are packed by position: first every answer's first token, then every second one, and so on. As the
    answers are ordered by length, those that still run at a position are the first `width` ones.
    """
    if not odds or not len(odds[0]):
        return [np.ones(0) for _ in odds]
    lengths = np.array([len(own) for own in odds])
    widths = len(odds) - np.cumsum(np.bincount(lengths))[:-1]
    starts = np.concatenate([[0], np.cumsum(widths)[:-1]])
    places = [starts[:length] + row for row, length in enumerate(lengths)]
    packed = np.empty(int(widths.sum()))
    for place, own in zip(places, odds, strict=True):
        packed[place] = own
    steps = list(zip(starts.tolist(), widths.tolist(), strict=True))
    product = _packed_messages(packed, steps, p_stay) * _packed_messages(packed, steps[::-1], p_stay)
    return [product[place] for place in places]


def _packed_messages(packed: Floats, steps: Sequence[tuple[int, int]], p_stay: float) -> Floats:
    """Return `_messages` for packed answers; the arithmetic is the same operation by operation, so bit-equal."""
    p_leave = 1 - p_stay
    message = np.ones(max(width for _, width in steps))
    messages = np.empty_like(packed)
    for start, width in steps:
        current = message[:width]
        messages[start : start + width] = current
        both = current * packed[start : start + width]
        message[:width] = (p_stay * both + p_leave) / (p_leave * both + p_stay)
    return messages
