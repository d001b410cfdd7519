"""BERT without padding: the library's vectors, whichever rows share a pass, for the models it is meant for alone."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.geometry.embedders import packed_bert
from ragcortex.geometry.embedders.forward import padded
from ragcortex.geometry.embedders.packed_bert import MASKED_TOKENS, PackedBert, passes
from ragcortex.geometry.embedders.sentence_transformer import SentenceTransformerEmbedder


@pytest.fixture(scope="module")
def modules(tiny_embedder_folder: Path) -> tuple[Any, ...]:
    return SentenceTransformerEmbedder.load(str(tiny_embedder_folder), device="cpu")._model.modules


@pytest.fixture(scope="module")
def packed(modules: tuple[Any, ...]) -> PackedBert:
    found = PackedBert.of(modules, "cpu")
    assert found is not None
    return found


def _rows(lengths: list[int]) -> list[list[int]]:
    draw = np.random.default_rng(len(lengths))
    return [draw.integers(5, 60, length).tolist() for length in lengths]


def _one_by_one(modules: tuple[Any, ...], rows: list[list[int]]) -> np.ndarray:
    """Return the library's vectors, a row at a time."""
    return np.concatenate([padded(modules, [row], 0, "cpu") for row in rows])


@given(st.lists(st.integers(1, 24), min_size=1, max_size=9))
@settings(max_examples=25, deadline=None)
def test_a_call_gives_the_library_s_vectors(packed: PackedBert, modules: tuple[Any, ...], lengths: list[int]) -> None:
    rows = _rows(lengths)
    np.testing.assert_allclose(packed(rows), _one_by_one(modules, rows), atol=1e-5)


def test_many_rows_go_through_attention_by_their_length(
    packed: PackedBert, modules: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    lengths = [24, 3, 17, 24, 24, 1, 9, 24, 24, 24, 24, 24, 24, 24]
    assert sum(lengths) > MASKED_TOKENS
    rows = _rows(lengths)
    by_length = packed(rows)
    np.testing.assert_allclose(by_length, _one_by_one(modules, rows), atol=1e-5)
    monkeypatch.setattr(packed_bert, "MASKED_TOKENS", 1_000)
    np.testing.assert_allclose(packed(rows), by_length, atol=1e-5)


def test_the_weights_are_shared(packed: PackedBert, modules: tuple[Any, ...]) -> None:
    model = modules[0].model
    assert packed._words.data_ptr() == model.embeddings.word_embeddings.weight.data_ptr()
    assert packed._layers[0].up[0].data_ptr() == model.encoder.layer[0].intermediate.dense.weight.data_ptr()


@given(st.lists(st.integers(1, 30), max_size=30), st.integers(1, 60))
def test_passes_hold_every_row_once_in_order_and_as_many_as_fit(lengths: list[int], most: int) -> None:
    found = list(passes(lengths, most))
    assert [index for first, last in found for index in range(first, last)] == list(range(len(lengths)))
    for first, last in found:
        assert last - first == 1 or sum(lengths[first:last]) <= most
    for first, last in found[:-1]:
        assert sum(lengths[first : last + 1]) > most


def test_other_models_devices_and_poolings_are_left_to_the_library(modules: tuple[Any, ...]) -> None:
    from sentence_transformers.sentence_transformer.modules import Pooling

    assert PackedBert.of(modules, "cuda") is None
    assert PackedBert.of((modules[0], Pooling(32, "cls")), "cpu") is None
    assert PackedBert.of((*modules, modules[1]), "cpu") is None


def test_a_model_that_does_something_else_fails_the_trial(
    tiny_embedder_folder: Path, modules: tuple[Any, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = SentenceTransformerEmbedder.load(str(tiny_embedder_folder), device="cpu")._model.modules
    monkeypatch.setattr(other[0].model.encoder.layer[1], "forward", other[0].model.encoder.layer[0].forward)
    assert PackedBert.of(other, "cpu") is None
    assert PackedBert.of(modules, "cpu") is not None
