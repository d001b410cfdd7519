"""RAGLens: sparse-autoencoder features of a middle layer, the most informative of them, and an additive model.

Source: Xiong et al. 2025 (arXiv 2512.08892) and its released code: pre-activations after the ReLU and before the top k,
maximum over the answer's tokens, mutual information with the answer's label over 50 equal-width bins, the best 1,000
features, ExplainableBoostingClassifier(interactions=0, max_bins=32). Ours: the autoencoder is trained here, on the
training answers' states after a transformer layer (theirs are published ones of 32 latents a dimension, mostly of an
MLP's output); features are not rounded to half precision; the token form puts one token's features through the same
model; and where references take several windows, each token takes the features of the window that grounds it best.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from sklearn.metrics import average_precision_score

from ragcortex.benchmark.method import BenchmarkMethod, FittedMethod, FoldData, MethodScores, Workbench
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.methods.kept import Arrays, kept_arrays, reading_key
from ragcortex.errors import InputError, TrainingError
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Floats, Reading, ReadingSpec
from ragcortex.score_arrays import Labels
from ragcortex.scorers.additive import AdditiveScorer, boosting_classifier
from ragcortex.scorers.information import N_BINS, most_informative
from ragcortex.scorers.sparse_autoencoder import SparseAutoencoder
from ragcortex.training.tables import sample_within

# Raised whenever the code changes what is made of the same inputs.
_FORMAT: Final = 1
# Of an autoencoder of the usual size; larger ones learn at a rate that falls as the root of their size (Gao et al.).
_LEARNING_RATE: Final = 2e-3
_USUAL_LATENTS: Final = 4608
# Held-out tokens on which the autoencoder's quality is told.
_QUALITY_TOKENS: Final = 4_000


@dataclass(frozen=True, slots=True)
class RaglensOptions:
    """What may be decided about RAGLens.

    Attributes:
        layers: candidate layers, one autoencoder each, chosen on validation answers; None takes the middle one.
        latents_per_dimension: size of the dictionary over the width of the state.
        n_active: latents that rebuild a state.
        n_training_tokens: training tokens the autoencoder sees, at most, in whole answers.
        n_epochs: passes over them.
        n_features: latents kept by mutual information.
        n_bags: resampled models that the additive model averages.
    """

    layers: tuple[int, ...] | None = None
    latents_per_dimension: int = 8
    n_active: int = 32
    n_training_tokens: int = 100_000
    n_epochs: int = 3
    n_features: int = 1000
    n_bags: int = 14

    def __post_init__(self) -> None:
        if self.layers is not None and (not self.layers or min(self.layers) < 1):
            raise InputError("layers", f"must be layer numbers from 1 on, got {self.layers}")
        for name in ("latents_per_dimension", "n_active", "n_training_tokens", "n_epochs", "n_features", "n_bags"):
            if getattr(self, name) < 1:
                raise InputError(name, f"must be at least 1, got {getattr(self, name)}")


class RaglensMethod(BenchmarkMethod):
    """RAGLens, answer level and token form; its arguments are those of `RaglensOptions`, layers in any sequence."""

    card = MethodCard(
        name="raglens",
        title="RAGLens",
        summary="additive model on the most informative features of a sparse autoencoder trained here",
        source=(
            "arXiv 2512.08892 and its released code; ours: the autoencoder (TopK, arXiv 2406.04093) is trained on the "
            "training answers, and one token's features go through the same model"
        ),
        training="labels",
        scale="probability",
        answer_score="its additive model on the features' maxima over the answer",
    )

    def __init__(
        self,
        *,
        layers: Sequence[int] | None = None,
        latents_per_dimension: int = 8,
        n_active: int = 32,
        n_training_tokens: int = 100_000,
        n_epochs: int = 3,
        n_features: int = 1000,
        n_bags: int = 14,
    ) -> None:
        self.options = RaglensOptions(
            layers=None if layers is None else tuple(layers),
            latents_per_dimension=latents_per_dimension,
            n_active=n_active,
            n_training_tokens=n_training_tokens,
            n_epochs=n_epochs,
            n_features=n_features,
            n_bags=n_bags,
        )

    def spec(self, reader: Reader) -> ReadingSpec:
        """See `BenchmarkMethod.spec`."""
        return ReadingSpec(layers=self._layers(reader))

    def fit(self, bench: Workbench, fold: FoldData) -> FittedMethod:
        """See `BenchmarkMethod.fit`.

        Raises:
            ModelMissingError: interpret-core is not installed.
            TrainingError: an answer has no label, or a class is missing.
            StoreError: the workbench's folder cannot be written to.
        """
        boosting_classifier()  # its absence is told before anything costly is made
        labels, layers = bench.answer_labels(fold.training), self._layers(bench.reader)
        y_val = bench.answer_labels(fold.validation)
        if len(layers) > 1 and len(set(y_val.tolist())) < 2:
            raise TrainingError(
                f"choosing the layer of RAGLens needs both labels among the validation answers of fold {fold.number}, "
                f"got {sorted(set(y_val.tolist()))}; give it more validation answers, or one layer"
            )
        fitted = {layer: self._fit_layer(bench, fold, layer, labels) for layer in layers}
        choices: dict[str, Any] = {}
        best = layers[0]
        if len(layers) > 1:
            quality = {layer: _answer_precision(bench, fold, one, y_val) for layer, one in fitted.items()}
            best = max(quality, key=lambda layer: quality[layer])
            choices["validation_ap_by_layer"] = {str(layer): round(ap, 4) for layer, ap in quality.items()}
        chosen = fitted[best]
        chosen.choices = {"layer": best, **choices, **chosen.choices}
        return chosen

    def _layers(self, reader: Reader) -> tuple[int, ...]:
        n_layers = reader.identity.n_layers
        layers = tuple(sorted(set(self.options.layers or (max(1, round(n_layers / 2)),))))
        if max(layers) > n_layers:
            raise InputError("layers", f"the reader has {n_layers} layers, got {max(layers)}")
        return layers

    def _fit_layer(self, bench: Workbench, fold: FoldData, layer: int, labels: Labels) -> "FittedRaglens":
        key = {
            "format": _FORMAT,
            "layer": layer,
            "seed": bench.seed,
            "options": {name: value for name, value in asdict(self.options).items() if name != "layers"},
            **reading_key(bench, fold.training),
        }
        folder, name = bench.folder / self.card.name, f"layer{layer}-fold{fold.number}-seed{bench.seed}"
        coder = self._coder(bench)
        arrays = kept_arrays(
            folder / f"autoencoder-{name}",
            key,
            lambda: _autoencoder_arrays(bench, fold, layer, coder, self.options.n_training_tokens),
            report=bench.report,
        )
        coder = SparseAutoencoder.from_arrays(coder.get_params(), arrays)
        scorer = AdditiveScorer(n_bags=self.options.n_bags, seed=bench.seed)
        arrays = kept_arrays(
            folder / f"classifier-{name}",
            {**key, "labels": labels.tolist()},
            lambda: _classifier_arrays(
                bench, fold, layer, coder=coder, scorer=scorer, labels=labels, n_features=self.options.n_features
            ),
            report=bench.report,
        )
        scorer = AdditiveScorer.from_arrays(scorer.get_params(), arrays)
        unexplained = coder.unexplained_variance(_states(bench, fold.validation, layer, _QUALITY_TOKENS))
        choices = {"n_latents": coder.n_latents, "validation_unexplained_variance": round(unexplained, 4)}
        return FittedRaglens(layer, coder, arrays["selected"], scorer, choices)

    def _coder(self, bench: Workbench) -> SparseAutoencoder:
        n_latents = self.options.latents_per_dimension * bench.reader.identity.hidden_size
        return SparseAutoencoder(
            n_latents,
            n_active=min(self.options.n_active, n_latents),
            learning_rate=_LEARNING_RATE * min(1.0, math.sqrt(_USUAL_LATENTS / n_latents)),
            n_epochs=self.options.n_epochs,
            device=bench.reader.device,
            seed=bench.seed,
        )


class FittedRaglens(FittedMethod):
    """An autoencoder, the latents kept, and the additive model on them."""

    def __init__(
        self,
        layer: int,
        coder: SparseAutoencoder,
        selected: npt.NDArray[np.intp],
        scorer: AdditiveScorer,
        choices: Mapping[str, Any],
    ) -> None:
        self.layer = layer
        self.coder = coder
        self.selected = selected
        self.scorer = scorer
        self.choices = choices

    def score(self, bench: Workbench, indices: Sequence[int]) -> Iterator[MethodScores]:
        """See `FittedMethod.score`."""
        for reading in bench.readings(indices, ReadingSpec(layers=(self.layer,))):
            windows = [self.coder.transform(states)[:, self.selected] for states in window_states(reading, self.layer)]
            probs = np.stack([self.scorer.predict_proba(window)[:, 1] for window in windows])
            grounding = probs.argmin(axis=0)  # a token is grounded if any window of the references grounds it
            features = np.stack(windows)[grounding, np.arange(probs.shape[1])]
            answer = self.scorer.predict_proba(features.max(axis=0, keepdims=True))[0, 1]
            yield MethodScores(probs.min(axis=0).astype(np.float64), float(answer))


def window_states(reading: Reading, layer: int) -> list[Floats]:
    """Return the states of all answer tokens in each window of the references, float32 (T, d) each.

    A token read in two pieces of the answer is taken from the one that decides it.
    """
    return [
        np.concatenate([b.ref.hidden[layer][b.keep - b.start :] for b in reading.blocks if b.window == window])
        for window in range(reading.n_windows)
    ]


def _states(bench: Workbench, indices: Sequence[int], layer: int, n_tokens: int) -> Floats:
    """Return the states of about n_tokens tokens of these answers, first window of the references, float32 (n, d)."""
    sample = sample_within(bench.examples, indices, n_tokens, bench.seed)
    return np.concatenate([window_states(r, layer)[0] for r in bench.readings(sample, ReadingSpec(layers=(layer,)))])


def _autoencoder_arrays(
    bench: Workbench, fold: FoldData, layer: int, coder: SparseAutoencoder, n_tokens: int
) -> Arrays:
    states = _states(bench, fold.training, layer, n_tokens)
    bench.report(f"raglens: training an autoencoder of {coder.n_latents:,} latents on {len(states):,} tokens")
    coder.fit(states)
    bench.report(f"raglens: autoencoder trained, {coder.n_dead_:,} latents unused")
    return dict(coder.arrays())


def _classifier_arrays(
    bench: Workbench,
    fold: FoldData,
    layer: int,
    *,
    coder: SparseAutoencoder,
    scorer: AdditiveScorer,
    labels: Labels,
    n_features: int,
) -> Arrays:
    """Return the additive model's arrays, and `selected`: the latents it sees, in order."""
    readings = bench.readings(fold.training, ReadingSpec(layers=(layer,)))
    maxima = np.stack([coder.transform(window_states(reading, layer)[0]).max(axis=0) for reading in readings])
    selected = most_informative(maxima, labels, n_features, N_BINS)
    bench.report(f"raglens: fitting the additive model on {len(labels):,} answers and {len(selected):,} features")
    scorer.fit(maxima[:, selected], labels)
    return {**scorer.arrays(), "selected": selected}


def _answer_precision(bench: Workbench, fold: FoldData, fitted: FittedRaglens, labels: Labels) -> float:
    scores = [one.answer for one in fitted.score(bench, fold.validation)]
    return float(average_precision_score(labels, scores))
