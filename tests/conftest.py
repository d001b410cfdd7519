"""Shared by all tests: no network, a cache of their own, and a tiny reader with random weights."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

# Read by the hub client when it is imported: a test that forgets a fixture fails at once instead of waiting.
os.environ["HF_HUB_OFFLINE"] = "1"

TINY_LAYERS = 4
TINY_WIDTH = 32
TINY_WINDOW = 1024

_SENTENCES = (
    "The lighthouse at Cape Arden was built in 1874 and stands 41 metres above the sea.",
    "Where is the lighthouse, and who built it? It was designed by the engineer Mary Holt.",
    "According to the report, 5.9 million people visited the museum in 2019, 12 % more than the year before.",
    "The patient should not take more than two tablets a day; call a doctor if the pain does not stop.",
    "The contract ends on 3 March 2025 unless one of the parties extends it in writing.",
    "Der Leuchtturm wurde 1874 gebaut. Le phare se trouve à l'ouest du port. 灯台は海の上に立っている。",
)
_CHAT_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)


@pytest.fixture(scope="session", autouse=True)
def isolated_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Keep what tests cache out of the user's folder; models fetched or unpacked there are seen."""
    from ragcortex.settings import settings

    own = settings().cache_dir
    folder = tmp_path_factory.mktemp("cache")
    for models in ("readers", "embedders"):
        if (own / models).is_dir():
            (folder / models).symlink_to((own / models).resolve(), target_is_directory=True)
    if (own / "digests.json").is_file():
        (folder / "digests.json").write_bytes((own / "digests.json").read_bytes())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAGCORTEX_CACHE", str(folder))
        yield folder


@pytest.fixture(scope="session")
def tiny_reader_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a Llama of 4 layers and width 32 with random weights, a byte-level BPE tokenizer and a chat template."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    folder = tmp_path_factory.mktemp("readers") / "tiny-llama"
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    specials = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=specials,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(_SENTENCES * 4, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=specials[2], pad_token=specials[0])
    fast.chat_template = _CHAT_TEMPLATE
    with torch.random.fork_rng():
        torch.manual_seed(20)
        model = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=len(fast),
                hidden_size=TINY_WIDTH,
                intermediate_size=64,
                num_hidden_layers=TINY_LAYERS,
                num_attention_heads=4,
                num_key_value_heads=2,
                max_position_embeddings=TINY_WINDOW,
                initializer_range=0.3,
                bos_token_id=None,
                eos_token_id=2,
                pad_token_id=0,
            )
        )
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder
