"""Recipes: what a detector reads, which features its heads see, which scorer each has, and how scores are smoothed."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from ragcortex.errors import InputError
from ragcortex.readers.reading import ReadingSpec
from ragcortex.signals.features import spec_for
from ragcortex.smoothing import Method


@dataclass(frozen=True, slots=True)
class Head:
    """A scorer to fit.

    Attributes:
        name: what a bundle calls it.
        features: names of the feature sets it sees.
        scorer, params: its kind, and the parameters that differ from the kind's own.
        layer_rank: which of the candidate layers it sees: 0 is the one that validation prefers, 1 the second. A head
            whose rank is beyond the candidates is left out.
    """

    name: str
    features: tuple[str, ...]
    scorer: str = "mlp"
    params: Mapping[str, Any] = field(default_factory=dict)
    layer_rank: int = 0


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a detector is made.

    Attributes:
        name: as `--recipe` takes it.
        summary: one line for people.
        heads: fitted one by one on the same reading; their probabilities are averaged.
        layers: `middle` (candidates around two thirds of the depth) or `final`, where `--layers auto` is asked for.
        smoothing: the method of smoothing tried: `persistence`, `window_max`, `window_mean` or `none`.
    """

    name: str
    summary: str
    heads: tuple[Head, ...]
    layers: str = "middle"
    smoothing: Method = "persistence"

    def spec(self, layers: tuple[int, ...]) -> ReadingSpec:
        """Return what a reader has to provide so that every head can be fitted at any of these layers."""
        spec = ReadingSpec()
        for head in self.heads:
            spec = spec.union(spec_for(head.features, layers))
        return spec

    def layer_candidates(self, n_layers: int) -> tuple[int, ...]:
        """Return the layers to choose from by validation, for a reader of that depth."""
        if self.layers == "final":
            return (n_layers,)
        return tuple(sorted({max(1, round(n_layers * share)) for share in _LAYER_SHARES}))


_LAYER_SHARES: Final = (1 / 2, 2 / 3, 5 / 6, 1)
_COMPARISON: Final = Head("comparison", ("delta", "residual"))
_SCALARS: Final = Head("scalars", ("scalars",))
_LOCAL_CHANGE: Final = Head("local_change", ("delta", "delta_mean9"))
_STATE: Final = Head("state", ("hidden", "hidden_mean9"))
_SEQUENCE: Final = Head("sequence", ("hidden", "delta", "scalars"), "recurrent")
_STATE_SEQUENCE: Final = Head("state_sequence", ("hidden", "delta"), "recurrent")


def _second(head: Head) -> Head:
    """Return the same head at the second best layer."""
    return replace(head, name=f"{head.name}_second", layer_rank=1)


_RECIPES: Final = {
    recipe.name: recipe
    for recipe in (
        Recipe("reference-gain", "likelihood ratio of each token without and with the references; no training",
               (Head("gain", ("reference_gain",), "gain"),)),
        Recipe("cortex", "mean of four heads: comparison, scalars, local change, reference-conditioned state",
               (_COMPARISON, _SCALARS, _LOCAL_CHANGE, _STATE)),
        Recipe("cortex-states", "mean of six heads on states of two layers: local change, reference-conditioned state, "
               "recurrent networks over the answer; reads no deeper and needs no likelihoods",
               (_LOCAL_CHANGE, _STATE, _STATE_SEQUENCE,
                _second(_LOCAL_CHANGE), _second(_STATE), _second(_STATE_SEQUENCE)), smoothing="window_mean"),
        Recipe("cortex-ensemble", "mean of eight heads: those of cortex, two of them at a second layer, and recurrent "
               "networks over the answer at both",
               (_COMPARISON, _SCALARS, _LOCAL_CHANGE, _STATE, _second(_LOCAL_CHANGE), _second(_STATE),
                _SEQUENCE, _second(_SEQUENCE)), smoothing="window_mean"),
        Recipe("cortex-transfer", "mean of two heads that travel between domains: comparison and scalars",
               (_COMPARISON, _SCALARS)),
        Recipe("cortex-tuned", "the paper's method at the best layer: MLP on [Δ; c]", (_COMPARISON,)),
        Recipe("cortex-paper", "the paper's method as published: MLP on [Δ; c] of the final layer", (_COMPARISON,),
               layers="final"),
        Recipe("cortex-window", "the second description: logistic regression, sliding-window maximum",
               (Head("comparison", ("delta", "residual"), "logistic"),), smoothing="window_max"),
        Recipe("attention-alignment", "whether attention falls on the references, with local means; light and weak",
               (Head("alignment", ("attention_away",), "logistic"),)),
        Recipe("scalars", "MLP on likelihoods, entropies and attention on the references", (_SCALARS,)),
        Recipe("saplma", "MLP on the reference-conditioned state alone: no comparison", (Head("state", ("hidden",)),)),
    )
}  # fmt: skip


def recipe(name: str) -> Recipe:
    """Return the recipe of that name; raises InputError naming those there are."""
    if name not in _RECIPES:
        raise InputError("recipe", f"{name!r} is not a recipe; there are {', '.join(_RECIPES)}")
    return _RECIPES[name]


def recipes() -> tuple[Recipe, ...]:
    """Return all recipes."""
    return tuple(_RECIPES.values())
