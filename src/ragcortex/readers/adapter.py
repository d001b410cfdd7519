"""A low-rank adapter (LoRA): a small change of a reader's weights that can be kept, merged and told apart.

Training needs `peft`, which puts the adapter's matrices beside each linear layer. Using a trained adapter does not: its
product is added to the weights, which costs nothing afterwards. Arrays have the names of PEFT's own files.

Source: Hu et al., LoRA: Low-Rank Adaptation of Large Language Models (arXiv 2106.09685), equation 3.
"""

import copy
import dataclasses
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch

from ragcortex.errors import BundleError, InputError, ModelError
from ragcortex.readers._hf import decoder
from ragcortex.readers.models import LoadedModel
from ragcortex.readers.reading import Floats

_A: Final = ".lora_A.weight"
_B: Final = ".lora_B.weight"


@dataclass(frozen=True, slots=True)
class LowRank:
    """The shape of an adapter, beside every linear layer of the decoder layers.

    Attributes:
        rank: of the change of a weight matrix.
        alpha: the change is the product of the two matrices times alpha / rank.
        dropout: on the input of the adapter, while training.
    """

    rank: int = 16
    alpha: int = 32
    dropout: float = 0.05

    def __post_init__(self) -> None:
        if self.rank < 1:
            raise InputError("rank", f"must be at least 1, got {self.rank}")
        if self.alpha < 1:
            raise InputError("alpha", f"must be at least 1, got {self.alpha}")
        if not 0 <= self.dropout < 1:
            raise InputError("dropout", f"must lie in [0, 1), got {self.dropout}")


def shared_copy(module: Any) -> Any:
    """Return a copy of a model or stack that holds the very same weights, none of them trained; it can be changed."""
    memo = {id(weight): torch.nn.Parameter(weight.detach(), requires_grad=False) for weight in module.parameters()}
    return copy.deepcopy(module, memo)


def inject(stack: Any, shape: LowRank) -> None:
    """Put an untrained adapter beside every linear layer of a stack; only its matrices can be trained afterwards.

    The first matrix is random (seed torch before), the second zero, so nothing changes until it is trained.

    Raises:
        ModelError: peft is not installed.
    """
    try:
        from peft import LoraConfig, inject_adapter_in_model
    except ImportError as error:
        raise ModelError("training an adapter needs peft; install it with `pip install 'ragcortex[tuning]'`") from error
    config = LoraConfig(
        r=shape.rank, lora_alpha=shape.alpha, lora_dropout=shape.dropout, target_modules="all-linear", bias="none"
    )
    inject_adapter_in_model(config, stack)
    for weight in trained(stack).values():
        weight.data = weight.data.float()


def trained(module: Any) -> dict[str, torch.nn.Parameter]:
    """Return the parameters that can be trained, by name."""
    return {name: weight for name, weight in module.named_parameters() if weight.requires_grad}


def adapter_arrays(stack: Any) -> dict[str, Floats]:
    """Return the matrices of a stack's adapter, float32: `<layer>.lora_A.weight` (rank, in), `…lora_B…` (out, rank)."""
    from peft import get_peft_model_state_dict

    state = get_peft_model_state_dict(stack)
    return {name: weight.detach().float().cpu().numpy() for name, weight in sorted(state.items())}


def merge(stack: Any, arrays: Mapping[str, Floats], shape: LowRank) -> None:
    """Add a trained adapter to the weights of a stack, which must be its own or a `shared_copy`.

    Weights that change are replaced, never written to, so other holders of the same weights keep them.

    Raises:
        BundleError: the arrays are not an adapter of this stack and shape.
    """
    layers = {name.removesuffix(_A) for name in arrays if name.endswith(_A)}
    expected = {layer + suffix for layer in layers for suffix in (_A, _B)}
    if not layers or set(arrays) != expected:
        odd = sorted(set(arrays) ^ expected)
        raise BundleError(f"the adapter has {f'an unpaired or unknown array {odd[0]!r}' if odd else 'no arrays'}")
    modules = dict(stack.named_modules())
    for layer in sorted(layers):
        weight = getattr(modules.get(layer), "weight", None)
        down, up = arrays[layer + _A], arrays[layer + _B]
        if weight is None or (up.shape[0], down.shape[1]) != tuple(weight.shape):
            raise BundleError(f"the adapter's layer {layer!r} is not one of this reader")
        if down.shape[0] != shape.rank or up.shape[1] != shape.rank:
            raise BundleError(f"the adapter's layer {layer!r} has rank {down.shape[0]}, expected {shape.rank}")
        change = torch.from_numpy(up).to(weight.device) @ torch.from_numpy(down).to(weight.device)
        merged = weight.detach().float() + change * (shape.alpha / shape.rank)
        modules[layer].weight = torch.nn.Parameter(merged.to(weight.dtype), requires_grad=False)


def with_adapter(loaded: LoadedModel, arrays: Mapping[str, Floats], shape: LowRank) -> LoadedModel:
    """Return a reader's model with a trained adapter merged; it shares all other weights and has its own fingerprint.

    Raises:
        BundleError: as for `merge`.
    """
    model = shared_copy(loaded.model)
    merge(decoder(model), arrays, shape)
    digest = hashlib.sha256(f"{loaded.identity.fingerprint}\n{dataclasses.asdict(shape)}".encode())
    for name in sorted(arrays):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(arrays[name], dtype=np.float32).tobytes())
    identity = dataclasses.replace(loaded.identity, fingerprint=digest.hexdigest())
    return dataclasses.replace(loaded, model=model.eval(), identity=identity)
