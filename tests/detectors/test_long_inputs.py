"""L3 and L4: a false claim is found wherever it stands in an answer longer than the window, and evidence likewise."""

from pathlib import Path

import pytest

from made_detectors import fused, geometric, internal
from ragcortex.detectors.detector import Detector
from ragcortex.readers.reader import Reader, ReaderOptions

WINDOW = 256
ROOMS = [f"Room {number} of the museum in Selby shows {number * 7} stamps of one collector." for number in range(2, 26)]
WRONG = "Room 13 of the museum in Selby shows 999 stamps of one collector."
KINDS = ("geometric", "fused", "cascade")


@pytest.fixture(scope="module")
def detectors(tiny_reader_folder: Path) -> dict[str, Detector]:
    inner = internal(Reader.load(str(tiny_reader_folder), options=ReaderOptions(window=WINDOW)))
    made = (geometric(), fused(inner), fused(inner, cascade=True))
    return dict(zip(KINDS, made, strict=True))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", [0, 11, 23], ids=["first", "in the middle", "last"])
def test_a_false_claim_is_found_at_every_position(detectors: dict[str, Detector], kind: str, place: int) -> None:
    sentences = [one for one in ROOMS if not one.startswith("Room 13 ")]
    sentences.insert(place, WRONG)
    answer = " ".join(sentences)
    report = detectors[kind].check("What is shown?", [" ".join(ROOMS)], answer)
    wrong = answer.index("999")
    assert report.verdict == "hallucinated"
    assert any(span.start <= wrong < span.end and "number" in span.reasons for span in report.spans)
    assert "".join(token.text for token in report.tokens) == answer
    contradicted = [sentence.text for sentence in report.sentences if sentence.state == "contradicted"]
    assert contradicted == [WRONG]
    if kind == "fused":
        assert {note.code for note in report.notes} >= {"references_windowed", "answer_in_pieces"}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", [0, 11, 23], ids=["first", "in the middle", "last"])
@pytest.mark.parametrize("passages", [1, 25], ids=["one passage", "many passages"])
def test_evidence_is_found_at_every_position(
    detectors: dict[str, Detector], kind: str, place: int, passages: int
) -> None:
    """The references are several windows of the reader and many chunks; nothing of them is cut."""
    glacier = "The Orme glacier has lost 350 metres of its length since 1950."
    sentences = [*ROOMS[:place], glacier, *ROOMS[place:]]
    texts = sentences if passages > 1 else [" ".join(sentences)]
    good = detectors[kind].check("What is lost?", texts, glacier)
    bad = detectors[kind].check("What is lost?", texts, glacier.replace("350", "530"))
    assert not any(sentence.state == "contradicted" for sentence in good.sentences)
    assert [sentence.state for sentence in bad.sentences] == ["contradicted"]
    evidence = bad.spans[0].evidence[0]
    assert texts[evidence.reference][evidence.start : evidence.end] == evidence.text == glacier
