"""The reader end to end on a tiny model: planning, batching, windows, pieces."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from architectures import plain_reading
from ragcortex.errors import InputError
from ragcortex.example import Example
from ragcortex.readers.forward import packed_forward
from ragcortex.readers.models import LoadedModel, load_model
from ragcortex.readers.prompts import Prompter, PromptTemplate, answer_pieces
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.readers.reading import PassArrays, Reading, ReadingSpec
from ragcortex.readers.token_batch import TokenSequence

SPEC = ReadingSpec(layers=(0, 3), attention_layers=None, log_probs=True)
WINDOW = 256
SHORT = Example.of("Where is it?", ["At Cape Arden.", "Built in 1874."], "It was built in 1874 at Cape Arden. 灯台")
EXAMPLES = [
    SHORT,
    Example.of(None, ["The museum had 5.9 million visitors."], " Visitors: 5.9 million"),
    Example.of("Who?", ["Mary Holt " * 40, "and others " * 9], "x"),
    Example.of("", ["<|im_end|>", "  ", ""], "\nShe <|im_start|>did."),
    Example.of("Long?", ["Short."], "The contract ends on 3 March 2025. " * 6),
]
LONG_REFERENCES = [f"Passage {index}: {'the lighthouse stands here. ' * 3}" for index in range(40)] + ["word " * 300]


@pytest.fixture(scope="module")
def loaded(tiny_reader_folder: Path) -> LoadedModel:
    return load_model(str(tiny_reader_folder))


@pytest.fixture(scope="module")
def eager(tiny_reader_folder: Path) -> Any:
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(tiny_reader_folder, attn_implementation="eager").eval()


def assert_same_reading(got: Reading, expected: Reading, tolerance: float = 1e-4) -> None:
    assert (got.tokens, got.n_windows, got.n_reference_tokens) == (
        expected.tokens,
        expected.n_windows,
        expected.n_reference_tokens,
    )
    for block, other in zip(got.blocks, expected.blocks, strict=True):
        assert (block.start, block.stop, block.keep, block.window) == (
            other.start,
            other.stop,
            other.keep,
            other.window,
        )
        assert_same_pass(block.ref, other.ref, tolerance)
        assert_same_pass(block.noref, other.noref, tolerance)


def assert_same_pass(got: PassArrays, expected: PassArrays, tolerance: float) -> None:
    for name, array in expected.arrays().items():
        scale = max(1.0, float(np.abs(array).max())) if name.startswith("hidden") else 1.0
        np.testing.assert_allclose(got.arrays()[name] / scale, array / scale, atol=tolerance, rtol=0, err_msg=name)
    assert got.arrays().keys() == expected.arrays().keys()


def assert_equals_plain(got: PassArrays, eager: Any, sequence: TokenSequence) -> None:
    expected = plain_reading(eager, sequence, SPEC)
    for layer in SPEC.layers:
        scale = np.abs(expected.hidden[layer]).max()
        np.testing.assert_allclose(got.hidden[layer] / scale, expected.hidden[layer] / scale, atol=1e-4)
    np.testing.assert_allclose(got.log_prob, expected.log_prob, atol=1e-4)
    np.testing.assert_allclose(got.entropy, expected.entropy, atol=1e-4)
    if sequence.references is not None:
        np.testing.assert_allclose(got.attention, expected.attention, atol=1e-5)
        np.testing.assert_allclose(got.reference_attention, expected.reference_attention, atol=1e-5)


@pytest.mark.parametrize("template", ["chat", "raw"])
def test_a_reading_is_the_two_inputs_read_plainly(loaded: LoadedModel, eager: Any, template: str) -> None:
    reader = Reader(loaded, template=PromptTemplate(template))
    (block,) = reader.read_one(SHORT, SPEC).blocks
    prompter = Prompter(loaded.tokenizer, reader.template)
    answer = prompter.answer(SHORT.answer).ids
    for arrays, references in ((block.ref, [r.text for r in SHORT.references]), (block.noref, [])):
        prefix = prompter.prefix(SHORT.question, references)
        sequence = TokenSequence(prefix.ids, answer, prefix.references if references else None)
        assert_equals_plain(arrays, eager, sequence)


@pytest.mark.parametrize(
    "options",
    [
        ReaderOptions(batch_tokens=1),
        ReaderOptions(batch_tokens=100_000),
        ReaderOptions(batch_tokens=100_000, share_prefixes=False),
        ReaderOptions(batch_tokens=300, share_prefixes=False),
        ReaderOptions(batch_tokens=100_000, padding_side="left", share_prefixes=False),
        ReaderOptions(batch_tokens=300, padding_side="left", group_size=2, share_prefixes=False),
        ReaderOptions(group_size=1),
    ],
    ids=["one by one", "all together", "unshared", "unshared in batches", "left", "left in groups", "groups of one"],
)
@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (4, 2, 0, 1, 3)])
def test_batching_changes_nothing(loaded: LoadedModel, options: ReaderOptions, order: Sequence[int]) -> None:
    """M1: batch of 1 against n, order, padding side and a long neighbour."""
    readings = list(Reader(loaded, options=options).read([EXAMPLES[index] for index in order], SPEC))
    assert len(readings) == len(order)
    for index, reading in zip(order, readings, strict=True):
        assert_same_reading(reading, Reader(loaded).read_one(EXAMPLES[index], SPEC))


def test_prefixes_are_shared_between_answers_and_passes(loaded: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all is read to the same depth, one row has both passes; where not, each pass has rows of its own."""
    rows: list[tuple[int, int]] = []

    def counted(model: LoadedModel, sequences: Sequence[TokenSequence], spec: ReadingSpec) -> list[PassArrays]:
        rows.append((len(sequences), sum(one.references is None for one in sequences)))
        return packed_forward(model, sequences, spec)

    monkeypatch.setattr("ragcortex.readers.reader.packed_forward", counted)
    reader = Reader(loaded, options=ReaderOptions(batch_tokens=100_000))
    answers = [replace(SHORT, answer=f"Answer {n}.") for n in range(3)]
    for spec, expected in (
        (ReadingSpec(layers=(1,), attention_layers=None, log_probs=True), [(6, 3)]),
        (ReadingSpec(layers=(2,), attention_layers=(1, 2)), [(6, 3)]),
        (ReadingSpec(layers=(1,), attention_layers=(1, 2)), [(3, 0), (3, 3)]),
        (ReadingSpec(layers=(1,), attention_layers=None, measures=("lookback",)), []),
    ):
        rows.clear()
        together = list(reader.read(answers, spec))
        assert rows == expected
        for answer, reading in zip(answers, together, strict=True):
            alone = Reader(loaded, options=ReaderOptions(share_prefixes=False)).read_one(answer, spec)
            assert_same_reading(reading, alone)


def test_answers_to_a_source_longer_than_a_batch_share_it(loaded: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[int] = []

    def counted(model: LoadedModel, sequences: Sequence[TokenSequence], spec: ReadingSpec) -> list[PassArrays]:
        rows.append(sum(one.references is not None for one in sequences))
        return packed_forward(model, sequences, spec)

    monkeypatch.setattr("ragcortex.readers.reader.packed_forward", counted)
    answers = [replace(SHORT, answer=f"{n}.") for n in range(4)]
    spec = ReadingSpec(layers=(1,))
    reader = Reader(loaded, options=ReaderOptions(batch_tokens=32))
    plan = reader.plan(answers[0])
    assert len(plan.windows[0].ids) > 32
    together = list(reader.read(answers, spec))
    assert sum(rows) == 4
    assert max(rows) > 1
    for answer, reading in zip(answers, together, strict=True):
        alone = Reader(loaded, options=ReaderOptions(share_prefixes=False)).read_one(answer, spec)
        assert_same_reading(reading, alone)


def test_blank_references_are_left_out(loaded: LoadedModel) -> None:
    reader = Reader(loaded)
    padded = Example.of(SHORT.question, ["", "At Cape Arden.", " \n", "Built in 1874."], SHORT.answer)
    assert_same_reading(reader.read_one(padded, SPEC), reader.read_one(SHORT, SPEC), tolerance=0)


def test_reads_lazily_and_in_order(loaded: LoadedModel) -> None:
    taken: list[int] = []

    def endless() -> Any:
        while True:
            taken.append(len(taken))
            yield replace(SHORT, answer=f"Answer {len(taken)}.")

    readings = Reader(loaded, options=ReaderOptions(group_size=3)).read(endless(), ReadingSpec(layers=(1,)))
    assert [next(readings).tokens.text for _ in range(4)] == [f"Answer {n}." for n in (1, 2, 3, 4)]
    assert len(taken) == 6


def test_long_references_are_read_in_windows(loaded: LoadedModel, eager: Any) -> None:
    """L3: ten times the window; every block is that window's input, read plainly."""
    reader = Reader(loaded, options=ReaderOptions(window=WINDOW))
    example = Example.of("Where is it?", LONG_REFERENCES, "It stands at the sea.")
    reading = reader.read_one(example, SPEC)
    prompter = Prompter(loaded.tokenizer, reader.template)
    room = WINDOW - len(reading.tokens)
    prefixes = prompter.windows(example.question, LONG_REFERENCES, room)
    assert reading.n_reference_tokens > 10 * WINDOW
    assert reading.n_windows == len(prefixes)
    assert [block.window for block in reading.blocks] == list(range(reading.n_windows))
    assert reading.n_pieces == 1
    assert reading.n_reference_tokens == sum(prefix.references[1] - prefix.references[0] for prefix in prefixes)
    for block, prefix in zip(reading.blocks, prefixes, strict=True):
        assert len(prefix.ids) + len(reading.tokens) <= WINDOW
        assert block.noref is reading.blocks[0].noref
        assert_equals_plain(block.ref, eager, TokenSequence(prefix.ids, reading.tokens.ids, prefix.references))


def test_a_long_answer_is_read_in_pieces(loaded: LoadedModel, eager: Any) -> None:
    """L4: pieces of half the window, each with every window of the references."""
    reader = Reader(loaded, options=ReaderOptions(window=WINDOW, batch_tokens=4096))
    example = Example.of(
        "Where?", LONG_REFERENCES[:6], "".join(f"Claim {index} is that it stands. " for index in range(30))
    )
    reading = reader.read_one(example, SPEC)
    pieces = answer_pieces(len(reading.tokens), WINDOW // 2)
    assert reading.n_pieces == len(pieces) > 2
    assert reading.n_windows > 2
    assert [(b.start, b.stop, b.keep, b.window) for b in reading.blocks] == [
        (piece.start, piece.stop, piece.keep, window) for piece in pieces for window in range(reading.n_windows)
    ]
    prompter = Prompter(loaded.tokenizer, reader.template)
    without = prompter.prefix(example.question, [])
    for block in reading.blocks[:: reading.n_windows]:
        piece = reading.tokens.ids[block.start : block.stop]
        assert_equals_plain(block.noref, eager, TokenSequence(without.ids, piece, None))


def test_a_long_answer_with_short_references_has_one_window(loaded: LoadedModel) -> None:
    reader = Reader(loaded, options=ReaderOptions(window=WINDOW))
    reading = reader.read_one(Example.of("Where?", ["Here."], "It stands. " * 100), ReadingSpec(layers=(1,)))
    assert reading.n_windows == 1
    assert reading.n_pieces > 2


def test_window_is_the_shorter_of_what_is_asked_and_what_the_model_has(loaded: LoadedModel) -> None:
    n = loaded.identity.max_tokens
    assert Reader(loaded).window == n
    assert Reader(loaded, options=ReaderOptions(window=300)).window == 300
    assert Reader(loaded, options=ReaderOptions(window=n + 1)).window == n


def test_template_is_chat_where_there_is_one(loaded: LoadedModel, tiny_reader_folder: Path) -> None:
    assert Reader(loaded).template == PromptTemplate("chat")
    assert Reader.load(str(tiny_reader_folder), template=PromptTemplate("raw")).template == PromptTemplate("raw")
    tokenizer = type(loaded.tokenizer).from_pretrained(tiny_reader_folder)
    tokenizer.chat_template = None
    assert Reader(replace(loaded, tokenizer=tokenizer)).template == PromptTemplate("raw")


@pytest.mark.parametrize(
    ("example", "message"),
    [
        (Example.of("Q", ["R"], " \n"), "answer: is blank, so there is nothing to read"),
        (Example.of("Q", [" ", ""], "A"), "references: are all blank, so there is nothing to compare the answer with"),
        (Example.of("Q", [], "A"), "references: are all blank, so there is nothing to compare the answer with"),
    ],
    ids=["answer", "blank references", "no references"],
)
def test_nothing_to_read(loaded: LoadedModel, example: Example, message: str) -> None:
    with pytest.raises(InputError) as caught:
        Reader(loaded).read_one(example, SPEC)
    assert str(caught.value) == message


@pytest.mark.parametrize("answer", ["Short.", "A long answer. " * 60], ids=["short", "long"])
def test_a_question_that_fills_the_window_is_refused(loaded: LoadedModel, answer: str) -> None:
    reader = Reader(loaded, options=ReaderOptions(window=WINDOW))
    with pytest.raises(InputError) as caught:
        reader.read_one(Example.of("word " * 300, ["R"], answer), SPEC)
    assert caught.value.field == "question"
    n_tokens = len(Prompter(loaded.tokenizer, reader.template).prefix("word " * 300, ["."]).ids)
    room = WINDOW - min(len(reader.tokenize(answer)), WINDOW // 2)
    assert caught.value.message == (
        f"takes {n_tokens} tokens, which leaves no room for references in the reader's {room}"
    )


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"window": 255}, "window: must be at least 256 tokens, got 255"),
        ({"padding_side": "middle"}, "padding_side: must be left or right, got 'middle'"),
        ({"batch_tokens": 0}, "batch_tokens: and group_size must be at least 1"),
    ],
)
def test_options_check_themselves(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        ReaderOptions(**values)
    assert str(caught.value) == message
