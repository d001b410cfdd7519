"""An answer read while it is written: the tokens and states of the whole one, whatever it is and however it comes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from made_tokenizers import KINDS, made_tokenizer
from transformers import (
    Gemma3TextConfig,
    LlamaConfig,
    MistralConfig,
    Phi3Config,
    PreTrainedConfig,
    Qwen3Config,
)

from ragcortex.errors import InputError, ReadingError
from ragcortex.example import Example
from ragcortex.readers._hf import decoder_layers
from ragcortex.readers.attention import register
from ragcortex.readers.growing_answer import GrowingAnswer
from ragcortex.readers.models import LoadedModel, ReaderIdentity
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.readers.reading import Reading, ReadingSpec
from tiny_readers import write_tiny_reader

SPEC = ReadingSpec(layers=(1, 3))
QUESTION = "Where is the lighthouse?"
REFERENCES = ("The lighthouse at Cape Arden was built in 1874.", " ", "It stands 41 metres above the sea.")
ANSWER = "The lighthouse is at Cape Arden. It was built in 1974, by Mary Holt; it isn't open.\n\nSee [3]."
PIECES = (
    "The lighthouse ", "It was built in 1874. ", " ", "  ", "\n", "\r\n", "\n\n", "世界", "灯台は海の上に立っている。",
    "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "e\u0301", "a\u0323\u0302", "שלום עולם. ", "مرحبا ", "नमस्ते", "น้ำ", "\u1112\u1161\u11ab",
    "<|im_end|>", "isn't", "5.9 %", "\u200d", "x" * 60, ". ", "! ",
)  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), min_size=1, max_size=10).map("".join)
SIZES: dict[str, Any] = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 4}
CONFIGS: dict[str, Callable[[dict[str, Any]], PreTrainedConfig]] = {
    "llama": lambda common: LlamaConfig(**common, **SIZES, max_position_embeddings=1024),
    "qwen3": lambda common: Qwen3Config(**common, **SIZES, head_dim=16, max_position_embeddings=1024),
    "mistral": lambda common: MistralConfig(**common, **SIZES, sliding_window=16, max_position_embeddings=1024),
    "gemma3": lambda common: Gemma3TextConfig(
        **common, **SIZES, head_dim=16, query_pre_attn_scalar=16, sliding_window=16, max_position_embeddings=1024,
        layer_types=["sliding_attention", "full_attention"] * 2,
    ),
}  # fmt: skip


def example(answer: str) -> Example:
    return Example.of(QUESTION, REFERENCES, answer)


def growing(reader: Reader, **options: Any) -> GrowingAnswer:
    return GrowingAnswer(reader, QUESTION, example("").references, SPEC, **options)


def assert_same(got: Reading | None, expected: Reading) -> None:
    assert got is not None
    assert got.tokens == expected.tokens
    assert (got.n_windows, got.n_reference_tokens) == (expected.n_windows, expected.n_reference_tokens)
    (own,), (other,) = got.blocks, expected.blocks
    assert (own.start, own.stop, own.keep, own.window) == (other.start, other.stop, other.keep, other.window)
    for mine, wanted in ((own.ref, other.ref), (own.noref, other.noref)):
        assert mine.arrays().keys() == wanted.arrays().keys()
        for name, array in wanted.arrays().items():
            scale = max(1.0, float(np.abs(array).max()))
            np.testing.assert_allclose(mine.arrays()[name] / scale, array / scale, atol=1e-5, rtol=0)


@contextmanager
def counted(reader: Reader) -> Iterator[list[int]]:
    """Note how long the row of each pass is while the block runs."""
    taken: list[int] = []
    layer = decoder_layers(reader.loaded.model)[0]
    handle = layer.register_forward_hook(lambda _module, args, _output: taken.append(args[0].shape[1]))
    try:
        yield taken
    finally:
        handle.remove()


@pytest.fixture(scope="module")
def reader(tiny_reader_folder: Path) -> Reader:
    return Reader.load(str(tiny_reader_folder))


@pytest.fixture(scope="module", params=sorted(CONFIGS))
def each_reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Reader:
    folder = tmp_path_factory.mktemp("readers") / request.param
    write_tiny_reader(folder, CONFIGS[request.param])
    return Reader.load(str(folder))


@given(text=TEXTS, data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_answer_in_any_pieces_is_read_as_a_whole_one(each_reader: Reader, text: str, data: st.DataObject) -> None:
    if not text.strip():
        return
    cuts = data.draw(st.lists(st.integers(1, len(text)), max_size=6).map(sorted))
    grows = growing(each_reader, tokens_at_once=data.draw(st.integers(1, 8)))
    for cut in cuts:
        so_far = text[:cut]
        if data.draw(st.booleans()):
            grows.read_ahead(so_far)
        else:
            start = data.draw(st.integers(0, cut - 1))
            stretch = grows.stretch(so_far, start, data.draw(st.integers(start + 1, cut)))
            assert stretch is not None
            assert so_far[stretch.start :].startswith(stretch.reading.tokens.text)
    assert_same(grows.whole(example(text)), each_reader.read_one(example(text), SPEC))


def test_a_stretch_is_part_of_the_reading_of_what_is_there(reader: Reader) -> None:
    grows = growing(reader)
    for end in (33, 60, len(ANSWER)):
        so_far = ANSWER[: end + 5]
        stretch = grows.stretch(so_far, 20, end)
        assert stretch is not None
        tokens = stretch.reading.tokens
        first = stretch.start
        assert first <= 20 < first + len(tokens.text)
        assert end <= first + len(tokens.text)
        whole = reader.read_one(example(so_far), SPEC)
        skipped = sum(high <= 20 for _, high in whole.tokens.ranges)
        assert tokens.ids == whole.tokens.ids[skipped : skipped + len(tokens)]
        for layer in SPEC.layers:
            got = stretch.reading.blocks[0].ref.hidden[layer]
            expected = whole.blocks[0].ref.hidden[layer][skipped : skipped + len(tokens)]
            np.testing.assert_allclose(got, expected, atol=1e-4)


def test_every_token_is_read_once(reader: Reader) -> None:
    text = ANSWER.replace("\n\n", " ") * 3
    n_tokens = len(reader.tokenize(text))
    grows = growing(reader, tokens_at_once=8)
    plan = reader.plan(example(text))
    with counted(reader) as taken:
        for end in range(0, len(text), 7):
            grows.read_ahead(text[:end])
        assert grows.n_tokens > n_tokens / 2
        grows.whole(example(text))
    assert len(taken) > 4
    assert sum(taken) == len(plan.windows[0].ids) + len(plan.without.ids) + 2 * n_tokens


def test_question_and_references_may_be_read_before(reader: Reader) -> None:
    grows = growing(reader)
    with counted(reader) as taken:
        grows.prepare()
        grows.prepare()
        assert grows.n_tokens == 0
        assert_same(grows.whole(example(ANSWER)), reader.read_one(example(ANSWER), SPEC))
    plan = reader.plan(example(ANSWER))
    assert taken[:2] == [len(plan.windows[0].ids) + len(plan.without.ids), 2 * len(plan.tokens)]


def test_tokens_that_turn_into_others_are_read_again(reader: Reader) -> None:
    grows = growing(reader)
    grows.stretch("The light", 0, 9)
    before = grows.n_tokens
    assert reader.tokenize("The light").ids != reader.tokenize("The lighthouse").ids[:before]
    assert_same(grows.whole(example("The lighthouse")), reader.read_one(example("The lighthouse"), SPEC))


def test_an_answer_may_become_another_one(reader: Reader) -> None:
    grows = growing(reader)
    grows.stretch(ANSWER, 0, len(ANSWER))
    other = ANSWER[:33] + "It was sold in March."
    with counted(reader) as taken:
        assert_same(grows.whole(example(other)), reader.read_one(example(other), SPEC))
    first, second = reader.tokenize(ANSWER).ids, reader.tokenize(other).ids
    same = next(place for place, pair in enumerate(zip(first, second, strict=False)) if pair[0] != pair[1])
    assert same > 10
    assert taken[0] == 2 * (len(second) - same), "what both begin with is kept"
    short = ANSWER[:12]
    assert_same(grows.whole(example(short)), reader.read_one(example(short), SPEC))


def test_long_text_at_once_is_read_in_batches(tiny_reader_folder: Path) -> None:
    small = Reader.load(str(tiny_reader_folder), options=ReaderOptions(batch_tokens=64))
    text = ANSWER * 4
    grows = growing(small)
    with counted(small) as taken:
        got = grows.whole(example(text))
    assert max(taken[1:]) == 64, "two passes over 32 tokens; the first row has the prefixes as well"
    assert_same(got, small.read_one(example(text), SPEC))


def test_kept_prefixes_of_the_reader_are_used(tiny_reader_folder: Path) -> None:
    keeping = Reader.load(str(tiny_reader_folder), options=ReaderOptions(prefix_bytes=10**8))
    keeping.read_one(example("At sea."), SPEC)
    grows = growing(keeping)
    with counted(keeping) as taken:
        grows.stretch("At sea, in the west.", 0, 7)
    assert taken == [2 * grows.n_tokens]


def test_references_beyond_the_window_wait_for_the_end(tiny_reader_folder: Path) -> None:
    small = Reader.load(str(tiny_reader_folder), options=ReaderOptions(window=256))
    long = Example.of(QUESTION, [text * 20 for text in REFERENCES if text.strip()], ANSWER)
    grows = GrowingAnswer(small, QUESTION, long.references, SPEC)
    assert grows.obstacle is not None
    assert grows.obstacle.startswith("question and references (")
    assert grows.obstacle.endswith("fill the reader's window of 256 before the answer begins")
    with counted(small) as taken:
        grows.read_ahead(ANSWER * 9)
        assert grows.stretch(ANSWER, 0, 9) is None
        assert grows.whole(long) is None
    assert not taken


def test_an_answer_that_outgrows_the_window_waits_from_then_on(tiny_reader_folder: Path) -> None:
    small = Reader.load(str(tiny_reader_folder), options=ReaderOptions(window=300))
    grows = growing(small)
    assert grows.stretch(ANSWER, 0, 30) is not None
    long = ANSWER * 9
    assert grows.stretch(long, 0, len(long)) is None
    assert grows.obstacle is not None
    assert "together with" in grows.obstacle
    assert grows.n_tokens == 0
    assert grows.whole(example(long)) is None


def test_an_answer_may_fill_the_window_to_the_last_token(tiny_reader_folder: Path) -> None:
    reader = Reader.load(str(tiny_reader_folder))
    text = ANSWER * 5
    plan = reader.plan(example(text))
    exact = Reader(reader.loaded, options=ReaderOptions(window=len(plan.windows[0].ids) + len(plan.tokens)))
    grows = growing(exact)
    assert_same(grows.whole(example(text)), exact.read_one(example(text), SPEC))
    assert growing(exact).whole(example(text + " more")) is None


@pytest.mark.parametrize("spec", [ReadingSpec(layers=(1,), log_probs=True), ReadingSpec(layers=(1,), final_norm=True)])
def test_only_hidden_states_are_read_as_the_answer_grows(reader: Reader, spec: ReadingSpec) -> None:
    grows = GrowingAnswer(reader, QUESTION, example("").references, spec)
    assert grows.obstacle == "the detector reads more than hidden states, which takes the whole answer at once"
    assert grows.stretch(ANSWER, 0, 9) is None


def test_readers_whose_positions_depend_on_the_length_wait(tmp_path: Path) -> None:
    factors = [1.0] * 4
    rope = {
        "rope_type": "longrope", "rope_theta": 10_000.0, "short_factor": factors, "long_factor": factors,
        "original_max_position_embeddings": 64,
    }  # fmt: skip
    write_tiny_reader(
        tmp_path, lambda common: Phi3Config(**common, **SIZES, max_position_embeddings=1024, rope_parameters=rope)
    )
    grows = growing(Reader.load(str(tmp_path)))
    assert grows.obstacle is not None
    assert grows.obstacle.startswith("the reader has rotary embeddings of the kind longrope")


def test_what_cannot_be_prepared_is_refused(reader: Reader) -> None:
    with pytest.raises(InputError, match="references: are all blank, so there is nothing to compare the answer with"):
        GrowingAnswer(reader, QUESTION, Example.of(None, [" ", ""], "").references, SPEC)
    with pytest.raises(InputError, match="tokens_at_once: must be a whole number from 1 on, got 0"):
        growing(reader, tokens_at_once=0)
    with pytest.raises(InputError, match="answer: is blank"):
        growing(reader).whole(example(" "))


def test_a_reader_that_fails_is_named(tiny_reader_folder: Path) -> None:
    broken = Reader.load(str(tiny_reader_folder))

    def fail(*_: object) -> None:
        raise RuntimeError("no memory left\nat all")

    grows = growing(broken)
    decoder_layers(broken.loaded.model)[1].register_forward_hook(fail)
    with pytest.raises(ReadingError) as raised:
        grows.stretch(ANSWER, 0, 9)
    assert str(raised.value) == (
        "the reader failed behind 0 tokens of an answer: no memory left; if memory ran out, use a smaller window"
    )


def test_a_reader_that_overflows_is_named(tiny_reader_folder: Path) -> None:
    broken = Reader.load(str(tiny_reader_folder))
    with torch.no_grad():
        decoder_layers(broken.loaded.model)[1].mlp.down_proj.weight.fill_(torch.inf)
    with pytest.raises(ReadingError, match=r"the states after layer 3 \(ref\.hidden\.3, the pass with references\)"):
        growing(broken).whole(example(ANSWER))


@pytest.mark.parametrize("kind", sorted(KINDS))
@given(text=TEXTS, data=st.data())
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_kind_of_tokenizer(kind: str, text: str, data: st.DataObject) -> None:
    reader = _reader_with(kind)
    if not text.strip() or not reader.prompter.count(text):
        return
    cuts = data.draw(st.lists(st.integers(1, len(text)), max_size=4).map(sorted))
    grows = growing(reader, tokens_at_once=1)
    for cut in cuts:
        if reader.prompter.count(text[:cut]):
            grows.stretch(text[:cut], 0, cut)
    assert_same(grows.whole(example(text)), reader.read_one(example(text), SPEC))


def _reader_with(kind: str) -> Reader:
    from transformers import AutoModelForCausalLM

    tokenizer = made_tokenizer(kind)
    with torch.random.fork_rng():
        torch.manual_seed(3)
        config = LlamaConfig(
            vocab_size=len(tokenizer), num_attention_heads=4, num_key_value_heads=2, initializer_range=0.3, **SIZES,
            max_position_embeddings=1024,
        )  # fmt: skip
        model = AutoModelForCausalLM.from_config(config, attn_implementation=register()).eval()
    identity = ReaderIdentity(kind, None, "0" * 64, "llama", 4, 32, 1024)
    return Reader(LoadedModel(identity, model, tokenizer, "cpu", "float32"))
