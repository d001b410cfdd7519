"""Evidence on an answer that grows: that on the whole, each statement being looked at once."""

from typing import Any

from made_embedder import WordEmbedder
from ragcortex.example import Reference
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.growing_evidence import examine_more
from ragcortex.geometry.witness import examine

REFERENCES = (
    "The lighthouse at Cape Arden was built in 1874 by Mary Holt.",
    "It stands 41 metres above the sea. Dogs are not allowed inside.",
)
SENTENCES = (
    "The lighthouse was built in 1974 by Mary Holt.", "I hope that helps!", "It stands 52 metres above the sea;"
    " dogs are allowed inside the tower.", "Visitors may climb it in summer.",
)  # fmt: skip
QUESTION = "Who built the lighthouse at Cape Arden in 1874?"


def made() -> tuple[Corpus, WordEmbedder]:
    embedder = WordEmbedder()
    return Corpus.in_memory(tuple(map(Reference, REFERENCES)), embedder), embedder


def said(evidence: GeometricEvidence) -> list[Any]:
    """Return what is seen of each statement, numbers rounded: the last bits depend on what else is compared."""
    found: list[Any] = evidence.to_dict()["statements"]
    return found


def test_it_is_the_evidence_on_the_whole() -> None:
    corpus, embedder = made()
    whole = " ".join(SENTENCES)
    evidence = examine(SENTENCES[0], corpus, question=QUESTION)
    n_before = embedder.n_embedded
    for end in range(2, len(SENTENCES) + 1):
        evidence = examine_more(evidence, " ".join(SENTENCES[:end]), corpus, question=QUESTION)
    assert embedder.n_embedded - n_before == 3, "one text a new statement that claims something"
    expected = examine(whole, corpus, question=QUESTION)
    assert evidence.answer == whole
    assert said(evidence) == said(expected)
    assert [one.sheet.text for one in evidence.known] == [one.sheet.text for one in expected.known]
    assert (evidence.language, evidence.given) == (expected.language, expected.given)


def test_what_has_changed_is_looked_at_again() -> None:
    corpus, _ = made()
    before = examine(" ".join(SENTENCES), corpus)
    changed = " ".join((SENTENCES[0], "It was sold in 1999.", SENTENCES[3]))
    assert said(examine_more(before, changed, corpus)) == said(examine(changed, corpus))
    cut = " ".join(SENTENCES[:2])
    assert said(examine_more(before, cut, corpus)) == said(examine(cut, corpus))
    other = "Dogs are not allowed."
    assert examine_more(before, other, corpus) == examine(other, corpus)


def test_another_language_is_looked_at_from_the_beginning() -> None:
    corpus, _ = made()
    first = "Mary Holt 1874."
    german = f"{first} Der Leuchtturm steht 41 Meter über dem Meer und ist im Sommer für alle Besucher geöffnet."
    before = examine(first, corpus)
    expected = examine(german, corpus)
    assert (before.language, expected.language) == ("en", "de")
    assert examine_more(before, german, corpus) == expected


def test_statements_that_claim_nothing_change_no_signal() -> None:
    corpus, _ = made()
    before = examine(SENTENCES[0], corpus)
    after = examine_more(before, f"{SENTENCES[0]} I hope that helps!", corpus)
    assert after.statements[0] == before.statements[0]
    assert after.statements[1].claimless is not None
    assert (after.similarity, after.language, after.known) == (before.similarity, before.language, before.known)


def test_statements_before_a_place_are_left_out() -> None:
    corpus, _ = made()
    answer = " ".join(SENTENCES)
    late = examine(answer, corpus, since=len(SENTENCES[0]))
    assert said(late) == said(examine(answer, corpus))[1:]
    assert examine(answer, corpus, since=len(answer)).statements == ()
