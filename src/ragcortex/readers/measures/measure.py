"""What a measure is: it watches one forward pass of a batch and gives an array with one row an answer token.

Baselines need quantities that cannot be had from hidden states and pooled attention: heads and layers one by one, the
vocabulary's distribution in the middle of the network, states at the tokens attended to. A measure takes them as the
layers go by and keeps only what it needs, so that whole attention maps are never held.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar

import torch

from ragcortex.readers._hf import before_feed_forward, decoder_layers
from ragcortex.readers.attention import Rows, check_seen


@dataclass(frozen=True, slots=True)
class PassContext:
    """One forward pass over a batch of sequences with references.

    Attributes:
        model: the causal model; only helpers of `readers._hf` name its parts.
        n_layers: its transformer layers.
        rows: where each sequence has its answer and its references, in the padded row.
        answers: the ids of each sequence's answer tokens.
        lengths: tokens of each sequence, padding not counted.
        shared: what measures of this pass compute together, by name.
    """

    model: Any
    n_layers: int
    rows: Sequence[Rows]
    answers: Sequence[tuple[int, ...]]
    lengths: Sequence[int]
    shared: dict[str, Any] = field(default_factory=dict)


class Measure(ABC):
    """One quantity of one forward pass; a new instance serves each batch.

    A measure overrides what it wants to be shown, and says so in `shown`. All tensors are on the model's device; hidden
    states and logits come in the model's precision and should be computed with in float32.

    Attributes:
        name: as a `ReadingSpec` names it.
        shown: which of the methods below are called: any of `attention`, `states`, `middle`, `logits`.
    """

    name: ClassVar[str]
    shown: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, context: PassContext) -> None:
        self.context = context

    def attention(self, layer: int, index: int, first: int, probs: torch.Tensor) -> None:
        """Take attention of some answer rows of one layer of one sequence; see `AttentionObserver.take`."""
        raise NotImplementedError

    def states(self, layer: int, before: torch.Tensor, after: torch.Tensor) -> None:
        """Take the residual stream (B, L, d) before and after a layer (0 = the first), all positions of the batch.

        Within a layer this comes after `attention` and `middle`.
        """
        raise NotImplementedError

    def middle(self, layer: int, states: torch.Tensor) -> None:
        """Take the residual stream (B, L, d) of a layer between its attention and its feed-forward part."""
        raise NotImplementedError

    def logits(self, index: int, first: int, logits: torch.Tensor) -> None:
        """Take float32 logits (r, vocabulary) that predict answer tokens `first..first + r` of a sequence."""
        raise NotImplementedError

    @abstractmethod
    def result(self, index: int, last: torch.Tensor) -> torch.Tensor:
        """Return the measure of each answer token of a sequence, (n, ...), once the pass is over.

        Args:
            index: the sequence's place in the batch.
            last: the final, normed states of the whole padded row, (L, d).
        """


class AttentionShown:
    """Lets a measure observe the attention of every layer, and proves that every layer showed it."""

    def __init__(self, measure: Measure) -> None:
        self.layers = frozenset(range(measure.context.n_layers))
        self._measure = measure
        self._seen: set[int] = set()

    def take(self, layer: int, index: int, first: int, probs: torch.Tensor) -> None:
        """Pass the rows on; see `AttentionObserver`."""
        self._seen.add(layer)
        self._measure.attention(layer, index, first, probs)

    def check(self) -> None:
        """Raise ReadingError if a layer never called the attention function."""
        check_seen(self.layers, self._seen)


@contextmanager
def shown_layers(measures: Sequence[Measure]) -> Iterator[None]:
    """Show the layers' states to those measures that want them, while the block runs."""
    with ExitStack() as stack:
        for measure in measures:
            for layer, module in enumerate(decoder_layers(measure.context.model)):
                if "states" in measure.shown:
                    hook = partial(_after_layer, measure, layer)
                    stack.callback(module.register_forward_hook(hook, with_kwargs=True).remove)
                if "middle" in measure.shown:
                    hook = partial(_before_feed_forward, measure, layer)
                    stack.callback(before_feed_forward(module).register_forward_pre_hook(hook).remove)
        yield


def _after_layer(measure: Measure, layer: int, _module: Any, args: Any, kwargs: Any, output: Any) -> None:
    before = args[0] if args else kwargs["hidden_states"]
    measure.states(layer, before, output[0] if isinstance(output, tuple) else output)


def _before_feed_forward(measure: Measure, layer: int, _module: Any, args: Any) -> None:
    measure.middle(layer, args[0])
