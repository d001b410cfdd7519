"""The internal witness as a caller has it: one answer, many, bad ones among them, and what the report says of it."""

from pathlib import Path

import numpy as np
import pytest

from ragcortex.bundle import Bundle, FittedHead
from ragcortex.calibration import Calibration
from ragcortex.detectors.internal import InternalDetector
from ragcortex.errors import BundleError, InputError, ReadingError
from ragcortex.example import Example
from ragcortex.readers.models import load_model
from ragcortex.readers.reader import CHAT, RAW, Reader, ReaderOptions
from ragcortex.scorers import GainScorer
from ragcortex.smoothing import Smoothing

QUESTION = "Where is the lighthouse?"
REFERENCES = ["The lighthouse at Cape Arden was built in 1874.", "It stands 41 metres above the sea."]
ANSWER = "The lighthouse is at Cape Arden. It was built in 1974 and painted by Mary Holt."


def gain_bundle(fingerprint: str | None = None) -> Bundle:
    """Return a detector that needs no fitting and works with any reader."""
    return Bundle(
        name="gain",
        version="1",
        recipe="reference-gain",
        heads=(FittedHead("gain", ("reference_gain",), 0, "gain", GainScorer.from_arrays({"offset": 0.0}, {})),),
        reader=None,
        template=CHAT,
        smoothing=Smoothing.persistence(0.9),
        answer_smoothing=Smoothing.persistence(0.7),
        calibration=Calibration(0.6, 0.5, 0.8, "ten made-up answers", 10, 5, "2026-11-29", {}, fingerprint),
    )


@pytest.fixture(scope="module")
def reader(tiny_reader_folder: Path) -> Reader:
    return Reader.load(str(tiny_reader_folder))


@pytest.fixture(scope="module")
def detector(reader: Reader) -> InternalDetector:
    return InternalDetector(gain_bundle(), reader)


def test_a_report_has_every_character_in_a_token(detector: InternalDetector) -> None:
    report = detector.check(QUESTION, REFERENCES, ANSWER)
    assert "".join(token.text for token in report.tokens) == ANSWER
    assert report.question == QUESTION
    assert report.detector.reader == detector.reader.identity.id
    assert report.notes == ()


def test_the_raw_score_of_reference_gain_is_the_logistic_of_the_log_ratio(detector: InternalDetector) -> None:
    report = detector.check(QUESTION, REFERENCES, ANSWER)
    reading = detector.reader.read_one(Example.of(QUESTION, REFERENCES, ANSWER), detector.bundle.spec())
    block = reading.blocks[0]
    expected = [1 / (1 + np.exp(ref - noref)) for ref, noref in zip(block.ref.log_prob, block.noref.log_prob)]  # type: ignore[arg-type]  # noqa: B905
    np.testing.assert_allclose([token.raw for token in report.tokens], expected, atol=1e-6)


@pytest.mark.parametrize(
    ("references", "answer", "verdict", "code"),
    [
        (REFERENCES, "", "no_claim", "blank_answer"),
        (REFERENCES, " \n\t ", "no_claim", "blank_answer"),
        ([], ANSWER, "not_verifiable", "no_references"),
        (["", "  "], ANSWER, "not_verifiable", "no_references"),
    ],
)
def test_what_cannot_be_judged_has_a_status_and_no_number(
    references: list[str], answer: str, verdict: str, code: str, detector: InternalDetector
) -> None:
    report = detector.check(QUESTION, references, answer)
    assert (report.verdict, report.score, [note.code for note in report.notes]) == (verdict, None, [code])


def test_many_answers_in_one_go_have_the_scores_they_have_alone(detector: InternalDetector) -> None:
    answers = [ANSWER, ANSWER[:33], "Mary Holt.", ANSWER * 3, "灯台は海の上に立っている。"]
    examples = [Example.of(QUESTION, REFERENCES, answer) for answer in answers]
    outcomes = list(detector.check_many(examples))
    for example, outcome in zip(examples, outcomes, strict=True):
        alone = detector.check_example(example)
        assert outcome.example is example
        assert outcome.error is None
        assert outcome.report is not None
        together = [token.score for token in outcome.report.tokens]
        np.testing.assert_allclose(together, [token.score for token in alone.tokens], atol=1e-4)


def test_one_bad_example_leaves_the_others_alone(detector: InternalDetector) -> None:
    too_long = Example.of("Why? " * 3000, REFERENCES, ANSWER)
    examples = [Example.of(QUESTION, REFERENCES, ANSWER), too_long, Example.of(QUESTION, REFERENCES, "")]
    outcomes = list(detector.check_many(examples))
    assert [outcome.error is None for outcome in outcomes] == [True, False, True]
    assert isinstance(outcomes[1].error, InputError)
    assert outcomes[1].error.field == "question"
    assert outcomes[2].report is not None
    assert outcomes[2].report.verdict == "no_claim"


def test_a_reader_that_overflows_is_named_and_nothing_else_fails(tiny_reader_folder: Path) -> None:
    import torch

    loaded = load_model(str(tiny_reader_folder))
    with torch.no_grad():
        loaded.model.model.layers[1].mlp.down_proj.weight.fill_(torch.inf)
    broken = InternalDetector(gain_bundle(), Reader(loaded, template=CHAT))
    with pytest.raises(ReadingError, match=r"not finite in float32: the log-probabilities \(ref\.log_prob, "):
        broken.check(QUESTION, REFERENCES, ANSWER)
    outcomes = list(broken.check_many([Example.of(QUESTION, REFERENCES, ANSWER), Example.of(QUESTION, [], ANSWER)]))
    assert isinstance(outcomes[0].error, ReadingError)
    assert outcomes[1].report is not None


def test_long_references_and_answers_are_read_whole_and_said(tiny_reader_folder: Path) -> None:
    small = Reader.load(str(tiny_reader_folder), options=ReaderOptions(window=300))
    detector = InternalDetector(gain_bundle(), small)
    answer = " ".join(f"Sentence {number} says that the lighthouse stands." for number in range(40))
    report = detector.check(QUESTION, [text * 20 for text in REFERENCES], answer)
    assert [note.code for note in report.notes] == ["references_windowed", "answer_in_pieces"]
    assert "windows" in report.notes[0].text
    assert "".join(token.text for token in report.tokens) == answer


def test_a_fact_in_any_window_grounds_a_token(tiny_reader_folder: Path) -> None:
    """The raw score with two windows is the lower of those with each window alone (decision 0002)."""
    reader = Reader.load(str(tiny_reader_folder), options=ReaderOptions(window=256))
    detector = InternalDetector(gain_bundle(), reader)
    first, second = REFERENCES[0] * 9, REFERENCES[1] * 11
    both = detector.check(QUESTION, [first, second], "It stands at Cape Arden.")
    alone = [detector.check(QUESTION, [text], "It stands at Cape Arden.") for text in (first, second)]
    assert both.notes[0].code == "references_windowed"
    lowest = np.min([[token.raw for token in report.tokens] for report in alone], axis=0)
    np.testing.assert_allclose([token.raw for token in both.tokens], lowest, atol=1e-4)


def test_thresholds_of_another_reader_are_said(reader: Reader) -> None:
    report = InternalDetector(gain_bundle("f" * 64), reader).check(QUESTION, REFERENCES, ANSWER)
    assert [note.code for note in report.notes] == ["thresholds_of_another_reader"]


def test_another_prompt_template_is_refused(tiny_reader_folder: Path) -> None:
    raw = Reader.load(str(tiny_reader_folder), template=RAW)
    with pytest.raises(BundleError) as raised:
        InternalDetector(gain_bundle(), raw)
    assert str(raised.value) == "detector 'gain' needs the prompt template 'chat' it was fitted with, got 'raw'"


def test_references_may_be_objects(detector: InternalDetector) -> None:
    plain = detector.check(QUESTION, REFERENCES, ANSWER)
    objects = detector.check(QUESTION, [{"id": 7, "text": text, "source": "guide"} for text in REFERENCES], ANSWER)
    assert plain == objects
