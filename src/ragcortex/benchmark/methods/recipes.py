"""Recipes as methods: their heads are fitted on a fold's training answers, layer and epoch chosen on its validation."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ragcortex.benchmark.method import BenchmarkMethod, FittedMethod, FoldData, MethodScores, Workbench
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.bundle import FittedHead
from ragcortex.detectors.recipes import Head, Recipe
from ragcortex.detectors.scoring import raw_scores
from ragcortex.errors import TrainingError
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Reading, ReadingSpec
from ragcortex.scorers import scorer_class
from ragcortex.training import layer_candidates
from ragcortex.training.heads import Split, TrainingOptions, fit_heads

_UNTRAINED: Final = ("gain",)
"""Scorers that learn nothing."""


@dataclass(frozen=True, slots=True)
class ReadingChoice:
    """How states and attention are read, where a recipe leaves it open.

    Attributes:
        final_norm: whether the model's final norm is applied to hidden states.
        attention_layers, attention_heads: what attention is pooled over, as in `ReadingSpec`; None is all.
    """

    final_norm: bool = False
    attention_layers: tuple[int, ...] | None = None
    attention_heads: tuple[int, ...] | None = None

    def applied(self, spec: ReadingSpec) -> ReadingSpec:
        """Return the spec read this way, where it reads states or attention at all."""
        if spec.layers:
            spec = replace(spec, final_norm=self.final_norm)
        if spec.attends:
            spec = replace(spec, attention_layers=self.attention_layers, attention_heads=self.attention_heads)
        return spec


class RecipeMethod(BenchmarkMethod):
    """Any recipe of a detector, one raw score a token: the mean of its heads' probabilities.

    Args:
        recipe: what to fit.
        card: what a table says of it.
        layers: candidate layers, whatever the workbench says; None takes the workbench's, or the recipe's own. A recipe
            of the final layer chooses none.
        reading: how it is read.
    """

    def __init__(
        self,
        recipe: Recipe,
        card: MethodCard,
        *,
        layers: Sequence[int] | None = None,
        reading: ReadingChoice | None = None,
    ) -> None:
        self.recipe = recipe
        self.card = card
        self.layers = TrainingOptions(layers=None if layers is None else tuple(layers)).layers
        self.reading = reading or ReadingChoice()

    def spec(self, reader: Reader) -> ReadingSpec:
        """See `BenchmarkMethod.spec`."""
        return self._spec(self._candidates(reader, None))

    def fit(self, bench: Workbench, fold: FoldData) -> FittedMethod:
        """See `BenchmarkMethod.fit`."""
        if self.card.training == "none":
            return FittedRecipe(tuple(_untrained(head) for head in self.recipe.heads), self.reading, {})
        layers = self._candidates(bench.reader, bench.layers)
        spec = self._spec(layers)

        def source(indices: Sequence[int], /) -> Iterable[Reading]:
            return bench.readings(indices, spec)

        heads, choices = fit_heads(
            bench.examples,
            source,
            self.recipe,
            layers,
            split=split_of(bench, fold),
            options=TrainingOptions(n_seeds=bench.n_networks, seed=bench.seed),
            report=bench.report,
        )
        layer = next((head.layer for head in heads if head.layer), 0)  # the best one; 0 where no head reads states
        return FittedRecipe(heads, self.reading, {"layer": layer, **choices} if layer else choices)

    def _candidates(self, reader: Reader, asked: tuple[int, ...] | None) -> tuple[int, ...]:
        chosen = self.layers or (None if self.recipe.layers == "final" else asked)
        return layer_candidates(self.recipe, reader, TrainingOptions(layers=chosen))

    def _spec(self, layers: tuple[int, ...]) -> ReadingSpec:
        return self.reading.applied(self.recipe.spec(layers))


class FittedRecipe(FittedMethod):
    """The heads of a recipe, fitted in one fold."""

    def __init__(self, heads: tuple[FittedHead, ...], reading: ReadingChoice, choices: Mapping[str, Any]) -> None:
        self.heads = heads
        self.choices = choices
        spec = ReadingSpec()
        for head in heads:
            spec = spec.union(head.spec())
        self.spec = reading.applied(spec)

    def score(self, bench: Workbench, indices: Sequence[int]) -> Iterator[MethodScores]:
        """See `FittedMethod.score`."""
        for reading in bench.readings(indices, self.spec):
            yield MethodScores(raw_scores(reading, self.heads))


def trains(recipe: Recipe) -> bool:
    """Return whether any head of the recipe learns."""
    return any(head.scorer not in _UNTRAINED for head in recipe.heads)


def _untrained(head: Head) -> FittedHead:
    scorer = scorer_class(head.scorer)(**head.params).fit(np.zeros((0, 1), np.float32), np.zeros(0, np.int8))
    return FittedHead(head.name, head.features, 0, head.scorer, scorer)


def split_of(bench: Workbench, fold: FoldData) -> Split:
    """Return the fold as heads are fitted on it: answers whose tokens have labels, and all validation answers.

    Raises:
        TrainingError: no answer of a part has token labels.
    """
    training, validation = (bench.with_known_spans(indices) for indices in (fold.training, fold.validation))
    for part, indices in (("training", training), ("validation", validation)):
        if not indices:
            raise TrainingError(
                f"no {part} answer of fold {fold.number} has known spans (or label 0), so there are no token labels; "
                "use a method that needs none, or data with spans"
            )
    return Split(training, list(fold.validation), validation)
