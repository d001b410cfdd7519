"""The geometric witness as it ships: what it says of an answer's words, given to the reader's tokens."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ragcortex.benchmark.method import BenchmarkMethod, FittedMethod, FoldData, MethodScores, Workbench
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.methods.seen import SEEN_BY_GEOMETRY
from ragcortex.detectors.standings import unfit_statements
from ragcortex.errors import InputError
from ragcortex.fusion.token_signals import TOKEN_SIGNALS, TokenSignals, Values, token_signals
from ragcortex.geometry.embedders.cached import RememberingEmbedder
from ragcortex.geometry.embedders.embedder import FLOAT32, Embedder
from ragcortex.geometry.embedders.load import load_embedder
from ragcortex.geometry.judgement import score
from ragcortex.geometry.model import GeometryModel
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec
from ragcortex.scorers.base import sigmoid
from ragcortex.training.geometry import Witnessed, witnessed


class GeometricMethod(BenchmarkMethod):
    """The model that ships, on the embedded encoder or another one with its vectors.

    Args:
        embedder: as `RAGCORTEX_EMBEDDER` names it.
    """

    card = MethodCard(
        name="geometry",
        title="Geometry",
        summary="sentences among the reference chunks in an embedding space, and exact comparison of facts",
        source="ragcortex, docs/geometry.md; fitted on SummEdits, HaluEval, WiCE, RefChecker, made-up hallucinations",
        training="other data",
        scale="probability",
        answer_score="one minus the product of (1 − score) over its statements",
    )

    seen = SEEN_BY_GEOMETRY

    def __init__(self, embedder: str = "embedded") -> None:
        self._embedder = embedder

    @property
    def surroundings(self) -> Mapping[str, Any]:  # type: ignore[override]
        """The model that ships, and the embedder's vectors."""
        return geometric_surroundings(self._embedder)

    def spec(self, reader: Reader) -> ReadingSpec:  # noqa: ARG002
        """Return that nothing is read."""
        return ReadingSpec()

    def fit(self, bench: Workbench, fold: FoldData) -> FittedMethod:  # noqa: ARG002
        """Return the model that ships; nothing is fitted here."""
        return _FittedGeometry(GeometryModel.load(), load_embedder(self._embedder, dtype=FLOAT32))


def geometric_surroundings(embedder: str) -> dict[str, Any]:
    """Return what geometric scores depend on: the model that ships, and the embedder's vectors."""
    return {
        "geometry": GeometryModel.load().fingerprint,
        "embedder": load_embedder(embedder, dtype=FLOAT32).identity.fingerprint,
    }


class _FittedGeometry(FittedMethod):
    def __init__(self, model: GeometryModel, embedder: Embedder) -> None:
        self._model, self._embedder = model, embedder

    def score(self, bench: Workbench, indices: Sequence[int]) -> Iterator[MethodScores]:
        """Yield each token's word score; tokens of statements that claim nothing have 0."""
        for index, one in zip(indices, examined(bench, indices, self._embedder, self._model), strict=True):
            tokens = bench.tokens(index)
            scores = score(one.evidence, self._model)
            signals = token_signals(
                tokens, None, None, one.evidence, scores, unfit=unfit_statements(one.evidence, self._embedder)
            )
            yield MethodScores(word_scores(signals), scores.answer)


def word_scores(signals: TokenSignals) -> Values:
    """Return the geometric score of each token's word, float64 (T,); 0 where the witness says nothing."""
    logits = signals.values[:, TOKEN_SIGNALS.index("word")]
    return np.where(np.isnan(logits), 0.0, sigmoid(np.nan_to_num(logits)))


def examined(bench: Workbench, indices: Sequence[int], embedder: Embedder, model: GeometryModel) -> Iterator[Witnessed]:
    """Yield what the geometric witness sees in each of these answers, in order; those to one source share vectors.

    Raises:
        InputError: an answer has no references with text.
    """
    remembering = RememberingEmbedder(embedder)
    for index in indices:
        # Without its label: the witness must not be told.
        example = replace(bench.examples[index], spans=None, label=None)
        found = witnessed([example], remembering, chunking=model.chunking, options=model.options, claimless=True)
        if not found:
            raise InputError("references", f"of example {example.id!r} hold no text to compare the answer with")
        yield replace(found[0], example=bench.examples[index])
