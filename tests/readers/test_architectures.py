"""Every supported architecture against a plain reading with transformers' own eager attention, and its invariances."""

from typing import Any

import numpy as np
import pytest
import torch

from architectures import SLIDING_WINDOW, VOCABULARY, loaded_model, model_of, plain_reading
from ragcortex.errors import ReadingError
from ragcortex.readers.forward import forward, packed_forward
from ragcortex.readers.models import LoadedModel
from ragcortex.readers.packing import can_pack
from ragcortex.readers.reading import Block, PassArrays, ReadingSpec
from ragcortex.readers.token_batch import TokenSequence

N_LAYERS = 4
FULL = ReadingSpec(layers=(0, 1, 2, 3, 4), attention_layers=None, log_probs=True)
_TOLERANCE = 1e-4


def _sequence(seed: int, n_prefix: int, n_answer: int) -> TokenSequence:
    ids = np.random.default_rng(seed).integers(3, VOCABULARY, n_prefix + n_answer).tolist()
    return TokenSequence(tuple(ids[:n_prefix]), tuple(ids[n_prefix:]), (2, n_prefix - 2))


ONE = _sequence(0, 14, 9)
BATCH = [ONE, _sequence(1, 6, 3), _sequence(2, 40, 25), _sequence(3, 7, 1)]
assert len(ONE) > SLIDING_WINDOW


@pytest.fixture(scope="module")
def eager(architecture: str) -> Any:
    return model_of(architecture, "eager")


def read(
    loaded: LoadedModel, *sequences: TokenSequence, spec: ReadingSpec = FULL, side: str = "right"
) -> list[PassArrays]:
    if side == "packed":
        return packed_forward(loaded, sequences, spec)
    return forward(loaded, sequences, spec, padding_side=side)


def assert_close(got: PassArrays, expected: PassArrays, tolerance: float = _TOLERANCE) -> None:
    """Compare every array; those of states relative to the largest of them."""
    assert got.arrays().keys() == expected.arrays().keys()
    for name, array in got.arrays().items():
        scale = max(1.0, float(np.abs(expected.arrays()[name]).max())) if name.startswith("hidden") else 1.0
        np.testing.assert_allclose(array / scale, expected.arrays()[name] / scale, atol=tolerance, rtol=0, err_msg=name)


def test_reading_equals_eager_attention(loaded: LoadedModel, eager: Any) -> None:
    (got,) = read(loaded, ONE)
    expected = plain_reading(eager, ONE, FULL)
    for layer, states in enumerate(expected.hidden):
        np.testing.assert_allclose(got.hidden[layer] / np.abs(states).max(), states / np.abs(states).max(), atol=1e-5)
    np.testing.assert_allclose(got.log_prob, expected.log_prob, atol=1e-4)
    np.testing.assert_allclose(got.entropy, expected.entropy, atol=1e-4)
    np.testing.assert_allclose(got.attention, expected.attention, atol=1e-5)
    np.testing.assert_allclose(got.reference_attention, expected.reference_attention, atol=1e-5)
    assert got.attention is not None
    assert not np.triu(got.attention, k=1).any()
    assert got.attention[-1].max() > 1.4 * got.attention[-1].min(), "the test is weak if attention is uniform"


def test_final_norm_is_applied_to_every_layer_asked_for(loaded: LoadedModel, eager: Any) -> None:
    spec = ReadingSpec(layers=(0, 2, 4), final_norm=True)
    (got,) = read(loaded, ONE, spec=spec)
    expected = plain_reading(eager, ONE, spec)
    for layer in spec.layers:
        np.testing.assert_allclose(got.hidden[layer], expected.normed[layer], atol=1e-4)


@pytest.mark.parametrize(("layers", "heads"), [((1,), None), ((2, 4), None), (None, (0, 3)), ((3,), (2,))], ids=str)
def test_chosen_layers_and_heads(
    loaded: LoadedModel, eager: Any, layers: tuple[int, ...] | None, heads: tuple[int, ...] | None
) -> None:
    spec = ReadingSpec(attention_layers=layers, attention_heads=heads)
    (got,) = read(loaded, ONE, spec=spec)
    expected = plain_reading(eager, ONE, spec)
    np.testing.assert_allclose(got.attention, expected.attention, atol=1e-5)
    np.testing.assert_allclose(got.reference_attention, expected.reference_attention, atol=1e-5)


@pytest.mark.parametrize("side", ["right", "left", "packed"])
@pytest.mark.parametrize("reverse", [False, True], ids=["in order", "reversed"])
def test_batch_padding_and_order_change_nothing(loaded: LoadedModel, side: str, reverse: bool) -> None:
    sequences = BATCH[::-1] if reverse else BATCH
    together = read(loaded, *sequences, side=side)
    for sequence, got in zip(sequences, together, strict=True):
        assert_close(got, read(loaded, sequence)[0])


def test_what_prefixes_share_is_read_once_and_changes_nothing(loaded: LoadedModel) -> None:
    """Both passes over two answers, two windows of references, and a stranger, in one row."""
    question, answers = _sequence(4, 10, 1).prefix, (_sequence(5, 6, 12).answer, _sequence(6, 6, 3).answer)
    prefixes = [((*question, *_sequence(7 + n, 20 + n, 1).prefix), (12, 25)) for n in range(2)]
    sequences = [TokenSequence(ids, answer, columns) for ids, columns in prefixes for answer in answers]
    sequences += [TokenSequence((*question, 5, 6), answer, None) for answer in answers]
    sequences += [ONE, TokenSequence(ONE.prefix, ONE.answer, None)]
    assert can_pack(loaded)
    for spec in (FULL, ReadingSpec(layers=(2,), attention_layers=(1, 2), attention_heads=(0, 3))):
        for sequence, got in zip(sequences, read(loaded, *sequences, spec=spec, side="packed"), strict=True):
            assert_close(got, read(loaded, sequence, spec=spec)[0])


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e30])
def test_numbers_that_overflow_are_no_obstacle_to_packing(architecture: str, value: float) -> None:
    broken = loaded_model(architecture)
    with torch.no_grad():
        broken.model.model.layers[1].mlp.down_proj.weight[0, 0] = value
    can_pack(broken)  # must neither warn nor fail; what is read then is refused with the array's name


def test_left_padding_alone_equals_right(loaded: LoadedModel) -> None:
    assert_close(read(loaded, ONE, side="left")[0], read(loaded, ONE)[0])


def test_pass_without_references_pools_nothing(loaded: LoadedModel) -> None:
    with_references, without = (TokenSequence(ONE.prefix, ONE.answer, refs) for refs in ((2, 5), None))
    arrays = read(loaded, without)[0].arrays()
    expected = read(loaded, with_references)[0].arrays()
    assert expected.keys() - arrays.keys() == {"attention", "reference_attention"}
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, expected[name])


@pytest.mark.parametrize("side", ["right", "left", "packed"])
@pytest.mark.parametrize("changed", [1, 5, 8])
def test_a_later_token_changes_nothing_before_it(loaded: LoadedModel, changed: int, side: str) -> None:
    """M2: causality holds in every layer, for states, likelihoods and attention alike."""
    answer = list(ONE.answer)
    answer[changed] = 3 if answer[changed] != 3 else 4
    before = read(loaded, ONE, BATCH[2], side=side)[0]
    after = read(loaded, TokenSequence(ONE.prefix, tuple(answer), ONE.references), BATCH[2], side=side)[0]
    for name, array in before.arrays().items():
        np.testing.assert_allclose(array[:changed], after.arrays()[name][:changed], atol=1e-6, rtol=1e-6)
    # The distribution a token is drawn from does not see it either, while its own state does.
    np.testing.assert_allclose(before.entropy[: changed + 1], after.entropy[: changed + 1], atol=1e-6)
    assert not np.allclose(before.hidden[4][changed], after.hidden[4][changed])


@pytest.mark.parametrize("depth", range(N_LAYERS))
def test_stopping_early_gives_the_states_of_the_full_depth(loaded: LoadedModel, depth: int) -> None:
    calls: list[int] = []
    layers = loaded.model.model.layers
    handles = [
        layer.register_forward_hook(lambda *_, index=index: calls.append(index)) for index, layer in enumerate(layers)
    ]
    (got,) = read(loaded, ONE, spec=ReadingSpec(layers=(depth,)))
    for handle in handles:
        handle.remove()
    assert calls == list(range(depth))
    np.testing.assert_array_equal(got.hidden[depth], read(loaded, ONE)[0].hidden[depth])


def test_default_attention_is_of_all_layers_whatever_else_is_read(loaded: LoadedModel) -> None:
    """The layer of the hidden states is chosen after reading many: attention must not depend on that choice."""
    (shallow,) = read(loaded, ONE, spec=ReadingSpec(layers=(2,), attention_layers=None))
    (deep,) = read(loaded, ONE)
    np.testing.assert_array_equal(shallow.attention, deep.attention)
    np.testing.assert_array_equal(shallow.hidden[2], deep.hidden[2])


def test_bfloat16(architecture: str, loaded: LoadedModel) -> None:
    """In bfloat16 attention is within 0.05 of float32's and of eager's, and a batch within 5 % of the largest state."""
    half = loaded_model(architecture, torch.bfloat16)
    eager = plain_reading(model_of(architecture, "eager", torch.bfloat16), ONE, FULL)
    (full,) = read(loaded, ONE)
    (got,) = read(half, ONE)
    for expected in (eager, full):
        np.testing.assert_allclose(got.attention, expected.attention, atol=0.05)
        np.testing.assert_allclose(got.reference_attention, expected.reference_attention, atol=0.05)
    assert {array.dtype for array in got.arrays().values()} == {np.dtype(np.float32)}
    together = read(half, *BATCH, side="left")[0]
    for layer, states in got.hidden.items():
        np.testing.assert_allclose(together.hidden[layer], states, rtol=0, atol=0.05 * np.abs(states).max())


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_not_finite_are_reported_by_name(value: float) -> None:
    loaded = loaded_model("llama")
    with torch.no_grad():
        loaded.model.model.layers[1].mlp.down_proj.weight[0, 0] = value
    (arrays,) = read(loaded, ONE)
    with pytest.raises(ReadingError) as caught:
        Block(0, len(ONE.answer), 0, 0, arrays, arrays)
    assert str(caught.value) == (
        "ref.hidden.2 is not finite: the reader's numbers overflow in this precision; read in float32 or bfloat16"
    )


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (ReadingSpec(layers=(5,)), "the reader has layers 0 to 4, the detector asks for 5"),
        (ReadingSpec(attention_layers=(2, 9)), "the reader has layers 0 to 4, the detector asks for 9"),
        (
            ReadingSpec(attention_layers=None, attention_heads=(1, 4)),
            "the reader has attention heads 0 to 3, the detector asks for 4",
        ),
    ],
    ids=["layer", "attention layer", "head"],
)
def test_what_the_model_does_not_have_is_refused(spec: ReadingSpec, message: str) -> None:
    with pytest.raises(ReadingError) as caught:
        read(loaded_model("llama"), ONE, spec=spec)
    assert str(caught.value) == message


def test_attention_that_bypasses_the_interface_is_refused() -> None:
    loaded = loaded_model("llama")
    loaded.model.set_attn_implementation("eager")
    with pytest.raises(ReadingError) as caught:
        read(loaded, ONE)
    assert str(caught.value) == (
        "attention was pooled in 0 of 4 layers: this architecture does not use transformers' attention interface in "
        "every layer; choose attention_layers that do"
    )
