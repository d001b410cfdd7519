"""Hundreds of mixed readings in one process: the same numbers at the end as at the beginning, and no more memory."""

import gc
import hashlib
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from ragcortex.example import Example, Reference
from ragcortex.readers.growing_answer import GrowingAnswer
from ragcortex.readers.memory import return_freed_memory
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.readers.reading import Reading, ReadingSpec

QUESTION = "Where is the lighthouse?"
SENTENCES = (
    "The lighthouse at Cape Arden was built in 1874.", "It stands 41 metres above the sea.",
    "灯台は海の上に立っている。", "It was designed by the engineer Mary Holt.",
    "5.9 million people visited it in 2019.", "In 1874.",
)  # fmt: skip
STATES = ReadingSpec(layers=(1, 3))
FULL = ReadingSpec(layers=(0, 2, 4), attention_layers=None, log_probs=True)
MEASURED = ReadingSpec(layers=(2,), measures=("icr", "lookback"))
OPTIONS: tuple[tuple[ReaderOptions, ReadingSpec], ...] = (
    (ReaderOptions(), FULL),
    (ReaderOptions(), STATES),
    (ReaderOptions(share_prefixes=False), FULL),
    (ReaderOptions(share_prefixes=False, padding_side="left"), MEASURED),
    (ReaderOptions(window=256), FULL),
    (ReaderOptions(prefix_bytes=200_000), STATES),  # room for a few prefixes: they come and go
)
_N_ROUNDS = 8
_N_GROUPS = 3


def _group(number: int) -> list[Example]:
    """Return a few answers of different lengths, the same for the same number."""
    random = np.random.default_rng(number)
    return [
        Example.of(
            QUESTION,
            random.choice(SENTENCES, int(random.integers(1, 12))).tolist(),
            " ".join(random.choice(SENTENCES, int(random.integers(1, 9)))),
        )
        for _ in range(3)
    ]


def _digest(readings: Iterator[Reading] | list[Reading]) -> str:
    digest = hashlib.sha256()
    for reading in readings:
        for block in reading.blocks:
            for passed in (block.ref, block.noref):
                for name, array in sorted(passed.arrays().items()):
                    digest.update(name.encode() + array.tobytes())
    return digest.hexdigest()


def _grown(reader: Reader, example: Example) -> list[Reading]:
    grows = GrowingAnswer(reader, QUESTION, [Reference(one.text) for one in example.references], STATES)
    for end in range(10, len(example.answer), 30):
        grows.stretch(example.answer[:end], 0, end)
    reading = grows.whole(example)
    assert reading is not None
    return [reading]


def _round(readers: list[tuple[Reader, ReadingSpec]]) -> tuple[list[str], int]:
    """Return the digests of many different readings, and how many answers they are of."""
    groups = [_group(number) for number in range(_N_GROUPS)]
    digests = [_digest(reader.read(group, spec)) for (reader, spec), group in itertools.product(readers, groups)]
    digests += [_digest(_grown(readers[0][0], group[0])) for group in groups]
    return digests, len(readers) * sum(map(len, groups)) + len(groups)


def _resident() -> int:
    gc.collect()
    return_freed_memory()
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * 4096


@pytest.fixture
def reader(tiny_reader_folder: Path) -> Reader:
    return Reader.load(str(tiny_reader_folder), device="cpu")


def test_hundreds_of_readings_stay_bit_identical_and_flat(reader: Reader) -> None:
    """On one thread a reading depends on what it is given alone, and not on what was read or kept before it."""
    readers = [(Reader(reader.loaded, options=options), spec) for options, spec in OPTIONS]
    first, n_answers = _round(readers)
    _round(readers)
    linux = sys.platform.startswith("linux")
    before = _resident() if linux else 0
    n_read = 2 * n_answers
    for _ in range(_N_ROUNDS - 2):
        again, n_answers = _round(readers)
        assert again == first
        n_read += n_answers
    assert n_read > 400
    if linux:
        assert _resident() - before < 30_000_000


def test_another_process_gives_the_same_bits(reader: Reader, tiny_reader_folder: Path) -> None:
    """A reader that is loaded anew, and first reads other answers, gives what this one gives."""
    other = Reader.load(str(tiny_reader_folder), device="cpu")
    list(other.read(_group(7), FULL))
    assert _digest(other.read(_group(0), FULL)) == _digest(reader.read(_group(0), FULL))


@pytest.mark.parametrize("option", range(len(OPTIONS)))
def test_two_threads_read_what_one_reads(reader: Reader, option: int) -> None:
    options, spec = OPTIONS[option]
    readings = []
    before = torch.get_num_threads()
    for n_threads in (1, 2):
        torch.set_num_threads(n_threads)
        try:
            mine = Reader(reader.loaded, options=options)
            readings.append([reading for number in range(_N_GROUPS) for reading in mine.read(_group(number), spec)])
        finally:
            torch.set_num_threads(before)
    _assert_close(readings[1], readings[0], 1e-5)


@pytest.mark.weights
def test_two_threads_read_what_one_reads_with_real_weights() -> None:
    reader = Reader.load("embedded", device="cpu", dtype="float32")
    spec = ReadingSpec(layers=(10, 20, 30), attention_layers=None, log_probs=True)
    readings = []
    before = torch.get_num_threads()
    for n_threads in (1, 2):
        torch.set_num_threads(n_threads)
        try:
            readings.append(list(reader.read(_group(1), spec)))
        finally:
            torch.set_num_threads(before)
    _assert_close(readings[1], readings[0], 1e-4)


def _assert_close(got: list[Reading], expected: list[Reading], tolerance: float) -> None:
    for one, other in zip(got, expected, strict=True):
        for mine, theirs in zip(one.blocks, other.blocks, strict=True):
            for passed, right in ((mine.ref, theirs.ref), (mine.noref, theirs.noref)):
                for name, array in passed.arrays().items():
                    scale = max(1.0, float(np.abs(right.arrays()[name]).max()))
                    np.testing.assert_allclose(
                        array / scale, right.arrays()[name] / scale, atol=tolerance, rtol=0, err_msg=name
                    )
