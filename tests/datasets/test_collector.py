"""Collecting rows: every row left out is counted, and splits made here never divide a group."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.datasets.collector import Collector, source_group
from ragcortex.datasets.loaded import RowNote
from ragcortex.errors import InputError
from ragcortex.example import Span


def filled(groups, *, task=None, split=None, label=0):
    collector = Collector("made")
    for index, group in enumerate(groups):
        collector.add(
            f"{task}-{index}", answer="In Rome.", references=["x"], group=group, task=task, split=split, label=label
        )
    return collector


def test_rows_left_out_are_counted_with_their_first_ids():
    collector = Collector("made")
    assert collector.add("a", answer="In Rome.", references=["x"])
    assert not collector.add("a", answer="In Oslo.", references=["x"])
    assert not collector.add("b", answer=" \n", references=["x"])
    assert not collector.add("c", answer="half \ud83d", references=["x"])
    assert not collector.add("d", answer="In Rome.", references=["half \ud83d"])
    assert not collector.add("e", answer="In Rome.", references=["x"], label=0, spans=(Span(0, 2),))
    for index in range(7):
        collector.drop("odd", f"o{index}")
    collector.note("partly read", "a")

    loaded = collector.build()
    assert [example.answer for example in loaded.examples] == ["In Rome."]
    assert loaded.dropped == (
        RowNote("repeats the id of an earlier row", 1, ("a",)),
        RowNote("blank answer", 1, ("b",)),
        RowNote("answer: has a lone surrogate at character 5, which is not text", 1, ("c",)),
        RowNote("text: has a lone surrogate at character 5, which is not text", 1, ("d",)),
        RowNote("label: is 0 although 1 spans are marked as hallucinated", 1, ("e",)),
        RowNote("odd", 7, ("o0", "o1", "o2", "o3", "o4")),
    )
    assert loaded.notes == (RowNote("partly read", 1, ("a",)),)


@settings(max_examples=25, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 4), min_size=10, max_size=40),
    seed=st.integers(0, 5),
    by_task=st.booleans(),
)
def test_random_splits_keep_groups_whole_and_every_part_filled(sizes, seed, by_task):
    groups = [f"g{index}" for index, size in enumerate(sizes) for _ in range(size)]
    collector = filled(groups)
    collector.split_at_random(seed, by_task=by_task)
    loaded = collector.build()

    assert loaded.shared_groups() == ()
    assert {count.split for count in loaded.counts()} == {"train", "validation", "test"}


def test_random_splits_are_80_10_10_and_follow_the_seed():
    def splits(seed):
        collector = filled([f"g{index}" for index in range(1000)])
        collector.split_at_random(seed, by_task=False)
        return collector.build().splits

    assert Counter(splits(3)) == {"train": 800, "validation": 100, "test": 100}
    assert splits(3) == splits(3) != splits(4)


def test_the_split_of_a_task_does_not_depend_on_others():
    alone, both = Collector("made"), Collector("made")
    for task in ("a", "b"):
        for index in range(40):
            for collector in (both, alone) if task == "a" else (both,):
                collector.add(f"{task}{index}", answer="x", references=["x"], group=f"{task}{index // 2}", task=task)
    for collector in (alone, both):
        collector.split_at_random(0, by_task=True)

    assert both.build().splits[:40] == alone.build().splits


def test_few_groups_get_no_split_and_say_so():
    collector = filled([f"g{index}" for index in range(9)])
    collector.split_at_random(0, by_task=False)
    loaded = collector.build()

    assert set(loaded.splits) == {None}
    (note,) = loaded.notes
    assert (note.reason, note.n) == ("not split, since there are fewer than 10 sources", 9)


def test_a_tenth_of_the_training_sources_is_what_the_paper_counts():
    # 839 training sources of six answers each, of which the paper has 504 answers for validation and 4,530 to train on.
    collector = filled([f"s{index // 6}" for index in range(839 * 6)], task="QA", split="train")
    collector.hold_out_validation(0.1, seed=0)
    loaded = collector.build()

    assert Counter(loaded.splits) == {"train": 4530, "validation": 504}
    assert loaded.shared_groups() == ()


def test_validation_leaves_other_splits_alone():
    collector = filled(["t"] * 3, task="QA", split="test")
    for index in range(4):
        collector.add(f"one-{index}", answer="x", references=["x"], group="one", task="Summary", split="train")
    collector.hold_out_validation(0.5, seed=0)
    loaded = collector.build()

    assert loaded.splits == ("test",) * 3 + ("train",) * 4
    assert [(note.reason, note.n) for note in loaded.notes] == [
        ("not held out for validation, since there is one source only", 4)
    ]


@pytest.mark.parametrize("fraction", [-0.1, 1, 1.5])
def test_a_share_for_validation_is_a_share(fraction):
    with pytest.raises(InputError) as error:
        filled(["a"]).hold_out_validation(fraction, seed=0)
    assert str(error.value) == f"validation: must be a share from 0 to below 1, got {fraction!r}"


def test_groups_of_equal_texts_are_equal():
    assert source_group("qa", "In  Rome.\n") == source_group("qa", "In Rome.")
    assert source_group("qa", "In Rome.") != source_group("qa", "In Oslo.")
    assert source_group("qa", "In Rome.") != source_group("dialogue", "In Rome.")
