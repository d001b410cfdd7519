"""What the witness sees in an answer: statements among chunks, support, stitching, languages; what changes nothing."""

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from letter_embedder import LetterEmbedder

from made_embedder import WordEmbedder
from ragcortex.errors import InputError
from ragcortex.example import Reference
from ragcortex.geometry.chunking import Chunking
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.embedders.embedder import EmbedderIdentity, Embeddings
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.witness import WitnessOptions, examine

REFERENCES = (
    "The lighthouse at Cape Arden was built in 1874 by Mary Holt. It stands 41 metres above the sea.",
    "Visitors may climb the tower from May to September. Dogs are not allowed inside.",
    "The mill at Port Lyle grinds wheat and barley every Friday morning.",
)
ANSWER = "The lighthouse at Cape Arden was built in 1874. Visitors may climb it in June. Its keeper collected stamps."
EMBEDDER = WordEmbedder()


def corpus_of(*texts: str, embedder: Any = EMBEDDER, chunking: Chunking | None = None) -> Corpus:
    return Corpus.in_memory(tuple(map(Reference, texts)), embedder, chunking)


def seen(answer: str, *texts: str, question: str | None = None, **options: Any) -> GeometricEvidence:
    return examine(answer, corpus_of(*(texts or REFERENCES)), question=question, options=WitnessOptions(**options))


def test_statements_stand_where_they_say_and_have_their_own_signals() -> None:
    evidence = seen(ANSWER)
    corpus = corpus_of(*REFERENCES)
    assert [ANSWER[one.start : one.end] for one in evidence.statements] == [one.text for one in evidence.statements]
    for one in evidence.claims:
        vector = EMBEDDER.embed([one.text]).unit[0]
        cosines = [float(chunk @ vector) for chunk in corpus.matrix]
        assert one.similarity is not None
        assert one.nearest is not None
        assert one.similarity.max_similarity == pytest.approx(max(cosines), abs=1e-6)
        assert one.similarity.nearest == int(np.argmax(cosines))
        place = one.nearest
        assert REFERENCES[place.reference][place.start : place.end] == place.text
        assert one.similarity.density == sum(1 - cosine <= 0.25 for cosine in cosines)


def test_the_vector_of_the_answer_is_the_mean_of_its_statements_by_length() -> None:
    evidence, corpus = seen(ANSWER), corpus_of(*REFERENCES)
    embedded = EMBEDDER.embed([one.text for one in evidence.claims])
    total = sum(len(one.text) for one in evidence.claims)
    mean = [
        sum(
            len(one.text) / total * float(unit[axis]) * float(norm)
            for one, unit, norm in zip(evidence.claims, embedded.unit, embedded.norms, strict=True)
        )
        for axis in range(embedded.unit.shape[1])
    ]
    length = math.sqrt(sum(value * value for value in mean))
    cosines = [sum(a * b for a, b in zip(mean, chunk.tolist(), strict=True)) / length for chunk in corpus.matrix]
    assert evidence.similarity is not None
    assert evidence.similarity.max_similarity == pytest.approx(max(cosines), abs=1e-6)
    nearest = int(np.argmax(cosines))
    raw = corpus.matrix[nearest] * corpus.norms[nearest]
    assert evidence.similarity.euclidean_distance == pytest.approx(math.dist(mean, raw.tolist()), abs=1e-5)


class _Opposites:
    """An embedder whose vectors point one way for texts with «not», the other way for all others."""

    identity = EmbedderIdentity("opposites", None, "opposites-1", 2, 256)

    def embed(self, texts: Sequence[str]) -> Embeddings:
        unit = np.array([[-1.0 if "not" in text else 1.0, 0.0] for text in texts], np.float32).reshape(-1, 2)
        return Embeddings(unit, np.ones(len(texts), np.float32))


def test_statements_that_cancel_out_leave_the_direction_of_the_longest() -> None:
    corpus = corpus_of(REFERENCES[0], embedder=_Opposites())
    evidence = examine("It is old. It not new.", corpus)
    assert [len(one.text) for one in evidence.claims] == [10, 11]
    balanced = examine("It is old. It not ok.", corpus)
    assert [len(one.text) for one in balanced.claims] == [10, 10]
    assert balanced.similarity is not None
    assert evidence.similarity is not None
    assert balanced.similarity.max_similarity == 1
    assert evidence.similarity.max_similarity == -1


def test_coverage_is_the_share_of_content_words() -> None:
    # Content words of the claim: keeper, climb, tower, June. The second reference has climb and tower.
    evidence = seen("The keeper may climb the tower in June.", REFERENCES[1])
    (one,) = evidence.claims
    assert one.place is not None
    assert one.best is not None
    known = set(one.best.stems)
    plain = sum(stem in known for stem in one.place.stems) / len(one.place.stems)
    assert one.coverage == plain == 0.5
    assert one.best.sheet.text == "Visitors may climb the tower from May to September."


def test_a_statement_without_content_words_is_supported_by_its_cosine_alone() -> None:
    (one,) = seen("It was in 1874.", "It was in 1874.").claims
    assert one.place is not None
    assert (one.place.stems, one.coverage, one.coverage_anywhere, one.supported) == (frozenset(), 1, 1, True)


def test_support_rate_and_low_evidence() -> None:
    evidence = seen(ANSWER, support_threshold=0.6)
    assert [one.supported for one in evidence.claims] == [True, False, False]
    assert evidence.support_rate == pytest.approx(1 / 3)
    assert evidence.low_evidence
    assert not seen(ANSWER, support_threshold=0.0).low_evidence
    # Exactly half is not yet low.
    half = seen("Dogs are not allowed inside. Its keeper collected stamps.")
    assert (half.support_rate, half.low_evidence) == (0.5, False)


@pytest.mark.parametrize("threshold", [0.0, 0.3, 0.6, 0.9, 1.0])
def test_supported_is_whether_the_best_support_score_reaches_the_threshold(threshold: float) -> None:
    corpus = corpus_of(*REFERENCES)
    for one in seen(ANSWER, support_threshold=threshold).claims:
        vector = EMBEDDER.embed([one.text]).unit[0]
        assert one.place is not None
        scores = []
        for number in range(corpus.n_chunks):
            cosine = float(corpus.matrix[number] @ vector)
            known = examine(corpus.chunk(number).text, corpus).claims
            scores += [(cosine + one.place.overlap(other.place)) / 2 for other in known if other.place is not None]
        assert one.supported == (max(scores) >= threshold)


def test_a_statement_pieced_from_two_references_is_found_where_all_are_asked() -> None:
    answer = "The Arden lighthouse grinds wheat and barley every Friday morning."
    (one,) = seen(answer, *REFERENCES, *FILLERS).claims
    assert one.stitched
    finding = next(finding for finding in one.findings if finding.reason == "stitched")
    assert finding.evidence is not None
    assert finding.evidence.text == REFERENCES[2]
    assert answer[finding.start : finding.end] == finding.text


FILLERS = (
    "The harbour of Selby freezes every winter and ferries stop there.",
    "Old maps of the coast were drawn by hand on board.",
    "The bakery opens at six and sells rye bread.",
)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"top_k": 4}, "top_k: must be a whole number from 5 on, got 4"),
        ({"top_k": 10.0}, "top_k: must be a whole number from 5 on, got 10.0"),
        ({"top_k": True}, "top_k: must be a whole number from 5 on, got True"),
        ({"density_radius": 1.2}, "density_radius: must be a number in [0, 1], got 1.2"),
        ({"support_threshold": float("nan")}, "support_threshold: must be a number in [0, 1], got nan"),
    ],
)
def test_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        WitnessOptions(**options)


def test_references_without_text_are_refused() -> None:
    with pytest.raises(InputError, match=r"^references: hold no text to compare with$"):
        seen(ANSWER, "  ", "")


@pytest.mark.parametrize("answer", ["", " \n ", "Hello! How can I help you?", "[3]", "(Holt, 2020).", "***"])
def test_an_answer_that_claims_nothing_has_no_signals(answer: str) -> None:
    evidence = seen(answer)
    assert (evidence.claims, evidence.similarity, evidence.support_rate) == ((), None, None)
    assert not evidence.low_evidence
    assert all(one.claimless is not None for one in evidence.statements)
    assert evidence.to_dict()["similarity"] is None


def test_what_claims_nothing_changes_neither_rate_nor_similarity() -> None:
    plain = seen(ANSWER)
    polite = seen(f"Thank you for your question! {ANSWER} I hope this helps.")
    assert len(polite.statements) == len(plain.statements) + 2
    assert polite.support_rate == plain.support_rate
    assert polite.similarity == plain.similarity
    assert [one.similarity for one in polite.claims] == [one.similarity for one in plain.claims]


def test_the_language_of_figures_is_that_of_the_nearest_reference_wherever_it_stands() -> None:
    german = "Der Leuchtturm ist 41 m hoch und wurde im Jahr 1874 gebaut."
    french = "Le musée est ouvert tous les jours et les chiens sont admis."
    for texts in ((german, french), (french, german)):
        assert seen("41 m, 1874.", *texts).language == "de"
    assert seen("Dogs are not allowed inside the tower.", german).language == "en"


def test_the_facts_of_the_question_are_known_and_prove_nothing() -> None:
    question = "Was the lighthouse of Captain Brandt built in 1874?"
    evidence = seen("Captain Brandt built the lighthouse.", question=question)
    assert "brandt" in evidence.question_stems
    assert not [one for one in evidence.findings if "Brandt" in one.text]
    assert [one.text for one in seen("Captain Brandt built the lighthouse.").findings if "Brandt" in one.text]
    assert "brandt" not in {stem for place in evidence.known for stem in place.stems}


def test_the_question_is_read_by_its_own_language_or_the_answers() -> None:
    evidence = seen("Der Turm ist 41 m hoch.", "Der Turm ist 41 m hoch.", question="Türme?")
    assert {place.sheet.language for place in evidence.given} == {"de"}


@settings(deadline=None)  # the first call loads dictionaries
@given(st.permutations([*REFERENCES, *FILLERS]))
def test_the_order_of_the_references_changes_nothing(texts: Sequence[str]) -> None:
    usual, other = seen(ANSWER, *REFERENCES, *FILLERS), seen(ANSWER, *texts)
    assert other.support_rate == usual.support_rate
    for one, two in zip(usual.claims, other.claims, strict=True):
        assert one.similarity is not None
        assert two.similarity is not None
        assert two.similarity.max_similarity == pytest.approx(one.similarity.max_similarity, abs=1e-6)
        assert two.similarity.density == one.similarity.density
        assert (two.coverage, two.coverage_anywhere) == (one.coverage, one.coverage_anywhere)
        assert two.nearest is not None
        assert one.nearest is not None
        if one.similarity.max_similarity > 0.01:  # of several at a right angle any one is the nearest
            assert two.nearest.text == one.nearest.text
        assert two.best is not None
        assert one.best is not None
        assert two.best.sheet.text == one.best.sheet.text


def test_evidence_given_ten_times_counts_once() -> None:
    once, often = seen(ANSWER, *REFERENCES), seen(ANSWER, *REFERENCES * 10)
    assert [one.similarity for one in often.claims] == [one.similarity for one in once.claims]
    assert often.to_dict() == once.to_dict()


def test_the_json_holds_every_signal_and_six_decimals() -> None:
    values = seen(ANSWER).to_dict()
    assert set(values) == {"similarity", "support_rate", "low_evidence", "statements"}
    first = values["statements"][0]
    assert set(first) == {
        *("start", "end", "text", "claimless", "similarity", "nearest", "coverage", "coverage_anywhere"),
        *("supported", "stitched", "reference_language", "findings"),
    }
    assert set(first["similarity"]) == {
        *("max_similarity", "weighted_similarity", "spread", "euclidean_distance", "density"),
    }
    assert values["support_rate"] == 0.333333


def test_any_embedder_will_do() -> None:
    evidence = examine(ANSWER, corpus_of(*REFERENCES, embedder=LetterEmbedder()))
    assert len(evidence.claims) == 3
