"""Local averages: a token's signals together with those of its neighbours."""

import numpy as np

from ragcortex.errors import ReadingError
from ragcortex.readers.reading import Floats


def local_mean(values: Floats, width: int) -> Floats:
    """Return for each token the mean of `values` over the `width` tokens centred on it, cut off at the answer's ends.

    Args:
        values: float32 (n,) or (n, d).
        width: an odd number of tokens; 1 returns a copy.
    """
    if width < 1 or width % 2 == 0:
        raise ReadingError(f"the width of a local mean must be odd and at least 1, got {width}")
    n = values.shape[0]
    half = width // 2
    sums = np.concatenate([np.zeros_like(values[:1], dtype=np.float64), np.cumsum(values, axis=0, dtype=np.float64)])
    first = np.maximum(np.arange(n) - half, 0)
    last = np.minimum(np.arange(n) + half + 1, n)
    counts = (last - first).reshape(-1, *[1] * (values.ndim - 1))
    means: Floats = ((sums[last] - sums[first]) / counts).astype(np.float32)
    return means
