"""How statements stand: by their scores where the embedder knows the language, else by their facts alone, or open."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from made_embedder import WordEmbedder
from made_geometry import made_model
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.detectors.standings import (
    Standing,
    answer_signals,
    evidence_notes,
    judged_by_facts,
    sentence_notes,
    similarity_values,
    standings,
    unfit_pairs,
)
from ragcortex.errors import ReadingError
from ragcortex.example import Example
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.cross_language import parallel_sentences
from ragcortex.geometry.embedders.embedder import EmbedderIdentity, Embeddings
from ragcortex.geometry.evidence import GeometricEvidence
from ragcortex.geometry.judgement import SPEAKS

ENGLISH = "The lighthouse at Cape Arden was built in 1874. Dogs are not allowed inside."
GERMAN = "Der Leuchtturm am Kap Arden wurde im Jahr 1874 gebaut und weiß bemalt. Hunde sind nicht erlaubt."
RUSSIAN = "Маяк на мысе Арден был построен давно. Собаки внутри не допускаются."


class _Fluent(WordEmbedder):
    """An embedder for which all parallel sentences are near, as if it knew every language: one axis for each."""

    def __init__(self) -> None:
        super().__init__()
        self.identity = EmbedderIdentity("fluent in all", None, "f0" * 32, 128, 256)
        self._axes = {text: axis for texts in parallel_sentences().values() for axis, text in enumerate(texts)}

    def embed(self, texts: Sequence[str]) -> Embeddings:
        found = super().embed(texts)
        unit = found.unit.copy()
        for row in [row for row, text in enumerate(texts) if text in self._axes]:
            unit[row] = np.eye(128, dtype=np.float32)[self._axes[texts[row]]]
        return Embeddings(unit, found.norms)


# Knows English wording alone: translations have nothing in common.
LIMITED = GeometricDetector(made_model(), WordEmbedder())
FLUENT = GeometricDetector(made_model(), _Fluent())


def seen(answer: str, *references: str, detector: GeometricDetector = LIMITED) -> GeometricEvidence:
    return detector.examine(Example.of(None, references, answer))


def standing(
    answer: str, *references: str, score: float = 0.3, detector: GeometricDetector = LIMITED
) -> tuple[Standing, ...]:
    evidence = seen(answer, *references, detector=detector)
    return standings(evidence, [score] * len(evidence.claims), unfit_pairs(evidence, detector.embedder))


def test_a_language_is_fit_if_the_embedder_brings_it_together_with_english() -> None:
    assert unfit_pairs(seen("The lighthouse is old.", ENGLISH), LIMITED.embedder) == {}
    ((pair, fitness),) = unfit_pairs(seen("Der Leuchtturm ist sehr alt.", GERMAN), LIMITED.embedder).items()
    assert pair == ("de", "de")
    assert (fitness.first, fitness.second, fitness.covered) == ("de", "en", False)
    assert unfit_pairs(seen("Der Leuchtturm ist sehr alt.", GERMAN), FLUENT.embedder) == {}


def test_two_languages_are_tried_on_each_other() -> None:
    ((pair, fitness),) = unfit_pairs(
        seen("The keeper collected old coins and many rare stamps.", GERMAN), LIMITED.embedder
    ).items()
    assert pair == ("en", "de")
    assert (fitness.first, fitness.second) == ("en", "de")
    # Russian is not in the parallel set, so that no embedder can be shown to know it.
    assert set(unfit_pairs(seen("Смотритель любит горячий чай.", RUSSIAN), FLUENT.embedder)) == {("ru", "ru")}


def test_facts_judge_the_statements_of_unfit_pairs_among_those_that_claim_something() -> None:
    evidence = seen("Hallo! Der Leuchtturm ist sehr alt. Die Hunde sind draußen.", GERMAN)
    assert len(evidence.claims) == 2
    unfit = unfit_pairs(evidence, LIMITED.embedder)
    assert judged_by_facts(evidence, unfit) == {0, 1}
    assert judged_by_facts(evidence, {}) == frozenset()


def test_where_the_language_is_fit_scores_stand_as_they_are() -> None:
    """The scores are the fusion's, which has counted the findings already."""
    found = standing("The lighthouse at Cape Arden was built in 1902. Its keeper sings.", ENGLISH, score=0.3)
    assert [(one.score, one.by_facts, one.is_open) for one in found] == [(0.3, False, False)] * 2
    assert found[0].statement.findings


@pytest.mark.parametrize(
    ("answer", "reference", "kind", "score", "is_open"),
    [
        ("Der Leuchtturm wurde im Jahr 1902 gebaut.", GERMAN, "contradicted", SPEAKS, False),
        ("Hunde sind erlaubt.", GERMAN, "contradicted", SPEAKS, False),
        ("Der Turm hat 900 Stufen.", GERMAN, "absent", SPEAKS, False),
        # All words of a sentence, and more than half of them where the references confirm each figure.
        ("Hunde sind nicht erlaubt.", GERMAN, None, 0.0, False),
        ("Der Leuchtturm hat im Jahr 1874 viele alte Lampen bekommen.", GERMAN, None, 0.0, False),
        ("Der Leuchtturm hat viele alte Lampen aus Messing bekommen.", GERMAN, None, 0.0, True),
        ("Der Wärter sammelte viele alte Münzen.", GERMAN, None, 0.0, True),
        # A name that no reference has does not speak for itself, but the sentence is no repetition either.
        (
            "Der Leuchtturm am Kap Arden wurde im Jahr 1874 in Lissabon gebaut und weiß bemalt.",
            GERMAN, "absent", 0.0, True,
        ),
        # Figures alone are compared in any language.
        ("1874.", GERMAN, None, 0.0, False),
        ("1902.", GERMAN, "absent", SPEAKS, False),
        # Where negations are not read, only the very words count as a repetition.
        ("Собаки внутри не допускаются!", RUSSIAN, None, 0.0, False),
        ("Собаки внутри допускаются.", RUSSIAN, None, 0.0, True),
        # Words of another language repeat nothing.
        ("The lighthouse is painted white.", GERMAN, None, 0.0, True),
    ],
)  # fmt: skip
def test_where_it_is_not_facts_alone_judge(
    answer: str, reference: str, kind: str | None, score: float, is_open: bool
) -> None:
    (found,) = standing(answer, reference, score=0.6)
    assert {finding.relation for finding in found.statement.findings} == ({kind} if kind else set())
    assert (found.by_facts, found.score, found.is_open) == (True, score, is_open)


def test_each_statement_stands_for_itself() -> None:
    """In English, with references in two languages, only the statement nearest to the German one is judged by facts."""
    found = standing(
        "The keeper collected old coins and rare stamps of foreign lands. Leuchtturm Kap Hunde.",
        ENGLISH,
        GERMAN,
        score=0.7,
    )
    assert [(one.statement.reference_language, one.by_facts) for one in found] == [("en", False), ("de", True)]
    assert found[0].score == 0.7


def test_scores_must_be_one_a_statement() -> None:
    with pytest.raises(ValueError, match="shorter"):
        standings(seen("It is old. It is tall.", ENGLISH), [0.5], {})


def notes_of(answer: str, *references: str, contributions: Sequence[dict[str, float]] = ()) -> list[Any]:
    evidence = seen(answer, *references)
    corpus = LIMITED.corpus_of(Example.of(None, references, answer))
    judged = standings(evidence, [0.25] * len(evidence.claims), unfit_pairs(evidence, LIMITED.embedder))
    return list(sentence_notes(corpus, evidence, judged, contributions))


def test_a_note_has_the_evidence_signals_and_score_of_its_statement() -> None:
    answer = "Hello! The lighthouse at Cape Arden was built in 1874."
    greeting, claim = notes_of(answer, ENGLISH, contributions=[{"distance": 0.5}])
    assert (answer[greeting.start : greeting.end], greeting.status, greeting.score) == ("Hello!", "no_claim", None)
    (one,) = seen(answer, ENGLISH).claims
    assert one.similarity is not None
    assert (claim.start, claim.end, claim.status, claim.score) == (one.start, one.end, None, 0.25)
    assert [evidence.text for evidence in claim.evidence] == ["The lighthouse at Cape Arden was built in 1874."]
    assert claim.contributions == {"distance": 0.5}
    assert claim.signals == {
        **similarity_values(one.similarity),
        "coverage": 1.0,
        "coverage_anywhere": 1.0,
        "supported": 1.0,
        "stitched": 0.0,
        "statement_score": 0.25,
    }
    assert similarity_values(one.similarity) == {
        name: getattr(one.similarity, name)
        for name in ("max_similarity", "weighted_similarity", "spread", "density", "euclidean_distance")
    }


def test_what_facts_judge_shows_no_contributions_and_what_is_open_no_score() -> None:
    given = [{"distance": 0.5}, {"distance": 0.7}]
    wrong, unknown = notes_of(
        "Der Leuchtturm wurde im Jahr 1902 gebaut. Der Wärter sammelte Münzen.", GERMAN, contributions=given
    )
    assert (wrong.status, wrong.score, wrong.contributions) == (None, SPEAKS, {})
    assert (unknown.status, unknown.score, unknown.contributions) == ("not_verifiable", None, {})


def test_a_claim_without_signals_is_refused() -> None:
    evidence = seen("The lighthouse is old.", ENGLISH)
    blind = replace(evidence.claims[0], similarity=None)
    corpus = LIMITED.corpus_of(Example.of(None, [ENGLISH], ""))
    message = "a statement that claims something must have its signals"
    with pytest.raises(ReadingError, match=f"^{re.escape(message)}$"):
        list(sentence_notes(corpus, evidence, [Standing(blind, 0.5, False, False)]))


def test_signals_of_an_answer() -> None:
    evidence = seen("The lighthouse at Cape Arden was built in 1874. Its keeper sings old songs.", ENGLISH)
    assert evidence.similarity is not None
    assert answer_signals(evidence) == {
        **similarity_values(evidence.similarity),
        "support_rate": 0.5,
        "low_evidence": 0.0,
        "stitched": 0.0,
    }
    assert answer_signals(seen("Hello!", ENGLISH)) == {"support_rate": 0.0, "low_evidence": 0.0, "stitched": 0.0}


def test_notes_name_languages_and_references_that_disagree() -> None:
    told = "The tall white lighthouse on the rocks near the old harbour of Arden was built by the town for ships in"
    references = (f"{told} 1874.", f"{told} 1902.")
    example = Example.of(None, references, references[1])
    corpus: Corpus = LIMITED.corpus_of(example)
    (note,) = evidence_notes(corpus, LIMITED.examine(example), {})
    assert note.code == "conflicting_references"
    assert note.text == f"References disagree: «{references[0]}» and «{references[1]}»."
    german = seen("Der Leuchtturm ist sehr alt.", GERMAN)
    (other,) = evidence_notes(
        LIMITED.corpus_of(Example.of(None, [GERMAN], "")), german, unfit_pairs(german, LIMITED.embedder)
    )
    assert other.code == "language_not_covered"
    assert other.text.startswith("German and English: not covered; ")


def test_references_that_disagree_on_something_else_are_not_noted() -> None:
    references = (
        "The lighthouse at Cape Arden was built in 1874.",
        "The lighthouse at Cape Arden was built in 1902.",
        "Dogs are not allowed in the museum garden.",
    )
    example = Example.of(None, references, "Dogs are not allowed in the museum garden.")
    assert evidence_notes(LIMITED.corpus_of(example), LIMITED.examine(example), {}) == ()
