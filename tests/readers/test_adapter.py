"""A tuned reader's arrays: kept, loaded strictly, merged without peft; and a reader with an adapter of its own."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from planted_answers import planted_answers

from ragcortex.errors import BundleError
from ragcortex.readers._hf import decoder
from ragcortex.readers.adapter import LowRank, adapter_arrays, inject, merge, shared_copy, with_adapter
from ragcortex.readers.reader import Reader
from ragcortex.readers.reading import ReadingSpec
from ragcortex.readers.token_classifier import ClassifierForm, TokenClassifier
from ragcortex.readers.tuning import tune
from ragcortex.readers.tuning_options import TuningOptions

SHAPE = LowRank(rank=3, alpha=12, dropout=0.0)
ADAPTER = ClassifierForm(weights="adapter", precision="float32", low_rank=SHAPE)
EXAMPLES = planted_answers(3)


@pytest.fixture(scope="module")
def reader(tiny_reader_folder: Path) -> Reader:
    return Reader.load(str(tiny_reader_folder))


def _tuned(reader: Reader, form: ClassifierForm) -> TokenClassifier:
    return tune(reader, EXAMPLES, TuningOptions(form, learning_rate=5e-3, n_epochs=1)).classifier


@pytest.fixture(scope="module")
def trained_adapter(reader: Reader) -> TokenClassifier:
    return _tuned(reader, ADAPTER)


def test_a_merged_adapter_gives_the_scores_of_the_one_beside_the_weights(
    reader: Reader, trained_adapter: TokenClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays = trained_adapter.arrays()
    monkeypatch.setitem(__import__("sys").modules, "peft", None)  # using an adapter needs no peft
    loaded = TokenClassifier.from_arrays(reader, ADAPTER, arrays)
    for got, expected in zip(loaded.scores(EXAMPLES), trained_adapter.scores(EXAMPLES), strict=True):
        np.testing.assert_allclose(got, expected, atol=1e-5)
    names = [name for name in arrays if name.startswith("adapter.")]
    assert {name.rsplit(".", 2)[1] for name in names} == {"lora_A", "lora_B"}
    assert len(names) == 2 * 7 * 4, "seven linear layers in each of four layers"
    assert sum(array.size for array in arrays.values()) < 0.5 * sum(
        w.numel() for w in trained_adapter.stack.parameters()
    )


def test_the_merged_weight_is_the_weight_and_the_scaled_product(
    reader: Reader, trained_adapter: TokenClassifier
) -> None:
    stack = shared_copy(decoder(reader.loaded.model))
    arrays = adapter_arrays(trained_adapter.stack)
    before = {name: weight.clone() for name, weight in stack.named_parameters()}
    merge(stack, arrays, SHAPE)
    layer = "layers.1.mlp.up_proj"
    down, up = arrays[f"{layer}.lora_A.weight"], arrays[f"{layer}.lora_B.weight"]
    expected = before[f"{layer}.weight"].numpy().astype(np.float64) + 4.0 * up.astype(np.float64) @ down
    np.testing.assert_allclose(dict(stack.named_parameters())[f"{layer}.weight"], expected, atol=1e-6)
    untouched = [name for name in before if "proj" not in name]
    assert untouched
    assert all(torch.equal(dict(stack.named_parameters())[name], before[name]) for name in untouched)


@pytest.mark.parametrize("depth", [None, 3])
def test_full_arrays_round_trip_to_the_bit(reader: Reader, depth: int | None) -> None:
    form = ClassifierForm(depth=depth)
    tuned = _tuned(reader, form)
    loaded = TokenClassifier.from_arrays(reader, form, tuned.arrays())
    for got, expected in zip(loaded.scores(EXAMPLES), tuned.scores(EXAMPLES), strict=True):
        np.testing.assert_array_equal(got, expected)
    assert len(loaded.stack.layers) == (depth or 4)


def test_a_reader_with_an_adapter_reads_otherwise_and_says_so(reader: Reader, trained_adapter: TokenClassifier) -> None:
    arrays = adapter_arrays(trained_adapter.stack)
    spec = ReadingSpec(layers=(4,), final_norm=True, log_probs=True)
    before = reader.read_one(EXAMPLES[0], spec)
    tuned = Reader(with_adapter(reader.loaded, arrays, SHAPE))
    reading = tuned.read_one(EXAMPLES[0], spec)
    tokens = tuned.tokenize(EXAMPLES[0].answer)
    head = trained_adapter.head
    logits = reading.blocks[0].ref.hidden[4] @ head.weight.detach().numpy()[0] + head.bias.detach().numpy()
    (expected,) = trained_adapter.scores(EXAMPLES[:1])
    np.testing.assert_allclose(1 / (1 + np.exp(-logits)), expected, atol=1e-4)
    assert len(expected) == len(tokens)
    assert tuned.identity.fingerprint != reader.identity.fingerprint
    assert replace(tuned.identity, fingerprint="") == replace(reader.identity, fingerprint="")
    again = with_adapter(reader.loaded, arrays, SHAPE)
    assert again.identity == tuned.identity
    changed = {name: array + (name == next(iter(arrays))) * 1e-3 for name, array in arrays.items()}
    assert with_adapter(reader.loaded, changed, SHAPE).identity.fingerprint != tuned.identity.fingerprint
    after = reader.read_one(EXAMPLES[0], spec)
    np.testing.assert_array_equal(before.blocks[0].ref.hidden[4], after.blocks[0].ref.hidden[4])


def test_an_untrained_adapter_changes_nothing(reader: Reader) -> None:
    stack = shared_copy(decoder(reader.loaded.model))
    ids = torch.arange(3, 20)[None]
    with torch.inference_mode():
        before = stack(input_ids=ids).last_hidden_state.clone()
    inject(stack, SHAPE)
    with torch.inference_mode():
        torch.testing.assert_close(stack(input_ids=ids).last_hidden_state, before)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"head.bias": None}, "the token classifier's array 'head.bias' is missing or unknown"),
        ({"extra": np.zeros(1, np.float32)}, "the token classifier's array 'extra' is missing or unknown"),
        (
            {"adapter.layers.0.mlp.up_proj.lora_B.weight": None},
            "the adapter has an unpaired or unknown array 'layers.0.mlp.up_proj.lora_B.weight'",
        ),
        (
            {"head.weight": np.zeros(7, np.float32)},
            "the token classifier's array 'head.weight' has shape (1, 7), expected (1, 32)",
        ),
    ],
)
def test_arrays_that_are_not_this_classifiers(
    reader: Reader, trained_adapter: TokenClassifier, change: dict[str, Any], message: str
) -> None:
    arrays = {name: array for name, array in {**trained_adapter.arrays(), **change}.items() if array is not None}
    with pytest.raises(BundleError) as error:
        TokenClassifier.from_arrays(reader, ADAPTER, arrays)
    assert str(error.value) == message


def test_adapters_of_another_reader_rank_or_kind(reader: Reader, trained_adapter: TokenClassifier) -> None:
    arrays = adapter_arrays(trained_adapter.stack)
    stack = shared_copy(decoder(reader.loaded.model))
    cases = [
        ({}, SHAPE, "the adapter has no arrays"),
        (arrays, replace(SHAPE, rank=4), "the adapter's layer 'layers.0.mlp.down_proj' has rank 3, expected 4"),
        (
            {name.replace("layers.3", "layers.9"): array for name, array in arrays.items()},
            SHAPE,
            "the adapter's layer 'layers.9.mlp.down_proj' is not one of this reader",
        ),
    ]
    for given, shape, message in cases:
        with pytest.raises(BundleError) as error:
            merge(stack, given, shape)
        assert str(error.value) == message
    full = ClassifierForm()
    with pytest.raises(BundleError) as error:
        TokenClassifier.from_arrays(reader, full, {"head.weight": np.zeros(32), "head.bias": np.zeros(1)})
    assert str(error.value) == "the token classifier's array 'embed_tokens.weight' is missing or unknown"
