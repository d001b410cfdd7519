"""Feature sets by name: what a scorer sees of a block, and what the reader must provide for it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from ragcortex.errors import InputError
from ragcortex.readers.reading import Block, Floats, ReadingSpec
from ragcortex.signals.alignment import attention_away
from ragcortex.signals.delta import delta, residual
from ragcortex.signals.likelihood import negative_log_likelihood, reference_gain
from ragcortex.signals.local import local_mean

SCALAR_WIDTHS: Final = (9, 25)


@dataclass(frozen=True, slots=True)
class FeatureSet:
    """One named group of columns.

    Attributes:
        name: as in a recipe and in `detector.json`.
        compute: (block, layer) -> float32 (n, columns).
        needs_hidden, needs_attention, needs_log_probs: what the reading must hold.
    """

    name: str
    compute: Callable[[Block, int], Floats]
    needs_hidden: bool = False
    needs_attention: bool = False
    needs_log_probs: bool = False

    def spec(self, layers: tuple[int, ...]) -> ReadingSpec:
        """Return what a reader has to provide, for hidden states of these layers."""
        return ReadingSpec(
            layers=layers if self.needs_hidden else (),
            attention_layers=None if self.needs_attention else (),
            log_probs=self.needs_log_probs,
        )


def _hidden(block: Block, layer: int) -> Floats:
    return block.ref.hidden[layer]


def _hidden_noref(block: Block, layer: int) -> Floats:
    return block.noref.hidden[layer]


def _delta(block: Block, layer: int) -> Floats:
    return delta(block.ref.hidden[layer], block.noref.hidden[layer])


def _residual(block: Block, layer: int) -> Floats:
    return residual(_delta(block, layer), _required(block.ref.attention, "attention"))


def _scalars(block: Block, _layer: int) -> Floats:
    """Both log-probabilities, both entropies, attention on the references and reference gain; then their local means.

    Column order: the six as named, then their means over 9 tokens, then over 25.
    """
    log_prob_ref = _required(block.ref.log_prob, "log_prob")
    log_prob_noref = _required(block.noref.log_prob, "log_prob")
    columns = np.stack(
        [
            log_prob_ref,
            log_prob_noref,
            _required(block.ref.entropy, "entropy"),
            _required(block.noref.entropy, "entropy"),
            _required(block.ref.reference_attention, "reference_attention"),
            reference_gain(log_prob_ref, log_prob_noref),
        ],
        axis=1,
    )
    return np.concatenate([columns, *(local_mean(columns, width) for width in SCALAR_WIDTHS)], axis=1)


def _gain(block: Block, _layer: int) -> Floats:
    log_prob_ref = _required(block.ref.log_prob, "log_prob")
    return reference_gain(log_prob_ref, _required(block.noref.log_prob, "log_prob"))[:, None]


def _attention_away(block: Block, _layer: int) -> Floats:
    """Attention that falls elsewhere than on the references, then its means over 9 and 25 tokens."""
    away = attention_away(_required(block.ref.reference_attention, "reference_attention"))[:, None]
    return np.concatenate([away, *(local_mean(away, width) for width in SCALAR_WIDTHS)], axis=1)


def _negative_log_likelihood(block: Block, _layer: int) -> Floats:
    return negative_log_likelihood(_required(block.ref.log_prob, "log_prob"))[:, None]


def _entropy(block: Block, _layer: int) -> Floats:
    return _required(block.ref.entropy, "entropy")[:, None]


_SETS: Final = {
    feature_set.name: feature_set
    for feature_set in (
        FeatureSet("hidden", _hidden, needs_hidden=True),
        FeatureSet("hidden_mean9", lambda b, k: local_mean(_hidden(b, k), 9), needs_hidden=True),
        FeatureSet("hidden_noref", _hidden_noref, needs_hidden=True),
        FeatureSet("delta", _delta, needs_hidden=True),
        FeatureSet("delta_mean9", lambda b, k: local_mean(_delta(b, k), 9), needs_hidden=True),
        FeatureSet("residual", _residual, needs_hidden=True, needs_attention=True),
        FeatureSet("scalars", _scalars, needs_attention=True, needs_log_probs=True),
        FeatureSet("attention_away", _attention_away, needs_attention=True),
        FeatureSet("reference_gain", _gain, needs_log_probs=True),
        FeatureSet("negative_log_likelihood", _negative_log_likelihood, needs_log_probs=True),
        FeatureSet("entropy", _entropy, needs_log_probs=True),
    )
}


def feature_set(name: str) -> FeatureSet:
    """Return the feature set of that name; raises InputError naming those there are."""
    if name not in _SETS:
        raise InputError("features", f"{name!r} is not a feature set; there are {', '.join(sorted(_SETS))}")
    return _SETS[name]


def features(block: Block, names: tuple[str, ...], layer: int) -> Floats:
    """Return the columns of the named feature sets side by side, float32 (n, columns), for hidden states of `layer`."""
    return np.concatenate([feature_set(name).compute(block, layer) for name in names], axis=1)


def spec_for(names: tuple[str, ...], layers: tuple[int, ...]) -> ReadingSpec:
    """Return what a reader has to provide for these feature sets at these layers."""
    spec = ReadingSpec()
    for name in names:
        spec = spec.union(feature_set(name).spec(layers))
    return spec


def _required(array: Floats | None, name: str) -> Floats:
    if array is None:
        raise InputError("features", f"the reading holds no {name}; read it with the spec of these features")
    return array
