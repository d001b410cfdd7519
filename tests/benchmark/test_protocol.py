"""Splits: no source on two sides, every answer tested once, official parts as they are."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelled_sources import labelled_sources
from ragcortex.benchmark.config import ProtocolConfig
from ragcortex.benchmark.protocol import Fold, make_folds
from ragcortex.errors import InputError, TrainingError
from ragcortex.splits import folds, holdout


def _sources(indices: tuple[int, ...], examples: tuple) -> set[str]:
    return {examples[index].group for index in indices}


@settings(deadline=None, max_examples=20)
@given(n_sources=st.integers(6, 12), n_folds=st.integers(2, 4), seed=st.integers(0, 5))
def test_no_source_is_on_two_sides_and_every_answer_is_tested_once(n_sources: int, n_folds: int, seed: int) -> None:
    examples = labelled_sources(n_sources)
    made = make_folds(examples, [None] * len(examples), ProtocolConfig(folds=n_folds), seed)
    assert sorted(index for fold in made for index in fold.test) == list(range(len(examples)))
    for number, fold in enumerate(made):
        assert fold.data.number == number
        parts = [_sources(part, examples) for part in (fold.data.training, fold.data.validation, fold.test)]
        assert sum(map(len, parts)) == len(set.union(*parts)) == n_sources


def test_folds_and_validation_are_those_of_training() -> None:
    examples = labelled_sources(12)
    made = make_folds(examples, [None] * len(examples), ProtocolConfig(), 0)
    strata = [example.answer_label for example in examples]
    fold_of = folds([example.group for example in examples], 5, 0, strata=strata)
    fitting = [index for index in range(len(examples)) if fold_of[index] != 2]
    held = holdout([examples[index].group for index in fitting], 0.15, 0, [strata[index] for index in fitting])
    assert made[2].data.validation == tuple(index for index, out in zip(fitting, held, strict=True) if out)


def test_official_parts_are_taken_as_they_are() -> None:
    examples = labelled_sources(6)
    splits = ["train"] * 9 + ["validation"] * 3 + ["test"] * 6
    (fold,) = make_folds(examples, splits, ProtocolConfig(split="official"), 0)
    assert fold == Fold(fold.data, tuple(range(12, 18)))
    assert (fold.data.training, fold.data.validation) == (tuple(range(9)), (9, 10, 11))


def test_without_official_validation_sources_are_held_out_of_training() -> None:
    examples = labelled_sources(8)
    splits = ["train"] * 18 + ["test"] * 6
    (fold,) = make_folds(examples, splits, ProtocolConfig(split="official"), 0)
    assert sorted((*fold.data.training, *fold.data.validation)) == list(range(18))
    assert not _sources(fold.data.training, examples) & _sources(fold.data.validation, examples)


def test_a_leaking_official_split_is_refused() -> None:
    examples = labelled_sources(4)
    splits = ["train"] * 7 + ["test"] * 5
    with pytest.raises(InputError) as caught:
        make_folds(examples, splits, ProtocolConfig(split="official"), 0)
    assert str(caught.value) == "group: of 1 sources is in both training and test; the official split leaks"


def test_official_parts_must_be_there() -> None:
    examples = labelled_sources(4)
    with pytest.raises(InputError) as caught:
        make_folds(examples, [None] * 12, ProtocolConfig(split="official"), 0)
    assert str(caught.value) == (
        "protocol.split: is official, but no answer is in the train part; use cross-validation"
    )


def test_too_few_sources_are_refused() -> None:
    examples = labelled_sources(3)
    with pytest.raises(TrainingError, match="5 folds need at least 5 groups"):
        make_folds(examples, [None] * len(examples), ProtocolConfig(), 0)
