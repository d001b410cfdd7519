"""Readers with random weights in transformers' format: byte-level BPE, a chat template, any architecture."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

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


def write_tiny_reader(folder: Path, config: Callable[[dict[str, Any]], Any]) -> None:
    """Write a reader with seeded random weights.

    Args:
        folder: where.
        config: makes the model's configuration of what all have in common (vocabulary, heads, special tokens).
    """
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

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
    common = {
        "vocab_size": len(fast), "num_attention_heads": 4, "num_key_value_heads": 2, "initializer_range": 0.3,
        "bos_token_id": None, "eos_token_id": 2, "pad_token_id": 0,
    }  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(20)
        model = AutoModelForCausalLM.from_config(config(common))
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
