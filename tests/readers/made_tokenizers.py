"""Tokenizers of the kinds that readers have, made of a few hand-written sentences, the same in every run."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

from tiny_bert import word_pieces

_SENTENCES = (
    "The lighthouse was built in 1874 and stands 41 metres above the sea.",
    "Where is it? It was designed by the engineer Mary Holt, who lived in Arden until 1902.",
    "Der Leuchtturm wurde 1874 gebaut. Le phare se trouve à l'ouest. 灯台は海の上に立っている。",
    "It isn't a museum; about 5.9 million people visited it in 2019, 12 % more than before.",
)
LLAMA_3_TEMPLATE = (
    "{{ bos_token }}{% if not date_string is defined %}{% set date_string = strftime_now('%d %b %Y') %}{% endif %}"
    "<|start_header_id|>system<|end_header_id|>\n\nToday: {{ date_string }}<|eot_id|>"
    "{% for m in messages %}<|start_header_id|>{{ m['role'] }}<|end_header_id|>\n\n{{ m['content'] | trim }}<|eot_id|>"
    "{% endfor %}{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)
QWEN_TEMPLATE = (
    "{% if messages[0]['role'] != 'system' %}<|im_start|>system\nYou are helpful.<|im_end|>\n{% endif %}"
    "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n{% endif %}{% endif %}"
)
LLAMA_2_TEMPLATE = "{% for m in messages %}{{ bos_token + '[INST] ' + m['content'] | trim + ' [/INST]' }}{% endfor %}"
# A template that leaves the BOS to the tokenizer, and whose prompt ends in a space.
SPACE_TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }} {% endfor %}assistant: "


def _llama_3() -> PreTrainedTokenizerFast:
    specials = ["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"]
    tokenizer = Tokenizer(models.BPE(ignore_merges=True))
    pattern = (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+"
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(pattern), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])  # fmt: skip
    tokenizer.decoder = decoders.ByteLevel()
    _train_byte_level(tokenizer, specials)
    bos = specials[0]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A", pair=f"{bos} $A {bos} $B", special_tokens=[(bos, tokenizer.token_to_id(bos))]
    )
    return _fast(tokenizer, LLAMA_3_TEMPLATE, bos_token=bos, eos_token="<|eot_id|>")


def _qwen_3() -> PreTrainedTokenizerFast:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    _train_byte_level(tokenizer, ["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    return _fast(tokenizer, QWEN_TEMPLATE, eos_token="<|im_end|>", pad_token="<|endoftext|>")


def _llama_2() -> PreTrainedTokenizerFast:
    """Sentencepiece as BPE: a space is «▁», one is put before the text, what is unknown falls back to bytes."""
    tokenizer = _byte_fallback(normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]), None)
    return _fast(tokenizer, LLAMA_2_TEMPLATE, bos_token="<s>", eos_token="</s>", unk_token="<unk>")


def _metaspace() -> PreTrainedTokenizerFast:
    tokenizer = _byte_fallback(None, pre_tokenizers.Metaspace(prepend_scheme="first", split=False))
    return _fast(tokenizer, SPACE_TEMPLATE, bos_token="<s>", eos_token="</s>", unk_token="<unk>")


def _wordpiece() -> PreTrainedTokenizerFast:
    """Lower-cases, strips accents and control characters, drops white space."""
    tokenizer = Tokenizer(models.WordPiece(word_pieces(_SENTENCES, ("[UNK]",)), unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return _fast(tokenizer, SPACE_TEMPLATE, unk_token="[UNK]")


def _nfkc_unigram() -> PreTrainedTokenizerFast:
    normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    text = normalizer.normalize_str(" ".join(_SENTENCES)).replace(" ", "▁")
    pieces = [(piece, -float(len(text) / text.count(piece))) for piece in ("▁the", "▁i", "▁w", "er", "in", "ar", "st")]
    letters = [(letter, -float(len(text))) for letter in sorted(set(text) - set("灯台海%"))]
    tokenizer = Tokenizer(models.Unigram([("<unk>", -2.0 * len(text)), *letters, *pieces], unk_id=0))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    return _fast(tokenizer, SPACE_TEMPLATE, unk_token="<unk>")


def _byte_fallback(normalizer: Any, pre_tokenizer: Any) -> Tokenizer:
    vocabulary = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁"]
    letters = sorted(set("".join(_SENTENCES).replace(" ", "")) - set("灯台海%"))
    merges = [("▁", "t"), ("▁t", "h"), ("▁th", "e"), ("i", "n"), ("▁", "▁"), ("e", "r"), ("▁", "T")]
    vocabulary += letters + [left + right for left, right in merges]
    tokenizer = Tokenizer(
        models.BPE(
            {token: index for index, token in enumerate(vocabulary)},
            merges,
            unk_token="<unk>",
            byte_fallback=True,
            fuse_unk=True,
        )
    )
    tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    if pre_tokenizer is not None:
        tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoders.Sequence([
        decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0),
    ])  # fmt: skip
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", pair="<s> $A <s> $B", special_tokens=[("<s>", 1)]
    )
    return tokenizer


def _train_byte_level(tokenizer: Tokenizer, specials: list[str]) -> None:
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=420, special_tokens=specials, initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(_SENTENCES * 3, trainer)


def _fast(tokenizer: Tokenizer, template: str, **specials: str) -> PreTrainedTokenizerFast:
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, **specials)
    fast.chat_template = template
    return fast


KINDS: dict[str, Callable[[], PreTrainedTokenizerFast]] = {
    "llama 3": _llama_3,
    "qwen 3": _qwen_3,
    "llama 2": _llama_2,
    "metaspace": _metaspace,
    "wordpiece": _wordpiece,
    "nfkc unigram": _nfkc_unigram,
}


@lru_cache
def made_tokenizer(kind: str) -> PreTrainedTokenizerFast:
    """Return the tokenizer of that kind; do not change it."""
    return KINDS[kind]()
