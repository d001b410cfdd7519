"""Lookback Lens: logistic regression on how much each attention head looks back at the references."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from ragcortex.benchmark.method import BenchmarkMethod, FittedMethod, FoldData, MethodScores, Workbench
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.methods.windows import by_window, lowest, measure, token_rows
from ragcortex.errors import InputError, TrainingError
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Block, Floats, ReadingSpec
from ragcortex.signals.lookback import lookback_features

_SPEC = ReadingSpec(measures=("lookback",))
_RATIOS = measure("lookback")


class LookbackLens(BenchmarkMethod):
    """Logistic regression on lookback ratios, token level.

    Args:
        width: tokens averaged, the token itself and those before it; 8 as released, 1 takes single tokens.
    """

    card = MethodCard(
        name="lookback-lens",
        title="Lookback Lens",
        summary="logistic regression on each head's attention to the references over that to the answer",
        source=(
            "Chuang et al. 2024 (arXiv 2407.07071) and its released code: ratios averaged over a window of 8 tokens, "
            "scikit-learn's logistic regression as it comes, 1,000 iterations. Ours: a window's label is that of its "
            "last token, not whether any is hallucinated; the first seven tokens have shorter windows"
        ),
        training="labels",
        scale="probability",
    )

    def __init__(self, width: int = 8) -> None:
        if width < 1:
            raise InputError("width", f"must be at least 1 token, got {width}")
        self.width = width

    def spec(self, reader: Reader) -> ReadingSpec:  # noqa: ARG002
        """See `BenchmarkMethod.spec`."""
        return _SPEC

    def fit(self, bench: Workbench, fold: FoldData) -> FittedMethod:
        """Return the regression fitted on the training tokens; there is nothing to choose."""
        from sklearn.linear_model import LogisticRegression

        features, labels = token_rows(bench, fold.training, _SPEC, self._features)
        if len(set(labels.tolist())) < 2:
            raise TrainingError("the training tokens need both labels 0 and 1 for a logistic regression")
        return _FittedLookback(LogisticRegression(max_iter=1000).fit(features, labels), self._features)

    def _features(self, block: Block) -> Floats:
        return lookback_features(_RATIOS(block), self.width)


class _FittedLookback(FittedMethod):
    def __init__(self, model: Any, features: Any) -> None:
        self._model, self._features = model, features

    def score(self, bench: Workbench, indices: Sequence[int]) -> Iterator[MethodScores]:
        """See `FittedMethod.score`."""
        for reading in bench.readings(indices, _SPEC):
            windows = by_window(reading, self._features)
            yield MethodScores(np.clip(lowest([self._model.predict_proba(w)[:, 1] for w in windows]), 0, 1))
