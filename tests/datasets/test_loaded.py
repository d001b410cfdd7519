"""A loaded data set keeps its promises, counts itself, and spreads answer labels over tokens when asked."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragcortex.datasets.loaded import LoadedDataset, RowNote, SplitCounts
from ragcortex.errors import InputError
from ragcortex.example import Example, Reference, Span


def example(identifier, *, answer="In Rome.", label=None, spans=None, group="g"):
    return Example("Where?", (Reference("In Rome."),), answer, identifier, spans, label, group)


def test_counts_by_split():
    loaded = LoadedDataset(
        "made",
        (
            example("a", label=1, spans=(Span(0, 2), Span(3, 7))),
            example("b", label=0),
            example("c", label=1, group="h"),
            example("d", group=None),
            example("e", group=None),
        ),
        ("train", "train", "test", None, None),
        (RowNote("blank answer", 7, ("x", "y")), RowNote("other", 1, ("z",))),
    )

    assert loaded.counts() == (
        SplitCounts("train", 2, 1, 0, 2, 1),
        SplitCounts("test", 1, 1, 0, 0, 1),
        SplitCounts(None, 2, 0, 2, 0, 2),
    )
    assert [count.hallucinated_share for count in loaded.counts()] == [0.5, 1.0, None]
    assert [e.id for e in loaded.of_split("train")] == ["a", "b"]
    assert loaded.n_dropped == 8
    assert loaded.shared_groups() == ()


def test_shared_groups_are_those_on_both_sides():
    loaded = LoadedDataset(
        "made", tuple(example(i, group=i[0]) for i in ("a1", "a2", "b1", "b2")), ("train", "test") * 2
    )

    assert loaded.shared_groups() == ("a", "b")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": " "}, "name: must not be blank"),
        ({"examples": ()}, "examples: of made are none: its files hold no row"),
        (
            {"examples": (), "dropped": (RowNote("blank answer", 1200, ("a",)),)},
            "examples: of made are none: all rows were dropped (1,200 blank answer)",
        ),
        ({"splits": ("train",)}, "splits: must be one an example, expected 2, got 1"),
        ({"splits": ("train", "dev")}, "splits: must be one of train, validation, test, got 'dev'"),
        ({"examples": (example("a"), example("a"))}, "examples: must have different ids, 'a' occurs more than once"),
        ({"examples": (example("a"), example("b", answer=" "))}, "examples[1].answer: must not be blank"),
        ({"dropped": ("x",)}, "dropped[0]: must be RowNote, got str"),
    ],
)
def test_what_is_refused(changes, message):
    fields = {"name": "made", "examples": (example("a"), example("b")), "splits": ("train", None)}
    with pytest.raises(InputError) as error:
        LoadedDataset(**(fields | changes))
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (("", 1, ()), "reason: must not be blank"),
        (("r", 0, ()), "n: must be a whole number of rows from 1 on, got 0"),
        (("r", True, ()), "n: must be a whole number of rows from 1 on, got True"),
        (("r", 2, ("a", "b", "c")), "ids: must be the first 2 at most, got 3"),
        (("r", 9, tuple("abcdef")), "ids: must be the first 5 at most, got 6"),
    ],
)
def test_notes_check_themselves(fields, message):
    with pytest.raises(InputError) as error:
        RowNote(*fields)
    assert str(error.value) == message


@given(before=st.text(" \n", max_size=3), after=st.text(" \n", max_size=3))
def test_an_answer_label_is_spread_over_all_but_outer_space(before, after):
    answer = f"{before}in Rome{after}"
    loaded = LoadedDataset(
        "made",
        (
            example("known", label=1, spans=(Span(0, 2),)),
            example("wrong", answer=answer, label=1),
            example("right", label=0),
            example("unknown"),
        ),
        (None,) * 4,
    ).with_answer_spans()

    assert loaded.examples[0].spans == (Span(0, 2),)
    (span,) = loaded.examples[1].spans
    assert (answer[span.start : span.end], span.type) == ("in Rome", "whole answer")
    assert [e.spans for e in loaded.examples[2:]] == [None, None]
