"""The logit lens: what every layer would predict, for the measures that need it; each is projected once for all.

Source: nostalgebraist, «interpreting GPT: the logit lens» (2020): final norm and unembedding on a middle layer's state.
A projection on the vocabulary is the costliest thing a measure can ask for: an answer's rows of every layer cost more
than its passes, so states are kept and projected together at the end.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import torch

from ragcortex.readers._hf import final_norm, output_logits
from ragcortex.readers.measures.measure import PassContext

# Logits made at once, 30 MiB in float32: larger arrays are given back to the system, and cost page faults each time.
_MAX_LOGITS: Final = 15 << 19
# Rows whose distribution is worked on at once on a processor, so that they stay in its cache.
_BLOCK_ROWS: Final = 4
_TINY: Final = torch.finfo(torch.float32).tiny


@dataclass(frozen=True, slots=True)
class LensView:
    """What the lens shows of one sequence, float32; `None` for what no measure wants.

    Attributes:
        entropy: entropy in nats after each layer of the distribution each token is drawn from, (n, layers).
        prob: probability in it of the token that the model's own distribution holds likeliest, (n, layers).
        divergence: Jensen-Shannon divergence in nats of what a token's own position predicts before and after each
            layer's feed-forward part, (n, layers).
    """

    entropy: torch.Tensor | None
    prob: torch.Tensor | None
    divergence: torch.Tensor | None


class Lens:
    """Keeps the states of one pass and looks at each sequence once; the measures of a pass share it."""

    def __init__(self, context: PassContext) -> None:
        self._context = context
        self._after: list[list[torch.Tensor]] = [[] for _ in context.rows]
        self._middle: list[list[torch.Tensor]] = [[] for _ in context.rows]
        self._likeliest: list[list[torch.Tensor]] = [[] for _ in context.rows]
        self._views: dict[int, LensView] = {}

    @classmethod
    def of(cls, context: PassContext) -> "Lens":
        """Return the lens of this pass."""
        lens: Lens = context.shared.setdefault("lens", cls(context))
        return lens

    def keep_after(self, layer: int, states: torch.Tensor) -> None:
        """Keep the states (B, L, d) after a layer, from the position that predicts the first answer token on."""
        for index, rows in enumerate(self._context.rows):
            if len(self._after[index]) == layer:  # the first of the measures that share the lens
                self._after[index].append(states[index, rows.answer[0] - 1 : rows.answer[1]].clone())

    def keep_middle(self, states: torch.Tensor) -> None:
        """Keep the states (B, L, d) before a layer's feed-forward part, of the answer's tokens."""
        for index, rows in enumerate(self._context.rows):
            self._middle[index].append(states[index, slice(*rows.answer)].clone())

    def keep_likeliest(self, index: int, ids: torch.Tensor) -> None:
        """Keep the ids (r,) that the model's own distribution holds likeliest, of some tokens in order."""
        self._likeliest[index].append(ids)

    def look(self, index: int) -> LensView:
        """Return what the lens shows of a sequence; its states are dropped."""
        if index not in self._views:
            layers = [self._layer(index, layer) for layer in range(self._context.n_layers)]
            entropy, prob, divergence = (
                None if parts[0] is None else torch.stack([part for part in parts if part is not None], dim=1)
                for parts in zip(*layers, strict=True)
            )
            self._views[index] = LensView(entropy, prob, divergence)
            self._after[index], self._middle[index] = [], []
        return self._views[index]

    def _layer(self, index: int, layer: int) -> tuple[torch.Tensor | None, ...]:
        """Return entropy, probability and divergence (n,) of one layer."""
        after, likeliest = self._after[index][layer], self._likeliest[index]
        middle = self._middle[index][layer] if self._middle[index] else None
        ids = torch.cat(likeliest) if likeliest else None
        entropies, probs, divergences = [], [], []
        n_rows = max(3, _MAX_LOGITS // self._context.model.config.get_text_config().vocab_size)
        n_tokens = n_rows - 1 if middle is None else (n_rows - 1) // 2
        for start in range(0, len(after) - 1, n_tokens):
            stop = min(start + n_tokens, len(after) - 1)
            n_after = stop + 1 - start
            states = after[start : stop + 1]
            if middle is not None:
                states = torch.cat([states, middle[start:stop]])
            predicted, entropy = self._project(states)
            # Row t of `after` predicts token t; row t + 1 is its own.
            if ids is not None:
                entropies.append(entropy[: n_after - 1])
                probs.append(predicted[: n_after - 1].gather(1, ids[start:stop, None])[:, 0])
            if middle is not None:
                mixed = _entropy_of_mean(predicted[1:n_after], predicted[n_after:])
                divergences.append(mixed - (entropy[1:n_after] + entropy[n_after:]) / 2)
        return (
            torch.cat(entropies) if ids is not None else None,
            torch.cat(probs) if ids is not None else None,
            torch.cat(divergences).clamp(min=0) if middle is not None else None,
        )

    def _project(self, states: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the distributions (r, vocabulary) that states (r, d) predict, and their entropies (r,)."""
        model = self._context.model
        logits = output_logits(model, final_norm(model, states))
        # A model in float32 hands out its own array, which is ours to change: the logits were made for this call.
        entropies = []
        for rows in _blocks(logits):
            rows.sub_(rows.amax(dim=-1, keepdim=True))
            weights = rows.exp()
            total = weights.sum(dim=-1, keepdim=True)
            entropies.append(total.log()[:, 0] - rows.mul_(weights).sum(dim=-1) / total[:, 0])
            torch.div(weights, total, out=rows)
        return logits, torch.cat(entropies)


def _blocks(rows: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield views of some rows at a time; of all at once on an accelerator, where many small steps are slow."""
    size = _BLOCK_ROWS if rows.device.type == "cpu" else len(rows)
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _entropy_of_mean(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Return the entropies (r,) of the means of two rows of distributions (r, vocabulary)."""
    entropies = []
    for first, second in zip(_blocks(one), _blocks(other), strict=True):
        # With s = 2m: −Σ m log m = log 2 − ½ Σ s log s, as the sum of s is 2.
        total = first + second
        entropies.append(math.log(2) - total.clamp(min=_TINY).log_().mul_(total).sum(dim=-1) / 2)
    return torch.cat(entropies)
