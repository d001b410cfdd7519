"""What a reader writes: the same whatever is written beside it; and probabilities after a shared prefix."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from architectures import SLIDING_WINDOW, VOCABULARY, loaded_model, model_of
from ragcortex.errors import InputError, ReadingError
from ragcortex.readers.generation import Sampling, Written, option_log_probs, worded, write
from ragcortex.readers.reader import RAW, Reader, ReaderOptions

RANDOM = np.random.default_rng(5)
SHARED = tuple(RANDOM.integers(3, VOCABULARY, 21).tolist())
TAILS = [tuple(RANDOM.integers(3, VOCABULARY, n).tolist()) for n in (2, 5, 11, 3)]
PROMPTS = [SHARED + tail for tail in TAILS]
OPTIONS = [(7,), (9,), (7, 8), (11, 12, 13)]
assert len(SHARED) > SLIDING_WINDOW


class Letters:
    """A tokenizer of the tests: every id is a letter, so that texts tell ids apart."""

    is_fast = True
    eos_token_id = 2
    bos_token_id = None

    def decode(self, ids: list[int], skip_special_tokens: bool) -> str:
        assert skip_special_tokens
        return "".join(chr(0x4E00 + token) for token in ids)


def reader_of(name: str, **options: Any) -> Reader:
    loaded = dataclasses.replace(loaded_model(name), tokenizer=Letters())
    return Reader(loaded, template=RAW, options=ReaderOptions(**options))


@pytest.fixture(scope="module")
def reader(architecture: str) -> Reader:
    return reader_of(architecture)


@torch.inference_mode()
def plain_log_prob(eager: Any, prompt: tuple[int, ...], option: tuple[int, ...]) -> float:
    """Return log p(option | prompt) from one whole eager pass without any cache, in numpy."""
    logits = eager(input_ids=torch.tensor([[*prompt, *option]]), use_cache=False).logits[0].double().numpy()
    total = 0.0
    for step, token in enumerate(option):
        row = logits[len(prompt) + step - 1]
        total += row[token] - row.max() - np.log(np.exp(row - row.max()).sum())
    return total


@torch.inference_mode()
def plain_greedy(eager: Any, prompt: tuple[int, ...], n: int) -> Written:
    """Return what the most probable tokens spell, one whole eager pass a token."""
    ids: list[int] = []
    for _ in range(n):
        token = int(eager(input_ids=torch.tensor([[*prompt, *ids]]), use_cache=False).logits[0, -1].argmax())
        if token == 2:
            return Written(Letters().decode(ids, skip_special_tokens=True), len(ids), True)
        ids.append(token)
    return Written(Letters().decode(ids, skip_special_tokens=True), len(ids), False)


def test_probabilities_after_a_shared_prefix_are_those_of_whole_passes(architecture: str, reader: Reader) -> None:
    """Sliding windows shorter than the prefix and than the tails included."""
    eager = model_of(architecture, "eager")
    found = option_log_probs(reader, PROMPTS, OPTIONS)
    expected = [[plain_log_prob(eager, prompt, option) for option in OPTIONS] for prompt in PROMPTS]
    np.testing.assert_allclose(found, expected, atol=1e-4, rtol=0)
    assert found.dtype == np.float64
    assert (found <= 0).all()


@pytest.mark.parametrize("batch_tokens", [1, 16, 1000])
def test_the_batch_changes_no_probability(architecture: str, reader: Reader, batch_tokens: int) -> None:
    together = option_log_probs(reader, PROMPTS, OPTIONS)
    other = reader_of(architecture, batch_tokens=batch_tokens)
    np.testing.assert_allclose(option_log_probs(other, PROMPTS, OPTIONS), together, atol=1e-4, rtol=0)
    alone = np.concatenate([option_log_probs(reader, [prompt], OPTIONS) for prompt in PROMPTS])
    np.testing.assert_allclose(alone, together, atol=1e-4, rtol=0)


def test_prompts_without_a_common_beginning(architecture: str, reader: Reader) -> None:
    prompts = [(5, *SHARED), (6, *SHARED[:3]), (4,)]
    expected = np.concatenate([option_log_probs(reader, [prompt], OPTIONS) for prompt in prompts])
    np.testing.assert_allclose(option_log_probs(reader, prompts, OPTIONS), expected, atol=1e-4, rtol=0)
    np.testing.assert_allclose(
        expected[2], [plain_log_prob(model_of(architecture, "eager"), (4,), option) for option in OPTIONS], atol=1e-4
    )


def test_one_prompt_that_begins_another(reader: Reader) -> None:
    prompts = [SHARED, SHARED + TAILS[1], SHARED]
    expected = np.concatenate([option_log_probs(reader, [prompt], OPTIONS) for prompt in prompts])
    np.testing.assert_allclose(option_log_probs(reader, prompts, OPTIONS), expected, atol=1e-4, rtol=0)


def test_all_continuations_of_one_token_sum_to_one(reader: Reader) -> None:
    log_probs = option_log_probs(reader, PROMPTS, [(token,) for token in range(VOCABULARY)])
    np.testing.assert_allclose(np.exp(log_probs).sum(axis=1), 1, atol=1e-9)


def test_temperature_0_takes_the_most_probable_tokens(architecture: str, reader: Reader) -> None:
    """Prompts of different lengths are written side by side, some of them longer than a sliding window."""
    eager = model_of(architecture, "eager")
    prompts = [SHARED[:4], SHARED, SHARED[2:15]]
    expected = [[plain_greedy(eager, prompt, 14)] * 2 for prompt in prompts]
    assert write(reader, prompts, 2, Sampling(temperature=0, max_new_tokens=14)) == expected


def test_samples_are_the_same_again_and_in_any_company(architecture: str, reader: Reader) -> None:
    sampling = Sampling(temperature=1.3, top_p=0.9, max_new_tokens=12)
    together = write(reader, PROMPTS, 3, sampling, seed=4)
    assert write(reader, PROMPTS, 3, sampling, seed=4) == together
    assert write(reader, PROMPTS[::-1], 3, sampling, seed=4) == together[::-1]
    assert [write(reader, [prompt], 3, sampling, seed=4)[0] for prompt in PROMPTS] == together
    assert [texts[:1] for texts in together] == write(reader, PROMPTS, 1, sampling, seed=4)
    assert write(reader, PROMPTS, 3, sampling, seed=5) != together
    assert any(len({written.text for written in texts}) == 3 for texts in together)


def test_rows_that_end_early_leave_the_others_as_they_are() -> None:
    """With the end token made likely, texts end at different steps; each is what it is alone."""
    reader = reader_of("llama")
    loaded = reader.loaded
    loaded.tokenizer.eos_token_id = 40
    sampling = Sampling(temperature=2.5, max_new_tokens=60)
    texts = write(reader, PROMPTS, 6, sampling, seed=1)
    lengths = {written.n_tokens for row in texts for written in row if written.ended}
    assert len(lengths) > 3
    assert [write(reader, [prompt], 6, sampling, seed=1)[0] for prompt in PROMPTS] == texts
    for written in (written for row in texts for written in row):
        assert written.ended or written.n_tokens == 60
        assert written.n_tokens == len(written.text)
        assert chr(0x4E00 + 40) not in written.text


def test_sampled_tokens_follow_the_model() -> None:
    """4,000 first tokens against the distribution itself; the expected distance of such a sample is below .06."""
    reader = reader_of("qwen2")
    drawn = write(reader, [SHARED], 4000, Sampling(max_new_tokens=1))[0]
    counts = np.zeros(VOCABULARY)
    for written in drawn:
        counts[2 if written.ended else ord(written.text) - 0x4E00] += 1
    expected = np.exp(option_log_probs(reader, [SHARED], [(token,) for token in range(VOCABULARY)]))[0]
    assert np.abs(counts / 4000 - expected).sum() / 2 < 0.06
    few = write(reader, [SHARED], 500, Sampling(top_p=0.5, max_new_tokens=1))[0]
    order = np.argsort(-expected)
    nucleus = set(order[: int(np.searchsorted(np.cumsum(expected[order]), 0.5)) + 1].tolist())
    assert {2 if written.ended else ord(written.text) - 0x4E00 for written in few} == nucleus


def test_a_real_tokenizer_and_the_wording_of_prompts(tiny_reader_folder: Path) -> None:
    reader = Reader.load(str(tiny_reader_folder), device="cpu", dtype="float32")
    prompt = reader.prompter.prefix("Who built it?", ["Mary Holt built the lighthouse."]).ids
    (texts,) = write(reader, [prompt], 2, Sampling(max_new_tokens=20), seed=3)
    assert all("<|im" not in written.text for written in texts)
    asked = worded(reader, "References:\n{references}\n\n{question}").prefix("Is {references} it?", ["A {question}."])
    text = reader.loaded.tokenizer.decode(asked.ids)
    assert text == (
        "<|im_start|>user\nReferences:\nA {question}.\n\nIs {references} it?<|im_end|>\n<|im_start|>assistant\n"
    )
    assert reader.key()["reader"] == reader.identity.fingerprint
    assert reader.key()["dtype"] == "float32"


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"temperature": -0.1}, "temperature: must be a number from 0 on, got -0.1"),
        ({"temperature": float("nan")}, "temperature: must be a number from 0 on, got nan"),
        ({"top_p": 0.0}, "top_p: must be a number in (0, 1], got 0.0"),
        ({"top_p": 1.5}, "top_p: must be a number in (0, 1], got 1.5"),
        ({"max_new_tokens": 0}, "max_new_tokens: must be a whole number from 1 on, got 0"),
        ({"max_new_tokens": 2.0}, "max_new_tokens: must be a whole number from 1 on, got 2.0"),
    ],
)
def test_sampling_is_checked(values: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        Sampling(**values)
    assert str(caught.value) == message


def test_nothing_is_cut_to_fit_the_window() -> None:
    reader = reader_of("llama", window=256)
    long = SHARED * 12
    for call in (
        lambda: write(reader, [SHARED, long], 1, Sampling(max_new_tokens=10)),
        lambda: option_log_probs(reader, [SHARED, long], [(1,), (1,) * 10]),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert str(caught.value) == (
            "prompts: one takes 252 tokens, which with 10 more exceeds the reader's window of 256; "
            "divide its references into windows"
        )
    assert option_log_probs(reader, [], [(1,)]).shape == (0, 1)
    for call, message in (
        (lambda: write(reader, [()], 1, Sampling()), "prompts: must each have at least one token"),
        (lambda: write(reader, [SHARED], 0, Sampling()), "n: must be a whole number from 1 on, got 0"),
        (lambda: option_log_probs(reader, [SHARED], []), "options: must be at least one continuation of at least one "
         "token each"),
    ):  # fmt: skip
        with pytest.raises(InputError) as caught:
            call()
        assert str(caught.value) == message


def test_numbers_that_are_not_finite_are_reported() -> None:
    reader = reader_of("llama")
    with torch.no_grad():
        reader.loaded.model.model.layers[1].mlp.down_proj.weight[0, 0] = np.nan
    with pytest.raises(ReadingError) as caught:
        write(reader, [SHARED], 1, Sampling())
    said = "reader 'llama' gave numbers that are not finite in float32: "
    remedy = (
        "; its weights are damaged (model.layers.1.mlp.down_proj.weight): put sound files in its place, or take "
        "another reader"
    )
    assert str(caught.value) == f"{said}the logits of token 1 to be written{remedy}"
    with pytest.raises(ReadingError) as caught:
        option_log_probs(reader, PROMPTS, OPTIONS)
    assert str(caught.value) == f"{said}the probabilities of the given continuations{remedy}"
