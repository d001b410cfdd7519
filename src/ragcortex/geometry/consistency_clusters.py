"""Clusters of answers by meaning, and how uncertain they are. The order of the answers makes no difference."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]


def complete_linkage(similarities: Floats, same: Booleans) -> tuple[tuple[int, ...], ...]:
    """Return clusters in which every two items mean the same, by agglomerative clustering with complete linkage.

    Meaning the same is no transitive relation («330 m» and «about 330 m», «about 330 m» and «335 m»), so clusters grow
    from single items: time and again those two are joined whose least similar pair is most similar, as long as all
    their pairs mean the same. Of equally similar pairs the one with the lowest indices is joined, so the caller gives
    the items in an order of their content, not of their arrival.

    Args:
        similarities: cosine of each two items, float64, shape (n, n), symmetric.
        same: whether two items mean the same, shape (n, n), symmetric.

    Returns:
        The clusters as sorted indices, by first index; together they hold each index once.
    """
    n = len(similarities)
    members = [[index] for index in range(n)]
    linkage = np.where(same, similarities, -np.inf)
    np.fill_diagonal(linkage, -np.inf)
    while linkage.size and np.isfinite(best := linkage.max()):
        first, second = (int(index) for index in np.argwhere(linkage == best)[0])
        members[first] += members[second]
        members[second] = []
        joined = np.minimum(linkage[first], linkage[second])
        linkage[first], linkage[:, first] = joined, joined
        linkage[second], linkage[:, second] = -np.inf, -np.inf
    return tuple(sorted(tuple(sorted(cluster)) for cluster in members if cluster))


def semantic_entropy(sizes: Sequence[int]) -> float:
    """Return the entropy of the clusters' shares, in nats.

    Source: Farquhar, Kossen, Kuhn, Gal (2024), «Detecting hallucinations in large language models using semantic
    entropy», Nature 630, the discrete form: the probability of a meaning is the share of the answers that have it.
    There two answers mean the same if each entails the other; here if they are similar and no hard fact differs.

    >>> semantic_entropy([4])
    0.0
    """
    n = sum(sizes)
    return math.fsum(-size / n * math.log(size / n) for size in sizes if size < n) if n else 0.0
