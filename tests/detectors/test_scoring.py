"""Raw scores: heads averaged, windows combined by best support, pieces by who decides."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.align import AnswerTokens
from ragcortex.bundle import FittedHead
from ragcortex.detectors.scoring import block_scores, combine_blocks, raw_scores
from ragcortex.readers.prompts import answer_pieces
from ragcortex.readers.reading import Block, PassArrays, Reading
from ragcortex.scorers import GainScorer

NOTHING = PassArrays({})


def _blocks(n_tokens: int, n_windows: int, limit: int) -> list[Block]:
    return [
        Block(piece.start, piece.stop, piece.keep, window, NOTHING, NOTHING)
        for piece in answer_pieces(n_tokens, limit)
        for window in range(n_windows)
    ]


@given(
    seed=st.integers(0, 2**32 - 1), n_tokens=st.integers(1, 60), n_windows=st.integers(1, 5), limit=st.integers(4, 70)
)
def test_each_token_takes_its_best_window_in_the_piece_that_decides_it(
    seed: int, n_tokens: int, n_windows: int, limit: int
) -> None:
    blocks = _blocks(n_tokens, n_windows, limit)
    random = np.random.default_rng(seed)
    scores = [random.random(block.stop - block.start) for block in blocks]
    expected = []
    for token in range(n_tokens):
        deciding = [
            (block, score) for block, score in zip(blocks, scores, strict=True) if block.keep <= token < block.stop
        ]
        assert len(deciding) == n_windows
        expected.append(min(score[token - block.start] for block, score in deciding))
    np.testing.assert_array_equal(combine_blocks(blocks, scores, n_tokens), expected)


def test_order_of_the_windows_does_not_matter() -> None:
    blocks = _blocks(9, 3, 9)
    scores = [np.random.default_rng(index).random(9) for index in range(3)]
    np.testing.assert_array_equal(combine_blocks(blocks, scores, 9), combine_blocks(blocks[::-1], scores[::-1], 9))


@dataclass
class _Constant:
    """A scorer that gives every token the same probability."""

    prob: float

    def predict_proba(self, X: Any) -> Any:
        return np.tile(np.array([1 - self.prob, self.prob], np.float32), (len(X), 1))


def _block_of_gain(gains: list[float], *, keep: int = 0, start: int = 0, window: int = 0) -> Block:
    ref = PassArrays({}, log_prob=np.zeros(len(gains), np.float32))
    noref = PassArrays({}, log_prob=np.array(gains, np.float32))
    return Block(start, start + len(gains), keep, window, ref, noref)


def _head(name: str, scorer: Any) -> FittedHead:
    return FittedHead(name, ("reference_gain",), 0, "gain", scorer)


def test_heads_are_averaged() -> None:
    heads = [_head("a", _Constant(0.25)), _head("b", _Constant(0.75)), _head("c", _Constant(0.5))]
    got = block_scores(_block_of_gain([0.0, 1.0]), heads)
    np.testing.assert_allclose(got, [0.5, 0.5])
    assert got.dtype == np.float64
    np.testing.assert_allclose(block_scores(_block_of_gain([0.0]), heads[:1]), [0.25])


def test_raw_scores_worked_by_hand() -> None:
    """Two windows, two pieces: σ(gain), the lower of the windows, each token by its own piece."""
    blocks = (
        _block_of_gain([0.0, 2.0], window=0),
        _block_of_gain([-1.0, 3.0], window=1),
        _block_of_gain([9.0, 1.0], start=1, keep=2, window=0),
        _block_of_gain([-9.0, 4.0], start=1, keep=2, window=1),
    )
    tokens = AnswerTokens("abc", (1, 2, 3), ((0, 1), (1, 2), (2, 3)))
    got = raw_scores(Reading(tokens, blocks, n_windows=2), [_head("gain", GainScorer())])
    assert got == pytest.approx([1 / (1 + np.exp(1)), 1 / (1 + np.exp(-2)), 1 / (1 + np.exp(-1))], abs=1e-6)
