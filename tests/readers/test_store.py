"""Readings on disk: bit-equal, found by everything that changes them, safe to interrupt and to damage."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragcortex.errors import StoreError
from ragcortex.example import Example, Reference
from ragcortex.readers import reader as reader_module
from ragcortex.readers.prompts import PromptTemplate
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.readers.reading import Reading, ReadingSpec
from ragcortex.readers.store import ReadingStore

SPEC = ReadingSpec(layers=(1, 3), attention_layers=None, log_probs=True)
EXAMPLES = [Example.of("Where?", ["At sea.", "In 1874."], f"It is number {index}. 灯台") for index in range(5)]
LONG = Example.of("Where?", [f"Passage {index} about the sea. " * 4 for index in range(12)], "It stands here. " * 40)


class CountingReader(Reader):
    """A reader that notes what it reads, and can be interrupted."""

    def __init__(self, reader: Reader, options: ReaderOptions | None = None) -> None:
        super().__init__(reader.loaded, template=reader.template, options=options)
        self.answers: list[str] = []
        self.stop_at: str | None = None

    def read(self, examples: Iterable[Example], spec: ReadingSpec) -> Iterator[Reading]:
        for example in examples:
            if example.answer == self.stop_at:
                raise KeyboardInterrupt
            self.answers.append(example.answer)
            yield from super().read([example], spec)


@pytest.fixture(scope="module")
def tiny(tiny_reader_folder: Path) -> Reader:
    return Reader.load(str(tiny_reader_folder))


@pytest.fixture
def reader(tiny: Reader) -> CountingReader:
    return CountingReader(tiny)


@pytest.fixture
def store(tmp_path: Path) -> ReadingStore:
    return ReadingStore(tmp_path / "readings")


def assert_bit_equal(got: Reading, expected: Reading) -> None:
    assert got.tokens == expected.tokens
    assert (got.n_windows, got.n_reference_tokens) == (expected.n_windows, expected.n_reference_tokens)
    for block, other in zip(got.blocks, expected.blocks, strict=True):
        assert (block.start, block.stop, block.keep, block.window) == (
            other.start,
            other.stop,
            other.keep,
            other.window,
        )
        for mine, theirs in ((block.ref, other.ref), (block.noref, other.noref)):
            assert mine.arrays().keys() == theirs.arrays().keys()
            for name, array in mine.arrays().items():
                assert array.dtype == np.float32
                np.testing.assert_array_equal(array, theirs.arrays()[name])


def files(store: ReadingStore) -> list[Path]:
    return sorted(path for path in store.folder.rglob("*") if path.is_file() and path.name != "specs.json")


def test_round_trip_is_bit_equal(store: ReadingStore, tiny: Reader) -> None:
    reader = CountingReader(tiny, ReaderOptions(window=256))
    examples = [*EXAMPLES, LONG]
    fresh = list(store.read(reader, examples, SPEC))
    assert fresh[-1].n_windows > 1
    assert fresh[-1].n_pieces > 1
    stored = list(store.read(reader, examples, SPEC))
    assert reader.answers == [example.answer for example in examples]
    for got, expected in zip(stored, fresh, strict=True):
        assert_bit_equal(got, expected)


def test_examples_may_come_twice_and_in_any_order(store: ReadingStore, reader: CountingReader) -> None:
    first, second = EXAMPLES[:2]
    readings = list(store.read(reader, [first, second, first, first], SPEC))
    assert reader.answers == [first.answer, second.answer]
    assert [reading.tokens.text for reading in readings] == [e.answer for e in (first, second, first, first)]
    assert [r.tokens.text for r in store.read(reader, [second, first], SPEC)] == [second.answer, first.answer]
    assert len(reader.answers) == 2
    assert store.holds(reader, first, SPEC)
    assert not store.holds(reader, EXAMPLES[2], SPEC)


def test_an_interrupted_run_goes_on_where_it_stopped(store: ReadingStore, reader: CountingReader) -> None:
    reader.stop_at = EXAMPLES[3].answer
    with pytest.raises(KeyboardInterrupt):
        list(store.read(reader, EXAMPLES, SPEC))
    assert len(files(store)) == 3
    reader.stop_at = None
    reader.answers.clear()
    assert len(list(store.read(reader, EXAMPLES, SPEC))) == 5
    assert reader.answers == [example.answer for example in EXAMPLES[3:]]


def _changed_readers(tiny: Reader) -> dict[str, Reader]:
    def variant(**changes: Any) -> Reader:
        loaded = tiny._loaded
        identity = replace(loaded.identity, fingerprint=changes.get("fingerprint", loaded.identity.fingerprint))
        return Reader(
            replace(loaded, identity=identity, dtype=changes.get("dtype", "float32")),
            template=changes.get("template", tiny.template),
            options=ReaderOptions(window=changes.get("window")),
        )

    return {
        "fingerprint": variant(fingerprint="f" * 64),
        "dtype": variant(dtype="bfloat16"),
        "window": variant(window=300),
        "template": variant(template=PromptTemplate("raw")),
        "wording": variant(template=PromptTemplate("chat", "Q: {question}\n{references}")),
        "other wording": variant(template=PromptTemplate("chat", without_references="Q: {question}")),
    }


@pytest.mark.parametrize("what", ["fingerprint", "dtype", "window", "template", "wording", "other wording"])
def test_another_reader_is_another_reading(store: ReadingStore, tiny: Reader, what: str) -> None:
    list(store.read(tiny, EXAMPLES[:1], SPEC))
    assert store.holds(tiny, EXAMPLES[0], SPEC)
    assert not store.holds(_changed_readers(tiny)[what], EXAMPLES[0], SPEC)


@pytest.mark.parametrize(
    "changed",
    [
        replace(EXAMPLES[0], question="Where is it?"),
        replace(EXAMPLES[0], question=None),
        replace(EXAMPLES[0], answer=EXAMPLES[0].answer + " "),
        replace(EXAMPLES[0], references=EXAMPLES[0].references[::-1]),
        replace(EXAMPLES[0], references=(Reference("At sea. In 1874."),)),
    ],
    ids=["question", "no question", "answer", "order of references", "division of references"],
)
def test_another_example_is_another_reading(store: ReadingStore, tiny: Reader, changed: Example) -> None:
    list(store.read(tiny, EXAMPLES[:1], SPEC))
    assert not store.holds(tiny, changed, SPEC)


@pytest.mark.parametrize(
    "changed",
    [
        replace(SPEC, layers=(0, 1, 2, 3)),
        replace(SPEC, final_norm=True),
        replace(SPEC, attention_layers=(1, 2)),
        replace(SPEC, attention_heads=(0,)),
    ],
    ids=["layers", "norm", "attention layers", "heads"],
)
def test_another_spec_is_another_reading(store: ReadingStore, tiny: Reader, changed: ReadingSpec) -> None:
    list(store.read(tiny, EXAMPLES[:1], SPEC))
    assert not store.holds(tiny, EXAMPLES[0], changed)


def test_a_damaged_wider_reading_is_not_replaced_by_a_narrower_one(store: ReadingStore, reader: CountingReader) -> None:
    (fresh,) = store.read(reader, EXAMPLES[:1], SPEC)
    (wide,) = files(store)
    wide.write_bytes(b"damaged")
    (narrow,) = store.read(reader, EXAMPLES[:1], ReadingSpec(layers=(1,)))
    assert narrow.blocks[0].ref.arrays().keys() == {"hidden.1"}
    assert not wide.exists()
    (again,) = store.read(reader, EXAMPLES[:1], SPEC)
    assert_bit_equal(again, fresh)
    assert len(reader.answers) == 3


@pytest.mark.parametrize("content", ["", "[", "{}", "[1]", '[{"layers": 3}]', '[{"unknown": 1}]'])
def test_a_damaged_list_of_specs_costs_only_readings(store: ReadingStore, reader: CountingReader, content: str) -> None:
    list(store.read(reader, EXAMPLES[:1], SPEC))
    (store.folder / "specs.json").write_text(content)
    assert store.holds(reader, EXAMPLES[0], SPEC)
    assert not store.holds(reader, EXAMPLES[0], replace(SPEC, layers=(3,)))
    assert len(list(store.read(reader, EXAMPLES[:1], replace(SPEC, layers=(3,))))) == 1


def test_other_libraries_are_another_reading(
    store: ReadingStore, tiny: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    list(store.read(tiny, EXAMPLES[:1], SPEC))
    monkeypatch.setattr(reader_module, "library_versions", lambda: {"torch": "0"})
    assert not store.holds(tiny, EXAMPLES[0], SPEC)


def test_what_does_not_change_a_reading_does_not_change_its_key(store: ReadingStore, tiny: Reader) -> None:
    list(store.read(tiny, EXAMPLES[:1], SPEC))
    same = replace(
        EXAMPLES[0], id="x", label=0, group="g", references=(Reference("At sea.", "1", "s"), Reference("In 1874."))
    )
    batched = Reader(tiny._loaded, options=ReaderOptions(batch_tokens=7, padding_side="left", group_size=1))
    assert store.holds(batched, same, SPEC)


@pytest.mark.parametrize("damage", ["empty", "truncated", "text", "header", "other tokens"])
def test_a_damaged_file_is_read_anew(store: ReadingStore, reader: CountingReader, damage: str) -> None:
    (fresh,) = store.read(reader, EXAMPLES[:1], SPEC)
    (path,) = files(store)
    content = path.read_bytes()
    other = content.replace(b'"ids":"[', b'"ids":"[9, ')
    damaged = {
        "empty": b"",
        "truncated": content[: len(content) // 2],
        "text": b"not tensors at all",
        "header": b"\xff" * 8 + content[8:],
        "other tokens": (int.from_bytes(content[:8], "little") + 3).to_bytes(8, "little") + other[8:],
    }
    path.write_bytes(damaged[damage])
    (again,) = store.read(reader, EXAMPLES[:1], SPEC)
    assert reader.answers == [EXAMPLES[0].answer] * 2
    assert_bit_equal(again, fresh)
    assert files(store) == [path]
    (stored,) = store.read(reader, EXAMPLES[:1], SPEC)
    assert len(reader.answers) == 2
    assert_bit_equal(stored, fresh)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError) as caught:
        ReadingStore(tmp_path / "file" / "readings")
    folder = str(tmp_path / "file" / "readings")
    assert str(caught.value) == f"the folder of readings {folder!r} cannot be made: Not a directory"


def test_a_file_in_the_way_of_writing(store: ReadingStore, reader: CountingReader) -> None:
    list(store.read(reader, EXAMPLES[:1], SPEC))
    (path,) = files(store)
    path.unlink()
    path.parent.rmdir()
    path.parent.write_text("in the way")
    with pytest.raises(StoreError) as caught:
        list(store.read(reader, EXAMPLES[:1], SPEC))
    assert str(caught.value) == (
        f"a reading cannot be written to {str(store.folder)!r}: [Errno 17] File exists: {str(path.parent)!r}"
    )


def test_a_disk_that_refuses(store: ReadingStore, reader: CountingReader) -> None:
    """safetensors has an error of its own for a file it cannot write, as when the disk is full."""
    list(store.read(reader, EXAMPLES[:1], SPEC))
    (path,) = files(store)
    path.unlink()
    path.with_suffix(f".{os.getpid()}.tmp").mkdir()
    with pytest.raises(StoreError) as caught:
        list(store.read(reader, EXAMPLES[:1], SPEC))
    assert str(caught.value).startswith(f"a reading cannot be written to {str(store.folder)!r}: ")
    assert "directory" in str(caught.value)
    assert files(store) == []
