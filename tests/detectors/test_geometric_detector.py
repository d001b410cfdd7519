"""The geometric detector with a made embedder: statuses, determinism, corpora, thresholds, and odd texts."""

import json
import re
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from made_embedder import WordEmbedder
from made_geometry import fitted, made_model
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.errors import BundleError, InputError, ModelError, ReadingError
from ragcortex.example import Example, Reference
from ragcortex.geometry.calibration_report import calibration_report
from ragcortex.geometry.chunking import Chunking
from ragcortex.geometry.corpus import Corpus
from ragcortex.geometry.documents import Document
from ragcortex.geometry.embedders.embedder import Embeddings
from ragcortex.geometry.geometry_calibration import GeometryCalibration
from ragcortex.report import Report

REFERENCES = (
    "The lighthouse at Cape Arden was built in 1874 by Mary Holt. It stands 41 metres above the sea.",
    "Visitors may climb the tower from May to September. Dogs are not allowed inside.",
)
GROUNDED = "The lighthouse at Cape Arden was built in 1874. Dogs are not allowed inside."
WRONG = "The lighthouse at Cape Arden was built in 1902. Its keeper collected rare stamps and foreign coins."
SCHEMA = json.loads(files("ragcortex").joinpath("report.schema.json").read_text(encoding="utf-8"))


def detector(**options: Any) -> GeometricDetector:
    return GeometricDetector(made_model(), WordEmbedder(), **options)


SHARED = detector()


def valid(report: Report) -> Report:
    """Return the report if it keeps its schema, survives its JSON, and its parts are the answer's text."""
    jsonschema.validate(report.to_dict(), SCHEMA)
    assert Report.from_dict(json.loads(report.to_json())).to_json() == report.to_json()
    boundaries = {0, *(match.end() for match in regex.finditer(r"\X", report.answer))}
    for part in (*report.tokens, *report.spans, *report.sentences, *report.paragraphs):
        assert report.answer[part.start : part.end] == part.text
        assert {part.start, part.end} <= boundaries
    if report.score is not None:
        assert "".join(token.text for token in report.tokens) == report.answer
    return report


def test_a_grounded_and_a_wrong_answer() -> None:
    grounded, wrong = (valid(SHARED.check("Tell me of it.", REFERENCES, answer)) for answer in (GROUNDED, WRONG))
    assert (grounded.verdict, grounded.spans) == ("grounded", ())
    assert {sentence.state for sentence in grounded.sentences} == {"supported"}
    assert wrong.verdict == "hallucinated"
    assert [sentence.state for sentence in wrong.sentences] == ["contradicted", "unsupported"]
    year = wrong.spans[0]
    assert (year.text, year.reasons, [one.evidence.text for one in year.differences]) == ("1902", ("date",), ["1874"])
    assert [one.text for one in year.evidence] == ["The lighthouse at Cape Arden was built in 1874 by Mary Holt."]
    assert wrong.question == "Tell me of it."


def test_every_sentence_shows_the_sentence_of_the_references_that_supports_it_best() -> None:
    report = SHARED.check(None, [{"text": REFERENCES[0], "id": 7, "source": "guide.pdf"}, REFERENCES[1]], GROUNDED)
    first, second = report.sentences
    assert first.evidence[0].text == "The lighthouse at Cape Arden was built in 1874 by Mary Holt."
    assert (first.evidence[0].reference, first.evidence[0].source) == (0, "guide.pdf")
    assert second.evidence[0].text == "Dogs are not allowed inside."
    assert (second.evidence[0].reference, second.evidence[0].source) == (1, None)
    for sentence in report.sentences:
        place = sentence.evidence[0]
        assert REFERENCES[place.reference][place.start : place.end] == place.text


def test_sentences_have_the_scores_of_their_statements_and_the_answer_that_any_is_wrong() -> None:
    report = SHARED.check(None, REFERENCES, GROUNDED)
    scores = [sentence.signals["statement_score"] for sentence in report.sentences]
    assert [sentence.score for sentence in report.sentences] == scores
    assert report.score == pytest.approx(1 - (1 - scores[0]) * (1 - scores[1]))
    assert [paragraph.score for paragraph in report.paragraphs] == [max(scores)]


def test_the_signals_of_the_document_are_all_there() -> None:
    report = SHARED.check(None, REFERENCES, WRONG)
    distances = {"max_similarity", "weighted_similarity", "spread", "density", "euclidean_distance"}
    assert set(report.signals) == distances | {"support_rate", "low_evidence", "stitched"}
    assert set(report.sentences[0].signals) == distances | {
        *("coverage", "coverage_anywhere", "supported", "stitched", "statement_score"),
    }
    evidence = SHARED.examine(Example.of(None, REFERENCES, WRONG))
    assert evidence.similarity is not None
    assert report.signals["max_similarity"] == evidence.similarity.max_similarity
    assert report.signals["support_rate"] == evidence.support_rate


@pytest.mark.parametrize(
    ("references", "answer", "verdict", "code"),
    [
        (REFERENCES, "", "no_claim", "blank_answer"),
        (REFERENCES, " \n\t ", "no_claim", "blank_answer"),
        ((), GROUNDED, "not_verifiable", "no_references"),
        (("", "  "), GROUNDED, "not_verifiable", "no_references"),
        (REFERENCES, "Hello! How can I help you today?", "no_claim", "claims_nothing"),
        (REFERENCES, "The references do not mention the price.", "no_claim", "claims_nothing"),
        (REFERENCES, "(Holt, 2020) [3].", "no_claim", "claims_nothing"),
    ],
)
def test_what_cannot_be_judged_has_a_status_and_no_number(
    references: Sequence[str], answer: str, verdict: str, code: str
) -> None:
    report = valid(SHARED.check(None, references, answer))
    assert (report.verdict, report.score, [note.code for note in report.notes]) == (verdict, None, [code])


def test_greetings_and_closings_are_never_marked_and_have_no_score() -> None:
    answer = f"Hello! Thanks for asking.\n\n{WRONG}\n\nI hope this helps!"
    report = valid(SHARED.check(None, REFERENCES, answer))
    states = {sentence.text: (sentence.state, sentence.score) for sentence in report.sentences}
    for text in ("Hello!", "Thanks for asking.", "I hope this helps!"):
        assert states[text] == ("no_claim", None)
    assert [paragraph.score is None for paragraph in report.paragraphs] == [True, False, True]
    assert report.score == pytest.approx(SHARED.check(None, REFERENCES, WRONG).score, abs=1e-9)
    assert report.signals == SHARED.check(None, REFERENCES, WRONG).signals


def test_spans_end_with_words_and_go_on_over_commas() -> None:
    answer = "**Its keeper, a Dane, collected stamps** (foreign ones); dogs are not allowed inside."
    report = valid(SHARED.check(None, REFERENCES, answer))
    assert report.spans
    for span in report.spans:
        assert span.text[0].isalnum()
        assert span.text[-1].isalnum()
    assert "keeper, a Dane, collected" in report.spans[0].text


def test_the_same_wrong_word_is_judged_at_each_place() -> None:
    answer = "It stands 41 metres above the sea. The lighthouse at Cape Arden was built in 1902. Built in 1902."
    report = valid(SHARED.check(None, REFERENCES, answer))
    assert [span.start for span in report.spans if "1902" in span.text] == [
        match.start() for match in re.finditer("1902", answer)
    ]


def test_references_that_disagree_are_reported_and_either_may_be_followed() -> None:
    texts = [REFERENCES[0], REFERENCES[0].replace("1874", "1902")]
    for year in ("1874", "1902"):
        report = valid(SHARED.check(None, texts, f"The lighthouse at Cape Arden was built in {year} by Mary Holt."))
        assert report.verdict == "grounded"
        (note,) = report.notes
        assert note.code == "conflicting_references"
        assert note.text == f"References disagree: «{texts[0]}» and «{texts[1]}»."
    other = SHARED.check(None, [*texts, REFERENCES[1]], "Dogs are not allowed inside.")
    assert other.notes == ()


def test_evidence_repeated_or_moved_changes_nothing() -> None:
    filler = [f"Shelf {number} of the archive holds letter number {number * 7} of a sailor." for number in range(49)]
    for answer in (GROUNDED, WRONG):
        first = SHARED.check(None, [REFERENCES[0], *filler], answer)
        last = SHARED.check(None, [*filler, REFERENCES[0]], answer)
        often = SHARED.check(None, [*[REFERENCES[0]] * 5, *filler], answer)
        for other in (last, often):
            assert other.verdict == first.verdict
            assert other.score == pytest.approx(first.score, abs=1e-6)
            assert [(s.start, s.end, s.reasons) for s in other.spans] == [
                (s.start, s.end, s.reasons) for s in first.spans
            ]
            assert [t.score for t in other.tokens] == pytest.approx([t.score for t in first.tokens], abs=1e-6)


def test_the_same_input_gives_the_same_bytes_whatever_was_checked_before() -> None:
    inputs = [("Q?", REFERENCES, GROUNDED), (None, REFERENCES[::-1], WRONG), (None, ["Grün ist die Wiese."], "Grün.")]
    expected = [detector().check(*one).to_json() for one in inputs]
    once = detector()
    assert [once.check(*one).to_json() for one in inputs] == expected
    assert [once.check(*one).to_json() for one in inputs[::-1]] == expected[::-1]
    outcomes = once.check_many([Example.of(*one) for one in inputs])
    assert [outcome.report.to_json() for outcome in outcomes if outcome.report] == expected


PROCESS = """
import sys
sys.path.insert(0, sys.argv[1])
from made_embedder import WordEmbedder
from made_geometry import made_model
from ragcortex.detectors.geometric import GeometricDetector
report = GeometricDetector(made_model(), WordEmbedder()).check(None, sys.argv[3:], sys.argv[2])
sys.stdout.buffer.write(report.to_json().encode())
"""


def test_another_process_gives_the_same_bytes() -> None:
    tests = str(Path(__file__).parents[1])
    run = subprocess.run([sys.executable, "-c", PROCESS, tests, WRONG, *REFERENCES], capture_output=True, check=True)
    assert run.stdout == SHARED.check(None, REFERENCES, WRONG).to_json().encode()


def test_warming_up_changes_no_result() -> None:
    cold, warm = detector(), detector()
    warm.warm_up()
    assert warm.check(None, REFERENCES, WRONG) == cold.check(None, REFERENCES, WRONG)


def test_several_threads_give_what_one_gives() -> None:
    shared, answers = detector(), [GROUNDED, WRONG, f"{GROUNDED} {WRONG}"]
    expected = [SHARED.check(None, REFERENCES, answer).to_json() for answer in answers]
    found: list[list[str]] = []

    def work(shift: int) -> None:
        texts = [*REFERENCES, f"Shelf {shift} is empty."][:2]
        found.append([shared.check(None, texts, answer).to_json() for answer in answers])

    threads = [threading.Thread(target=work, args=(shift,)) for shift in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_recent_references_are_embedded_once() -> None:
    embedder = WordEmbedder()
    counted = GeometricDetector(made_model(), embedder)
    counted.check(None, REFERENCES, "Dogs are not allowed inside.")
    before = embedder.n_embedded
    counted.check(None, REFERENCES, "The tower is old.")
    assert embedder.n_embedded == before + 1


def test_one_bad_example_leaves_the_others_alone() -> None:
    class Broken(WordEmbedder):
        def embed(self, texts: Sequence[str]) -> Embeddings:
            if any("boom" in text for text in texts):
                raise ReadingError("the embedder broke")
            return super().embed(texts)

    broken = GeometricDetector(made_model(), Broken())
    examples = [Example.of(None, REFERENCES, answer) for answer in (GROUNDED, "It went boom loudly.", WRONG)]
    outcomes = list(broken.check_many(examples))
    assert [outcome.report is not None for outcome in outcomes] == [True, False, True]
    assert str(outcomes[1].error) == "the embedder broke"
    assert [outcome.example for outcome in outcomes] == examples


def test_an_embedder_that_the_thresholds_are_not_for_is_refused() -> None:
    message = (
        "the thresholds of 'made' were set with another embedder than 'words 2', whose similarities lie elsewhere; run "
        "`ragcortex calibrate --witness geometry` with it and give the calibration"
    )
    with pytest.raises(BundleError, match=f"^{re.escape(message)}$"):
        GeometricDetector(made_model(), WordEmbedder("words 2", "e1" * 32))


def calibrated(detector: GeometricDetector, **changes: Any) -> GeometryCalibration:
    """Return a calibration for a detector, from made-up scores."""
    report = calibration_report([0.1, 0.2, 0.3, 0.7, 0.8, 0.9], [0, 0, 0, 1, 1, 1], n_resamples=10)
    corpus = detector.corpus
    return replace(
        GeometryCalibration(
            threshold=0.95,
            review_threshold=0.01,
            report=report,
            data="six made-up scores",
            date="2026-11-30",
            embedder=detector.embedder.identity,
            chunking=(corpus.chunking if corpus is not None else detector.model.chunking).to_dict(),
            corpus_fingerprint=corpus.fingerprint if corpus is not None else None,
            weights_fingerprint=detector.model.fingerprint,
        ),
        **changes,
    )


def test_a_calibration_gives_the_thresholds_and_its_name() -> None:
    own = detector(calibration=calibrated(SHARED))
    report = own.check(None, REFERENCES, GROUNDED)
    assert report.thresholds is not None
    assert (report.thresholds.review, report.thresholds.hallucinated) == (0.01, 0.95)
    assert report.thresholds.token == made_model().calibration.token_threshold
    assert report.detector.calibration == "six made-up scores"
    assert report.score == SHARED.check(None, REFERENCES, GROUNDED).score


def test_a_calibration_admits_another_embedder() -> None:
    other = WordEmbedder("words 2", "e1" * 32)
    calibration = calibrated(SHARED, embedder=other.identity)
    GeometricDetector(made_model(), other, calibration=calibration).check(None, REFERENCES, GROUNDED)
    GeometricDetector(made_model(), other, uncalibrated=True).check(None, REFERENCES, GROUNDED)


@pytest.mark.parametrize("what", ["the embedder", "the chunking's max_chars", "the corpus", "the score model"])
def test_a_stale_calibration_is_refused(what: str) -> None:
    calibration = {
        "the embedder": calibrated(SHARED, embedder=WordEmbedder("old", "a0" * 32).identity),
        "the chunking's max_chars": calibrated(SHARED, chunking=Chunking(max_chars=500).to_dict()),
        "the corpus": calibrated(SHARED, corpus_fingerprint="c0" * 32),
        "the score model": calibrated(SHARED, weights_fingerprint="b0" * 32),
    }[what]
    start = f"the calibration of 2026-11-30 is stale, its thresholds do not hold any more: changed {what} ("
    with pytest.raises(BundleError, match=f"^{re.escape(start)}"):
        detector(calibration=calibration)


def corpus_on_disk(folder: Path, embedder: WordEmbedder | None = None) -> Corpus:
    documents = [Document(f"doc-{number}", text, f"{number}.txt") for number, text in enumerate(REFERENCES)]
    return Corpus.build(documents, out=folder, embedder=embedder or WordEmbedder())


def test_a_corpus_stands_for_references(tmp_path: Path) -> None:
    against = detector(corpus=corpus_on_disk(tmp_path / "corpus"))
    report = valid(against.check(None, (), WRONG))
    assert report.score == pytest.approx(SHARED.check(None, REFERENCES, WRONG).score, abs=1e-6)
    assert report.sentences[0].evidence[0].source == "0.txt"
    message = "references: must be empty where a corpus is checked against; give one or the other"
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        against.check(None, REFERENCES, WRONG)
    assert against.check(None, (), " ").verdict == "no_claim"
    against.warm_up()
    assert against.check(None, (), WRONG) == report


def test_a_corpus_of_another_embedder_is_refused(tmp_path: Path) -> None:
    corpus = corpus_on_disk(tmp_path / "corpus", WordEmbedder("old", "a0" * 32))
    start = f"the corpus '{tmp_path / 'corpus'}' was built with the embedder 'old' (fingerprint a0a0a0a0a0a0, "
    with pytest.raises(ModelError, match=f"^{re.escape(start)}"):
        detector(corpus=corpus)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    made_model().save(tmp_path / "model")
    return tmp_path / "model"


def test_load_puts_the_parts_together(tmp_path: Path, saved: Path) -> None:
    folder = tmp_path / "corpus"
    corpus_on_disk(folder)
    plain = GeometricDetector.load(model=saved, embedder=WordEmbedder())
    assert plain.check(None, REFERENCES, WRONG) == SHARED.check(None, REFERENCES, WRONG)
    own = GeometricDetector.load(model=saved, embedder=WordEmbedder(), corpus=folder)
    opened = Corpus.open(folder, embedder=WordEmbedder())
    given = GeometricDetector.load(model=saved, corpus=opened)
    assert own.check(None, (), WRONG) == given.check(None, (), WRONG)
    path = tmp_path / "calibration.json"
    calibrated(own).save(path)
    loaded = GeometricDetector.load(model=str(saved), embedder=WordEmbedder(), corpus=str(folder), calibration=path)
    assert loaded.thresholds.hallucinated == 0.95


def test_load_refuses_a_corpus_and_another_embedder(tmp_path: Path, saved: Path) -> None:
    folder = tmp_path / "corpus"
    corpus_on_disk(folder)
    for corpus in (folder, Corpus.open(folder, embedder=WordEmbedder())):
        with pytest.raises(ModelError, match=r"^the corpus '.*' was built with the embedder 'words' "):
            GeometricDetector.load(model=saved, corpus=corpus, embedder=WordEmbedder("new", "b0" * 32))


def test_load_refuses_a_folder_that_is_no_corpus(tmp_path: Path, saved: Path) -> None:
    with pytest.raises(InputError):
        GeometricDetector.load(model=saved, corpus=tmp_path, embedder=WordEmbedder())


def test_a_model_for_other_similarities_scores_others() -> None:
    other = fitted(WordEmbedder(), name="other")
    assert other.fingerprint == made_model().fingerprint


ODD = st.text(
    st.one_of(
        st.characters(codec="utf-8"),
        st.sampled_from("aé1 .,;:\n\t\u200d\u0301\ufe0f\u20e3\u202e👩🏽世界の。！٣ทำब्§[](){}*_|#`«»\x00\x1b"),
    ),
    max_size=80,
)
PHRASES = st.lists(
    st.sampled_from(
        (
            *("The lighthouse", "was built in", "1874", "1902", "[3]", "(Holt, 2020; Arden, 2018)", "**41 metres**"),
            *(
                "not",
                ". ",
                "; ",
                "Hello! ",
                "5\ufe0f\u20e3",
                "灯台は1902年に建てられた。",
                "\n\n- ",
                "Der Turm",
                "$1,200.00",
            ),
            *(
                "e\u0301te\u0301",
                "👩‍👩‍👧‍👦",
                "ﬁne",
                "Ｆｕｌｌ",
                "\u202eabc",
                "| a | b |",
                "بُنيت عام 1874.",
                "12:30–13:00",
            ),
        )
    ),
    max_size=14,
).map(" ".join)


@settings(deadline=None, max_examples=80)
@given(answer=st.one_of(ODD, PHRASES), reference=st.one_of(st.just(REFERENCES[0]), ODD, PHRASES))
@example(answer="\r", reference="\r")
@example(answer="5\ufe0f\u20e3 metres; 6\ufe0f\u20e3 metres", reference="41 metres")
@example(answer="It stands 5\u0301 metres above the sea.", reference=REFERENCES[0])
def test_any_text_is_judged_and_its_parts_lie_in_it(answer: str, reference: str) -> None:
    report = valid(SHARED.check(None, [reference], answer))
    assert all(span.text.strip() == span.text for span in report.spans)


def test_what_is_no_text_is_refused() -> None:
    with pytest.raises(InputError, match=r"^answer: has a lone surrogate at character 1, which is not text$"):
        SHARED.check(None, REFERENCES, "a\ud800")


def test_references_keep_their_place_whatever_they_hold() -> None:
    report = SHARED.check(None, ["", "  ", Reference(REFERENCES[0], "seven")], GROUNDED)
    assert (report.sentences[0].evidence[0].reference, report.sentences[0].evidence[0].source) == (2, "seven")
