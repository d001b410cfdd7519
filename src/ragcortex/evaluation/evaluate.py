"""From predictions on labelled answers to the table of results: the one way figures are made in this package."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from ragcortex.align import AnswerTokens, token_labels
from ragcortex.errors import InputError, ReadingError
from ragcortex.evaluation.bootstrap import bootstrap
from ragcortex.evaluation.controls import Control, trivial_controls
from ragcortex.evaluation.metrics import ranking_metrics
from ragcortex.evaluation.tables import Column, Level, ResultRow, ResultTable
from ragcortex.example import Example
from ragcortex.score_arrays import Floats, Labels, finite_scores
from ragcortex.splits import group_indices

DEFAULT_N_RESAMPLES: Final = 200


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a method says about one labelled answer; higher = more likely hallucinated.

    Scores may have any scale, since only their order is evaluated, but must be finite.

    Attributes:
        example: the answer with its labels.
        tokens: its tokens, T of them.
        raw: the score of each token before smoothing, shape (T,), float64.
        smoothed: the score of each token after smoothing, shape (T,), float64.
        answer_score: the score of the answer, from smoothed token scores.
        answer_score_raw: the score of the answer, from raw token scores.

    Raises:
        ReadingError: a score is missing or not finite, or the tokens are of another answer.
    """

    example: Example
    tokens: AnswerTokens
    raw: npt.NDArray[np.float64]
    smoothed: npt.NDArray[np.float64]
    answer_score: float
    answer_score_raw: float

    def __post_init__(self) -> None:
        if self.tokens.text != self.example.answer:
            raise ReadingError(f"the tokens are not those of the answer{self._which()}; read it again")
        for name in ("raw", "smoothed"):
            scores = finite_scores(getattr(self, name), name)
            if len(scores) != len(self.tokens):
                raise ReadingError(
                    f"{name}: expected {len(self.tokens)} scores, one a token, got {len(scores)}{self._which()}"
                )
            object.__setattr__(self, name, scores)
        for name in ("answer_score", "answer_score_raw"):
            value = getattr(self, name)
            object.__setattr__(self, name, float(finite_scores([value], name)[0]))

    def _which(self) -> str:
        return "" if self.example.id is None else f" {self.example.id!r}"

    def token_labels(self) -> Labels | None:
        """Return the label of each token, shape (T,), or None where the spans are not known."""
        spans = self.example.known_spans
        return None if spans is None else token_labels(self.tokens, spans)


def evaluate_scores(
    predictions: Sequence[Prediction],
    *,
    seed: int = 0,
    n_resamples: int = DEFAULT_N_RESAMPLES,
    method: str = "detector",
) -> ResultTable:
    """Return token and answer AP and AUROC, raw and smoothed, with intervals by source and the trivial controls.

    Answers without known spans count at the answer level only, and those without any label not at all; the table says
    how many. `ResultTable.joined` puts several methods on the same answers into one table.

    Args:
        predictions: one a labelled answer.
        seed: of the bootstrap; the same for all methods that are compared.
        n_resamples: how many resamples to draw.
        method: what to call it in the table.

    Raises:
        InputError: there are no predictions, none has a label, or n_resamples is below 1.
    """
    return evaluate_methods({method: predictions}, seed=seed, n_resamples=n_resamples)


def evaluate_methods(
    methods: Mapping[str, Sequence[Prediction]], *, seed: int = 0, n_resamples: int = DEFAULT_N_RESAMPLES
) -> ResultTable:
    """Return one table of several methods on the same answers, the trivial controls worked out once.

    Args:
        methods: the predictions of each method by its name, one a labelled answer, in the same order.
        seed, n_resamples: as `evaluate_scores`.

    Raises:
        InputError: as `evaluate_scores`, or the methods are not measured on the same answers and tokens.
    """
    given = list(methods.values())
    if not given or not given[0]:
        raise InputError("predictions", "must not be empty; there is nothing to evaluate")
    evaluated = [[(one.example, one.tokens) for one in predictions] for predictions in given]
    if any(answers != evaluated[0] for answers in evaluated):
        raise InputError("methods", "must be measured on the same answers and tokens, in the same order")
    evaluation = _Evaluation(given[0], seed, n_resamples)
    controls, omitted = evaluation.control_rows()
    rows = [row for name, predictions in methods.items() for row in evaluation.method_rows(name, predictions)]
    return ResultTable(
        rows=(*rows, *controls),
        n_examples=len(given[0]),
        n_without_token_labels=sum(labels is None for labels in evaluation.labels_by_answer),
        n_without_answer_labels=sum(label is None for label in evaluation.answer_labels),
        n_groups=len(np.unique(evaluation.groups)),
        n_resamples=n_resamples,
        seed=seed,
        omitted=omitted,
    )


class _Evaluation:
    """The labels and groups that every row of one table shares."""

    def __init__(self, predictions: Sequence[Prediction], seed: int, n_resamples: int) -> None:
        if n_resamples < 1:
            raise InputError("n_resamples", f"must be at least 1, got {n_resamples!r}")
        self.predictions = predictions
        self.seed, self.n_resamples = seed, n_resamples
        self.groups = group_indices([prediction.example.group for prediction in predictions])
        self.labels_by_answer = [prediction.token_labels() for prediction in predictions]
        self.answer_labels = [prediction.example.answer_label for prediction in predictions]
        if all(label is None for label in self.answer_labels):
            raise InputError("predictions", "must hold labelled answers; none has a label or spans")

    def method_rows(self, method: str, given: Sequence[Prediction]) -> tuple[ResultRow, ...]:
        return (
            self._token_row(method, "raw", [one.raw for one in given]),
            self._token_row(method, "smoothed", [one.smoothed for one in given]),
            self._answer_row(method, "raw", np.array([one.answer_score_raw for one in given])),
            self._answer_row(method, "smoothed", np.array([one.answer_score for one in given])),
        )

    def control_rows(self) -> tuple[tuple[ResultRow, ...], tuple[str, ...]]:
        """Return the rows of the controls, and a sentence for each control that does not apply at all."""
        controls = trivial_controls(
            [prediction.example for prediction in self.predictions],
            [prediction.tokens for prediction in self.predictions],
            self.labels_by_answer,
            self.answer_labels,
            self.groups,
        )
        rows = [row for control in controls for row in self._rows_of(control)]
        missing = [control for control in controls if control.tokens is None and control.answers is None]
        return tuple(rows), tuple(f"No control for {control.name}: {control.reason}." for control in missing)

    def _rows_of(self, control: Control) -> list[ResultRow]:
        rows = []
        if control.tokens is not None:
            rows.append(self._token_row(control.name, "raw", control.tokens, is_control=True))
        if control.answers is not None:
            rows.append(self._answer_row(control.name, "raw", control.answers, is_control=True))
        return rows

    def _token_row(
        self, method: str, smoothing: Column, scores: Sequence[Floats], *, is_control: bool = False
    ) -> ResultRow:
        known = [(index, labels) for index, labels in enumerate(self.labels_by_answer) if labels is not None]
        ranked = _Ranked(
            scores=np.concatenate([*(scores[index] for index, _ in known), np.zeros(0)]),
            labels=np.concatenate([*(labels for _, labels in known), np.zeros(0, np.int8)]),
            groups=np.concatenate(
                [*(np.full(len(labels), self.groups[index]) for index, labels in known), np.zeros(0, np.intp)]
            ),
        )
        return self._row(method, "token", smoothing, ranked, is_control=is_control)

    def _answer_row(self, method: str, smoothing: Column, scores: Floats, *, is_control: bool = False) -> ResultRow:
        known = [index for index, label in enumerate(self.answer_labels) if label is not None]
        labels = np.array([self.answer_labels[index] for index in known], dtype=np.int8)
        ranked = _Ranked(scores[known], labels, self.groups[known])
        return self._row(method, "answer", smoothing, ranked, is_control=is_control)

    def _row(self, method: str, level: Level, smoothing: Column, ranked: "_Ranked", *, is_control: bool) -> ResultRow:
        metrics = ranking_metrics(ranked.scores, ranked.labels)
        intervals = bootstrap(ranked.scores, ranked.labels, ranked.groups, seed=self.seed, n_resamples=self.n_resamples)
        return ResultRow(
            method=method,
            level=level,
            smoothing=smoothing,
            is_control=is_control,
            average_precision=metrics.average_precision,
            average_precision_interval=intervals.average_precision,
            auroc=metrics.auroc,
            auroc_interval=intervals.auroc,
        )


@dataclass(frozen=True, slots=True)
class _Ranked:
    """What is ranked: all tokens or all answers that have a label, and the source of each."""

    scores: Floats
    labels: Labels
    groups: npt.NDArray[np.intp]
