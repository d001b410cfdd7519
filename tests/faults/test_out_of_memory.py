"""Memory that runs out for several answers at once: fewer are read at a time, reports say so, one too long fails alone.

How much is too much is known exactly here: a pass over more than so many tokens fails, as torch's own do. That real
memory is real memory is tried at the end, in a process that may have little.
"""

import json
import logging
import os
import subprocess
import sys
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from made_detectors import attentive, fused, internal
from made_embedder import WordEmbedder
from made_geometry import made_model
from ragcortex.detectors.detector import Detector
from ragcortex.detectors.geometric import GeometricDetector
from ragcortex.detectors.internal import InternalDetector
from ragcortex.errors import OutOfMemoryError
from ragcortex.example import Example
from ragcortex.geometry.embedders.embedder import Embeddings
from ragcortex.geometry.embedders.forward import Matrix, Row
from ragcortex.geometry.embedders.location import locate
from ragcortex.geometry.embedders.sentence_transformer import SentenceTransformerEmbedder
from ragcortex.readers.memory import memory_ran_out
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.readers.reading import ReadingSpec
from ragcortex.service.judges import _Check, judged
from ragcortex.service.lane_detectors import LaneDetectors
from tiny_bert import save_tiny_bert

ERRORS = (
    torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 8 GiB."),
    RuntimeError("[enforce fail at alloc_cpu.cpp:121] err == 0. DefaultCPUAllocator: can't allocate memory: you tried"),
    RuntimeError("[enforce fail] data. DefaultCPUAllocator: not enough memory: you tried to allocate 9 bytes."),
    RuntimeError("MPS backend out of memory (MPS allocated: 4.25 GB)."),
    RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
    RuntimeError("std::bad_alloc"),
    MemoryError(),
)
STATES = ReadingSpec(layers=(2, 3))
ALL = ReadingSpec(layers=(3,), attention_layers=None, log_probs=True)
WAYS = {
    "packed": (STATES, ReaderOptions(batch_tokens=4096)),
    "packed with attention": (ALL, ReaderOptions(batch_tokens=4096)),
    "padded": (ALL, ReaderOptions(batch_tokens=4096, share_prefixes=False)),
    "padded on the left": (ALL, ReaderOptions(batch_tokens=4096, share_prefixes=False, padding_side="left")),
    "continued": (STATES, ReaderOptions(batch_tokens=4096, prefix_bytes=10_000_000)),
}
EXAMPLES = [
    Example.of("When?", [f"It was built in {year} by Mary Holt."], f"It was built in {year}, at sea. " * (1 + year % 3))
    for year in range(1800, 1809)
]
TOO_LONG = Example.of("When?", ["It was built in 1874 by Mary Holt."], "It was built in 1874, at sea. " * 25)
NOTE = "smaller_batches"


@contextmanager
def room_for(reader: Reader, n_tokens: int, error: BaseException = ERRORS[0]) -> Iterator[list[int]]:
    """Let passes over more tokens fail with the error; give the sizes of those that are tried."""
    tried: list[int] = []

    def check(_module: Any, _arguments: Any, values: dict[str, Any]) -> None:
        tried.append(values["input_ids"].numel())
        if tried[-1] > n_tokens:
            raise error

    handle = reader.loaded.model.get_decoder().register_forward_pre_hook(check, with_kwargs=True)
    try:
        yield tried
    finally:
        handle.remove()


@pytest.fixture(scope="module")
def loaded(tiny_reader_folder: Path) -> Reader:
    return Reader.load(str(tiny_reader_folder))


@pytest.fixture(scope="module")
def witness(loaded: Reader) -> InternalDetector:
    return internal(loaded)


def assert_same(got: Any, expected: Any) -> None:
    for mine, theirs in zip(got.blocks, expected.blocks, strict=True):
        for one, other in ((mine.ref, theirs.ref), (mine.noref, theirs.noref)):
            assert one.arrays().keys() == other.arrays().keys()
            for name, array in one.arrays().items():
                np.testing.assert_allclose(array, other.arrays()[name], atol=1e-4)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: f"{type(error).__name__} {str(error)[:24]}")
def test_every_way_of_saying_it_is_understood(error: BaseException) -> None:
    assert memory_ran_out(error)
    assert not memory_ran_out(RuntimeError("mat1 and mat2 shapes cannot be multiplied (3x4 and 5x6)"))
    assert not memory_ran_out(ValueError("out of memory"))


@pytest.mark.parametrize("way", WAYS)
def test_smaller_batches_give_the_same_readings_and_say_so(
    loaded: Reader, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    spec, options = WAYS[way]
    reader = Reader(loaded.loaded, template=loaded.template, options=options)
    whole = list(Reader(loaded.loaded, template=loaded.template, options=options).read(EXAMPLES, spec))
    assert not any(reading.in_smaller_batch for reading in whole)

    with caplog.at_level(logging.WARNING, "ragcortex"), room_for(reader, 128) as tried:
        readings = list(reader.read(EXAMPLES, spec))
    assert max(tried) > 128
    for got, expected in zip(readings, whole, strict=True):
        assert_same(got, expected)
    assert any(reading.in_smaller_batch for reading in readings)
    assert "memory ran out for " in caplog.text
    assert not any(reading.in_smaller_batch for reading in reader.read(EXAMPLES, spec)), "memory is back"


@pytest.mark.parametrize("error", ERRORS[-2:], ids=lambda error: type(error).__name__)
def test_one_answer_too_long_fails_alone(witness: InternalDetector, error: BaseException) -> None:
    usual = [outcome.report for outcome in witness.check_many(EXAMPLES)]
    with room_for(witness.reader, 128, error):
        outcomes = list(witness.check_many([*EXAMPLES[:4], TOO_LONG, *EXAMPLES[4:]]))
    failed = outcomes.pop(4)
    assert isinstance(failed.error, OutOfMemoryError)
    assert str(failed.error).startswith("the memory does not suffice for one pass over up to ")
    assert str(failed.error).endswith("; use a smaller window, a smaller reader or a machine with more memory")
    for outcome, expected in zip(outcomes, usual, strict=True):
        assert outcome.report is not None, outcome.error
        assert expected is not None
        assert [note.code for note in outcome.report.notes] == [NOTE]
        got, without = ([token.score for token in report.tokens] for report in (outcome.report, expected))
        assert got == pytest.approx(without, abs=1e-4)
        assert expected.notes == ()


def test_the_fusion_leaves_what_does_not_fit_to_the_other_witness_visibly(witness: InternalDetector) -> None:
    examples = [*EXAMPLES[:2], TOO_LONG]
    with room_for(witness.reader, 128):
        *rest, last = fused(witness).check_many(examples)
        alone = list(fused(witness, strict=True).check_many(examples))
    assert [NOTE in [note.code for note in outcome.report.notes] for outcome in rest if outcome.report] == [True, True]
    assert last.report is not None
    assert last.report.notes[0].code == "witness_missing"
    assert last.report.notes[0].text.startswith("The reader could not read: the memory does not suffice for one pass ")
    assert [type(outcome.error) for outcome in alone] == [type(None), type(None), OutOfMemoryError]


def test_the_service_answers_the_others(loaded: Reader) -> None:
    lane = LaneDetectors({"internal": attentive(loaded)}, WordEmbedder())
    with room_for(loaded, 128):
        found = judged(lane, [_Check(example, "internal", None) for example in (*EXAMPLES, TOO_LONG)])
    assert isinstance(found[-1], OutOfMemoryError)
    assert [[note.code for note in report.notes] for report in found[:-1]] == [[NOTE]] * len(EXAMPLES)


def test_kept_prefixes_make_room(loaded: Reader) -> None:
    reader = Reader(loaded.loaded, template=loaded.template, options=ReaderOptions(prefix_bytes=10_000_000))
    usual, _ = reader.read(EXAMPLES[:2], STATES)
    assert len(reader.prefixes) == 3

    def full(*_: Any) -> None:
        if len(reader.prefixes) > 1:
            raise ERRORS[1]

    handle = reader.loaded.model.get_decoder().register_forward_pre_hook(full)
    try:
        reading = reader.read_one(EXAMPLES[0], STATES)
    finally:
        handle.remove()
    assert_same(reading, usual)


def test_nothing_of_a_failed_pass_is_held_while_smaller_ones_are_read(witness: InternalDetector) -> None:
    left: list[weakref.ref[torch.Tensor]] = []

    def check(_module: Any, arguments: Any, output: Any) -> None:
        assert all(kept() is None for kept in left), "what failed before takes memory from what is tried now"
        if output.shape[0] * output.shape[1] > 128:
            left.append(weakref.ref(output))
            raise torch.OutOfMemoryError("CUDA out of memory.")

    handle = witness.reader.loaded.model.get_decoder().embed_tokens.register_forward_hook(check)
    try:
        outcomes = list(witness.check_many([*EXAMPLES, TOO_LONG, EXAMPLES[0]]))
    finally:
        handle.remove()
    assert len(left) > 3
    assert [outcome.error is None for outcome in outcomes] == [True] * 9 + [False, True]


class Forgetful(WordEmbedder):
    """An embedder that runs out of memory where a text speaks of the sea."""

    def embed(self, texts: Sequence[str]) -> Embeddings:
        if any("the sea" in text for text in texts):
            raise MemoryError
        return super().embed(texts)


def test_memory_that_runs_out_anywhere_else_costs_one_answer() -> None:
    detector: Detector = GeometricDetector(made_model(), Forgetful())
    deep = Example.of(None, ["It stands by the sea."], "It stands by the sea.")
    outcomes = list(detector.check_many([EXAMPLES[0], deep, EXAMPLES[1]]))
    assert [outcome.error is None for outcome in outcomes] == [True, False, True]
    assert isinstance(outcomes[1].error, OutOfMemoryError)
    assert str(outcomes[1].error) == "the memory does not suffice to judge this answer"


@pytest.mark.parametrize("packed", [True, False])
def test_texts_are_embedded_in_smaller_batches(
    tmp_path: Path, packed: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    texts = [f"the lighthouse was built in {1800 + n}" + " and stands by the sea" * (n % 4) for n in range(30)]
    folder = save_tiny_bert(tmp_path / "bert", texts, seed=7, layers=2, heads=4, hidden=48, limit=24, unit=True)
    embedder = SentenceTransformerEmbedder(locate(str(folder)), device="cpu")
    if not packed:
        embedder._model = replace(embedder._model, packed=None)
    usual = embedder.embed(texts)
    own, most = embedder._pass, [100]

    def limited(rows: Sequence[Row]) -> Matrix:
        if sum(map(len, rows)) > most[0]:
            raise ERRORS[1]
        return own(rows)

    monkeypatch.setattr(embedder, "_pass", limited)
    with caplog.at_level(logging.WARNING, "ragcortex"):
        found = embedder.embed(texts)
    np.testing.assert_allclose(found.unit, usual.unit, atol=1e-6)
    np.testing.assert_allclose(found.norms, usual.norms, rtol=1e-5)
    assert "memory ran out for " in caplog.text
    most[0] = 5
    with pytest.raises(OutOfMemoryError, match=r"^the memory does not suffice to embed a text of up to \d+ tokens by "):
        embedder.embed(texts)


_LITTLE_MEMORY = """
import json, logging, resource, sys
import torch
torch.set_num_threads(1)
sys.path.insert(0, sys.argv[2])
from made_detectors import attentive
from ragcortex.example import Example
from ragcortex.readers.reader import Reader, ReaderOptions
logging.basicConfig(format="%(message)s")
reader = Reader.load(sys.argv[1], device="cpu", options=ReaderOptions(batch_tokens=60_000, share_prefixes=False))
detector = attentive(reader)
answer = "It was built in 1874, at sea. " * 20
examples = [Example.of(str(n), [f"It was built in {n}. " * 40], answer) for n in range(60)]
detector.check_example(examples[0])
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 50_000_000, used + 50_000_000))
outcomes = list(detector.check_many(examples))
print(json.dumps([[str(outcome.error or ""), [note.code for note in outcome.report.notes] if outcome.report else []]
                  for outcome in outcomes]))
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux, which limits a process's memory")
def test_a_process_with_little_memory_judges_all(tiny_reader_folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LITTLE_MEMORY, str(tiny_reader_folder), str(Path(__file__).parents[1])],
        capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    outcomes = json.loads(done.stdout)
    assert len(outcomes) == 60
    judged_notes = [notes for error, notes in outcomes if not error]
    assert judged_notes
    assert all(notes == [NOTE] for notes in judged_notes)
    assert all(error.startswith("the memory does not suffice for one pass ") for error, _ in outcomes if error)
    assert "memory ran out for " in done.stderr
