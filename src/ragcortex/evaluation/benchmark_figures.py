"""All figures of one method on one test set: every level, raw and smoothed, with intervals and what they rest on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from ragcortex.errors import InputError, StoreError
from ragcortex.evaluation.figures_json import decoded, encoded
from ragcortex.evaluation.levels import LEVELS, Indices, Level, LevelUnits
from ragcortex.evaluation.method_scores import (
    COLUMNS,
    EvaluationSet,
    MethodScores,
    Smoothness,
    Validation,
    units_of,
)
from ragcortex.evaluation.metrics import ranking_metrics
from ragcortex.evaluation.operating_points import (
    RECALLS,
    OperatingPoint,
    PrecisionAtRecall,
    ValidationThreshold,
    operating_point,
    precisions_at,
    without_threshold,
)
from ragcortex.evaluation.resampled_ranking import RankedUnits
from ragcortex.evaluation.resampling import Estimate
from ragcortex.evaluation.span_overlap import SpanOverlap
from ragcortex.evaluation.validation_thresholds import chosen_thresholds, judges_of, thresholds_by_answer
from ragcortex.score_arrays import Floats

SCHEMA: Final = "ragcortex.method-figures/1"


@dataclass(frozen=True, slots=True)
class LevelFigures:
    """The figures of one level, before or after smoothing.

    Attributes:
        level: what a unit is.
        smoothing: whether the scores were smoothed.
        average_precision: with n, base rate and interval.
        auroc: likewise.
        thresholds: those chosen on validation units, one a part of the validation (a fold); empty where none was given.
        at_threshold: what they do on the test units.
        precision_at_recall: the precision at each of RECALLS.
        n_left_out: how many answers do not count at this level.
        n_spans_unseen: how many hallucinated spans touch no unit of this level.
    """

    level: Level
    smoothing: Smoothness
    average_precision: Estimate
    auroc: Estimate
    thresholds: tuple[ValidationThreshold, ...]
    at_threshold: OperatingPoint
    precision_at_recall: tuple[PrecisionAtRecall, ...]
    n_left_out: int
    n_spans_unseen: int


@dataclass(frozen=True, slots=True)
class SpanFigures:
    """The overlap of characters, before or after smoothing, at the token level's validation thresholds."""

    smoothing: Smoothness
    overlap: SpanOverlap


@dataclass(frozen=True, slots=True)
class MethodFigures:
    """All figures of one method.

    Attributes:
        method: its name.
        levels: one a level and column; those of which the method says nothing are in `omitted`.
        spans: one a column, where the method scores tokens.
        n_answers: how many answers were given.
        n_groups: how many sources they come from.
        n_resamples: how many bootstrap resamples were drawn.
        seed: the seed they were drawn with.
        omitted: what is missing and why, one sentence each.
        schema: SCHEMA.
    """

    method: str
    levels: tuple[LevelFigures, ...]
    spans: tuple[SpanFigures, ...]
    n_answers: int
    n_groups: int
    n_resamples: int
    seed: int
    omitted: tuple[str, ...] = ()
    schema: str = field(default=SCHEMA)

    def __post_init__(self) -> None:
        if self.schema != SCHEMA:
            raise InputError("schema", f"must be {SCHEMA!r}, got {self.schema!r}")

    def at(self, level: Level, smoothing: Smoothness) -> LevelFigures | None:
        """Return the figures of a level and column, None where the method says nothing about it."""
        return next((one for one in self.levels if (one.level, one.smoothing) == (level, smoothing)), None)

    def spans_at(self, smoothing: Smoothness) -> SpanOverlap | None:
        """Return the overlap of characters of a column, None where the method does not score tokens."""
        return next((one.overlap for one in self.spans if one.smoothing == smoothing), None)

    def to_dict(self) -> dict[str, object]:
        """Return the JSON form."""
        return dict(encoded(self))

    @classmethod
    def from_dict(cls, data: object, where: str = "figures") -> "MethodFigures":
        """Return the figures that `to_dict` wrote.

        Args:
            data: the JSON value.
            where: what to call it in an error, such as the name of its file.

        Raises:
            StoreError: it is of another schema, or a field is missing, unknown or malformed; the message names it.
        """
        if isinstance(data, dict) and data.get("schema") != SCHEMA:
            raise StoreError(f"{where}.schema: expected {SCHEMA!r}, got {data.get('schema')!r}; run the method again")
        return decoded(cls, data, where)


def method_figures(
    method: str, test: EvaluationSet, scores: MethodScores, validation: Sequence[Validation] = ()
) -> MethodFigures:
    """Return all figures of one method.

    Args:
        method: what to call it.
        test: the labelled answers, made once for all methods.
        scores: the method's scores of them.
        validation: where thresholds come from; empty for none, several in cross-validation.

    Raises:
        InputError: parts of the validation leave out or share test answers.
        ReadingError: there is not one score a token or an answer.
    """
    judges = judges_of(validation, len(test))
    levels: list[LevelFigures] = []
    spans: list[SpanFigures] = []
    for level in LEVELS:
        for column in COLUMNS:
            given = scores.column(column)
            units = None if given is None else units_of(test.index, given, level)
            if given is None or units is None:
                continue
            thresholds = chosen_thresholds(validation, level, column)
            levels.append(_level_figures(test, units, column, thresholds, judges))
            if level == "token" and given.tokens is not None:
                spans.append(SpanFigures(column, _overlap(test, given.tokens, thresholds, judges)))
    return MethodFigures(
        method=method,
        levels=tuple(levels),
        spans=tuple(spans),
        n_answers=len(test),
        n_groups=len(np.unique(test.index.groups)),
        n_resamples=test.n_resamples,
        seed=test.seed,
        omitted=tuple(_omitted(scores)),
    )


def _level_figures(
    test: EvaluationSet,
    units: LevelUnits,
    column: Smoothness,
    thresholds: tuple[ValidationThreshold, ...],
    judges: Indices,
) -> LevelFigures:
    metrics = ranking_metrics(units.scores, units.labels)
    ranked, resamples = RankedUnits(units.scores, units.labels), test.resamples(units.level)
    draws = ranked.draws(resamples, RECALLS)
    by_answer, reason = thresholds_by_answer(thresholds, judges)
    if by_answer is None:
        at_threshold = without_threshold(units.labels, reason or "", resamples.n_groups)
    else:
        at_threshold = operating_point(units.scores, units.labels, by_answer[units.answers], resamples)
    return LevelFigures(
        level=units.level,
        smoothing=column,
        average_precision=draws.average_precision.estimate(metrics.average_precision),
        auroc=draws.auroc.estimate(metrics.auroc),
        thresholds=thresholds,
        at_threshold=at_threshold,
        precision_at_recall=precisions_at(ranked, draws.precision_at_recall),
        n_left_out=units.n_left_out,
        n_spans_unseen=units.n_spans_unseen,
    )


def _overlap(
    test: EvaluationSet,
    token_scores: tuple[Floats, ...],
    thresholds: tuple[ValidationThreshold, ...],
    judges: Indices,
) -> SpanOverlap:
    by_answer, reason = thresholds_by_answer(thresholds, judges)
    if by_answer is None:
        return test.characters.without_threshold(reason or "", test.span_resamples.n_groups)
    return test.characters.overlap(test.characters.counts(token_scores, by_answer), test.span_resamples)


def _omitted(scores: MethodScores) -> Iterator[str]:
    if scores.smoothed is None:
        yield "No smoothed figures: the method's scores are not smoothed."
    for column in COLUMNS:
        given = scores.column(column)
        if given is not None and given.tokens is None:
            yield f"No {column} figures below the answer level: the method judges whole answers only."
        if given is not None and given.answers is None:
            yield f"No {column} figures at the answer level: the method gives no score of an answer."
