"""The reading's types check themselves: specs, blocks, whole readings."""

from typing import Any

import numpy as np
import pytest

from ragcortex.align import AnswerTokens
from ragcortex.errors import ReadingError
from ragcortex.readers.reading import Block, PassArrays, Reading, ReadingSpec


def arrays_of(n: int) -> PassArrays:
    attention = np.tril(np.ones((n, n), np.float32))
    rows = np.arange(n, dtype=np.float32)
    return PassArrays({0: np.ones((n, 2), np.float32), 7: np.zeros((n, 2), np.float32)}, rows, rows, attention, rows)


def test_union_reads_what_both_need() -> None:
    hidden = ReadingSpec(layers=(4, 20))
    residual = ReadingSpec(layers=(12,), attention_layers=None)
    likelihood = ReadingSpec(log_probs=True)
    both = hidden.union(residual).union(likelihood)
    assert both == ReadingSpec(layers=(4, 12, 20), attention_layers=None, log_probs=True)
    assert likelihood.union(residual).union(hidden) == both
    assert ReadingSpec().union(hidden) == hidden
    assert hidden.union(ReadingSpec()) == hidden


def test_union_keeps_the_one_way_of_pooling_and_norming() -> None:
    chosen = ReadingSpec(layers=(3,), final_norm=True, attention_layers=(2, 3), attention_heads=(0,))
    assert chosen.union(ReadingSpec(log_probs=True)) == ReadingSpec((3,), True, (2, 3), (0,), True)
    assert chosen.union(chosen) == chosen


@pytest.mark.parametrize(
    "other",
    [
        ReadingSpec(attention_layers=(1,)),
        ReadingSpec(attention_layers=None, attention_heads=(1,)),
        ReadingSpec(layers=(2,), final_norm=True),
    ],
    ids=["layers", "heads", "norm"],
)
def test_union_of_two_ways_is_refused(other: ReadingSpec) -> None:
    with pytest.raises(ReadingError) as caught:
        ReadingSpec(layers=(1,), attention_layers=None).union(other)
    assert str(caught.value) == "one reading cannot pool attention, or apply the final norm, in two ways"


def test_covering_is_what_a_union_adds_nothing_to() -> None:
    """Over every pair of a grid of specs: one covers another if, and only if, their union is the first."""
    grid = [
        ReadingSpec(layers, final_norm, attention_layers, heads, log_probs)
        for layers in ((), (1,), (1, 3))
        for final_norm in (False, True)
        for attention_layers, heads in (((), None), (None, None), ((1, 2), None), (None, (0,)))
        for log_probs in (False, True)
        if layers or not final_norm
    ]
    for one in grid:
        for other in grid:
            try:
                expected = one.union(other) == one
            except ReadingError:
                expected = False
            assert one.covers(other) == expected, (one, other)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"layers": (2, 1)}, "layers must be distinct, ascending and at least 0, got (2, 1)"),
        ({"layers": (1, 1)}, "layers must be distinct, ascending and at least 0, got (1, 1)"),
        ({"layers": (-1,)}, "layers must be distinct, ascending and at least 0, got (-1,)"),
        ({"attention_layers": (0,)}, "attention_layers must be distinct, ascending and at least 1, got (0,)"),
        ({"attention_heads": (1, 0)}, "attention_heads must be distinct, ascending and at least 0, got (1, 0)"),
        ({"attention_heads": ()}, "attention_heads must name at least one head, or be None for all of them"),
    ],
)
def test_specs_check_themselves(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ReadingError) as caught:
        ReadingSpec(**values)
    assert str(caught.value) == message


def test_pass_arrays_by_name_and_back() -> None:
    named = arrays_of(3).arrays()
    assert list(named) == ["hidden.0", "hidden.7", "log_prob", "entropy", "attention", "reference_attention"]
    again = PassArrays.of_arrays(named)
    assert again.arrays().keys() == named.keys()
    assert all(again.arrays()[name] is array for name, array in named.items())
    assert PassArrays({1: named["hidden.0"]}).arrays().keys() == {"hidden.1"}


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        (
            PassArrays({0: np.ones((2, 4), np.float32)}),
            "ref.hidden.0 must be float32 with 3 rows, got float32 with shape (2, 4)",
        ),
        (
            PassArrays({}, log_prob=np.ones(3)),  # type: ignore[arg-type]
            "ref.log_prob must be float32 with 3 rows, got float64 with shape (3,)",
        ),
        (
            PassArrays({}, attention=np.ones((3, 2), np.float32)),
            "ref.attention must have shape (3, 3), got (3, 2)",
        ),
        (
            PassArrays({}, entropy=np.array([0, np.nan, 0], np.float32)),
            "ref.entropy is not finite: the reader's numbers overflow in this precision; read in float32 or bfloat16",
        ),
    ],
    ids=["rows", "dtype", "square", "finite"],
)
def test_blocks_check_their_arrays(arrays: PassArrays, message: str) -> None:
    with pytest.raises(ReadingError) as caught:
        Block(0, 3, 0, 0, arrays, arrays_of(3))
    assert str(caught.value) == message


@pytest.mark.parametrize("place", [(2, 1, 1), (0, 3, 3), (1, 4, 0), (-1, 2, 0)])
def test_blocks_check_their_place(place: tuple[int, int, int]) -> None:
    start, stop, keep = place
    with pytest.raises(ReadingError) as caught:
        Block(start, stop, keep, 0, PassArrays({}), PassArrays({}))
    assert str(caught.value) == f"a block must satisfy start <= keep < stop, got {start}, {keep}, {stop}"


@pytest.mark.parametrize("places", [[(0, 2, 0)], [(0, 3, 0), (1, 4, 2)], []], ids=["gap", "twice", "none"])
def test_readings_decide_each_token_once(places: list[tuple[int, int, int]]) -> None:
    tokens = AnswerTokens("abcd", (1, 2, 3, 4), ((0, 1), (1, 2), (2, 3), (3, 4)))
    blocks = tuple(Block(a, b, k, 0, PassArrays({}), PassArrays({})) for a, b, k in places)
    with pytest.raises(ReadingError) as caught:
        Reading(tokens, blocks)
    assert str(caught.value) == "the blocks of a reading must decide on every answer token exactly once per window"
