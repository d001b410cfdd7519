"""Lookback ratio: how much of each head's attention goes back to the references.

Source: Lookback Lens (Chuang et al. 2024, arXiv 2407.07071, and its released code): per layer and head, the mean
attention to the context over the sum of the mean attention to the context and that to the tokens generated so far.
"""

from typing import ClassVar

import torch

from ragcortex.readers.measures.measure import Measure, PassContext


class Lookback(Measure):
    """Lookback ratio per layer and head, (n, layers, heads), in [0, 1]; lower = more likely hallucinated.

    The context is the references' tokens (the released code takes the whole prompt but its last words, of which they
    are nearly all); what was generated so far is the answer's tokens up to the token itself. Both are means over their
    tokens, as published. Ours: the ratio of a token is that of its own row, which knows the token; the released code
    takes the row that predicts it. In an answer read in pieces, what was generated so far begins with the piece.
    """

    name: ClassVar[str] = "lookback"
    shown: ClassVar[frozenset[str]] = frozenset({"attention"})

    def __init__(self, context: PassContext) -> None:
        super().__init__(context)
        self._ratios: list[list[list[torch.Tensor]]] = [[[] for _ in range(context.n_layers)] for _ in context.rows]

    def attention(self, layer: int, index: int, first: int, probs: torch.Tensor) -> None:
        """Keep the ratio of every head."""
        rows = self.context.rows[index]
        start = rows.answer[0]
        first_reference, last_reference = rows.references
        context = probs[:, :, first_reference:last_reference].mean(dim=-1)
        n_generated = torch.arange(first - start + 1, first - start + 1 + probs.shape[1], device=probs.device)
        generated = probs[:, :, start : rows.answer[1]].sum(dim=-1) / n_generated
        self._ratios[index][layer].append((context / (context + generated).clamp(min=1e-12)).T)

    def result(self, index: int, last: torch.Tensor) -> torch.Tensor:  # noqa: ARG002
        """Return the ratios, (n, layers, heads)."""
        return torch.stack([torch.cat(parts) for parts in self._ratios[index]], dim=1)
