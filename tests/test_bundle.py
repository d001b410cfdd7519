"""Bundles on disk: bit-equal round trip, saving that destroys nothing, other readers and templates refused."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from made_bundle import EXAMPLE, SPEC, made_bundle
from ragcortex.bundle import Bundle
from ragcortex.detectors.internal import InternalDetector
from ragcortex.detectors.scoring import raw_scores
from ragcortex.errors import BundleError
from ragcortex.readers.prompts import PromptTemplate
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import Reading, ReadingSpec


@pytest.fixture(scope="module")
def reader(tiny_reader_folder: Path) -> Reader:
    return Reader.load(str(tiny_reader_folder), device="cpu", dtype="float32")


@pytest.fixture(scope="module")
def reading(reader: Reader) -> Reading:
    return reader.read_one(EXAMPLE, SPEC)


@pytest.fixture(scope="module")
def bundle(reader: Reader, reading: Reading) -> Bundle:
    return made_bundle(reader, reading)


@pytest.fixture
def folder(bundle: Bundle, tmp_path: Path) -> Path:
    bundle.save(tmp_path / "detector", card="# A card\n")
    return tmp_path / "detector"


def test_round_trip_gives_bit_equal_scores(bundle: Bundle, folder: Path, reading: Reading) -> None:
    loaded = Bundle.load(folder)
    np.testing.assert_array_equal(raw_scores(reading, loaded.heads), raw_scores(reading, bundle.heads))
    for name in ("name", "version", "recipe", "reader", "template", "smoothing", "answer_smoothing", "calibration"):
        assert getattr(loaded, name) == getattr(bundle, name)
    for name in ("libraries", "training", "figures"):
        assert dict(getattr(loaded, name)) == dict(getattr(bundle, name))
    for got, expected in zip(loaded.heads, bundle.heads, strict=True):
        assert (got.name, got.features, got.layer, got.scorer_name) == (
            expected.name, expected.features, expected.layer, expected.scorer_name,
        )  # fmt: skip
        assert got.scorer.get_params() == expected.scorer.get_params()
    assert loaded.spec() == ReadingSpec(layers=(3,), attention_layers=None, log_probs=True)
    loaded.save(folder.parent / "again", card="")
    assert Bundle.load(folder.parent / "again").calibration == bundle.calibration


def test_files_of_a_bundle(folder: Path) -> None:
    assert sorted(path.name for path in folder.iterdir()) == ["README.md", "detector.json", "heads.safetensors"]
    assert (folder / "README.md").read_text() == "# A card\n"
    assert [path.name for path in folder.parent.iterdir()] == ["detector"]
    assert folder.stat().st_mode & 0o777 == 0o755


def test_a_bundle_for_any_reader(bundle: Bundle, folder: Path) -> None:
    replace(bundle, reader=None, heads=bundle.heads[2:3]).save(folder, card="")
    loaded = Bundle.load(folder)
    assert loaded.reader is None
    assert loaded.spec() == ReadingSpec(log_probs=True)


def test_saving_replaces_a_bundle_and_nothing_else(bundle: Bundle, folder: Path) -> None:
    replace(bundle, version="4").save(folder, card="new")
    assert Bundle.load(folder).version == "4"
    other = folder.parent / "papers"
    other.mkdir()
    (other / "thesis.txt").write_text("years of work")
    with pytest.raises(BundleError) as caught:
        bundle.save(other, card="")
    assert str(caught.value) == f"folder {str(other)!r} is not empty and holds no detector; choose another one"
    assert (other / "thesis.txt").read_text() == "years of work"
    with pytest.raises(BundleError) as caught:
        bundle.save(other / "thesis.txt", card="")
    assert str(caught.value) == f"{str(other / 'thesis.txt')!r} is a file; choose a folder for the detector"


def test_what_json_cannot_hold_is_refused_before_anything_is_written(bundle: Bundle, folder: Path) -> None:
    with pytest.raises(BundleError) as caught:
        replace(bundle, figures={"ap": float("nan")}).save(folder.parent / "new", card="")
    assert str(caught.value).startswith("the detector holds what JSON cannot: Out of range float values")
    assert not (folder.parent / "new").exists()


@pytest.mark.parametrize("names", [[], ["a", "a"], ["a.b"]])
def test_heads_have_distinct_names(bundle: Bundle, names: list[str]) -> None:
    with pytest.raises(BundleError) as caught:
        replace(bundle, heads=tuple(replace(bundle.heads[0], name=name) for name in names))
    assert str(caught.value) == f"a detector needs at least one head and distinct names without a dot, got {names}"


def test_a_detector_refuses_another_reader(bundle: Bundle, reader: Reader) -> None:
    """M6."""
    assert InternalDetector(bundle, reader).bundle is bundle
    pin = replace(bundle.reader, fingerprint="f" * 64)
    with pytest.raises(BundleError) as caught:
        InternalDetector(replace(bundle, reader=pin), reader)
    assert str(caught.value) == (
        f"detector 'test' was fitted on reader 'tiny-llama' with fingerprint {'f' * 16}…, got 'tiny-llama' with "
        f"{reader.identity.fingerprint[:16]}…; use that reader or train anew"
    )


def test_a_detector_refuses_another_template(bundle: Bundle, reader: Reader) -> None:
    with pytest.raises(BundleError) as caught:
        InternalDetector(replace(bundle, template=PromptTemplate("raw")), reader)
    assert str(caught.value) == ("detector 'test' needs the prompt template 'raw' it was fitted with, got 'chat'")
    with pytest.raises(BundleError):
        InternalDetector(replace(bundle, template=PromptTemplate("chat", "Q: {question} {references}")), reader)
