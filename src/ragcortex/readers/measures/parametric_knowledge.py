"""Parametric knowledge score: how much a layer's feed-forward part changes what a position predicts.

Source: ReDeEP (Sun et al., ICLR 2025, arXiv 2410.11414, and its released code).
"""

from typing import ClassVar

import torch

from ragcortex.errors import ReadingError
from ragcortex.readers.measures.lens import Lens
from ragcortex.readers.measures.measure import Measure, PassContext


class ParametricKnowledge(Measure):
    """Parametric knowledge score per layer, (n, layers), in [0, log 2] nats; higher = more likely hallucinated.

    The Jensen-Shannon divergence, as the paper defines it, of the logit lens before and after the feed-forward part.
    The released code swaps the arguments of both divergences (a fault its authors know and keep) and scales by
    1e6 over the vocabulary's size. Rounding in float32 is about 1e-6 nats; in half precision the logits themselves are
    rounded, as in the released code.
    """

    name: ClassVar[str] = "parametric_knowledge"
    shown: ClassVar[frozenset[str]] = frozenset({"middle", "states"})

    def __init__(self, context: PassContext) -> None:
        super().__init__(context)
        self._lens = Lens.of(context)

    def middle(self, layer: int, states: torch.Tensor) -> None:  # noqa: ARG002
        """Keep the states before the feed-forward part."""
        self._lens.keep_middle(states)

    def states(self, layer: int, before: torch.Tensor, after: torch.Tensor) -> None:  # noqa: ARG002
        """Keep the states after it."""
        self._lens.keep_after(layer, after)

    def result(self, index: int, last: torch.Tensor) -> torch.Tensor:  # noqa: ARG002
        """Return the divergences, (n, layers)."""
        divergence = self._lens.look(index).divergence
        if divergence is None:
            raise ReadingError("no layer showed its states before the feed-forward part")
        return divergence
