"""Lookback ratios as features: one column a head, averaged over the tokens just written.

Source: Lookback Lens (Chuang et al. 2024, arXiv 2407.07071, and its released code): mean over a sliding window.
"""

import numpy as np

from ragcortex.errors import ReadingError
from ragcortex.readers.reading import Floats


def lookback_features(ratios: Floats, width: int) -> Floats:
    """Return the mean ratios of each token and the `width − 1` before it, float32 (n, layers · heads).

    The first tokens have fewer before them; the released code leaves those out.

    Args:
        ratios: float32 (n, layers, heads).
        width: tokens averaged, at least 1.
    """
    if width < 1:
        raise ReadingError(f"the width of a lookback window must be at least 1, got {width}")
    columns = ratios.reshape(len(ratios), -1)
    sums = np.concatenate([np.zeros((1, columns.shape[1])), np.cumsum(columns, axis=0, dtype=np.float64)])
    stops = np.arange(1, len(columns) + 1)
    starts = np.maximum(stops - width, 0)
    means: Floats = ((sums[stops] - sums[starts]) / (stops - starts)[:, None]).astype(np.float32)
    return means
