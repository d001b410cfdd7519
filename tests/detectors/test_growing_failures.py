"""A reader that fails while an answer arrives: the other witness goes on, and the failure is said once."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import made_detectors as made
from ragcortex.detectors.incremental import IncrementalCheck
from ragcortex.errors import ReadingError
from ragcortex.readers._hf import decoder_layers
from ragcortex.readers.reader import Reader, ReaderOptions

QUESTION = "What is known of the lighthouse?"
REFERENCES = ["The lighthouse at Cape Arden was built in 1874.", "It stands 41 metres above the sea."]
# No sentence ends, so that what is there is read ahead of one.
AHEAD = "The lighthouse at Cape Arden, of which visitors say that it stands high above the sea, was built in 1874 " * 4


@pytest.fixture
def reader(tiny_reader_folder: Path) -> Reader:
    torch.set_num_threads(1)
    return Reader.load(str(tiny_reader_folder), options=ReaderOptions(prefix_bytes=10**8))


def _overflow(reader: Reader) -> str:
    """Let the reader give NaN from now on; return what its error says."""
    with torch.no_grad():
        decoder_layers(reader.loaded.model)[1].mlp.down_proj.weight.fill_(torch.nan)
    return "gave numbers that are not finite in float32"


def _fail(reader: Reader) -> str:
    """Let the reader raise from now on; return what its error says."""

    def fail(*_: object) -> None:
        raise RuntimeError("the device is gone")

    decoder_layers(reader.loaded.model)[1].register_forward_hook(fail)
    return "the device is gone"


faults = pytest.mark.parametrize("fault", [_overflow, _fail])


@faults
@pytest.mark.parametrize("when", ["prepare", "ahead", "sentence"])
def test_the_other_witness_goes_on(reader: Reader, fault: Callable[[Reader], str], when: str) -> None:
    check = IncrementalCheck(made.fused(made.internal(reader)), QUESTION, REFERENCES)
    said = fault(reader)
    if when == "prepare":
        check.prepare()
    progress = check.add(f"{AHEAD}." if when == "sentence" else AHEAD)
    progress = check.end() if when != "ahead" and not progress.notes else progress
    (note,) = progress.notes
    assert note.code == "witness_missing"
    assert note.text.startswith("The reader could not read: ")
    assert said in note.text
    assert check.add(" It stands 41 metres above the sea. ").notes == (), "it is said once"
    report = check.finish()
    assert "witness_missing" in [one.code for one in report.notes]
    assert report.score is not None


@faults
@pytest.mark.parametrize("strict", [True, False], ids=["both, strict", "the reader alone"])
def test_an_error_where_none_can_go_on(reader: Reader, fault: Callable[[Reader], str], strict: bool) -> None:
    internal = made.internal(reader)
    check = IncrementalCheck(made.fused(internal, strict=True) if strict else internal, QUESTION, REFERENCES)
    said = fault(reader)
    with pytest.raises(ReadingError, match=said):
        check.add(AHEAD)
    assert check.text == AHEAD
    with pytest.raises(ReadingError, match=said):
        check.finish()
