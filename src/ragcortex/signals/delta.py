"""The comparative representation: how far the references move each answer token's hidden state.

Source: CORTEX (arXiv 2606.31033), steps 3 to 5.
"""

import numpy as np

from ragcortex.readers.reading import Floats


def delta(hidden_ref: Floats, hidden_noref: Floats) -> Floats:
    """Return Δh_i = h_i^ref − h_i^noref, float32 of shape (n, d), from two arrays of that shape."""
    return hidden_ref - hidden_noref


def propagated(deltas: Floats, attention: Floats) -> Floats:
    """Return Δh̄_i = Σ_{j<i} α_ij Δh_j, float32 (n, d): what earlier answer tokens would carry over to token i.

    `attention` is (n, n) from row to column over answer tokens; the weights are not renormalised, so the mass on the
    prompt is dropped. The first token has no earlier one: its row is zero.
    """
    return np.tril(attention, k=-1) @ deltas


def residual(deltas: Floats, attention: Floats) -> Floats:
    """Return the contextual residual c_i = Δh_i − Δh̄_i, float32 (n, d)."""
    return deltas - propagated(deltas, attention)
