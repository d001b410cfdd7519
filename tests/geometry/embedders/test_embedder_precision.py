"""Embedding models in bfloat16: near the vectors of float32, under the same identity, and asked for by known names."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragcortex.errors import InputError
from ragcortex.geometry.embedders.cached import RememberingEmbedder
from ragcortex.geometry.embedders.embedder import Embedder, dtype_of
from ragcortex.geometry.embedders.load import load_embedder
from ragcortex.geometry.embedders.packed_bert import PackedBert
from ragcortex.geometry.embedders.sentence_transformer import SentenceTransformerEmbedder
from ragcortex.service.one_at_a_time import OneAtATime

SENTENCES = (
    "The lighthouse at Cape Arden was built in 1874 and stands 41 metres above the sea.",
    "It was designed by the engineer Mary Holt.",
    "Who built it?",
)
LONG = " ".join(SENTENCES[:2] * 3)
TEXTS = (*SENTENCES, LONG)


@pytest.fixture(autouse=True)
def _no_precision_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGCORTEX_EMBEDDER_DTYPE", raising=False)


def tiny(folder: Path, **options: Any) -> SentenceTransformerEmbedder:
    loaded = load_embedder(str(folder), device="cpu", **options)
    assert isinstance(loaded, SentenceTransformerEmbedder)
    return loaded


@pytest.mark.parametrize("without_padding", [True, False])
def test_vectors_in_bfloat16_are_float32_and_near(
    tiny_embedder_folder: Path, monkeypatch: pytest.MonkeyPatch, without_padding: bool
) -> None:
    if not without_padding:
        monkeypatch.setattr(PackedBert, "of", lambda *_: None)
    whole, half = tiny(tiny_embedder_folder), tiny(tiny_embedder_folder, dtype="bfloat16")
    assert (half._model.packed is not None) == without_padding
    assert (whole.dtype, half.dtype) == ("float32", "bfloat16")
    assert half.identity == whole.identity
    expected, got = whole.embed(TEXTS), half.embed(TEXTS)
    assert got.unit.dtype == got.norms.dtype == np.float32
    cosines = (expected.unit * got.unit).sum(axis=1)
    assert cosines.min() > 0.999
    assert np.abs(expected.unit - got.unit).max() > 1e-6  # it is another precision indeed
    np.testing.assert_allclose(got.norms, expected.norms, rtol=0.02)


def test_whichever_texts_share_a_pass(tiny_embedder_folder: Path) -> None:
    half = tiny(tiny_embedder_folder, dtype="bfloat16")
    alone = np.concatenate([half.embed([text]).unit for text in TEXTS])
    np.testing.assert_allclose(half.embed(TEXTS).unit, alone, atol=5e-3)


def test_layers_alone_are_in_bfloat16(tiny_embedder_folder: Path) -> None:
    packed = tiny(tiny_embedder_folder, dtype="bfloat16")._model.packed
    assert packed is not None
    assert {str(weight.dtype) for pair in (packed._norm, (packed._words, packed._places)) for weight in pair} == {
        "torch.float32"
    }
    assert str(packed._layers[0].query[0].dtype) == "torch.bfloat16"


def test_the_environment_says_it_unless_an_argument_does(
    tiny_embedder_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert tiny(tiny_embedder_folder).dtype == "float32"
    monkeypatch.setenv("RAGCORTEX_EMBEDDER_DTYPE", "bfloat16")
    assert tiny(tiny_embedder_folder).dtype == "bfloat16"
    assert tiny(tiny_embedder_folder, dtype="float32").dtype == "float32"
    # An endpoint's precision is its own.
    dtype_of(load_embedder("http://127.0.0.1:9", model="m"))


def test_unknown_precisions_are_refused(tiny_embedder_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for source, dtype, message in (
        (str(tiny_embedder_folder), "float16", "dtype: must be one of float32, bfloat16, got 'float16'"),
        (str(tiny_embedder_folder), "", "dtype: must be one of float32, bfloat16, got ''"),
        ("http://127.0.0.1:9", "bfloat16", "dtype: must be float32 for an endpoint, got 'bfloat16'; leave it out"),
    ):
        with pytest.raises(InputError) as caught:
            load_embedder(source, dtype=dtype, model="m" if source.startswith("http") else None)
        assert str(caught.value) == message
    monkeypatch.setenv("RAGCORTEX_EMBEDDER_DTYPE", "half")
    with pytest.raises(InputError) as caught:
        load_embedder(str(tiny_embedder_folder))
    assert str(caught.value) == "RAGCORTEX_EMBEDDER_DTYPE: must be one of float32, bfloat16, got 'half'"


def test_who_wraps_an_embedder_says_its_precision(tiny_embedder_folder: Path) -> None:
    half = tiny(tiny_embedder_folder, dtype="bfloat16")
    wrapped: tuple[Embedder, ...] = (half, RememberingEmbedder(half), OneAtATime(lambda: half))
    assert [dtype_of(one) for one in wrapped] == ["bfloat16"] * 3


@pytest.mark.weights
def test_the_embedded_encoder_moves_by_no_more_than_is_documented() -> None:
    texts = [
        *SENTENCES,
        "Adults take one tablet twice a day with water.",
        "The contract may be ended with three months' notice.",
        "Sales rose by 12 % in 2023, after two years of losses.",
    ]
    whole = load_embedder("embedded", device="cpu", dtype="float32").embed(texts).unit
    half = load_embedder("embedded", device="cpu", dtype="bfloat16").embed(texts).unit
    assert (whole * half).sum(axis=1).min() > 0.9998
    assert np.abs(half @ half.T - whole @ whole.T).max() < 0.008
    assert np.abs(half @ whole.T - whole @ whole.T).max() < 0.008
