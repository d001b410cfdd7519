"""The one place that reads the environment."""

import os
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Settings:
    """What the environment says.

    Attributes:
        cache_dir: where models and readings are cached (`RAGCORTEX_CACHE`, else the user's cache folder).
        device: the device to read on (`RAGCORTEX_DEVICE`), None to choose by what the machine has.
        dtype: the precision to read in (`RAGCORTEX_DTYPE`), None to choose by device.
        data_dir: the folder of annotated data for tests and benchmarks (`RAGCORTEX_DATA`), None if there is none.
        embedder: the embedding model to use (`RAGCORTEX_EMBEDDER`), None for the embedded one.
        embedder_dtype: the precision that an embedding model on this machine computes in (`RAGCORTEX_EMBEDDER_DTYPE`),
            None for float32.
        embeddings_model: the name of an embeddings endpoint's model (`RAGCORTEX_EMBEDDINGS_MODEL`), None if not set.
        embeddings_key: the key of an embeddings endpoint (`RAGCORTEX_EMBEDDINGS_KEY`), None if it needs none; never
            printed.
        chat_url: the base address of a chat endpoint (`RAGCORTEX_CHAT_URL`), None if not set.
        chat_model: the name of its model (`RAGCORTEX_CHAT_MODEL`), None if not set.
        chat_key: its key (`RAGCORTEX_CHAT_KEY`), None if it needs none; never printed.
    """

    cache_dir: Path
    device: str | None
    dtype: str | None
    data_dir: Path | None
    embedder: str | None = None
    embedder_dtype: str | None = None
    embeddings_model: str | None = None
    embeddings_key: str | None = field(default=None, repr=False)
    chat_url: str | None = None
    chat_model: str | None = None
    chat_key: str | None = field(default=None, repr=False)


def settings() -> Settings:
    """Return the settings as the environment has them now."""
    from platformdirs import user_cache_path

    cache = os.environ.get("RAGCORTEX_CACHE")
    data = os.environ.get("RAGCORTEX_DATA")
    return Settings(
        cache_dir=Path(cache).expanduser() if cache else user_cache_path("ragcortex"),
        device=os.environ.get("RAGCORTEX_DEVICE") or None,
        dtype=os.environ.get("RAGCORTEX_DTYPE") or None,
        data_dir=Path(data).expanduser() if data else None,
        embedder=os.environ.get("RAGCORTEX_EMBEDDER") or None,
        embedder_dtype=os.environ.get("RAGCORTEX_EMBEDDER_DTYPE") or None,
        embeddings_model=os.environ.get("RAGCORTEX_EMBEDDINGS_MODEL") or None,
        embeddings_key=os.environ.get("RAGCORTEX_EMBEDDINGS_KEY") or None,
        chat_url=os.environ.get("RAGCORTEX_CHAT_URL") or None,
        chat_model=os.environ.get("RAGCORTEX_CHAT_MODEL") or None,
        chat_key=os.environ.get("RAGCORTEX_CHAT_KEY") or None,
    )
