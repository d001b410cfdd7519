"""Where sentences can be put in, and how answers are laid out."""

import random

import pytest

from ragcortex.datasets.draft import Draft
from ragcortex.datasets.surface import can_follow, insert_sentence, laid_out, lower_first, slots

LIST = "Here are the facts:\n1. The tower is very old.\n2. The tower is high and white.\n\nIt stands in Rome."


def test_prose_has_a_place_before_the_first_and_after_each_sentence():
    assert [(slot.offset, slot.before, slot.after) for slot in slots("Old. It is so.")] == [
        (0, "", " "),
        (4, " ", ""),
        (14, " ", ""),
    ]


@pytest.mark.parametrize(
    ("answer", "offsets"),
    [
        ("Sure! Here is the answer:\n\nRome is old.", [39]),  # nothing between an announcement and the answer
        ("It is so.", [9]),  # nothing before a pronoun
        ("Rome", [0]),  # no place behind an unfinished sentence
        ("- Rome\n- Paris", []),  # a list of names takes no sentence
        (LIST, [45, 77, 97]),
    ],
)
def test_places(answer, offsets):
    assert [slot.offset for slot in slots(answer)] == offsets


def test_an_item_put_into_a_numbered_list_renumbers_the_rest():
    for seed in range(20):
        draft = insert_sentence(Draft(LIST), "Nobody ever lived there.", random.Random(seed), marked=True)
        (span,) = draft.spans
        assert draft.answer[span.start : span.end] == "Nobody ever lived there."
        if "2. Nobody" in draft.answer:
            assert draft.answer == (
                "Here are the facts:\n1. The tower is very old.\n2. Nobody ever lived there.\n"
                "3. The tower is high and white.\n\nIt stands in Rome."
            )
            return
    raise AssertionError("no seed chose the place behind the first item")


def test_a_connective_is_not_part_of_the_span():
    drafts = [
        insert_sentence(Draft("Rome is old."), "The sea is near.", random.Random(s), marked=True) for s in range(90)
    ]
    texts = {draft.answer[draft.spans[0].start : draft.spans[0].end] for draft in drafts}
    assert texts == {"The sea is near.", "the sea is near."}
    assert "Rome is old. Also, the sea is near." in {draft.answer for draft in drafts}


def test_a_sentence_starting_with_a_pronoun_never_comes_first():
    for seed in range(30):
        draft = insert_sentence(Draft("Rome is old."), "It was sold.", random.Random(seed), marked=False)
        assert draft == Draft("Rome is old. It was sold.")


def test_no_place_gives_none():
    assert insert_sentence(Draft("- Rome\n- Paris"), "It was sold.", random.Random(0), marked=True) is None


@pytest.mark.parametrize(
    ("sentence", "lowered", "follows"),
    [
        ("The town is old.", "the town is old.", True),
        ("Between 1900 and 1910 it grew.", "between 1900 and 1910 it grew.", True),
        ("Mary Holt built it.", "Mary Holt built it.", True),
        ("Lighthouses are high.", "Lighthouses are high.", False),
        ("I saw it.", "I saw it.", False),
    ],
)
def test_capitals_behind_a_connective(sentence, lowered, follows):
    assert lower_first(sentence) == lowered
    assert can_follow(sentence) is follows


def test_every_piece_is_in_every_layout():
    pieces = ["The town is old.", "Mary Holt built a tower.", "It is high.", "Many people come in summer."]
    layouts = {laid_out(pieces, random.Random(seed)) for seed in range(60)}
    assert len(layouts) > 10
    for layout in layouts:
        assert "  " not in layout
        assert all(piece[1:] in layout for piece in pieces)
