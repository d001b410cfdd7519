"""From a reading to one raw score a token: heads averaged, windows and pieces combined."""

from collections.abc import Sequence
from contextlib import nullcontext
from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.blas_threads import one_blas_thread
from ragcortex.bundle import FittedHead
from ragcortex.readers.reading import Block, Reading
from ragcortex.signals.features import features

Scores = npt.NDArray[np.float64]

# Heads score so many tokens in less than a tenth of a second on one thread.
_ONE_THREAD_ROWS: Final = 600


def block_scores(block: Block, heads: Sequence[FittedHead]) -> Scores:
    """Return the mean of the heads' probabilities for each token of a block, float64 (n,)."""
    with one_blas_thread() if block.stop - block.start <= _ONE_THREAD_ROWS else nullcontext():
        probs = [head.scorer.predict_proba(features(block, head.features, head.layer))[:, 1] for head in heads]
    mean: Scores = np.mean(probs, axis=0, dtype=np.float64)
    return mean


def combine_blocks(blocks: Sequence[Block], scores: Sequence[Scores], n_tokens: int) -> Scores:
    """Return one score a token, float64 (T,), from the scores of every block, which may have any scale.

    Each token is decided by the pieces' `keep` rule, and takes the lowest score over the windows of the references:
    it is grounded if any window grounds it.
    """
    combined = np.full(n_tokens, np.inf)
    for block, block_score in zip(blocks, scores, strict=True):
        decided = slice(block.keep, block.stop)
        combined[decided] = np.minimum(combined[decided], block_score[block.keep - block.start :])
    return combined


def raw_scores(reading: Reading, heads: Sequence[FittedHead]) -> Scores:
    """Return the unsmoothed score of each answer token, float64 (T,) in [0, 1]."""
    scores = [block_scores(block, heads) for block in reading.blocks]
    return combine_blocks(reading.blocks, scores, len(reading.tokens))
