"""LLM-Check: hidden states, attention or likelihoods of one pass, without a network.

The hidden and attention scores are taken at one layer, chosen on validation answers by AUROC; the published figures
take the best layer of those they were measured on.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal

import numpy as np

from ragcortex.benchmark.method import BenchmarkMethod, FittedMethod, FoldData, MethodScores, Workbench
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.methods.windows import by_window, lowest, measure
from ragcortex.errors import InputError, ReadingError, TrainingError
from ragcortex.evaluation.metrics import ranking_metrics
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Block, Floats, Reading, ReadingSpec
from ragcortex.signals.likelihood import negative_log_likelihood
from ragcortex.signals.llm_check import attention_scores, hidden_score, perplexity, window_entropy

_PAPER: Final = "Sriramanan et al. 2024 (LLM-Check, NeurIPS) and its released code"
# Shares of the depth tried for the hidden score; the paper recommends layer 20 of 32.
_DEPTHS: Final = (1 / 2, 5 / 8, 3 / 4)
LogitKind = Literal["perplexity", "entropy", "window-entropy"]
_LOGIT_TITLES: Final[Mapping[LogitKind, tuple[str, str]]] = {
    "entropy": ("LLM-Check, entropy", "mean of its tokens' top-50 entropies"),
    "perplexity": ("LLM-Check, perplexity", "exp of its mean −log p"),
    "window-entropy": ("LLM-Check, window entropy", "highest mean entropy of a window"),
}


class LLMCheckHidden(BenchmarkMethod):
    """Mean log singular value of an answer's centred Gram matrix; answer level.

    Args:
        layers: candidate layers; None takes the workbench's, else those at half, 5/8 and 3/4 of the depth.
    """

    card = MethodCard(
        name="llm-check-hidden",
        title="LLM-Check, hidden",
        summary="spread of the answer's hidden states at one layer",
        source=f"{_PAPER}: mean log singular value of ZᵀJZ + 0.001 I. Ours: layer by validation AUROC",
        training="labels",
        scale="any",
        level="answer",
        smoothing="none",
        answer_score="mean log singular value of the centred Gram matrix of its states",
    )

    def __init__(self, layers: Sequence[int] | None = None) -> None:
        self.layers = None if layers is None else tuple(sorted(set(layers)))

    def spec(self, reader: Reader) -> ReadingSpec:
        """See `BenchmarkMethod.spec`."""
        return ReadingSpec(layers=self._candidates(reader, None))

    def fit(self, bench: Workbench, fold: FoldData) -> FittedMethod:
        """Return the score at the layer that ranks the validation answers best."""
        layers = self._candidates(bench.reader, bench.layers)

        def scores(reading: Reading) -> list[float]:
            return [_answer_hidden(reading, layer) for layer in layers]

        place, choices = _best_layer(bench, fold, ReadingSpec(layers=layers), scores, layers)
        layer = layers[place]
        return _Scored(ReadingSpec(layers=(layer,)), lambda r: MethodScores(None, _answer_hidden(r, layer)), choices)

    def _candidates(self, reader: Reader, asked: tuple[int, ...] | None) -> tuple[int, ...]:
        n_layers = reader.identity.n_layers
        layers = self.layers or asked or tuple(sorted({max(1, round(depth * n_layers)) for depth in _DEPTHS}))
        if not 0 <= min(layers) <= max(layers) <= n_layers:
            raise InputError("layers", f"must be 0 to {n_layers} for this reader, got {layers}")
        return layers


class LLMCheckAttention(BenchmarkMethod):
    """Σ_heads log A_ii of each token at one layer; of an answer, the mean over its tokens, as published.

    Args:
        layers: candidate layers, 1 = the first; None takes every layer.
        larger_is_hallucinated: the direction. The paper finds the log eigenvalues of hallucinated answers consistently
            larger; the released notebook negates them (and the perplexity) before it measures the AUROC on FAVA.
    """

    card = MethodCard(
        name="llm-check-attention",
        title="LLM-Check, attention",
        summary="log of each token's attention to itself, summed over the heads of one layer",
        source=(
            f"{_PAPER}: Σ_heads mean_i log A_ii, larger = hallucinated as the paper's text says (its notebook negates "
            "it). Ours: layer by validation AUROC, attention below 1.2e-38 counts as that; token form Σ_heads log A_ii"
        ),
        training="labels",
        scale="any",
        answer_score="mean of its tokens' raw scores",
    )

    def __init__(self, layers: Sequence[int] | None = None, *, larger_is_hallucinated: bool = True) -> None:
        self.layers = None if layers is None else tuple(sorted(set(layers)))
        self._sign = 1.0 if larger_is_hallucinated else -1.0

    def spec(self, reader: Reader) -> ReadingSpec:  # noqa: ARG002
        """See `BenchmarkMethod.spec`."""
        return ReadingSpec(measures=("self_attention",))

    def fit(self, bench: Workbench, fold: FoldData) -> FittedMethod:
        """Return the score at the layer that ranks the validation answers best."""
        n_layers = bench.reader.identity.n_layers
        layers = self.layers or bench.layers or tuple(range(1, n_layers + 1))
        if not 1 <= min(layers) <= max(layers) <= n_layers:
            raise InputError("layers", f"must be 1 to {n_layers} for this reader, got {layers}")
        spec = self.spec(bench.reader)

        def scores(reading: Reading) -> list[float]:
            return [float(self._tokens(reading, layer).mean()) for layer in layers]

        place, choices = _best_layer(bench, fold, spec, scores, layers)
        layer = layers[place]

        def of(reading: Reading) -> MethodScores:
            tokens = self._tokens(reading, layer)
            return MethodScores(tokens, float(tokens.mean()))

        return _Scored(spec, of, choices)

    def _tokens(self, reading: Reading, layer: int) -> Any:
        windows = by_window(reading, measure("self_attention"))
        return lowest([self._sign * attention_scores(window[:, layer - 1]) for window in windows])


class LLMCheckLogit(BenchmarkMethod):
    """Perplexity or entropy of the answer's tokens.

    Args:
        kind: `entropy` (of the 50 likeliest tokens, mean over the answer), `perplexity`, or `window-entropy` (of the
            whole vocabulary, highest window of the answer).
        width: tokens in a window of entropy; 1 as released.
    """

    card = MethodCard(
        name="llm-check-logit",
        title="LLM-Check, logit",
        summary="uncertainty of the reader's distribution: top-50 entropy, perplexity or windowed entropy",
        source=(
            f"{_PAPER}. Higher = hallucinated; the notebook negates the perplexity on FAVA. Ours: of the distribution "
            "a token was drawn from, not of the one after it; token form: the entropy or −log p of the token"
        ),
        training="none",
        scale="any",
        answer_score="mean top-50 entropy, perplexity, or highest windowed entropy",
    )

    def __init__(self, kind: LogitKind = "entropy", width: int = 1) -> None:
        if kind not in _LOGIT_TITLES:
            raise InputError("kind", f"must be perplexity, entropy or window-entropy, got {kind!r}")
        if width < 1:
            raise InputError("width", f"must be at least 1 token, got {width}")
        self.kind, self.width = kind, width
        title, answer = _LOGIT_TITLES[kind]
        self.card = replace(type(self).card, title=title, answer_score=answer)

    def spec(self, reader: Reader) -> ReadingSpec:  # noqa: ARG002
        """See `BenchmarkMethod.spec`."""
        if self.kind == "entropy":
            return ReadingSpec(measures=("top_entropy",))
        return ReadingSpec(log_probs=True)

    def fit(self, bench: Workbench, fold: FoldData) -> FittedMethod:  # noqa: ARG002
        """Return the score; nothing is fitted."""
        return _Scored(self.spec(bench.reader), self._scores, {})

    def _scores(self, reading: Reading) -> MethodScores:
        windows = by_window(reading, self._tokens)
        return MethodScores(lowest(windows), min(self._answer(window) for window in windows))

    def _tokens(self, block: Block) -> Floats:
        if self.kind == "entropy":
            return measure("top_entropy")(block)
        array = block.ref.log_prob if self.kind == "perplexity" else block.ref.entropy
        if array is None:
            raise ReadingError("the reading holds no likelihoods; read it with log_probs")
        return negative_log_likelihood(array) if self.kind == "perplexity" else array

    def _answer(self, tokens: Floats) -> float:
        if self.kind == "perplexity":
            return perplexity(-tokens)
        return window_entropy(tokens, self.width) if self.kind == "window-entropy" else float(tokens.mean())


class _Scored(FittedMethod):
    def __init__(
        self, spec: ReadingSpec, scores: Callable[[Reading], MethodScores], choices: Mapping[str, Any]
    ) -> None:
        self._spec, self._scores, self.choices = spec, scores, choices

    def score(self, bench: Workbench, indices: Sequence[int]) -> Iterator[MethodScores]:
        """See `FittedMethod.score`."""
        for reading in bench.readings(indices, self._spec):
            yield self._scores(reading)


def _answer_hidden(reading: Reading, layer: int) -> float:
    """Return the lowest hidden score over the windows of the references."""
    return min(hidden_score(states) for states in by_window(reading, lambda block: block.ref.hidden[layer]))


def _best_layer(
    bench: Workbench,
    fold: FoldData,
    spec: ReadingSpec,
    scores: Callable[[Reading], list[float]],
    layers: tuple[int, ...],
) -> tuple[int, dict[str, Any]]:
    """Return the place of the layer with the highest AUROC over the validation answers, and the record of it.

    Raises:
        TrainingError: there is a choice, but only one label among the validation answers.
    """
    if len(layers) == 1:
        return 0, {"layer": layers[0]}
    labels = bench.answer_labels(fold.validation)
    values = np.array([scores(reading) for reading in bench.readings(fold.validation, spec)])
    aurocs = [ranking_metrics(column, labels).auroc for column in values.reshape(len(labels), len(layers)).T]
    if aurocs[0].value is None:
        raise TrainingError(f"the layer cannot be chosen on the validation answers: {aurocs[0].reason}")
    quality = [auroc.value or 0.0 for auroc in aurocs]
    best = int(np.argmax(quality))
    by_layer = {str(layer): round(value, 4) for layer, value in zip(layers, quality, strict=True)}
    return best, {"layer": layers[best], "validation_auroc_by_layer": by_layer}
