"""What reading costs for each method: time beside two bare passes over the same input, and what is kept of it."""

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

from ragcortex.benchmark.peak_memory import peak_memory
from ragcortex.errors import InputError
from ragcortex.example import Example
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Reading, ReadingSpec


@dataclass(frozen=True, slots=True)
class ReadingCost:
    """What one spec costs.

    Attributes:
        ratio: time over that of two passes through all layers that keep the last state alone; median over answers.
        seconds: median time an answer.
        kilobytes: mean size of the arrays kept, an answer.
        peak_megabytes: the memory that reading the longest of these answers took beyond what was held before, at its
            peak: of the accelerator where it reads there, else of the process; None where the system does not tell.
    """

    ratio: float
    seconds: float
    kilobytes: float
    peak_megabytes: float | None = None


def reading_costs(
    reader: Reader, examples: Sequence[Example], specs: Sequence[ReadingSpec]
) -> dict[ReadingSpec, ReadingCost]:
    """Return what each spec costs on these answers; one that reads nothing costs nothing.

    Answers are read one at a time, all specs in turn on the same answer, so that a machine that slows down for a while
    slows down all of them; one answer is read beforehand and not counted.

    Args:
        reader: reads them; nothing is taken from a store.
        examples: the answers, at least one.
        specs: what is read.

    Raises:
        InputError: there are no answers.
        ReadingError: a reading fails.
    """
    if not examples:
        raise InputError("costs", "needs at least one answer to time")
    bare = ReadingSpec(layers=(reader.identity.n_layers,))
    wanted = [spec for spec in dict.fromkeys(specs) if spec != ReadingSpec()]
    all_specs = tuple(dict.fromkeys((bare, *wanted)))
    seconds: dict[ReadingSpec, list[float]] = {spec: [] for spec in all_specs}
    sizes: dict[ReadingSpec, list[int]] = {spec: [] for spec in all_specs}
    peaks: dict[ReadingSpec, float | None] = {}
    for number, example in enumerate([examples[0], *examples]):
        for spec in all_specs:
            started = time.perf_counter()
            reading = reader.read_one(example, spec)
            if number:
                seconds[spec].append(time.perf_counter() - started)
                sizes[spec].append(_size(reading))
    longest = max(examples, key=lambda example: sum(len(one.text) for one in example.references) + len(example.answer))
    for spec in wanted:  # apart from the timing, which watching would disturb
        with peak_memory(reader.device) as peak:
            reader.read_one(longest, spec)
        peaks[spec] = peak.megabytes
    found = {ReadingSpec(): ReadingCost(0.0, 0.0, 0.0, 0.0)}
    for spec in wanted:
        ratios = [own / floor for own, floor in zip(seconds[spec], seconds[bare], strict=True)]
        kilobytes = statistics.fmean(sizes[spec]) / 1000
        found[spec] = ReadingCost(statistics.median(ratios), statistics.median(seconds[spec]), kilobytes, peaks[spec])
    return found


def _size(reading: Reading) -> int:
    """Return the bytes of a reading's arrays; those without references are shared by all windows of a piece."""
    total = 0
    for block in reading.blocks:
        arrays = [*block.ref.arrays().values(), *(block.noref.arrays().values() if block.window == 0 else ())]
        total += sum(array.nbytes for array in arrays)
    return total
