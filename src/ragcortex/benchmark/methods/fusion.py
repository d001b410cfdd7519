"""The fusion of both witnesses, fitted on a fold's training answers; the geometric one is as it ships."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ragcortex.benchmark.method import BenchmarkMethod, FittedMethod, FoldData, MethodScores, Workbench
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.methods.geometric import examined, geometric_surroundings
from ragcortex.benchmark.methods.recipes import split_of
from ragcortex.benchmark.methods.seen import SEEN_BY_GEOMETRY
from ragcortex.bundle import FittedHead
from ragcortex.detectors.recipes import recipe as find_recipe
from ragcortex.detectors.scoring import raw_scores
from ragcortex.detectors.standings import unfit_statements
from ragcortex.fusion.judgement import fuse
from ragcortex.fusion.model import FusionModel
from ragcortex.geometry.embedders.embedder import FLOAT32, Embedder
from ragcortex.geometry.embedders.load import load_embedder
from ragcortex.geometry.judgement import score
from ragcortex.geometry.model import GeometryModel
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Reading, ReadingSpec
from ragcortex.training import layer_candidates
from ragcortex.training.fusion import FusionIdentity, FusionRow, fit_fusion
from ragcortex.training.fusion_rows import fusion_row, held_out_raws
from ragcortex.training.heads import TrainingOptions, fit_heads


class FusionMethod(BenchmarkMethod):
    """Both witnesses in one verdict.

    The heads that score test answers are those of the recipe, fitted on the training answers. The fusion is fitted on
    scores of heads that saw no answer to the same source: five folds within the training answers.

    Args:
        recipe: of the heads.
        embedder: of the geometric witness.
    """

    card = MethodCard(
        name="fusion",
        title="Fusion",
        summary="CORTEX and geometry, stacked; the geometric witness is as it ships, fitted on other data",
        source="ragcortex, docs/fusion.md",
        training="labels",
        scale="probability",
        # Its token scores are made of smoothed ones; smoothing them again was worse on validation data.
        smoothing="none",
        answer_score="the probability that a statement is hallucinated",
    )

    seen = SEEN_BY_GEOMETRY

    def __init__(self, recipe: str = "cortex", embedder: str = "embedded") -> None:
        self._recipe = find_recipe(recipe)
        self._embedder = embedder

    @property
    def surroundings(self) -> Mapping[str, Any]:  # type: ignore[override]
        """Those of its geometric witness."""
        return geometric_surroundings(self._embedder)

    def spec(self, reader: Reader) -> ReadingSpec:
        """Return what the recipe and the fusion's own signals need."""
        return self._recipe.spec(layer_candidates(self._recipe, reader, TrainingOptions()))

    def fit(self, bench: Workbench, fold: FoldData) -> FittedMethod:
        """See `BenchmarkMethod.fit`."""
        layers = layer_candidates(self._recipe, bench.reader, TrainingOptions(layers=bench.layers))
        spec = self._recipe.spec(layers)
        options = TrainingOptions(n_seeds=bench.n_networks, seed=bench.seed)

        def source(indices: Sequence[int], /) -> Iterable[Reading]:
            return bench.readings(indices, spec)

        heads, choices = fit_heads(
            bench.examples, source, self._recipe, layers, split=split_of(bench, fold), options=options,
            report=bench.report,
        )  # fmt: skip
        chosen = tuple({head.layer for head in heads if head.layer}) or layers[:1]
        geometry, embedder = GeometryModel.load(), load_embedder(self._embedder, dtype=FLOAT32)
        raws = held_out_raws(
            [bench.examples[index] for index in fold.training],
            lambda indices, /: source([fold.training[index] for index in indices]),
            self._recipe,
            chosen,
            options=TrainingOptions(layers=chosen, n_seeds=bench.n_networks, seed=bench.seed),
            reader=bench.reader,
            report=bench.report,
        )
        fitted = _FittedFusion(heads, spec, geometry, embedder, choices=choices)
        rows = fitted.rows(bench, fold.training, dict(zip(fold.training, raws, strict=True)))
        identity = FusionIdentity(self.card.name, "1", self._recipe.name, "not saved", geometry.fingerprint)
        fitted.model = fit_fusion(
            [row for row in rows if row.evidence.claims],
            identity,
            calibrate_on=lambda _: True,
            data="the training answers of a fold",
            training={},
            seed=bench.seed,
        )
        return fitted


class _FittedFusion(FittedMethod):
    model: FusionModel

    def __init__(
        self,
        heads: Sequence[FittedHead],
        spec: ReadingSpec,
        geometry: GeometryModel,
        embedder: Embedder,
        *,
        choices: Mapping[str, Any],
    ) -> None:
        self._heads, self._spec, self._geometry, self._embedder = heads, spec, geometry, embedder
        self.choices = choices

    def rows(
        self, bench: Workbench, indices: Sequence[int], raws: Mapping[int, Any] | None = None
    ) -> Iterator[FusionRow]:
        """Yield what both witnesses say of these answers; the heads' raw scores, or held-out ones where given."""
        readings = bench.readings(indices, self._spec)
        for index, reading, seen in zip(
            indices, readings, examined(bench, indices, self._embedder, self._geometry), strict=True
        ):
            raw = raw_scores(reading, self._heads) if raws is None else raws[index]
            unfit = unfit_statements(seen.evidence, self._embedder)
            yield fusion_row(seen, reading, raw, score(seen.evidence, self._geometry), unfit=unfit)

    def score(self, bench: Workbench, indices: Sequence[int]) -> Iterator[MethodScores]:
        """Yield the fusion's probabilities."""
        for row in self.rows(bench, indices):
            fused = fuse(row.signals, row.evidence, self.model)
            yield MethodScores(fused.tokens, fused.answer)
