"""The likeliest tokens of the distribution each answer token was drawn from.

Sources: LLM-Check's released code (entropy of the 50 likeliest), LUMINA's released code (the 100 likeliest).
"""

from typing import ClassVar, Final

import torch

from ragcortex.readers.measures.measure import Measure, PassContext

N_ENTROPY: Final = 50
N_TOKENS: Final = 100


class TopEntropy(Measure):
    """Entropy in nats of the 50 likeliest tokens, their probabilities scaled to sum to one, (n,), in [0, log 50].

    Of the distribution that the token was drawn from; the released code takes the one after the token, and divides by
    50, which changes no order.
    """

    name: ClassVar[str] = "top_entropy"
    shown: ClassVar[frozenset[str]] = frozenset({"logits"})

    def __init__(self, context: PassContext) -> None:
        super().__init__(context)
        self._entropies: list[list[torch.Tensor]] = [[] for _ in context.rows]

    def logits(self, index: int, first: int, logits: torch.Tensor) -> None:  # noqa: ARG002
        """Keep the entropy of some tokens."""
        log_probs = logits.topk(min(N_ENTROPY, logits.shape[-1]), dim=-1).values.log_softmax(dim=-1)
        self._entropies[index].append(-(log_probs.exp() * log_probs).sum(dim=-1))

    def result(self, index: int, last: torch.Tensor) -> torch.Tensor:  # noqa: ARG002
        """Return the entropies, (n,)."""
        return torch.cat(self._entropies[index])


class TopTokens(Measure):
    """The 100 likeliest tokens, likeliest first, (n, 2, 100): their ids, and their probabilities.

    Fewer where the vocabulary is smaller. Ids are whole numbers, exact in float32 below 2^24; probabilities are of the
    whole vocabulary, so they sum to less than one.
    """

    name: ClassVar[str] = "top_tokens"
    shown: ClassVar[frozenset[str]] = frozenset({"logits"})

    def __init__(self, context: PassContext) -> None:
        super().__init__(context)
        self._parts: list[list[torch.Tensor]] = [[] for _ in context.rows]

    def logits(self, index: int, first: int, logits: torch.Tensor) -> None:  # noqa: ARG002
        """Keep ids and probabilities of some tokens."""
        highest, ids = logits.topk(min(N_TOKENS, logits.shape[-1]), dim=-1)
        probs = (highest - logits.logsumexp(dim=-1, keepdim=True)).exp()
        self._parts[index].append(torch.stack([ids.float(), probs], dim=1))

    def result(self, index: int, last: torch.Tensor) -> torch.Tensor:  # noqa: ARG002
        """Return ids and probabilities, (n, 2, 100)."""
        return torch.cat(self._parts[index])
