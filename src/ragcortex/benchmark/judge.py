"""From raw scores of all folds to smoothed ones: every method is smoothed by the same rule, chosen on validation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ragcortex.align import AnswerTokens, token_labels
from ragcortex.benchmark.fold_scores import FoldScores
from ragcortex.benchmark.method import MethodScores
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.protocol import Fold
from ragcortex.errors import TrainingError
from ragcortex.example import Example
from ragcortex.score_arrays import Floats, Labels
from ragcortex.smoothing import (
    USUAL_ANSWER_P_STAY,
    USUAL_P_STAY,
    Smoothing,
    candidates,
    choose_answer_smoothing,
    choose_smoothing,
)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What a method says of some answers; higher = more likely hallucinated.

    Attributes:
        positions: of the answers in the data.
        raw: the raw scores of each answer's tokens; None where the method scores whole answers only.
        emissions: the same as numbers in [0, 1], which smoothing starts from; None likewise.
        smoothed: the same smoothed; None likewise.
        answers_raw, answers: the score of each answer, shape (n,); from raw and from smoothed token scores where it
            comes from them.
    """

    positions: tuple[int, ...]
    raw: tuple[Floats, ...] | None
    emissions: tuple[Floats, ...] | None
    smoothed: tuple[Floats, ...] | None
    answers_raw: Floats
    answers: Floats


@dataclass(frozen=True, slots=True, eq=False)
class JudgedFold:
    """One fold's test answers, and the validation answers that its smoothing and thresholds come from.

    Attributes:
        validation: no answer to a source that the fold tests is among them.
        test: the fold's test answers.
        smoothing, answer_smoothing: of tokens and under the answer's score; None where a method does not use it.
    """

    validation: Part
    test: Part
    smoothing: Smoothing | None
    answer_smoothing: Smoothing | None


def judge(
    card: MethodCard,
    examples: Sequence[Example],
    tokens: Sequence[AnswerTokens],
    folds: Sequence[Fold],
    scores: Sequence[FoldScores],
) -> tuple[JudgedFold, ...]:
    """Return every fold's scores, smoothed.

    The smoothing of a fold is chosen on the validation answers of all folds but those to sources that it tests: the
    few of one fold cannot tell smoothings apart, and scores that are smoothed differently cannot be pooled. The usual
    p_stay is kept unless they speak clearly against it (docs/decisions/0005).

    An answer that several folds have among their validation answers counts once, as the first of them scores it. Models
    of other folds were fitted on answers that this fold tests; all that could reach a choice from there is one of
    thirteen values of p_stay and a threshold.

    Scores of any scale are made emissions of the chain by the logistic function of their standard score on the fold's
    validation answers, without labels. As raw scores they stay what they are, except where a method was fitted: then
    each fold has a scale of its own (another layer, other heads), and scores of several folds can be pooled only as
    standard scores. Within a fold that changes no order.

    Args:
        card: what the method promises.
        examples, tokens: all answers of the data.
        folds: how they were split.
        scores: of each fold.

    Raises:
        TrainingError: the validation answers lack a class.
    """
    scores = [_on_one_scale(card, one) for one in scores]
    emissions = [_emissions(card, one) for one in scores]
    fold_of = {position: number for number, fold in enumerate(folds) for position in fold.test}
    labels = _Labels(examples, tokens)
    judged = []
    for number, one in enumerate(scores):
        others: dict[int, _Scored] = {}
        for other, theirs in enumerate(scores):
            for position, raw in theirs.validation.items():
                if fold_of.get(position) != number:
                    others.setdefault(position, (position, raw, emissions[other][position]))
        pool = list(others.values())
        smoothing, answer_smoothing = _smoothings(card, pool, labels)
        test = [(position, raw, emissions[number][position]) for position, raw in one.test.items()]
        judged.append(
            JudgedFold(
                _part(pool, smoothing, answer_smoothing),
                _part(test, smoothing, answer_smoothing),
                smoothing,
                answer_smoothing,
            )
        )
    return tuple(judged)


# An answer's position, its raw scores, and its tokens' scores in [0, 1].
_Scored = tuple[int, MethodScores, Floats | None]


class _Labels:
    """The labels of answers and of their tokens, each worked out once."""

    def __init__(self, examples: Sequence[Example], tokens: Sequence[AnswerTokens]) -> None:
        self._examples, self._all_tokens = examples, tokens
        self._tokens: dict[int, Labels | None] = {}

    def answer(self, position: int) -> int:
        label = self._examples[position].answer_label
        if label is None:
            raise TrainingError(f"example {self._examples[position].id!r} has no label; leave it out or label it")
        return label

    def tokens(self, position: int) -> Labels | None:
        if position not in self._tokens:
            spans = self._examples[position].known_spans
            self._tokens[position] = None if spans is None else token_labels(self._all_tokens[position], spans)
        return self._tokens[position]


def _on_one_scale(card: MethodCard, scores: FoldScores) -> FoldScores:
    """Return a fitted method's scores of any scale as standard scores on the fold's validation answers."""
    if card.scale == "probability" or card.training != "labels":
        return scores
    tokens = [one.tokens for one in scores.validation.values() if one.tokens is not None]
    answers = [one.answer for one in scores.validation.values() if one.answer is not None]
    by_token = _standard(np.concatenate(tokens)) if tokens else (0.0, 1.0)
    by_answer = _standard(np.array(answers)) if answers else (0.0, 1.0)

    def standardised(part: Mapping[int, MethodScores]) -> dict[int, MethodScores]:
        return {
            position: MethodScores(
                None if one.tokens is None else (one.tokens - by_token[0]) / by_token[1],
                None if one.answer is None else (one.answer - by_answer[0]) / by_answer[1],
            )
            for position, one in part.items()
        }

    return replace(scores, validation=standardised(scores.validation), test=standardised(scores.test))


def _standard(values: Floats) -> tuple[float, float]:
    """Return mean and standard deviation, 1 where all values are equal."""
    return float(values.mean()), float(values.std()) or 1.0


def _emissions(card: MethodCard, scores: FoldScores) -> Mapping[int, Floats | None]:
    """Return the token scores of one fold as numbers in [0, 1], by the answer's position."""
    everything = {**scores.validation, **scores.test}
    if card.scale == "probability" or all(one.tokens is None for one in everything.values()):
        return {position: one.tokens for position, one in everything.items()}
    seen = np.concatenate([one.tokens for one in scores.validation.values() if one.tokens is not None])
    mean, spread = _standard(seen)
    return {
        position: None if one.tokens is None else _logistic((one.tokens - mean) / spread)
        for position, one in everything.items()
    }


def _logistic(values: Floats) -> Floats:
    """Return 1 / (1 + e^−x), through the hyperbolic tangent, which does not overflow."""
    found: Floats = 0.5 * (1 + np.tanh(values / 2))
    return found


def _smoothings(
    card: MethodCard, pool: Sequence[_Scored], labels: _Labels
) -> tuple[Smoothing | None, Smoothing | None]:
    """Return the smoothing of tokens, and that under the answer's score where it is their maximum."""
    scored = [(position, emission) for position, _, emission in pool if emission is not None]
    if not scored:
        return None, None
    if card.smoothing == "none":
        return Smoothing.none(), Smoothing.none()
    tried = candidates(card.smoothing)
    known = [(emission, own) for position, emission in scored if (own := labels.tokens(position)) is not None]
    usual = Smoothing.persistence(USUAL_P_STAY) if card.smoothing == "persistence" else None
    tokens = usual or Smoothing.none()
    if len(set(np.concatenate([np.zeros(0, np.int8), *(own for _, own in known)]).tolist())) == 2:
        tokens = choose_smoothing(
            [emission for emission, _ in known],
            [own for _, own in known],
            tried,
            usual=usual,
        )
    if any(raw.answer is not None for _, raw, _ in pool):
        return tokens, None
    answers = choose_answer_smoothing(
        [emission for _, emission in scored],
        [labels.answer(position) for position, _ in scored],
        tried,
        usual=Smoothing.persistence(USUAL_ANSWER_P_STAY),
    )
    return tokens, answers


def _part(scored: Sequence[_Scored], smoothing: Smoothing | None, answer_smoothing: Smoothing | None) -> Part:
    positions = tuple(position for position, _, _ in scored)
    emissions = [emission for _, _, emission in scored if emission is not None]
    if len(emissions) < len(scored):
        answers = np.array([raw.answer for _, raw, _ in scored], dtype=np.float64)
        return Part(positions, None, None, None, answers, answers)
    raw = tuple(one.tokens for _, one, _ in scored if one.tokens is not None)
    smoothed = tuple((smoothing or Smoothing.none()).apply_many(emissions))
    given = [one.answer for _, one, _ in scored]
    for_answers = (answer_smoothing or Smoothing.none()).apply_many(emissions)
    return Part(
        positions,
        raw,
        tuple(emissions),
        smoothed,
        np.array([own.max() if one is None else one for one, own in zip(given, raw, strict=True)]),
        np.array([own.max() if one is None else one for one, own in zip(given, for_answers, strict=True)]),
    )
