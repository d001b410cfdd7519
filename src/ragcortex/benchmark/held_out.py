"""The test answers of one seed, and every method's scores of them put together from its folds."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ragcortex.align import AnswerTokens, token_labels
from ragcortex.benchmark.judge import JudgedFold, Part, judge
from ragcortex.benchmark.protocol import Fold
from ragcortex.benchmark.run import BenchmarkRun, MethodRun
from ragcortex.evaluation.controls import Control, trivial_controls
from ragcortex.evaluation.levels import UnitIndex
from ragcortex.evaluation.method_scores import ColumnScores, EvaluationSet, MethodScores, Validation
from ragcortex.example import Example
from ragcortex.score_arrays import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """One method on all test answers.

    Attributes:
        scores: in the order of `HeldOutAnswers.positions`.
        test: the same with what smoothing starts from.
        validations: of each fold, for thresholds.
        judged: the folds themselves.
    """

    scores: MethodScores
    test: Part
    validations: tuple[Validation, ...]
    judged: tuple[JudgedFold, ...]


class HeldOutAnswers:
    """The test answers of one seed, in the order of the data; what all methods share is worked out once.

    Args:
        run: what was scored.
        tokens: the tokens of every answer of the data.
        seed: which of the run's seeds.
    """

    def __init__(self, run: BenchmarkRun, tokens: Sequence[AnswerTokens], seed: int) -> None:
        self.seed = seed
        self.folds: Sequence[Fold] = run.folds[seed]
        self._all, self._all_tokens = run.data.examples, tokens
        self.positions: tuple[int, ...] = tuple(sorted(position for fold in self.folds for position in fold.test))
        self._place = {position: place for place, position in enumerate(self.positions)}
        self.examples: tuple[Example, ...] = tuple(run.data.examples[position] for position in self.positions)
        self.tokens: tuple[AnswerTokens, ...] = tuple(tokens[position] for position in self.positions)
        n_resamples = run.config.protocol.n_resamples
        self.answers = EvaluationSet(self.examples, self.tokens, seed=0, n_resamples=n_resamples)
        self._indices: dict[tuple[int, ...], UnitIndex] = {}

    def gather(self, method: MethodRun) -> Gathered:
        """Return a method's scores of all test answers, smoothed by the protocol, and those its thresholds come from.

        Raises:
            TrainingError: the validation answers lack a class.
        """
        judged = judge(method.card, self._all, self._all_tokens, self.folds, method.folds[self.seed])
        validations = tuple(
            Validation(
                self._index(one.validation.positions),
                _columns(one.validation),
                np.array([self._place[position] for position in one.test.positions], dtype=np.intp),
            )
            for one in judged
        )
        test = self._joined([one.test for one in judged])
        return Gathered(_columns(test), test, validations, judged)

    def controls(self) -> tuple[Control, ...]:
        """Return the trivial controls on the test answers."""
        labels = [
            None if one.known_spans is None else token_labels(tokens, one.known_spans)
            for one, tokens in zip(self.examples, self.tokens, strict=True)
        ]
        answer_labels = [one.answer_label for one in self.examples]
        return trivial_controls(self.examples, self.tokens, labels, answer_labels, self.answers.index.groups)

    def _index(self, positions: tuple[int, ...]) -> UnitIndex:
        """Return the units of these answers; the folds of all methods have the same."""
        if positions not in self._indices:
            self._indices[positions] = UnitIndex(
                [self._all[position] for position in positions], [self._all_tokens[position] for position in positions]
            )
        return self._indices[positions]

    def _joined(self, parts: Sequence[Part]) -> Part:
        """Return the test answers of all folds, in order."""
        order = np.argsort([position for part in parts for position in part.positions], kind="stable").tolist()
        columns: dict[str, tuple[Floats, ...] | None] = {}
        for name in ("raw", "emissions", "smoothed"):
            rows = [one for part in parts for one in getattr(part, name) or ()]
            columns[name] = tuple(rows[at] for at in order) if rows else None
        return Part(
            self.positions,
            columns["raw"],
            columns["emissions"],
            columns["smoothed"],
            np.concatenate([part.answers_raw for part in parts])[order],
            np.concatenate([part.answers for part in parts])[order],
        )


def control_scores(control: Control) -> MethodScores:
    """Return what a trivial control says; it is not smoothed."""
    answers: Floats | None = control.answers
    return MethodScores(ColumnScores(control.tokens, answers), None)


def _columns(part: Part) -> MethodScores:
    return MethodScores(ColumnScores(part.raw, part.answers_raw), ColumnScores(part.smoothed, part.answers))
