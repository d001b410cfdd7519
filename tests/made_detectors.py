"""Detectors of every kind on tiny models with random weights: they know nothing, but judge in milliseconds."""

from dataclasses import replace
from typing import Any

import numpy as np

from made_bundle import EXAMPLE, made_bundle
from made_embedder import WordEmbedder
from made_geometry import made_model
from made_rows import made_fusion
from ragcortex.bundle import Bundle, FittedHead
from ragcortex.calibration import Calibration
from ragcortex.detectors.detector import Detector
from ragcortex.detectors.fused import FusedDetector
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.detectors.internal import InternalDetector
from ragcortex.fusion.model import CascadeBounds
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec
from ragcortex.scorers import MLPScorer, RecurrentScorer, Scorer
from ragcortex.signals.features import features
from ragcortex.smoothing import Smoothing

STATES = ReadingSpec(layers=(2, 3))
LOW = Calibration(0.3, 0.3, 0.5, "ten answers", 10, 4, "2025-01-31", {"token_f1": 0.5})
"""Thresholds that random scores reach now and then."""


def states_bundle(reader: Reader) -> Bundle:
    """Return a bundle of the kind that ships: hidden states of two layers, alone, with means, and along the answer."""
    block = reader.read_one(EXAMPLE, STATES).blocks[0]
    labels = (np.arange(block.stop) % 3 == 0).astype(np.int8)

    def fitted(name: str, names: tuple[str, ...], layer: int, kind: str, scorer: Scorer) -> FittedHead:
        return FittedHead(name, names, layer, kind, scorer.fit(features(block, names, layer), labels))

    heads = (
        fitted("means", ("delta", "delta_mean9"), 3, "mlp", MLPScorer((8,), n_epochs=1, n_seeds=1)),
        fitted("sequence", ("hidden", "delta"), 2, "recurrent", RecurrentScorer(4, 3, n_epochs=1, n_seeds=2)),
    )
    whole = made_bundle(reader, reader.read_one(EXAMPLE, ReadingSpec((3,), attention_layers=None, log_probs=True)))
    smoothing = Smoothing.persistence(0.8)
    return replace(whole, heads=heads, smoothing=smoothing, answer_smoothing=smoothing, calibration=LOW)


def internal(reader: Reader) -> InternalDetector:
    """Return an internal witness that reads hidden states alone."""
    return InternalDetector(states_bundle(reader), reader)


def attentive(reader: Reader) -> InternalDetector:
    """Return one that reads attention and likelihoods as well."""
    reading = reader.read_one(EXAMPLE, ReadingSpec((3,), attention_layers=None, log_probs=True))
    return InternalDetector(replace(made_bundle(reader, reading), calibration=LOW), reader)


def geometric(**options: Any) -> GeometricDetector:
    """Return a geometric witness that knows wording alone."""
    return GeometricDetector(made_model(), WordEmbedder(), **options)


def fused(inner: InternalDetector, geometry: GeometricDetector | None = None, **options: Any) -> FusedDetector:
    """Return a fusion that was fitted on nothing."""
    model = made_fusion(
        geometry_fingerprint=made_model().fingerprint, cascade=CascadeBounds(0.2, 0.95), calibration=LOW
    )
    return FusedDetector(model, inner, geometry or geometric(), **options)


KINDS = ("internal", "attentive", "geometric", "fused", "cascade")


def every_kind(reader: Reader) -> dict[str, Detector]:
    """Return a detector of each of `KINDS`."""
    inner = internal(reader)
    made = (inner, attentive(reader), geometric(), fused(inner), fused(inner, cascade=True))
    return dict(zip(KINDS, made, strict=True))
