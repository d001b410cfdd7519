"""What the report makes of the evidence: tokens, languages that the embedder does not cover, and open statements."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from made_embedder import WordEmbedder
from made_geometry import made_model
from ragcortex.align import claim_words
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.example import Example
from ragcortex.geometry.embedders.embedder import EmbedderIdentity, Embeddings
from ragcortex.geometry.judgement import SPEAKS
from ragcortex.report import Report

ENGLISH = "The lighthouse at Cape Arden was built in 1874 and is open to visitors. Dogs are not allowed inside."
GERMAN = "Der Leuchtturm wurde im Jahr 1874 gebaut. Hunde sind im Turm nicht erlaubt, aber Kinder dürfen hinein."
ITALIAN = "Il faro è stato costruito nel 1874. I cani non sono ammessi nella torre del faro."


class _Fluent(WordEmbedder):
    """An embedder for which all parallel sentences are near, as if it knew every language: one axis for each."""

    def __init__(self) -> None:
        super().__init__("words", "f0" * 32)
        from ragcortex.geometry.cross_language import parallel_sentences

        self.identity = EmbedderIdentity("fluent", None, "f0" * 32, 128, 256)
        self._meanings = {text: axis for texts in parallel_sentences().values() for axis, text in enumerate(texts)}

    def embed(self, texts: Sequence[str]) -> Embeddings:
        found = super().embed(texts)
        unit = found.unit.copy()
        for row, text in enumerate(texts):
            if text in self._meanings:
                unit[row] = np.eye(128, dtype=np.float32)[self._meanings[text]]
        return Embeddings(unit, found.norms)


# Knows English wording alone: translations have nothing in common.
LIMITED = GeometricDetector(made_model(), WordEmbedder())
FLUENT = GeometricDetector(made_model(), _Fluent())


def check(answer: str, *references: str, detector: GeometricDetector = LIMITED) -> Report:
    return detector.check(None, references, answer)


def test_a_contradicted_fact_is_found_in_a_language_the_embedder_does_not_cover() -> None:
    report = check("Der Leuchtturm wurde im Jahr 1902 gebaut.", GERMAN)
    assert (report.verdict, report.score) == ("hallucinated", SPEAKS)
    assert [(span.text, span.reasons) for span in report.spans] == [("1902", ("date",))]
    (note,) = report.notes
    assert note.code == "language_not_covered"
    assert note.text.startswith("German and English: not covered; ")


def test_a_repeated_sentence_is_grounded_in_a_language_the_embedder_does_not_cover() -> None:
    report = check("Der Leuchtturm wurde im Jahr 1874 gebaut.", GERMAN)
    assert (report.verdict, report.score) == ("grounded", 0.0)
    assert [note.code for note in report.notes] == ["language_not_covered"]
    assert {token.score for token in report.tokens} == {0.0}


@pytest.mark.parametrize(
    ("answer", "reference"),
    [
        ("Der Wärter sammelte viele alte Münzen und Briefmarken.", GERMAN),
        ("Il guardiano raccoglieva molte monete antiche e francobolli.", ITALIAN),
        ("Il guardiano raccoglieva molte monete antiche e francobolli.", ENGLISH),
        ("The keeper collected old coins and many rare stamps.", GERMAN),
        ("Смотритель собирал старые монеты и редкие марки.", ENGLISH),
    ],
)
def test_what_neither_facts_nor_words_decide_is_not_verifiable(answer: str, reference: str) -> None:
    report = check(answer, reference)
    assert (report.verdict, report.score, report.spans) == ("not_verifiable", None, ())
    assert [note.code for note in report.notes] == ["language_not_covered"]
    assert {sentence.state for sentence in report.sentences} == {"not_verifiable"}


def test_an_embedder_that_bridges_the_languages_judges_by_distance() -> None:
    report = check("Der Wärter sammelte viele alte Münzen und Briefmarken.", GERMAN, detector=FLUENT)
    assert report.verdict in ("hallucinated", "review")
    assert report.notes == ()


def test_beside_a_contradiction_an_open_statement_stays_open() -> None:
    report = check("Der Leuchtturm wurde im Jahr 1902 gebaut. Der Wärter sammelte viele alte Münzen.", GERMAN)
    assert [sentence.state for sentence in report.sentences] == ["contradicted", "not_verifiable"]
    assert [sentence.score for sentence in report.sentences] == [SPEAKS, None]
    assert report.score == SPEAKS


def test_one_reference_in_another_language_silences_no_other_statement() -> None:
    """The second statement is nearest to the German reference, by its name; the first is plainly invented."""
    invented = "The keeper collected old coins and rare stamps of foreign lands."
    answer = f"{invented} Leuchtturm Arden Hunde Turm Kinder."
    alone, both = check(invented, ENGLISH), check(answer, ENGLISH, GERMAN)
    assert alone.verdict == "hallucinated"
    assert both.verdict == "hallucinated"
    assert both.score is not None
    assert alone.score is not None
    assert both.score >= alone.score - 0.2


def test_figures_alone_are_judged_in_any_language() -> None:
    assert check("1874.", GERMAN).verdict == "grounded"
    report = check("1902.", GERMAN)
    assert report.verdict == "hallucinated"
    assert report.spans[0].text == "1902"


def test_tokens_are_words_and_what_lies_between_has_the_lower_of_their_scores() -> None:
    answer = "Hello! The keeper, an old man, collected stamps. Dogs are not allowed inside [3]."
    example = Example.of(None, [ENGLISH], answer)
    report = LIMITED.check_example(example)
    evidence = LIMITED.examine(example)
    scores = LIMITED.scores(evidence)
    raw = dict(zip(scores.words.ranges, scores.raw.tolist(), strict=True))
    smoothed = dict(zip(scores.words.ranges, scores.smoothed.tolist(), strict=True))
    words = claim_words(answer)
    assert set(raw) == set(words[1:])

    def word_of(token: Any) -> tuple[int, int] | None:
        start = token.start + len(token.text) - len(token.text.lstrip())
        return (start, token.end) if (start, token.end) in words else None

    places = [word_of(token) for token in report.tokens]
    assert [place for place in places if place is not None] == list(words)
    for index, (token, place) in enumerate(zip(report.tokens, places, strict=True)):
        if place == words[0]:
            assert (token.text, token.score, token.raw) == ("Hello", 0.0, 0.0)
        elif place is not None:
            assert (token.raw, token.score) == (raw[place], smoothed[place])
        else:
            after = report.tokens[index + 1].score if index + 1 < len(report.tokens) else 0.0
            assert token.score == min(report.tokens[index - 1].score, after)


def test_an_absent_figure_is_marked_whatever_its_word_scores() -> None:
    report = check("The lighthouse at Cape Arden was built in 1874 for 900 visitors.", ENGLISH)
    assert ("900", ("number",)) in [(span.text.split()[0], span.reasons[:1]) for span in report.spans]
    assert report.verdict == "hallucinated"
    assert [sentence.state for sentence in report.sentences] == ["unsupported"]
