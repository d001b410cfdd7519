"""Cross-validation by source: every answer is judged by a detector that never saw an answer to its source."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ragcortex.align import AnswerTokens, token_labels
from ragcortex.detectors.internal import InternalDetector
from ragcortex.detectors.recipes import Recipe
from ragcortex.detectors.scoring import Scores, raw_scores
from ragcortex.evaluation.evaluate import Prediction
from ragcortex.example import Example
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Reading
from ragcortex.readers.store import ReadingStore
from ragcortex.smoothing import Smoothing, answer_score
from ragcortex.splits import folds
from ragcortex.training import (
    ReadingSource,
    TrainingOptions,
    choose_smoothings,
    fit,
    layer_candidates,
    stored_readings,
)


def cross_validate(
    examples: Sequence[Example],
    reader: Reader,
    recipe: Recipe,
    store: ReadingStore,
    *,
    n_folds: int = 5,
    options: TrainingOptions | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> list[Prediction]:
    """Return one prediction an example, in order, each from the fold that held its source out.

    In every fold, layer and stopping epoch are chosen on validation sources within its training part. The smoothing
    of a fold is chosen on the validation answers of all folds, scored by their own fold's heads, but those whose source
    this fold tests: the few validation answers of one fold cannot tell smoothings apart, and scores that are smoothed
    differently cannot be pooled.

    Raises:
        TrainingError: there are fewer sources than folds, or a fold's training part lacks a class.
    """
    options = options or TrainingOptions()
    layers = layer_candidates(recipe, reader, options)
    fold_of = folds(
        [example.group for example in examples],
        n_folds,
        options.seed,
        strata=[example.answer_label for example in examples],
    )
    source = stored_readings(examples, reader, recipe.spec(layers), store)
    judged: dict[int, _Judged] = {}
    validated: list[tuple[int, Scores]] = []
    for fold in range(n_folds):
        training = np.flatnonzero(fold_of != fold).tolist()
        test = np.flatnonzero(fold_of == fold).tolist()
        report(f"fold {fold + 1} of {n_folds}: {len(training)} answers to train on, {len(test)} to test")
        fitted = fit(
            [examples[index] for index in training],
            _part(source, training),
            recipe,
            layers,
            options,
            data="cross-validation",
            reader_fingerprint=reader.identity.fingerprint,
            report=report,
        )
        validated += [(training[index], raw) for index, raw in fitted.validation_raws.items()]
        for index, reading in zip(test, source(test), strict=True):
            judged[index] = _Judged(reading.tokens, raw_scores(reading, fitted.heads))
    smoothings = [
        _smoothings(examples, reader, recipe, [pair for pair in validated if fold_of[pair[0]] != fold])
        for fold in range(n_folds)
    ]
    return [
        prediction(example, judged[index].tokens, judged[index].raw, *smoothings[fold_of[index]])
        for index, example in enumerate(examples)
    ]


@dataclass(frozen=True, slots=True)
class _Judged:
    """A test answer's tokens and raw scores."""

    tokens: AnswerTokens
    raw: Scores


def _smoothings(
    examples: Sequence[Example], reader: Reader, recipe: Recipe, validated: Sequence[tuple[int, Scores]]
) -> tuple[Smoothing, Smoothing]:
    """Return the smoothings of tokens and of answers that suit these (index, raw scores) of validation answers."""
    labels = np.array([examples[index].answer_label for index, _ in validated], dtype=np.int8)
    known = [(index, raw) for index, raw in validated if examples[index].known_spans is not None]
    token_labels_known = [
        token_labels(reader.tokenize(examples[index].answer), examples[index].known_spans or ()) for index, _ in known
    ]
    return choose_smoothings(
        recipe, [raw for _, raw in validated], labels, [raw for _, raw in known], token_labels_known
    )


def _part(source: ReadingSource, members: Sequence[int]) -> ReadingSource:
    """Return the source of a part of the examples, by their positions in it."""

    def part(indices: Sequence[int], /) -> Iterable[Reading]:
        return source([members[index] for index in indices])

    return part


def predict(examples: Sequence[Example], detector: InternalDetector, store: ReadingStore) -> list[Prediction]:
    """Return a fitted detector's prediction for each example, in order, from stored readings."""
    bundle = detector.bundle
    readings = store.read(detector.reader, examples, bundle.spec())
    return [
        prediction(
            example, reading.tokens, raw_scores(reading, bundle.heads), bundle.smoothing, bundle.answer_smoothing
        )
        for example, reading in zip(examples, readings, strict=True)
    ]


def prediction(
    example: Example, tokens: AnswerTokens, raw: Scores, smoothing: Smoothing, answer_smoothing: Smoothing
) -> Prediction:
    """Return the prediction made of raw token scores; the answer's score is the maximum of its smoothed ones."""
    return Prediction(
        example=example,
        tokens=tokens,
        raw=raw,
        smoothed=smoothing.apply(raw),
        answer_score=answer_score(raw, answer_smoothing),
        answer_score_raw=float(raw.max()),
    )
