"""One reading serves every detector whose spec it covers, and only those."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragcortex.example import Example
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec
from ragcortex.readers.store import ReadingStore

WIDE = ReadingSpec(layers=(1, 2, 4), attention_layers=None, log_probs=True)
EXAMPLE = Example.of("Where is it?", ["The lighthouse is at Cape Arden."], "It is at Cape Arden.")


@pytest.mark.parametrize(
    ("other", "covered"),
    [
        (WIDE, True),
        (ReadingSpec(), True),
        (ReadingSpec(layers=(2,)), True),
        (ReadingSpec(layers=(2,), attention_layers=None), True),
        (ReadingSpec(log_probs=True), True),
        (ReadingSpec(layers=(3,)), False),
        (ReadingSpec(layers=(2,), final_norm=True), False),
        (ReadingSpec(final_norm=True, log_probs=True), True),
        (ReadingSpec(attention_layers=(1, 2)), False),
        (ReadingSpec(attention_layers=None, attention_heads=(0,)), False),
    ],
)
def test_a_spec_covers_another_if_it_holds_the_same_arrays(other: ReadingSpec, covered: bool) -> None:
    assert WIDE.covers(other) == covered


def test_a_narrower_detector_reads_nothing_anew(
    tiny_reader_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader, store = Reader.load(str(tiny_reader_folder)), ReadingStore(tmp_path)
    wide = next(store.read(reader, [EXAMPLE], WIDE))
    narrow = ReadingSpec(layers=(2,), attention_layers=None)
    alone = reader.read_one(EXAMPLE, narrow)
    assert store.holds(reader, EXAMPLE, narrow)

    def unread(*_: Any, **__: Any) -> Any:
        raise AssertionError("read anew")

    monkeypatch.setattr(Reader, "_run", unread)
    found = next(store.read(reader, [EXAMPLE], narrow))
    np.testing.assert_array_equal(found.blocks[0].ref.hidden[2], wide.blocks[0].ref.hidden[2])
    np.testing.assert_allclose(found.blocks[0].ref.hidden[2], alone.blocks[0].ref.hidden[2], atol=1e-5)
    np.testing.assert_allclose(found.blocks[0].ref.attention, alone.blocks[0].ref.attention, atol=1e-6)
    with pytest.raises(AssertionError, match="read anew"):
        next(store.read(reader, [EXAMPLE], ReadingSpec(layers=(3,))))


def test_a_damaged_list_of_specs_only_costs_readings(tiny_reader_folder: Path, tmp_path: Path) -> None:
    reader, store = Reader.load(str(tiny_reader_folder)), ReadingStore(tmp_path)
    next(store.read(reader, [EXAMPLE], WIDE))
    (tmp_path / "specs.json").write_text("[{", encoding="utf-8")
    assert store.holds(reader, EXAMPLE, WIDE)
    assert not store.holds(reader, EXAMPLE, ReadingSpec(layers=(2,)))
