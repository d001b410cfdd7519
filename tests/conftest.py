"""Shared by all tests: no network, a cache of their own, and a tiny reader with random weights."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tiny_readers import write_tiny_reader

# Read by the hub client when it is imported: a test that forgets a fixture fails at once instead of waiting.
os.environ["HF_HUB_OFFLINE"] = "1"
# Haystack and MLflow would tell their makers that tests run.
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"

TINY_LAYERS = 4
TINY_WIDTH = 32
TINY_WINDOW = 1024


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
    from transformers import LlamaConfig

    folder = tmp_path_factory.mktemp("readers") / "tiny-llama"
    write_tiny_reader(
        folder,
        lambda common: LlamaConfig(
            **common, hidden_size=TINY_WIDTH, intermediate_size=64, num_hidden_layers=TINY_LAYERS,
            max_position_embeddings=TINY_WINDOW,
        ),
    )  # fmt: skip
    return folder
