"""The mixture: deterministic, half grounded, exact, and not told apart by length or position."""

from collections import Counter

import pytest

from ragcortex.datasets.balance import balance
from ragcortex.datasets.bases import tidied
from ragcortex.datasets.synthetic import DEFAULT_MIXTURE, KINDS, synthesise
from ragcortex.datasets.text_pool import content_words, coverage
from ragcortex.errors import InputError
from ragcortex.example import Example, Reference, Span


@pytest.fixture(scope="module")
def made(world):
    return synthesise(world, seed=3, n=240)


def test_half_is_grounded_and_the_kinds_follow_the_mixture(made):
    counts = Counter(example.task.removeprefix("synthetic/") for example in made)
    assert counts["grounded"] + counts["extractive"] == 120
    total = sum(DEFAULT_MIXTURE.values())
    for kind, weight in DEFAULT_MIXTURE.items():
        assert abs(counts[kind] - 120 * weight / total) < 1
    for example in made:
        assert example.label == int(bool(example.spans))
        assert (example.task in {"synthetic/grounded", "synthetic/extractive"}) == (example.label == 0)


def test_length_and_position_do_not_tell_the_label(made):
    found = balance(made)
    assert (found.n_examples, found.n_hallucinated) == (240, 120)
    assert 0.03 < found.hallucinated_char_share < 0.25
    for score in (found.length_auroc, found.index_auroc, found.relative_position_auroc, found.within_position_auroc):
        assert 0.4 <= score <= 0.6


def test_texts_are_clean_and_grounded_answers_are_covered(made):
    for example in made:
        assert example.answer == tidied(example.answer)
        for span in example.spans:
            piece = example.answer[span.start : span.end]
            assert piece == piece.strip() != ""
        if example.task == "synthetic/extractive":
            known = content_words(" ".join(reference.text for reference in example.references))
            assert coverage(example.answer, known) > 0.7


def test_groups_are_those_of_the_sources_and_ids_differ(world, made):
    assert {example.group for example in made} <= {example.group for example in world}
    assert len({example.id for example in made}) == 240


def test_the_same_seed_gives_the_same_and_another_seed_other_examples(world):
    first = synthesise(world, seed=0, n=20)
    assert synthesise(list(world), seed=0, n=20) == first
    assert synthesise(world, seed=1, n=20) != first


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_made_alone(world, kind):
    made = synthesise(world, seed=0, n=7, mixture={kind: 1.0})
    assert Counter(example.label for example in made) == {1: 3, 0: 4}
    assert {example.task for example in made if example.label} == {f"synthetic/{kind}"}


def test_without_a_grounded_answer_all_are_extractive(world):
    made = synthesise(world[1::2], seed=0, n=10, mixture={"insertion": 1})
    assert {example.task for example in made} == {"synthetic/insertion", "synthetic/extractive"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n": 1}, "n: must be at least 2, one grounded and one hallucinated example, got 1"),
        (
            {"mixture": {"typo": 1}},
            "mixture: has the unknown kind 'typo'; the kinds are insertion, clause, removal, entity, number, date, "
            "unit, negation, antonym, condition, role",
        ),
        ({"mixture": {"entity": -1}}, "mixture: must have weights of at least 0, got -1 for 'entity'"),
        ({"mixture": {"entity": float("nan")}}, "mixture: must have weights of at least 0, got nan for 'entity'"),
        ({"mixture": {"entity": 0}}, "mixture: must have a positive weight for at least one kind"),
        ({"mixture": {}}, "mixture: must have a positive weight for at least one kind"),
    ],
)
def test_bad_arguments_are_named(world, arguments, message):
    with pytest.raises(InputError) as caught:
        synthesise(world, **{"seed": 0, "n": 4, **arguments})
    assert str(caught.value) == message


def test_examples_that_yield_nothing_are_reported():
    poor = [Example(None, (Reference("The one old sentence is all that is there."),), "Yes.", group="a")]
    with pytest.raises(InputError) as caught:
        synthesise(poor, seed=0, n=2, mixture={"unit": 1})
    assert str(caught.value) == "examples: yield no unit answer in 500 tries; give more, or longer ones"
    with pytest.raises(InputError) as caught:
        synthesise([], seed=0, n=2)
    assert str(caught.value) == "examples: have no usable sentence to build synthetic answers from"


def test_balance_worked_by_hand():
    wrong = Example(None, (), "one two three four", spans=(Span(8, 18),), label=1)  # words 3 and 4 of 4
    right = Example(None, (), "one two", spans=(), label=0)
    found = balance([wrong, right, Example(None, (), "not known")])
    assert (found.n_examples, found.n_hallucinated) == (2, 1)
    assert found.hallucinated_char_share == 10 / 25
    assert found.length_auroc == 1.0
    assert found.index_auroc == 1.0  # indices 2, 3 against 0, 1, 0, 1
    # (.625, .875) against (.125, .375, .25, .75): 7 of 8 pairs are in order
    assert found.relative_position_auroc == 7 / 8
    assert found.within_position_auroc == 1.0
    assert balance([]).length_auroc is None
