"""Folders of embedders: what their fingerprint covers, and every way they can be unusable, each a clear error."""

import dataclasses
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from ragcortex.errors import ModelError, ModelMissingError, ReadingError
from ragcortex.geometry.embedders.load import load_embedder
from ragcortex.geometry.embedders.location import locate
from ragcortex.geometry.embedders.pieces import normalised
from ragcortex.geometry.embedders.sentence_transformer import SentenceTransformerEmbedder

TEXTS = ("The lighthouse was built in 1874.", "Who built it?")


@pytest.fixture
def folder(tiny_embedder_folder: Path, tmp_path: Path) -> Path:
    """Return a copy of the tiny embedder, to be changed."""
    return Path(shutil.copytree(tiny_embedder_folder, tmp_path / "embedder"))


def _set(folder: Path, name: str, **values: Any) -> None:
    path = folder / name
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def test_fingerprint_covers_what_changes_a_vector(folder: Path) -> None:
    before = locate(str(folder)).fingerprint
    (folder / "README.md").write_text("A card.")
    assert locate(str(folder)).fingerprint == before
    names = ("1_Pooling/config.json", "config_sentence_transformers.json", "modules.json", "sentence_bert_config.json",
             "tokenizer.json", "model.safetensors", "config.json")  # fmt: skip
    for name in names:
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content + b" ")
        assert locate(str(folder)).fingerprint != before, name
        (folder / name).write_bytes(content)
    assert locate(str(folder)).fingerprint == before


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("{}/none", "embedder folder {!r} does not exist"),
        ("./none", "embedder folder {!r} does not exist"),
        ("a/b/c", "embedder folder {!r} does not exist"),
        ("nobody/none", "embedder {!r} is not on this machine; fetch it with `ragcortex models pull nobody/none`"),
    ],
)
def test_embedders_that_are_not_here(name: str, message: str, tmp_path: Path) -> None:
    source = name.format(tmp_path)
    with pytest.raises(ModelMissingError) as caught:
        load_embedder(source)
    assert str(caught.value) == message.format(source)


def _modules(kind: str, path: str) -> Callable[[Path], None]:
    return lambda folder: (folder / "modules.json").write_text(json.dumps([{"type": kind, "path": path}]))


def _pickle_dense(folder: Path) -> None:
    (folder / "2_Dense").mkdir()
    (folder / "2_Dense" / "pytorch_model.bin").write_bytes(b"pickle")
    modules = json.loads((folder / "modules.json").read_text())
    kind = "sentence_transformers.models.Dense"
    (folder / "modules.json").write_text(json.dumps([*modules, {"type": kind, "path": "2_Dense"}]))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            lambda folder: (folder / "modules.json").unlink(),
            "embedder folder {!r} has no modules.json, so it does not say how vectors are made of token states; give a "
            "folder saved by sentence-transformers",
        ),
        (lambda folder: (folder / "modules.json").write_text("[]"), "embedder folder {!r} has a modules.json that "
         "names no module"),
        (lambda folder: (folder / "modules.json").write_text("[{}]"), "embedder folder {!r} has a modules.json that "
         "cannot be read: KeyError('type')"),
        (_modules("evil.Module", ""), "embedder folder {!r} needs code of its own ('evil.Module'), which is not run; "
         "give a model made of sentence-transformers' modules"),
        (_modules("sentence_transformers.models.Transformer", "../other"), "embedder folder {!r} names a module "
         "outside of it: '../other'"),
    ],
    ids=["none", "empty", "no type", "own code", "outside"],
)  # fmt: skip
def test_folders_that_hold_no_embedder(folder: Path, damage: Callable[[Path], None], message: str) -> None:
    (folder / "evil.py").write_text("raise SystemExit('executed')")
    damage(folder)
    with pytest.raises(ModelError) as caught:
        locate(str(folder))
    assert str(caught.value) == message.format(str(folder))


def test_a_file_and_pickled_weights_are_refused(folder: Path) -> None:
    with pytest.raises(ModelError) as caught:
        locate(str(folder / "config.json"))
    assert str(caught.value) == (
        f"embedder {str(folder / 'config.json')!r} is a file; give the folder that holds its modules.json"
    )
    _pickle_dense(folder)
    with pytest.raises(ModelError) as caught:
        locate(str(folder))
    assert str(caught.value) == (
        f"embedder folder {str(folder / '2_Dense')!r} has no model.safetensors (pickled weights are not loaded)"
    )


def test_missing_weights_are_not_made_up(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    pooler = {name: weights.pop(name) for name in list(weights) if name.startswith("pooler.")}
    assert pooler
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    assert len(SentenceTransformerEmbedder.load(str(folder), device="cpu").embed(TEXTS)) == len(TEXTS)
    name = "encoder.layer.1.output.dense.weight"
    del weights[name]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError) as caught:
        SentenceTransformerEmbedder.load(str(folder), device="cpu")
    assert str(caught.value) == (
        f"embedder 'embedder' has no usable weights for 1 parameters, {name} among them; its files are incomplete"
    )


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json", "1_Pooling/config.json"])
def test_a_damaged_folder_is_one_clear_error(folder: Path, name: str) -> None:
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])
    with pytest.raises(ModelError) as caught:
        SentenceTransformerEmbedder.load(str(folder), device="cpu")
    assert str(caught.value).startswith("embedder 'embedder' cannot be loaded: ")
    assert "\n" not in str(caught.value)


def test_weights_that_are_not_finite_are_reported(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    weights["encoder.layer.1.output.dense.weight"][0] = float("nan")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ReadingError) as caught:
        SentenceTransformerEmbedder.load(str(folder), device="cpu").embed(TEXTS)
    assert str(caught.value) == (
        "embedder 'embedder' gave a vector that is not finite, for texts[0] (2 of 2 texts): its weights are damaged, "
        "or its numbers overflow; fetch it anew, or take another embedder"
    )


def test_a_text_that_is_not_finite_is_the_only_one_that_fails(folder: Path) -> None:
    """One word's embedding is damaged: another text of the same call, read in the same pass, is embedded."""
    weights = load_file(folder / "model.safetensors")
    plain = SentenceTransformerEmbedder.load(str(folder), device="cpu")
    for name, of in (("a word", TEXTS[1]), ("padding", "[PAD]")):
        row = plain._model.tokenizer.encode(of, add_special_tokens=False).ids[0]
        damaged = weights["embeddings.word_embeddings.weight"].clone()
        damaged[row] = float("nan")
        save_file({**weights, "embeddings.word_embeddings.weight": damaged}, folder / "model.safetensors",
                  metadata={"format": "pt"})  # fmt: skip
        for packed in (True, False):
            broken = SentenceTransformerEmbedder.load(str(folder), device="cpu")
            if not packed:
                broken._model = dataclasses.replace(broken._model, packed=None)
            vectors = broken._vectors([broken._model.tokenizer.encode(text).ids for text in TEXTS])
            finite = np.isfinite(vectors).all(axis=1).tolist()
            assert finite == [True, name == "padding"], (name, packed)
            np.testing.assert_allclose(
                normalised(vectors[:1], "damaged").unit, plain.embed(TEXTS[:1]).unit, atol=1e-6, err_msg=name
            )


def test_a_limit_without_room_for_text_is_refused(folder: Path) -> None:
    _set(folder, "tokenizer_config.json", model_max_length=2)
    _set(folder, "sentence_bert_config.json", max_seq_length=2)
    with pytest.raises(ModelError) as caught:
        SentenceTransformerEmbedder.load(str(folder), device="cpu")
    assert str(caught.value) == "embedder 'embedder' reads 2 tokens at most, which leaves no room for text"
