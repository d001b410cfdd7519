"""Gated recurrent units over one sequence, in numpy."""

import numpy as np

from ragcortex.readers.reading import Floats
from ragcortex.scorers.base import sigmoid


def gated_recurrence(
    inputs: Floats, input_weight: Floats, state_weight: Floats, input_bias: Floats, state_bias: Floats
) -> Floats:
    """Return the states (n, h) after each of n inputs (n, w), float32; the first state starts from zeros.

    With [r; z; m] = input_weight·x + input_bias and [r'; z'; m'] = state_weight·s + state_bias:
    r = σ(r + r'), z = σ(z + z'), s ← (1 − z) ⊙ tanh(m + r ⊙ m') + z ⊙ s. Rows of the weights are in that order, as
    torch.nn.GRU keeps them (Cho et al. 2014, with the reset gate after the product).

    Args:
        inputs: float32 (n, w).
        input_weight, state_weight: (3h, w) and (3h, h).
        input_bias, state_bias: (3h,) each.
    """
    size = state_weight.shape[1]
    given = inputs @ input_weight.T + input_bias
    transposed = np.ascontiguousarray(state_weight.T)
    states = np.empty((len(inputs), size), dtype=np.float32)
    state = np.zeros(size, dtype=np.float32)
    for index, own in enumerate(given):
        past = state @ transposed + state_bias
        gates = sigmoid(own[: 2 * size] + past[: 2 * size])
        reset, keep = gates[:size], gates[size:]
        made = np.tanh(own[2 * size :] + reset * past[2 * size :])
        state = made + keep * (state - made)
        states[index] = state
    return states
