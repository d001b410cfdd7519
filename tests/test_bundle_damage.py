"""R2: every damage to a bundle is one clear error that names the file and the field, and nothing is executed."""

import hashlib
import json
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save

from made_bundle import EXAMPLE, SPEC, edit, made_bundle, remove, resigned, truncate, write
from ragcortex.bundle import Bundle
from ragcortex.errors import BundleError
from ragcortex.readers.reader import Reader


@pytest.fixture(scope="module")
def sound(tiny_reader_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    reader = Reader.load(str(tiny_reader_folder), device="cpu", dtype="float32")
    folder = tmp_path_factory.mktemp("bundles") / "sound"
    made_bundle(reader, reader.read_one(EXAMPLE, SPEC)).save(folder, card="")
    return folder


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
    """Return a copy of the bundle, to be damaged."""
    return Path(shutil.copytree(sound, tmp_path / "detector"))


class _Payload:
    """Unpickled, it would make a file."""

    def __reduce__(self) -> tuple[Any, tuple[str]]:
        return os.mkdir, ("executed",)


JSON_DAMAGES = {
    "no json": (remove("detector.json"), "folder {folder!r} is no detector: it has no detector.json"),
    "unknown field": (
        edit(extra=1),
        "detector.json has unknown fields: extra; it was made by another version",
    ),
    "missing field": (edit(recipe=..., smoothing=...), "detector.json lacks recipe, smoothing"),
    "schema": (
        edit(schema="ragcortex.detector/9"),
        "detector.json in {folder!r} has schema 'ragcortex.detector/9', this version reads 'ragcortex.detector/1'",
    ),
    "no schema": (
        edit(schema=...),
        "detector.json in {folder!r} has schema None, this version reads 'ragcortex.detector/1'",
    ),
    "a list": (write("detector.json", b"[]"), "detector.json in {folder!r} must hold a JSON object, got list"),
    "name": (edit(name=""), "detector.json field name must be a non-empty string, got ''"),
    "version": (edit(version=3), "detector.json field version must be a non-empty string, got 3"),
    "libraries": (edit(libraries=[]), "detector.json field libraries must be an object, got list"),
    "training": (edit(training=None), "detector.json field training must be an object, got NoneType"),
    "figures": (edit(figures="good"), "detector.json field figures must be an object, got str"),
    "no heads": (edit(heads=[]), "a detector needs at least one head and distinct names without a dot, got []"),
    "heads": (edit(heads={"a": 1}), "detector.json field heads[0] must be an object, got str"),
    "head field": (edit(heads__1__features=...), "detector.json field heads[1] lacks features"),
    "head name": (edit(heads__1__name=1), "detector.json field heads[1].name must be a non-empty string, got 1"),
    "feature": (
        edit(heads__0__features=["delta", "dleta"]),
        "detector.json field heads[0]: features: 'dleta' is not a feature set; there are attention_away, delta, "
        "delta_mean9, entropy, hidden, hidden_mean9, hidden_noref, negative_log_likelihood, reference_gain, residual, "
        "scalars",
    ),
    "no features": (
        edit(heads__0__features=[]),
        "detector.json field heads[0].features must be a list of at least one name, got []",
    ),
    "layer": (
        edit(heads__0__layer="3"),
        "detector.json field heads[0].layer must be a whole number from 0 on, got '3'",
    ),
    "layer bool": (
        edit(heads__0__layer=True),
        "detector.json field heads[0].layer must be a whole number from 0 on, got True",
    ),
    "layer negative": (
        edit(heads__0__layer=-1),
        "detector.json field heads[0].layer must be a whole number from 0 on, got -1",
    ),
    "scorer": (
        edit(heads__0__scorer="forest"),
        "detector.json field heads[0]: scorer: 'forest' is not a scorer; there are gain, logistic, mlp, recurrent",
    ),
    "params": (edit(heads__0__params=[]), "detector.json field heads[0].params must be an object, got list"),
    "param unknown": (
        edit(heads__1__params__depth=2),
        "detector.json field heads[1].params has unknown fields: depth; it was made by another version",
    ),
    "param missing": (edit(heads__1__params__C=...), "detector.json field heads[1].params lacks C"),
    "no networks": (edit(heads__0__params__n_seeds=0), "the MLP's n_seeds must be a whole number from 1 on, got 0"),
    "offset": (
        edit(heads__2__params__offset="low"),
        "the gain scorer's offset must be a number, got 'low'",
    ),
    "reader": (edit(reader="tiny"), "detector.json field reader must be an object, got str"),
    "reader field": (edit(reader__dtype=...), "detector.json field reader lacks dtype"),
    "fingerprint": (
        edit(reader__fingerprint=12),
        "detector.json field reader.fingerprint must be a non-empty string, got 12",
    ),
    "template field": (
        edit(template__system="x"),
        "detector.json field template has unknown fields: system; it was made by another version",
    ),
    "template name": (
        edit(template__name="prose"),
        "detector.json in {folder!r}: prompt template must be chat or raw, got 'prose'",
    ),
    "template text": (
        edit(template__without_references=4),
        "detector.json field template.without_references must be a non-empty string, got 4",
    ),
    "tensors": (edit(tensors=None), "detector.json field tensors must be an object, got NoneType"),
    "tensors file": (
        edit(tensors__file="../other.safetensors"),
        "detector.json field tensors.file must be 'heads.safetensors', got '../other.safetensors'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("damage", sorted(JSON_DAMAGES))
def test_damaged_json(damage: str, folder: Path) -> None:
    break_it, message = JSON_DAMAGES[damage]
    break_it(folder)
    with pytest.raises(BundleError) as caught:
        Bundle.load(folder)
    assert str(caught.value) == message.format(folder=str(folder))


@pytest.mark.parametrize(
    ("break_it", "reason"),
    [
        (truncate("detector.json"), ""),
        (write("detector.json", b""), "Expecting value: line 1 column 1 (char 0)"),
        (write("detector.json", b"detector: yes"), "Expecting value: line 1 column 1 (char 0)"),
        (
            write("detector.json", b"\xff\xfe{}"),
            "'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
        ),
        (write("detector.json", b"[" * 100_000), "maximum recursion depth exceeded"),
        (write("detector.json", b'{"a":' * 100_000), "maximum recursion depth exceeded"),
        (write("detector.json", b'{"figures": NaN}'), "NaN is not a JSON number"),
        (write("detector.json", b'{"figures": -Infinity}'), "-Infinity is not a JSON number"),
    ],
    ids=["truncated", "empty", "not JSON", "not UTF-8", "deep lists", "deep objects", "NaN", "infinite"],
)
def test_json_that_is_none(break_it: Callable[[Path], None], reason: str, folder: Path) -> None:
    break_it(folder)
    with pytest.raises(BundleError) as caught:
        Bundle.load(folder)
    assert str(caught.value).startswith(f"detector.json in {str(folder)!r} cannot be read as JSON: {reason}")


@pytest.mark.parametrize(
    ("field", "start"),
    [
        ({"smoothing": {"method": "persistence"}}, "smoothing"),
        ({"smoothing__p_stay": 2.0}, "smoothing.p_stay"),
        ({"answer_smoothing__window": -1}, "smoothing.window"),
        ({"calibration__token_threshold": 7}, "calibration.token_threshold"),
        ({"calibration__date": ...}, "calibration"),
    ],
)
def test_smoothing_and_calibration_name_their_field(field: dict[str, Any], start: str, folder: Path) -> None:
    edit(**field)(folder)
    with pytest.raises(BundleError) as caught:
        Bundle.load(folder)
    assert str(caught.value).startswith(start)


def _pickled(_tensors: dict[str, np.ndarray]) -> bytes:
    return pickle.dumps(_Payload())


def _with_nan(tensors: dict[str, np.ndarray]) -> bytes:
    tensors["scalars.weight"][2] = np.nan
    return save(tensors)


def _in_half_precision(tensors: dict[str, np.ndarray]) -> bytes:
    return save({**tensors, "scalars.mean": tensors["scalars.mean"].astype(np.float16)})


def _exchanged(tensors: dict[str, np.ndarray]) -> bytes:
    pair = "comparison.0.0.weight", "comparison.0.1.weight"
    return save({**tensors, pair[0]: tensors[pair[1]], pair[1]: tensors[pair[0]]})


def _without_one(tensors: dict[str, np.ndarray]) -> bytes:
    del tensors["comparison.1.2.bias"]
    return save(tensors)


def _with_one_more(tensors: dict[str, np.ndarray]) -> bytes:
    return save({**tensors, "scalars.extra": np.ones(1, np.float32)})


def _of_no_head(tensors: dict[str, np.ndarray]) -> bytes:
    return save({**tensors, "other.mean": np.ones(1, np.float32)})


TENSOR_DAMAGES = {
    "nan": (_with_nan, "heads.safetensors in {folder!r}: scalars.weight must hold finite float32 numbers"),
    "dtype": (_in_half_precision, "heads.safetensors in {folder!r}: scalars.mean must hold finite float32 numbers"),
    "exchanged": (_exchanged, "the scorer's array 0.0.weight must have shape (8, 64), got (4, 8)"),
    "missing": (_without_one, "heads.safetensors has no tensor comparison.1.2.bias"),
    "unknown": (
        _with_one_more,
        "heads.safetensors holds tensors of scalars that detector.json field heads[1] does not describe",
    ),
    "no head": (_of_no_head, "heads.safetensors in {folder!r} holds tensors of no head: other.mean"),
}


@pytest.mark.parametrize("damage", sorted(TENSOR_DAMAGES))
def test_damaged_tensors_with_a_hash_that_fits(damage: str, folder: Path) -> None:
    change, message = TENSOR_DAMAGES[damage]
    resigned(change)(folder)
    with pytest.raises(BundleError) as caught:
        Bundle.load(folder)
    assert str(caught.value) == message.format(folder=str(folder))


@pytest.mark.parametrize(
    "content", [b"", b"short", b"\xff" * 64, pickle.dumps({"a": 1})], ids=["0", "5", "ff", "pickle"]
)
@pytest.mark.parametrize("hash_fits", [False, True])
def test_tensors_that_are_none(content: bytes, hash_fits: bool, folder: Path) -> None:
    expected = json.loads((folder / "detector.json").read_text())["tensors"]["sha256"]
    digest = hashlib.sha256(content).hexdigest()
    resigned(lambda _: content)(folder) if hash_fits else write("heads.safetensors", content)(folder)
    with pytest.raises(BundleError) as caught:
        Bundle.load(folder)
    if hash_fits:
        assert str(caught.value).startswith(f"heads.safetensors in {str(folder)!r} is damaged: ")
    else:
        assert str(caught.value) == (
            f"heads.safetensors in {str(folder)!r} is damaged or was exchanged: its SHA-256 is {digest[:16]}…, "
            f"detector.json says {expected[:16]}…"
        )


def test_a_pickle_in_place_of_tensors_is_not_executed(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("heads.safetensors", "detector.json"):
        saved = (folder / name).read_bytes()
        if name == "detector.json":
            (folder / name).write_bytes(_pickled({}))
        else:
            resigned(_pickled)(folder)
        with pytest.raises(BundleError):
            Bundle.load(folder)
        (folder / name).write_bytes(saved)
    assert not (tmp_path / "executed").exists()
    pickle.loads(_pickled({}))  # the payload itself does work
    assert (tmp_path / "executed").exists()


def test_missing_tensors(folder: Path) -> None:
    (folder / "heads.safetensors").unlink()
    with pytest.raises(BundleError) as caught:
        Bundle.load(folder)
    assert str(caught.value) == f"heads.safetensors in {str(folder)!r} cannot be read: No such file or directory"


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(BundleError) as caught:
        Bundle.load(tmp_path / "none")
    assert str(caught.value) == f"folder {str(tmp_path / 'none')!r} is no detector: it has no detector.json"
