"""What every detector does with one answer and with many, whatever its kind."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from test_internal_detector import gain_bundle

from made_embedder import WordEmbedder
from made_geometry import made_model
from ragcortex.detectors.detector import Detector, Outcome
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.detectors.internal import InternalDetector
from ragcortex.detectors.retrieving import RetrievingDetector
from ragcortex.errors import InputError, ReadingError
from ragcortex.example import Example, Reference
from ragcortex.geometry.corpus import Corpus
from ragcortex.readers.reader import Reader
from ragcortex.rendering.progress import tracked
from ragcortex.report import DetectorInfo, Note, Report

REFERENCES = ["The lighthouse at Cape Arden was built in 1874."]


class Undecided(Detector):
    """Judges no answer, and fails at those that ask for it."""

    def check_example(self, example: Example) -> Report:
        if example.answer == "broken":
            raise ReadingError("it broke")
        return self._unjudged(example, "not_verifiable", Note("undecided", "Nothing was decided."))

    @property
    def info(self) -> DetectorInfo:
        return DetectorInfo("undecided", "1", "none", "f" * 64, "nothing", "geometry")


def examples(*answers: str) -> list[Example]:
    return [Example.of("Where?", REFERENCES, answer) for answer in answers]


def test_a_kind_that_does_not_judge_cannot_be_made() -> None:
    with pytest.raises(TypeError, match="abstract"):
        Detector()  # type: ignore[abstract]


def test_one_answer_given_by_its_parts() -> None:
    report = Undecided().check("Where?", REFERENCES, "At sea.")
    assert (report.question, report.answer, report.verdict) == ("Where?", "At sea.", "not_verifiable")
    assert (report.detector.name, [note.code for note in report.notes]) == ("undecided", ["undecided"])


def test_values_that_are_no_example_are_refused() -> None:
    with pytest.raises(InputError) as raised:
        Undecided().check("Where?", REFERENCES, 7)  # type: ignore[arg-type]
    assert raised.value.field == "answer"


def test_one_bad_example_leaves_the_others_alone_and_in_order() -> None:
    given = examples("one", "broken", "two")
    outcomes = list(Undecided().check_many(given))
    assert [outcome.example for outcome in outcomes] == given
    assert [outcome.report is not None for outcome in outcomes] == [True, False, True]
    assert str(outcomes[1].error) == "it broke"


def test_examples_are_taken_one_by_one_as_outcomes_are_asked_for() -> None:
    taken = []

    def source() -> Iterator[Example]:
        for example in examples("one", "two", "three"):
            taken.append(example.answer)
            yield example

    outcomes = Undecided().check_many(source())
    assert taken == []
    next(outcomes)
    assert taken == ["one"]


@pytest.mark.parametrize(
    ("as_iterator", "total", "known"), [(False, None, 2), (True, None, None), (True, 5, 5), (False, 5, 5)]
)
def test_progress_knows_the_total_that_is_given_or_counted(
    as_iterator: bool, total: int | None, known: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = []

    def watched(outcomes: Iterator[Outcome], **options: object) -> Iterator[Outcome]:
        shown.append(options)
        return tracked(outcomes, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("ragcortex.rendering.progress.tracked", watched)
    given = examples("one", "broken")
    many = Undecided().check_many(iter(given) if as_iterator else given, progress=True, total=total)
    assert [outcome.example for outcome in many] == given
    assert shown == [{"total": known, "description": "checking"}]


def test_an_outcome_holds_a_report_or_an_error() -> None:
    (example,) = examples("one")
    report = Undecided().check_example(example)
    for both_or_neither in ((report, ReadingError("it broke")), (None, None)):
        with pytest.raises(InputError) as raised:
            Outcome(example, *both_or_neither)
        assert str(raised.value) == "outcome: must hold either a report or an error"


def test_every_kind_is_a_detector_with_a_name(tiny_reader_folder: Path) -> None:
    internal = InternalDetector(gain_bundle(), Reader.load(str(tiny_reader_folder)))
    corpus = Corpus.in_memory(tuple(map(Reference, REFERENCES)), WordEmbedder())
    kinds: list[Detector] = [
        internal,
        RetrievingDetector(internal, corpus),
        GeometricDetector(made_model(), WordEmbedder()),
        GeometricDetector(made_model(), WordEmbedder(), corpus=corpus),
    ]
    assert [kind.info.name for kind in kinds] == ["gain", "gain", "made", "made"]
    assert kinds[1].info == internal.info


def test_passages_found_may_be_judged_by_any_detector() -> None:
    corpus = Corpus.in_memory(tuple(map(Reference, REFERENCES)), WordEmbedder())
    retrieving = RetrievingDetector(GeometricDetector(made_model(), WordEmbedder()), corpus)
    outcomes = list(retrieving.check_many([Example(None, (), "It was built in 1875."), *examples("x")]))
    assert [outcome.report is not None for outcome in outcomes] == [True, False]
    assert outcomes[0].report == retrieving.check(None, [], "It was built in 1875.")
    assert outcomes[0].report is not None
    assert outcomes[0].report.notes[0].code == "references_from_corpus"


def test_a_kind_without_a_load_of_its_own_does_not_load_another() -> None:
    with pytest.raises(TypeError) as raised:
        RetrievingDetector.load("reference-gain")
    assert str(raised.value) == (
        "RetrievingDetector is made of its parts and has no load of its own; call Detector.load"
    )


def test_an_unknown_detector_names_the_nearest() -> None:
    with pytest.raises(InputError) as raised:
        Detector.load("cortexx")
    assert str(raised.value) == (
        "detector: 'cortexx' is neither a shipped detector nor a folder; did you mean 'cortex'?"
    )
