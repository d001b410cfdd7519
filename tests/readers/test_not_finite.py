"""A reader whose numbers are not finite says so, on every way to read, and takes no other answer with it."""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from ragcortex.detectors.group_readings import group_readings
from ragcortex.errors import ReadingError
from ragcortex.example import Example, Reference
from ragcortex.readers._hf import decoder, decoder_layers
from ragcortex.readers.finite import is_finite, not_finite
from ragcortex.readers.growing_answer import GrowingAnswer
from ragcortex.readers.measures.registry import _MEASURES
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.readers.reading import PassArrays, Reading, ReadingSpec

QUESTION = "Where is the lighthouse?"
REFERENCES = ["The lighthouse at Cape Arden was built in 1874.", "It stands 41 metres above the sea."]
SOUND, SHORT, BAD = "It was built in 1874 by the engineer Mary Holt.", "In 1874.", "It was built in 1874 @ the sea."
STATES = ReadingSpec(layers=(1, 3))
FULL = ReadingSpec(layers=(0, 1, 3, 4), attention_layers=None, log_probs=True)
WAYS: dict[str, tuple[ReaderOptions, ReadingSpec]] = {
    "packed": (ReaderOptions(), FULL),
    "padded on the right": (ReaderOptions(share_prefixes=False), FULL),
    "padded on the left": (ReaderOptions(share_prefixes=False, padding_side="left"), FULL),
    "behind kept prefixes": (ReaderOptions(prefix_bytes=10**9), STATES),
    "in windows and pieces": (ReaderOptions(window=256), STATES),
    "windows padded": (ReaderOptions(window=256, share_prefixes=False), FULL),
    "windows behind kept prefixes": (ReaderOptions(window=256, prefix_bytes=10**9), STATES),
}


@pytest.fixture
def reader(tiny_reader_folder: Path) -> Reader:
    return Reader.load(str(tiny_reader_folder), device="cpu")


@pytest.fixture(params=sorted(WAYS))
def way(request: pytest.FixtureRequest) -> tuple[ReaderOptions, ReadingSpec]:
    return WAYS[request.param]


def _examples(answers: Sequence[str], references: Sequence[str] = REFERENCES) -> list[Example]:
    return [Example.of(QUESTION, references, answer) for answer in answers]


def _damage(reader: Reader, text: str, value: float = torch.nan) -> None:
    """Damage the embedding of a text's first token; embeddings and output head are not tied here."""
    with torch.no_grad():
        decoder(reader.loaded.model).embed_tokens.weight[reader.tokenize(text).ids[0]] = value


def _assert_same(got: Reading, expected: Reading) -> None:
    for mine, other in zip(got.blocks, expected.blocks, strict=True):
        for one, two in ((mine.ref, other.ref), (mine.noref, other.noref)):
            assert one.arrays().keys() == two.arrays().keys()
            for name, array in one.arrays().items():
                scale = max(1.0, float(np.abs(two.arrays()[name]).max()))
                np.testing.assert_allclose(array / scale, two.arrays()[name] / scale, atol=1e-4, rtol=0, err_msg=name)


@pytest.mark.parametrize("value", [torch.nan, torch.inf, -torch.inf])
def test_a_damaged_token_fails_its_answer_and_no_other(
    reader: Reader, way: tuple[ReaderOptions, ReadingSpec], value: float
) -> None:
    options, spec = way
    long = f"{SOUND} " * (40 if options.window else 3)
    sound = _examples([SOUND, SHORT, long])
    mine = Reader(reader.loaded, options=options)
    expected = list(mine.read(sound, spec))
    assert (expected[2].n_pieces > 1) == (options.window is not None)
    _damage(reader, "@", value)
    mine.prefixes.clear()
    got = group_readings(mine, [sound[0], *_examples([BAD]), *sound[1:]], spec)
    error = got.pop(1)
    assert isinstance(error, ReadingError)
    assert str(error).startswith("reader 'tiny-llama' gave numbers that are not finite in float32: ")
    assert str(error).endswith(
        "; its weights are damaged (model.embed_tokens.weight): put sound files in its place, or take another reader"
    )
    for reading, sound_reading in zip(got, expected, strict=True):
        assert isinstance(reading, Reading)
        _assert_same(reading, sound_reading)


def test_padding_that_is_not_finite_fails_nothing(reader: Reader, way: tuple[ReaderOptions, ReadingSpec]) -> None:
    """Zero attention times infinity is not a number: padding must not spread to the rows that it fills."""
    options, spec = way
    examples = _examples([SHORT, f"{SOUND} " * 3, SOUND])
    mine = Reader(reader.loaded, options=options)
    expected = list(mine.read(examples, spec))
    with torch.no_grad():
        decoder(reader.loaded.model).embed_tokens.weight[0] = torch.inf  # the token that fills rows; no text has it
    mine.prefixes.clear()
    for reading, sound in zip(mine.read(examples, spec), expected, strict=True):
        _assert_same(reading, sound)


def test_a_damaged_reference_fails_its_answers_and_no_other(
    reader: Reader, way: tuple[ReaderOptions, ReadingSpec]
) -> None:
    options, spec = way
    _damage(reader, "@")
    good, bad = _examples([SOUND, SHORT]), _examples([SOUND, SHORT], ["It stands @ the sea."])
    mine = Reader(reader.loaded, options=options)
    for _ in range(2):  # the second time prefixes are those kept
        got = group_readings(mine, [good[0], bad[0], bad[1], good[1]], spec)
        assert [isinstance(one, Reading) for one in got] == [True, False, False, True]
        assert "ref." in str(got[1])
        assert "noref." not in str(got[1]), "the pass without references is sound"


@pytest.mark.parametrize("name", sorted(_MEASURES))
def test_every_measure_of_numbers_that_are_not_finite_is_refused(reader: Reader, name: str) -> None:
    """None turns them into a number that looks like any other."""
    with torch.no_grad():
        decoder_layers(reader.loaded.model)[1].mlp.down_proj.weight.fill_(torch.nan)
    with pytest.raises(ReadingError, match=f"gave numbers that are not finite in float32: the measure '{name}' "):
        reader.read_one(_examples([SOUND])[0], ReadingSpec(measures=(name,)))


@pytest.mark.parametrize(
    ("spec", "signal"),
    [
        (ReadingSpec(layers=(2, 3)), "the states after layer 2 (ref.hidden.2, the pass with references) of 17 of 17"),
        (ReadingSpec(layers=(1, 3)), "the states after layer 3 (ref.hidden.3, the pass with references) of 17 of 17"),
        (ReadingSpec(attention_layers=(3,)), "the attention within the answer (ref.attention, the pass with refe"),
        (ReadingSpec(log_probs=True), "the log-probabilities (ref.log_prob, the pass with references) of 17 of 17"),
    ],
    ids=["layer 2", "layer 3", "attention", "likelihoods"],
)
def test_the_signal_is_named(reader: Reader, spec: ReadingSpec, signal: str) -> None:
    with torch.no_grad():
        decoder_layers(reader.loaded.model)[1].mlp.down_proj.weight[0, 0] = torch.nan
    with pytest.raises(ReadingError) as caught:
        reader.read_one(_examples([SOUND])[0], spec)
    assert signal in str(caught.value)


@pytest.mark.parametrize(
    ("dtype", "weight", "remedy"),
    [
        ("float16", 6e4, "they overflow in this precision: read in bfloat16 or float32"),
        ("float16", torch.inf, "its weights do not fit this precision or are damaged "
         "(model.layers.1.mlp.down_proj.weight): read in bfloat16 or float32"),
        ("bfloat16", 3e38, "they overflow in this precision: read in float32"),
        ("float32", 3e38, "they overflow even in this precision, so its weights are not sound: put sound files in its "
         "place, or take another reader"),
    ],
)  # fmt: skip
def test_what_to_do_about_it(tiny_reader_folder: Path, dtype: str, weight: float, remedy: str) -> None:
    reader = Reader.load(str(tiny_reader_folder), device="cpu", dtype=dtype)
    with torch.no_grad():
        reader.loaded.model.model.layers[1].mlp.down_proj.weight.fill_(weight)
    with pytest.raises(ReadingError) as caught:
        reader.read_one(_examples([SOUND])[0], STATES)
    assert f" not finite in {dtype}: " in str(caught.value)
    assert str(caught.value).endswith(f"; {remedy}")


@pytest.mark.parametrize(
    ("id", "revision", "remedy"),
    [
        ("embedded", None, "delete the folder `readers` in the cache and run `ragcortex models pull embedded`"),
        ("some/reader", "0a1b", "delete it from the hub's cache and run `ragcortex models pull some/reader`"),
    ],
)
def test_how_to_fetch_it_anew(reader: Reader, id: str, revision: str | None, remedy: str) -> None:
    _damage(reader, "@")
    loaded = dataclasses.replace(reader.loaded, identity=dataclasses.replace(reader.identity, id=id, revision=revision))
    assert str(not_finite(loaded, "its logits")).endswith(f"(model.embed_tokens.weight): {remedy}")


def test_float16_reads_what_float32_reads_where_it_does_not_overflow(tiny_reader_folder: Path) -> None:
    half = Reader.load(str(tiny_reader_folder), device="cpu", dtype="float16")
    whole = Reader.load(str(tiny_reader_folder), device="cpu", dtype="float32")
    got, expected = (one.read_one(_examples([SOUND])[0], STATES).blocks[0].ref for one in (half, whole))
    for layer, states in expected.hidden.items():
        scale = np.abs(states).max()
        np.testing.assert_allclose(got.hidden[layer] / scale, states / scale, atol=1e-2, rtol=0)


@pytest.mark.parametrize("kept", [0, 10**9], ids=["no prefix", "kept prefix"])
@pytest.mark.parametrize("ask", ["stretch", "read_ahead", "whole"])
def test_an_answer_that_grows(reader: Reader, kept: int, ask: str) -> None:
    """What is not finite is said each time it is asked for, and is forgotten when the answer changes there."""
    _damage(reader, "@")
    mine = Reader(reader.loaded, options=ReaderOptions(prefix_bytes=kept))
    grows = GrowingAnswer(mine, QUESTION, [Reference(text) for text in REFERENCES], STATES, tokens_at_once=1)
    start = "It was built in 1874 "
    assert grows.stretch(start, 0, len(start)) is not None
    bad = f"{start}@ the sea, and it was built by Mary Holt."
    asks: dict[str, Callable[[], object]] = {
        "stretch": lambda: grows.stretch(bad, 0, len(bad)),
        "read_ahead": lambda: grows.read_ahead(bad),
        "whole": lambda: grows.whole(_examples([bad])[0]),
    }
    with pytest.raises(ReadingError, match="gave numbers that are not finite in float32: the states after layer 1 "):
        asks[ask]()
    for _ in range(2):  # asked again, it does not pass for read
        with pytest.raises(ReadingError, match="gave numbers that are not finite in float32"):
            grows.stretch(bad, 0, len(bad))
    good = f"{start}at the sea, and it was built by Mary Holt."
    got = grows.whole(_examples([good])[0])
    assert got is not None
    _assert_same(got, mine.read_one(_examples([good])[0], STATES))


def test_finite_arrays() -> None:
    one = np.zeros((2, 3), np.float32)
    assert is_finite(PassArrays({1: one}))
    assert is_finite(PassArrays({}))
    assert not is_finite(PassArrays({1: one}, log_prob=np.array([0, np.nan], np.float32)))
    assert not is_finite(PassArrays({1: one + np.inf}))
