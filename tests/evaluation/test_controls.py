"""The trivial controls, worked by hand."""

import numpy as np
import pytest
from made_answers import example_of, tokens_of

from ragcortex.errors import InputError
from ragcortex.evaluation.controls import (
    LEAST_GROUPS_PER_GENERATOR,
    answer_lengths,
    generator_rates,
    positions,
    relative_positions,
    trivial_controls,
    word_novelty,
)
from ragcortex.evaluation.metrics import auroc

ANSWERS = ("The RIVER is blue, long.", "Old")


def test_positions_and_lengths():
    tokens = [tokens_of(answer) for answer in (*ANSWERS, "")]
    absolute, relative, lengths = positions(tokens), relative_positions(tokens), answer_lengths(tokens)
    assert [values.tolist() for values in absolute.tokens] == [[0, 1, 2, 3, 4], [0], []]
    assert [values.tolist() for values in relative.tokens] == [[0, 0.2, 0.4, 0.6, 0.8], [0], []]
    assert [values.tolist() for values in lengths.tokens] == [[5] * 5, [1], []]
    assert absolute.answers is None
    assert absolute.reason == "an answer has no position"
    assert lengths.answers.tolist() == [5, 1, 0]


def test_novel_words_are_those_of_no_reference_whatever_their_case():
    examples = [example_of(answer, references=("The river is long.", "An OLD one.")) for answer in (*ANSWERS, "– 。")]
    control = word_novelty(examples, [tokens_of(example.answer) for example in examples])
    assert [values.tolist() for values in control.tokens] == [[0, 0, 0, 1, 0], [0], [0, 0]]
    assert control.answers.tolist() == [0.2, 0, 0]  # 1 of 5 words; no words at all


def test_without_references_every_word_is_novel():
    example = example_of("Straße, STRASSE!", references=())
    control = word_novelty([example], [tokens_of(example.answer)])
    assert control.tokens[0].tolist() == [1, 1]
    folded = example_of("Straße, STRASSE!", references=("strasse",))
    assert word_novelty([folded], [tokens_of(folded.answer)]).tokens[0].tolist() == [0, 0]


def by_generators(generators, token_labels, answer_labels, groups):
    examples = [example_of("one two", generator=generator) for generator in generators]
    return generator_rates(
        examples, [tokens_of("one two")] * len(examples), token_labels, answer_labels, np.array(groups)
    )


def test_generator_rates_by_hand():
    n = LEAST_GROUPS_PER_GENERATOR
    # Generator a: every answer half false. b: one token of 2n. c is rare, and an unnamed one: both taken together.
    generators = ["a"] * n + ["b"] * n + ["c", None]
    token_labels = [np.array([1, 0])] * n + [np.array([0, 0])] * (n - 1) + [np.array([0, 1])]
    token_labels += [np.array([1, 1]), None]
    answer_labels = [1] * n + [0] * (n - 1) + [1] + [1, 0]
    control = by_generators(generators, token_labels, answer_labels, [*range(n), *range(n), 0, 1])
    assert [values.tolist() for values in control.tokens] == (
        [[0.5, 0.5]] * n + [[1 / (2 * n)] * 2] * n + [[1, 1], [1, 1]]
    )
    assert control.answers.tolist() == [1] * n + [1 / n] * n + [0.5, 0.5]


def test_the_rate_of_a_generator_does_not_rank_its_own_rows():
    """Leaving a row's own source out would: here it would give the two generators an AUROC far below ½."""
    rng = np.random.default_rng(0)
    n = 200
    generators = ["a", "b"] * n
    groups = np.repeat(np.arange(n), 2)
    labels = rng.integers(0, 2, 2 * n)
    token_labels = [np.array([label, label], dtype=np.int8) for label in labels]
    control = by_generators(generators, token_labels, labels.tolist(), groups)
    assert 0.5 <= auroc(control.answers, labels).value < 0.6
    own = np.array([generator == "a" for generator in generators])
    left_out = [labels[(own == own[row]) & (groups != groups[row])].mean() for row in range(2 * n)]
    assert auroc(left_out, labels).value < 0.3


def test_one_generator_is_no_control():
    n = LEAST_GROUPS_PER_GENERATOR
    for generators in (["a"] * n, [None] * n, ["a"] * (n - 1) + ["b"]):
        control = by_generators(generators, [None] * n, [0, 1] * (n // 2), range(n))
        assert control.tokens is None
        assert control.answers is None
        assert control.reason == "fewer than two generators are named in 10 sources or more"


def test_all_controls_come_together():
    examples = [example_of(answer) for answer in ANSWERS]
    tokens = [tokens_of(answer) for answer in ANSWERS]
    controls = trivial_controls(examples, tokens, [None, None], [0, 1], np.array([0, 1]))
    assert [control.name for control in controls] == [
        "position in the answer",
        "relative position in the answer",
        "answer length",
        "word absent from the references",
        "generator identity",
    ]
    with pytest.raises(InputError) as error:
        trivial_controls(examples, tokens, [None], [0, 1], np.array([0, 1]))
    assert str(error.value) == "examples: must come with tokens, labels and a group each, got [1, 2] of them"
