"""External context score: how near a token's final state is to the references that a head attends to most.

Source: ReDeEP (Sun et al., ICLR 2025, arXiv 2410.11414, and its released code).
"""

from typing import ClassVar, Final

import torch

from ragcortex.readers.measures.measure import Measure, PassContext

TOP_SHARE: Final = 0.1


class ExternalContext(Measure):
    """External context score per layer and head, (n, layers, heads), in [−1, 1]; lower = more likely hallucinated.

    The cosine of the token's final normed state with the mean final normed state of the 10 % of the references'
    tokens that the head attends to most (at least one). The released code takes 10 % of the whole prompt, chat template
    included, and only heads it knows to copy. Ours: tokens without any attention (out of a sliding window) do not
    count, and the score is 0 where none has any.

    Only the positions are kept while the layers run, int32: layers x heads x n x 10 % of the references.
    """

    name: ClassVar[str] = "external_context"
    shown: ClassVar[frozenset[str]] = frozenset({"attention"})

    def __init__(self, context: PassContext) -> None:
        super().__init__(context)
        self._positions: list[list[list[torch.Tensor]]] = [[[] for _ in range(context.n_layers)] for _ in context.rows]

    def attention(self, layer: int, index: int, first: int, probs: torch.Tensor) -> None:  # noqa: ARG002
        """Keep the positions attended to most, counted from the first reference; −1 where there is no attention."""
        start, stop = self.context.rows[index].references
        n_top = max(1, int(TOP_SHARE * (stop - start)))
        highest, positions = probs[:, :, start:stop].topk(n_top, dim=-1, sorted=False)
        self._positions[index][layer].append(positions.int().masked_fill_(highest <= 0, -1))

    def result(self, index: int, last: torch.Tensor) -> torch.Tensor:
        """Return the cosines, (n, layers, heads)."""
        rows = self.context.rows[index]
        references = last[slice(*rows.references)].float()
        answer = last[slice(*rows.answer)].float()
        layers = []
        for parts in self._positions[index]:
            heads = [_cosines(positions, references, answer) for positions in torch.cat(parts, dim=1)]
            layers.append(torch.stack(heads, dim=1))
        self._positions[index] = []
        return torch.stack(layers, dim=1)


def _cosines(positions: torch.Tensor, references: torch.Tensor, answer: torch.Tensor) -> torch.Tensor:
    """Return the cosine (n,) of each answer state (n, d) with the sum of the references at its positions (n, k)."""
    counted = (positions >= 0).to(references.dtype)
    sums = torch.nn.functional.embedding_bag(positions.clamp(min=0), references, mode="sum", per_sample_weights=counted)
    return torch.nn.functional.cosine_similarity(sums, answer, dim=-1)
