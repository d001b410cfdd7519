"""LLM-Check's scores of an answer, from hidden states, attention or likelihoods of one pass.

Source: LLM-Check (Sriramanan et al., NeurIPS 2024) and its released code.
"""

import numpy as np

from ragcortex.errors import ReadingError
from ragcortex.readers.reading import Floats
from ragcortex.score_arrays import Floats as Scores

_ALPHA = 0.001


def hidden_score(states: Floats) -> float:
    """Return the mean log singular value of the centred Gram matrix of an answer's states, plus 0.001 on its diagonal.

    With Z the (d, T) states of the answer's T tokens and J = I − 11ᵀ/d, the matrix is ZᵀJZ + 0.001 I, (T, T): as
    released, each token's state is centred over its dimensions.

    Args:
        states: float32 (T, d).
    """
    centred = states.astype(np.float64)
    centred -= centred.mean(axis=1, keepdims=True)
    # Symmetric and positive: eigenvalues are singular values, none below 0.001 but for rounding.
    eigenvalues = np.linalg.eigvalsh(centred @ centred.T + _ALPHA * np.eye(len(centred)))
    return float(np.log(np.maximum(eigenvalues, _ALPHA)).mean())


def attention_scores(logs: Floats) -> Scores:
    """Return Σ_heads log A_ii of each token, float64 (T,), at most 0, from the logs of one layer (T, heads).

    The published answer score, Σ_heads mean_i log A_ii, is their mean.
    """
    scores: Scores = logs.sum(axis=1, dtype=np.float64)
    return scores


def perplexity(log_prob: Floats) -> float:
    """Return exp of the mean −log p, at least 1."""
    return float(np.exp(-log_prob.mean(dtype=np.float64)))


def window_entropy(entropy: Floats, width: int) -> float:
    """Return the highest mean entropy of a window of `width` tokens, windows side by side.

    As released, with its width of 1: tokens after the last whole window do not count. An answer shorter than a window
    is one window (the released code fails on it).
    """
    if width < 1:
        raise ReadingError(f"the width of an entropy window must be at least 1, got {width}")
    n_windows = len(entropy) // width
    if n_windows == 0:
        return float(entropy.mean(dtype=np.float64))
    means = entropy[: n_windows * width].reshape(n_windows, width).mean(axis=1, dtype=np.float64)
    return float(means.max())
