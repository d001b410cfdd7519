"""Tiny models with random weights, one a supported architecture, and a slow plain reading of them to compare with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from transformers import (
    AutoModelForCausalLM,
    Gemma2Config,
    Gemma3TextConfig,
    LlamaConfig,
    MistralConfig,
    Phi3Config,
    PreTrainedConfig,
    Qwen2Config,
    Qwen3Config,
)

from ragcortex.readers.attention import register
from ragcortex.readers.models import LoadedModel, ReaderIdentity
from ragcortex.readers.reading import ReadingSpec
from ragcortex.readers.token_batch import TokenSequence

VOCABULARY = 97
SLIDING_WINDOW = 8
LLAMA_3_ROPE = {
    "rope_type": "llama3",
    "rope_theta": 10_000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
_COMMON: dict[str, Any] = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
    "initializer_range": 0.5,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
# The attention of every one differs from uniform (initializer_range), and sliding windows are shorter than the input.
CONFIGS: dict[str, Callable[[], PreTrainedConfig]] = {
    "llama": lambda: LlamaConfig(**_COMMON, rope_parameters=dict(LLAMA_3_ROPE)),
    "qwen2": lambda: Qwen2Config(**_COMMON),
    "qwen3": lambda: Qwen3Config(**_COMMON, head_dim=16),
    "mistral": lambda: MistralConfig(**_COMMON, sliding_window=SLIDING_WINDOW),
    "gemma2": lambda: Gemma2Config(
        **_COMMON,
        head_dim=16,
        query_pre_attn_scalar=16,
        sliding_window=SLIDING_WINDOW,
        attn_logit_softcapping=5.0,
        final_logit_softcapping=7.0,
    ),
    "gemma3": lambda: Gemma3TextConfig(
        **_COMMON,
        head_dim=16,
        query_pre_attn_scalar=16,
        sliding_window=SLIDING_WINDOW,
        layer_types=["sliding_attention", "full_attention", "sliding_attention", "full_attention"],
    ),
    "phi3": lambda: Phi3Config(**_COMMON),
}


def model_of(name: str, attention: str, dtype: torch.dtype = torch.float32) -> Any:
    """Return the model of that architecture; the same weights whatever the attention implementation."""
    with torch.random.fork_rng():
        torch.manual_seed(7)
        model = AutoModelForCausalLM.from_config(CONFIGS[name](), attn_implementation=attention)
        for parameter in model.parameters():  # norms start at one and biases at zero, which would hide mistakes
            if parameter.ndim == 1:
                parameter.data += 0.2 * torch.randn_like(parameter)
    return model.to(dtype).eval()


def loaded_model(name: str, dtype: torch.dtype = torch.float32) -> LoadedModel:
    """Return the model ready for `forward`, which needs no tokenizer."""
    model = model_of(name, register(), dtype)
    config = model.config
    identity = ReaderIdentity(
        name, None, "0" * 64, config.model_type, config.num_hidden_layers, config.hidden_size, 512
    )
    return LoadedModel(identity, model, None, "cpu", str(dtype).removeprefix("torch."))


@dataclass(frozen=True)
class PlainReading:
    """What transformers' eager attention says about one unpadded sequence, in float64 numpy."""

    hidden: list[np.ndarray]
    normed: list[np.ndarray]
    log_prob: np.ndarray
    entropy: np.ndarray
    attention: np.ndarray
    reference_attention: np.ndarray


@torch.inference_mode()
def plain_reading(eager: Any, sequence: TokenSequence, spec: ReadingSpec) -> PlainReading:
    """Return the reading of one sequence, slowly: whole maps, one token at a time."""
    before_norm: list[torch.Tensor] = []
    handle = eager.model.norm.register_forward_pre_hook(lambda _module, args: before_norm.append(args[0]))
    ids = torch.tensor([[*sequence.prefix, *sequence.answer]])
    output = eager(input_ids=ids, output_hidden_states=True, output_attentions=True, use_cache=False)
    handle.remove()
    start, n = len(sequence.prefix), len(sequence.answer)
    states = [*output.hidden_states[:-1], before_norm[0]]  # the last of transformers' is after the final norm
    normed = [*(eager.model.norm(state) for state in states[:-1]), output.hidden_states[-1]]
    log_prob, entropy = np.zeros(n), np.zeros(n)
    for index in range(n):
        logits = output.logits[0, start + index - 1].double().numpy()
        log_probs = logits - logits.max() - np.log(np.exp(logits - logits.max()).sum())
        log_prob[index] = log_probs[sequence.answer[index]]
        entropy[index] = -(np.exp(log_probs) * log_probs).sum()
    attention, reference_attention = _pooled(output.attentions, sequence, spec)
    return PlainReading(
        [state[0, start:].double().numpy() for state in states],
        [state[0, start:].double().numpy() for state in normed],
        log_prob,
        entropy,
        attention,
        reference_attention,
    )


def _pooled(maps: Sequence[torch.Tensor], sequence: TokenSequence, spec: ReadingSpec) -> tuple[np.ndarray, np.ndarray]:
    start, n = len(sequence.prefix), len(sequence.answer)
    layers = range(1, len(maps) + 1) if spec.attention_layers is None else spec.attention_layers
    heads = range(maps[0].shape[1]) if spec.attention_heads is None else spec.attention_heads
    first, last = sequence.references or (0, 0)
    attention, references = np.zeros((n, n)), np.zeros(n)
    for layer in layers:
        for head in heads:
            whole = maps[layer - 1][0, head].double().numpy()
            for row in range(n):
                for column in range(row + 1):
                    attention[row, column] += whole[start + row, start + column]
                for column in range(first, last):
                    references[row] += whole[start + row, column]
    scale = max(1, len(layers) * len(heads))
    return attention / scale, references / scale
