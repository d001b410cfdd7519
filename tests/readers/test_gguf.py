"""GGUF files: unpacked once into the cache, with the weights and tokenizer they hold."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from ragcortex.errors import ModelError
from ragcortex.example import Example
from ragcortex.readers import embedded
from ragcortex.readers.fingerprint import file_digest
from ragcortex.readers.models import load_model, locate
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec

_NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}


def _tensors(model: Any) -> dict[str, np.ndarray]:
    """Return a Llama's weights by GGUF name; queries and keys in the interleaved order of rotary pairs it uses."""
    tensors = {
        "token_embd.weight": model.model.embed_tokens.weight,
        "output_norm.weight": model.model.norm.weight,
        "output.weight": model.lm_head.weight,
    }
    arrays = {name: tensor.detach().numpy() for name, tensor in tensors.items()}
    config = model.config
    for index, layer in enumerate(model.model.layers):
        for own, packed in _NAMES.items():
            array = layer.get_submodule(own).weight.detach().numpy()
            if packed in ("attn_q", "attn_k"):
                n_heads = config.num_attention_heads if packed == "attn_q" else config.num_key_value_heads
                halves = array.reshape(n_heads, 2, array.shape[0] // n_heads // 2, array.shape[1])
                array = halves.swapaxes(1, 2).reshape(array.shape)
            arrays[f"blk.{index}.{packed}.weight"] = np.ascontiguousarray(array)
    return arrays


@pytest.fixture(scope="module")
def gguf_file(tiny_reader_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the tiny reader as a GGUF file in float32."""
    import json

    from gguf import GGUFWriter

    loaded = load_model(str(tiny_reader_folder), device="cpu")
    config = loaded.model.config
    path = tmp_path_factory.mktemp("gguf") / "tiny.gguf"
    writer = GGUFWriter(path, "llama")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_vocab_size(config.vocab_size)
    described = json.loads((tiny_reader_folder / "tokenizer.json").read_text())["model"]
    tokens = sorted(described["vocab"], key=described["vocab"].__getitem__)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("smollm")
    writer.add_token_list(tokens)
    writer.add_token_types([3 if token.startswith("<|") else 1 for token in tokens])
    writer.add_token_merges([merge if isinstance(merge, str) else " ".join(merge) for merge in described["merges"]])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(loaded.tokenizer.chat_template)
    for name, array in _tensors(loaded.model).items():
        writer.add_tensor(name, array)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("RAGCORTEX_CACHE", str(folder))
    return folder


def test_weights_and_tokens_are_those_of_the_file(gguf_file: Path, tiny_reader_folder: Path) -> None:
    original = load_model(str(tiny_reader_folder), device="cpu")
    unpacked = load_model(str(gguf_file), device="cpu")
    assert unpacked.identity.id == "tiny.gguf"
    assert unpacked.identity.fingerprint == file_digest(gguf_file)
    state = unpacked.model.state_dict()
    for name, tensor in original.model.state_dict().items():
        torch.testing.assert_close(state[name], tensor, rtol=0, atol=0, msg=name)
    text = "The lighthouse was built in 1874. 灯台"
    assert unpacked.tokenizer(text)["input_ids"] == original.tokenizer(text)["input_ids"]
    example, spec = Example.of("Where?", ["At sea."], "In 1874."), ReadingSpec(layers=(2,), attention_layers=None)
    one, other = (Reader(loaded).read_one(example, spec).blocks[0].ref for loaded in (unpacked, original))
    np.testing.assert_allclose(one.hidden[2], other.hidden[2], atol=1e-5, rtol=1e-5)
    np.testing.assert_allclose(one.attention, other.attention, atol=1e-6)


def test_a_file_is_unpacked_once(gguf_file: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = locate(str(gguf_file))
    assert first.folder.parent == own_cache / "readers"
    with monkeypatch.context() as patch:
        patch.setattr(embedded, "dequantise", None)
        assert locate(str(gguf_file)) == first


@pytest.mark.parametrize("damage", ["weights", "marker", "no marker", "another marker"])
def test_a_damaged_copy_is_unpacked_again(gguf_file: Path, damage: str) -> None:
    folder = locate(str(gguf_file)).folder
    weights, marker = folder / "model.safetensors", folder / "source.json"
    content = weights.read_bytes()
    if damage == "weights":
        weights.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    elif damage == "no marker":
        marker.unlink()
    else:
        marker.write_text("{" if damage == "marker" else "[]")
    assert locate(str(gguf_file)).folder == folder
    assert weights.read_bytes() == content
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def test_a_truncated_file_is_refused(gguf_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "half.gguf"
    content = gguf_file.read_bytes()
    for share in (0.1, 0.5, 0.9):
        path.write_bytes(content[: int(len(content) * share)])
        with pytest.raises(ModelError) as caught:
            locate(str(path))
        assert str(caught.value).startswith("the GGUF file 'half.gguf' cannot be read: ")
