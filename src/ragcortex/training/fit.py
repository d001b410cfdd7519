"""Fitting a recipe: the layer, then the heads, then smoothing and thresholds."""

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ragcortex.bundle import FittedHead
from ragcortex.calibration import Calibration, f1_threshold, recall_threshold
from ragcortex.detectors.recipes import Recipe
from ragcortex.detectors.scoring import Scores, raw_scores
from ragcortex.errors import TrainingError
from ragcortex.example import Example
from ragcortex.smoothing import (
    USUAL_ANSWER_P_STAY,
    USUAL_P_STAY,
    Smoothing,
    candidates,
    choose_answer_smoothing,
    choose_smoothing,
)
from ragcortex.splits import holdout
from ragcortex.training.heads import Progress, Split, TrainingOptions, fit_heads
from ragcortex.training.tables import Labels, ReadingSource, labels_of

__all__ = ["Fitted", "Progress", "TrainingOptions", "choose_smoothings", "fit"]

# Share of the hallucinated validation answers that the review threshold lets a person see.
_REVIEW_RECALL: Final = 0.9


@dataclass(frozen=True, slots=True)
class Fitted:
    """A recipe fitted on some examples.

    Attributes:
        heads, smoothing, answer_smoothing, calibration: as in a bundle.
        choices: what was tried on validation data and how it fared, for the card.
        validation_raws: the raw token scores of the validation answers, by their index among the examples.
    """

    heads: tuple[FittedHead, ...]
    smoothing: Smoothing
    answer_smoothing: Smoothing
    calibration: Calibration
    choices: Mapping[str, Any] = field(default_factory=dict)
    validation_raws: Mapping[int, Scores] = field(default_factory=dict, repr=False)


def fit(
    examples: Sequence[Example],
    source: ReadingSource,
    recipe: Recipe,
    candidate_layers: tuple[int, ...],
    options: TrainingOptions,
    *,
    data: str,
    reader_fingerprint: str,
    report: Progress = lambda _: None,
) -> Fitted:
    """Return heads, smoothing and thresholds fitted on labelled examples.

    The rows are split by group once: heads are fitted on the larger part; layer, stopping epoch, smoothing and
    thresholds are chosen on the other.

    Args:
        examples: each with a label or spans. Rows whose spans are not known serve for the answer's thresholds only.
        source: their readings, with every candidate layer.
        recipe: what to fit.
        candidate_layers: hidden-state layers to choose from.
        options: see `TrainingOptions`.
        data: what the examples are, in words.
        reader_fingerprint: of the reader, for the calibration.
        report: called with a line of progress now and then.

    Raises:
        TrainingError: a label or a class is missing, or there are fewer than two groups.
    """
    answer_labels = _answer_labels(examples)
    split = _split(examples, answer_labels, options)
    heads, choices = fit_heads(examples, source, recipe, candidate_layers, split=split, options=options, report=report)
    scored = _score(examples, source, split, heads)
    validation_labels = answer_labels[split.validation]
    if options.smoothing == "usual":
        smoothing, answer_smoothing = Smoothing.persistence(USUAL_P_STAY), Smoothing.persistence(USUAL_ANSWER_P_STAY)
    else:
        smoothing, answer_smoothing = choose_smoothings(
            recipe, scored.raws, validation_labels, scored.with_labels, scored.token_labels
        )
    calibration = _calibrate(
        scored, validation_labels, smoothing, answer_smoothing, data=data, reader_fingerprint=reader_fingerprint
    )
    choices |= {"n_training_answers": len(split.training), "n_validation_answers": len(split.validation)}
    return Fitted(
        heads,
        smoothing,
        answer_smoothing,
        calibration,
        choices,
        dict(zip(split.validation, scored.raws, strict=True)),
    )


def choose_smoothings(
    recipe: Recipe,
    raws: Sequence[Scores],
    answer_labels: Labels,
    raws_with_labels: Sequence[Scores],
    token_labels: Sequence[Labels],
) -> tuple[Smoothing, Smoothing]:
    """Return the smoothing of tokens and that of answers, chosen on raw scores of validation answers.

    Args:
        recipe: decides what is tried.
        raws, answer_labels: of every validation answer.
        raws_with_labels, token_labels: of those whose tokens have labels.
    """
    tried = candidates(recipe.smoothing)
    return (
        choose_smoothing(raws_with_labels, token_labels, tried, usual=Smoothing.persistence(USUAL_P_STAY)),
        choose_answer_smoothing(raws, answer_labels, tried, usual=Smoothing.persistence(USUAL_ANSWER_P_STAY)),
    )


def _answer_labels(examples: Sequence[Example]) -> Labels:
    labels = [example.answer_label for example in examples]
    if None in labels:
        index = labels.index(None)
        raise TrainingError(
            f"example {examples[index].id or index + 1} has neither a label nor spans; label it or leave it out"
        )
    return np.array(labels, dtype=np.int8)


def _split(examples: Sequence[Example], answer_labels: Labels, options: TrainingOptions) -> Split:
    groups = [example.group for example in examples]
    held_out = holdout(groups, options.validation_fraction, options.seed, answer_labels.tolist())
    known = np.array([example.known_spans is not None for example in examples])
    split = Split(
        np.flatnonzero(~held_out & known).tolist(),
        np.flatnonzero(held_out).tolist(),
        np.flatnonzero(held_out & known).tolist(),
    )
    if not split.training or not split.validation_tokens:
        raise TrainingError(
            "no example with known spans (or label 0) is left on one side of the validation split; "
            f"{int(known.sum())} of {len(examples)} examples have them"
        )
    return split


@dataclass(frozen=True, slots=True)
class _Scored:
    """Raw token scores of the validation answers, and those with token labels once more beside their labels."""

    raws: list[Scores]
    with_labels: list[Scores]
    token_labels: list[Labels]


def _score(examples: Sequence[Example], source: ReadingSource, split: Split, heads: Sequence[FittedHead]) -> _Scored:
    scored = _Scored([], [], [])
    for index, reading in zip(split.validation, source(split.validation), strict=True):
        raw = raw_scores(reading, heads)
        scored.raws.append(raw)
        if examples[index].known_spans is not None:
            scored.with_labels.append(raw)
            scored.token_labels.append(labels_of(examples[index], reading))
    return scored


def _calibrate(
    scored: _Scored,
    answer_labels: Labels,
    smoothing: Smoothing,
    answer_smoothing: Smoothing,
    *,
    data: str,
    reader_fingerprint: str,
) -> Calibration:
    """Return thresholds from the validation answers: F1-optimal for tokens and answers, high recall for review."""
    token_scores = np.concatenate(smoothing.apply_many(scored.with_labels))
    answer_scores = np.array([smoothed.max() for smoothed in answer_smoothing.apply_many(scored.raws)])
    token = f1_threshold(token_scores, np.concatenate(scored.token_labels))
    answer = f1_threshold(answer_scores, answer_labels)
    review = recall_threshold(answer_scores, answer_labels, _REVIEW_RECALL)
    figures = {
        "token_precision": token.precision,
        "token_recall": token.recall,
        "answer_precision": answer.precision,
        "answer_recall": answer.recall,
        "review_precision": review.precision,
        "review_recall": review.recall,
    }
    return Calibration(
        token_threshold=token.threshold,
        review_threshold=min(review.threshold, answer.threshold),
        hallucinated_threshold=answer.threshold,
        data=f"held-out groups of {data}",
        n_answers=len(answer_labels),
        n_hallucinated=int(answer_labels.sum()),
        date=datetime.datetime.now(datetime.UTC).date().isoformat(),
        figures={name: round(value, 4) for name, value in figures.items() if value is not None},
        reader_fingerprint=reader_fingerprint,
    )
