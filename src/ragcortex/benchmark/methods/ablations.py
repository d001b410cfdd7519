"""Variants of the comparison, each different from the tuned method in what its name says."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.methods.recipes import ReadingChoice, RecipeMethod
from ragcortex.checks import nearest_hint
from ragcortex.detectors.recipes import Head, Recipe
from ragcortex.errors import InputError
from ragcortex.scorers import scorer_class
from ragcortex.signals.features import feature_set
from ragcortex.smoothing import METHODS
from ragcortex.smoothing import Method as SmoothingMethod

_COMPARISON: Final = ("delta", "residual")
_SYMBOLS: Final = {"delta": "Δ", "residual": "c", "hidden": "h_ref", "hidden_noref": "h_noref"}


@dataclass(frozen=True, slots=True)
class AblationOptions:
    """One head, and how it is read; the defaults are the tuned method: an MLP on [Δ; c] at the best layer.

    Attributes:
        features: names of feature sets, in column order.
        scorer: `mlp` or `logistic`.
        layer: the layer, where it is fixed; None chooses it on validation data.
        final_norm: whether the model's final norm is applied to hidden states.
        attention_layers, attention_heads: what α is pooled over; None is all.
        smoothing: how the protocol smooths the scores.
    """

    features: tuple[str, ...] = _COMPARISON
    scorer: str = "mlp"
    layer: int | None = None
    final_norm: bool = False
    attention_layers: tuple[int, ...] | None = None
    attention_heads: tuple[int, ...] | None = None
    smoothing: SmoothingMethod = "persistence"

    def __post_init__(self) -> None:
        if not self.features:
            raise InputError("features", "must name at least one feature set")
        for name in self.features:
            feature_set(name)
        scorer_class(self.scorer)
        if self.scorer == "gain":
            raise InputError("scorer", "'gain' learns nothing and is no ablation; use mlp or logistic")
        if self.layer is not None and self.layer < 1:
            raise InputError("layer", f"must be a layer number from 1 on, got {self.layer}")
        if self.smoothing not in METHODS:
            raise InputError("smoothing", f"must be one of {', '.join(METHODS)}, got {self.smoothing!r}")

    def method(self, name: str) -> RecipeMethod:
        """Return the method with these options, under a name for its card."""
        title = self._title()
        made = Recipe(name, title, (Head("ablation", self.features, self.scorer),), smoothing=self.smoothing)
        card = MethodCard(
            name=name,
            title=title,
            summary=f"ablation: {title}",
            source="CORTEX, arXiv 2606.31033, with one choice changed; features standardised",
            training="labels",
            scale="probability",
            smoothing=self.smoothing,
        )
        reading = ReadingChoice(self.final_norm, self.attention_layers, self.attention_heads)
        return RecipeMethod(made, card, layers=None if self.layer is None else (self.layer,), reading=reading)

    def _title(self) -> str:
        """Return the options in words; different options have different titles."""
        parts = [f"{self.scorer} on [{'; '.join(_SYMBOLS.get(name, name) for name in self.features)}]"]
        parts.append("best layer" if self.layer is None else f"layer {self.layer}")
        if self.final_norm:
            parts.append("after the final norm")
        for what, chosen in (("layers", self.attention_layers), ("heads", self.attention_heads)):
            if chosen is not None:
                parts.append(f"α over {what} {', '.join(map(str, chosen))}")
        if self.smoothing != "persistence":
            parts.append(f"smoothed by {self.smoothing}")
        return ", ".join(parts)


ABLATIONS: Final = {
    "delta": AblationOptions(("delta",)),
    "residual": AblationOptions(("residual",)),
    "delta-residual": AblationOptions(),
    "h-ref": AblationOptions(("hidden",)),
    "h-noref": AblationOptions(("hidden_noref",)),
    "h-ref-h-noref": AblationOptions(("hidden", "hidden_noref")),
    "logistic": AblationOptions(scorer="logistic"),
    "final-norm": AblationOptions(final_norm=True),
    "window-max": AblationOptions(smoothing="window_max"),
    "window-mean": AblationOptions(smoothing="window_mean"),
}
"""Ready-made ablations by name; `layer-N`, `attention-layer-N` and `attention-head-N` are known for every N."""

_NUMBERED: Final = re.compile(r"(layer|attention-layer|attention-head)-(\d+)")


def ablation(name: str) -> RecipeMethod:
    """Return the ablation of that name, its card named `ablation-NAME`.

    >>> ablation("layer-12").card.title
    'mlp on [Δ; c], layer 12'

    Raises:
        InputError: there is none of that name; the message names those there are.
    """
    numbered = _NUMBERED.fullmatch(name)
    if numbered is None:
        if name not in ABLATIONS:
            known = [*ABLATIONS, "layer-N", "attention-layer-N", "attention-head-N"]
            raise InputError("ablation", f"{name!r} is not an ablation; {nearest_hint(name, known)}")
        return ABLATIONS[name].method(f"ablation-{name}")
    kind, number = numbered[1], int(numbered[2])
    if kind == "attention-head":  # heads count from 0
        return AblationOptions(attention_heads=(number,)).method(f"ablation-{name}")
    if number < 1:
        raise InputError("ablation", f"{name!r} is not an ablation; layers count from 1")
    options = AblationOptions(layer=number) if kind == "layer" else AblationOptions(attention_layers=(number,))
    return options.method(f"ablation-{name}")


def comparison(
    *,
    features: Sequence[str] = _COMPARISON,
    scorer: str = "mlp",
    layer: int | None = None,
    final_norm: bool = False,
    attention_layers: Sequence[int] | None = None,
    attention_heads: Sequence[int] | None = None,
    smoothing: SmoothingMethod = "persistence",
) -> RecipeMethod:
    """Return the method of any `AblationOptions`, its card named `comparison`; sequences may be lists."""
    return AblationOptions(
        features=tuple(features),
        scorer=scorer,
        layer=layer,
        final_norm=final_norm,
        attention_layers=None if attention_layers is None else tuple(attention_layers),
        attention_heads=None if attention_heads is None else tuple(attention_heads),
        smoothing=smoothing,
    ).method("comparison")


def layer_sweep(layers: Sequence[int]) -> tuple[RecipeMethod, ...]:
    """Return the comparison at each of these layers, one method a layer."""
    return tuple(ablation(f"layer-{layer}") for layer in layers)
