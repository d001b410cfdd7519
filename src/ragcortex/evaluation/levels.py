"""The units that are judged, at four levels: tokens, words, sentences and answers, with a score and a label each.

What does not depend on the method (which tokens belong to which unit, and the labels) is worked out once a data set,
by `UnitIndex`; after that a method costs one `numpy.maximum.reduceat` a level.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, get_args

import numpy as np
import numpy.typing as npt

from ragcortex.align import AnswerTokens, Range, sentences, token_labels, words
from ragcortex.checks import check_known
from ragcortex.errors import InputError, ReadingError
from ragcortex.example import Example, Span
from ragcortex.score_arrays import Floats, Labels, finite_scores
from ragcortex.splits import group_indices

Level = Literal["token", "word", "sentence", "answer"]
LEVELS: Final[tuple[Level, ...]] = get_args(Level)
Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class LevelUnits:
    """The units of one level, those of all answers one after the other, with the scores of one method.

    Attributes:
        level: what a unit is.
        scores: shape (n,), float64, finite, of any scale, higher = more likely hallucinated.
        labels: shape (n,), int8, 1 = hallucinated.
        groups: shape (n,), the source of each unit's answer, as an index from 0.
        answers: shape (n,), the position of each unit's answer among all answers, rising.
        n_left_out: how many answers are not among them, since their spans (at the answer level: labels) are not known.
        n_spans_unseen: how many hallucinated spans touch no unit, as one of punctuation alone touches no word.

    Raises:
        InputError: the arrays differ in length.
        ReadingError: a score is not finite.
    """

    level: Level
    scores: Floats
    labels: Labels
    groups: Indices
    answers: Indices
    n_left_out: int
    n_spans_unseen: int

    def __post_init__(self) -> None:
        check_known("level", self.level, LEVELS)
        object.__setattr__(self, "scores", finite_scores(self.scores))
        for name in ("labels", "groups", "answers"):
            if getattr(self, name).shape != self.scores.shape:
                raise InputError(
                    name, f"must be one a score, expected {self.scores.shape}, got {getattr(self, name).shape}"
                )

    def __len__(self) -> int:
        return len(self.scores)


@dataclass(frozen=True, slots=True, eq=False)
class _Pieces:
    """Which tokens, counted over all answers, each unit of a level takes its score from, and what is known of it."""

    starts: Indices
    ends: Indices
    labels: Labels
    answers: Indices
    n_left_out: int
    n_spans_unseen: int


class UnitIndex:
    """The units of a data set at every level, with their labels; made once and shared by all methods.

    Args:
        examples: the labelled answers.
        tokens: the tokens of each.

    Raises:
        InputError: there is not one entry of tokens an example.
        ReadingError: tokens are those of another answer.
    """

    def __init__(self, examples: Sequence[Example], tokens: Sequence[AnswerTokens]) -> None:
        check_answers(examples, tokens)
        self.examples: tuple[Example, ...] = tuple(examples)
        self.tokens: tuple[AnswerTokens, ...] = tuple(tokens)
        self.groups: Indices = group_indices([example.group for example in examples])
        """The source of each answer as an index from 0, shape (n_answers,)."""
        self._offsets = offsets([len(answer) for answer in tokens])
        self._pieces: dict[Level, _Pieces] = {}

    def __len__(self) -> int:
        return len(self.examples)

    @cached_property
    def known(self) -> Indices:
        """The positions of the answers whose spans are known."""
        return with_known_spans(self.examples)

    def units(self, level: Level, token_scores: Sequence[npt.ArrayLike], answer_scores: npt.ArrayLike) -> LevelUnits:
        """Return the units of a level with a method's scores.

        A word or a sentence scores as the highest of the tokens that share a character with it, and is labelled 1 if a
        hallucinated span shares a character with it. An answer has the answer's own score and label.

        Args:
            level: one of LEVELS.
            token_scores: the scores of each answer's tokens; not looked at for the level `answer`.
            answer_scores: one score an answer, shape (n_answers,); looked at for the level `answer` only.

        Raises:
            InputError: the level is unknown.
            ReadingError: there is not one score a token or an answer, or one is not finite.
        """
        pieces = self._of(level)
        if level == "answer":
            values = finite_scores(answer_scores, "answer_scores")
            if len(values) != len(self):
                raise ReadingError(f"answer_scores: expected {len(self)} scores, one an answer, got {len(values)}")
            scores = values[pieces.answers]
        else:
            scores = highest_within(self.pooled(token_scores), pieces.starts, pieces.ends)
        return LevelUnits(
            level=level,
            scores=scores,
            labels=pieces.labels,
            groups=self.groups[pieces.answers],
            answers=pieces.answers,
            n_left_out=pieces.n_left_out,
            n_spans_unseen=pieces.n_spans_unseen,
        )

    def pooled(self, token_scores: Sequence[npt.ArrayLike]) -> Floats:
        """Return the scores of all tokens of all answers, one after the other, shape (n_tokens,).

        Raises:
            ReadingError: there is not one score a token, or one is not finite.
        """
        return pooled_tokens(self.tokens, token_scores)

    def labels(self, level: Level) -> Labels:
        """Return the labels of the units of a level, in the order of `units`."""
        return self._of(level).labels

    def answers(self, level: Level) -> Indices:
        """Return the position of each unit's answer, in the order of `units`."""
        return self._of(level).answers

    def span_types(self) -> tuple[str | None, ...]:
        """Return the types of the hallucinated spans in the order of their names, None last where some have none."""
        seen = {span.type for example in self.examples for span in example.known_spans or ()}
        return tuple(sorted(name for name in seen if name is not None)) + ((None,) if None in seen else ())

    def touched(self, level: Level, span_type: str | None) -> npt.NDArray[np.bool_]:
        """Return True for the units that a span of this type shares a character with, in the order of `units`."""
        pieces = self._of(level)
        if level == "answer":
            spans = [self.examples[index].known_spans or () for index in pieces.answers.tolist()]
            return np.array([any(span.type == span_type for span in own) for own in spans], dtype=np.bool_)
        parts = [np.zeros(0, np.int8)]
        for index in self.known.tolist():
            own = [span for span in self.examples[index].known_spans or () if span.type == span_type]
            parts.append(self._labels_within(level, index, own))
        return np.concatenate(parts).astype(np.bool_)

    def _of(self, level: Level) -> _Pieces:
        check_known("level", level, LEVELS)
        if level not in self._pieces:
            self._pieces[level] = self._answer_pieces() if level == "answer" else self._inner_pieces(level)
        return self._pieces[level]

    def _answer_pieces(self) -> _Pieces:
        labels = [example.answer_label for example in self.examples]
        known = np.array([index for index, label in enumerate(labels) if label is not None], dtype=np.intp)
        truth = np.array([label for label in labels if label is not None], dtype=np.int8)
        nothing = np.zeros(0, np.intp)
        return _Pieces(nothing, nothing, truth, known, len(labels) - len(known), 0)

    def _inner_pieces(self, level: Level) -> _Pieces:
        nothing = np.zeros(0, np.intp)
        starts, ends, labels, answers, n_unseen = [nothing], [nothing], [np.zeros(0, np.int8)], [nothing], 0
        for index in self.known.tolist():
            ranges = self._ranges(level, index)
            first, last = _token_runs(self.tokens[index], ranges, each=level == "token")
            starts.append(first + self._offsets[index])
            ends.append(last + self._offsets[index])
            spans = self.examples[index].known_spans or ()
            labels.append(self._labels_within(level, index, spans))
            answers.append(np.full(len(ranges), index, dtype=np.intp))
            n_unseen += sum(not self._labels_within(level, index, [span]).any() for span in spans)
        return _Pieces(
            starts=np.concatenate(starts),
            ends=np.concatenate(ends),
            labels=np.concatenate(labels),
            answers=np.concatenate(answers),
            n_left_out=len(self) - len(self.known),
            n_spans_unseen=n_unseen,
        )

    def _ranges(self, level: Level, index: int) -> tuple[Range, ...]:
        if level == "token":
            return self.tokens[index].ranges
        return words(self.examples[index].answer) if level == "word" else sentences(self.examples[index].answer)

    def _labels_within(self, level: Level, index: int, spans: Sequence[Span]) -> Labels:
        if level == "token":
            return token_labels(self.tokens[index], spans)
        ranges = np.array(self._ranges(level, index), dtype=np.intp).reshape(-1, 2)
        before = marked_before(len(self.examples[index].answer), spans)
        return (before[ranges[:, 1]] > before[ranges[:, 0]]).astype(np.int8)


def units(
    level: Level, index: UnitIndex, token_scores: Sequence[npt.ArrayLike], answer_scores: npt.ArrayLike
) -> LevelUnits:
    """Return the units of a level with a method's scores; arguments and errors as for `UnitIndex.units`."""
    return index.units(level, token_scores, answer_scores)


def check_answers(examples: Sequence[Example], tokens: Sequence[AnswerTokens]) -> None:
    """Refuse tokens that are not those of the examples' answers.

    Raises:
        InputError: there is not one entry of tokens an example.
        ReadingError: tokens are those of another answer.
    """
    if len(examples) != len(tokens):
        raise InputError("tokens", f"must be given for {len(examples)} examples, got {len(tokens)}")
    for index, (example, answer) in enumerate(zip(examples, tokens, strict=True)):
        if answer.text != example.answer:
            which = f"number {index}" if example.id is None else repr(example.id)
            raise ReadingError(f"the tokens are not those of answer {which}; read it again")


def with_known_spans(examples: Sequence[Example]) -> Indices:
    """Return the positions of the answers whose spans are known."""
    return np.array([index for index, one in enumerate(examples) if one.known_spans is not None], dtype=np.intp)


def pooled_tokens(tokens: Sequence[AnswerTokens], token_scores: Sequence[npt.ArrayLike]) -> Floats:
    """Return the scores of all tokens of all answers, one after the other, shape (n_tokens,).

    Raises:
        ReadingError: there is not one score a token, or one is not finite.
    """
    if len(token_scores) != len(tokens):
        raise ReadingError(f"token_scores: expected those of {len(tokens)} answers, got {len(token_scores)}")
    rows = [np.asarray(row) for row in token_scores]
    for index, (answer, row) in enumerate(zip(tokens, rows, strict=True)):
        if row.shape != (len(answer),):
            raise ReadingError(
                f"token_scores[{index}]: expected {len(answer)} scores, one a token, got shape {row.shape}"
            )
    return finite_scores(np.concatenate([*rows, np.zeros(0)]), "token_scores")


def marked_before(length: int, spans: Sequence[Span]) -> Indices:
    """Return how many characters before each position lie in a span, shape (length + 1,); each counts once."""
    marked = np.zeros(length, dtype=np.intp)
    for span in spans:
        marked[span.start : span.end] = 1
    return offsets(marked)


def offsets(lengths: npt.ArrayLike) -> Indices:
    """Return where each of n parts begins when they stand one after the other, and where all end, shape (n + 1,)."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.intp)]).astype(np.intp)


def _token_runs(tokens: AnswerTokens, ranges: Sequence[Range], *, each: bool) -> tuple[Indices, Indices]:
    """Return the first token, and one past the last, that shares a character with each range.

    With `each`, the ranges are the tokens themselves: one token a range, also where several share one character.
    """
    if each:
        positions = np.arange(len(ranges), dtype=np.intp)
        return positions, positions + 1
    bounds = np.array(tokens.ranges, dtype=np.intp).reshape(-1, 2)
    wanted = np.array(ranges, dtype=np.intp).reshape(-1, 2)
    first = np.searchsorted(bounds[:, 1], wanted[:, 0], side="right")
    last = np.searchsorted(bounds[:, 0], wanted[:, 1], side="left")
    return first.astype(np.intp), last.astype(np.intp)


def highest_within(values: Floats, starts: Indices, ends: Indices) -> Floats:
    """Return the maximum of values[start:end] for each pair; no range is empty, and neighbours may overlap."""
    if not len(starts):
        return np.zeros(0)
    # reduceat takes from each bound to the next: those from an end to the next start are dropped. The last end may lie
    # one past the values, where reduceat wants something to stand.
    bounds = np.stack([starts, ends], axis=1).ravel()
    return np.maximum.reduceat(np.append(values, -np.inf), bounds)[::2]
