"""The environment, read in one place."""

from pathlib import Path

import pytest

from ragcortex.settings import settings


def test_what_the_environment_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("DEVICE", "DTYPE", "DATA", "EMBEDDER", "EMBEDDER_DTYPE", "EMBEDDINGS_MODEL", "EMBEDDINGS_KEY"):
        monkeypatch.delenv(f"RAGCORTEX_{name}", raising=False)
    monkeypatch.setenv("RAGCORTEX_CACHE", str(tmp_path))
    found = settings()
    assert found.cache_dir == tmp_path
    assert found.embedder_dtype is None
    assert (found.device, found.dtype, found.data_dir, found.embedder, found.embeddings_key) == (None,) * 5
    monkeypatch.setenv("RAGCORTEX_EMBEDDER", "some/model")
    monkeypatch.setenv("RAGCORTEX_EMBEDDER_DTYPE", "bfloat16")
    monkeypatch.setenv("RAGCORTEX_EMBEDDINGS_MODEL", "small")
    monkeypatch.setenv("RAGCORTEX_EMBEDDINGS_KEY", "sk-secret")
    found = settings()
    assert (found.embedder, found.embeddings_model, found.embeddings_key) == ("some/model", "small", "sk-secret")
    assert found.embedder_dtype == "bfloat16"
    assert "sk-secret" not in repr(found)
