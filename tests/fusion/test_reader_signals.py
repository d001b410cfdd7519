"""What the reader says of each token against loops, in any pieces and windows of references."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from made_rows import made_reading, word_tokens
from ragcortex.fusion.token_signals import READER_SIGNALS, token_signals


def plain_logit(value: float) -> float:
    kept = min(max(value, 1e-4), 1 - 1e-4)
    return math.log(kept / (1 - kept))


def plain_mean(values: list[float], reach: int) -> list[float]:
    around = [values[max(0, index - reach) : index + reach + 1] for index in range(len(values))]
    return [sum(own) / len(own) for own in around]


def pieces_of(n: int, rng: np.random.Generator) -> tuple[tuple[int, int, int], ...]:
    """Return random pieces that overlap: each decides on what the one before it left."""
    keeps = sorted({0, *rng.integers(0, n, size=rng.integers(0, 4)).tolist()})
    stops = [*keeps[1:], n]
    return tuple((int(rng.integers(0, keep + 1)), stop, keep) for keep, stop in zip(keeps, stops, strict=True))


def plain_reader(raw: list[float]) -> list[list[float]]:
    own = [plain_logit(value) for value in raw]
    return [list(row) for row in zip(own, plain_mean(own, 4), plain_mean(own, 12), strict=True)]


@settings(deadline=None, max_examples=60)
@given(n=st.integers(1, 40), n_windows=st.integers(1, 3), seed=st.integers(0, 10_000))
def test_the_reader_is_that_of_the_plain_loops_in_any_pieces_and_windows(n: int, n_windows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    tokens = word_tokens(" a" * n)
    reading = made_reading(tokens, rng, n_windows=n_windows, pieces=pieces_of(n, rng))
    raw = rng.random(n).round(1)  # zeros and ones among them
    found = token_signals(tokens, reading, raw, None, None)
    np.testing.assert_allclose(found.values[:, : len(READER_SIGNALS)], plain_reader(raw.tolist()), atol=1e-5)
    assert np.isnan(found.values[:, len(READER_SIGNALS) :]).all()
    assert (found.statements == -1).all()
