"""Attention alignment: whether an answer's attention falls on the references."""

from ragcortex.readers.reading import Floats


def attention_away(reference_attention: Floats) -> Floats:
    """Return how much of each token's attention falls elsewhere than on the references, float32 (n,), in [0, 1].

    Higher = more likely hallucinated: a token that is written from the references looks at them. Source: the light
    alternative to embeddings in the report that the geometric witness follows (docs/geometry.md).

    Args:
        reference_attention: attention mass on the references' tokens, mean over the pooled layers and heads, (n,).
    """
    away: Floats = (1 - reference_attention).astype("float32")
    return away
