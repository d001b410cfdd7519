"""Reading behind kept prefixes: the same numbers on every architecture, and a bound of memory that holds."""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers.cache_utils import Cache

from architectures import VOCABULARY
from ragcortex.errors import InputError
from ragcortex.example import Example
from ragcortex.readers.forward import forward
from ragcortex.readers.kept_prefixes import KeptPrefix, KeptPrefixes, can_continue, continued_forward
from ragcortex.readers.models import LoadedModel
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.readers.reading import PassArrays, ReadingSpec
from ragcortex.readers.token_batch import TokenSequence

STATES = ReadingSpec(layers=(0, 1, 3))
ANSWERS = (9, 1, 4, 25)


def _sequences(seed: int, n_prefix: int, answers: Sequence[int] = ANSWERS) -> list[TokenSequence]:
    ids = np.random.default_rng(seed).integers(3, VOCABULARY, n_prefix + sum(answers)).tolist()
    ends = np.cumsum([n_prefix, *answers]).tolist()
    return [
        TokenSequence(tuple(ids[:n_prefix]), tuple(ids[start:stop]), (2, n_prefix - 2))
        for start, stop in itertools.pairwise(ends)
    ]


def _same(got: PassArrays, expected: PassArrays) -> None:
    assert got.arrays().keys() == expected.arrays().keys()
    for name, array in got.arrays().items():
        scale = max(1.0, float(np.abs(expected.arrays()[name]).max()))
        np.testing.assert_allclose(array / scale, expected.arrays()[name] / scale, atol=1e-5, rtol=0, err_msg=name)


@pytest.mark.parametrize("n_prefix", [6, 14, 40])
def test_answers_behind_a_kept_prefix_are_those_read_whole(loaded: LoadedModel, n_prefix: int) -> None:
    sequences = _sequences(0, n_prefix)
    prefixes = KeptPrefixes(10**9)
    expected = forward(loaded, sequences, STATES, padding_side="right")
    for turn in range(2):
        got = continued_forward(loaded, sequences, STATES, prefixes)
        for one, other in zip(got, expected, strict=True):
            _same(one, other)
        assert (prefixes.n_read, prefixes.n_found) == (1, turn)
    alone = continued_forward(loaded, sequences[1:2], STATES, prefixes)  # one answer of one token
    _same(alone[0], expected[1])


def test_a_prefix_read_less_deep_is_read_again(loaded: LoadedModel) -> None:
    sequences, prefixes = _sequences(1, 12), KeptPrefixes(10**9)
    continued_forward(loaded, sequences, ReadingSpec(layers=(1,)), prefixes)
    assert len(prefixes) == 1
    before = prefixes.n_bytes
    deeper = continued_forward(loaded, sequences, STATES, prefixes)
    assert (prefixes.n_read, prefixes.n_found, len(prefixes)) == (2, 0, 1)
    assert prefixes.n_bytes == 3 * before, "one layer before, three now"
    shallow = continued_forward(loaded, sequences, ReadingSpec(layers=(1,)), prefixes)
    assert prefixes.n_found == 1
    for one, other in zip(shallow, deeper, strict=True):
        np.testing.assert_allclose(one.hidden[1], other.hidden[1], atol=1e-5)


def _made(n_bytes: int, depth: int = 1) -> KeptPrefix:
    return KeptPrefix(Cache(layers=[]), depth, n_bytes)


@given(
    st.integers(0, 50),
    st.lists(st.tuples(st.integers(0, 5), st.integers(1, 30), st.booleans()), max_size=40),
)
def test_what_is_kept_never_exceeds_its_bound(bound: int, steps: list[tuple[int, int, bool]]) -> None:
    prefixes = KeptPrefixes(bound)
    sizes: dict[int, int] = {}  # what a plain list of the last used would hold, oldest first
    for key, n_bytes, asked in steps:
        if asked:
            assert (prefixes.find((key,), 1) is not None) == (key in sizes)
            if key in sizes:
                sizes[key] = sizes.pop(key)
            continue
        prefixes.keep((key,), _made(n_bytes))
        sizes.pop(key, None)
        if n_bytes <= bound:
            sizes[key] = n_bytes
        while sum(sizes.values()) > bound:
            sizes.pop(next(iter(sizes)))
        assert prefixes.n_bytes == sum(sizes.values()) <= bound
        assert len(prefixes) == len(sizes)


def test_a_bound_below_nothing_is_refused() -> None:
    with pytest.raises(InputError, match="prefix_bytes: must be 0 or more, got -1"):
        KeptPrefixes(-1)


@pytest.mark.parametrize(
    "spec",
    [
        ReadingSpec(layers=(1,), attention_layers=(1,)),
        ReadingSpec(layers=(1,), log_probs=True),
        ReadingSpec(layers=(1,), final_norm=True),
        ReadingSpec(layers=(1,), attention_layers=None, measures=("lookback",)),
        ReadingSpec(),
    ],
)
def test_only_hidden_states_are_read_behind_kept_prefixes(spec: ReadingSpec) -> None:
    assert can_continue(STATES)
    assert not can_continue(spec)


def test_a_reader_that_keeps_prefixes_reads_the_same(tiny_reader_folder: Path) -> None:
    reader = Reader.load(str(tiny_reader_folder))
    source = Example.of("Where is the lamp?", ["The lamp stands on the desk. It was mended in May."], "On the desk.")
    examples = [
        replace(source, answer=answer) for answer in ("On the desk.", "It was sold.", "On the desk, since May.")
    ]
    other = Example.of("Where is the cup?", ["The cup is in the sink."], "In the sink.")
    keeping = Reader(reader.loaded, options=ReaderOptions(prefix_bytes=10**8))
    for spec, kept in ((ReadingSpec(layers=(1, 2)), 4), (ReadingSpec(layers=(1,), log_probs=True), 4)):
        plain = list(reader.read([*examples, other], spec))
        got = list(keeping.read([examples[0], other, *examples[1:]], spec))
        for one, expected in zip([got[0], *got[2:], got[1]], plain, strict=True):
            assert one.tokens == expected.tokens
            for block, wanted in zip(one.blocks, expected.blocks, strict=True):
                _same(block.ref, wanted.ref)
                _same(block.noref, wanted.noref)
        assert len(keeping.prefixes) == kept, "with and without references, of two sources; likelihoods keep none"
    with torch.inference_mode():
        again = keeping.prefixes.n_read
        list(keeping.read(examples, ReadingSpec(layers=(1, 2))))
    assert keeping.prefixes.n_read == again
