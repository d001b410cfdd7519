"""Methods over the states and scalars of a reading: CORTEX and its relatives, probes of one state, likelihoods."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np
from sklearn.metrics import average_precision_score

from ragcortex.benchmark.method import BenchmarkMethod, FittedMethod, FoldData, MethodScores, Workbench
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.methods.recipes import RecipeMethod, trains
from ragcortex.detectors.recipes import Head, Recipe, recipe
from ragcortex.detectors.scoring import combine_blocks
from ragcortex.errors import InputError, TrainingError
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Floats, Reading, ReadingSpec
from ragcortex.scorers.probe import SAPLMA_PROBE, ProbeScorer
from ragcortex.signals.features import feature_set, features
from ragcortex.training import TrainingOptions

_CORTEX: Final = "CORTEX, arXiv 2606.31033"
_LINEAR: Final = Recipe(
    "linear-probe", "logistic regression on the reference-conditioned state", (Head("state", ("hidden",), "logistic"),)
)
_TITLES: Final[Mapping[str, tuple[str, str]]] = {
    "cortex": ("CORTEX, four heads", f"{_CORTEX}, steps 1 to 6, with three further heads; ours"),
    "cortex-states": (
        "CORTEX, six heads on states",
        f"{_CORTEX}, steps 1 to 6, without attention and likelihoods, at two layers, with recurrent networks; ours",
    ),
    "cortex-ensemble": (
        "CORTEX, eight heads", f"{_CORTEX}, steps 1 to 6, with heads at two layers and recurrent networks; ours"
    ),
    "cortex-tuned": ("CORTEX, tuned layer", f"{_CORTEX}, steps 1 to 6; ours: layer by validation, standardised"),
    "cortex-paper": ("CORTEX, as published", f"{_CORTEX}, steps 1 to 6; final layer, before the final norm"),
    "cortex-window": ("CORTEX, second description", "logistic regression on [Δ; c], sliding-window maximum"),
    "reference-gain": ("Reference gain", "log p(t | x_noref) − log p(t | x_ref); ours, nothing is learned"),
    "scalars": ("Scalars", "likelihoods, entropies, attention on the references and their local means; ours"),
    "attention-alignment": ("Attention alignment", "attention off the references, with local means; ours"),
    "saplma": (
        "SAPLMA, token form",
        f"Azaria and Mitchell 2023 (SAPLMA), on every token with the network of {_CORTEX}; ours: layer by validation",
    ),
    "linear-probe": ("Linear probe", "logistic regression on one state; ours: layer by validation, standardised"),
}  # fmt: skip
# Layers that SAPLMA tries, counted from the end: −1 is the last.
_SAPLMA_LAYERS: Final = (-1, -4, -6, -8)


def recipe_method(name: str, layers: Sequence[int] | None = None) -> RecipeMethod:
    """Return the method of a recipe by its name, or `linear-probe`.

    Args:
        name: of the recipe.
        layers: candidate layers, as `RecipeMethod` takes them.

    Raises:
        InputError: there is no such recipe, or a layer is below 1; the message names what there is.
    """
    made = _LINEAR if name == _LINEAR.name else recipe(name)
    title, source = _TITLES.get(name, (name, f"{_CORTEX}; ours"))
    card = MethodCard(
        name=name,
        title=title,
        summary=made.summary,
        source=source,
        training="labels" if trains(made) else "none",
        scale="probability",
        smoothing=made.smoothing,
    )
    return RecipeMethod(made, card, layers=layers)


def nll() -> "FeatureMethod":
    """Return −log p of each token with the references."""
    card = MethodCard(
        name="nll",
        title="NLL",
        summary="negative log-likelihood of each token with the references",
        source=f"−log p(t_i | x_ref, t_<i); baseline of {_CORTEX}",
        training="none",
        scale="any",
    )
    return FeatureMethod("negative_log_likelihood", card)


def entropy() -> "FeatureMethod":
    """Return the entropy of the distribution each token was drawn from, with the references."""
    card = MethodCard(
        name="entropy",
        title="Entropy",
        summary="entropy in nats of the reader's distribution at each token, with the references",
        source="Shannon entropy over the whole vocabulary, from the logits one position before",
        training="none",
        scale="any",
    )
    return FeatureMethod("entropy", card)


def probe_methods() -> tuple[BenchmarkMethod, ...]:
    """Return the methods of this family, each by its card's name, in the order a table prints them."""
    return (nll(), entropy(), LastTokenProbe(), *(recipe_method(name) for name in _TITLES))


class FeatureMethod(BenchmarkMethod):
    """A feature of one column, taken as it is; nothing is learned.

    Args:
        feature: the name of a feature set of one column that needs no hidden states; higher = more likely hallucinated.
        card: what a table says of it.
    """

    def __init__(self, feature: str, card: MethodCard) -> None:
        if feature_set(feature).needs_hidden:
            raise InputError("feature", f"{feature!r} is made of hidden states and is no score of a token")
        self.feature = feature
        self.card = card

    def spec(self, reader: Reader) -> ReadingSpec:  # noqa: ARG002
        """See `BenchmarkMethod.spec`."""
        return feature_set(self.feature).spec(())

    def fit(self, bench: Workbench, fold: FoldData) -> FittedMethod:  # noqa: ARG002
        """Return the feature; nothing is fitted."""
        return _FittedFeature(self.feature)


class _FittedFeature(FittedMethod):
    def __init__(self, feature: str) -> None:
        self.feature = feature

    def score(self, bench: Workbench, indices: Sequence[int]) -> Iterator[MethodScores]:
        """See `FittedMethod.score`."""
        for reading in bench.readings(indices, feature_set(self.feature).spec(())):
            scores = [features(block, (self.feature,), 0)[:, 0].astype(np.float64) for block in reading.blocks]
            yield MethodScores(combine_blocks(reading.blocks, scores, len(reading.tokens)))


class LastTokenProbe(BenchmarkMethod):
    """SAPLMA as published: a network on the state of the answer's last token, answer level.

    Args:
        layers: candidate layers; None takes −1, −4, −6 and −8 as far as the reader has them.
    """

    card = MethodCard(
        name="saplma-original",
        title="SAPLMA, as published",
        summary="network d → 256 → 128 → 64 → 1 on the state of the answer's last token",
        source=(
            "Azaria and Mitchell 2023 and its released code: Adam 1e-3, 5 epochs, layers −1, −4, −6, −8; ours: layer "
            "by validation, states standardised and before the final norm"
        ),
        training="labels",
        scale="probability",
        level="answer",
        smoothing="none",
        answer_score="its network on the last token",
    )

    def __init__(self, layers: Sequence[int] | None = None) -> None:
        self.layers = TrainingOptions(layers=None if layers is None else tuple(sorted(set(layers)))).layers

    def spec(self, reader: Reader) -> ReadingSpec:
        """See `BenchmarkMethod.spec`."""
        return ReadingSpec(layers=self._candidates(reader.identity.n_layers))

    def fit(self, bench: Workbench, fold: FoldData) -> FittedMethod:
        """See `BenchmarkMethod.fit`."""
        layers = self._candidates(bench.reader.identity.n_layers)
        y, y_val = bench.answer_labels(fold.training), bench.answer_labels(fold.validation)
        if len(layers) > 1 and len(set(y_val.tolist())) < 2:
            raise TrainingError(
                f"choosing the layer needs both labels among the validation answers of fold {fold.number}, "
                f"got {sorted(set(y_val.tolist()))}; give it more validation answers, or one layer"
            )
        spec = ReadingSpec(layers=layers)
        training = _first_window_states(bench.readings(fold.training, spec), layers)
        validation = _first_window_states(bench.readings(fold.validation, spec), layers)
        fitted = {
            layer: ProbeScorer(**SAPLMA_PROBE, n_seeds=bench.n_networks, seed=bench.seed).fit(training[layer], y)
            for layer in layers
        }
        if len(layers) == 1:
            return _FittedLastToken(layers[0], fitted[layers[0]], {"layer": layers[0]})
        quality = {
            layer: float(average_precision_score(y_val, scorer.predict_proba(validation[layer])[:, 1]))
            for layer, scorer in fitted.items()
        }
        best = max(quality, key=lambda layer: quality[layer])
        by_layer = {str(layer): round(precision, 4) for layer, precision in quality.items()}
        return _FittedLastToken(best, fitted[best], {"layer": best, "validation_ap_by_layer": by_layer})

    def _candidates(self, n_layers: int) -> tuple[int, ...]:
        if self.layers is not None and max(self.layers) > n_layers:
            raise InputError("layers", f"the reader has {n_layers} layers, got {max(self.layers)}")
        from_end = (n_layers + 1 + back for back in _SAPLMA_LAYERS)
        return self.layers or tuple(sorted(layer for layer in from_end if layer >= 1))


class _FittedLastToken(FittedMethod):
    def __init__(self, layer: int, scorer: ProbeScorer, choices: Mapping[str, Any]) -> None:
        self.layer = layer
        self.scorer = scorer
        self.choices = choices

    def score(self, bench: Workbench, indices: Sequence[int]) -> Iterator[MethodScores]:
        """See `FittedMethod.score`."""
        for reading in bench.readings(indices, ReadingSpec(layers=(self.layer,))):
            prob = self.scorer.predict_proba(_last_states(reading, self.layer))[:, 1]
            yield MethodScores(None, float(prob.min()))  # grounded if any window of the references grounds it


def _last_states(reading: Reading, layer: int) -> Floats:
    """Return the state of the answer's last token in every window of the references, float32 (windows, d)."""
    n_tokens = len(reading.tokens)
    return np.stack([block.ref.hidden[layer][-1] for block in reading.blocks if block.stop == n_tokens])


def _first_window_states(readings: Iterator[Reading], layers: Sequence[int]) -> dict[int, Floats]:
    """Return by layer the last tokens' states, float32 (answers, d), each from the first window of the references."""
    rows = [[_last_states(reading, layer)[0] for layer in layers] for reading in readings]
    return {layer: np.stack([row[place] for row in rows]) for place, layer in enumerate(layers)}
