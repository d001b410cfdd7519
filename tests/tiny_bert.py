"""A tiny embedding model with random weights, saved by sentence-transformers; the same in every run.

Vocabularies are written out here, not trained: the trainers of WordPiece and Unigram go through hash tables, so their
token ids, and with them the vectors of a model with random weights, differ from one process to the next.
"""

from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_HEAD = 4


def word_pieces(texts: Iterable[str], specials: Iterable[str] = SPECIALS) -> dict[str, int]:
    """Return a WordPiece vocabulary: every letter, and the lower-cased words of the texts in at most two pieces."""
    from tokenizers import normalizers, pre_tokenizers

    normalizer, splitter = normalizers.BertNormalizer(lowercase=True), pre_tokenizers.BertPreTokenizer()
    words = {word for text in texts for word, _ in splitter.pre_tokenize_str(normalizer.normalize_str(text))}
    letters = set("".join(words))
    pieces = letters | {f"##{letter}" for letter in letters}
    pieces |= {word[:_HEAD] for word in words} | {f"##{word[_HEAD:]}" for word in words if word[_HEAD:]}
    return {piece: number for number, piece in enumerate((*specials, *sorted(pieces)))}


def save_tiny_bert(
    folder: Path,
    texts: Iterable[str],
    *,
    seed: int,
    width: int = 32,
    layers: int = 1,
    heads: int = 2,
    hidden: int = 32,
    positions: int = 64,
    limit: int = 64,
    spread: float = 0.3,
    unit: bool = False,
) -> Path:
    """Write a BERT with mean pooling, which reads `limit` word pieces; two seeds give two models.

    Args:
        folder: where to; it is made.
        texts: the words it has pieces for.
        seed: of the weights.
        width, layers, heads, hidden, positions, spread: of BERT's configuration.
        limit: the longest input in word pieces.
        unit: whether a normalisation follows the pooling.
    """
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Normalize, Transformer
    from sentence_transformers.sentence_transformer.modules import Pooling
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    pieces = BertWordPieceTokenizer(word_pieces(texts))
    tokenizer = BertTokenizerFast(tokenizer_object=pieces._tokenizer, model_max_length=limit)
    with torch.random.fork_rng(), TemporaryDirectory() as plain:
        tokenizer.save_pretrained(plain)
        torch.manual_seed(seed)
        config = BertConfig(
            vocab_size=len(tokenizer), hidden_size=width, num_hidden_layers=layers, num_attention_heads=heads,
            intermediate_size=hidden, max_position_embeddings=positions, initializer_range=spread,
        )  # fmt: skip
        model = BertModel(config).eval()
        with torch.no_grad():  # what all tokens share would make any two texts alike
            model.embeddings.token_type_embeddings.weight.zero_()
            model.embeddings.position_embeddings.weight.mul_(0.2)
        model.save_pretrained(plain)
        transformer = Transformer(plain, model_kwargs={"local_files_only": True})
    transformer.max_seq_length = limit
    modules: list[Any] = [transformer, Pooling(width, "mean"), *([Normalize()] if unit else [])]
    SentenceTransformer(modules=modules, device="cpu").save(str(folder), create_model_card=False)
    return folder
