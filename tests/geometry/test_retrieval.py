"""Which passages of a corpus are put beside an answer that came without any."""

import re

import pytest

from made_embedder import WordEmbedder
from ragcortex.errors import InputError
from ragcortex.example import Reference
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.retrieval import references_for
from ragcortex.geometry.statements import statements

TEXTS = (
    "The lighthouse at Cape Arden was built in 1874.",
    "The mill at Port Lyle grinds wheat and barley.",
    "The bakery opens at six and sells rye bread.",
    "Old maps of the coast were drawn by hand on board.",
    "Night trains to Lund leave from platform four.",
)
ANSWER = "The lighthouse at Cape Arden was built in 1902. The bakery sells rye bread."


def corpus() -> Corpus:
    references = tuple(Reference(text, f"doc-{number}", f"shelf {number}") for number, text in enumerate(TEXTS))
    return Corpus.in_memory(references, WordEmbedder())


@pytest.mark.parametrize("k", [1, 2, 3])
def test_each_statement_and_the_question_bring_their_nearest_chunks_once_and_in_document_order(k: int) -> None:
    question = "When do night trains leave?"
    shelf = corpus()
    expected: set[str] = set()
    for query in (question, *(ANSWER[start:end] for start, end in statements(ANSWER))):
        vector = shelf.embedder.embed([query]).unit[0]
        cosines = [float(chunk @ vector) for chunk in shelf.matrix]
        nearest = sorted(range(len(TEXTS)), key=lambda number: (-cosines[number], number))[:k]
        expected |= {TEXTS[number] for number in nearest}
    found = references_for(shelf, question, ANSWER, k=k)
    assert [one.text for one in found] == [text for text in TEXTS if text in expected]


def test_passages_keep_what_their_documents_say_of_themselves() -> None:
    (found,) = references_for(corpus(), None, "The lighthouse at Cape Arden.", k=1)
    assert found == Reference(TEXTS[0], "doc-0", "shelf 0")


def test_a_false_claim_brings_the_passage_that_contradicts_it() -> None:
    assert TEXTS[0] in {one.text for one in references_for(corpus(), "Where can I buy bread?", ANSWER, k=1)}


def test_more_passages_than_there_are_give_all() -> None:
    assert [one.text for one in references_for(corpus(), None, ANSWER, k=50)] == list(TEXTS)


@pytest.mark.parametrize("question", [None, "", "  "])
def test_without_question_and_answer_there_is_nothing_to_search_for(question: str | None) -> None:
    message = "answer: is blank, and so is the question: there is nothing to search the corpus for"
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        references_for(corpus(), question, " \n")


def test_a_blank_question_is_no_query() -> None:
    assert references_for(corpus(), "  ", ANSWER, k=1) == references_for(corpus(), None, ANSWER, k=1)


@pytest.mark.parametrize("k", [0, 2.0])
def test_k_is_a_whole_number(k: float) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(f'k: must be a whole number from 1 on, got {k!r}')}$"):
        references_for(corpus(), None, ANSWER, k=k)  # type: ignore[arg-type]
