"""Embedding models by name: the embedded one, a folder, a hub id, or an endpoint's address."""

from ragcortex.checks import check_known
from ragcortex.errors import InputError
from ragcortex.geometry.embedders.embedder import DTYPES, FLOAT32, Embedder
from ragcortex.settings import settings


def load_embedder(
    source: str | None = None,
    *,
    device: str | None = None,
    dtype: str | None = None,
    dimension: int | None = None,
    model: str | None = None,
) -> Embedder:
    """Return the embedding model named by `source`, ready to embed.

    Args:
        source: `embedded`, a folder in sentence-transformers' format, a hub id that is on this machine, or the base
            address of an endpoint (`http://…`, `https://…`); by default `RAGCORTEX_EMBEDDER`, else `embedded`.
        device: `cpu`, `cuda`, `cuda:N` or `mps`, for a model on this machine.
        dtype: `float32` or `bfloat16`, for a model on this machine; by default `RAGCORTEX_EMBEDDER_DTYPE`, else
            float32. In bfloat16 `identity` stays the same, and reports say in which precision was embedded.
        dimension: keep this many components of each vector (models that can be truncated).
        model: the model's name at an endpoint; by default `RAGCORTEX_EMBEDDINGS_MODEL`.

    Raises:
        ModelMissingError: it is not on this machine; the message says how to fetch it. Nothing is downloaded.
        ModelError: its files cannot be loaded.
        InputError: an argument does not go with this kind of model.
    """
    source = source or settings().embedder or "embedded"
    if source.startswith(("http://", "https://")):
        from ragcortex.geometry.embedders.http import HttpEmbedder

        if device is not None:
            raise InputError("device", f"does not go with an endpoint, got {device!r}; leave it out")
        if dtype not in (None, FLOAT32):
            raise InputError("dtype", f"must be float32 for an endpoint, got {dtype!r}; leave it out")
        model = model or settings().embeddings_model
        if model is None:
            raise InputError(
                "model", "is missing; an endpoint needs the name of its embedding model: set RAGCORTEX_EMBEDDINGS_MODEL"
            )
        return HttpEmbedder(source, model, dimensions=dimension)
    from ragcortex.geometry.embedders.sentence_transformer import SentenceTransformerEmbedder

    if model is not None:
        raise InputError("model", f"goes only with an endpoint's address, got {model!r} with {source!r}")
    return SentenceTransformerEmbedder.load(source, device=device, dtype=_dtype(dtype), dimension=dimension)


def _dtype(given: str | None) -> str:
    """Return the precision asked for here, else by the environment, else float32.

    Raises:
        InputError: the environment names one that is not known.
    """
    if given is not None:
        return given
    found = settings().embedder_dtype
    if found is None:
        return FLOAT32
    check_known("RAGCORTEX_EMBEDDER_DTYPE", found, DTYPES)
    return found
