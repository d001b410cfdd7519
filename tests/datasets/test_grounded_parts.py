"""Extractive answers, and evidence taken out of the references."""

import random

import pytest

from ragcortex.datasets.extractive import extract, reworded, usable_sentences
from ragcortex.datasets.removal import remove_evidence
from ragcortex.datasets.text_pool import content_words, coverage
from ragcortex.example import Reference


def test_sentences_that_lean_on_unusable_ones_are_left_out():
    passage = "MENU. He was born in the old town. The town has a very old market. It is held every Thursday morning."
    assert usable_sentences([passage]) == [
        ["The town has a very old market.", "It is held every Thursday morning."],
    ]


@pytest.mark.parametrize("n_words", [20, 45, 80])
def test_extracts_are_about_as_long_as_asked_and_covered_by_the_references(world, n_words):
    passages = [world[0].references[0].text, world[12].references[0].text]
    known = content_words(" ".join(passages))
    for seed in range(15):
        pieces = extract(passages, world[0].question, n_words, random.Random(seed))
        assert 0.5 * n_words <= sum(len(piece.split()) for piece in pieces) <= 1.2 * n_words + 8
        assert all(coverage(piece, known) >= 0.6 for piece in pieces)
        assert len(set(pieces)) == len(pieces)


def test_pronoun_sentences_follow_their_antecedent(world):
    passage = world[0].references[0].text
    for seed in range(20):
        pieces = extract([passage], None, 40, random.Random(seed))
        for index, piece in enumerate(pieces):
            if piece.startswith("It lies"):
                assert pieces[index - 1].startswith("Velmora is a market town")


def test_what_is_said_already_is_not_extracted(world):
    passage = world[0].references[0].text
    for seed in range(10):
        assert not any("12,400" in piece for piece in extract([passage], None, 60, random.Random(seed), avoid=passage))


def test_rewording_keeps_numbers_and_negations():
    sentence = "In 1990, the film did not earn approximately 1,200 pounds (a lot); however, it is not forgotten by us."
    for seed in range(40):
        text = reworded(sentence, random.Random(seed))
        assert "1,200" in text or "1200" in text
        assert "not earn" in text or "didn't earn" in text
        assert "not forgotten" in text or "isn't forgotten" in text
        assert "  " not in text


def test_removed_evidence_leaves_the_answer_unsupported_there_only(world):
    done = 0
    for example in world[::2]:
        found = remove_evidence(example.answer, example.references, random.Random(0))
        if found is None:
            continue
        done += 1
        references, span = found
        left = content_words(" ".join(reference.text for reference in references))
        before = content_words(example.references[0].text)
        sentence = example.answer[span.start : span.end]
        rest = example.answer[: span.start] + example.answer[span.end :]
        assert coverage(sentence, left) <= 0.5 < coverage(sentence, before)
        assert coverage(rest, before) - coverage(rest, left) <= 0.15
    assert done >= 5


def test_evidence_given_twice_is_not_removed():
    facts = [Reference("The tower was built of grey granite in Velmora. " * 1), Reference("The tower is tall. " * 10)]
    answer = "The tower is tall. The tower was built of grey granite in Velmora."
    assert remove_evidence(answer, facts, random.Random(0)) is not None
    # Five sentences that all say it: too many to be sure that nothing is left.
    facts = [Reference(f"The tower number {n} was built of grey granite in Velmora.") for n in range(5)]
    assert remove_evidence(answer, facts, random.Random(0)) is None
    assert remove_evidence("One sentence only.", facts, random.Random(0)) is None
