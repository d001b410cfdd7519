"""One answer read the slow and obvious way: transformers' eager attention, whole maps, one token at a time."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from ragcortex.readers.adapter import shared_copy
from ragcortex.readers.models import LoadedModel
from ragcortex.readers.token_batch import TokenSequence

_Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class SlowReading:
    """What eager attention says about one answer of n tokens, float64.

    Attributes:
        hidden: the states (n, d) of the answer's tokens after each layer but the last, the embeddings first.
        probability: (n,) that of each token given everything before it.
        attention: (n, n) from token to token, the mean over all layers and heads.
        reference_attention: (n,) the mass on the references, likewise.
    """

    hidden: list[_Array]
    probability: _Array
    attention: _Array
    reference_attention: _Array


@torch.inference_mode()
def slow_reading(loaded: LoadedModel, sequence: TokenSequence) -> SlowReading:
    """Return the reading of one sequence with references, with the reader's own weights, on its device."""
    eager: Any = shared_copy(loaded.model).eval()
    eager.set_attn_implementation("eager")
    ids = torch.tensor([[*sequence.prefix, *sequence.answer]], device=loaded.device)
    output = eager(input_ids=ids, output_hidden_states=True, output_attentions=True, use_cache=False)
    start, n = len(sequence.prefix), len(sequence.answer)
    probability = np.zeros(n)
    for token in range(n):
        logits = _array(output.logits[0, start + token - 1])
        weights = np.exp(logits - logits.max())
        probability[token] = weights[sequence.answer[token]] / weights.sum()
    first, last = sequence.references or (0, 0)
    attention, references = np.zeros((n, n)), np.zeros(n)
    n_maps = 0
    for layer in output.attentions:
        for whole in layer[0]:
            rows = _array(whole)[start:]
            attention += np.tril(rows[:, start:])
            references += rows[:, first:last].sum(axis=1)
            n_maps += 1
    hidden = [_array(states[0, start:]) for states in output.hidden_states[:-1]]
    return SlowReading(hidden, probability, attention / n_maps, references / n_maps)


def _array(tensor: torch.Tensor) -> _Array:
    array: _Array = tensor.double().cpu().numpy()
    return array
