"""Smoothing by the protocol: chosen on validation answers of other sources, the same rule for every method."""

import re
from dataclasses import replace

import numpy as np
import pytest

from labelled_sources import labelled_sources
from ragcortex.align import AnswerTokens, token_labels
from ragcortex.benchmark.config import ProtocolConfig
from ragcortex.benchmark.fold_scores import FoldScores
from ragcortex.benchmark.judge import judge
from ragcortex.benchmark.method import MethodScores
from ragcortex.benchmark.method_card import MethodCard
from ragcortex.benchmark.protocol import make_folds
from ragcortex.example import Example

CARD = MethodCard("made-up", "Made up", "for tests", "none", training="none", scale="probability")


def _tokens(text: str) -> AnswerTokens:
    ranges = tuple(match.span() for match in re.finditer(r"\S+\s*", text))
    return AnswerTokens(text, tuple(range(len(ranges))), ranges)


@pytest.fixture(scope="module")
def examples() -> tuple[Example, ...]:
    return labelled_sources(10)


def _scores(examples: tuple[Example, ...], fold, *, scale: float = 1.0, noise: float = 0.3) -> FoldScores:
    def of(positions: tuple[int, ...]) -> dict[int, MethodScores]:
        found = {}
        for position in positions:
            tokens = _tokens(examples[position].answer)
            labels = token_labels(tokens, examples[position].known_spans or ())
            random = np.random.default_rng(position)
            found[position] = MethodScores(
                scale * np.clip(0.3 + 0.4 * labels + noise * random.normal(size=len(labels)), 0, 1)
            )
        return found

    return FoldScores(of(fold.data.validation), of(fold.test), {}, 0.0, 0.0)


def test_a_fold_is_smoothed_by_answers_to_other_sources(examples: tuple[Example, ...]) -> None:
    folds = make_folds(examples, [None] * len(examples), ProtocolConfig(), 0)
    tokens = [_tokens(example.answer) for example in examples]
    judged = judge(CARD, examples, tokens, folds, [_scores(examples, fold) for fold in folds])
    for fold, one in zip(folds, judged, strict=True):
        tested = {examples[position].group for position in fold.test}
        assert not tested & {examples[position].group for position in one.validation.positions}
        assert one.test.positions == fold.test
        assert len(one.validation.positions) >= len(fold.data.validation)
        assert len(set(one.validation.positions)) == len(one.validation.positions)
        assert one.smoothing is not None
        np.testing.assert_array_equal(one.test.smoothed[0], one.smoothing.apply(one.test.raw[0]))
        np.testing.assert_array_equal(one.test.answers, [one.answer_smoothing.apply(raw).max() for raw in one.test.raw])
        np.testing.assert_array_equal(one.test.answers_raw, [raw.max() for raw in one.test.raw])


def test_scores_of_any_scale_are_standardised_and_their_raw_order_is_kept(examples: tuple[Example, ...]) -> None:
    folds = make_folds(examples, [None] * len(examples), ProtocolConfig(), 0)
    tokens = [_tokens(example.answer) for example in examples]
    card = replace(CARD, scale="any")
    plain = judge(card, examples, tokens, folds, [_scores(examples, fold) for fold in folds])
    scaled = judge(card, examples, tokens, folds, [_scores(examples, fold, scale=1000) for fold in folds])
    for one, other in zip(plain, scaled, strict=True):
        np.testing.assert_array_equal(other.test.raw[0], 1000 * one.test.raw[0])
        np.testing.assert_allclose(other.test.smoothed[0], one.test.smoothed[0], atol=1e-9)
        assert (one.smoothing, one.answer_smoothing) == (other.smoothing, other.answer_smoothing)
        assert all(((scores >= 0) & (scores <= 1)).all() for scores in one.test.smoothed)


def test_answer_scores_are_taken_as_they_are(examples: tuple[Example, ...]) -> None:
    folds = make_folds(examples, [None] * len(examples), ProtocolConfig(), 0)
    tokens = [_tokens(example.answer) for example in examples]

    def with_answers(scores: FoldScores, keep_tokens: bool) -> FoldScores:
        def of(part):
            return {p: MethodScores(one.tokens if keep_tokens else None, float(p)) for p, one in part.items()}

        return replace(scores, validation=of(scores.validation), test=of(scores.test))

    both = judge(CARD, examples, tokens, folds, [with_answers(_scores(examples, fold), True) for fold in folds])
    assert both[0].answer_smoothing is None
    np.testing.assert_array_equal(both[0].test.answers, np.array(folds[0].test, dtype=float))
    card = replace(CARD, level="answer", scale="any")
    alone = judge(card, examples, tokens, folds, [with_answers(_scores(examples, fold), False) for fold in folds])
    assert (alone[0].test.raw, alone[0].smoothing) == (None, None)
    np.testing.assert_array_equal(alone[0].test.answers, np.array(folds[0].test, dtype=float))


def test_a_method_that_is_not_smoothed_stays_as_it_is(examples: tuple[Example, ...]) -> None:
    folds = make_folds(examples, [None] * len(examples), ProtocolConfig(), 0)
    tokens = [_tokens(example.answer) for example in examples]
    judged = judge(
        replace(CARD, smoothing="none"), examples, tokens, folds, [_scores(examples, fold) for fold in folds]
    )
    np.testing.assert_array_equal(judged[1].test.smoothed[0], judged[1].test.raw[0])
    np.testing.assert_array_equal(judged[1].test.answers, judged[1].test.answers_raw)


def test_without_known_spans_tokens_are_not_smoothed_but_answers_are_judged(examples: tuple[Example, ...]) -> None:
    scored = examples
    folds = make_folds(examples, [None] * len(examples), ProtocolConfig(), 0)
    tokens = [_tokens(example.answer) for example in examples]
    given = [_scores(scored, fold) for fold in folds]
    bare = tuple(replace(one, spans=None, label=one.answer_label) for one in examples)
    positives_only = tuple(one if one.answer_label else replace(one, label=0) for one in bare)
    judged = judge(CARD, positives_only, tokens, folds, given)
    assert judged[0].answer_smoothing is not None


def test_scores_of_a_fitted_method_are_pooled_on_one_scale(examples: tuple[Example, ...]) -> None:
    folds = make_folds(examples, [None] * len(examples), ProtocolConfig(), 0)
    tokens = [_tokens(example.answer) for example in examples]
    card = replace(CARD, scale="any", training="labels")

    def shifted(by: float) -> list[FoldScores]:
        found = []
        for number, fold in enumerate(folds):
            scores = _scores(examples, fold)

            def moved(part, number=number):
                return {
                    position: MethodScores(one.tokens + by * number, float(one.tokens.max() + by * number))
                    for position, one in part.items()
                }

            found.append(replace(scores, validation=moved(scores.validation), test=moved(scores.test)))
        return found

    plain, moved = (judge(card, examples, tokens, folds, shifted(by)) for by in (0.0, 100.0))
    for one, other in zip(plain, moved, strict=True):
        np.testing.assert_allclose(one.test.raw[0], other.test.raw[0], atol=1e-6)
        np.testing.assert_allclose(one.test.answers, other.test.answers, atol=1e-6)
        np.testing.assert_allclose(one.validation.answers, other.validation.answers, atol=1e-6)
