"""Small wrong edits: what may change, exactly what is marked, and that nothing else moves."""

import random

import pytest

from ragcortex.datasets.edits import EDITS, drop_condition, flip_negation, swap_antonym, swap_roles
from ragcortex.datasets.entities import main_entity, names, numbers

TEXT = (
    "Mary Holt designed the tower in Velmora in 1874. It is 41 metres high and was not sold before May 3, 1902. "
    "Prices rose by 12.5 % if the harvest was poor."
)
REFERENCES = TEXT + " Abel Bron visited the school in Ostrin in 1880 and paid 50 dollars."
OTHERS = ["Karen Ost built a mill in Tarrow."]


def pieces(draft):
    return [draft.answer[span.start : span.end] for span in draft.spans]


def outcomes(edit, answer=TEXT, references=REFERENCES, n=40):
    return [edit(answer, references, OTHERS, random.Random(seed)) for seed in range(n)]


@pytest.mark.parametrize("kind", sorted(EDITS))
def test_only_the_marked_piece_differs(kind):
    for draft in outcomes(EDITS[kind]):
        if draft is None:
            continue
        assert draft.answer != TEXT
        assert draft.spans
        outside, position = [], 0
        for span in draft.spans:
            outside.append(draft.answer[position : span.start])
            position = span.end
        outside.append(draft.answer[position:])
        reached = 0
        for piece in map(str.strip, outside):
            assert piece in TEXT[reached:]
            reached += TEXT[reached:].index(piece) + len(piece)


@pytest.mark.parametrize("kind", sorted(EDITS))
def test_nothing_to_change_gives_none_and_the_same_seed_the_same_edit(kind):
    assert EDITS[kind]("nothing here", "nothing here", [], random.Random(0)) is None
    assert outcomes(EDITS[kind], n=5) == outcomes(EDITS[kind], n=5)


def test_entities_are_replaced_by_their_kind():
    replaced = {piece for draft in outcomes(EDITS["entity"]) for piece in pieces(draft)}
    assert replaced <= {"Ostrin", "Tarrow", "Abel Bron", "Karen Ost"}
    assert {"Ostrin", "Tarrow"} <= replaced


def test_numbers_keep_their_form_and_are_no_years():
    for draft in outcomes(EDITS["number"]):
        (piece,) = pieces(draft)
        assert piece not in {"41", "12.5", "3"}
        assert not 1000 <= float(piece) <= 2099


def test_dates_are_years_and_months():
    replaced = {piece for draft in outcomes(EDITS["date"]) for piece in pieces(draft)}
    assert any(piece.isdigit() for piece in replaced)
    assert any(piece.isalpha() for piece in replaced)
    assert not replaced & {"1874", "1902", "May"}


def test_units():
    assert {tuple(pieces(draft)) for draft in outcomes(EDITS["unit"])} == {("feet",)}


def test_a_negation_is_dropped_with_the_words_around_it_marked_or_added():
    assert {tuple(pieces(draft)) for draft in outcomes(flip_negation)} == {("was sold",), ("not",)}


def test_antonyms():
    replaced = {tuple(pieces(draft)) for draft in outcomes(swap_antonym)}
    assert replaced == {("after",), ("bought",), ("fell",), ("rich",)}


def test_a_condition_is_dropped_with_the_last_word_marked():
    assert drop_condition(TEXT, "", [], random.Random(0)).answer.endswith("Prices rose by 12.5 %.")
    draft = drop_condition("It is only for use at sea.", "", [], random.Random(0))
    assert (draft.answer, pieces(draft)) == ("It is for use at sea.", ["is for"])


def test_roles_are_exchanged_around_a_verb_only():
    draft = swap_roles("Alma Reed praised Cora Lind in the letter.", "", [], random.Random(0))
    assert (draft.answer, pieces(draft)) == (
        "Cora Lind praised Alma Reed in the letter.",
        ["Cora Lind", "Alma Reed"],
    )
    assert swap_roles("Alma Reed and Cora Lind came.", "", [], random.Random(0)) is None
    assert swap_roles("Alma Reed married Cora Lind.", "", [], random.Random(0)) is None


def test_names_leave_out_first_words_months_and_markers():
    text = "Towers fall. However, Mary Holt's tower in May stood. The Old Mint of Lunt was French."
    assert [(mention.text, mention.kind) for mention in names(text)] == [
        ("Mary Holt", "long name"),
        ("Old Mint of Lunt", "long name"),
        ("French", "demonym"),
    ]
    assert all(text[mention.start : mention.end] == mention.text for mention in names(text))


def test_numbers_leave_out_markers_ranges_and_codes():
    text = "1. In 1874 it had 12,400 rooms, 3.5 km, 2003–04, A4 and 7th of 10:30."
    assert [(mention.text, mention.kind) for mention in numbers(text)] == [
        ("1874", "year"),
        ("12,400", "integer"),
        ("3.5", "decimal"),
    ]


def test_the_main_entity_is_the_most_frequent_name():
    assert main_entity("Where is Old Mint? The Old Mint is in Lunt.") == "Old Mint"
    assert main_entity("nobody at all") is None
