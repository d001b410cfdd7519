"""Vectors of a tiny BERT: those of the library where nothing is cut, the pooled ones of pieces where it would cut."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragcortex.errors import InputError
from ragcortex.geometry.embedders.forward import plan
from ragcortex.geometry.embedders.load import load_embedder
from ragcortex.geometry.embedders.location import locate
from ragcortex.geometry.embedders.sentence_transformer import SentenceTransformerEmbedder

LIMIT = 24
TEXTS = (
    "The lighthouse was built in 1874.",
    "It was designed by the engineer Mary Holt, at Cape Arden.",
    "Who built it?",
    "sea",
    "灯台は海の上に立っている。",
)
LONG = "The lighthouse at Cape Arden was built in 1874. It stands above the sea. Mary Holt designed it. " * 5


@pytest.fixture(scope="module")
def embedder(tiny_embedder_folder: Path) -> SentenceTransformerEmbedder:
    return SentenceTransformerEmbedder.load(str(tiny_embedder_folder), device="cpu")


@pytest.fixture(scope="module")
def library(tiny_embedder_folder: Path) -> Any:
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(tiny_embedder_folder), device="cpu", local_files_only=True)


@pytest.fixture
def folder(tiny_embedder_folder: Path, tmp_path: Path) -> Path:
    """Return a copy of the tiny embedder, to be changed."""
    return Path(shutil.copytree(tiny_embedder_folder, tmp_path / "embedder"))


def _plain(library: Any, rows: list[list[int]]) -> np.ndarray:
    """Return mean token states of rows of ids, one row at a time, as transformers gives them."""
    import torch

    with torch.inference_mode():
        states = [library[0].model(input_ids=torch.tensor([row])).last_hidden_state[0] for row in rows]
        return np.stack([part.mean(dim=0).numpy() for part in states])


def test_identity(embedder: SentenceTransformerEmbedder, tiny_embedder_folder: Path) -> None:
    identity = embedder.identity
    assert (identity.id, identity.revision, identity.dimension, identity.max_tokens) == ("tiny-bert", None, 32, LIMIT)
    assert identity.fingerprint == locate(str(tiny_embedder_folder)).fingerprint


def test_short_texts_get_the_library_s_vectors_and_their_lengths(
    embedder: SentenceTransformerEmbedder, library: Any
) -> None:
    made = embedder.embed(TEXTS)
    np.testing.assert_allclose(made.unit, library.encode(list(TEXTS)), atol=1e-6)
    ids = [library.tokenizer(text)["input_ids"] for text in TEXTS]
    assert max(map(len, ids)) <= LIMIT
    plain = _plain(library, ids)
    np.testing.assert_allclose(made.unit * made.norms[:, None], plain, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(made.unit, axis=1), 1, atol=1e-6)


def test_long_texts_are_pooled_from_pieces_that_hold_every_token(
    embedder: SentenceTransformerEmbedder, library: Any
) -> None:
    ids = embedder._model.tokenizer.encode(LONG).ids
    assert len(ids) > 4 * LIMIT
    rows = embedder._rows(LONG, embedder._model.tokenizer.encode(LONG))
    assert [token for row, _ in rows for token in row[1:-1]] == ids[1:-1]
    assert all((row[0], row[-1]) == (ids[0], ids[-1]) and len(row) == size + 2 <= LIMIT for row, size in rows)
    plain = _plain(library, [list(row) for row, _ in rows])
    expected = sum(size * vector for (_, size), vector in zip(rows, plain, strict=True)) / (len(ids) - 2)
    made = embedder.embed([TEXTS[0], LONG])
    np.testing.assert_allclose(made.unit[1] * made.norms[1], expected, atol=1e-5)
    np.testing.assert_allclose(made.unit[0], embedder.embed([TEXTS[0]]).unit[0], atol=1e-6)


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), min_size=1, max_size=90))
@settings(max_examples=60, deadline=None)
def test_every_token_of_any_text_is_in_exactly_one_piece(embedder: SentenceTransformerEmbedder, text: str) -> None:
    encoding = embedder._model.tokenizer.encode(text)
    rows = embedder._rows(text, encoding)
    assert [token for row, _ in rows for token in row[1:-1]] == encoding.ids[1:-1]
    assert all(len(row) <= LIMIT for row, _ in rows)


def test_batch_and_order_change_nothing(embedder: SentenceTransformerEmbedder) -> None:
    """M1: alone, together, shuffled, beside long neighbours, packed or padded."""
    many = [*TEXTS, LONG, *(f"{text} {number}" for number in range(40) for text in TEXTS[:2])]
    together = embedder.embed(many)
    for place in (0, 3, 5, 44):
        alone = embedder.embed([many[place]])
        np.testing.assert_allclose(together.unit[place], alone.unit[0], atol=1e-6)
        np.testing.assert_allclose(together.norms[place], alone.norms[0], rtol=1e-6)
    order = np.random.default_rng(3).permutation(len(many))
    shuffled = embedder.embed([many[place] for place in order])
    np.testing.assert_allclose(shuffled.unit, together.unit[order], atol=1e-6)
    few = embedder.embed(TEXTS)
    np.testing.assert_allclose(few.unit, together.unit[: len(TEXTS)], atol=1e-6)
    assert np.array_equal(few.unit, embedder.embed(TEXTS).unit)


@given(st.lists(st.integers(1, 300), max_size=80), st.integers(1, 2_000))
def test_plan_puts_every_row_in_one_pass_within_bounds(lengths: list[int], most: int) -> None:
    batches = plan(lengths, most)
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        longest = max(lengths[index] for index in batch)
        assert len(batch) == 1 or len(batch) * longest <= most
        assert sum(longest - lengths[index] for index in batch) <= 40


def test_dimension_is_cut_before_normalising(embedder: SentenceTransformerEmbedder, folder: Path) -> None:
    short = SentenceTransformerEmbedder.load(str(folder), device="cpu", dimension=8)
    whole = embedder.embed([*TEXTS, LONG])
    made = short.embed([*TEXTS, LONG])
    raw = (whole.unit * whole.norms[:, None])[:, :8]
    assert (short.identity.dimension, made.unit.shape) == (8, (6, 8))
    np.testing.assert_allclose(made.norms, np.linalg.norm(raw, axis=1), rtol=1e-5)
    np.testing.assert_allclose(made.unit, raw / np.linalg.norm(raw, axis=1, keepdims=True), atol=1e-6)
    for bad in (33, 0, True, 2.5):
        with pytest.raises(InputError) as caught:
            SentenceTransformerEmbedder.load(str(folder), device="cpu", dimension=bad)  # type: ignore[arg-type]
        assert str(caught.value) == f"dimension: must be a whole number from 1 to the model's 32, got {bad!r}"


def test_no_text_gives_no_vector_and_a_blank_one_is_refused(embedder: SentenceTransformerEmbedder) -> None:
    assert embedder.embed([]).unit.shape == (0, 32)
    with pytest.raises(InputError) as caught:
        embedder.embed(["a", "\n "])
    assert str(caught.value) == "texts[1]: must not be blank"
    embedder.warm_up()


def _set(folder: Path, name: str, **values: Any) -> None:
    path = folder / name
    path.write_text(json.dumps({**json.loads(path.read_text()), **values}))


def test_the_configuration_s_prompt_and_truncation_are_kept(folder: Path, library: Any) -> None:
    prompt = "sea: "
    _set(
        folder, "config_sentence_transformers.json", prompts={"all": prompt}, default_prompt_name="all", truncate_dim=16
    )
    embedder = SentenceTransformerEmbedder.load(str(folder), device="cpu")
    made = embedder.embed([*TEXTS, LONG])
    expected = library.encode([prompt + text for text in TEXTS])[:, :16]
    np.testing.assert_allclose(made.unit[:-1], expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-6)
    rows = embedder._rows(LONG, embedder._model.tokenizer.encode(prompt + LONG))
    head = library.tokenizer(prompt)["input_ids"][:-1]
    assert all(list(row[: len(head)]) == head and len(row) <= LIMIT for row, _ in rows)
    assert [token for row, _ in rows for token in row[len(head) : -1]] == library.tokenizer(LONG)["input_ids"][1:-1]


def test_dense_layers_and_first_token_pooling_run_as_in_the_library(folder: Path, tmp_path: Path) -> None:
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.base.modules import Dense
    from sentence_transformers.sentence_transformer.modules import Pooling

    with torch.random.fork_rng():
        torch.manual_seed(1)
        parts = list(SentenceTransformer(str(folder), device="cpu", local_files_only=True))
        whole = SentenceTransformer(modules=[parts[0], Pooling(32, "cls"), Dense(32, 12)], device="cpu")
    whole.save(str(tmp_path / "dense"), create_model_card=False)
    embedder = SentenceTransformerEmbedder.load(str(tmp_path / "dense"), device="cpu")
    made = embedder.embed(TEXTS)
    np.testing.assert_allclose(made.unit * made.norms[:, None], whole.encode(list(TEXTS)), atol=1e-5)
    assert (embedder.identity.dimension, embedder._model.packed) == (12, None)


def test_load_by_name(tiny_embedder_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGCORTEX_EMBEDDER", str(tiny_embedder_folder))
    assert load_embedder(device="cpu", dimension=4).identity.dimension == 4
    with pytest.raises(InputError) as caught:
        load_embedder(str(tiny_embedder_folder), model="m")
    assert str(caught.value) == (
        f"model: goes only with an endpoint's address, got 'm' with {str(tiny_embedder_folder)!r}"
    )
