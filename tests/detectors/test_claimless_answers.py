"""E2: what claims nothing is `no_claim` for every witness, alone, among others and however many sentences it has."""

from pathlib import Path

import pytest

from made_detectors import KINDS, every_kind
from ragcortex.detectors.detector import Detector
from ragcortex.example import Example
from ragcortex.readers.reader import Reader

REFERENCES = ["The lighthouse at Cape Arden was built in 1874.", "It stands 41 metres above the sea."]
CLAIMLESS = {
    "refusal": "I'm sorry, but the references do not say that.",
    "greeting": "Hello! How can I help you?",
    "closing": "I hope this helps!",
    "question": "Could you tell me which lighthouse you mean?",
    "action": "I have forwarded your request to our support team.",
    "pointer": "See [2].",
    "several": "Hello! I'm sorry, but I don't know. Could you tell me which lighthouse you mean? I hope this helps!",
    "German": "Guten Tag! Wie kann ich Ihnen helfen?",
    "French": "Les documents ne précisent pas la date.",
    "Chinese": "抱歉，我不知道。",
}


@pytest.fixture(scope="module")
def detectors(tiny_reader_folder: Path) -> dict[str, Detector]:
    return every_kind(Reader.load(str(tiny_reader_folder)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("answer", CLAIMLESS.values(), ids=CLAIMLESS)
def test_every_witness_says_that_nothing_is_claimed(detectors: dict[str, Detector], kind: str, answer: str) -> None:
    report = detectors[kind].check("When was it built?", REFERENCES, answer)
    assert (report.verdict, report.score, report.spans) == ("no_claim", None, ())
    assert [note.code for note in report.notes] == ["claims_nothing"]
    assert {sentence.state for sentence in report.sentences} == {"no_claim"}


@pytest.mark.parametrize("kind", KINDS)
def test_among_others_it_changes_nothing(detectors: dict[str, Detector], kind: str) -> None:
    claim = "The lighthouse at Cape Arden was built in 1874."
    examples = [Example.of(None, REFERENCES, answer) for answer in (claim, *CLAIMLESS.values(), claim)]
    reports = [outcome.report for outcome in detectors[kind].check_many(examples)]
    assert [report is not None and report.verdict == "no_claim" for report in reports] == [
        False, *[True] * len(CLAIMLESS), False,
    ]  # fmt: skip
    alone = detectors[kind].check(None, REFERENCES, claim)
    assert all(report is not None and report.score == pytest.approx(alone.score, abs=1e-4) for report in reports[::11])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "answer", ["Yes.", "I don't know the height, but it was built in 1902.", "Hello! It is 52 m high."]
)
def test_a_claim_beside_it_is_judged(detectors: dict[str, Detector], kind: str, answer: str) -> None:
    assert detectors[kind].check(None, REFERENCES, answer).verdict != "no_claim"
