"""The default detector: both witnesses on real weights, one missing, a cascade, a corpus, many answers."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ragcortex.detectors.detector import Detector
from ragcortex.detectors.fused import FusedDetector
from ragcortex.detectors.fused_report import with_content
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.detectors.internal import InternalDetector
from ragcortex.detectors.registry import find_bundle
from ragcortex.errors import BundleError, InputError, ModelError, ReadingError
from ragcortex.example import Example
from ragcortex.fusion.model import FILE_NAME
from ragcortex.fusion.token_signals import TOKEN_SIGNALS
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.embedders.embedder import Embeddings
from ragcortex.report import Report

QUESTION = "What is known of the lighthouse?"
REFERENCES = [
    "The lighthouse at Cape Arden was built in 1874. It stands 41 metres above the sea.",
    "Visitors may climb the tower in summer. Dogs are not allowed inside.",
]
GOOD = "The lighthouse at Cape Arden was built in 1874."
BAD = "The lighthouse at Cape Arden was built in 1974. Visitors may climb the tower in summer."
pytestmark = pytest.mark.weights


@pytest.fixture(scope="module")
def detector() -> FusedDetector:
    loaded = Detector.load()
    assert isinstance(loaded, FusedDetector)
    return loaded


def variant(detector: FusedDetector, **options: Any) -> FusedDetector:
    return FusedDetector(detector.model, detector.internal, detector.geometric, **options)


def notes(report: Report) -> list[str]:
    return [note.code for note in report.notes]


def test_a_report_says_what_is_wrong_why_and_what_the_references_say(detector: FusedDetector) -> None:
    report = detector.check(QUESTION, REFERENCES, BAD)
    (span,) = report.spans
    assert report.verdict == "hallucinated"
    assert (span.text, span.reasons) == ("1974", ("date",))
    assert [(one.text, one.evidence.text) for one in span.differences] == [("1974", "1874")]
    assert [(one.reference, one.text) for one in span.evidence] == [(0, REFERENCES[0].split(" It ")[0])]
    assert [sentence.state for sentence in report.sentences] == ["contradicted", "supported"]
    source = report.sentences[1].evidence[0]
    assert REFERENCES[source.reference][source.start : source.end] == "Visitors may climb the tower in summer."
    assert set(span.contributions) == set(TOKEN_SIGNALS)
    assert report.sentences[0].contributions
    assert (report.detector.name, report.detector.witness, report.detector.calibration) == (
        "fusion", "both", detector.model.calibration.data,
    )  # fmt: skip


def test_probabilities_of_an_answer_are_no_lower_than_those_of_its_sentences(detector: FusedDetector) -> None:
    report = detector.check(QUESTION, REFERENCES, BAD)
    assert report.score is not None
    assert report.score >= max(sentence.score or 0.0 for sentence in report.sentences)


@pytest.mark.parametrize(
    ("references", "answer", "verdict"),
    [
        (REFERENCES, GOOD, "grounded"),
        (REFERENCES, "", "no_claim"),
        (REFERENCES, " \n", "no_claim"),
        (REFERENCES, "I'm sorry, but I cannot answer that from the documents.", "no_claim"),
        ([], GOOD, "not_verifiable"),
        (["  "], GOOD, "not_verifiable"),
        (REFERENCES, "Majakka rakennettiin vuonna tuhat kahdeksansataa ja sen huipulla palaa valo.", "not_verifiable"),
    ],
)
def test_statuses(detector: FusedDetector, references: list[str], answer: str, verdict: str) -> None:
    report = detector.check(QUESTION, references, answer)
    assert report.verdict == verdict
    assert (report.score is None) == (verdict in ("no_claim", "not_verifiable"))


def test_the_order_of_references_changes_no_verdict(detector: FusedDetector) -> None:
    first, last = (detector.check(QUESTION, given, BAD) for given in (REFERENCES, REFERENCES[::-1]))
    assert (first.verdict, [span.text for span in first.spans]) == (last.verdict, [span.text for span in last.spans])


def test_many_answers_come_as_one_by_one(detector: FusedDetector) -> None:
    examples = [Example.of(QUESTION, REFERENCES, answer) for answer in (BAD, "", GOOD, BAD)]
    outcomes = list(detector.check_many(examples))
    for example, outcome in zip(examples, outcomes, strict=True):
        alone = detector.check_example(example)
        assert outcome.report is not None
        assert outcome.example is example
        assert outcome.report.verdict == alone.verdict
        assert [one.text for one in outcome.report.spans] == [one.text for one in alone.spans]
        assert outcome.report.score == pytest.approx(alone.score, abs=1e-4)


def test_an_answer_the_reader_cannot_read_is_judged_by_the_other_witness_visibly(detector: FusedDetector) -> None:
    endless = "why " * 40_000
    examples = [Example.of(endless, REFERENCES, BAD), Example.of(QUESTION, REFERENCES, BAD)]
    first, second = detector.check_many(examples)
    assert first.report is not None
    assert second.report is not None
    assert notes(first.report) == ["witness_missing"]
    assert first.report.notes[0].text.startswith("The reader could not read: question: ")
    assert first.report.notes[0].text.endswith(". The other witness judged alone, by its own thresholds.")
    assert (first.report.verdict, first.report.detector.witness) == ("hallucinated", "geometry")
    assert (notes(second.report), second.report.detector.witness) == ([], "both")
    with pytest.raises(InputError):
        variant(detector, strict=True).check_example(examples[0])
    strict = list(variant(detector, strict=True).check_many(examples))
    assert [one.report is None for one in strict] == [True, False]


class Failing:
    """An embedder that works until it is told to fail."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.fails = inner, False
        self.identity = inner.identity

    def embed(self, texts: Sequence[str]) -> Embeddings:
        if self.fails:
            raise ModelError("the endpoint does not answer")
        embeddings: Embeddings = self.inner.embed(texts)
        return embeddings


def test_without_the_encoder_the_reader_judges_alone_visibly(detector: FusedDetector) -> None:
    embedder = Failing(detector.geometric.embedder)
    geometric = GeometricDetector(detector.geometric.model, embedder)
    broken = FusedDetector(detector.model, detector.internal, geometric)
    embedder.fails = True
    report = broken.check("Is it?", [*REFERENCES, "Another reference."], BAD)
    assert notes(report)[0] == "witness_missing"
    assert report.notes[0].text.startswith("The geometric witness could not look: the endpoint does not answer.")
    assert report.detector.witness == "internal"
    with pytest.raises(ModelError):
        FusedDetector(detector.model, detector.internal, geometric, strict=True).check("Is it?", ["New text."], BAD)


def test_a_cascade_reads_only_what_is_undecided(detector: FusedDetector) -> None:
    cascade = variant(detector, cascade=True)
    copied = cascade.check(QUESTION, REFERENCES, GOOD)
    assert (copied.verdict, notes(copied)) == ("grounded", ["decided_by_geometry"])
    assert copied.detector.witness == "cascade"
    assert (cascade.n_judged, cascade.n_read) == (1, 0)
    assert cascade.saving == "0 of 1 answers read (100% decided by the geometric witness alone)"
    invented = "Its keeper wrote poems about storms that were printed in the newspapers of the capital."
    read = cascade.check(QUESTION, REFERENCES, invented)
    assert notes(read) == []
    assert read.spans == detector.check(QUESTION, REFERENCES, invented).spans
    assert (cascade.n_judged, cascade.n_read) == (2, 1)


def test_against_a_corpus(detector: FusedDetector, tmp_path: Path) -> None:
    corpus = Corpus.in_memory(Example.of(None, REFERENCES, "x").references, detector.geometric.embedder)
    geometric = GeometricDetector(detector.geometric.model, detector.geometric.embedder, corpus=corpus)
    against = FusedDetector(detector.model, detector.internal, geometric)
    report = against.check(QUESTION, [], BAD)
    assert (report.verdict, [span.text for span in report.spans]) == ("hallucinated", ["1974"])
    with pytest.raises(InputError, match="references: must be empty where a corpus is checked against"):
        against.check(QUESTION, REFERENCES, BAD)


def test_witnesses_by_name() -> None:
    assert isinstance(Detector.load(witness="geometry"), GeometricDetector)
    assert isinstance(Detector.load(witness="internal"), InternalDetector)
    cascade = Detector.load(witness="cascade")
    assert isinstance(cascade, FusedDetector)
    assert cascade.cascade
    with pytest.raises(InputError, match="witness: 'both' needs a fusion of both, and 'cortex' is a detector that"):
        Detector.load("cortex", witness="both")


def test_a_fusion_of_other_witnesses_is_refused(detector: FusedDetector, tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="was fitted on another geometric score model than 'geometry'"):
        FusedDetector(replace(detector.model, geometry_fingerprint="other"), detector.internal, detector.geometric)
    values = json.loads((find_bundle("fusion") / FILE_NAME).read_text(encoding="utf-8"))
    values["internal"]["sha256"] = "0" * 64
    (tmp_path / FILE_NAME).write_text(json.dumps(values), encoding="utf-8")
    with pytest.raises(BundleError, match="was fitted on another version of the detector 'cortex'"):
        Detector.load(tmp_path)
    with pytest.raises(BundleError, match="is stale: it was made with other witnesses than those of 'fusion'"):
        Detector.load(calibration=tmp_path / FILE_NAME)


def test_a_reading_error_keeps_its_type_when_strict(detector: FusedDetector) -> None:
    class Unreadable(Failing):
        def embed(self, texts: Sequence[str]) -> Embeddings:
            raise ReadingError(f"not a number among {len(texts)} vectors")

    geometric = GeometricDetector(detector.geometric.model, Unreadable(detector.geometric.embedder))
    with pytest.raises(ReadingError, match="not a number among 1 vectors"):
        FusedDetector(detector.model, detector.internal, geometric, strict=True).check("Is it?", ["New."], BAD)


@pytest.mark.parametrize(
    ("marked", "kept"),
    [
        (("52 metres", "the"), ("52 metres",)),
        (("above the",), ("above the",)),
        (("the", "sea", "It"), ("sea",)),
        (("not", "above"), ("not", "above")),
        ((), ()),
    ],
)
def test_function_words_are_not_marked_beside_words_that_tell(marked: tuple[str, ...], kept: tuple[str, ...]) -> None:
    text = "It stands 52 metres not above the sea."
    ranges = [(text.index(part), text.index(part) + len(part)) for part in marked]
    assert tuple(text[start:end] for start, end in with_content(text, ranges, "en")) == kept
    assert list(with_content(text, ranges, "sv")) == ranges, "whose words are not known here"
