"""Where a text lies among the chunks of the references: the signals of the geometric check."""

from dataclasses import dataclass
from typing import Final

import numpy as np

from ragcortex.errors import InputError
from ragcortex.geometry.search import Floats, Neighbours

TOP_K: Final = 10
# Cosine distance within which a chunk counts for the local density.
DENSITY_RADIUS: Final = 0.25


@dataclass(frozen=True, slots=True)
class SimilaritySignals:
    """One text among the chunks. Source: the geometric check's table of signals (docs/geometry.md).

    Attributes:
        max_similarity: the largest cosine with any chunk, in [-1, 1].
        weighted_similarity: Σ s_k w_k / Σ w_k over the top k with w_k = exp(s_k − s_1): not hostage to one chunk.
        spread: variance of the top k cosines; near 0 where the profile is flat.
        density: how many chunks lie within the cosine distance 0.25.
        euclidean_distance: between the unnormalised vectors of the text and of its nearest chunk, from 0 on; sensitive
            to length, for questions of density and not of meaning.
        nearest: row number of the nearest chunk.
    """

    max_similarity: float
    weighted_similarity: float
    spread: float
    density: int
    euclidean_distance: float
    nearest: int

    def __post_init__(self) -> None:
        values = (self.max_similarity, self.weighted_similarity, self.spread, self.euclidean_distance)
        if not all(np.isfinite(values)):
            raise InputError("max_similarity", f"the signals must be finite, got {values}")


def similarity_signals(
    unit: Floats, norms: Floats, neighbours: Neighbours, matrix: Floats, matrix_norms: Floats
) -> tuple[SimilaritySignals, ...]:
    """Return the signals of m texts from their nearest chunks.

    Args:
        unit, norms: the texts' vectors as `Embeddings` holds them, shapes (m, d) and (m,).
        neighbours: their k nearest chunks, k ≥ 1.
        matrix, matrix_norms: the chunks' vectors, shapes (n, d) and (n,).

    Raises:
        InputError: there is no chunk, or a value is not finite.
    """
    # Rounding takes the cosine of equal vectors a little beyond 1.
    top = np.clip(neighbours.similarities.astype(np.float64), -1.0, 1.0)
    if top.shape[1] == 0:
        raise InputError("references", "hold no text to compare with")
    weights = np.exp(top - top[:, :1])
    weighted = (top * weights).sum(axis=1) / weights.sum(axis=1)
    nearest = neighbours.indices[:, 0]
    raw = unit * norms[:, None] - matrix[nearest] * matrix_norms[nearest, None]
    distances = np.linalg.norm(raw.astype(np.float64), axis=1)
    rows = zip(top[:, 0], weighted, top.var(axis=1), neighbours.n_close, distances, nearest, strict=True)
    return tuple(
        SimilaritySignals(float(best), float(mean), float(spread), int(density), float(distance), int(row))
        for best, mean, spread, density, distance, row in rows
    )
