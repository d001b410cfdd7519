"""Finding, loading and identifying readers: every way it can fail says what to do, and nothing uses the network."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from ragcortex.errors import InputError, ModelError, ModelMissingError, StoreError
from ragcortex.readers import embedded
from ragcortex.readers.embedded import GGUF_NAME, GGUF_SHA256
from ragcortex.readers.fingerprint import file_digest, folder_fingerprint
from ragcortex.readers.models import choose_device, choose_dtype, load_model, locate, pull


@pytest.fixture
def folder(tiny_reader_folder: Path, tmp_path: Path) -> Path:
    """Return a copy of the tiny reader, to be damaged."""
    return Path(shutil.copytree(tiny_reader_folder, tmp_path / "reader"))


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RAGCORTEX_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_identity_of_a_folder(tiny_reader_folder: Path) -> None:
    loaded = load_model(str(tiny_reader_folder), device="cpu")
    identity = loaded.identity
    assert (identity.id, identity.revision, identity.architecture) == ("tiny-llama", None, "llama")
    assert (identity.n_layers, identity.hidden_size, identity.max_tokens) == (4, 32, 1024)
    assert identity.fingerprint == folder_fingerprint(tiny_reader_folder)
    assert (loaded.device, loaded.dtype) == ("cpu", "float32")
    assert not loaded.model.training


def test_dtype_is_that_asked_for(tiny_reader_folder: Path) -> None:
    loaded = load_model(str(tiny_reader_folder), device="cpu", dtype="bfloat16")
    assert {parameter.dtype for parameter in loaded.model.parameters()} == {torch.bfloat16}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("{}/none", "reader folder {!r} does not exist"),
        ("./none", "reader folder {!r} does not exist"),
        ("~/no/such/reader", "reader folder {!r} does not exist"),
        ("a/b/c", "reader folder {!r} does not exist"),
        ("none.gguf", "reader file {!r} does not exist"),
        (
            "nobody/no-such-reader",
            "reader {!r} is not on this machine; fetch it with `ragcortex models pull nobody/no-such-reader`",
        ),
        ("no reader!", "reader {!r} is not on this machine; fetch it with `ragcortex models pull no reader!`"),
    ],
    ids=["absolute", "relative", "home", "deep", "gguf", "hub", "no hub id"],
)
def test_readers_that_are_not_here(name: str, message: str, tmp_path: Path) -> None:
    source = name.format(tmp_path)
    with pytest.raises(ModelMissingError) as caught:
        locate(source)
    assert str(caught.value) == message.format(source)


def test_folders_that_hold_no_reader(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for damage, message in (
        (
            lambda: None,
            f"reader {str(folder / 'config.json')!r} is a file; give the folder that holds its config.json, or a .gguf "
            "file",
        ),
        (lambda: None, f"reader folder {str(tmp_path / 'empty')!r} has no config.json"),
        (
            lambda: (folder / "model.safetensors").rename(folder / "pytorch_model.bin"),
            f"reader folder {str(folder)!r} has no *.safetensors weights (pickled weights are not loaded)",
        ),
    ):
        damage()
        source = message.split("'")[1]
        with pytest.raises(ModelError) as caught:
            locate(source)
        assert str(caught.value) == message


def _truncate_weights(folder: Path) -> None:
    content = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(content[: len(content) // 2])


def _no_tokenizer(folder: Path) -> None:
    for path in folder.glob("*token*"):
        path.unlink()


def _broken_config(folder: Path) -> None:
    (folder / "config.json").write_text("{")


def _unknown_model(folder: Path) -> None:
    (folder / "config.json").write_text('{"model_type": "nothing-known"}')


def _broken_tokenizer(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{}")


@pytest.mark.parametrize(
    "damage", [_truncate_weights, _no_tokenizer, _broken_config, _unknown_model, _broken_tokenizer]
)
def test_a_damaged_folder_is_one_clear_error(damage: Callable[[Path], None], folder: Path) -> None:
    damage(folder)
    with pytest.raises(ModelError) as caught:
        load_model(str(folder))
    assert str(caught.value).startswith(f"reader {str(folder)!r} cannot be loaded: ")
    assert "\n" not in str(caught.value)


def test_weights_that_are_missing_or_of_another_shape_are_not_made_up(folder: Path) -> None:
    weights = load_file(folder / "model.safetensors")
    del weights["model.layers.1.mlp.up_proj.weight"]
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError) as caught:
        load_model(str(folder))
    assert str(caught.value) == (
        f"reader {str(folder)!r} has no usable weights for 1 parameters, model.layers.1.mlp.up_proj.weight among them; "
        "its files are incomplete or hold no causal language model"
    )
    weights["model.layers.1.mlp.up_proj.weight"] = torch.ones(3, 3)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(ModelError) as caught:
        load_model(str(folder))
    assert "model.layers.1.mlp.up_proj.weight" in str(caught.value) or "mismatch" in str(caught.value)


def test_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGCORTEX_DEVICE", raising=False)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: False)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert choose_device(None) == "cpu"
    assert choose_device("cpu") == "cpu"
    for device in ("cuda", "cuda:1", "mps"):
        with pytest.raises(InputError) as caught:
            choose_device(device)
        assert str(caught.value) == f"device: {device!r} is not available on this machine; use cpu"
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    assert choose_device(None) == "mps"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    assert choose_device(None) == "cuda"
    assert choose_device("cuda:1") == "cuda:1"
    monkeypatch.setenv("RAGCORTEX_DEVICE", "cpu")
    assert choose_device(None) == "cpu"
    with pytest.raises(InputError) as caught:
        choose_device("tpu")
    assert str(caught.value) == "device: must be cpu, cuda, cuda:N or mps, got 'tpu'"


def test_dtypes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGCORTEX_DTYPE", raising=False)
    assert [choose_dtype(None, device) for device in ("cpu", "mps", "cuda", "cuda:1")] == [
        "float32",
        "float32",
        "bfloat16",
        "bfloat16",
    ]
    assert choose_dtype("float16", "cpu") == "float16"
    monkeypatch.setenv("RAGCORTEX_DTYPE", "bfloat16")
    assert choose_dtype(None, "cpu") == "bfloat16"
    with pytest.raises(InputError) as caught:
        choose_dtype("int8", "cpu")
    assert str(caught.value) == "dtype: must be one of float32, bfloat16, float16, got 'int8'"


def test_embedded_reader_that_is_not_here(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "_installed", lambda: None)
    with pytest.raises(ModelMissingError) as caught:
        locate("embedded")
    assert str(caught.value) == ("the embedded reader is not on this machine; run `ragcortex models pull embedded`")


def test_embedded_reader_of_another_hash(empty_cache: Path) -> None:
    path = empty_cache / "readers" / GGUF_NAME
    path.parent.mkdir(parents=True)
    path.write_bytes(b"something else")
    with pytest.raises(ModelError) as caught:
        locate("embedded")
    assert str(caught.value) == (
        f"the embedded reader's file {GGUF_NAME} has SHA-256 {file_digest(path)[:16]}…, expected {GGUF_SHA256[:16]}…; "
        "delete it and run `ragcortex models pull embedded`"
    )


def test_a_gguf_file_that_is_none(tmp_path: Path, empty_cache: Path) -> None:
    path = tmp_path / "broken.gguf"
    for content in (b"", b"GGUF", b"not a model" * 100, b"GGUF\x03\x00\x00\x00" + b"\xff" * 64):
        path.write_bytes(content)
        with pytest.raises(ModelError) as caught:
            locate(str(path))
        assert str(caught.value).startswith("the GGUF file 'broken.gguf' cannot be read: ")
        assert not list((empty_cache / "readers").iterdir())


def test_a_cache_that_cannot_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "reader.gguf").write_bytes(b"GGUF")
    monkeypatch.setenv("RAGCORTEX_CACHE", str(tmp_path / "file" / "cache"))
    with pytest.raises(StoreError) as caught:
        locate(str(tmp_path / "reader.gguf"))
    folder = str(tmp_path / "file" / "cache" / "readers")
    assert str(caught.value) == f"the cache folder {folder!r} cannot be made: Not a directory"


def test_pull_of_what_is_here_only_locates_it(tiny_reader_folder: Path) -> None:
    assert pull(str(tiny_reader_folder)) == locate(str(tiny_reader_folder))


def test_pull_without_network_says_so() -> None:
    with pytest.raises(ModelError) as caught:
        pull("nobody/no-such-reader")
    assert str(caught.value).startswith("reader 'nobody/no-such-reader' cannot be fetched from the hub: ")


_OFFLINE = """
import socket, sys
def refuse(*args, **kwargs):
    print("CONNECTED", args, file=sys.stderr)
    raise OSError("no network in this test")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from ragcortex.errors import ModelMissingError
from ragcortex.example import Example
from ragcortex.readers.models import locate
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec
reader = Reader.load(sys.argv[1], device="cpu")
reader.read_one(Example.of("Where?", ["Here."], "There."), ReadingSpec(layers=(1,), attention_layers=None))
for name in ("nobody/no-such-reader", "no-such-reader"):
    try:
        locate(name)
    except ModelMissingError:
        print("missing")
"""


def test_no_network_is_used(tiny_reader_folder: Path, tmp_path: Path) -> None:
    """R1: loading, reading and looking for a reader that is not here never open a connection, offline mode or not."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "TRANSFORMERS_"))}
    environment |= {"HF_HOME": str(tmp_path), "OMP_NUM_THREADS": "1"}
    run = subprocess.run(
        [sys.executable, "-c", _OFFLINE, str(tiny_reader_folder)],
        env=environment, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert (run.stdout, run.stderr, run.returncode) == ("missing\nmissing\n", "", 0)
