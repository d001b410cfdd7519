"""ReDeEP: parametric knowledge of some layers against external context of some heads, token form."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Final

import numpy as np

from ragcortex.benchmark.method import BenchmarkMethod, FittedMethod, FoldData, MethodScores, Workbench
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.methods.windows import by_window, lowest, measure
from ragcortex.errors import InputError, TrainingError
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Block, Floats, ReadingSpec
from ragcortex.score_arrays import Floats as Scores
from ragcortex.score_arrays import Labels
from ragcortex.signals.redeep import Correlation, Selection, scaled

_SPEC: Final = ReadingSpec(measures=("external_context", "parametric_knowledge"))
_KNOWLEDGE: Final = measure("parametric_knowledge")
# As far as the released code sets them by hand, for three readers and two data sets.
N_HEADS: Final = (1, 2, 3, 4, 7, 11)
N_LAYERS: Final = (1, 3, 5, 10, 17, 30)
ALPHAS: Final = (0.1, 0.2, 0.4, 0.6, 1.2, 1.8)


def _context(block: Block) -> Floats:
    scores = measure("external_context")(block)
    return scores.reshape(len(scores), -1)


class ReDeEP(BenchmarkMethod):
    """Sum of knowledge scores minus α times the sum of context scores; of an answer, the mean over its tokens.

    Heads and layers are ranked by Pearson correlation with the labels of the training tokens (context negatively,
    knowledge positively); how many of each, and α, are those with the highest AUROC over the validation tokens.

    Args:
        n_heads, n_layers: how many of the best heads and layers are tried; more than there are count as all.
        alphas: weights of the external context that are tried.
    """

    card = MethodCard(
        name="redeep",
        title="ReDeEP",
        summary="knowledge that feed-forward parts add, minus nearness to the references attended to",
        source=(
            "Sun et al. 2025 (arXiv 2410.11414) and its released code, token form. Ours: selected on training and "
            "validation answers (the released code on test answers), among all heads (not only those that copy), by "
            "Pearson correlation; sums scaled by the training tokens; its chunk form needs a sentence encoder and is "
            "not here"
        ),
        training="labels",
        scale="any",
        answer_score="mean of its tokens' raw scores",
    )

    def __init__(
        self,
        n_heads: Sequence[int] = N_HEADS,
        n_layers: Sequence[int] = N_LAYERS,
        alphas: Sequence[float] = ALPHAS,
    ) -> None:
        for name, values in (("n_heads", n_heads), ("n_layers", n_layers), ("alphas", alphas)):
            if not values or min(values) <= 0:
                raise InputError(name, f"must be one or more positive numbers, got {tuple(values)}")
        self.n_heads, self.n_layers, self.alphas = tuple(n_heads), tuple(n_layers), tuple(alphas)

    def spec(self, reader: Reader) -> ReadingSpec:  # noqa: ARG002
        """See `BenchmarkMethod.spec`."""
        return _SPEC

    def fit(self, bench: Workbench, fold: FoldData) -> FittedMethod:
        """Return the score selected on training and validation answers.

        Raises:
            TrainingError: training or validation tokens lack a label.
        """
        from sklearn.metrics import roc_auc_score

        heads, layers = self._ranked(bench, fold.training)
        known, near, _ = _sums(bench, fold.training, heads, layers)
        known_val, near_val, labels = _sums(bench, fold.validation, heads, layers)
        if len(set(labels.tolist())) < 2:
            raise TrainingError("the validation tokens need both labels 0 and 1 to choose heads and layers")
        best, quality = None, -1.0
        for n_heads, n_layers in product(_places(self.n_heads, len(heads)), _places(self.n_layers, len(layers))):
            ends = [
                (float(s[:, n - 1].min()), float(s[:, n - 1].max())) for s, n in ((near, n_heads), (known, n_layers))
            ]
            context, knowledge = scaled(near_val[:, n_heads - 1], ends[0]), scaled(known_val[:, n_layers - 1], ends[1])
            for alpha in self.alphas:
                auroc = float(roc_auc_score(labels, knowledge - alpha * context))
                if auroc > quality:
                    best = Selection(heads[:n_heads], layers[:n_layers], alpha, ends[0], ends[1])
                    quality = auroc
        assert best is not None
        return _FittedReDeEP(best, quality, bench.reader.identity.n_layers)

    def _ranked(self, bench: Workbench, indices: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the heads and layers that go best with the labels, best first, as many as may be chosen."""
        context, knowledge = Correlation(), Correlation()
        classes: set[int] = set()
        for near, known, labels in _tokens(bench, indices):
            context.add(near, labels)
            knowledge.add(known, labels)
            classes.update(labels.tolist())
        if classes != {0, 1}:
            raise TrainingError(f"the training tokens need both labels 0 and 1, got {sorted(classes)}")
        heads = np.argsort(context.result(), kind="stable")[: max(self.n_heads)]
        layers = np.argsort(-knowledge.result(), kind="stable")[: max(self.n_layers)]
        return tuple(heads.tolist()), tuple(layers.tolist())


class _FittedReDeEP(FittedMethod):
    def __init__(self, selection: Selection, auroc: float, n_layers: int) -> None:
        self._selection = selection
        self.choices: dict[str, Any] = {
            "heads": list(selection.heads),
            "layers": [layer + 1 for layer in selection.layers],
            "alpha": selection.alpha,
            "validation_auroc": round(auroc, 4),
            "depth": n_layers,
        }

    def score(self, bench: Workbench, indices: Sequence[int]) -> Iterator[MethodScores]:
        """See `FittedMethod.score`."""
        for reading in bench.readings(indices, _SPEC):
            pairs = zip(by_window(reading, _context), by_window(reading, _KNOWLEDGE), strict=True)
            tokens = lowest([self._selection.scores(near, known) for near, known in pairs])
            yield MethodScores(tokens, float(tokens.mean()))


def _tokens(bench: Workbench, indices: Sequence[int]) -> Iterator[tuple[Floats, Floats, Labels]]:
    """Yield context (T, layers · heads), knowledge (T, layers) and labels (T,) of each answer with known spans.

    They are of the first window of the references, as detectors are trained.
    """
    known = bench.with_known_spans(indices)
    for index, reading in zip(known, bench.readings(known, _SPEC), strict=True):
        yield by_window(reading, _context)[0], by_window(reading, _KNOWLEDGE)[0], bench.token_labels(index)


def _sums(
    bench: Workbench, indices: Sequence[int], heads: tuple[int, ...], layers: tuple[int, ...]
) -> tuple[Scores, Scores, Labels]:
    """Return the sums over the first 1, 2, … layers (n, layers) and heads (n, heads), and the labels (n,)."""
    parts = [
        (
            np.cumsum(known[:, list(layers)], axis=1, dtype=np.float64),
            np.cumsum(near[:, list(heads)], axis=1, dtype=np.float64),
            labels,
        )
        for near, known, labels in _tokens(bench, indices)
    ]
    if not parts:
        raise TrainingError(f"none of these {len(indices)} answers has known spans, so no token has a label")
    known, near, labels = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return known, near, labels


def _places(counts: tuple[int, ...], n: int) -> list[int]:
    return sorted({min(count, n) for count in counts})
