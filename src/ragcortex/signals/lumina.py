"""LUMINA's external context score: how far other documents move the distribution a token is drawn from.

Source: LUMINA (Yeh, Li and Mallick, ICLR 2026, arXiv 2509.21875) and its released code.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ragcortex.readers.reading import Floats
from ragcortex.score_arrays import Floats as Scores

Embed = Callable[[npt.NDArray[np.int64]], Floats]

_EPSILON = 1e-8
_ROWS = 32


def external_context(true: Floats, other: Floats, embed: Embed) -> Scores:
    """Return the squared maximum mean discrepancy of each token's two distributions, float64 (n,), at least 0.

    Of the 100 likeliest tokens of each, probabilities not scaled, with the kernel (1 + cosine of input embeddings) / 2:
    p·K·p + q·K·q − 2 p·K·q. As the kernel is an inner product, that is ½ (Σp − Σq)² + ½ ‖Σ p e − Σ q e‖² with unit
    embeddings e, and no kernel matrix is made.

    Args:
        true, other: ids and probabilities with the true and with other documents, float32 (n, 2, k).
        embed: returns the input embeddings (m, d) of ids (m,).
    """
    scores = np.zeros(len(true))
    for start in range(0, len(true), _ROWS):
        rows = slice(start, start + _ROWS)
        masses, means = zip(*(_mean_embedding(part[rows], embed) for part in (true, other)), strict=True)
        apart = ((means[0] - means[1]) ** 2).sum(axis=1)
        scores[rows] = ((masses[0] - masses[1]) ** 2 + apart) / 2
    return scores


def _mean_embedding(top: Floats, embed: Embed) -> tuple[Scores, Scores]:
    """Return Σp (r,) and Σ p e (r, d) of ids and probabilities (r, 2, k), with unit embeddings e."""
    ids, places = np.unique(top[:, 0].astype(np.int64), return_inverse=True)
    vectors = embed(ids).astype(np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True) + _EPSILON
    probs = top[:, 1].astype(np.float64)
    weights = np.zeros((len(top), len(ids)))
    np.add.at(weights, (np.arange(len(top))[:, None], places.reshape(top[:, 0].shape)), probs)
    return probs.sum(axis=1), weights @ vectors


def lumina_score(internal: Floats, external: Scores, weight: float) -> Scores:
    """Return λ I − (1 − λ) E of each token, float64 (n,); as released, neither is normalised."""
    scores: Scores = weight * internal.astype(np.float64) - (1 - weight) * external
    return scores
