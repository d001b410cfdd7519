"""A reader with a linear head: the probability of every answer token from its state in the pass with references.

The head reads the final state, after the final norm, or that of an earlier layer: the layers above it are then left
out, and the final norm follows the earlier layer. References in several windows give a token its lowest probability,
as everywhere in this package: it is grounded if any window grounds it.
"""

import copy
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, Self

import numpy as np
import torch

from ragcortex.errors import BundleError, InputError, ReadingError
from ragcortex.example import Example
from ragcortex.readers._hf import decoder
from ragcortex.readers.adapter import LowRank, adapter_arrays, inject, merge, shared_copy
from ragcortex.readers.packing import check_packable, pack_states
from ragcortex.readers.prefix_groups import PrefixGroup, prefix_groups
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Floats
from ragcortex.score_arrays import Floats as Scores

Weights = Literal["full", "adapter"]
Precision = Literal["bfloat16", "float32"]

_STACK: Final = "stack."
_ADAPTER: Final = "adapter."
_HEAD_WEIGHT: Final = "head.weight"
_HEAD_BIAS: Final = "head.bias"


@dataclass(frozen=True, slots=True)
class ClassifierForm:
    """What a token classifier is made of; two of one form and arrays give the same scores.

    Attributes:
        weights: which of the reader's weights are its own: `full` (all of them) or `adapter` (a low-rank change).
        depth: the head reads the state after this many layers; None reads the last.
        precision: of the matrix products; `bfloat16` keeps weights in float32 and is faster where the processor has
            it (measured on one: scoring 1.8 times, training 2.2 times).
        pack: read answers that share their prefix in one sequence.
        max_tokens: the longest packed sequence.
        low_rank: the adapter's shape; unused with `full`.
    """

    weights: Weights = "full"
    depth: int | None = None
    precision: Precision = "bfloat16"
    pack: bool = True
    max_tokens: int = 2048
    low_rank: LowRank = field(default_factory=LowRank)

    def __post_init__(self) -> None:
        if self.weights not in ("full", "adapter"):
            raise InputError("weights", f"must be full or adapter, got {self.weights!r}")
        if self.precision not in ("bfloat16", "float32"):
            raise InputError("precision", f"must be bfloat16 or float32, got {self.precision!r}")
        if self.depth is not None and self.depth < 1:
            raise InputError("depth", f"must be at least 1 layer, got {self.depth}")
        if self.max_tokens < 1:
            raise InputError("max_tokens", f"must be at least 1, got {self.max_tokens}")


class TokenClassifier:
    """A reader's layers with a linear head.

    Attributes:
        reader: makes the prompts and tokens; its own model is never changed.
        form: what this is made of.
        stack: the decoder layers with embeddings and final norm.
        head: from a state (d,) to the logit of «hallucinated», float32.
    """

    def __init__(self, reader: Reader, form: ClassifierForm, stack: Any) -> None:
        self.reader, self.form, self.stack = reader, form, stack
        self.head = torch.nn.Linear(stack.config.get_text_config().hidden_size, 1, dtype=torch.float32)
        torch.nn.init.zeros_(self.head.weight)
        torch.nn.init.zeros_(self.head.bias)
        self.head.to(reader.device)
        if form.pack:
            check_packable(stack)

    @classmethod
    def untrained(cls, reader: Reader, form: ClassifierForm) -> Self:
        """Return a classifier to be trained, which says ½ of everything; its adapter is made with torch's seed.

        Raises:
            InputError: the reader has fewer layers than `depth`.
            ModelError: its architecture cannot be packed, or peft is needed and missing.
        """
        stack = _cut(reader, form.depth)
        if form.weights == "full":
            stack = copy.deepcopy(stack).float()
            stack.requires_grad_(True)
        classifier = cls(reader, form, stack)
        if form.weights == "adapter":
            inject(stack, form.low_rank)
        return classifier

    def logits(self, group: PrefixGroup) -> list[torch.Tensor]:
        """Return the logits of the tokens each part of a group decides, float32 (n,); gradients flow if they are on."""
        windows = []
        for pack in group.packs():
            with torch.autocast(self.stack.device.type, torch.bfloat16, enabled=self.form.precision == "bfloat16"):
                states = pack_states(self.stack, pack)
            windows.append([self.head(state.float())[:, 0] for state in states])
        return [
            torch.stack([window[index] for window in windows]).amin(dim=0)[part.keep - part.start :]
            for index, part in enumerate(group.parts)
        ]

    def scores(self, examples: Sequence[Example], report: Callable[[int], None] = lambda _: None) -> list[Scores]:
        """Return the probability of «hallucinated» of every token of every answer, float64 (T,).

        Args:
            examples: answers of one source next to each other or not, they are read together.
            report: called with the number of groups left, now and then.

        Raises:
            InputError: an answer or its references are blank.
            ReadingError: the model's numbers are not finite.
        """
        scores = [np.full(len(self.reader.tokenize(example.answer)), np.nan) for example in examples]
        groups = self.divided(prefix_groups(self.reader, examples, self.form.max_tokens))
        self.stack.eval()
        for number, group in enumerate(groups):
            with torch.inference_mode():
                logits = self.logits(group)
            for part, logit in zip(group.parts, logits, strict=True):
                scores[part.owner][part.keep : part.stop] = torch.sigmoid(logit.double()).cpu().numpy()
            report(len(groups) - number - 1)
        for example, values in zip(examples, scores, strict=True):
            if not np.isfinite(values).all():
                raise ReadingError(
                    f"the token classifier's scores of answer {example.id!r} are not finite: reader "
                    f"{self.reader.identity.id!r} as it was tuned overflows in {self.form.precision}; tune it anew "
                    "with a lower learning rate, or in float32"
                )
        return scores

    def divided(self, groups: Sequence[PrefixGroup]) -> list[PrefixGroup]:
        """Return the groups as they are read: as they are, or one answer each where nothing is packed."""
        return list(groups) if self.form.pack else [single for group in groups for single in group.singles()]

    def arrays(self) -> dict[str, Floats]:
        """Return what training changed, by name, float32: the head and the adapter's matrices, or every weight."""
        if self.form.weights == "adapter":
            own = {_ADAPTER + name: array for name, array in adapter_arrays(self.stack).items()}
        else:
            own = {_STACK + name: _array(weight) for name, weight in self.stack.named_parameters()}
        return {_HEAD_WEIGHT: _array(self.head.weight)[0], _HEAD_BIAS: _array(self.head.bias), **own}

    @classmethod
    def from_arrays(cls, reader: Reader, form: ClassifierForm, arrays: Mapping[str, Floats]) -> Self:
        """Return the classifier of this form whose `arrays()` these are; an adapter is merged and needs no peft.

        Raises:
            BundleError: an array is missing, unknown or of another shape.
        """
        stack = _cut(reader, form.depth)
        prefix = _ADAPTER if form.weights == "adapter" else _STACK
        own = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
        odd = sorted(set(arrays) - {prefix + name for name in own} ^ {_HEAD_WEIGHT, _HEAD_BIAS})
        if odd:
            raise BundleError(f"the token classifier's array {odd[0]!r} is missing or unknown")
        if form.weights == "adapter":
            merge(stack, own, form.low_rank)
        else:
            stack = copy.deepcopy(stack).float()
            _fill(dict(stack.named_parameters()), own)
        classifier = cls(reader, form, stack)
        head = {_HEAD_WEIGHT: arrays[_HEAD_WEIGHT][None], _HEAD_BIAS: arrays[_HEAD_BIAS]}
        _fill({_HEAD_WEIGHT: classifier.head.weight, _HEAD_BIAS: classifier.head.bias}, head)
        return classifier


def _cut(reader: Reader, depth: int | None) -> Any:
    """Return a copy of the reader's layers, the first `depth` of them, that holds the same weights."""
    stack = shared_copy(decoder(reader.loaded.model))
    n_layers = len(stack.layers)
    if depth is not None:
        if depth > n_layers:
            raise InputError("depth", f"must be at most {n_layers}, the reader's layers, got {depth}")
        stack.layers = stack.layers[:depth]
        stack.config.get_text_config().num_hidden_layers = depth
    return stack.eval()


def _fill(weights: Mapping[str, torch.Tensor], arrays: Mapping[str, Floats]) -> None:
    odd = sorted(set(weights) ^ set(arrays))
    if odd:
        raise BundleError(f"the token classifier's array {odd[0]!r} is missing or unknown")
    for name, weight in weights.items():
        if arrays[name].shape != tuple(weight.shape):
            raise BundleError(
                f"the token classifier's array {name!r} has shape {arrays[name].shape}, expected {tuple(weight.shape)}"
            )
        with torch.no_grad():
            weight.copy_(torch.from_numpy(np.ascontiguousarray(arrays[name])))


def _array(weight: torch.Tensor) -> Floats:
    array: Floats = weight.detach().float().cpu().numpy()
    return array
