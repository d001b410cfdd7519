"""Marks of findings: the sentence of the reference, its source, and the pieces that differ."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from made_embedder import WordEmbedder
from made_geometry import made_model
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.detectors.geometric_marks import best_sentence, finding_marks
from ragcortex.errors import ReadingError
from ragcortex.example import Example, Reference
from ragcortex.geometry.facts.extract import fact_sheet
from ragcortex.geometry.facts.finding import PlacedSheet
from ragcortex.report import Evidence, FlaggedSpan, Report

OPENING = "Visitors are welcome all year round."
BUILT = "The lighthouse at Cape Arden was built in 1874 by Mary Holt."
REFERENCE = Reference(f"{OPENING} {BUILT} Dogs are not allowed inside.", id="guide")
OTHER = Reference("The museum of Elmsford shows old ships and opens daily.", source="museum.pdf")
GRID = Path(__file__).parents[1] / "cases" / "grid.jsonl"
DETECTOR = GeometricDetector(made_model(), WordEmbedder())


def check(answer: str) -> Report:
    return DETECTOR.check_example(Example(None, (OTHER, REFERENCE), answer))


def span_at(report: Report, words: str) -> FlaggedSpan:
    return next(span for span in report.spans if words in span.text)


def test_a_contradicted_fact_has_the_sentence_and_the_piece() -> None:
    answer = "The lighthouse at Cape Arden was built in 1902 by Mary Holt."
    span = span_at(check(answer), "1902")
    (evidence,) = span.evidence
    (difference,) = span.differences
    assert (evidence.reference, evidence.source, evidence.text) == (1, "guide", BUILT)
    assert REFERENCE.text[evidence.start : evidence.end] == BUILT
    assert answer[difference.start : difference.end] == difference.text == "1902"
    assert (difference.evidence.text, difference.evidence.source, difference.reason) == ("1874", "guide", "date")
    assert REFERENCE.text[difference.evidence.start : difference.evidence.end] == "1874"


def test_a_fact_that_no_reference_has_shows_the_best_sentence_and_no_piece() -> None:
    report = check("The lighthouse at Cape Arden was built in 1874 by Mary Holt for 900 sailors.")
    span = span_at(report, "900")
    assert [(one.text, one.source) for one in span.evidence] == [(BUILT, "guide")]
    assert span.differences == ()
    assert [one.state for one in report.sentences] == ["unsupported"]


def test_a_span_of_scores_alone_shows_the_best_sentence() -> None:
    report = check("A famous opera about two sailors mentions Cape Arden.")
    assert report.spans
    assert all(len(span.evidence) == 1 and not span.differences for span in report.spans)
    assert report.spans[0].evidence == report.sentences[0].evidence


def test_a_supported_sentence_has_its_source() -> None:
    (sentence,) = check(BUILT).sentences
    assert sentence.state == "supported"
    assert [(one.reference, one.text, one.source) for one in sentence.evidence] == [(1, BUILT, "guide")]


def test_a_stitched_statement_shows_both_sentences_and_no_piece() -> None:
    gate, tower = "The north gate is made of carved oak.", "The old bell tower was struck by lightning and rebuilt."
    example = Example(None, (Reference(gate), Reference(tower)), "The north gate was struck by lightning and rebuilt.")
    corpus, evidence = DETECTOR.corpus_of(example), DETECTOR.examine(example)
    (mark,) = [mark for mark in finding_marks(corpus, evidence) if mark.reason == "stitched"]
    best = best_sentence(corpus, evidence.statements[0])
    assert mark.evidence == tuple(dict.fromkeys((best, Evidence(1, 0, len(tower), tower))))
    assert mark.differences == ()
    assert not mark.contradicted


def test_evidence_that_was_never_asked_is_refused() -> None:
    example = Example(None, (REFERENCE,), BUILT.replace("1874", "1902"))
    corpus, evidence = DETECTOR.corpus_of(example), DETECTOR.examine(example)
    start = REFERENCE.text.index("1874")
    message = (
        "the evidence of a finding must lie in a sentence that was asked, "
        f"got {start}..{start + 4} of reference 0, which none of 0 holds"
    )
    with pytest.raises(ReadingError, match=f"^{re.escape(message)}$"):
        finding_marks(corpus, replace(evidence, known=()))
    with pytest.raises(ReadingError, match=r"^a statement that claims something must have a sentence to compare with$"):
        best_sentence(corpus, replace(evidence.statements[0], best=None))


def test_of_overlapping_chunks_the_whole_sentence_is_taken() -> None:
    example = Example(None, (REFERENCE,), BUILT.replace("1874", "1902"))
    corpus, evidence = DETECTOR.corpus_of(example), DETECTOR.examine(example)
    start = REFERENCE.text.index("was built")
    cut = PlacedSheet(fact_sheet("was built in 1874 by Mary Holt.", "en"), start, 0)
    for known in ((cut, *evidence.known), (*evidence.known, cut)):
        (mark,) = [one for one in finding_marks(corpus, replace(evidence, known=known)) if one.contradicted]
        assert [one.text for one in mark.evidence] == [BUILT]


@pytest.mark.parametrize(
    "kind", ["number", "date_time", "negation", "condition", "opposite", "name", "unit", "stitched"]
)
def test_all_evidence_is_the_references_text(kind: str) -> None:
    """Whatever is found on the rows of the grid: evidence and pieces are where they say, and each span has some."""
    rows = [json.loads(line) for line in GRID.read_text(encoding="utf-8").splitlines()]
    for row in (row for row in rows if row["kind"] == kind):
        report = DETECTOR.check(row["question"], row["references"], row["answer"])
        for span in report.spans:
            assert span.evidence
            pieces = [one.evidence for one in span.differences]
            for one in (*span.evidence, *pieces):
                assert row["references"][one.reference][one.start : one.end] == one.text
            assert all(row["answer"][one.start : one.end] == one.text for one in span.differences)
        for sentence in report.sentences:
            assert sentence.state != "supported" or sentence.evidence
