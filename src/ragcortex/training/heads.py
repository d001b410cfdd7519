"""Fitting the heads of a recipe where it is already decided what to fit on and what to choose on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import numpy as np
from sklearn.metrics import average_precision_score

from ragcortex.bundle import FittedHead
from ragcortex.detectors.recipes import Head, Recipe
from ragcortex.errors import InputError
from ragcortex.example import Example
from ragcortex.scorers import RecurrentScorer, scorer_class
from ragcortex.scorers.token_table import TokenTable
from ragcortex.signals.features import feature_set
from ragcortex.training.tables import ReadingSource, sample_within, token_table

# Tokens the layer is chosen on, at most: enough to rank layers, little enough to try every candidate.
_LAYER_CHOICE_TOKENS: Final = 80_000

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class TrainingOptions:
    """What may be decided about a training run.

    Attributes:
        layers: candidate layers; None takes the recipe's candidates for the reader's depth.
        validation_fraction: share of the rows, in whole groups, on which choices are made.
        n_seeds: networks averaged a head.
        seed: of splits and networks.
        smoothing: `chosen` on validation answers, or `usual`: the paper's p_stay, for where validation answers are
            unlike those to come, such as short or made-up ones, whose spans say little of how long spans are.
    """

    layers: tuple[int, ...] | None = None
    validation_fraction: float = 0.15
    n_seeds: int = 3
    seed: int = 0
    smoothing: Literal["chosen", "usual"] = "chosen"

    def __post_init__(self) -> None:
        if self.layers is not None and (not self.layers or min(self.layers) < 1):
            raise InputError("layers", f"must be layer numbers from 1 on, got {self.layers}")
        if self.n_seeds < 1:
            raise InputError("seeds", f"must be at least 1, got {self.n_seeds}")
        if self.smoothing not in ("chosen", "usual"):
            raise InputError("smoothing", f"must be chosen or usual, got {self.smoothing!r}")


@dataclass(frozen=True, slots=True)
class Split:
    """Indices of the examples to fit on, to choose on, and of those of the latter whose tokens have labels."""

    training: list[int]
    validation: list[int]
    validation_tokens: list[int]


def fit_heads(
    examples: Sequence[Example],
    source: ReadingSource,
    recipe: Recipe,
    candidate_layers: tuple[int, ...],
    *,
    split: Split,
    options: TrainingOptions,
    report: Progress = lambda _: None,
) -> tuple[tuple[FittedHead, ...], dict[str, Any]]:
    """Return the recipe's heads, and what was tried on validation data and how it fared.

    Args:
        examples: what the split counts.
        source: their readings, with every candidate layer.
        recipe: what to fit.
        candidate_layers: hidden-state layers to choose from by validation.
        split: heads are fitted on its training tokens; layer and stopping epoch are chosen on its validation tokens.
        options: seeds; the split is already made.
        report: called with a line of progress now and then.

    Raises:
        TrainingError: tokens have no labels, or a class is missing.
    """
    ranked, choices = _ranked_layers(examples, source, recipe, candidate_layers, split=split, options=options)
    heads = []
    for head in recipe.heads:
        if head.layer_rank >= len(ranked):
            report(f"head {head.name} is left out: it takes {head.layer_rank + 1} candidate layers, not {len(ranked)}")
            continue
        layer = ranked[head.layer_rank]
        training = token_table(examples, source, split.training, head.features, layer)
        validation = token_table(examples, source, split.validation_tokens, head.features, layer)
        heads.append(fit_head(head, layer, training, validation, options))
        report(f"head {head.name}, layer {layer}: fitted on {len(training.y):,} tokens")
    return tuple(heads), choices


def fit_head(
    head: Head,
    layer: int,
    training: TokenTable,
    validation: TokenTable,
    options: TrainingOptions,
) -> FittedHead:
    """Return one fitted head, stopped by validation where its scorer stops early."""
    kind = scorer_class(head.scorer)
    params = dict(head.params)
    if "n_seeds" in kind().get_params():
        params |= {"n_seeds": options.n_seeds, "seed": options.seed}
    scorer = kind(**params)
    tables = (training.X, training.y, validation.X, validation.y)
    if isinstance(scorer, RecurrentScorer):
        scorer.fit(*tables, lengths=training.lengths, val_lengths=validation.lengths)
    else:
        scorer.fit(*tables)
    needs_layer = any(feature_set(name).needs_hidden for name in head.features)
    return FittedHead(head.name, head.features, layer if needs_layer else 0, head.scorer, scorer)


def _ranked_layers(
    examples: Sequence[Example],
    source: ReadingSource,
    recipe: Recipe,
    candidate_layers: tuple[int, ...],
    *,
    split: Split,
    options: TrainingOptions,
) -> tuple[tuple[int, ...], dict[str, Any]]:
    """Return the candidate layers, best first: by validation AP of the first head on hidden states, one network."""
    head = next((h for h in recipe.heads if any(feature_set(name).needs_hidden for name in h.features)), None)
    if head is None or len(candidate_layers) == 1:
        return candidate_layers, {}
    few = sample_within(examples, split.training, _LAYER_CHOICE_TOKENS, options.seed)
    few_validation = sample_within(examples, split.validation_tokens, _LAYER_CHOICE_TOKENS // 2, options.seed)
    quality: dict[int, float] = {}
    for layer in candidate_layers:
        training = token_table(examples, source, few, head.features, layer)
        validation = token_table(examples, source, few_validation, head.features, layer)
        fitted = fit_head(head, layer, training, validation, replace(options, n_seeds=1))
        quality[layer] = _precision(fitted, validation)
    ranked = tuple(sorted(quality, key=lambda layer: -quality[layer]))
    return ranked, {"validation_ap_by_layer": {str(layer): round(ap, 4) for layer, ap in quality.items()}}


def _precision(head: FittedHead, table: TokenTable) -> float:
    """Return a head's average precision, every answer scored by itself."""
    prob = np.concatenate([head.scorer.predict_proba(part)[:, 1] for part in table.parts()])
    return float(average_precision_score(table.y, prob))
