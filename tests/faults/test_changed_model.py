"""Model files that are written to, cut off or deleted while they are in use: what is loaded stays what it was."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from made_detectors import attentive
from made_embedder import WordEmbedder
from ragcortex.errors import ModelError
from ragcortex.example import Example
from ragcortex.geometry.embedders import parts
from ragcortex.geometry.embedders.location import EmbedderLocation, locate
from ragcortex.geometry.embedders.sentence_transformer import SentenceTransformerEmbedder
from ragcortex.readers.reader import Reader
from ragcortex.service.judges import _Check, judged
from ragcortex.service.lane_detectors import LaneDetectors
from tiny_bert import save_tiny_bert

EXAMPLES = [Example.of("When?", ["It was built in 1874."], f"It was built in {year}.") for year in range(1870, 1876)]
TEXTS = ["the lighthouse was built by the sea", "the museum is closed in winter"]


def overwritten(file: Path) -> None:
    """Write other numbers into the file, in place, as `cp` onto it does."""
    size = file.stat().st_size
    with file.open("r+b") as opened:
        opened.seek(size // 3)
        opened.write(np.random.default_rng(0).bytes(size - size // 3))


def cut_off(file: Path) -> None:
    with file.open("r+b") as opened:
        opened.truncate(100)


CHANGES = (overwritten, cut_off, Path.unlink)


def assert_not_mapped(file: Path) -> None:
    """Refuse a file whose pages are in use: reading what was cut off would end this process with SIGBUS."""
    maps = Path("/proc/self/maps")
    assert not maps.exists() or str(file) not in maps.read_text()


@pytest.mark.parametrize("change", CHANGES)
def test_a_running_service_reads_with_what_it_loaded(
    tiny_reader_folder: Path, tmp_path: Path, change: Callable[[Path], object]
) -> None:
    folder = Path(shutil.copytree(tiny_reader_folder, tmp_path / "reader"))
    detector = attentive(Reader.load(str(folder), device="cpu"))
    lane = LaneDetectors({"internal": detector}, WordEmbedder())
    checks = [_Check(example, "internal", None) for example in EXAMPLES]
    before = [report.to_dict() for report in judged(lane, checks)]

    assert_not_mapped(folder / "model.safetensors")
    change(folder / "model.safetensors")
    assert [report.to_dict() for report in judged(lane, checks)] == before, "scores and fingerprints, to the last bit"
    try:
        started_again = Reader.load(str(folder), device="cpu").identity.fingerprint
    except ModelError:
        return
    assert started_again != detector.info.reader_fingerprint


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("way", ["library", "files"])
def test_an_embedder_goes_on_with_what_it_loaded(
    tmp_path: Path, way: str, change: Callable[[Path], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = save_tiny_bert(tmp_path / "bert", TEXTS, seed=7, layers=2, heads=4, hidden=48, limit=24, unit=True)
    location: EmbedderLocation = locate(str(folder))
    if way == "files":  # as the embedded encoder is loaded
        (folder / "sentence_bert_config.json").write_text(json.dumps({"max_seq_length": 24}))
        monkeypatch.setattr(parts, "EMBEDDED", location.id)
    embedder = SentenceTransformerEmbedder(location, device="cpu")
    before = embedder.embed(TEXTS)
    assert_not_mapped(folder / "model.safetensors")
    change(folder / "model.safetensors")
    np.testing.assert_array_equal(embedder.embed(TEXTS).unit, before.unit)
    assert embedder.identity.fingerprint == location.fingerprint
