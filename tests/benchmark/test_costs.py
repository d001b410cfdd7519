"""What reading costs: every kind timed on the same answers, and memory at its peak."""

import sys
from pathlib import Path

import numpy as np
import pytest

from labelled_sources import labelled_sources
from ragcortex.benchmark.costs import ReadingCost, reading_costs
from ragcortex.benchmark.peak_memory import peak_memory
from ragcortex.errors import InputError
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec


def test_every_kind_of_reading_is_timed_once(tiny_reader_folder: Path) -> None:
    reader = Reader.load(str(tiny_reader_folder))
    bare, full = ReadingSpec(layers=(4,)), ReadingSpec(layers=(2, 3), attention_layers=None, log_probs=True)
    costs = reading_costs(reader, labelled_sources(2)[:3], [full, bare, full, ReadingSpec()])
    assert set(costs) == {full, bare, ReadingSpec()}
    assert costs[ReadingSpec()] == ReadingCost(0.0, 0.0, 0.0, 0.0)
    assert costs[bare].ratio == 1.0
    assert costs[full].seconds > 0
    n_tokens = np.mean([len(reader.tokenize(one.answer)) for one in labelled_sources(2)[:3]])
    assert costs[bare].kilobytes == pytest.approx(2 * 32 * 4 * n_tokens / 1000)


def test_there_must_be_an_answer(tiny_reader_folder: Path) -> None:
    with pytest.raises(InputError) as caught:
        reading_costs(Reader.load(str(tiny_reader_folder)), [], [ReadingSpec(layers=(1,))])
    assert str(caught.value) == "costs: needs at least one answer to time"


@pytest.mark.skipif(sys.platform != "linux", reason="the process's memory is read from /proc")
def test_the_peak_is_seen_although_it_is_given_back() -> None:
    with peak_memory("cpu") as peak:
        block = np.ones(25_000_000, dtype=np.float32)
        total = float(block.sum())
        del block
    assert total == 25_000_000
    assert peak.megabytes is not None
    assert peak.megabytes > 80
    with peak_memory("cpu") as small:
        pass
    assert small.megabytes is not None
    assert small.megabytes < 50
