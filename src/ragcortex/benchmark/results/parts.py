"""The parts of a benchmark run's document: methods, comparisons, breakdowns, ablations. Each checks itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, get_args

from ragcortex.benchmark.method_card import MethodCard, ScoredLevel, Training
from ragcortex.benchmark.method_card import Scale as ScoreScale
from ragcortex.benchmark.results.codec import json_object
from ragcortex.benchmark.results.figure import (
    Figure,
    Level,
    MetricName,
    Smoothing,
    check_figures,
    check_interval,
    check_place,
    find_figure,
)
from ragcortex.checks import check_known, check_parts, check_position, check_score, check_text, is_finite
from ragcortex.errors import InputError
from ragcortex.smoothing import Method as SmoothingMethod


@dataclass(frozen=True, slots=True)
class Cost:
    """What a method costs; None where it was not measured or does not apply.

    Attributes:
        reading_ratio: time of its reading as a multiple of two bare forward passes over the same tokens.
        reading_seconds: time of its reading, an answer.
        fitting_seconds: time of fitting it, all folds together, without reading.
        scoring_milliseconds: time of scoring an answer, without reading.
        kilobytes_kept: what it keeps of a reading, an answer.
        peak_megabytes: the peak of memory while one answer is read for it.
    """

    reading_ratio: float | None = None
    reading_seconds: float | None = None
    fitting_seconds: float | None = None
    scoring_milliseconds: float | None = None
    kilobytes_kept: float | None = None
    peak_megabytes: float | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and not (is_finite(value) and value >= 0):
                raise InputError(field.name, f"must be a finite number from 0 on or null, got {value!r}")


@dataclass(frozen=True, slots=True)
class FoldChoices:
    """What was chosen for a method on the validation answers of one fold.

    Attributes:
        fold: which, from 0.
        choices: layer, stopping, hyper-parameters; JSON values.
        token_p_stay: the smoothing of its token scores; None where it is not smoothed by label persistence.
        answer_p_stay: the smoothing under its answer score; None as above.
    """

    fold: int
    choices: Mapping[str, Any]
    token_p_stay: float | None = None
    answer_p_stay: float | None = None

    def __post_init__(self) -> None:
        check_position("fold", self.fold)
        object.__setattr__(self, "choices", json_object("choices", self.choices))
        check_score("token_p_stay", self.token_p_stay, optional=True)
        check_score("answer_p_stay", self.answer_p_stay, optional=True)


@dataclass(frozen=True, slots=True)
class MethodResult:
    """What one method, or one trivial control, achieved and cost.

    Attributes:
        name: what it is called in this run; no other result has the same.
        method: which method of the benchmark it is, as a configuration names it.
        title: as tables print it.
        summary: one line for people.
        source: where it is defined.
        training: what it is fitted on.
        scale: of its token scores.
        level: the finest level it scores itself.
        smoothing: how its token scores were smoothed.
        answer_score: where its answer score comes from, in words.
        figures: no two of the same level, smoothing and metric.
        folds: what was chosen in each fold.
        cost: None where it was not measured.
        failure: why it has no figures; None where it did not fail.
    """

    name: str
    method: str
    title: str
    summary: str
    source: str
    training: Training
    scale: ScoreScale
    level: ScoredLevel
    smoothing: SmoothingMethod
    answer_score: str
    figures: tuple[Figure, ...] = ()
    folds: tuple[FoldChoices, ...] = ()
    cost: Cost | None = None
    failure: str | None = None

    def __post_init__(self) -> None:
        for name in ("name", "method", "title", "summary", "source", "answer_score"):
            check_text(name, getattr(self, name), filled=True)
        for name, kind in (("training", Training), ("scale", ScoreScale), ("level", ScoredLevel)):
            check_known(name, getattr(self, name), get_args(kind))
        check_known("smoothing", self.smoothing, get_args(SmoothingMethod))
        check_parts("folds", self.folds, FoldChoices)
        check_figures(self.figures)
        check_outcome(self.figures, self.failure)

    @classmethod
    def of(
        cls, card: MethodCard, *, name: str | None = None, title: str | None = None, figures: Sequence[Figure] = (),
        folds: Sequence[FoldChoices] = (), cost: Cost | None = None, failure: str | None = None,
    ) -> "MethodResult":  # fmt: skip
        """Return the result of the method that has this card; name and title are the card's unless given."""
        return cls(
            name or card.name, card.name, title or card.title, card.summary, card.source, card.training, card.scale,
            card.level, card.smoothing, card.answer_score, tuple(figures), tuple(folds), cost, failure,
        )  # fmt: skip

    def figure(self, level: Level, smoothing: Smoothing, metric: MetricName) -> Figure | None:
        """Return the figure, or None where it was not measured."""
        return find_figure(self.figures, level, smoothing, metric)


@dataclass(frozen=True, slots=True)
class Comparison:
    """How much one method beats another on the same rows: positive where it is better.

    Attributes:
        method: the one.
        reference: the other.
        level: at which both were measured.
        smoothing: of both.
        metric: in which.
        difference: value of the one minus value of the other, in [-1, 1]; None where one is missing.
        low: lower end of its 95 % interval.
        high: upper end of its 95 % interval.
        p: two-sided, of no difference.
        p_holm: the same, corrected for all comparisons made.
        reason: why something is missing; None where nothing is.
    """

    method: str
    reference: str
    level: Level
    smoothing: Smoothing
    metric: MetricName
    difference: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_holm: float | None = None
    reason: str | None = None

    def __post_init__(self) -> None:
        check_text("method", self.method, filled=True)
        check_text("reference", self.reference, filled=True)
        check_place(self.level, self.smoothing, self.metric)
        for name in ("difference", "low", "high"):
            value = getattr(self, name)
            if value is not None and not (is_finite(value) and -1 <= value <= 1):
                raise InputError(name, f"must be a number in [-1, 1] or null, got {value!r}")
        check_interval(self.low, self.high)
        check_score("p", self.p, optional=True)
        check_score("p_holm", self.p_holm, optional=True)
        check_text("reason", self.reason, optional=True, filled=self.reason is not None)
        if self.difference is None and self.reason is None:
            raise InputError("reason", "must say why there is no difference")


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Figures of one method on a part of the answers.

    Attributes:
        dimension: by what the answers were parted, such as task, generator or label type.
        group: which part.
        method: whose figures.
        figures: on that part alone.
    """

    dimension: str
    group: str
    method: str
    figures: tuple[Figure, ...]

    def __post_init__(self) -> None:
        for name in ("dimension", "group", "method"):
            check_text(name, getattr(self, name), filled=True)
        check_figures(self.figures)


@dataclass(frozen=True, slots=True)
class Repeat:
    """Figures of one method when the whole protocol is run with one seed.

    Attributes:
        method: whose figures.
        seed: of everything random, the splits included.
        figures: with this seed.
    """

    method: str
    seed: int
    figures: tuple[Figure, ...]

    def __post_init__(self) -> None:
        check_text("method", self.method, filled=True)
        check_position("seed", self.seed)
        check_figures(self.figures)


@dataclass(frozen=True, slots=True)
class Ablation:
    """Figures of one variant of a method.

    Attributes:
        study: what is varied, such as the signals or the pooling of attention.
        variant: how, in a few words.
        figures: of this variant; empty where it failed.
        failure: why; None where it did not fail.
    """

    study: str
    variant: str
    figures: tuple[Figure, ...] = ()
    failure: str | None = None

    def __post_init__(self) -> None:
        check_text("study", self.study, filled=True)
        check_text("variant", self.variant, filled=True)
        check_figures(self.figures)
        check_outcome(self.figures, self.failure)


def check_outcome(figures: Sequence[Figure], failure: str | None) -> None:
    """Refuse what has neither figures nor a reason why."""
    check_text("failure", failure, optional=True, filled=failure is not None)
    if not figures and failure is None:
        raise InputError("failure", "must say why there are no figures")
    if figures and failure is not None:
        raise InputError("figures", "must be empty where the method failed; figures of some folds are not its figures")
