"""Labelled answers for the tests of evaluation; every word is a token, taken with the space before it."""

import numpy as np
import regex

from ragcortex.align import AnswerTokens, token_ranges
from ragcortex.evaluation.evaluate import Prediction
from ragcortex.example import Example, Reference, Span
from ragcortex.smoothing import Smoothing


def tokens_of(answer: str) -> AnswerTokens:
    ranges = token_ranges(answer, [match.span() for match in regex.finditer(r"\S+", answer)])
    return AnswerTokens(answer, tuple(range(len(ranges))), ranges)


def example_of(answer: str, false: str | None = "", references=("The river is long and old.",), **fields) -> Example:
    """Return an example whose false stretch is the given part of the answer; None for unknown, "" for none."""
    spans = None
    if false is not None:
        start = answer.index(false)
        spans = (Span(start, start + len(false)),) if false else ()
    return Example(None, tuple(Reference(text) for text in references), answer, spans=spans, **fields)


def prediction_of(example: Example, raw) -> Prediction:
    raw = np.asarray(raw, dtype=np.float64)
    smoothed = Smoothing.persistence(0.8).apply(raw)
    return Prediction(example, tokens_of(example.answer), raw, smoothed, float(smoothed.max()), float(raw.max()))


def made_predictions(n_sources: int = 24) -> list[Prediction]:
    """Return two answers a source, by two generators of which one is much worse, with helpful but noisy scores."""
    rng = np.random.default_rng(0)
    predictions = []
    for source in range(n_sources):
        for generator, rate in (("small", 0.7), ("large", 0.2)):
            is_false = rng.random() < rate
            answer = "The river is long and flows through " + ("seven lakes" if is_false else "the old land")
            example = example_of(
                answer, "seven lakes" if is_false else "", group=f"source {source}", generator=generator
            )
            labels = prediction_of(example, np.zeros(len(tokens_of(answer)))).token_labels()
            predictions.append(prediction_of(example, np.clip(rng.beta(2, 4, len(labels)) + 0.4 * labels, 0, 1)))
    return predictions
