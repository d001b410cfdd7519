"""Inserted sentences and clauses: marked exactly, foreign, and unsupported."""

import random

import pytest

from ragcortex.datasets.insertions import MAX_COVERAGE, insert_clause, insert_sentences
from ragcortex.datasets.phrases import ELABORATIONS
from ragcortex.datasets.text_pool import PoolSentence, SentencePool, content_words, coverage


@pytest.fixture(scope="module")
def pool(world):
    return SentencePool.of(world)


def without_spans(draft):
    text = draft.answer
    for span in reversed(draft.spans):
        text = text[: span.start] + text[span.end :]
    return text


def test_sentences_come_from_near_sources_and_what_is_left_is_the_answer(world, pool):
    example = world[0]
    known = content_words(example.references[0].text)
    texts = {item.text.casefold() for item in pool.items if item.group != example.group}
    seen = set()
    for seed in range(40):
        draft = insert_sentences(
            example.answer,
            query=f"{example.question} {example.answer}",
            known=known,
            excluded_groups={example.group},
            pool=pool,
            rng=random.Random(seed),
        )
        assert 1 <= len(draft.spans) <= 3
        seen.add(len(draft.spans))
        for sentence in example.answer.split(". "):
            assert sentence.rstrip(".") in without_spans(draft)
        for span in draft.spans:
            piece = draft.answer[span.start : span.end]
            assert piece.endswith(".")
            assert coverage(piece, known) <= MAX_COVERAGE or "Velmora" in piece
            # A foreign sentence as it is, or with the answer's subject in place of its own.
            assert piece.casefold() in texts or any(text.endswith(piece.casefold()[-30:]) for text in texts)
    assert seen >= {1, 2}


def test_no_source_left_gives_none(world, pool):
    groups = {item.group for item in pool.items}
    arguments = {"known": frozenset(), "excluded_groups": groups, "pool": pool, "rng": random.Random(0)}
    assert insert_sentences(world[0].answer, query="Where?", **arguments) is None


def test_a_clause_ends_a_sentence_before_its_stop(world, pool):
    example = world[0]
    for seed in range(20):
        draft = insert_clause(
            example.answer,
            known=content_words(example.references[0].text),
            excluded_groups={example.group},
            pool=pool,
            rng=random.Random(seed),
        )
        (span,) = draft.spans
        assert draft.answer[span.end] == "."
        assert draft.answer[: span.start].endswith((" ", ", "))
        assert without_spans(draft).replace(", .", ".").replace(" .", ".") == example.answer


def test_where_no_clause_is_near_a_general_one_is_taken(world, pool):
    groups = {item.group for item in pool.items}
    draft = insert_clause("The mayor sang.", known=frozenset(), excluded_groups=groups, pool=pool, rng=random.Random(0))
    (span,) = draft.spans
    piece = draft.answer[span.start : span.end]
    assert piece in {clause.lstrip(", ") for clause in ELABORATIONS}


def test_an_answer_without_sentences_takes_no_clause(pool):
    arguments = {"known": frozenset(), "excluded_groups": frozenset(), "pool": pool, "rng": random.Random(0)}
    assert insert_clause("Rome", **arguments) is None


@pytest.mark.parametrize(
    ("sentence", "answer", "fits"),
    [
        ("Mary Holt left.", "The tower is old.", True),
        ("He left.", "The tower is old.", False),  # "the" is no "he"
        ("He left.", "There he stood.", True),
        ("These left.", "These are old.", False),
    ],
)
def test_a_donor_that_starts_with_a_pronoun_needs_the_same_pronoun_in_the_answer(sentence, answer, fits):
    donors = SentencePool([PoolSentence(sentence, "b")])
    draft = insert_sentences(
        answer,
        query=f"{sentence} {answer}",
        known=frozenset(),
        excluded_groups={"a"},
        pool=donors,
        rng=random.Random(0),
    )
    assert (draft is not None) is fits
