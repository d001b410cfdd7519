"""The parts of an embedding model: through sentence-transformers, or for the embedded one from its files alone."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ragcortex.errors import ModelError, RagcortexError
from ragcortex.geometry.embedders.embedded import EMBEDDED
from ragcortex.geometry.embedders.embedder import FLOAT32
from ragcortex.geometry.embedders.forward import padded
from ragcortex.geometry.embedders.location import EmbedderLocation, module_folders
from ragcortex.geometry.embedders.packed_bert import PackedBert


@dataclass(frozen=True, slots=True)
class EmbedderParts:
    """A model's parts.

    Attributes:
        modules: run in order on token ids; a final normalisation is left out, so that the lengths are known. Empty
            where `packed` was made without them.
        packed: gives the modules' vectors without padding; None for models that it cannot stand for.
        tokenizer: of the `tokenizers` library, neither cutting nor padding.
        prompt: put before every text, as the model's configuration asks; mostly empty.
        n_head, n_tail: special tokens before and after the text's own.
        pad_id: fills the rows.
        max_tokens: the longest row.
        width: length of a vector.
        truncation: the length that the configuration cuts vectors to, None if it does not.
    """

    modules: Sequence[Any]
    packed: PackedBert | None
    tokenizer: Any
    prompt: str
    n_head: int
    n_tail: int
    pad_id: int
    max_tokens: int
    width: int
    truncation: int | None


def load_parts(location: EmbedderLocation, device: str, dtype: str = FLOAT32) -> EmbedderParts:
    """Return the parts of the model at a location, on a device, with the transformer's layers in a precision.

    Raises:
        ModelError: the files cannot be loaded, or hold no text embedding model that is understood here.
    """
    if location.id == EMBEDDED and device == "cpu":
        return _embedded_parts(location, dtype)
    import torch

    from ragcortex.readers._hf import one_line, quiet
    from ragcortex.readers.memory import own_weights

    try:
        with quiet():
            from sentence_transformers import SentenceTransformer

            whole = SentenceTransformer(
                str(location.folder),
                device=device,
                local_files_only=True,
                trust_remote_code=False,
                model_kwargs={"use_safetensors": True, "dtype": torch.float32},
            ).eval()
            _check_trained(location, whole[0])
            own_weights(whole)
            return _parts(location, whole, dtype)
    except RagcortexError:
        raise
    except Exception as error:  # damaged files end in safetensors', tokenizers' and Python's own kinds of error
        raise ModelError(f"embedder {location.id!r} cannot be loaded: {one_line(error)}") from error


def _embedded_parts(location: EmbedderLocation, dtype: str) -> EmbedderParts:
    """Return the embedded encoder from its pinned files alone: importing the library takes longer than all its work.

    What its files ask for, as the library would do it: no prompt, mean pooling, at most 256 tokens.
    """
    import torch
    from safetensors.torch import load_file
    from tokenizers import Tokenizer

    config = json.loads((location.folder / "config.json").read_text(encoding="utf-8"))
    limit = json.loads((location.folder / "sentence_bert_config.json").read_text(encoding="utf-8"))
    tokenizer = _whole_texts(Tokenizer.from_file(str(location.folder / "tokenizer.json")))
    n_head, n_tail = _special_tokens(tokenizer)
    return EmbedderParts(
        modules=(),
        packed=PackedBert(
            # Copied out of the pages that are mapped from the file, so that what happens to it changes no vector.
            {name: weight.clone() for name, weight in load_file(location.folder / "model.safetensors").items()},
            n_heads=config["num_attention_heads"],
            epsilon=config["layer_norm_eps"],
            activation=torch.nn.functional.gelu,
            dtype=dtype,
        ),
        tokenizer=tokenizer,
        prompt="",
        n_head=n_head,
        n_tail=n_tail,
        pad_id=config["pad_token_id"],
        max_tokens=limit["max_seq_length"],
        width=config["hidden_size"],
        truncation=None,
    )


def _special_tokens(tokenizer: Any) -> tuple[int, int]:
    """Return how many special tokens stand before and after a text's own."""
    n_special = tokenizer.num_special_tokens_to_add(False)
    mask = tokenizer.encode("a").special_tokens_mask
    n_head = next((place for place, special in enumerate(mask) if not special), n_special)
    return n_head, n_special - n_head


def _whole_texts(tokenizer: Any) -> Any:
    """Return the tokenizer, neither cutting nor padding."""
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _parts(location: EmbedderLocation, whole: Any, dtype: str) -> EmbedderParts:
    """Return the parts of a model that was loaded in float32.

    Raises:
        ModelError: it is not a transformer with a fast tokenizer and pooling, or its limit leaves no room for text.
    """
    import torch
    from sentence_transformers.base.modules import Normalize, Transformer
    from tokenizers import Tokenizer

    modules = list(whole)
    while modules and isinstance(modules[-1], Normalize):
        modules.pop()
    backend = getattr(whole.tokenizer, "backend_tokenizer", None)
    if not isinstance(modules[0], Transformer) or backend is None:
        raise ModelError(f"embedder {location.id!r} is no transformer with a fast tokenizer, which alone is read here")
    if any(not getattr(module, "include_prompt", True) for module in modules):
        raise ModelError(f"embedder {location.id!r} leaves its prompt out of the pooling, which is not done here")
    tokenizer = _whole_texts(Tokenizer.from_str(backend.to_str()))
    n_head, n_tail = _special_tokens(tokenizer)
    prompt = whole.prompts.get(whole.default_prompt_name or "") or ""
    max_tokens = _limit(whole, modules[0].model)
    least = n_head + n_tail + (len(tokenizer.encode(prompt, add_special_tokens=False).ids) if prompt else 0) + 1
    if max_tokens < least:
        raise ModelError(f"embedder {location.id!r} reads {max_tokens} tokens at most, which leaves no room for text")
    packed = PackedBert.of(modules, str(whole.device), dtype)
    if packed is None and dtype != FLOAT32:
        modules[0].to(getattr(torch, dtype))
    return EmbedderParts(
        modules=tuple(modules),
        packed=packed,
        tokenizer=tokenizer,
        prompt=prompt,
        n_head=n_head,
        n_tail=n_tail,
        pad_id=int(whole.tokenizer.pad_token_id or 0),
        max_tokens=max_tokens,
        width=int(padded(modules, [tokenizer.encode(prompt + "a").ids], 0, str(whole.device)).shape[1]),
        truncation=whole.truncate_dim,
    )


def _limit(whole: Any, model: Any) -> int:
    """Return the longest row: what the model was saved to read, within the positions it has."""
    limits = [int(whole.max_seq_length)] if whole.max_seq_length else []
    positions = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    if positions:
        # RoBERTa and its kin count positions from the padding id on.
        table = next((module for name, module in model.named_modules() if name.endswith("position_embeddings")), None)
        padding = getattr(table, "padding_idx", None)
        limits.append(int(positions) - (0 if padding is None else int(padding) + 1))
    if not limits:
        raise ModelError(f"{type(model).__name__} does not say how many tokens it reads")
    return min(limits)


def _check_trained(location: EmbedderLocation, transformer: Any) -> None:
    """Refuse a model whose files lack weights, which transformers would fill at random.

    Raises:
        ModelError: naming one of them.
    """
    model = transformer.model
    _, loading = type(model).from_pretrained(
        module_folders(location.folder)[0],
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=True,
        device_map="meta",
        output_loading_info=True,
    )
    untrained = {*loading["missing_keys"], *(key for key, *_ in loading["mismatched_keys"])}
    if transformer.module_output_name == "token_embeddings":  # BERT's own pooler is not used then
        untrained = {key for key in untrained if not key.startswith("pooler.")}
    if untrained:
        raise ModelError(
            f"embedder {location.id!r} has no usable weights for {len(untrained)} parameters, {min(untrained)} among "
            "them; its files are incomplete"
        )
