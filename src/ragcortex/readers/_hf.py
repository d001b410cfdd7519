"""Names of transformers that an upgrade may change: where layers, norm and output head are, and its log level."""

import contextlib
import functools
import importlib.metadata
from collections.abc import Iterator
from typing import Any

import torch

from ragcortex.errors import ModelError


def decoder(model: Any) -> Any:
    """Return the stack of decoder layers with its embeddings and final norm."""
    stack = model.get_decoder() if hasattr(model, "get_decoder") else model.base_model
    if not hasattr(stack, "layers"):
        raise ModelError(f"{type(model).__name__} has no list of decoder layers that can be read")
    return stack


def decoder_layers(model: Any) -> list[Any]:
    """Return the decoder layers in order."""
    return list(decoder(model).layers)


def before_feed_forward(layer: Any) -> Any:
    """Return the norm whose input is the residual stream between a layer's attention and its feed-forward part.

    Raises:
        ModelError: the layer has none that is known.
    """
    for name in ("pre_feedforward_layernorm", "post_attention_layernorm"):  # Gemma 2 and 3 have both
        if hasattr(layer, name):
            return getattr(layer, name)
    raise ModelError(f"{type(layer).__name__} has no norm before its feed-forward part that is known")


def final_norm(model: Any, states: torch.Tensor) -> torch.Tensor:
    """Return the states (..., d) after the model's final norm."""
    stack = decoder(model)
    if not hasattr(stack, "norm"):
        raise ModelError(f"{type(model).__name__} has no final norm that can be applied; read before the norm")
    normed: torch.Tensor = stack.norm(states)
    return normed


def output_logits(model: Any, states: torch.Tensor) -> torch.Tensor:
    """Return the logits (n, vocabulary), float32, of normed final states (n, d), as the model's own forward would.

    `check_output_logits` proves this for a loaded model.
    """
    config = model.config.get_text_config()
    logits: torch.Tensor = model.get_output_embeddings()(states).float()
    scale = getattr(config, "logit_scale", None)
    if scale is not None:
        logits = logits * scale
    divisor = getattr(config, "logits_scaling", None)
    if divisor is not None:
        logits = logits / divisor
    softcap = getattr(config, "final_logit_softcapping", None)
    if softcap is not None:
        logits = torch.tanh(logits / softcap) * softcap
    return logits


@torch.inference_mode()
def check_output_logits(model: Any) -> None:
    """Compare `output_logits` with the model's own forward on a few tokens.

    Raises:
        ModelError: they differ, so this architecture's likelihoods would be wrong.
    """
    device = next(model.parameters()).device
    ids = torch.arange(3, 7, device=device)[None]
    own = model(input_ids=ids, use_cache=False).logits[0]
    states = decoder(model)(input_ids=ids, use_cache=False).last_hidden_state[0]
    # In half precision soft-capping rounds three times. NaN is the reading's to report, with the array's name.
    tolerance = 1e-2 if own.dtype == next(model.parameters()).dtype else 5e-2
    if not torch.allclose(output_logits(model, states), own.float(), atol=tolerance, rtol=tolerance, equal_nan=True):
        raise ModelError(f"the logits of {type(model).__name__} are computed in a way this reader does not know")


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Keep transformers' progress bars and advice off the terminal while a reader loads."""
    from transformers.utils import logging

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()


def one_line(error: BaseException) -> str:
    """Return the first line of an error's text, for a message of our own."""
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__


@functools.cache
def library_versions() -> dict[str, str]:
    """Return the versions of the libraries that a reading depends on."""
    return {name: importlib.metadata.version(name) for name in ("torch", "transformers", "tokenizers", "numpy")}
