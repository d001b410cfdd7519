"""Units of every level against plain loops over characters."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from made_answers import example_of, tokens_of
from made_units import scored_answers

from ragcortex.align import sentences, token_labels, words
from ragcortex.errors import InputError, ReadingError
from ragcortex.evaluation.levels import LEVELS, LevelUnits, UnitIndex, units
from ragcortex.example import Example, Span


def plain_units(level, examples, tokens, token_scores, answer_scores):
    """Return (score, label, answer) of each unit, character by character."""
    found = []
    for index, (example, own) in enumerate(zip(examples, tokens, strict=True)):
        if level == "answer":
            if example.answer_label is not None:
                found.append((answer_scores[index], example.answer_label, index))
            continue
        if example.known_spans is None:
            continue
        marked = {place for span in example.known_spans for place in range(span.start, span.end)}
        if level == "token":
            labels = token_labels(own, example.known_spans).tolist()
            found += [(score, label, index) for score, label in zip(token_scores[index], labels, strict=True)]
            continue
        for start, end in words(example.answer) if level == "word" else sentences(example.answer):
            inside = set(range(start, end))
            scores = [
                score
                for score, bounds in zip(token_scores[index], own.ranges, strict=True)
                if inside & set(range(*bounds))
            ]
            found.append((max(scores), int(bool(inside & marked)), index))
    return found


@settings(deadline=None)
@given(rows=scored_answers())
def test_units_equal_those_found_character_by_character(rows):
    examples, tokens, token_scores, answer_scores = rows
    index = UnitIndex(examples, tokens)
    for level in LEVELS:
        expected = plain_units(level, *rows)
        found = units(level, index, token_scores, answer_scores)
        assert list(zip(found.scores, found.labels, found.answers, strict=True)) == expected
        assert found.groups.tolist() == [index.groups[answer] for _, _, answer in expected]
        known = [one.answer_label if level == "answer" else one.known_spans for one in examples]
        assert found.n_left_out == sum(one is None for one in known)
        assert len(found) == len(expected)
        assert index.labels(level).tolist() == found.labels.tolist()
        for kind in (None, "A", "B"):
            touched = index.touched(level, kind)
            own = [
                Example(None, (), one.answer, spans=tuple(span for span in one.known_spans if span.type == kind))
                if one.known_spans is not None and not (level == "answer" and one.label is not None)
                else one
                for one in examples
            ]
            labels = [label for _, label, _ in plain_units(level, own, tokens, token_scores, answer_scores)]
            if level != "answer" or all(one.label is None for one in examples):
                assert touched.tolist() == [bool(label) for label in labels]


def test_a_worked_example():
    example = example_of("The old port. It is wide", "wide")
    index = UnitIndex([example], [tokens_of(example.answer)])
    scores = [[0.1, 0.2, 0.3, 0.4, 0.9, 0.6]]
    word = index.units("word", scores, [0.7])
    assert word.scores.tolist() == scores[0]
    assert word.labels.tolist() == [0, 0, 0, 0, 0, 1]
    sentence = index.units("sentence", scores, [0.7])
    assert (sentence.scores.tolist(), sentence.labels.tolist()) == ([0.3, 0.9], [0, 1])
    answer = index.units("answer", scores, [0.7])
    assert (answer.scores.tolist(), answer.labels.tolist()) == ([0.7], [1])


def test_a_token_of_two_words_counts_for_both():
    text = "ab cd"
    from made_units import cut

    example = Example(None, (), text, spans=(Span(3, 5),))
    index = UnitIndex([example], [cut(text, [1, 4])])  # "a", "b c", "d"
    found = index.units("word", [[0.1, 0.9, 0.2]], [0.0])
    assert (found.scores.tolist(), found.labels.tolist()) == ([0.9, 0.9], [0, 1])


def test_what_is_left_out_is_counted():
    examples = [
        example_of("one two", "two"),
        example_of("one two", None, label=1),
        example_of("one two", None),
        Example(None, (), "one, two!", spans=(Span(8, 9),)),
    ]
    index = UnitIndex(examples, [tokens_of(one.answer) for one in examples])
    scores = [[0.5, 0.5]] * 4
    counts = {
        level: (len(found), found.n_left_out, found.n_spans_unseen)
        for level in LEVELS
        for found in [index.units(level, scores, [0.5] * 4)]
    }
    assert counts == {"token": (4, 2, 0), "word": (4, 2, 1), "sentence": (2, 2, 0), "answer": (3, 1, 0)}
    assert index.span_types() == (None,)


def test_answers_without_text_or_of_one_token():
    examples = [Example(None, (), "", spans=()), example_of("one", "one")]
    index = UnitIndex(examples, [tokens_of(one.answer) for one in examples])
    for level in ("token", "word", "sentence"):
        found = index.units(level, [[], [0.3]], [0.1, 0.2])
        assert (found.scores.tolist(), found.labels.tolist(), found.answers.tolist()) == ([0.3], [1], [1])
    nothing = UnitIndex(examples[:1], [tokens_of("")]).units("word", [[]], [0.1])
    assert (len(nothing), nothing.labels.dtype) == (0, np.int8)


def test_scores_that_do_not_fit_are_refused():
    example = example_of("one two", "two", id="row 7")
    index = UnitIndex([example], [tokens_of(example.answer)])
    fault = "whatever made these scores is at fault, and nothing was computed from them"
    cases = [
        (lambda: index.units("token", [[0.1]], [0.1]),
         "token_scores[0]: expected 2 scores, one a token, got shape (1,)"),
        (lambda: index.units("word", [], [0.1]), "token_scores: expected those of 1 answers, got 0"),
        (lambda: index.units("answer", [], [0.1, 0.2]), "answer_scores: expected 1 scores, one an answer, got 2"),
        (lambda: index.units("sentence", [[0.1, np.nan]], [0.1]),
         f"token_scores: expected finite numbers, got nan at position 1; {fault}"),
        (lambda: UnitIndex([example], [tokens_of("one too")]),
         "the tokens are not those of answer 'row 7'; read it again"),
    ]  # fmt: skip
    for call, message in cases:
        with pytest.raises(ReadingError) as error:
            call()
        assert str(error.value) == message
    with pytest.raises(InputError) as wrong:
        index.units("letter", [[0.1, 0.2]], [0.1])
    assert str(wrong.value) == "level: must be one of token, word, sentence, answer, got 'letter'"
    with pytest.raises(InputError) as wrong:
        UnitIndex([example], [])
    assert str(wrong.value) == "tokens: must be given for 1 examples, got 0"
    with pytest.raises(InputError) as wrong:
        LevelUnits("token", np.zeros(2), np.zeros(1, np.int8), np.zeros(2, int), np.zeros(2, int), 0, 0)
    assert str(wrong.value) == "labels: must be one a score, expected (2,), got (1,)"


def test_a_method_costs_little_once_the_index_is_made():
    rng = np.random.default_rng(0)
    answer = "The river is long and old. It flows by the town of Arden, which is small. " * 10
    examples = [example_of(answer, "Arden") for _ in range(200)]
    tokens = [tokens_of(answer)] * 200
    index = UnitIndex(examples, tokens)
    scores = [rng.random(len(own)) for own in tokens]
    for level in LEVELS:
        index.units(level, scores, np.zeros(200))
    started = time.process_time()
    for level in LEVELS:
        index.units(level, scores, np.zeros(200))
    assert time.process_time() - started < 0.5
