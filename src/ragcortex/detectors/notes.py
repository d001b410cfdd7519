"""What a report says about how an answer was read, or why it was not."""

from typing import Final

from ragcortex.bundle import Bundle
from ragcortex.example import Example
from ragcortex.geometry.embedders.embedder import FLOAT32, Embedder, dtype_of
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Reading
from ragcortex.report import Note, Unjudged

CLAIMS_NOTHING: Final = Note("claims_nothing", "The answer claims nothing that references could support.")


def nothing_to_check(example: Example) -> tuple[Unjudged, Note] | None:
    """Return the verdict and note of an example that cannot be judged, None if it can."""
    if not example.answer.strip():
        return "no_claim", Note("blank_answer", "The answer is blank: it claims nothing, so nothing was checked.")
    if not any(reference.text.strip() for reference in example.references):
        reason = "There are no references" if not example.references else "All references are blank"
        return "not_verifiable", Note("no_references", f"{reason}: there is nothing to check the answer against.")
    return None


def embedding_notes(embedder: Embedder) -> tuple[Note, ...]:
    """Return the note on an embedder that computes in less than float32, in which score models are fitted."""
    dtype = dtype_of(embedder)
    if dtype == FLOAT32:
        return ()
    text = (
        f"Embedded in {dtype}, which is coarser than the float32 the geometric scores were fitted on: similarities "
        "and scores may differ in the third decimal, and with them what lies at a threshold."
    )
    return (Note("precision", text),)


def reading_notes(reading: Reading, reader: Reader, bundle: Bundle) -> tuple[Note, ...]:
    """Return the notes on one reading: windows, pieces, memory, precision, thresholds of another reader."""
    notes = []
    if reading.n_windows > 1:
        notes.append(Note(
            "references_windowed",
            f"The references ({reading.n_reference_tokens:,} tokens) exceed the reader's window of {reader.window:,}: "
            f"they were read in {reading.n_windows} windows; each token counts by the one that supports it best.",
        ))  # fmt: skip
    if reading.n_pieces > 1:
        notes.append(Note(
            "answer_in_pieces",
            f"The answer ({len(reading.tokens):,} tokens) was read in {reading.n_pieces} overlapping pieces.",
        ))  # fmt: skip
    if reading.in_smaller_batch:
        notes.append(Note(
            "smaller_batches",
            "The memory did not suffice for all that was to be read at once, so the answer was read in smaller "
            "batches or alone, which changes no score beyond rounding.",
        ))  # fmt: skip
    fitted_dtype = bundle.reader.dtype if bundle.reader is not None else reader.dtype
    if reader.dtype not in ("float32", fitted_dtype):
        notes.append(Note(
            "precision",
            f"Read in {reader.dtype}, which is coarser than the {fitted_dtype} the detector was fitted on: scores may "
            "differ in the second decimal.",
        ))  # fmt: skip
    calibrated = bundle.calibration.reader_fingerprint
    if calibrated is not None and calibrated != reader.identity.fingerprint:
        notes.append(Note(
            "thresholds_of_another_reader",
            f"The thresholds were chosen with another reader than {reader.identity.id!r}: trust the order of the "
            "scores, and choose thresholds on labelled answers of your own before acting on the verdict.",
        ))  # fmt: skip
    return tuple(notes)
