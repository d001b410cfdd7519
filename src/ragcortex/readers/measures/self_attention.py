"""Attention of each token to itself, of every head: the eigenvalues of the attention matrix.

Source: LLM-Check (Sriramanan et al., NeurIPS 2024, and its released code). An attention matrix is lower triangular, so
its diagonal holds its eigenvalues, and the mean of their logarithms is its log-determinant over its size.
"""

from typing import ClassVar, Final

import torch

from ragcortex.readers.measures.measure import Measure, PassContext

# Attention below the smallest normal float32 number (its log is −87.3) counts as that: the log of zero has no value.
SMALLEST_ATTENTION: Final = torch.finfo(torch.float32).tiny


class SelfAttention(Measure):
    """Natural log of each token's attention to itself, per layer and head, (n, layers, heads), in [−87.4, 0].

    The released code clips nothing, and has −inf where half precision rounds to zero.
    """

    name: ClassVar[str] = "self_attention"
    shown: ClassVar[frozenset[str]] = frozenset({"attention"})

    def __init__(self, context: PassContext) -> None:
        super().__init__(context)
        self._logs: list[list[list[torch.Tensor]]] = [[[] for _ in range(context.n_layers)] for _ in context.rows]

    def attention(self, layer: int, index: int, first: int, probs: torch.Tensor) -> None:
        """Keep the logs of the diagonal."""
        diagonal = torch.diagonal(probs[:, :, first : first + probs.shape[1]], dim1=1, dim2=2)
        self._logs[index][layer].append(diagonal.clamp(min=SMALLEST_ATTENTION).log().T)

    def result(self, index: int, last: torch.Tensor) -> torch.Tensor:  # noqa: ARG002
        """Return the logs, (n, layers, heads)."""
        return torch.stack([torch.cat(parts) for parts in self._logs[index]], dim=1)
