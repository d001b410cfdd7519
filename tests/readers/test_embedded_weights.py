"""The embedded reader's real weights: as pinned, equal to eager attention, the same in any batch."""

from typing import Any

import numpy as np
import pytest

from architectures import plain_reading
from ragcortex.example import Example
from ragcortex.readers.embedded import GGUF_SHA256
from ragcortex.readers.models import locate
from ragcortex.readers.prompts import Prompter
from ragcortex.readers.reader import Reader, ReaderOptions
from ragcortex.readers.reading import ReadingSpec
from ragcortex.readers.token_batch import TokenSequence

pytestmark = pytest.mark.weights

SPEC = ReadingSpec(layers=(20, 30), attention_layers=None, log_probs=True)
EXAMPLE = Example.of("When was it built?", ["The lighthouse was built in 1874."], "It was built in 1875. 灯台")


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader.load("embedded", device="cpu", dtype="float32")


def test_reader_is_the_pinned_one_read_as_eager_attention_reads_it(reader: Reader) -> None:
    identity = reader.identity
    assert identity.fingerprint == GGUF_SHA256
    assert (identity.id, identity.architecture, identity.n_layers, identity.hidden_size) == (
        "embedded",
        "llama",
        30,
        576,
    )
    prompter = Prompter(reader.loaded.tokenizer, reader.template)
    prefix = prompter.prefix(EXAMPLE.question, [reference.text for reference in EXAMPLE.references])
    assert reader.loaded.tokenizer.decode(prefix.ids[slice(*prefix.references)]) == EXAMPLE.references[0].text
    got = reader.read_one(EXAMPLE, SPEC).blocks[0].ref
    sequence = TokenSequence(prefix.ids, reader.tokenize(EXAMPLE.answer).ids, prefix.references)
    expected = plain_reading(_eager(), sequence, SPEC)
    np.testing.assert_allclose(got.attention, expected.attention, atol=1e-5)
    np.testing.assert_allclose(got.reference_attention, expected.reference_attention, atol=1e-5)
    np.testing.assert_allclose(got.log_prob, expected.log_prob, atol=1e-3)
    for layer in SPEC.layers:
        scale = np.abs(expected.hidden[layer]).max()
        np.testing.assert_allclose(got.hidden[layer] / scale, expected.hidden[layer] / scale, atol=1e-4)


def _eager() -> Any:
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(locate("embedded").folder, attn_implementation="eager").eval()


def test_batches_change_no_probability(reader: Reader) -> None:
    long_neighbour = Example.of("Who?", ["Mary Holt lived in Arden. " * 12], "She lived there.")
    spec = ReadingSpec(log_probs=True)
    alone = reader.read_one(EXAMPLE, spec).blocks[0].ref
    for side in ("right", "left"):
        batched = Reader(reader.loaded, options=ReaderOptions(batch_tokens=10_000, padding_side=side))
        together = list(batched.read([long_neighbour, EXAMPLE], spec))[1].blocks[0].ref
        assert together.log_prob is not None
        assert alone.log_prob is not None
        np.testing.assert_allclose(together.log_prob, alone.log_prob, atol=1e-4, rtol=1e-4)
        np.testing.assert_allclose(np.exp(together.log_prob), np.exp(alone.log_prob), atol=1e-4)
