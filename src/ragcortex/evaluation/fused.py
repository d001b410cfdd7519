"""Predictions of a fusion and of both of its witnesses alone, on the same tokens."""

from collections.abc import Sequence

import numpy as np

from ragcortex.detectors.fused import FusedDetector
from ragcortex.detectors.scoring import raw_scores
from ragcortex.evaluation.cross_validation import prediction
from ragcortex.evaluation.evaluate import Prediction
from ragcortex.example import Example
from ragcortex.fusion.judgement import FusedScores, fuse
from ragcortex.fusion.token_signals import TOKEN_SIGNALS, TokenSignals
from ragcortex.readers.store import ReadingStore

# The logit of a token that claims nothing: below that of any score.
_LOWEST = -10.0


def predict_fused(
    examples: Sequence[Example], detector: FusedDetector, store: ReadingStore
) -> dict[str, list[Prediction]]:
    """Return the predictions of `fusion`, `reader` and `geometry` for each example, in order, from stored readings.

    Raises:
        InputError: an example has no references with text.
        ModelError, ReadingError, StoreError: one of the witnesses cannot judge an example.
    """
    bundle = detector.internal.bundle
    found: dict[str, list[Prediction]] = {"fusion": [], "reader": [], "geometry": []}
    readings = store.read(detector.internal.reader, examples, bundle.spec())
    for example, reading in zip(examples, readings, strict=True):
        seen = detector.signals(example, reading)
        scores = fuse(seen.signals, seen.evidence, detector.model)
        found["fusion"].append(fused_prediction(example, seen.signals, scores))
        raw = raw_scores(reading, bundle.heads)
        found["reader"].append(prediction(example, reading.tokens, raw, bundle.smoothing, bundle.answer_smoothing))
        found["geometry"].append(geometric_prediction(example, seen.signals, seen.geometric_score))
    return found


def fused_prediction(example: Example, signals: TokenSignals, scores: FusedScores) -> Prediction:
    """Return the prediction of the fusion; its answer's score does not depend on smoothing."""
    return Prediction(example, signals.tokens, scores.raw, scores.tokens, scores.answer, scores.answer)


def geometric_prediction(example: Example, signals: TokenSignals, answer_score: float) -> Prediction:
    """Return the prediction of the geometric witness: each token has the logit of its word's score.

    Smoothed, it is the mean over five words. Tokens of statements that claim nothing come last.
    """
    columns = [signals.values[:, TOKEN_SIGNALS.index(name)] for name in ("word", "word_near")]
    raw, smoothed = (np.nan_to_num(column, nan=_LOWEST) for column in columns)
    return Prediction(example, signals.tokens, raw, smoothed, answer_score, answer_score)
