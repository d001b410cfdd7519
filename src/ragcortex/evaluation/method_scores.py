"""The scores of one method on a data set, and the validation scores that its thresholds come from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from ragcortex.align import AnswerTokens
from ragcortex.errors import InputError
from ragcortex.evaluation.evaluate import Prediction
from ragcortex.evaluation.levels import Indices, Level, LevelUnits, UnitIndex
from ragcortex.evaluation.resampling import Resamples
from ragcortex.evaluation.span_overlap import CharacterIndex
from ragcortex.example import Example
from ragcortex.score_arrays import Floats, finite_scores

Smoothness = Literal["raw", "smoothed"]
COLUMNS: Final[tuple[Smoothness, ...]] = get_args(Smoothness)


@dataclass(frozen=True, slots=True, eq=False)
class ColumnScores:
    """What a method says of every answer, either before or after smoothing; higher = more likely hallucinated.

    Attributes:
        tokens: the scores of each answer's tokens, finite, of any scale; None where the method judges answers only.
        answers: one score an answer, shape (n_answers,); None where the method says nothing about answers.

    Raises:
        InputError: both are missing, or they are of different numbers of answers.
        ReadingError: a score is not finite.
    """

    tokens: tuple[Floats, ...] | None
    answers: Floats | None

    def __post_init__(self) -> None:
        if self.tokens is None and self.answers is None:
            raise InputError("tokens", "must be given where there are no scores of answers")
        if self.tokens is not None:
            checked = tuple(finite_scores(row, f"tokens[{index}]") for index, row in enumerate(self.tokens))
            object.__setattr__(self, "tokens", checked)
        if self.answers is not None:
            object.__setattr__(self, "answers", finite_scores(self.answers, "answers"))
        if self.tokens is not None and self.answers is not None and len(self.tokens) != len(self.answers):
            raise InputError("answers", f"must be {len(self.tokens)} scores, one an answer, got {len(self.answers)}")


@dataclass(frozen=True, slots=True, eq=False)
class MethodScores:
    """The scores of one method on a data set, before and after smoothing; `smoothed` is None where nothing smooths."""

    raw: ColumnScores
    smoothed: ColumnScores | None

    @classmethod
    def of(cls, predictions: Sequence[Prediction]) -> "MethodScores":
        """Return the scores of predictions, in their order."""
        return cls(
            ColumnScores(tuple(one.raw for one in predictions), _row([one.answer_score_raw for one in predictions])),
            ColumnScores(tuple(one.smoothed for one in predictions), _row([one.answer_score for one in predictions])),
        )

    def column(self, column: Smoothness) -> ColumnScores | None:
        """Return the scores before or after smoothing."""
        return self.raw if column == "raw" else self.smoothed


@dataclass(frozen=True, slots=True, eq=False)
class Validation:
    """Validation answers with a method's scores of them, and the test answers whose thresholds they decide.

    Attributes:
        index: of the validation answers.
        scores: of the validation answers, made as those of the test answers are.
        judges: the positions of those test answers; None for all of them. In cross-validation every fold has its own.
    """

    index: UnitIndex
    scores: MethodScores
    judges: Indices | None = None

    @classmethod
    def of(cls, predictions: Sequence[Prediction], judges: Indices | None = None) -> "Validation":
        """Return the validation of predictions on validation answers."""
        index = UnitIndex([one.example for one in predictions], [one.tokens for one in predictions])
        return cls(index, MethodScores.of(predictions), judges)


class EvaluationSet:
    """A test set with all that its methods share: units and labels at every level, characters, and resamples.

    Args:
        examples: the labelled answers.
        tokens: the tokens of each.
        seed: of the bootstrap, the same for all methods.
        n_resamples: how many resamples to draw.

    Raises:
        InputError: there are no examples, there is not one entry of tokens an example, or n_resamples is below 1.
        ReadingError: tokens are those of another answer.
    """

    def __init__(
        self, examples: Sequence[Example], tokens: Sequence[AnswerTokens], *, seed: int = 0, n_resamples: int = 1000
    ) -> None:
        if not examples:
            raise InputError("examples", "must not be empty; there is nothing to evaluate")
        if n_resamples < 1:
            raise InputError("n_resamples", f"must be at least 1, got {n_resamples!r}")
        self.index = UnitIndex(examples, tokens)
        self.characters = CharacterIndex(examples, tokens)
        self.seed, self.n_resamples = seed, n_resamples
        self.span_resamples = self._drawn(self.characters.groups)
        """Of the answers with known spans."""
        self._resamples: dict[Level, Resamples] = {}

    def __len__(self) -> int:
        return len(self.index)

    def resamples(self, level: Level) -> Resamples:
        """Return the resamples of the units of a level, the same for all methods."""
        if level not in self._resamples:
            self._resamples[level] = self._drawn(self.index.groups[self.index.answers(level)])
        return self._resamples[level]

    def _drawn(self, groups: Indices) -> Resamples:
        return Resamples(groups, seed=self.seed, n_resamples=self.n_resamples)


def units_of(index: UnitIndex, scores: ColumnScores, level: Level) -> LevelUnits | None:
    """Return the units of a level with a method's scores, or None where the method says nothing about them.

    Raises:
        ReadingError: there is not one score a token or an answer.
    """
    if (scores.answers if level == "answer" else scores.tokens) is None:
        return None
    nothing: Floats = finite_scores([])
    return index.units(
        level,
        () if scores.tokens is None else scores.tokens,
        nothing if scores.answers is None else scores.answers,
    )


def _row(values: Sequence[float]) -> Floats:
    return finite_scores(list(values) or finite_scores([]))
