"""Gated recurrent units in numpy, several networks or directions side by side."""

import numpy as np

from ragcortex.readers.reading import Floats
from ragcortex.scorers.base import sigmoid


def gated_recurrence(
    inputs: Floats, input_weight: Floats, state_weight: Floats, input_bias: Floats, state_bias: Floats
) -> Floats:
    """Return the states (b, n, h) of b recurrences after each of n inputs (b, n, w), float32, from zeros on.

    With [r; z; m] = input_weight·x + input_bias and [r'; z'; m'] = state_weight·s + state_bias:
    r = σ(r + r'), z = σ(z + z'), s ← (1 − z) ⊙ tanh(m + r ⊙ m') + z ⊙ s. Rows of the weights are in that order, as
    torch.nn.GRU keeps them (Cho et al. 2014, with the reset gate after the product).

    Args:
        inputs: float32 (b, n, w).
        input_weight, state_weight: (b, 3h, w) and (b, 3h, h).
        input_bias, state_bias: (b, 3h) each.
    """
    n_side, n_inputs, _ = inputs.shape
    size = state_weight.shape[2]
    given = np.ascontiguousarray((inputs @ input_weight.transpose(0, 2, 1) + input_bias[:, None]).transpose(1, 0, 2))
    transposed = np.ascontiguousarray(state_weight.transpose(0, 2, 1))
    states = np.empty((n_inputs, n_side, size), dtype=np.float32)
    state = np.zeros((n_side, size), dtype=np.float32)
    for index, own in enumerate(given):
        past = np.matmul(state[:, None], transposed)[:, 0] + state_bias
        gates = sigmoid(own[:, : 2 * size] + past[:, : 2 * size])
        reset, keep = gates[:, :size], gates[:, size:]
        made = np.tanh(own[:, 2 * size :] + reset * past[:, 2 * size :])
        state = made + keep * (state - made)
        states[index] = state
    return states.transpose(1, 0, 2)
