"""A tiny embedding model with random weights, saved by sentence-transformers."""

from pathlib import Path

WIDTH = 32
_TEXTS = (
    "The lighthouse at Cape Arden was built in 1874 and stands 41 metres above the sea.",
    "The harbour of Port Lyle freezes every winter, so ferries stop there for several weeks.",
)


def save_tiny_embedder(folder: Path, seed: int) -> Path:
    """Write a BERT of one layer with mean pooling; two seeds give two models."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    pieces = BertWordPieceTokenizer()
    pieces.train_from_iterator(_TEXTS * 4, vocab_size=160, min_frequency=1, show_progress=False)
    tokenizer = BertTokenizerFast(tokenizer_object=pieces._tokenizer, model_max_length=64)
    tokenizer.save_pretrained(folder / "transformer")
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        config = BertConfig(
            vocab_size=len(tokenizer), hidden_size=WIDTH, num_hidden_layers=1, num_attention_heads=2,
            intermediate_size=WIDTH, max_position_embeddings=64, initializer_range=0.5,
        )  # fmt: skip
        BertModel(config).eval().save_pretrained(folder / "transformer")
    transformer = Transformer(str(folder / "transformer"))
    SentenceTransformer(modules=[transformer, Pooling(WIDTH, "mean")], device="cpu").save(
        str(folder), create_model_card=False
    )
    return folder
