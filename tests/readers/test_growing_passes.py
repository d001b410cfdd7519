"""Passes over an answer that grows: on every architecture the states of the whole, however it comes, after any cut."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch

from architectures import VOCABULARY
from ragcortex.readers.forward import forward
from ragcortex.readers.growing_passes import GrowingPasses
from ragcortex.readers.kept_prefixes import KeptPrefixes
from ragcortex.readers.models import LoadedModel
from ragcortex.readers.reading import Floats, ReadingSpec
from ragcortex.readers.token_batch import TokenSequence

LAYERS = (0, 1, 3)
LONG, SHORT = 23, 5
"""The longer prefix exceeds the sliding windows, the shorter one does not."""


def drawn(seed: int, n: int) -> tuple[int, ...]:
    return tuple(np.random.default_rng(seed).integers(3, VOCABULARY, n).tolist())


PREFIXES = (drawn(1, LONG), drawn(2, SHORT))


def whole(loaded: LoadedModel, answer: tuple[int, ...]) -> list[dict[int, Floats]]:
    sequences = [TokenSequence(prefix, answer, None) for prefix in PREFIXES]
    read = forward(loaded, sequences, ReadingSpec(layers=LAYERS), padding_side="right")
    return [dict(one.hidden) for one in read]


def grown(loaded: LoadedModel, answer: tuple[int, ...], sizes: Sequence[int]) -> list[dict[int, Floats]]:
    passes = GrowingPasses(loaded, PREFIXES, LAYERS, KeptPrefixes(0))
    parts: list[list[dict[int, Floats]]] = [[] for _ in PREFIXES]
    for size in sizes:
        start = len(passes)
        for own, read in zip(parts, passes.read(answer[start : start + size]), strict=True):
            own.append(dict(read.hidden))
    assert len(passes) == len(answer)
    return [{layer: np.concatenate([part[layer] for part in own]) for layer in LAYERS} for own in parts]


def assert_same(got: Sequence[dict[int, Floats]], expected: Sequence[dict[int, Floats]]) -> None:
    for one, other in zip(got, expected, strict=True):
        for layer in LAYERS:
            scale = max(1.0, float(np.abs(other[layer]).max()))
            np.testing.assert_allclose(one[layer] / scale, other[layer] / scale, atol=1e-5, rtol=0)


@pytest.mark.parametrize("sizes", [(30,), (1,) * 30, (1, 7, 2, 12, 8)])
def test_an_answer_in_pieces_is_read_as_a_whole_one(loaded: LoadedModel, sizes: Sequence[int]) -> None:
    answer = drawn(3, 30)
    assert_same(grown(loaded, answer, sizes), whole(loaded, answer))


def test_an_answer_outgrows_the_room_reserved_for_it(loaded: LoadedModel) -> None:
    answer = drawn(4, 420)
    assert_same(grown(loaded, answer, (200, 60, 1, 159)), whole(loaded, answer))


def test_what_is_cut_off_has_no_influence(loaded: LoadedModel) -> None:
    passes = GrowingPasses(loaded, PREFIXES, LAYERS, KeptPrefixes(0))
    passes.read(drawn(5, 12))
    passes.cut(4)
    assert len(passes) == 4
    answer = drawn(5, 12)[:4] + drawn(6, 9)
    got = [dict(one.hidden) for one in passes.read(answer[4:])]
    expected = [{layer: rows[4:] for layer, rows in one.items()} for one in whole(loaded, answer)]
    assert_same(got, expected)


def test_a_pass_that_fails_leaves_what_was_read(loaded: LoadedModel) -> None:
    answer = drawn(7, 10)
    passes = GrowingPasses(loaded, PREFIXES, LAYERS, KeptPrefixes(0))
    passes.read(answer[:5])

    def fail(*_: object) -> None:
        raise RuntimeError("out of memory")

    handle = loaded.model.model.layers[2].register_forward_hook(fail)
    with pytest.raises(RuntimeError, match="out of memory"):
        passes.read(answer[5:])
    handle.remove()
    assert len(passes) == 5
    got = [dict(one.hidden) for one in passes.read(answer[5:])]
    assert_same(got, [{layer: rows[5:] for layer, rows in one.items()} for one in whole(loaded, answer)])


def test_prefixes_are_read_once_where_they_are_kept(loaded: LoadedModel) -> None:
    kept = KeptPrefixes(10**9)
    for turn in range(2):
        GrowingPasses(loaded, PREFIXES, LAYERS, kept).read(drawn(8, 3))
        assert (kept.n_read, kept.n_found) == (2, 2 * turn)


def test_no_layer_beyond_the_deepest_is_run(loaded: LoadedModel) -> None:
    run: list[int] = []
    handles = [
        layer.register_forward_hook(lambda *_, number=number: run.append(number))
        for number, layer in enumerate(loaded.model.model.layers)
    ]
    GrowingPasses(loaded, PREFIXES, (1, 2), KeptPrefixes(0)).read(drawn(9, 3))
    for handle in handles:
        handle.remove()
    assert run == [0, 1], "prefixes and answers of both passes at once"


def test_inputs_outside_inference_mode_are_taken(loaded: LoadedModel) -> None:
    with torch.enable_grad():
        passes = GrowingPasses(loaded, PREFIXES, LAYERS, KeptPrefixes(0))
        passes.read(drawn(10, 2))
        passes.cut(1)
        passes.read(drawn(11, 2))
    assert len(passes) == 3
