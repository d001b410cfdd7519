"""ReDeEP's score: parametric knowledge of some layers against external context of some heads.

Source: ReDeEP (Sun et al., ICLR 2025, arXiv 2410.11414) and its released code: features ranked by how they go with the
labels, the best of each kind summed, sums brought to [0, 1], and m · knowledge − α · context with m = 1.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ragcortex.readers.reading import Floats
from ragcortex.score_arrays import Floats as Scores
from ragcortex.score_arrays import Labels


class Correlation:
    """Pearson correlation of many columns with a label, added up a part at a time."""

    def __init__(self) -> None:
        self._n = 0
        self._sums: list[npt.NDArray[np.float64]] = []
        self._label = 0

    def add(self, columns: Floats, labels: Labels) -> None:
        """Add rows (n, columns) with their labels (n,)."""
        values = columns.astype(np.float64)
        sums = [values.sum(axis=0), (values**2).sum(axis=0), values[labels == 1].sum(axis=0)]
        self._sums = sums if not self._sums else [a + b for a, b in zip(self._sums, sums, strict=True)]
        self._n += len(labels)
        self._label += int(labels.sum())

    def result(self) -> Scores:
        """Return a correlation a column, float64, in [−1, 1]; 0 for a constant column or where a class is missing."""
        total, squares, positive = self._sums
        share = self._label / self._n
        covariance = positive / self._n - share * total / self._n
        variance = np.maximum(squares / self._n - (total / self._n) ** 2, 0)
        scale = np.sqrt(variance * share * (1 - share))
        # What is left of a constant column's variance is rounding.
        defined = (variance > 1e-12 * np.maximum(squares / self._n, 1e-300)) & (scale > 0)
        correlation: Scores = np.where(defined, covariance / np.where(defined, scale, 1), 0.0)
        return np.clip(correlation, -1, 1)


@dataclass(frozen=True, slots=True)
class Selection:
    """A fitted ReDeEP score.

    Attributes:
        heads: columns of the external context scores (layer · heads + head), in order of choice.
        layers: columns of the parametric knowledge scores, in order of choice.
        alpha: weight of the external context.
        context_range, knowledge_range: lowest and highest sum over the training tokens; they become 0 and 1.
    """

    heads: tuple[int, ...]
    layers: tuple[int, ...]
    alpha: float
    context_range: tuple[float, float]
    knowledge_range: tuple[float, float]

    def scores(self, context: Floats, knowledge: Floats) -> Scores:
        """Return knowledge − α · context of each token, float64 (n,); higher = more likely hallucinated.

        Args:
            context: external context scores, float32 (n, layers · heads).
            knowledge: parametric knowledge scores, float32 (n, layers).
        """
        known = scaled(knowledge[:, list(self.layers)].sum(axis=1, dtype=np.float64), self.knowledge_range)
        return known - self.alpha * scaled(
            context[:, list(self.heads)].sum(axis=1, dtype=np.float64), self.context_range
        )


def scaled(sums: Scores, ends: tuple[float, float]) -> Scores:
    """Return the sums with `ends` brought to 0 and 1; others may lie outside. All 0 where the ends are equal."""
    low, high = ends
    return (sums - low) / (high - low) if high > low else np.zeros_like(sums)
