"""Cross-validation by source: every answer is judged by a detector that never saw an answer to its source."""

from collections.abc import Callable, Iterable, Sequence

from ragcortex.detectors.detector import Detector
from ragcortex.detectors.recipes import Recipe
from ragcortex.detectors.scoring import Scores, raw_scores
from ragcortex.evaluation.evaluate import Prediction
from ragcortex.example import Example
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Reading
from ragcortex.readers.store import ReadingStore
from ragcortex.smoothing import Smoothing
from ragcortex.splits import folds
from ragcortex.training import ReadingSource, TrainingOptions, fit, layer_candidates, stored_readings


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

    In every fold, layer, stopping epoch and smoothing are chosen on validation sources within its training part.

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
    predictions: dict[int, Prediction] = {}
    for fold in range(n_folds):
        training = [index for index, number in enumerate(fold_of) if number != fold]
        test = [index for index, number in enumerate(fold_of) if number == fold]
        report(f"fold {fold + 1} of {n_folds}: {len(training)} answers to train on, {len(test)} to test")
        fitted = fit(
            [examples[index] for index in training], _part(source, training), recipe, layers, options,
            data="cross-validation", reader_fingerprint=reader.identity.fingerprint, report=report,
        )  # fmt: skip
        for index, reading in zip(test, source(test), strict=True):
            raw = raw_scores(reading, fitted.heads)
            predictions[index] = prediction(
                examples[index], reading, raw, smoothing=fitted.smoothing, answer_smoothing=fitted.answer_smoothing
            )
    return [predictions[index] for index in range(len(examples))]


def _part(source: ReadingSource, members: Sequence[int]) -> ReadingSource:
    """Return the source of a part of the examples, by their positions in it."""

    def part(indices: Sequence[int], /) -> Iterable[Reading]:
        return source([members[index] for index in indices])

    return part


def predict(examples: Sequence[Example], detector: Detector, store: ReadingStore) -> list[Prediction]:
    """Return a fitted detector's prediction for each example, in order, from stored readings."""
    bundle = detector.bundle
    readings = store.read(detector.reader, examples, bundle.spec())
    return [
        prediction(
            example, reading, raw_scores(reading, bundle.heads),
            smoothing=bundle.smoothing, answer_smoothing=bundle.answer_smoothing,
        )
        for example, reading in zip(examples, readings, strict=True)
    ]  # fmt: skip


def prediction(
    example: Example, reading: Reading, raw: Scores, *, smoothing: Smoothing, answer_smoothing: Smoothing
) -> Prediction:
    """Return the prediction made of raw token scores; the answer's score is the maximum of its smoothed ones."""
    return Prediction(
        example=example,
        tokens=reading.tokens,
        raw=raw,
        smoothed=smoothing.apply(raw),
        answer_score=float(answer_smoothing.apply(raw).max()),
        answer_score_raw=float(raw.max()),
    )
