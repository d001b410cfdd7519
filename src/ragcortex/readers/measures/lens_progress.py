"""Information processing rate: how late, in the layers, the model comes to what it predicts.

Source: LUMINA (Yeh, Li and Mallick, ICLR 2026, arXiv 2509.21875, and its released code), the internal knowledge score.
"""

from typing import ClassVar, Final

import torch

from ragcortex.errors import ReadingError
from ragcortex.readers.measures.lens import Lens
from ragcortex.readers.measures.measure import Measure, PassContext

_EPSILON: Final = 1e-8


class LensProgress(Measure):
    """Information processing rate of each token, (n,), at least 0; higher = more likely hallucinated.

    With p the distribution the token t was drawn from, m its likeliest token, p_l the logit lens after layer l = 1..L
    and H_l its entropy in nats:

        p(t) / p(m) · Σ_l l · (1 − min(p_l(m) / p(m), 1)) / Σ_l l / (H_l + 1e-8)

    as the released code computes it (the entropy weighs the denominator only). Ours: the last layer's state is normed
    once, so that its lens is the model's own distribution; the released code norms it twice.
    """

    name: ClassVar[str] = "lens_progress"
    shown: ClassVar[frozenset[str]] = frozenset({"logits", "states"})

    def __init__(self, context: PassContext) -> None:
        super().__init__(context)
        self._lens = Lens.of(context)
        self._final: list[list[torch.Tensor]] = [[] for _ in context.rows]

    def states(self, layer: int, before: torch.Tensor, after: torch.Tensor) -> None:  # noqa: ARG002
        """Keep the states after the layer."""
        self._lens.keep_after(layer, after)

    def logits(self, index: int, first: int, logits: torch.Tensor) -> None:
        """Keep, of the model's own distribution, the likeliest token and the logs of p(m) and p(t)."""
        highest, likeliest = logits.max(dim=-1)
        drawn = torch.tensor(self.context.answers[index][first : first + len(logits)], device=logits.device)
        total = logits.logsumexp(dim=-1)
        self._lens.keep_likeliest(index, likeliest)
        self._final[index].append(torch.stack([highest - total, logits.gather(1, drawn[:, None])[:, 0] - total], dim=1))

    def result(self, index: int, last: torch.Tensor) -> torch.Tensor:  # noqa: ARG002
        """Return the rates, (n,)."""
        view = self._lens.look(index)
        if view.entropy is None or view.prob is None:
            raise ReadingError("the model's own distribution was never shown")
        log_likeliest, log_drawn = torch.cat(self._final[index]).unbind(dim=1)
        depth = torch.arange(1, self.context.n_layers + 1, device=view.prob.device, dtype=view.prob.dtype)
        missing = 1 - (view.prob / log_likeliest.exp()[:, None]).clamp(max=1)
        rate = (missing @ depth) / ((1 / (view.entropy.clamp(min=0) + _EPSILON)) @ depth)
        return rate * (log_drawn - log_likeliest).exp()
