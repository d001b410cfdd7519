"""E1 to E4 for every witness: nothing to judge has a status, omission is no fault, disagreement is said."""

from pathlib import Path

import pytest

from made_detectors import KINDS, every_kind
from ragcortex.detectors.detector import Detector
from ragcortex.readers.reader import Reader

YEAR = "The lighthouse at Cape Arden was built in 1874."
OTHER_YEAR = "The lighthouse at Cape Arden was built in 1902."
BLANKS = ("", " ", "\n\t\r\n", "\u2029\u3000", "\u00a0")


@pytest.fixture(scope="module")
def detectors(tiny_reader_folder: Path) -> dict[str, Detector]:
    return every_kind(Reader.load(str(tiny_reader_folder)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("blank", BLANKS, ids=ascii)
def test_a_blank_answer_and_blank_references_have_a_status_and_no_number(
    detectors: dict[str, Detector], kind: str, blank: str
) -> None:
    """E1."""
    for references, answer, verdict, code in (
        ([YEAR], blank, "no_claim", "blank_answer"),
        ([], blank, "no_claim", "blank_answer"),
        ([], YEAR, "not_verifiable", "no_references"),
        ([blank], YEAR, "not_verifiable", "no_references"),
        ([blank, blank], YEAR, "not_verifiable", "no_references"),
    ):
        report = detectors[kind].check("When was it built?", references, answer)
        assert (report.verdict, report.score, [note.code for note in report.notes]) == (verdict, None, [code])
        assert (report.spans, report.tokens) == ((), ())
        assert all(part.score is None for part in (*report.sentences, *report.paragraphs))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("blank", BLANKS, ids=ascii)
def test_blank_references_among_others_change_nothing(detectors: dict[str, Detector], kind: str, blank: str) -> None:
    """E1: neither the score nor the place of the evidence depends on them, but for the number of the reference."""
    plain, among = (
        detectors[kind].check(None, references, OTHER_YEAR) for references in ([YEAR], [blank, YEAR, blank])
    )
    assert among.verdict == plain.verdict
    assert among.score == pytest.approx(plain.score, abs=1e-4)
    assert {one.reference for span in among.spans for one in span.evidence} <= {1}


@pytest.mark.parametrize("kind", ["geometric", "cascade"])
def test_what_an_answer_leaves_out_is_no_fault(detectors: dict[str, Detector], kind: str) -> None:
    """E3."""
    facts = [f"Room {number} of the museum in Selby shows {number * 7} stamps." for number in range(2, 12)]
    report = detectors[kind].check(None, [" ".join(facts)], " ".join(facts[::2]))
    assert report.verdict == "grounded"
    assert report.spans == ()


@pytest.mark.parametrize("kind", ["geometric", "fused", "cascade"])
@pytest.mark.parametrize("references", [(YEAR, OTHER_YEAR), (OTHER_YEAR, YEAR)], ids=["one order", "the other"])
@pytest.mark.parametrize("answer", [YEAR, OTHER_YEAR])
def test_references_that_disagree_are_said_and_contradict_neither(
    detectors: dict[str, Detector], kind: str, references: tuple[str, str], answer: str
) -> None:
    """E4."""
    rest = " It stands 41 metres above the sea, and its lamp was made by Mary Holt."
    report = detectors[kind].check(None, [text + rest for text in references], answer)
    assert "conflicting_references" in [note.code for note in report.notes]
    assert not any(sentence.state == "contradicted" for sentence in report.sentences)
