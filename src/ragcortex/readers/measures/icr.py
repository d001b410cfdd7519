"""Information contribution to the residual stream: whether a layer moves a token the way its attention points.

Source: ICR Probe (Zhang et al., ACL 2025, arXiv 2507.16488, and its released code).
"""

from typing import ClassVar, Final

import torch

from ragcortex.readers.measures.measure import Measure, PassContext

TOP_SHARE: Final = 0.1
_EPSILON: Final = 1e-8


class ICR(Measure):
    """ICR score of each token and layer, (n, layers), in [0, log 2] nats.

    With x the residual stream before a layer and Δ what the layer adds to a token's: of the positions j that the
    token attends to most (attention a, mean over heads), w_j = Δ·x_j / (‖x_j‖ + 1e-8); a and w are each brought to
    mean 0 and (unbiased) deviation 1 and put through a softmax; the score is the Jensen-Shannon divergence of the two.

    As released: attention between answer and prompt is set to zero, so an answer token is compared with answer tokens
    up to itself only, and the number of positions is 10 % of the whole sequence (at least one, ours). Ours: where fewer
    positions have attention, only those count, while the released code fills up with arbitrary ones of none; and the
    last layer adds to the residual stream, not to its normed form. Alone, a position gives 0.
    """

    name: ClassVar[str] = "icr"
    shown: ClassVar[frozenset[str]] = frozenset({"attention", "states"})

    def __init__(self, context: PassContext) -> None:
        super().__init__(context)
        self._rows: list[list[torch.Tensor]] = [[] for _ in context.rows]
        self._scores: list[list[torch.Tensor]] = [[] for _ in context.rows]

    def attention(self, layer: int, index: int, first: int, probs: torch.Tensor) -> None:  # noqa: ARG002
        """Keep the mean over heads until the layer is over."""
        start, stop = self.context.rows[index].answer
        self._rows[index].append(probs[:, :, start:stop].mean(dim=0))

    def states(self, layer: int, before: torch.Tensor, after: torch.Tensor) -> None:  # noqa: ARG002
        """Score the layer."""
        for index, rows in enumerate(self.context.rows):
            answer = slice(*rows.answer)
            attention = torch.cat(self._rows[index])
            self._rows[index] = []
            states = before[index, answer].float()
            moved = after[index, answer].float() - states
            n_top = min(max(1, int(TOP_SHARE * self.context.lengths[index])), len(states))
            self._scores[index].append(icr_scores(attention, states, moved, n_top))

    def result(self, index: int, last: torch.Tensor) -> torch.Tensor:  # noqa: ARG002
        """Return the scores, (n, layers)."""
        return torch.stack(self._scores[index], dim=1)


def icr_scores(attention: torch.Tensor, states: torch.Tensor, moved: torch.Tensor, n_top: int) -> torch.Tensor:
    """Return the ICR scores (n,) of one layer from attention (n, n), states and what is added to them (n, d)."""
    highest, positions = attention.topk(n_top, dim=-1)
    counted = highest > 0
    projections = moved @ states.T / (states.norm(dim=-1) + _EPSILON)
    attended = _distribution(highest, counted)
    contributed = _distribution(projections.gather(1, positions), counted)
    middle = (attended + contributed) / 2
    entropies = [torch.xlogy(probs, probs).sum(dim=-1) for probs in (attended, contributed, middle)]
    return ((entropies[0] + entropies[1]) / 2 - entropies[2]).clamp(min=0)


def _distribution(values: torch.Tensor, counted: torch.Tensor) -> torch.Tensor:
    """Return each row's counted values, standardised, as a softmax; the others have none of it."""
    counts = counted.sum(dim=-1, keepdim=True)
    means = torch.where(counted, values, 0).sum(dim=-1, keepdim=True) / counts.clamp(min=1)
    centred = torch.where(counted, values - means, 0)
    deviations = (centred.square().sum(dim=-1, keepdim=True) / (counts - 1).clamp(min=1)).sqrt()
    scaled = centred / deviations.clamp(min=_EPSILON)
    # A row that attends to nothing at all (no such row is known) would be NaN: it is uniform, alike on both sides.
    lowest = torch.finfo(scaled.dtype).min
    return scaled.masked_fill(~counted, lowest).softmax(dim=-1)
