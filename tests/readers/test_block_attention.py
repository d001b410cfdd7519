"""Attention in blocks against softmax by the definition, row by row; values, gradients, and where it is used."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from architectures import CONFIGS, VOCABULARY, model_of
from ragcortex.errors import ReadingError
from ragcortex.readers import block_attention as module
from ragcortex.readers._hf import decoder
from ragcortex.readers.attention import register
from ragcortex.readers.block_attention import block_attention
from ragcortex.readers.packed_row import PackedRow, Segment
from ragcortex.readers.packing import Pack, pack_states

Tensors = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def _segments(n_prefix: int, lengths: list[int]) -> list[Segment]:
    row = PackedRow()
    for length in lengths:
        row.add(range(n_prefix), [0] * length)
    return row.segments()


def _inputs(length: int, n_heads: int, n_keys: int, dtype: torch.dtype = torch.float64) -> Tensors:
    generator = torch.Generator().manual_seed(length)

    def made(heads: int, width: int) -> torch.Tensor:
        return torch.randn(1, heads, length, width, generator=generator, dtype=torch.float64).to(dtype).requires_grad_()

    return made(n_heads, 4), made(n_keys, 4), made(n_keys, 3)


def _by_rows(inputs: Tensors, segments: list[Segment], scaling: float) -> torch.Tensor:
    """Compute one row of one head at a time, from the definition."""
    query, key, value = inputs
    group = query.shape[1] // key.shape[1]
    heads = []
    for head in range(query.shape[1]):
        outputs = []
        for segment in segments:
            for row in range(segment.start, segment.stop):
                seen = [column for start, stop in segment.before for column in range(start, stop)]
                seen += range(segment.start, row + 1)
                scores = key[0, head // group, seen] @ query[0, head, row] * scaling
                outputs.append(torch.softmax(scores, dim=0) @ value[0, head // group, seen])
        heads.append(torch.stack(outputs))
    return torch.stack(heads)[None]


@settings(deadline=None, max_examples=30)
@given(
    n_prefix=st.integers(1, 12),
    lengths=st.lists(st.integers(1, 9), min_size=1, max_size=4),
    heads=st.sampled_from([(1, 1), (2, 1), (6, 2)]),
    block=st.integers(1, 8),
)
def test_values_and_gradients_are_those_of_the_definition(
    n_prefix: int, lengths: list[int], heads: tuple[int, int], block: int
) -> None:
    rows = _segments(n_prefix, lengths)
    inputs = _inputs(rows[-1].stop, *heads)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", block)
        found, expected = block_attention(*inputs, rows, 0.3), _by_rows(inputs, rows, 0.3)
        outer = torch.randn(found.shape, generator=torch.Generator().manual_seed(1), dtype=found.dtype)
        gradients = [torch.autograd.grad((one * outer).sum(), inputs) for one in (found, expected)]
    torch.testing.assert_close(found, expected, atol=1e-12, rtol=0)
    for got, wanted in zip(*gradients, strict=True):
        torch.testing.assert_close(got, wanted, atol=1e-5, rtol=1e-5)  # keys' gradients are summed in float32


def test_autocast_takes_products_in_its_type_and_keeps_gradients_in_the_inputs() -> None:
    rows = _segments(20, [7, 30])
    inputs = _inputs(57, 6, 2, torch.float32)
    exact = block_attention(*inputs, rows, None)
    with torch.autocast("cpu", torch.bfloat16):
        rough = block_attention(*inputs, rows, None)
    assert (exact.dtype, rough.dtype) == (torch.float32, torch.bfloat16)
    torch.testing.assert_close(rough.float(), exact, atol=0.03, rtol=0)
    torch.testing.assert_close(exact, _by_rows(inputs, rows, 0.5), atol=1e-6, rtol=0)
    assert {one.dtype for one in torch.autograd.grad(rough.sum(), inputs)} == {torch.float32}


def test_only_a_whole_row_is_computed() -> None:
    query, key, value = _inputs(9, 2, 1)
    with pytest.raises(ReadingError) as error:
        block_attention(query, key, value, _segments(4, [4]), None)
    assert str(error.value) == (
        "a packed row of 8 tokens is read alone and whole, got queries of shape (1, 2, 9, 4) and keys of shape "
        "(1, 1, 9, 4)"
    )


@pytest.mark.parametrize("name", sorted(CONFIGS))
def test_used_with_gradients_where_every_layer_sees_everything(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stack: Any = decoder(model_of(name, register()))
    seen: list[int] = []

    def counted(*inputs: Any) -> torch.Tensor:
        seen.append(inputs[0].shape[2])
        return block_attention(*inputs)

    monkeypatch.setattr("ragcortex.readers.attention.block_attention", counted)
    ids = np.random.default_rng(2).integers(3, VOCABULARY, (4, 11)).tolist()
    pack = Pack(tuple(ids[0]), tuple(map(tuple, ids[1:])))
    with torch.no_grad():
        without = pack_states(stack, pack)
    assert seen == []
    with_blocks = pack_states(stack, pack)
    config = stack.config.get_text_config()
    is_full = getattr(config, "sliding_window", None) is None
    assert seen == ([44] * config.num_hidden_layers if is_full else [])
    for got, expected in zip(with_blocks, without, strict=True):
        scale = float(expected.abs().max())
        torch.testing.assert_close(got / scale, expected / scale, atol=1e-5, rtol=0)
