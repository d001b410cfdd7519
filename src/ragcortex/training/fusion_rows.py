"""What both witnesses say of labelled answers, each by models that saw no answer to their source."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ragcortex.detectors.recipes import Recipe
from ragcortex.detectors.scoring import Scores, raw_scores
from ragcortex.errors import TrainingError
from ragcortex.example import Example
from ragcortex.fusion.token_signals import token_signals
from ragcortex.geometry.judgement import GeometricScores
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Reading
from ragcortex.splits import folds
from ragcortex.training.fit import Progress, TrainingOptions, fit
from ragcortex.training.fusion import FusionRow
from ragcortex.training.geometry import Witnessed
from ragcortex.training.tables import ReadingSource


def held_out_raws(
    examples: Sequence[Example],
    source: ReadingSource,
    recipe: Recipe,
    layers: tuple[int, ...],
    *,
    options: TrainingOptions,
    reader: Reader,
    n_folds: int = 5,
    known: Mapping[int, Mapping[int, Scores]] | None = None,
    keep: Callable[[int, Mapping[int, Scores]], None] = lambda _fold, _raws: None,
    report: Progress = lambda _: None,
) -> list[Scores]:
    """Return the raw scores of the tokens of each answer, by heads that saw no answer to its source.

    Args:
        examples: with labels or spans.
        source: their readings.
        recipe: the heads to fit.
        layers: hidden-state layers to choose from.
        options: how to fit.
        reader: whose readings they are.
        n_folds: into how many folds of sources the examples are divided.
        known: the scores of folds that an earlier run finished, by fold and example.
        keep: called with each finished fold and its scores, by example.
        report: called with a line of progress now and then.

    Raises:
        TrainingError: as `fit`.
    """
    fold = folds([one.group for one in examples], n_folds, options.seed, strata=[one.answer_label for one in examples])
    raws: dict[int, Scores] = {}
    for number in range(n_folds):
        if known is not None and number in known:
            raws |= known[number]
            continue
        train, test = np.flatnonzero(fold != number).tolist(), np.flatnonzero(fold == number).tolist()
        report(f"fold {number + 1} of {n_folds}: {len(train)} answers to fit on, {len(test)} to score")
        fitted = fit(
            [examples[index] for index in train],
            lambda chosen, members=train: source([members[index] for index in chosen]),
            recipe,
            layers,
            options,
            data="held-out scores",
            reader_fingerprint=reader.identity.fingerprint,
            report=report,
        )
        scores = {index: raw_scores(one, fitted.heads) for index, one in zip(test, source(test), strict=True)}
        keep(number, scores)
        raws |= scores
    return [raws[index] for index in range(len(examples))]


def fusion_row(
    witnessed: Witnessed,
    reading: Reading,
    raw: Scores,
    scores: GeometricScores,
    *,
    unfit: frozenset[int] = frozenset(),
) -> FusionRow:
    """Return the row of one labelled answer.

    Args:
        witnessed: the answer and what the geometric witness saw of it.
        reading, raw: what the reader said of it, and its tokens' raw scores.
        scores: the geometric scores.
        unfit: numbers of the statements in a language that the embedder does not know: their scores say nothing.

    Raises:
        TrainingError: the reading is of another answer.
    """
    if reading.tokens.text != witnessed.example.answer:
        raise TrainingError(f"the reading given with example {witnessed.example.id!r} is of another answer")
    signals = token_signals(reading.tokens, reading, raw, witnessed.evidence, scores, unfit=unfit)
    return FusionRow(witnessed.example, signals, witnessed.evidence, scores.answer)
