"""Several answers read together, and what becomes of each where that fails."""

from collections.abc import Sequence
from dataclasses import replace

from ragcortex.errors import OutOfMemoryError, RagcortexError
from ragcortex.example import Example
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Reading, ReadingSpec


def group_readings(reader: Reader, examples: Sequence[Example], spec: ReadingSpec) -> list[Reading | RagcortexError]:
    """Return the reading of each example, or the error that it alone has.

    They are read together; where that fails one by one, so that only those fail which cannot be read.
    """
    try:
        return list(reader.read(examples, spec))
    except RagcortexError as error:
        ran_out = isinstance(error, OutOfMemoryError)
    return [_alone(reader, example, spec, ran_out=ran_out) for example in examples]


def _alone(reader: Reader, example: Example, spec: ReadingSpec, *, ran_out: bool) -> Reading | RagcortexError:
    try:
        reading = reader.read_one(example, spec)
    except RagcortexError as error:
        return error
    return replace(reading, in_smaller_batch=reading.in_smaller_batch or ran_out)
